"""Problems of a question file, collected into one error."""

from operator import itemgetter

from core.base.errors import QuestionSetError, TesseraError
from core.base.messages import Message, message
from core.model import Question

MOST = 20
"""Number of listed problems; the others are counted."""


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
        """Add an error of a question, with the question's id."""
        self.add(question.line, message("question '{id}': {problem}", id=question.id, problem=error.message))

    def raise_any(self) -> None:
        """Raise a QuestionSetError that lists the problems, with the first one's line, if there are any."""
        if not self._listed:
            return
        (line, reason), *others = sorted(self._listed, key=itemgetter(0))
        raise QuestionSetError(self._name, line, reason, others, self._count - len(self._listed))
