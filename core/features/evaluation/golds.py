"""Locate correct passages (those that answer a question) in notes, even after edits, and report problems."""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from operator import itemgetter

from core.base.blobs import Span
from core.base.errors import NoteNotFound, QuestionSetError, RowError, TesseraError
from core.base.messages import Message, message
from core.model import Gold, GoldSpan, KnowledgeBase, Note, Question, QuestionSet
from core.store import Store

# Maximum number of problems to list. Any further problems are only counted.
MOST = 20

# A line number in a question file, and the problem on that line.
Problem = tuple[int, Message]

_WITHIN_WORD = re.compile(r"[0-9A-Za-z]{2}")


def raise_any(name: str, problems: Sequence[Problem]) -> None:
    """If there are problems, raise a QuestionSetError that lists them by line. `name` is the question file's name."""
    if problems:
        (line, reason), *others = sorted(problems[:MOST], key=itemgetter(0))
        raise QuestionSetError(name, line, reason, others, len(problems[MOST:]))


def problem_of(question: Question, error: TesseraError) -> Problem:
    """Convert an error in a question to a problem whose message contains the question's id."""
    return question.line, message("question '{id}': {problem}", id=question.id, problem=error.message)


def gold_at(note: Note, start: int, end: int) -> GoldSpan:
    """Return a span of a note as a correct passage. White space is stripped at both ends.

    Raises QuestionSetError if the span is blank or outside the note.
    """
    name = note.path or note.title
    if not 0 <= start < end <= len(note.body):
        raise QuestionSetError(
            name,
            0,
            "the note has only {n} characters, so it has no passage from character {start} to {end}. Search again.",
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
    """Narrow a correct passage to a quote from it.

    Raises QuestionSetError unless the passage contains the quote exactly once.
    """
    place = only_place(note.body[gold.start : gold.end], quote.strip())
    if place is None:
        raise QuestionSetError(
            gold.path,
            0,
            "this text isn't in the passage, or appears in it more than once. Keep one part of the passage exactly as "
            "it is, and delete the rest.",
        )
    return gold_at(note, gold.start + place[0], gold.start + place[1])


def follow(golds: Sequence[GoldSpan], note: Note) -> list[GoldSpan]:
    """Return correct passages at their current positions in a note's body. Missing passages are flagged.

    If a quote occurs several times, the occurrence nearest to its old position is used. If only the white space in a
    quote has changed, the quote is replaced with the note's current text.
    """
    text = _QuoteText(note.body)
    path = note.path or note.title
    now = []
    for gold in golds:
        if span := text.nearest(gold):
            now.append(GoldSpan(path, note.body[slice(*span)], *span, note.id))
        else:
            now.append(replace(gold, note_id=note.id, path=path, flagged=True))
    return now


def only_place(body: str, quote: str) -> Span | None:
    """Return a quote's span in a note's body, or None unless the quote occurs exactly once. White space is ignored."""
    spans = _QuoteText(body).first_two(quote)
    return spans[0] if len(spans) == 1 else None


def resolve(store: Store, question_set: QuestionSet) -> list[Question]:
    """Return a question set's questions with the current positions of their correct passages. Store these positions.

    Passages in a deleted note are flagged, unless exactly one other note in the base now has the same path. If the
    store is read-only, nothing is stored.
    """
    by_note = defaultdict(list)
    for key, gold in store.questions.golds(question_set).items():
        by_note[gold.note_id].append((key, gold))
    named = store.questions.note_ids(question_set.base_id)
    there = {note_id for ids in named.values() for note_id in ids}
    moves = []
    for note_id, entries in by_note.items():
        ids = [note_id] if note_id in there else named.get(entries[-1][1].path, [])
        note = find_note(store, ids[0]) if len(ids) == 1 else None
        golds = [gold for _, gold in entries]
        now = follow(golds, note) if note else [replace(gold, flagged=True) for gold in golds]
        moves += [(key, was, new) for (key, was), new in zip(entries, now, strict=True) if was != new]
    if moves and not store.readonly:
        store.questions.move_golds(moves)
    moved = {was: new for _, was, new in moves} if store.readonly else {}
    return [
        replace(question, gold=tuple(moved.get(gold, gold) for gold in question.spans))
        for question in store.questions.for_set(question_set)
    ]


def place(store: Store, base: KnowledgeBase, questions: Sequence[Question], name: str) -> list[Question]:
    """Return a question file's questions with their correct passages located in a base's notes.

    `name` is the file's name. Each quote must occur in its note exactly once, ignoring white space, or have a matching
    `start`. Raises a single QuestionSetError that lists all quotes for which neither is true.
    """
    ids = store.questions.note_ids(base.id)

    @cache
    def texts(path: str) -> list[tuple[Note, _QuoteText]]:
        return [(note, _QuoteText(note.body)) for note_id in ids.get(path, ()) if (note := find_note(store, note_id))]

    placed = []
    problems = []
    for question in questions:
        spans: dict[Gold, None] = {}  # a dict removes duplicates, which would count twice
        for gold in question.gold:
            try:
                spans[_place_passage(gold, texts(gold.path))] = None
            except RowError as error:
                problems.append(problem_of(question, error))
        placed.append(replace(question, gold=tuple(spans)))
    raise_any(name, problems)
    return placed


def portable(store: Store, questions: Sequence[Question]) -> list[Question]:
    """Return resolved questions in the form used in question files.

    Each passage has a path and a quote. If the quote occurs more than once, the passage has a start too.
    """

    @cache
    def text(note_id: str) -> _QuoteText:
        note = find_note(store, note_id)
        return _QuoteText(note.body if note else "")

    return [
        replace(
            question,
            gold=tuple(
                Gold(
                    gold.path,
                    gold.quote,
                    gold.start if len(text(gold.note_id).first_two(gold.quote)) > 1 else None,
                )
                for gold in question.spans
            ),
        )
        for question in questions
    ]


def find_note(store: Store, note_id: str) -> Note | None:
    """Return a note, or None if the note was deleted in the meantime."""
    try:
        return store.note(note_id)
    except NoteNotFound:
        return None


def _place_passage(gold: Gold, texts: Sequence[tuple[Note, "_QuoteText"]]) -> GoldSpan:
    """Return a passage's position in one of the notes. Raises RowError if the passage is missing or ambiguous."""
    if not texts:
        raise RowError("there is no note '{path}'. Import its folder first, or correct the path.", path=gold.path)
    matches = [(note, span) for note, text in texts for span in text.first_two(gold.quote)]
    if len(matches) > 1 and gold.start is not None:
        end = gold.start + len(gold.quote)
        matches = [(note, (gold.start, end)) for note, _ in texts if note.body.startswith(gold.quote, gold.start)]
    fields = {"quote": f"{' '.join(gold.quote[:40].split())}…", "path": gold.path}
    if not matches:
        raise RowError("its quote '{quote}' isn't in '{path}', where it must appear exactly once.", **fields)
    if len(matches) > 1:
        raise RowError("its quote '{quote}' appears more than once in '{path}' but must appear exactly once.", **fields)
    note, span = matches[0]
    return GoldSpan(gold.path, note.body[slice(*span)], *span, note.id)


@dataclass(eq=False)
class _QuoteText:
    """Searches a note's body for quotes. Exact matches are tried first, then matches that differ in white space."""

    _body: str

    def nearest(self, gold: GoldSpan) -> Span | None:
        """Return the span of a passage's quote nearest to the old position, or None if the quote is missing."""
        if self._body.startswith(gold.quote, gold.start):
            return gold.start, gold.start + len(gold.quote)
        # With overlaps, a long run of the same letter would take quadratic time.
        spans = self._spans(gold.quote, overlapping=False)
        return min(spans, key=lambda span: abs(span[0] - gold.start), default=None)

    def first_two(self, quote: str) -> list[Span]:
        """Return the spans of a quote's first two occurrences. They may overlap."""
        return list(islice(self._spans(quote, overlapping=True), 2))

    def _spans(self, quote: str, *, overlapping: bool) -> Iterator[Span]:
        """Yield the spans of a quote's exact matches or, if there are none, of matches that differ in white space.

        Inexact matches must begin and end at word boundaries.
        """
        text = self._body
        places = None
        if exact := quote in text:
            step = 1 if overlapping else len(quote)
        else:
            text, places = self._letters
            quote = "".join(quote.split())
            step = len(quote)
        at = text.find(quote) if quote else -1
        while at >= 0:
            start = at
            end = at + len(quote)
            if places:
                start = places[start]
                end = places[end - 1] + 1
            if exact or not (self._is_within_word(start) or self._is_within_word(end)):
                yield start, end
            at = text.find(quote, at + step)

    def _is_within_word(self, at: int) -> bool:
        return at > 0 and _WITHIN_WORD.match(self._body, at - 1) is not None

    @cached_property
    def _letters(self) -> "tuple[str, array[int]]":
        """The body without white space, and the original position of each remaining character."""
        places = array("q", (at for at, letter in enumerate(self._body) if not letter.isspace()))
        return "".join(self._body.split()), places
