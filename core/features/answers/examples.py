"""Example questions on the user's notes, offered only where the first quote comes from the note that they ask about."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from core.base.errors import NoteNotFound, TesseraError
from core.base.jobs import Jobs
from core.model import Answer, Note, Progress, Question

SHOWN = 3
"""Examples that are looked for."""
DRAWN = 8
"""Questions that are drawn from the notes for them."""
Stamp = tuple[tuple[str, str], ...]
"""The ids of notes, each with the time of its last change."""


class Examples:
    """The checked examples of some notes, found by a quiet job and kept until those notes change."""

    def __init__(
        self,
        jobs: Jobs,
        note_of: Callable[[str], Note],
        drawn: Callable[[Sequence[Note], int], list[Question]],
        answered: Callable[[str], Answer],
    ) -> None:
        self._jobs, self._note_of, self._drawn, self._answered = jobs, note_of, drawn, answered
        self._found: tuple[Stamp, tuple[str, ...]] = ((), ())

    def for_notes(self, stamp: Stamp) -> tuple[str, ...]:
        """Return the examples of some notes; none yet, and start the job that finds them, after notes changed."""
        known, found = self._found
        if known == stamp:
            return found
        self._jobs.start("examples", lambda progress: self._find(stamp, progress), quiet=True)
        return ()

    def _find(self, stamp: Stamp, progress: Progress) -> None:
        notes = []
        for note_id, _ in stamp:
            with suppress(NoteNotFound):
                notes.append(self._note_of(note_id))
        found: list[str] = []
        questions = self._drawn(notes, DRAWN)
        for number, question in enumerate(questions):
            progress(number, len(questions), question.text)
            if len(found) < SHOWN and self._is_right(question):
                found.append(question.text)
        self._found = stamp, tuple(found)

    def _is_right(self, question: Question) -> bool:
        with suppress(TesseraError):
            answer = self._answered(question.text)
            return answer.likely and answer.quotes[0].note.id in {gold.note_id for gold in question.spans}
        return False
