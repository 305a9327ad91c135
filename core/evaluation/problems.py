"""What is wrong with a file of questions: all of it in one error, so that a person mends it once."""

from core.errors import QuestionSetError

MOST = 20
"""Problems that are listed; the others are counted."""


class Problems:
    """The problems of the file `name`, by line."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._listed: list[tuple[int, str]] = []
        self._count = 0

    def add(self, line: int, reason: str) -> None:
        self._count += 1
        if len(self._listed) < MOST:
            self._listed.append((line, reason))

    def raise_any(self) -> None:
        """Raise a QuestionSetError that lists the problems, with the first one's line; nothing where there are none."""
        if not self._listed:
            return
        (line, reason), *others = sorted(self._listed)
        raise QuestionSetError(self._name, line, reason, others, self._count - len(self._listed))
