"""Slices -> chunks: sections, language, code, sizes and ids, the same for every strategy."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, islice, takewhile

import numpy as np
from numpy.typing import NDArray

from core.blobs import without_blobs
from core.chunking.reading import Reading
from core.chunking.sections import Sections, short_for
from core.chunking.slices import Slice, trim
from core.markdown.outline import Block, walk
from core.messages import Message, message
from core.model import Chunk, ChunkKind, Profile
from core.text import line_starts

CODE = frozenset({"fence", "code"})
_WORD = re.compile(r"\w")


def chunks(reading: Reading, slices: Sequence[Slice], kind: ChunkKind) -> list[Chunk]:
    """Return the chunks of slices that are trimmed and in order.

    A chunk's section is that of its own text, without the text shared with the chunk before. A chunk's id is made of
    the note's id and a digest of the text, numbered where the note repeats the text, so edits elsewhere in the note
    don't change it. Large blobs are in no chunk; a note that holds nothing else has one chunk without text, by which
    its title is found.
    """
    if reading.blobs:
        slices = [part for piece in slices for part in _without_blobs(reading, piece)]
    if not slices and reading.note.body.strip() and not reading.note.plain:
        slices = [Slice(0, 0, 0)]
    sections = Sections(reading.body, reading.outline.headings)
    letters = _Letters.of(reading)
    lines = line_starts(reading.body) if reading.note.plain else []
    seen: Counter[str] = Counter()
    described = []
    for index, piece in enumerate(slices):
        text = reading.note.body[piece.start : piece.end]
        described.append(
            Chunk(
                id=chunk_id(reading.note.id, text, seen[text]),
                note_id=reading.note.id,
                index=index,
                total=len(slices),
                start=piece.start,
                end=piece.end,
                text=text,
                kind=kind,
                has_code=letters.has_code(piece.start, piece.end),
                language=letters.language(piece.start, piece.end),
                token_count=reading.count(piece.start, piece.end),
                overlap_tokens=reading.count(piece.start, piece.own),
                lead=without_blobs(lead_at(reading.outline.blocks, piece.start)),
                line=bisect_right(lines, piece.start),
                **sections.of(piece.own, piece.end, short=short_for(kind))._asdict(),
            )
        )
        seen[text] += 1
    return described


def _without_blobs(reading: Reading, piece: Slice) -> Iterator[Slice]:
    """Yield the parts of a slice between the large blobs that hold words of its own."""
    first = bisect_right(reading.blobs, piece.start, key=lambda blob: blob[1])
    inside = list(takewhile(lambda blob: blob[0] < piece.end, islice(reading.blobs, first, None)))
    edges = [piece.start, *chain.from_iterable(inside), piece.end]
    for start, end in zip(edges[::2], edges[1::2], strict=True) if inside else ():
        start, end = trim(reading.body, start, end) if start < end else (start, start)
        if end > piece.own and _WORD.search(reading.body, start, end):
            yield Slice(start, end, max(start, piece.own))
    if not inside:
        yield piece


def reason(strategy: str, text: Message) -> Message:
    """Return why a strategy was chosen or rejected."""
    return message("{strategy}: {reason}", strategy=strategy, reason=text)


def profile(reading: Reading) -> Profile:
    """Return the figures by which a strategy is chosen. Headings in quotes and lists don't count."""
    characters = len(reading.body)
    levels = Counter(heading.level for heading in reading.outline.headings if not heading.nested)
    shares: Counter[str] = Counter()
    for block in walk(reading.outline.blocks):
        shares[block.kind] += block.end - block.start
    return Profile(
        characters=characters,
        tokens=len(reading.starts),
        headings=(levels[1], levels[2], levels[3], levels[4], levels[5], levels[6]),
        code_share=sum(shares[kind] for kind in CODE) / max(1, characters),
        table_share=shares["table"] / max(1, characters),
        language=_Letters.of(reading).language(0, characters),
    )


def lead_at(blocks: Sequence[Block], offset: int) -> str:
    """Return the lead of the innermost block around an offset: a chunk that starts there must repeat it."""
    lead = ""
    while blocks:
        index = bisect_right(blocks, offset, key=lambda block: block.start) - 1
        if index < 0 or not blocks[index].start < offset < blocks[index].end:
            break
        lead = blocks[index].lead or lead
        blocks = blocks[index].children
    return lead


def chunk_id(note_id: str, text: str, occurrence: int) -> str:
    """Return the id of a chunk; `occurrence` counts the earlier chunks of the note with the same text."""
    content = text.encode("utf-8", "surrogatepass")
    return f"{note_id}:{blake2b(content, digest_size=6, key=str(occurrence).encode()).hexdigest()}"


@dataclass(frozen=True, slots=True, eq=False)
class _Letters:
    """Running sums over the body's characters, each of length characters + 1."""

    visible: NDArray[np.int32]
    code: NDArray[np.int32]
    code_lines: NDArray[np.int32]
    ideographs: NDArray[np.int32]
    words: NDArray[np.int32]

    @classmethod
    def of(cls, reading: Reading) -> "_Letters":
        codes = np.frombuffer(reading.body.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        inside = np.zeros(len(codes), dtype=bool)
        for block in walk(reading.outline.blocks):
            if block.kind in CODE:
                inside[block.start : block.end] = True
        visible = (codes > 0x20) & (codes != 0x3000) & (codes != 0xA0)
        ideographs = ((codes >= 0x3040) & (codes < 0xA000)) | ((codes >= 0xAC00) & (codes < 0xD7B0))
        ideographs |= ((codes >= 0xF900) & (codes < 0xFB00)) | ((codes >= 0x20000) & (codes < 0x32000))
        lower = codes | 0x20
        letters = (lower >= ord("a")) & (lower <= ord("z"))
        letters |= (codes >= 0xC0) & (codes < 0x2000)
        begins = letters.copy()
        begins[1:] &= ~letters[:-1]
        return cls(*map(_running, (visible, visible & inside, inside, ideographs & ~inside, begins & ~inside)))

    def has_code(self, start: int, end: int) -> bool:
        """Return whether the span has fenced or indented code; inline code doesn't count."""
        return bool(self.code_lines[end] > self.code_lines[start])

    def language(self, start: int, end: int) -> str:
        """Return 'code', 'zh', 'mixed' or 'en'.

        'code': more than half of the visible characters are in code blocks. Otherwise the share of
        ideographs among ideographs and words outside code blocks decides: 'zh' from 3/4 on, 'mixed'
        from 1/8 on, 'en' below and for every other script. Kana and Hangul count as ideographs.
        """
        visible = int(self.visible[end] - self.visible[start])
        if visible and 2 * int(self.code[end] - self.code[start]) > visible:
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
