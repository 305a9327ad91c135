"""Where right passages stand in their notes, and where they are once a note was edited.

A right passage is a span of a note, so it holds however the note is cut.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

from core.anchors import Span, places
from core.errors import NoteNotFound, QuestionSetError
from core.evaluation.problems import Problems
from core.model import Edit, Gold, GoldSpan, KnowledgeBase, Note, Question, QuestionSet
from core.store import Store

_SOME_TIME = datetime.min.replace(tzinfo=UTC)
_WORD, _WHITE = re.compile(r"\S+"), re.compile(r"\s+")
_WITHIN_WORD = re.compile(r"[0-9A-Za-z]{2}")


def gold_at(note: Note, start: int, end: int) -> GoldSpan:
    """Return a piece of a note's body as a right passage, without the white space around it.

    Raises QuestionSetError for a span that leaves the body or is blank.
    """
    name = note.path or note.title
    if not 0 <= start < end <= len(note.body):
        reason = f"the note has {len(note.body)} characters, none from {start} to {end}. Search again."
        raise QuestionSetError(name, 0, reason)
    quote = note.body[start:end].strip()
    if not quote:
        raise QuestionSetError(name, 0, "this passage is blank. Choose one with text.")
    start = note.body.index(quote, start)
    return GoldSpan(name, quote, start, start + len(quote), note.id)


def narrowed(note: Note, gold: GoldSpan, quote: str) -> GoldSpan:
    """Return a part of a right passage as one; raises QuestionSetError for what doesn't stand in it, or twice."""
    place = only_place(note.body[gold.start : gold.end], quote.strip()) if quote.strip() else None
    if place is None:
        reason = "this text isn't in the passage, or is more than once. Leave a part of the passage as it stands."
        raise QuestionSetError(gold.path, 0, reason)
    return gold_at(note, gold.start + place[0], gold.start + place[1])


def follow(golds: Sequence[GoldSpan], note: Note) -> list[GoldSpan]:
    """Return right passages where they are in a note's body now, flagged where they are nowhere.

    Of several places with the quote it is the one nearest to where it was. A quote whose white space
    changed becomes what stands there.
    """
    text = _Text(note.body)
    now = []
    for gold in golds:
        gold = replace(gold, note_id=note.id, path=note.path or note.title)
        span = text.nearest(gold)
        if span is None:
            now.append(replace(gold, flagged=True))
        else:
            quote = note.body[span[0] : span[1]]
            now.append(replace(gold, quote=quote, start=span[0], end=span[1], flagged=False))
    return now


def only_place(body: str, quote: str) -> Span | None:
    """Return where a quote stands in a body, whatever its white space, None where that isn't one place."""
    found = _Text(body).first_two(quote)
    return found[0] if len(found) == 1 else None


def resolve(store: Store, kept: QuestionSet) -> list[Question]:
    """Return a set's questions with their right passages where they are now, and store those places.

    Those of a note that is gone are flagged, unless one other note of the base has its path now. A store
    that is open for reading only is left as it is.
    """
    by_note: dict[str, list[tuple[tuple[int, int], GoldSpan]]] = {}
    for key, gold in store.questions.golds(kept).items():
        by_note.setdefault(gold.note_id, []).append((key, gold))
    named = store.questions.note_ids(kept.base_id)
    there = {note_id for ids in named.values() for note_id in ids}
    moves = []
    for note_id, found in by_note.items():
        ids = [note_id] if note_id in there else named.get(found[-1][1].path, [])
        note = _note(store, ids[0]) if len(ids) == 1 else None
        golds = [gold for _, gold in found]
        now = follow(golds, note) if note else [replace(gold, flagged=True) for gold in golds]
        moves += [(key, was, new) for (key, was), new in zip(found, now, strict=True) if was != new]
    questions = store.questions.of(kept)
    if moves and not store.readonly:
        store.questions.move_golds(moves)
        return store.questions.of(kept)
    news = {was: new for _, was, new in moves}
    return [replace(one, gold=tuple(news.get(gold, gold) for gold in one.spans)) for one in questions]


def place(store: Store, base: KnowledgeBase, questions: Sequence[Question], name: str) -> list[Question]:
    """Return questions of a file with their right passages placed in the notes of a base.

    Each quote must stand in its note once, whatever its white space, or at its `start`. Raises one
    QuestionSetError that lists those that don't; `name` is the file's.
    """
    wanted: dict[str, list[Question]] = {}
    for question in questions:
        for path in {gold.path for gold in question.gold}:
            wanted.setdefault(path, []).append(question)
    ids = store.questions.note_ids(base.id)
    placed: dict[Gold, GoldSpan] = {}
    problems = Problems(name)
    for path, asked in wanted.items():
        notes = [note for note_id in ids.get(path, ()) if (note := _note(store, note_id))]
        texts = [(note, _Text(note.body)) for note in notes]
        for question in asked:
            for gold in question.gold:
                if gold.path == path and gold not in placed:
                    try:
                        placed[gold] = _placed(gold, texts)
                    except ValueError as error:
                        problems.add(question.line, f"question '{question.id}': {error}")
    problems.raise_any()
    # A passage that is named twice would count twice.
    return [replace(one, gold=tuple(dict.fromkeys(placed[gold] for gold in one.gold))) for one in questions]


def told(store: Store, questions: Sequence[Question]) -> list[Question]:
    """Return resolved questions as a file tells them: each passage by path and quote.

    With its start where the quote stands several times.
    """
    spans: dict[str, list[GoldSpan]] = {}
    for question in questions:
        for gold in question.spans:
            spans.setdefault(gold.note_id, []).append(gold)
    golds: dict[GoldSpan, Gold] = {}
    for note_id, found in spans.items():
        note = _note(store, note_id)
        text = _Text(note.body if note else "")
        for gold in found:
            several = len(text.first_two(gold.quote)) > 1
            golds[gold] = Gold(gold.path, gold.quote, gold.start if several else None)
    return [replace(one, gold=tuple(golds[gold] for gold in one.spans)) for one in questions]


def _note(store: Store, note_id: str) -> Note | None:
    try:
        return store.notes.note(note_id)
    except NoteNotFound:
        return None  # deleted at this moment


def _placed(gold: Gold, texts: Sequence[tuple[Note, "_Text"]]) -> GoldSpan:
    """Return where one stands; raises ValueError with the sentence for the person."""
    if not texts:
        raise ValueError(f"there is no note '{gold.path}'. Import its folder first, or correct the path.")
    found = [(note, span) for note, text in texts for span in text.first_two(gold.quote)]
    if len(found) > 1 and gold.start is not None:
        end = gold.start + len(gold.quote)
        found = [(note, (gold.start, end)) for note, _ in texts if note.body.startswith(gold.quote, gold.start)]
    if len(found) != 1:
        times = "is more than once" if found else "isn't"
        begun = " ".join(gold.quote[:40].split())
        raise ValueError(f"its quote '{begun}…' {times} in '{gold.path}'; it must be there exactly once.")
    note, span = found[0]
    return GoldSpan(gold.path, note.body[span[0] : span[1]], *span, note.id)


class _Text:
    """A body in which quotes are looked for, as they stand or else with other white space."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._squeezed: tuple[str, array[int], array[int]] | None = None

    def nearest(self, gold: GoldSpan) -> Span | None:
        """Return the place of a quote that is nearest to where it was."""
        if self._body.startswith(gold.quote, gold.start):
            return gold.start, gold.start + len(gold.quote)
        anchored = Edit("gold", gold.note_id, "text", gold.quote, gold.start, _SOME_TIME)
        exact = places(self._body, [anchored]).get(anchored.id)
        if exact is not None:
            return exact
        return min(self._loosely(gold.quote), key=lambda span: abs(span[0] - gold.start), default=None)

    def first_two(self, quote: str) -> list[Span]:
        """Return the first two places of a quote, which may overlap."""
        first = self._body.find(quote)
        second = self._body.find(quote, first + 1) if first >= 0 else -1
        exact = [(start, start + len(quote)) for start in (first, second) if start >= 0]
        return exact or list(islice(self._loosely(quote), 2))

    def _loosely(self, quote: str) -> Iterator[Span]:
        """Yield where a quote stands, whatever white space is in both, but whole words only."""
        letters = "".join(quote.split())
        text, before, starts = self._squeeze()
        at = text.find(letters) if letters else -1
        while at >= 0:
            first, last = bisect_right(before, at) - 1, bisect_right(before, at + len(letters) - 1) - 1
            start = starts[first] + at - before[first]
            end = starts[last] + at + len(letters) - before[last]
            if not self._is_within_word(start) and not self._is_within_word(end):
                yield start, end
            at = text.find(letters, at + len(letters))

    def _is_within_word(self, at: int) -> bool:
        return at > 0 and _WITHIN_WORD.match(self._body, at - 1) is not None

    def _squeeze(self) -> "tuple[str, array[int], array[int]]":
        """The body without white space, and of each of its words where it begins there and in the body."""
        if self._squeezed is None:
            before, starts = array("q"), array("q")
            length = 0
            for word in _WORD.finditer(self._body):
                before.append(length)
                starts.append(word.start())
                length += word.end() - word.start()
            self._squeezed = _WHITE.sub("", self._body), before, starts
        return self._squeezed
