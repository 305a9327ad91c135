"""Which of a note's visible characters are code, ideographs, or begin words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.chunking.shortened import Shortened
from core.markdown.outline import Block, walk
from core.markdown.parts import opens_diagram

CODE = frozenset({"fence", "code"})


@dataclass(frozen=True, slots=True, eq=False)
class Letters:
    """The offsets of the body's visible characters, and running sums over these, each of length visible + 1.

    Blobs aren't visible.
    """

    visible: NDArray[np.int64]
    code: NDArray[np.int32]
    code_lines: NDArray[np.int32]
    ideographs: NDArray[np.int32]
    words: NDArray[np.int32]

    @classmethod
    def from_blocks(cls, body: str, short: Shortened, blocks: Sequence[Block]) -> "Letters":
        """Read the characters of a body, which `short` has without blobs, and the blocks in which they are."""
        codes = np.frombuffer(short.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        seen = np.flatnonzero((codes > 0x20) & (codes != 0x3000) & (codes != 0xA0))
        codes, visible = codes[seen], short.offsets(seen)
        inside, written = np.zeros((2, len(codes)), dtype=bool)
        for block in walk(blocks):
            if block.kind in CODE:
                start, end = np.searchsorted(visible, (block.start, block.end))
                inside[start:end] = True
                written[start:end] = not opens_diagram(body[block.start : block.end])
        ideographs = ((codes >= 0x3040) & (codes < 0xA000)) | ((codes >= 0xAC00) & (codes < 0xD7B0))
        ideographs |= ((codes >= 0xF900) & (codes < 0xFB00)) | ((codes >= 0x20000) & (codes < 0x32000))
        lower = codes | 0x20
        letters = (lower >= ord("a")) & (lower <= ord("z"))
        letters |= (codes >= 0xC0) & (codes < 0x2000)
        begins = letters.copy()
        begins[1:] &= ~(letters[:-1] & (np.diff(visible) == 1))
        return cls(visible, *map(_running, (inside, written, ideographs & ~inside, begins & ~inside)))

    def has_code(self, start: int, end: int) -> bool:
        """Return whether the span has fenced or indented code; inline code and diagrams don't count."""
        start, end = np.searchsorted(self.visible, (start, end))
        return bool(self.code_lines[end] > self.code_lines[start])

    def language(self, start: int, end: int) -> str:
        """Return 'code', 'zh', 'mixed' or 'en'.

        'code': more than half of the visible characters are in code blocks. Otherwise the share of
        ideographs among ideographs and words outside code blocks decides: 'zh' from 3/4 on, 'mixed'
        from 1/8 on, 'en' below and for every other script. Kana and Hangul count as ideographs.
        """
        start, end = np.searchsorted(self.visible, (start, end))
        if 2 * int(self.code[end] - self.code[start]) > end - start:
            return "code"
        ideographs = int(self.ideographs[end] - self.ideographs[start])
        words = int(self.words[end] - self.words[start])
        share = ideographs / max(1, ideographs + words)
        if share >= 0.75:
            return "zh"
        return "mixed" if share >= 0.125 else "en"


def _running(flags: NDArray[np.bool_]) -> NDArray[np.int32]:
    sums = np.zeros(len(flags) + 1, dtype=np.int32)
    np.cumsum(flags, out=sums[1:])
    return sums
