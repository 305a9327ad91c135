"""The chunking strategies, one of which chooses among the others, and checks of their options."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate, pairwise
from operator import attrgetter

import numpy as np

from core.base.blobs import Span
from core.base.errors import ConfigError
from core.base.messages import Message, message, plural
from core.base.text import with_newlines
from core.chunking import describe
from core.chunking.describe import SECTION_LEVEL
from core.chunking.reading import (
    JOINED,
    PROSE,
    ROWS,
    Flags,
    Size,
    Slice,
    TokenizedNote,
    cut,
    is_joined,
    join,
    line_starts,
    pack,
    sentence_starts,
    solid_rows,
    trim,
    unbreakable,
    word_starts,
)
from core.markdown.outline import Block, walk
from core.model import SETTINGS, Chunk, ChunkingOptions, Cut, Profile

_START = attrgetter("start")


def check_positive(name: str, options: ChunkingOptions) -> int:
    """Return an option's value, or raise ConfigError if it is less than 1."""
    value: int = getattr(options, name)
    if value < 1:
        raise ConfigError(
            "'{setting}' ({name}) is {value} but must be at least 1.", setting=SETTINGS[name], name=name, value=value
        )
    return value


def check_size(options: ChunkingOptions) -> Size:
    """Return the sizes, or raise ConfigError if the chunk size isn't from 1 to `max_single_chunk_size`."""
    size = options.chunk_size
    limit = check_positive("max_single_chunk_size", options)
    if not 1 <= size <= limit:
        raise ConfigError(
            "The chunk size (chunk_size) is {value} but must be between 1 and {most}, the size of the largest chunk "
            "(max_single_chunk_size).",
            value=size,
            most=limit,
        )
    return Size(size, limit)


def _slices(body: str, spans: Iterable[Span]) -> list[Slice]:
    """Return the spans as trimmed slices without overlap, leaving out blank ones."""
    return [Slice(start, end, start) for start, end in (trim(body, *span) for span in spans) if start < end]


class NoChunking:
    """Keeps a note in one piece, whatever its size. The embedder divides long chunks into windows."""

    def __init__(self, _: ChunkingOptions) -> None: ...

    @staticmethod
    def cut(reading: TokenizedNote) -> list[Chunk]:
        return describe.chunks(reading, _slices(reading.body, [(0, len(reading.body))]), "full_document")


class LineChunker:
    """Turns every line into a chunk, except for blank lines and, in Markdown, repeated lines.

    Lines are compared without surrounding whitespace. A line of more than `max_single_chunk_size` tokens is cut between
    sentences, then between words.
    """

    def __init__(self, options: ChunkingOptions) -> None:
        self._limit = check_positive("max_single_chunk_size", options)

    def cut(self, reading: TokenizedNote) -> list[Chunk]:
        body = reading.body
        size = Size(self._limit, self._limit)
        seen = set()
        spans = []
        for begin, stop in pairwise([0, *line_starts(body, 0, len(body)), len(body)]):
            line = body[begin:stop].strip()
            if not line or (line in seen and not reading.note.plain):
                continue
            seen.add(line)
            spans += cut(reading, begin, stop, PROSE, size)
        return describe.chunks(reading, _slices(body, spans), "line")


# A section's start, end and level. A section is a heading and the text up to the next heading.
#
# The text before the first heading is a section of level 0.
_HeadingSection = tuple[int, int, int]


class MarkdownAware:
    """Turns every section of level 1 to 3 into a chunk, without its subsections and without overlap.

    A section of more than `max_single_chunk_size` tokens (the limit) is cut at its deeper headings, level by level, and
    then between its blocks into parts of `chunk_size`. A block larger than the limit is cut between its list items,
    rows or sentences.

    A section of fewer than `chunk_size // 16` tokens, including its heading, is joined with the next section if the
    next section isn't of a higher level and both fit the limit together. A heading without text is always joined, even
    if the joined section then has to be cut. The joined section has the level of the first section, but its chunk
    belongs to the last section. Text before the first heading is never joined.
    """

    def __init__(self, options: ChunkingOptions) -> None:
        self._size = check_size(options)

    def cut(self, reading: TokenizedNote) -> list[Chunk]:
        spans = _SectionCutter(reading, self._size).spans((0, len(reading.body), 0), SECTION_LEVEL)
        return describe.chunks(reading, _slices(reading.body, spans), "markdown_section")


class _SectionCutter:
    def __init__(self, reading: TokenizedNote, size: Size) -> None:
        self._reading = reading
        self._size = size
        self._headings = [heading for heading in reading.outline.headings if not heading.nested]

    def spans(self, section: _HeadingSection, level: int) -> list[Span]:
        """Cut a section at headings of `level` or above. Parts still over the limit are cut at deeper headings."""
        start, end, outer = section
        first, last = (bisect_left(self._headings, edge, key=_START) for edge in (start, end))
        edges = [(heading.start, heading.level) for heading in self._headings[first:last] if heading.level <= level]
        if not edges or edges[0][0] > start:
            edges.insert(0, (start, outer))
        parts = list[_HeadingSection]()
        for (begin, own), stop in zip(edges, [*(begin for begin, _ in edges[1:]), end], strict=True):
            if parts and 0 < parts[-1][2] <= own and self._is_joined(parts[-1], stop):
                parts[-1] = (parts[-1][0], stop, parts[-1][2])
            else:
                parts.append((begin, stop, own))
        spans = []
        for part in parts:
            begin, stop, _ = part
            if self._reading.count(begin, stop) <= self._size.limit:
                spans.append((begin, stop))
            elif level < 6:
                spans += self.spans(part, level + 1)
            else:
                spans += pack(self._reading, self._blocks(begin, stop), begin, stop, self._size)
        return spans

    def _is_joined(self, before: _HeadingSection, stop: int) -> bool:
        """Return whether a section is joined with the next one, which ends at `stop`."""
        start, end, _ = before
        return all(block.kind == "heading" for block in self._blocks(start, end)) or (
            self._reading.count(start, end) < self._size.target // 16
            and self._reading.count(start, stop) <= self._size.limit
        )

    def _blocks(self, start: int, end: int) -> tuple[Block, ...]:
        blocks = self._reading.outline.blocks
        first, last = (bisect_left(blocks, edge, key=_START) for edge in (start, end))
        return blocks[first:last]


class RecursiveCharacter:
    """Cuts a note between paragraphs or, if they are too long, between lines, sentences, words or tokens.

    A chunk has up to `chunk_size` tokens. Up to `chunk_overlap` of them repeat the end of the previous chunk. The
    overlap starts at a sentence if it can still have at least half of `chunk_overlap`. Otherwise, it starts at a word.
    Code, tables, math, HTML and links stay whole up to `max_single_chunk_size` tokens and don't overlap. Anything
    larger is cut between rows. A heading stays with the text below it.
    """

    def __init__(self, options: ChunkingOptions) -> None:
        self._size = check_size(options)
        self._overlap = options.chunk_overlap
        if not 0 <= self._overlap < self._size.target:
            raise ConfigError(
                "The overlap (chunk_overlap) is {value} but must be between 0 and {most}, so that it stays below "
                "the chunk size (chunk_size).",
                value=self._overlap,
                most=self._size.target - 1,
            )

    def cut(self, reading: TokenizedNote) -> list[Chunk]:
        size = Size(self._size.target - self._overlap, self._size.limit)
        solid = _solid_flags(reading, size)
        if len(reading.starts) <= self._size.target:
            spans = [(0, len(reading.body))]
        else:
            spans = _separate(reading, solid, size.target)
            spans = _bound(reading, _with_headings(reading, spans), solid, size)
        slices = list[Slice]()
        for start, end in (trim(reading.body, *span) for span in spans):
            if start == end:
                continue
            shared = start
            if slices and self._overlap and not describe.lead_at(reading.outline.blocks, start):
                room = min(self._overlap, self._size.limit - reading.count(start, end))
                shared = _overlap_start(reading, slices[-1], start, room, solid)
            slices.append(Slice(trim(reading.body, shared, end)[0], end, start))
        return describe.chunks(reading, slices, "recursive_character")


def _separate(reading: TokenizedNote, mask: Flags, target: int) -> list[Span]:
    """Cut the body into contiguous spans, using langchain's splitter.

    The splitter gets a copy of the body with a mark before every token, and its length function counts the marks. Text
    that must stay whole is replaced with filler that no separator matches. The pieces add up to the copy, so their
    lengths without the marks give the offsets in the body.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    codes = np.frombuffer(with_newlines(reading.body).encode("utf-32-le", "surrogatepass"), dtype="<u4").copy()
    used = set(reading.body)
    unused = (code for code in range(0xE000, 0x110000) if chr(code) not in used)
    mark = next(unused)
    filler = next(unused)
    codes[mask] = filler
    marked = np.insert(codes, reading.starts, mark).tobytes().decode("utf-32-le", "surrogatepass")
    sign = chr(mark)

    class Splitter(RecursiveCharacterTextSplitter):  # type: ignore[misc]
        def _split_text(self, text: str, separators: list[str]) -> list[str]:
            separator = next((item for item in separators if re.search(item, text)), separators[-1])
            # Split part by part. langchain keeps all pieces in memory, and tiny ones take 200 bytes each.
            return [
                piece
                for part in re.findall(rf"(?s:.{{1,300000}}(?:.*?(?:{separator})|.*))", text)
                for piece in super(Splitter, self)._split_text(part, separators)
            ]

    splitter = Splitter(
        separators=_separators(sign, chr(filler), max(1, target // 8)),
        is_separator_regex=True,
        keep_separator="end",
        strip_whitespace=False,
        chunk_size=target,
        chunk_overlap=0,
        # Every piece counts as at least 1. Otherwise, thousands of pieces that contain no token could end up in one
        # chunk, which would take langchain quadratic time.
        length_function=lambda text: max(1, text.count(sign)) if text else 0,
    )
    lengths = (len(piece) - piece.count(sign) for piece in splitter.split_text(marked))
    return list(pairwise(accumulate(lengths, initial=0)))


def _separators(mark: str, filler: str, run: int) -> list[str]:
    """Return the separator patterns, best first. A piece may end where a pattern's match ends.

    The last pattern matches up to `run` tokens. Any character may be preceded by a mark.
    """
    closing = rf"(?:{mark}*[”’」』）》】\"'\)\]])*"
    blank = rf"[{mark} \t\u3000\xa0]"
    return [
        rf"\n(?:{blank}*\n)+",
        r"\n",
        rf"[。！？；…]{closing}",
        rf"[.!?]{closing}{blank}*[ \t]",
        r"[，、：]",
        rf"[ \t\u3000\xa0]+(?:{mark}+[ \t\u3000\xa0]+)*",
        # Match several tokens at once, because text with no other separator may have millions of them.
        rf"(?:{mark}+[^{mark}{filler}]++){{1,{run}}}(?<!\u200d)(?!{mark}*{JOINED})",
    ]


def _solid_flags(reading: TokenizedNote, size: Size) -> Flags:
    """Flag the characters that stay together in blocks, rows, first lines of list items, and links."""
    body = reading.body
    limit = size.limit
    flags = np.zeros(len(body), dtype=bool)
    is_below = False
    ends = [len(body) + 1]

    def flag(start: int, end: int, most: int, counted: int | None = None) -> bool:
        """Flag a span unless it exceeds `most` tokens, counting from `counted`. Return whether it was flagged."""
        fits = reading.count(start if counted is None else counted, end) <= most
        flags[start:end] |= fits
        return fits

    for block in walk(reading.outline.blocks):
        start = block.start
        end = block.end
        while ends[-1] <= start:  # a heading at the end of a quote isn't one of the block below the quote
            ends.pop()
            is_below = False
        if block.children:
            ends.append(end)
        # Headings before a block must fit into the block's first chunk.
        if not is_below:
            titled = start
        is_below = block.kind == "heading"
        if block.kind == "details" and flag(start, end, limit, titled):
            continue
        if block.kind in ROWS:
            if not flag(start, end, limit, titled):
                for first, last in [*pairwise([start, *line_starts(body, start, end), end]), *solid_rows(body, block)]:
                    flag(first, first + len(body[first:last].rstrip()), limit)
        elif not block.children:
            for span in unbreakable(body, start, end):
                flag(*span, limit)
            if is_below:
                flag(start, end, size.target)
        elif block.kind == "item":
            line = [*line_starts(body, start, end), end][0]
            flag(start, start + len(body[start:line].rstrip()), limit)
    return flags


def _with_headings(reading: TokenizedNote, spans: list[Span]) -> list[Span]:
    """Move headings at the end of a span to the next span, which contains the text below them."""
    blocks = reading.outline.blocks
    edges = [0]
    for _, end in spans[:-1]:
        index = bisect_left(blocks, end, key=_START) - 1
        while index >= 0 and blocks[index].kind == "heading" and blocks[index].start >= edges[-1]:
            end = blocks[index].start
            index -= 1
        edges.append(end)
    edges.append(len(reading.body))
    return [(start, end) for start, end in pairwise(edges) if start < end]


def _bound(reading: TokenizedNote, spans: list[Span], solid: Flags, size: Size) -> list[Span]:
    """Join the small pieces that langchain leaves next to cuts, and cut spans larger than the limit."""

    def lines(text: str, start: int, end: int) -> list[int]:
        return [at for at in line_starts(text, start, end) if not (solid[at - 1] and solid[at])]

    def edges(_: str, start: int, end: int) -> list[int]:
        return [int(at) + start + 1 for at in np.flatnonzero(solid[start : end - 1] != solid[start + 1 : end])]

    bounded = []
    for span in join(reading, spans, size.target):
        if reading.count(*span) <= size.limit:
            bounded.append(span)
        else:
            bounded += cut(reading, *span, ((lines, True), (edges, True), *PROSE), size)
    return bounded


def _overlap_start(reading: TokenizedNote, before: Slice, start: int, room: int, solid: Flags) -> int:
    """Return the start of the overlap with the previous chunk, or `start` if there is no overlap."""
    rank = int(np.searchsorted(reading.starts, start))
    if room <= 0 or rank == 0:
        return start
    body = reading.body
    first = max(before.own, int(reading.starts[max(0, rank - room)]))
    sentences = {*line_starts(body, first, start), *sentence_starts(body, first, start)}
    if first == before.own:
        sentences.add(first)
    for points in (sorted(sentences), word_starts(body, max(before.own, first - 1), start), [first]):
        point = next((at for at in points if at > before.start and not (solid[at] and solid[at - 1])), start)
        if 2 * reading.count(point, start) >= room and not is_joined(body, point):
            return point
    return start


# Choosing a strategy by the note's profile, and checking the result

# If a single chunk has at least this share of a note's tokens, the note counts as uncut.
NEARLY_ALL = 0.9


class Adaptive:
    """Leaves short notes whole, cuts notes with headings by section, and cuts any other notes by size.

    A result with at least four chunks is rejected if more than half of them have fewer than `chunk_size // 16` tokens.
    Any result is rejected if one chunk has nine tenths of a note that is larger than `chunk_size`. The next strategy is
    then tried, if there is one.
    """

    def __init__(self, options: ChunkingOptions) -> None:
        self._options = options
        self._threshold = check_positive("short_doc_threshold", options)
        self._headings = check_positive("min_headings_for_md_aware", options)
        self._recursive = RecursiveCharacter(options)

    def cut(self, reading: TokenizedNote) -> list[Chunk]:
        return list(self.explain(reading).chunks)

    def explain(self, reading: TokenizedNote) -> Cut:
        """Cut a note. The reason for the chosen strategy comes first, then the reasons against the others."""
        profile = describe.profile(reading)
        tokens = plural("{n} token", "{n} tokens", n=profile.tokens)
        if profile.tokens < self._threshold:
            needless = message("Not needed because the note is short.")
            return _cut(
                NoChunking.cut(reading),
                profile,
                none=message(
                    "The note has {tokens}, fewer than {limit}, so it stays whole.",
                    tokens=tokens,
                    limit=self._threshold,
                ),
                markdown=needless,
                recursive=needless,
            )
        long = message(
            "The note has {tokens}, and only notes with fewer than {limit} stay whole.",
            tokens=tokens,
            limit=self._threshold,
        )
        chunks, markdown = self._by_headings(reading, profile)
        if chunks:
            return _cut(
                chunks,
                profile,
                markdown=markdown,
                none=long,
                recursive=message("Not needed because the note's own sections are better places to split."),
            )
        chunks = self._recursive.cut(reading)
        flaw = self._flaw(chunks, profile)
        recursive = message("The note is too long to stay whole, and its headings don't divide it well.")
        if flaw:
            recursive = message(
                (
                    "The note is too long to stay whole, and its headings don't divide it well. This "
                    "split has a flaw too ({flaw}), but there is no other strategy left to try."
                ),
                flaw=flaw,
            )
        return _cut(chunks, profile, recursive=recursive, none=long, markdown=markdown)

    def _by_headings(self, reading: TokenizedNote, profile: Profile) -> tuple[list[Chunk], Message]:
        """Cut a note by its headings. Return the chunks and the reason.

        The chunks are [] if the note has too few headings or the result is rejected.
        """
        sections = profile.headings[1] + profile.headings[2]
        headings = plural("{n} heading (## or ###)", "{n} headings (## or ###)", n=sections)
        if sections < self._headings:
            return [], message(
                "The note has {headings} but needs at least {least} to be split by headings.",
                headings=headings,
                least=self._headings,
            )
        chunks = MarkdownAware(self._options).cut(reading)
        if flaw := self._flaw(chunks, profile):
            return [], message("Tried because the note has {headings}, but {flaw}.", headings=headings, flaw=flaw)
        return chunks, message(
            "The note has {headings}, enough to split it by headings (at least {least}).",
            headings=headings,
            least=self._headings,
        )

    def _flaw(self, chunks: list[Chunk], profile: Profile) -> Message | None:
        sizes = [chunk.token_count - chunk.overlap_tokens for chunk in chunks]
        few = self._options.chunk_size // 16
        tiny = sum(size < few for size in sizes)
        if len(sizes) >= 4 and 2 * tiny > len(sizes):
            return message(
                "{tiny} of its {chunks} chunks would have fewer than {few} tokens",
                tiny=tiny,
                chunks=len(sizes),
                few=few,
            )
        largest = max(sizes, default=0)
        if profile.tokens > self._options.chunk_size and largest >= NEARLY_ALL * profile.tokens:
            return message(
                "one chunk would have {largest} of the note's {tokens} tokens", largest=largest, tokens=profile.tokens
            )
        return None


def _cut(chunks: list[Chunk], profile: Profile, **reasons: Message) -> Cut:
    """Return the chunks and the reasons for or against each strategy as a Cut. The first strategy is the chosen one."""
    return Cut(
        tuple(chunks),
        next(iter(reasons)),
        profile,
        tuple(message("{strategy}: {reason}", strategy=strategy, reason=text) for strategy, text in reasons.items()),
    )
