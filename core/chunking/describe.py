"""Turn slices into chunks with sections, languages, sizes and ids. All strategies use this module."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain, islice, takewhile
from typing import NamedTuple

from core.base.blobs import remove_blobs
from core.base.frozen import Texts
from core.base.text import UNSPACED, WORD, line_starts
from core.chunking.reading import CODE, Slice, TokenizedNote, trim
from core.markdown.outline import Block, Heading, walk
from core.model import Chunk, ChunkKind, Profile

# Deepest heading level that always starts a section. Deeper headings only do so in oversized sections.
SECTION_LEVEL = 3
# A section with at least this many words or Chinese characters counts as too large to join with the next one.
#
# By default, sections of fewer than 32 tokens are joined.
_SHORT = 48
_UNIT = re.compile(rf"[{UNSPACED}]|{WORD}")


class SectionFields(NamedTuple):
    """The fields that describe a chunk's sections."""

    section_title: str
    parent_sections: Texts
    hierarchy_level: int
    sections: Texts
    breadcrumb: Texts


class Sections:
    """A body's sections. Headings nested in quotes or lists don't start sections."""

    def __init__(self, body: str, headings: Sequence[Heading]) -> None:
        self._body = body
        self._headings = [heading for heading in headings if not heading.nested]
        self._starts = [heading.start for heading in self._headings]
        # The headings above each section, outermost first.
        self._chains: list[tuple[Heading, ...]] = [()]
        for heading in self._headings:
            above = takewhile(lambda outer, level=heading.level: outer.level < level, self._chains[-1])  # type: ignore[misc]
            self._chains.append((*above, heading))

    def for_slice(self, start: int, end: int, kind: ChunkKind) -> SectionFields:
        """Return the fields that describe a slice's sections.

        The main section is the first one with text in the slice. However, if a section that starts in the slice
        contains all sections with text in the slice, that section is the main one. For a `kind` of chunk that joins
        sections, a first section with only a few words isn't the main one. The breadcrumb leads to the section in which
        the slice starts.
        """
        chains = self._chains
        first = bisect_right(self._starts, start)
        numbers = range(first, max(first, bisect_left(self._starts, end)) + 1)
        words = {}
        for number in numbers:
            begin = max(start, self._headings[number - 1].end) if number else start
            stop = min(end, self._starts[number]) if number < len(self._starts) else end
            words[number] = sum(1 for _ in islice(_UNIT.finditer(self._body, begin, max(begin, stop)), _SHORT))
        with_words = [number for number in numbers if words[number]] or [*numbers]
        main = before = 0
        deepest = max([SECTION_LEVEL, *(heading.level for heading in chains[first])])
        while main + 1 < len(with_words) and chains[with_words[main + 1]][-1].level <= deepest:
            if (before := before + words[with_words[main]]) >= (_SHORT if kind == "markdown_section" else 0):
                break
            main += 1
        # Sections are in reading order, so a section that contains the first and the last contains those in between.
        own = chains[with_words[main]]
        around = [heading for heading, other in zip(own, chains[with_words[-1]], strict=False) if heading == other]
        chain = tuple(around) if around and around[-1].start >= start else own
        return SectionFields(
            chain[-1].title if chain else "",
            _titles(chain[:-1]),
            chain[-1].level if chain else 0,
            tuple(dict.fromkeys(title for number in numbers for title in _titles(chains[number][-1:]))),
            _titles(chains[first]),
        )


_DEFINED = re.compile(r"(?m)^[ \t>]*(\[[^\[\]\n]{1,200}\]):[ \t]+(\S.*(?:\n+(?:[ ]{2}|\t).*\S)*)")
_REFERENCE = re.compile(r"\[[^\[\]\n]{1,200}\]")


def _lead(reading: TokenizedNote, definitions: Mapping[str, re.Match[str]], piece: Slice) -> str:
    """Return the link definitions that a slice uses but doesn't contain, and the lead of the slice's first block."""
    labels = dict.fromkeys(_REFERENCE.findall(reading.body, piece.start, piece.end) if definitions else ())
    # A chunk gets at most 8 definitions, each with at most 250 characters.
    lines = [
        f"{label}: {' '.join(match[2].split())}"[:250]
        for label in labels
        if (match := definitions.get(label.casefold())) and not piece.start <= match.start() < piece.end
    ]
    return "\n".join([*lines[:8], remove_blobs(lead_at(reading.outline.blocks, piece.start))]).rstrip("\n")


def _titles(chain: Sequence[Heading]) -> Texts:
    return tuple(heading.title for heading in chain if heading.title)


_WORD = re.compile(r"\w")


def chunks(reading: TokenizedNote, slices: Sequence[Slice], kind: ChunkKind) -> list[Chunk]:
    """Return the chunks for slices, which must be trimmed and in order.

    A chunk's section is the section of its own text, without the overlap with the previous chunk. The chunk's id
    depends only on the note's id, the chunk's text, and how often the note contains the same text before it, so edits
    elsewhere in the note don't change the id. Large blobs are left out. A note that contains nothing else gets one
    chunk without text, so that its title can be found.
    """
    note = reading.note
    if reading.blobs:
        slices = [part for piece in slices for part in _without_blobs(reading, piece)]
    if not slices and note.body.strip() and not note.plain:
        slices = [Slice(0, 0, 0)]
    sections = Sections(reading.body, reading.outline.headings)
    defined = [] if note.plain else [*_DEFINED.finditer(reading.body)]
    definitions = {match[1].casefold(): match for match in reversed(defined)}  # the first definition of a label wins
    letters = reading.letters
    lines = line_starts(reading.body) if note.plain else []
    seen = Counter[str]()
    described = []
    for index, piece in enumerate(slices):
        start = piece.start
        end = piece.end
        text = note.body[start:end]
        described.append(
            Chunk(
                id=chunk_id(note.id, text, seen[text]),
                note_id=note.id,
                index=index,
                total=len(slices),
                start=start,
                end=end,
                text=text,
                kind=kind,
                has_code=letters.has_code(start, end),
                language=letters.language(start, end),
                token_count=reading.count(start, end),
                overlap_tokens=reading.count(start, piece.own),
                lead=_lead(reading, definitions, piece),
                line=bisect_right(lines, start),
                **sections.for_slice(piece.own, end, kind)._asdict(),
            )
        )
        seen[text] += 1
    return described


def _without_blobs(reading: TokenizedNote, piece: Slice) -> Iterator[Slice]:
    """Yield the parts of a slice that are outside large blobs, if they have any words beyond the overlap."""
    first = bisect_right(reading.blobs, piece.start, key=lambda blob: blob[1])
    inside = list(takewhile(lambda blob: blob[0] < piece.end, islice(reading.blobs, first, None)))
    edges = [piece.start, *chain.from_iterable(inside), piece.end]
    if not inside:
        yield piece
        return
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        start, end = trim(reading.body, start, end) if start < end else (start, start)
        if end > piece.own and _WORD.search(reading.body, start, end):
            yield Slice(start, end, max(start, piece.own))


def profile(reading: TokenizedNote) -> Profile:
    """Return a note's size, headings, shares of code and tables, and language.

    Headings in quotes and lists don't count.
    """
    characters = len(reading.body)
    levels = Counter(heading.level for heading in reading.outline.headings if not heading.nested)
    shares = Counter[str]()
    for block in walk(reading.outline.blocks):
        shares[block.kind] += block.end - block.start
    return Profile(
        characters=characters,
        tokens=len(reading.starts),
        headings=(levels[1], levels[2], levels[3], levels[4], levels[5], levels[6]),
        code_share=sum(shares[kind] for kind in CODE) / max(1, characters),
        table_share=shares["table"] / max(1, characters),
        language=reading.letters.language(0, characters),
    )


def lead_at(blocks: Sequence[Block], offset: int) -> str:
    """Return the lead of the innermost block around an offset, such as a table's header.

    A chunk starting at the offset repeats the lead.
    """
    lead = ""
    while blocks:
        block = blocks[max(0, bisect_right(blocks, offset, key=lambda block: block.start) - 1)]
        if not block.start < offset < block.end:
            break
        lead = block.lead or lead
        blocks = block.children
    return lead


def chunk_id(note_id: str, text: str, occurrence: int) -> str:
    """Return a chunk's id. `occurrence` is the number of earlier chunks in the note with the same text."""
    content = text.encode("utf-8", "surrogatepass")
    return f"{note_id}:{blake2b(content, digest_size=6, key=str(occurrence).encode()).hexdigest()}"
