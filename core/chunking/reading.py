"""A note that is parsed and tokenized once: its outline and the offsets of its tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.base.blobs import LARGE, Span, blank_blobs, remove_blobs
from core.markdown.outline import Block, Outline, parse, plain_outline, walk
from core.markdown.parts import opens_diagram
from core.model import Note, Spans

Flags = NDArray[np.bool_]
"""A boolean for each token or character."""
Counts = NDArray[np.int32]
"""Running counts of tokens, characters or words, by position."""
Places = NDArray[np.int64]
"""Offsets in a text."""


@dataclass(frozen=True, eq=False)
class Shortened:
    """A text in which each blob is replaced by a single blank.

    `ends`: the offset after each blob, in this text. `missing`: the number of characters left out up to there, after a
    leading 0.
    """

    text: str
    ends: Places
    missing: Places

    @classmethod
    def from_text(cls, text: str, blobs: Sequence[Span]) -> "Shortened":
        """Shorten a text by its blobs."""
        spans = np.array(blobs, np.int64).reshape(-1, 2)
        missing = np.cumsum([0, *(spans[:, 1] - spans[:, 0] - 1)], dtype=np.int64)
        return cls(remove_blobs(text, blobs), spans[:, 1] - missing[1:], missing)

    def offsets(self, places: NDArray[np.integer]) -> Places:
        """Return the offsets in the original text for offsets in this one."""
        return places + self.missing[np.searchsorted(self.ends, places, side="right")]


CODE = frozenset({"fence", "code"})


@dataclass(frozen=True, slots=True, eq=False)
class Letters:
    """Offsets of a body's visible characters, without blobs, and running sums over them with length visible + 1."""

    visible: Places
    code: Counts
    code_lines: Counts
    ideographs: Counts
    words: Counts

    @classmethod
    def from_blocks(cls, body: str, short: Shortened, blocks: Sequence[Block]) -> "Letters":
        """Classify the characters of a body by script and by block; `short` is the body without blobs."""
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
        return cls(visible, *map(_running_sums, (inside, written, ideographs & ~inside, begins & ~inside)))

    def has_code(self, start: int, end: int) -> bool:
        """Return whether a span contains fenced or indented code; inline code and diagrams don't count."""
        start, end = np.searchsorted(self.visible, (start, end))
        return bool(self.code_lines[end] > self.code_lines[start])

    def language(self, start: int, end: int) -> str:
        """Return the language of a span: 'code', 'zh', 'mixed' or 'en'.

        It is 'code' if more than half of the visible characters are in code blocks. Otherwise it depends on the share
        of ideographs among ideographs and words outside code blocks: 'zh' from 3/4 on, 'mixed' from 1/8 on, else 'en',
        also for all other scripts. Kana and Hangul count as ideographs.
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


def _running_sums(flags: Flags) -> Counts:
    sums = np.zeros(len(flags) + 1, dtype=np.int32)
    np.cumsum(flags, out=sums[1:])
    return sums


Tokens = Callable[[str], Spans]
"""Function that returns the span of each token in a text, like an embedder's `tokens`."""


@dataclass(frozen=True, eq=False)
class TokenizedNote:
    """A note with its outline and tokens.

    `body`: the note's body with blanks in place of blobs. `blobs`: the large ones, which are in no chunk. `starts`: the
    ascending offsets of tokens in the body. `short`: the body without any blobs.
    """

    note: Note
    outline: Outline
    body: str
    blobs: Sequence[Span]
    starts: Places
    short: Shortened

    @cached_property
    def letters(self) -> Letters:
        """The classified characters of the body."""
        return Letters.from_blocks(self.body, self.short, self.outline.blocks)

    def count(self, start: int, end: int) -> int:
        """Return the number of tokens that start in `body[start:end]`."""
        # With the type of the keys, int64, because otherwise numpy would convert the whole array at every call.
        first, last = np.searchsorted(self.starts, (start, end))
        return int(last - first)


def read(note: Note, tokens: Tokens, outline: Outline | None = None) -> TokenizedNote:
    """Parse and tokenize a note, in one pass each; with `outline` it isn't parsed again.

    A plain note has an empty outline. Raises SourceError for a body that is too large to parse.
    """
    outline = outline or (plain_outline(note.body) if note.plain else parse(note.body, note.path or note.title))
    large = [span for span in outline.blobs if span[1] - span[0] >= LARGE]
    short = Shortened.from_text(note.body, outline.blobs)
    spans = tokens(short.text) if short.text else np.empty((0, 2), np.int32)
    return TokenizedNote(note, outline, blank_blobs(note.body, outline.blobs), large, short.offsets(spans[:, 0]), short)
