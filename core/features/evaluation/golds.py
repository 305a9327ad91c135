"""Positions of right passages in notes, also after edits, and the problems of a question file as one error."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from operator import itemgetter

from core.base.blobs import Span
from core.base.errors import NoteNotFound, QuestionSetError, RowError, TesseraError
from core.base.messages import Message, message
from core.model import Gold, GoldSpan, KnowledgeBase, Note, Question, QuestionSet
from core.store import Store

MOST = 20
"""Maximum number of problems to list; the others are counted."""

_WORD, _WHITE = re.compile(r"\S+"), re.compile(r"\s+")
_WITHIN_WORD = re.compile(r"[0-9A-Za-z]{2}")


class Problems:
    """The problems of the file `name`, by line."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._listed: list[tuple[int, Message]] = []
        self._count = 0

    def add(self, line: int, reason: Message) -> None:
        self._count += 1
        if len(self._listed) < MOST:
            self._listed.append((line, reason))

    def add_of(self, question: Question, error: TesseraError) -> None:
        """Add an error in a question, with the question's id."""
        self.add(question.line, message("question '{id}': {problem}", id=question.id, problem=error.message))

    def raise_any(self) -> None:
        """Raise a QuestionSetError that lists the problems, if there are any."""
        if not self._listed:
            return
        (line, reason), *others = sorted(self._listed, key=itemgetter(0))
        raise QuestionSetError(self._name, line, reason, others, self._count - len(self._listed))


def gold_at(note: Note, start: int, end: int) -> GoldSpan:
    """Return the stripped text of a span in a note as a right passage; raises QuestionSetError for a bad span."""
    name = note.path or note.title
    if not 0 <= start < end <= len(note.body):
        raise QuestionSetError(
            name,
            0,
            "the note has only {n} characters, so there is nothing from {start} to {end}. Search again.",
            n=len(note.body),
            start=start,
            end=end,
        )
    quote = note.body[start:end].strip()
    if not quote:
        raise QuestionSetError(name, 0, "this passage is blank. Choose a passage with text.")
    start = note.body.index(quote, start)
    return GoldSpan(name, quote, start, start + len(quote), note.id)


def narrow(note: Note, gold: GoldSpan, quote: str) -> GoldSpan:
    """Return a part of a right passage; raises QuestionSetError unless the passage contains it once."""
    place = only_place(note.body[gold.start : gold.end], quote.strip()) if quote.strip() else None
    if place is None:
        raise QuestionSetError(
            gold.path,
            0,
            "this text isn't in the passage, or appears more than once. Leave a part of the passage unchanged.",
        )
    return gold_at(note, gold.start + place[0], gold.start + place[1])


def follow(golds: Sequence[GoldSpan], note: Note) -> list[GoldSpan]:
    """Return right passages at their current positions in a note's body; missing ones are flagged.

    If a quote occurs several times, the position nearest to the last one is taken. A quote whose white space changed
    gets the note's current text.
    """
    text = _QuoteText(note.body)
    now = []
    for gold in golds:
        gold = replace(gold, note_id=note.id, path=note.path or note.title)
        if span := text.nearest(gold):
            gold = replace(gold, quote=note.body[slice(*span)], start=span[0], end=span[1])
        now.append(replace(gold, flagged=span is None))
    return now


def only_place(body: str, quote: str) -> Span | None:
    """Return the only span of a quote in a body, ignoring white space; None if there is none or more than one."""
    spans = _QuoteText(body).first_two(quote)
    return spans[0] if len(spans) == 1 else None


def resolve(store: Store, question_set: QuestionSet) -> list[Question]:
    """Return a set's questions with the current positions of their right passages, and store these positions.

    Passages of a deleted note are flagged, unless exactly one other note of the base has its path now. In a read-only
    store nothing is stored.
    """
    by_note: dict[str, list[tuple[Span, GoldSpan]]] = {}
    for key, gold in store.questions.golds(question_set).items():
        by_note.setdefault(gold.note_id, []).append((key, gold))
    named = store.questions.note_ids(question_set.base_id)
    there = {note_id for ids in named.values() for note_id in ids}
    moves = []
    for note_id, entries in by_note.items():
        ids = [note_id] if note_id in there else named.get(entries[-1][1].path, [])
        note = find_note(store, ids[0]) if len(ids) == 1 else None
        golds = [gold for _, gold in entries]
        now = follow(golds, note) if note else [replace(gold, flagged=True) for gold in golds]
        moves += [(key, was, new) for (key, was), new in zip(entries, now, strict=True) if was != new]
    questions = store.questions.for_set(question_set)
    if moves and not store.readonly:
        store.questions.move_golds(moves)
        return store.questions.for_set(question_set)
    moved = {was: new for _, was, new in moves}
    return [replace(question, gold=tuple(moved.get(gold, gold) for gold in question.spans)) for question in questions]


def place(store: Store, base: KnowledgeBase, questions: Sequence[Question], name: str) -> list[Question]:
    """Return the questions of a file with the positions of their right passages in the notes of a base.

    Each quote must occur in its note once, ignoring white space, or at its `start`. Raises one QuestionSetError that
    lists the quotes that don't; `name` is the name of the file.
    """
    by_path: dict[str, list[Question]] = {}
    for question in questions:
        for path in {gold.path for gold in question.gold}:
            by_path.setdefault(path, []).append(question)
    ids = store.questions.note_ids(base.id)
    placed: dict[Gold, GoldSpan] = {}
    problems = Problems(name)
    for path, questions_of_path in by_path.items():
        notes = [note for note_id in ids.get(path, ()) if (note := find_note(store, note_id))]
        texts = [(note, _QuoteText(note.body)) for note in notes]
        for question in questions_of_path:
            for gold in question.gold:
                if gold.path == path and gold not in placed:
                    try:
                        placed[gold] = _place_passage(gold, texts)
                    except RowError as error:
                        problems.add_of(question, error)
    problems.raise_any()
    # A duplicate passage would count twice.
    return [replace(item, gold=tuple(dict.fromkeys(placed[gold] for gold in item.gold))) for item in questions]


def portable(store: Store, questions: Sequence[Question]) -> list[Question]:
    """Return resolved questions for a file: each passage with path, quote, and its start if the quote is repeated."""
    spans: dict[str, list[GoldSpan]] = {}
    for question in questions:
        for gold in question.spans:
            spans.setdefault(gold.note_id, []).append(gold)
    golds: dict[GoldSpan, Gold] = {}
    for note_id, passages in spans.items():
        note = find_note(store, note_id)
        text = _QuoteText(note.body if note else "")
        for gold in passages:
            several = len(text.first_two(gold.quote)) > 1
            golds[gold] = Gold(gold.path, gold.quote, gold.start if several else None)
    return [replace(item, gold=tuple(golds[gold] for gold in item.spans)) for item in questions]


def find_note(store: Store, note_id: str) -> Note | None:
    """Return a note, None if it was deleted meanwhile."""
    try:
        return store.notes.note(note_id)
    except NoteNotFound:
        return None


def _place_passage(gold: Gold, texts: Sequence[tuple[Note, "_QuoteText"]]) -> GoldSpan:
    """Return the position of a passage in one of the notes; raises RowError."""
    if not texts:
        raise RowError("there is no note '{path}'. Import its folder first, or correct the path.", path=gold.path)
    matches = [(note, span) for note, text in texts for span in text.first_two(gold.quote)]
    if len(matches) > 1 and gold.start is not None:
        end = gold.start + len(gold.quote)
        matches = [(note, (gold.start, end)) for note, _ in texts if note.body.startswith(gold.quote, gold.start)]
    fields = {"quote": f"{' '.join(gold.quote[:40].split())}…", "path": gold.path}
    if not matches:
        raise RowError("its quote '{quote}' isn't in '{path}'; it must appear exactly once.", **fields)
    if len(matches) > 1:
        raise RowError("its quote '{quote}' appears more than once in '{path}'; it must appear exactly once.", **fields)
    note, span = matches[0]
    return GoldSpan(gold.path, note.body[span[0] : span[1]], *span, note.id)


class _QuoteText:
    """A note's body in which quotes are searched for, first exactly, then ignoring white space."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._squeezed: tuple[str, array[int], array[int]] | None = None

    def nearest(self, gold: GoldSpan) -> Span | None:
        """Return the span of a quote nearest to its last position, None if it is missing."""
        if self._body.startswith(gold.quote, gold.start):
            return gold.start, gold.start + len(gold.quote)
        # Overlapping spans would take quadratic time in a run of one letter.
        spans = self._spans(gold.quote, step=len(gold.quote))
        return min(spans, key=lambda span: abs(span[0] - gold.start), default=None)

    def first_two(self, quote: str) -> list[Span]:
        """Return the first two spans of a quote, which may overlap."""
        return list(islice(self._spans(quote, step=1), 2))

    def _spans(self, quote: str, *, step: int) -> Iterator[Span]:
        """Yield the exact spans of a quote, at least `step` apart; without any, the spans that ignore white space."""
        at = self._body.find(quote)
        if at < 0:
            yield from self._loosely(quote)
        while at >= 0:
            yield at, at + len(quote)
            at = self._body.find(quote, at + step)

    def _loosely(self, quote: str) -> Iterator[Span]:
        """Yield the spans of a quote, ignoring white space, at word boundaries only."""
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
        """Return the body without white space, and the start of each word in the result and in the body."""
        if self._squeezed is None:
            before, starts = array("q"), array("q")
            length = 0
            for word in _WORD.finditer(self._body):
                before.append(length)
                starts.append(word.start())
                length += word.end() - word.start()
            self._squeezed = _WHITE.sub("", self._body), before, starts
        return self._squeezed
