"""The turns of threads as rows."""

import json
from itertools import groupby

from core.base.codec import to_plain
from core.base.messages import message
from core.model import Cited, Sentence, Thread, Turn
from core.store.reading import RowReader, stored
from core.store.table import StoreTable

_TURNS = "SELECT thread_id, number, typed, question, model, sentences, citations, at FROM turns"


class ThreadTable(StoreTable):
    """The threads of a workspace, which stay when their notes change or go."""

    def add(self, turn: Turn) -> None:
        """Write a turn."""
        self._database.execute(
            "INSERT INTO turns (thread_id, number, typed, question, model, sentences, citations, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            *(turn.thread_id, turn.number, turn.typed, turn.question, turn.model),
            *(json.dumps(to_plain(part), ensure_ascii=False) for part in (turn.sentences, turn.citations)),
            turn.at.isoformat(),
            aside=True,
        )

    def all(self) -> list[Thread]:
        """Return the threads, the one that was answered last first."""
        rows = self._database.rows(f"{_TURNS} ORDER BY thread_id, number")
        turns = [_READER(dict(row), self._database.unread) for row in rows]
        threads = [Thread(tuple(iterator)) for _, iterator in groupby(turns, lambda turn: turn.thread_id)]
        return sorted(threads, key=lambda thread: thread.at, reverse=True)

    def find(self, thread_id: str) -> Thread | None:
        """Return the thread of an id, None if there is none."""
        rows = self._database.rows(f"{_TURNS} WHERE thread_id = ? ORDER BY number", thread_id)
        turns = tuple(_READER(dict(row), self._database.unread) for row in rows)
        return Thread(turns) if turns else None

    def delete_for_good(self, thread_id: str) -> None:
        self._database.execute("DELETE FROM turns WHERE thread_id = ?", thread_id, aside=True)


_READER = RowReader(
    Turn,
    message("answer"),
    "typed",
    key="thread_id",
    sentences=stored(tuple[Sentence, ...]),
    citations=stored(tuple[Cited, ...]),
)
