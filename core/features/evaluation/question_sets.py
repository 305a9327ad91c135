"""Question sets on a base: made, imported and exported."""

from core.features.evaluation import golds, question_files, sheets
from core.model import Question, QuestionSet
from core.store import Store


class QuestionSets:
    """The question sets of a workspace."""

    content = staticmethod(question_files.content)

    def __init__(self, store: Store) -> None:
        self._store = store
        self._table = store.questions
        # These change rows and nothing else.
        self.rename, self.delete_for_good = self._table.rename_set, self._table.delete_set

    def all(self, base: str) -> list[QuestionSet]:
        """Return the question sets of a base."""
        return self._table.sets(self._store.bases.named(base))

    def get(self, base: str, name: str) -> QuestionSet:
        """Return the question set of this name; raises UnknownChoice with the existing names."""
        return self._table.named(self._store.bases.named(base), name)

    def add(self, base: str, name: str) -> QuestionSet:
        """Make an empty set; raises ConfigError for an invalid or taken name."""
        return self._table.add_set(self._store.bases.named(base), name)

    def add_file(self, base: str, set_name: str, data: bytes, name: str) -> QuestionSet:
        """Add all questions of a file, or none, to an old or new set; raises QuestionSetError for bad questions."""
        known = next((known for known in self.all(base) if known.name == set_name.strip()), None)
        taken = {question.id for question in self._table.for_set(known)} if known else ()
        questions = question_files.read(self._store, self._store.bases.named(base), data, name, taken=taken)
        if known is None:
            return self._table.add_set(self._store.bases.named(base), set_name, questions)
        self._table.add(known, questions)
        return self.get(base, known.name)

    def read(self, base: str, data: bytes, name: str) -> list[Question]:
        """Return the questions of a file with their right passages placed in a base; raises QuestionSetError."""
        return question_files.read(self._store, self._store.bases.named(base), data, name)

    def export(self, question_set: QuestionSet, *, table: bool = False) -> bytes:
        """Return a set as JSON lines, or as a CSV `table`; an import reads both."""
        questions = golds.portable(self._store, golds.resolve(self._store, question_set))
        return sheets.dump(questions) if table else question_files.dump(questions)
