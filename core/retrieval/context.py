"""Context for a prompt. The hits' chunks and their neighbours are joined into one text within a token budget.

Text from notes, including titles and paths, is enclosed in NOTE_MARKS. Any such marks inside the text are escaped. A
number in brackets is therefore a citation only if it is outside the marks, whatever a note contains.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from itertools import chain
from typing import Self

from core.base.codec import assemble
from core.base.fences import open_fence
from core.base.flow import as_copied, flow
from core.base.frozen import Texts, frozen
from core.base.text import one_line
from core.chunking.reading import Tokens
from core.model import NOTE_MARKS, Chunk, Citation, Context, Hit, NoteSummary, Passage
from core.store import Store

# Passages: hits extended with the chunks around them.

# Maximum number of tokens per passage. Neighbours beyond the limit are left out.
MOST_TOKENS = 2000


def build_passage(store: Store, card: NoteSummary, chunk: Chunk, size: int, joined: Sequence[Chunk]) -> Passage:
    """Build a passage from a chunk, the `joined` chunks, and up to `size` neighbouring chunks on each side.

    The nearest neighbours are added first, up to `MOST_TOKENS` in total. Deleted chunks are skipped. Edited chunks
    contribute their edited text, and picture chunks the text read from the picture.
    """
    if not size and not joined:
        return Passage(card, chunk.start, chunk.end, chunk.text, chunk.fence)
    held = {item.index: item for item in (chunk, *joined)}
    left = MOST_TOKENS - sum(item.token_count for item in (chunk, *joined))
    ended = set()
    around = store.chunks.neighbours(card.id, chunk.index, size) if size else ()
    for item in sorted(around, key=lambda item: (abs(item.index - chunk.index), item.index)):
        after = item.index > chunk.index
        if item.index in held or after in ended:
            continue
        if item.token_count > left:
            ended.add(after)
            continue
        held[item.index] = item
        left -= item.token_count
    chunks = [held[index] for index in sorted(held)]
    start = min(chunk.start for chunk in chunks)
    end = max(chunk.end for chunk in chunks)
    body = store.notes.slice(card.id, start, end)
    gapless = chunks[-1].index - chunks[0].index == len(chunks) - 1
    if gapless and not any(chunk.edited or chunk.picture for chunk in chunks):
        return Passage(card, start, end, body, chunks[0].fence)
    text = ""
    reached = start
    apart = False
    for item in chunks:
        if item.start == item.end:
            text += _BREAK + item.text
            apart = True
            continue
        between = body[reached - start : max(0, item.start - start)]
        text += _BREAK if apart or between.strip() else between
        text += item.text[max(0, reached - item.start) :]
        reached = max(reached, item.end)
        apart = False
    return Passage(card, start, end, text.removeprefix(_BREAK), chunks[0].fence)


# The first character of a note mark, or of text that looks like one.
_BRACKET = re.compile(r"(?i)[<＜﹤](?=\W{0,9}[nｎ]\W{0,3}[oｏ]\W{0,3}[tｔ]\W{0,3}[eｅ])")
_BREAK = "\n\n"
# Maximum gap, in characters, between pieces that count as touching.
_BLANK = 100
# Minimum number of tokens to keep when cutting a neighbour to fit.
_LEAST = 16
_AFTER_HITS = 1 << 30
# A window slides over a chunk that exceeds the budget. This is the number of steps per window length.
_STEPS = 8


# Contexts, which join passages into one text for a prompt.


@frozen
class _Piece:
    """A slice of a note within one section, or the text of a chunk written or edited by the user."""

    note: NoteSummary
    chunk: Chunk
    start: int
    end: int
    text: str
    edited: bool
    page: int
    rank: int
    definitions: Texts
    # The opening line of the fence in which the text begins.
    fence: str

    def cut(self, start: int, end: int) -> Self:
        """Return the part of the piece between two offsets in the note. The part may be empty."""
        start = max(start, self.start)
        end = max(start, min(end, self.end))
        before = self.text[: start - self.start]
        text = self.text[len(before) : end - self.start]
        return replace(self, start=start, end=end, text=text, fence=open_fence(before, self.fence))

    def without(self, other: Self) -> Self:
        """Return the piece without its overlap with another piece, which must overlap on one side only."""
        if self.edited or other.edited or self.note.id != other.note.id or other.end <= self.start:
            return self
        return self.cut(other.end, self.end) if other.start <= self.start else self.cut(self.start, other.start)

    def block(self, number: int) -> str:
        section = self.chunk.section
        titles = section if section[:1] == (self.note.title,) else (self.note.title, *section)
        path = f" ({self.note.path})" if self.note.path else ""
        head = escape_marks(one_line(f"{' › '.join(titles)}{path}"))
        first, last = NOTE_MARKS
        flowing = as_copied(flow(self.text, paged=True, fence=self.fence)) if self.note.is_paged else self.text
        text = "\n".join((flowing.strip(), *self.definitions))
        return f"[{number}] {first} {head}\n{text}\n{last}"


_Pieces = list[_Piece]


@dataclass(eq=False)
class _Block:
    """A list of pieces that fit a token budget, in the order they were added. `_left` is the rest of the budget."""

    _tokens: Tokens
    _left: int
    pieces: _Pieces = field(default_factory=list)

    def rest(self, piece: _Piece) -> _Piece:
        """Return the part of a piece that isn't already in the block."""
        return reduce(_Piece.without, self.pieces, piece)

    def add(self, piece: _Piece) -> bool:
        """Add a piece if it fits, and return whether it was added."""
        cost = len(self._tokens(piece.block(len(self.pieces) + 1) + _BREAK))
        if cost > self._left:
            return False
        self._left -= cost
        self.pieces.append(piece)
        return True

    def add_neighbour(self, piece: _Piece, own: _Piece) -> bool:
        """Add a chunk's neighbour, cutting its far end if it doesn't fit. Return whether it fit without cutting."""
        if self.add(piece):
            return True
        if piece.edited or (room := self._room(piece)) < _LEAST:
            return False
        spans = self._tokens(piece.text)
        if piece.start >= own.start:
            self.add(piece.cut(piece.start, piece.start + int(spans[room - 1, 1])))
        else:
            self.add(piece.cut(piece.start + int(spans[-room, 0]), piece.end))
        return False

    def add_window(self, piece: _Piece, words: Sequence[str]) -> None:
        """Add the part of a piece that fits into the budget and contains the most of the given words."""
        room = self._room(piece)
        spans = self._tokens(piece.text)
        text = piece.text.casefold()
        places = [match.start() for word in words for match in re.finditer(f"(?={re.escape(word)})", text)]

        def held(first: int) -> int:
            start = spans[first, 0]
            end = spans[first + room - 1, 1]
            return sum(start <= at < end for at in places)

        if room > 0:
            firsts = range(0, len(spans) - room + 1, max(1, room // _STEPS))
            most = max(map(held, firsts))
            best = [first for first in firsts if held(first) == most]
            middle = best[len(best) // 2]
            start = int(spans[middle, 0])
            end = int(spans[middle + room - 1, 1])
            self.add(piece.cut(piece.start + start, piece.start + end))

    def _room(self, piece: _Piece) -> int:
        """Return the number of tokens left for a piece's text."""
        head = replace(piece, text="").block(len(self.pieces) + 1)
        # Tokenizing the parts separately may yield one more token than tokenizing the whole.
        return self._left - len(self._tokens(head + _BREAK)) - 1


def escape_marks(text: str) -> str:
    """Escape any note marks in text by replacing single characters, so that offsets stay valid."""
    return _BRACKET.sub("‹", text)


def build(store: Store, hits: Sequence[Hit], words: Sequence[str], tokens: Tokens, budget: int) -> Context:
    """Join the hits' chunks and their neighbours into one text, with numbered citations, best first.

    A hit's own chunk is added before its neighbours, and near neighbours before far ones. Neighbours that exceed the
    budget are cut at the far end. If the very first chunk exceeds the budget, it is cut to the window that contains the
    most of the question's `words`. Later hits whose chunk doesn't fit are left out. Touching pieces are joined in note
    order. Each section gets its own citation number.
    """
    block = _Block(tokens, budget)
    chunks_of = cache(store.chunks.for_note)
    left_out = 0
    for hit in hits:
        own, *near = _pieces(hit, chunks_of)
        rest = block.rest(own)
        if rest.text.strip() and not block.add(rest):
            if not block.pieces:
                block.add_window(rest, words)
            else:
                left_out += 1
            continue
        ended = set()  # the sides where a neighbour didn't fit
        for piece in map(block.rest, near):
            is_before = piece.start < own.start
            if piece.text.strip() and is_before not in ended and not block.add_neighbour(piece, own):
                ended.add(is_before)
    cited = [piece for run in _runs(block.pieces) for piece in _sections(store, run)]
    text = _BREAK.join(piece.block(number) for number, piece in enumerate(cited, 1))
    citations = (assemble(Citation, piece, piece.chunk, number=number) for number, piece in enumerate(cited, 1))
    return Context(text, tuple(citations), len(tokens(text)), budget, left_out)


def _pieces(hit: Hit, chunks_of: Callable[[str], Sequence[Chunk]]) -> _Pieces:
    """Return a hit's chunk, followed by the other chunks in its passage, nearest first.

    The other chunks get a rank below all hits.
    """
    near = [
        chunk
        for chunk in chunks_of(hit.note.id)
        if chunk.id != hit.chunk.id
        and chunk.state != "deleted"
        and hit.passage.start <= chunk.start
        and chunk.end <= hit.passage.end
    ]
    near.sort(key=lambda chunk: abs(chunk.index - hit.chunk.index))
    return [
        _Piece(
            hit.note,
            chunk,
            chunk.start,
            chunk.end,
            escape_marks(chunk.text),
            len(chunk.text) != chunk.end - chunk.start,
            page,
            rank,
            tuple(map(escape_marks, chunk.definitions)),
            chunk.fence,
        )
        for chunk, page, rank in (
            (hit.chunk, hit.page, hit.rank),
            *((chunk, chunk.page, _AFTER_HITS) for chunk in near),
        )
    ]


def _runs(pieces: Sequence[_Piece]) -> list[_Pieces]:
    """Group touching pieces. Groups are ordered by their best piece, and pieces within a group by position."""
    runs: list[_Pieces] = []
    for piece in pieces:
        near = [
            run
            for run in runs
            if run[0].note.id == piece.note.id
            and any(max(piece.start, other.start) - min(piece.end, other.end) <= _BLANK for other in run)
        ]
        place = runs.index(near[0]) if near else len(runs)
        runs = [run for run in runs if run not in near]
        runs.insert(place, sorted([piece, *chain(*near)], key=lambda item: item.start))
    return runs


def _sections(store: Store, run: Sequence[_Piece]) -> _Pieces:
    """Join a group's adjacent pieces that belong to the same section."""
    joined: _Pieces = []
    for piece in run:
        last = joined[-1] if joined else None
        if (
            last
            and last.chunk.section == piece.chunk.section
            and not (last.edited or piece.edited)
            and last.end <= piece.start
        ):
            between = store.notes.slice(piece.note.id, last.end, piece.start)
            if not between.strip():
                joined[-1] = replace(
                    min(last, piece, key=lambda item: item.rank),
                    start=last.start,
                    end=piece.end,
                    text=last.text + between + piece.text,
                    fence=last.fence,
                    definitions=tuple(dict.fromkeys((*last.definitions, *piece.definitions))),
                )
                continue
        joined.append(piece)
    return joined
