"""Parse and tokenize notes, and cut them into spans of limited size.

Each note is parsed and tokenized once. Small blocks are joined, and large ones are cut at the best positions.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from core.base.blobs import LARGE, Span, blank_blobs, remove_blobs
from core.base.frozen import frozen
from core.base.text import LINE_END, text_end
from core.markdown.outline import Block, BlockKind, Outline, parse, plain_outline, walk
from core.markdown.parts import opens_diagram
from core.model import Note, Spans

# One boolean per token or character.
Flags = NDArray[np.bool_]
# Offsets in the text.
Places = NDArray[np.int64]


class Shortened:
    """Text in which each blob is replaced by a single space."""

    def __init__(self, text: str, blobs: Sequence[Span]) -> None:
        self.text = remove_blobs(text, blobs)
        spans = np.array(blobs, np.int64).reshape(-1, 2)
        # 0, followed by the number of characters removed up to the end of each blob.
        self._missing = np.cumsum([0, *(spans[:, 1] - spans[:, 0] - 1)], dtype=np.int64)
        # The offset just after each of the spaces.
        self._ends = spans[:, 1] - self._missing[1:]

    def offsets(self, places: NDArray[np.integer]) -> Places:
        """Convert offsets in this text to offsets in the original text."""
        return places + self._missing[np.searchsorted(self._ends, places, side="right")]


CODE = {"fence", "code"}


class Letters:
    """Counts of a body's code characters, ideographs and words, without blobs. `short` is the body without blobs."""

    def __init__(self, body: str, short: Shortened, blocks: Sequence[Block]) -> None:
        codes = np.frombuffer(short.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        seen = np.flatnonzero((codes > 0x20) & (codes != 0x3000) & (codes != 0xA0))
        codes = codes[seen]
        self._visible = short.offsets(seen)
        inside, written = np.zeros((2, len(codes)), dtype=bool)
        for block in walk(blocks):
            if block.kind in CODE:
                start, end = np.searchsorted(self._visible, (block.start, block.end))
                inside[start:end] = True
                written[start:end] = not opens_diagram(body[block.start : block.end])

        def within(*ranges: tuple[int, int]) -> Flags:
            return reduce(or_, ((codes >= start) & (codes < end) for start, end in ranges))

        ideographs = within((0x3040, 0xA000), (0xAC00, 0xD7B0), (0xF900, 0xFB00), (0x20000, 0x32000))
        letters = within((0x41, 0x5B), (0x61, 0x7B), (0xC0, 0x2000))
        begins = letters.copy()
        begins[1:] &= ~(letters[:-1] & (np.diff(self._visible) == 1))
        # Running counts over the visible characters. Each array has one more element than there are such characters.
        self._code, self._code_lines, self._ideographs, self._words = (
            np.cumsum(np.insert(flag, 0, False), dtype=np.int32)
            for flag in (inside, written, ideographs & ~inside, begins & ~inside)
        )

    def has_code(self, start: int, end: int) -> bool:
        """Return whether a span contains fenced or indented code. Inline code and diagrams don't count."""
        start, end = np.searchsorted(self._visible, (start, end))
        return bool(self._code_lines[end] > self._code_lines[start])

    def language(self, start: int, end: int) -> str:
        """Return a span's language: 'code', 'zh', 'mixed' or 'en'.

        The language is 'code' if more than half of the visible characters are in code blocks. Otherwise, it depends on
        the share of ideographs among the ideographs and words outside code blocks: 'zh' for at least 3/4, 'mixed' for
        at least 1/8, and otherwise 'en', whatever the script. Kana and Hangul count as ideographs.
        """
        start, end = np.searchsorted(self._visible, (start, end))
        if 2 * int(self._code[end] - self._code[start]) > end - start:
            return "code"
        ideographs = int(self._ideographs[end] - self._ideographs[start])
        share = ideographs / max(1, ideographs + int(self._words[end] - self._words[start]))
        if share >= 0.75:
            return "zh"
        return "mixed" if share >= 0.125 else "en"


# Function that returns the span of each token in the text, like an embedder's `tokens`.
Tokens = Callable[[str], Spans]


@dataclass(frozen=True, eq=False)
class TokenizedNote:
    """A note with its outline and tokens.

    `body` is the note's body with spaces in place of blobs. `blobs` are the large blobs, which no chunk contains.
    `starts` are the ascending offsets of the tokens in the body, and `letters` are the body's classified characters.
    """

    note: Note
    outline: Outline
    body: str
    blobs: Sequence[Span]
    starts: Places
    letters: Letters

    def count(self, start: int, end: int) -> int:
        """Return the number of tokens that start in `body[start:end]`."""
        # `starts` is an int64 array, because numpy would convert any other type on every call.
        first, last = np.searchsorted(self.starts, (start, end))
        return int(last - first)


def read(note: Note, tokens: Tokens, outline: Outline | None = None) -> TokenizedNote:
    """Parse and tokenize a note, each in one pass. If an `outline` is given, the note isn't parsed again.

    A plain note has an empty outline. Raises SourceError if the body is too large to parse.
    """
    outline = outline or (plain_outline(note.body) if note.plain else parse(note.body, note.path or note.title))
    large = [span for span in outline.blobs if span[1] - span[0] >= LARGE]
    short = Shortened(note.body, outline.blobs)
    spans = tokens(short.text) if short.text else np.empty((0, 2), np.int32)
    body = blank_blobs(note.body, outline.blobs)
    return TokenizedNote(note, outline, body, large, short.offsets(spans[:, 0]), Letters(body, short, outline.blocks))


# Cutting

SENTENCE_END = r"(?:[。！？；…][”’」』）》】\"')\]]*\s*|(?<!\b[A-Za-z])[.!?]+[\"'”’)\]*_]*\s+)"
_SPACES = re.compile(r"\s+")

# Each repetition is possessive or excludes its closing mark, so the search always takes linear time.
UNBREAKABLE = re.compile(
    r"""
      (?=[`!\[$%<h])(?:
      ``[^\r\n]*?``
    | `[^`\r\n]+`
    | !?\[\[[^\[\]\r\n]*\]\]
    | !?\[(?>[^\[\]\r\n]+|(?:\r\n|\n|\r)(?!\s*[\r\n])|\[[^\[\]\r\n]*\])*+\]
      (?:\((?:<[^<>\r\n]*>|(?>[^()\s]+|\([^()\s]*\))*+)(?:\s+(?:"[^"\r\n]*"|'[^'\r\n]*'))?\s*\)|\[[^\[\]\r\n]*\])
    | \$\$[^$]+\$\$
    | \$[^$\r\n]+\$
    | %%[^%\r\n]*%%
    | <[A-Za-z/!][^<>\r\n]*>
    | https?://[^\s<>]+
    )
    """,
    re.VERBOSE,
)
# Characters displayed as part of the preceding one: accents, vowel signs, joiners and emoji modifiers.
JOINED = (
    r"[\u0300-\u036f\u0591-\u05bd\u064b-\u0652\u0900-\u0903\u093a-\u094f\u200c\u200d\u20d0-\u20ff"
    r"\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)


def unbreakable(text: str, start: int, end: int) -> list[Span]:
    """Return the spans of links, code, math, comments and HTML tags inside a paragraph."""
    return [match.span() for match in UNBREAKABLE.finditer(text, start, end)]


def outside(points: Sequence[int], spans: Sequence[Span]) -> list[int]:
    """Return the points that lie outside all of the given sorted spans."""
    begins = [begin for begin, _ in spans]
    free = []
    for point in points:
        index = bisect_right(begins, point - 1) - 1
        if index < 0 or point >= spans[index][1]:
            free.append(point)
    return free


def is_joined(text: str, offset: int) -> bool:
    """Return whether a cut at `offset` would split a \\r\\n or a grapheme cluster."""
    if not 0 < offset < len(text):
        return False
    before = text[offset - 1]
    after = text[offset]
    return before == "\u200d" or (before == "\r" and after == "\n") or bool(re.match(JOINED, after))


def _ends(pattern: re.Pattern[str], text: str, start: int, end: int) -> list[int]:
    return [match.end() for match in pattern.finditer(text, start, end) if match.end() < end]


def _breakable_ends(pattern: re.Pattern[str], text: str, start: int, end: int) -> list[int]:
    """Return the ends of a pattern's matches, except for those inside links or code."""
    return outside(_ends(pattern, text, start, end), unbreakable(text, start, end))


# Return the starts of all lines except the first.
line_starts = partial(_ends, re.compile(LINE_END))
# Return the starts of lines after a blank line.
gap_ends = partial(_ends, re.compile(rf"{LINE_END}(?:[^\S\r\n]*{LINE_END})+"))
# Return the offsets at which whitespace ends, including whitespace within links and code.
space_ends = partial(_ends, _SPACES)
# Return the starts of sentences in Chinese and Latin scripts.
sentence_starts = partial(_breakable_ends, re.compile(SENTENCE_END))
# Return the offsets at which text continues after a comma, colon or semicolon.
clause_starts = partial(_breakable_ends, re.compile(r"[，、：；]\s*|[,;:]\s+"))
# Return the starts of words after whitespace.
word_starts = partial(_breakable_ends, _SPACES)
_BLANK = re.compile(r"\s*")


@frozen
class Slice:
    """A slice `body[start:end]`, in which `body[start:own]` overlaps with the previous slice."""

    start: int
    end: int
    own: int


@frozen
class Size:
    """Sizes in tokens. Slices are filled up to `target`, and blocks stay whole up to `limit`."""

    target: int
    limit: int


Finder = Callable[[str, int, int], list[int]]
# A function that finds cut points, and whether pieces between these cut points stay whole up to the limit.
Level = tuple[Finder, bool]

Levels = tuple[Level, ...]
PROSE: Levels = (
    (sentence_starts, False),
    (line_starts, False),
    (clause_starts, False),
    (word_starts, True),
    (space_ends, False),
)
_LINES: Levels = ((line_starts, True), *PROSE)
_PARAGRAPHS: Levels = ((gap_ends, False), *_LINES)
ROWS: dict[str, Levels] = {
    "fence": _PARAGRAPHS,
    "code": _PARAGRAPHS,
    "html": _PARAGRAPHS,
    "comment": _PARAGRAPHS,
    "math": _LINES,
    "table": _LINES,
}
_FIRST_LINE: Level = (lambda text, start, end: line_starts(text, start, end)[:1], True)


def pack(
    reading: TokenizedNote,
    blocks: Sequence[Block],
    start: int,
    end: int,
    size: Size,
    *,
    inside: BlockKind | None = None,
) -> list[Span]:
    """Return spans that cover `start` to `end`, each starting at a block.

    A span is filled with blocks up to the target. A block that is larger than the target stays whole, unless it is also
    larger than the limit. A heading, or the summary of a details element, is never the last of several blocks in a
    span. `inside` is the kind of block that contains these blocks.
    """
    spans = []
    opened = closable = start
    for index, block in enumerate(blocks):
        begin = start if index == 0 else block.start
        stop = blocks[index + 1].start if index + 1 < len(blocks) else end
        if opened < begin and reading.count(opened, stop) > size.target and closable > opened:
            spans.append((opened, closable))
            opened = closable
        if reading.count(opened, stop) > size.limit:
            # Headings, or the summary of a details element, may precede the block. They stay with its first part.
            spans += split(reading, block, opened, stop, size, item=inside == "item" and index == 0)
            opened = stop
        if block.kind != "heading" and (index > 0 or inside != "details"):
            closable = stop
    if opened < end:
        spans.append((opened, end))
    if len(spans) > 1 and 4 * reading.count(*spans[-1]) < size.target:
        before, tail = spans[-2:]
        if reading.count(before[0], tail[1]) <= size.limit:  # join a small last span with the one before
            spans[-2:] = [(before[0], tail[1])]
    return spans


def split(reading: TokenizedNote, block: Block, start: int, end: int, size: Size, *, item: bool = False) -> list[Span]:
    """Cut a block larger than the limit between its children, rows or sentences.

    Text between `start` and the block (a heading or summary) stays with the first piece. `item` means that the block is
    the first one in a list item, whose first line stays whole up to the limit.
    """
    lead = reading.count(block.start, block.start + len(block.lead)) if block.lead else 0
    if 2 * lead <= size.target:  # each piece repeats the lead
        size = Size(size.target - lead, size.limit - lead)
    if block.children:
        return pack(reading, block.children, start, end, size, inside=block.kind)
    above = [(start, block.start + 1)] if start < block.start else []
    if block.kind in ROWS:
        return cut(reading, start, end, ROWS[block.kind], size, above + solid_rows(reading.body, block))
    return cut(reading, start, end, (_FIRST_LINE, *PROSE) if item else PROSE, size, above)


def cut(
    reading: TokenizedNote, start: int, end: int, levels: Sequence[Level], size: Size, solid: Sequence[Span] = ()
) -> list[Span]:
    """Cut a span at the first level's cut points, and cut pieces that are still too large at the next level's.

    After the last level, pieces are cut between tokens. A `solid` span stays whole unless its piece exceeds the limit
    at a level that keeps pieces whole.
    """
    if reading.count(start, end) <= size.target:
        return [(start, end)]
    if not levels:
        return list(_between_tokens(reading, start, end, size.target))
    find, whole = levels[0]
    keep = size.limit if whole else size.target
    edges = np.array([start, *outside(find(reading.body, start, end), solid), end], dtype=np.int64)
    ranks = np.searchsorted(reading.starts, edges)
    spans = []
    first = 0
    while first + 1 < len(edges):
        reach = int(np.searchsorted(ranks, ranks[first] + size.target, side="right")) - 1
        following = max(reach, first + 1)
        piece = (int(edges[first]), int(edges[following]))
        if reach > first or ranks[first + 1] - ranks[first] <= keep:
            spans.append(piece)
        else:
            spans += cut(reading, *piece, levels[1:], size, () if whole else solid)
        first = following
    return join(reading, spans, size.target)


def join(reading: TokenizedNote, spans: Sequence[Span], target: int) -> list[Span]:
    """Join adjacent spans up to the target, because deeper levels often leave small pieces."""
    joined = list[Span]()
    for span in spans:
        if joined and reading.count(joined[-1][0], span[1]) <= target:
            joined[-1] = (joined[-1][0], span[1])
        else:
            joined.append(span)
    return joined


def trim(body: str, start: int, end: int) -> Span:
    """Strip leading blank lines and trailing whitespace from a span, but keep the first line's indentation."""
    end = text_end(body, start, end)
    blank = _BLANK.match(body, start, end)
    first = blank.end() if blank else start
    line = max(body.rfind("\n", start, first), body.rfind("\r", start, first)) + 1
    if line > start or start == 0 or body[start - 1] in "\r\n":
        return max(line, start), end
    return first, end


def solid_rows(body: str, block: Block) -> list[Span]:
    """Return the spans of lines that stay together in a block.

    These are a table's header and first row, and the first two and the last two lines of a fence or formula.
    """
    lines = [block.start, *line_starts(body, block.start, block.end), block.end]
    if block.kind == "table" and len(lines) > 3:
        return [(lines[0], lines[3])]
    if block.kind in ("fence", "math") and len(lines) > 4:
        return [(lines[0], lines[2]), (lines[-3], lines[-1])]
    return []


def _between_tokens(reading: TokenizedNote, start: int, end: int, target: int) -> Iterator[Span]:
    first, last = map(int, np.searchsorted(reading.starts, (start, end)))
    while last - first > target:
        ranks = range(first + target, first, -1)
        rank = next((rank for rank in ranks if not is_joined(reading.body, int(reading.starts[rank]))), first + target)
        point = int(reading.starts[rank])
        if point > start:
            yield start, point
        start = point
        first = rank
    yield start, end
