"""Threads of questions answered by a language model, and the current positions of their quotes in notes."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from typing import Protocol, Unpack

from core.base.blobs import Span
from core.base.codec import assemble
from core.base.datetimes import utc_now
from core.base.errors import NoteNotFound, ProviderError, QueryError, UnknownChoice, VersionNotFound
from core.base.frozen import TextValues
from core.base.jobs import Jobs, stop_check
from core.base.messages import ENGLISH, message, render
from core.base.text import CHINESE, find_half_character, one_line, shared_length
from core.model import (
    DENIED,
    MARKS,
    Answer,
    Cited,
    CitedPlace,
    DiffPiece,
    Note,
    Progress,
    SearchOptions,
    Sentence,
    Thread,
    Turn,
)
from core.notes.collection import Notes
from core.notes.versions import compare_texts
from core.providers.chat import Chat, values
from core.providers.connection import Stop, never
from core.settings.config import Settings
from core.store import Store
from core.store.ids import fresh_id
from core.store.reading import RowReader, columns_of, stored
from core.store.table import StoreTable

COMPLETE = """Someone asks a question that follows earlier ones.
You are given JSON: "earlier", each with a "question" and its "answer", and the new "question".
Write the new question so that it can be understood alone: put in what it refers to, add nothing else, and keep its \
language. Reply with one JSON object only, such as {"question": "..."}."""
# Number of previous turns to send when completing a question.
_EARLIER = 4
# Maximum length of a completed question, in characters.
_MOST = 500
# Maximum length of the title of a note created from a thread, in characters.
_TITLE = 120
_MARKUP = re.compile(r"([\\`*_\[\]<>!#|~$&])")


# Number of characters to compare on each side of a quote.
_AROUND = 300
# Minimum number of equal characters around a short quote for the quote to be recognized.
_NEAR = 20
# Minimum length in characters of a quote that is recognized without its surroundings.
_LONG = 60
# Maximum number of occurrences of a quote to compare.
_STEPS = 200
# Number of characters to show before and after a changed quote.
_SHOWN = 120


class AnswerWriter(Protocol):
    """Answers questions with a language model."""

    def write(self, text: str, *, stop: Stop = never, **options: Unpack[SearchOptions]) -> Iterator[Answer]:
        """Yield the answer repeatedly while it is being written."""


class Asking(SearchOptions, total=False):
    """Search options, the question as it was typed before completion, and a callback that says when to stop."""

    typed: str
    stop: Stop


@dataclass(eq=False)
class Threads:
    """A workspace's threads, and the answer being written. Threads outlive the notes they cite."""

    _store: Store
    _settings: Settings
    # Called only when a question is asked, because every search page creates a `Threads` object.
    _answers: Callable[[], AnswerWriter]
    _notes: Notes
    _jobs: Jobs
    # The answer that the job `answer` has written so far or, if the job has ended, its last answer.
    latest: Answer | None = None

    def __post_init__(self) -> None:
        self._table = ThreadTable(self._store.database)
        self.all = self._table.all
        # The id of the thread with the latest answer, or "" until the answer is stored.
        self.latest_thread = ""
        # The id of the thread that the job continues, or the question if the job starts a new thread.
        self.latest_subject = ""

    def get(self, thread_id: str) -> Thread:
        """Return the thread with the given id. Raises UnknownChoice."""
        if (thread := self._table.find(thread_id)) is None:
            raise UnknownChoice(message("thread"), thread_id, [item.id for item in self.all()])
        return thread

    def delete_for_good(self, thread_id: str) -> None:
        """Delete a thread, but keep the notes created from it. Raises UnknownChoice."""
        self._table.delete_for_good(self.get(thread_id).id)

    # asking

    def complete(self, thread_id: str, text: str) -> str:
        """Let a language model complete a follow-up question, so that it can be understood on its own.

        Returns the question unchanged if the reply doesn't have the requested form. Raises UnknownChoice, and the same
        errors as `Chat.ask`.
        """
        earlier = [
            {
                "question": turn.question,
                "answer": " ".join(sentence.text for sentence in turn.sentences if sentence.citations),
            }
            for turn in self.get(thread_id).turns[-_EARLIER:]
        ]
        for value in values(Chat(self._settings.llm).ask(COMPLETE, {"earlier": earlier, "question": text}), r"\{"):
            completed = value.get("question") if value.keys() == {"question"} else None
            if isinstance(completed, str) and find_half_character(completed) is None:
                completed = one_line(completed)
                return completed if 0 < len(completed) <= _MOST else text
        return text

    def ask(self, text: str, thread_id: str = "", **more: Unpack[Asking]) -> Iterator[Answer]:
        """Yield the answer repeatedly while it is being written, then store it in a thread, by default a new one.

        `typed` is the question before it was completed. An answer without sentences isn't stored. Raises UnknownChoice
        for an unknown thread, WorkspaceLocked in a read-only workspace, and the same errors as `AnswerWriter.write`.
        """
        return (answer for answer, _ in self._write(text, thread_id, **more))

    def answer(self, text: str, thread_id: str = "", **more: Unpack[Asking]) -> Thread:
        """Answer a question like `ask`, and return its thread.

        Raises QueryError if the notes don't answer the question, and ProviderError if the model wrote no answer.
        """
        answer, stored = [*self._write(text, thread_id, **more)][-1]
        if stored:
            return self.get(stored)
        problem = answer.explanation or DENIED
        raise ProviderError(problem) if answer.writing else QueryError(problem)

    def start(self, text: str, thread_id: str = "", *, typed: str = "", **options: Unpack[SearchOptions]) -> bool:
        """Start the job `answer`, which updates `latest`. Return False if the job is already running."""

        def work(progress: Progress) -> None:
            for answer, stored_id in self._write(text, thread_id, typed=typed, stop=stop_check(progress), **options):
                self.latest = answer
                self.latest_thread = stored_id

        if self._jobs.running("answer"):
            return False
        self.latest = None
        self.latest_thread = ""
        self.latest_subject = thread_id or text
        return self._jobs.start("answer", work, quiet=True)

    def _write(
        self, text: str, thread_id: str, *, typed: str = "", stop: Stop = never, **options: Unpack[SearchOptions]
    ) -> Iterator[tuple[Answer, str]]:
        """Yield the answer while it is being written, with its thread's id ("" until the answer is stored)."""
        if thread_id:
            self.get(thread_id)
        self._store.check_writable()
        for answer in self._answers().write(text, stop=stop, **options):
            by = answer.writing.model if answer.writing and answer.writing.ended and answer.written else ""
            yield answer, self._add_turn(answer, by, thread_id, typed or text) if by else ""

    def _add_turn(self, answer: Answer, model: str, thread_id: str, typed: str) -> str:
        """Store an answer as the next turn of a thread, and return the thread's id."""
        at = utc_now()
        with self._store.changing:
            threads = {thread.id: thread for thread in self.all()}
            thread_id = thread_id or fresh_id(f"{typed}\0{at.isoformat()}", threads)
            number = len(threads[thread_id].turns) + 1 if thread_id in threads else 1
            cited = tuple(
                assemble(Cited, quote, quote.note, note_id=quote.note.id, quote=quote.text) for quote in answer.quotes
            )
            self._table.add(Turn(thread_id, number, typed, answer.query, model, answer.written, cited, at))
        return thread_id

    # quotes

    def place(self, cited: Cited) -> CitedPlace:
        """Return a quote's position in its note's current text. If the quote is gone, return the changes around it."""
        try:
            note = self._store.note(cited.note_id)
        except NoteNotFound:
            return CitedPlace("deleted", cited.title)
        span = (cited.start, cited.end)
        old = None
        with suppress(VersionNotFound):
            old = self._store.versions.note(cited.note_id, cited.version)
        now = None
        if old is None:
            # Without the older text, only a long quote that occurs once can be recognized.
            places = list(_places(note.body, cited.quote))
            if len(places) == 1 and len(cited.quote) >= _LONG:
                now = places[0], places[0] + len(cited.quote)
        # A quote that differs from the note's text is from a chunk edited by the user. The chunk may still contain it.
        elif (
            note.version == cited.version
            or old.body[slice(*span)] == cited.quote
            or any(cited.quote in chunk.text for chunk in self._store.chunks.for_note(note.id))
        ):
            now = span if note.body == old.body else relocate(old.body, span, note.body)
        if now:
            return CitedPlace("same" if now == span else "moved", note.title, *now)
        return CitedPlace(
            "changed", note.title, pieces=changes_around(compare_texts(old.body, note.body), span) if old else ()
        )

    # notes

    def keep(self, thread_id: str) -> Note:
        """Create a pending note from a thread, in the base of the thread's first source. Return the note.

        Raises UnknownChoice for an unknown thread, and NoteNotFound if all the thread's sources were deleted.
        """
        thread = self.get(thread_id)
        cited = [citation for turn in thread.turns for citation in turn.citations]
        cards = self._store.notes.cards_of(item.note_id for item in cited)
        first = next((cards[item.note_id] for item in cited if item.note_id in cards), None)
        if first is None:
            raise NoteNotFound(cited[0].note_id if cited else thread_id)
        models = list(dict.fromkeys(turn.model for turn in thread.turns))
        return self._notes.add(
            first.base,
            _body(thread, {card.id: card.location for card in cards.values()}, models),
            title=one_line(thread.title)[:_TITLE],
            author="person",
            status="pending",
            created_by=", ".join(models),
        )


def _body(thread: Thread, paths: TextValues, models: list[str]) -> str:
    """Return a thread as Markdown, with the cited sentences, how well each is supported, and links to the sources."""
    parts = []
    language = "zh_CN" if CHINESE.search(thread.title) else ENGLISH
    for turn in thread.turns:
        lines = [f"## {_escape_markdown(turn.typed)}", ""] if len(thread.turns) > 1 else []
        for sentence in turn.sentences:
            marks = "".join(f" \\[{number}\\]" for number in sentence.citations)
            if sentence.citations:
                lines += [f"{_escape_markdown(sentence.text)}{marks} ({render(MARKS[sentence.mark], language)})", ""]
        for cited in turn.citations:
            lines.append(f"- \\[{cited.number}\\] {_link(cited, paths)}: “{_escape_markdown(one_line(cited.quote))}”")
        parts.append("\n".join(lines).rstrip())
    by = message("Written by {model} from these notes.", model=_escape_markdown(", ".join(models)))
    return "\n\n".join([*parts, render(by, language)]) + "\n"


def _link(cited: Cited, paths: TextValues) -> str:
    """Return a wiki link to the note that a quote is from, or just the note's title if its path can't be linked."""
    path = paths.get(cited.note_id, "").removesuffix(".md")
    if not path or re.search(r"[\[\]|#^]", path):
        return _escape_markdown(cited.title)
    return f"[[{path}|{re.sub(_MARKUP, '', one_line(cited.title))}]]"


def _escape_markdown(text: str) -> str:
    """Escape Markdown characters in text."""
    return _MARKUP.sub(r"\\\1", text)


def relocate(old: str, span: Span, new: str) -> Span | None:
    """Return the span in `new` that corresponds to a span of `old`, or None if that isn't certain.

    If the text occurs several times, choose the occurrence with the most similar surroundings. The result is None if
    another occurrence matches equally well.
    """
    start, end = span
    anchor = old[start:end]
    found = sorted(((_count_equal_around(old, span, new, at), at) for at in _places(new, anchor)), reverse=True)
    if not found:
        return None
    best, place = found[0]
    others = [
        _count_equal_around(old, (at, at + len(anchor)), new, place) for at in _places(old, anchor) if at != start
    ]
    possible = min(start, _AROUND) + min(len(old) - end, _AROUND)
    is_like_others = best in (likeness for likeness, _ in found[1:2]) or max(others, default=-1) >= best
    if is_like_others or (best < min(_NEAR, possible) and len(anchor) < _LONG):
        return None
    return place, place + len(anchor)


def changes_around(pieces: Sequence[DiffPiece], span: Span) -> tuple[DiffPiece, ...]:
    """Return the pieces of a difference that are in or near a span of the older text."""
    first = span[0] - _SHOWN
    last = span[1] + _SHOWN
    shown = []
    at = 0
    for piece in pieces:
        if piece.kind == "added":
            text = piece.text[: last - first] if first <= at <= last else ""
        else:
            text = piece.text[max(0, first - at) : max(0, last - at)]
            at += len(piece.text)
        if text:
            shown.append(DiffPiece(piece.kind, text))
    return tuple(shown)


def _places(text: str, anchor: str) -> Iterator[int]:
    """Return the offsets of the first _STEPS occurrences of `anchor`, including overlapping ones."""
    found = re.finditer(f"(?={re.escape(anchor)})", text) if anchor else ()
    return (match.start() for match in islice(found, _STEPS))


def _count_equal_around(old: str, span: Span, new: str, place: int) -> int:
    """Count the characters around a span of `old` that equal those around the same text in `new`, at `place`."""
    start, end = span
    after = place + end - start
    before = shared_length(old[max(0, start - _AROUND) : start][::-1], new[max(0, place - _AROUND) : place][::-1])
    return before + shared_length(old[end : end + _AROUND], new[after : after + _AROUND])


# Turns as rows.


class ThreadTable(StoreTable):
    """The table of a workspace's threads. Threads are kept even if the notes they cite are changed or deleted."""

    def add(self, turn: Turn) -> None:
        """Add a turn to its thread, creating the thread if it is new."""
        self._insert("turns", columns_of(turn), aside=True)

    def all(self) -> list[Thread]:
        """Return the threads, most recently answered first."""
        return sorted(self._threads("ORDER BY thread_id, number"), key=lambda thread: thread.at, reverse=True)

    def find(self, thread_id: str) -> Thread | None:
        """Return the thread with the given id, or None if there is none."""
        return next(self._threads("WHERE thread_id = ? ORDER BY number", thread_id), None)

    def _threads(self, where: str, *values: object) -> Iterator[Thread]:
        turns = self._nouns(_READER, f"SELECT * FROM turns {where}", *values)
        return (Thread(tuple(of_thread)) for _, of_thread in groupby(turns, attrgetter("thread_id")))

    def delete_for_good(self, thread_id: str) -> None:
        self._execute("DELETE FROM turns WHERE thread_id = ?", thread_id, aside=True)


_READER = RowReader(
    Turn,
    "answer",
    "typed",
    key="thread_id",
    sentences=stored(tuple[Sentence, ...]),
    citations=stored(tuple[Cited, ...]),
)
