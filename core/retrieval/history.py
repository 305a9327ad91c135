"""History of searches: past questions, saved questions, and feedback on hits."""

from core.model import Feedback, Hit, PastSearch, Verdict
from core.store import Store


class History:
    """Past searches and feedback on hits."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def remember(self, text: str) -> None:
        """Record a question; does nothing in a read-only workspace."""
        if not self._store.readonly:
            self._store.usage.remember(text)

    def save(self, text: str, name: str) -> None:
        """Save a question under a name; an empty name makes it a past question again."""
        self._store.usage.save(text, name)

    def forget(self, text: str) -> None:
        """Forget a question."""
        self._store.usage.forget(text)

    def past(self) -> list[PastSearch]:
        """Return the past questions, saved ones first, then the newest."""
        return self._store.usage.past()

    def judge(self, text: str, hit: Hit, verdict: Verdict | None) -> None:
        """Record the verdict on a hit of a question; None removes it."""
        self._store.usage.judge(text, hit.note.id, hit.chunk.id, verdict)

    def judged(self, *, text: str | None = None, note_id: str | None = None) -> list[Feedback]:
        """Return the feedback on a question, on a note, or all of it, the newest first."""
        return self._store.usage.judged(query=text, note_id=note_id)
