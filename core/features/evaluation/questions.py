"""Question sets of a base (creating, importing, exporting), and their questions (typed, suggested, marked on hits)."""

from dataclasses import replace

from core.base.errors import QuestionSetError
from core.features.evaluation import golds, note_questions, question_files
from core.model import Filters, GoldSpan, Hit, Progress, Question, QuestionSet, no_progress
from core.providers.chat import Chat
from core.settings.config import Settings
from core.store import Store

SUGGESTED = 20
"""Default number of suggested questions."""


class QuestionSets:
    """The question sets of a workspace."""

    content = staticmethod(question_files.content)

    def __init__(self, store: Store) -> None:
        self._store = store
        self._table = store.questions
        # These change rows and nothing else.
        self.rename, self.delete_for_good = self._table.rename_set, self._table.delete_set
        self.find = self._table.find

    def all(self, base: str) -> list[QuestionSet]:
        """Return the question sets of a base."""
        return self._table.sets(self._store.bases.named(base))

    def get(self, base: str, name: str) -> QuestionSet:
        """Return the question set with this name; raises UnknownChoice with the existing names."""
        return self._table.named(self._store.bases.named(base), name)

    def add(self, base: str, name: str) -> QuestionSet:
        """Create an empty set; raises ConfigError for a blank or taken name."""
        return self._table.add_set(self._store.bases.named(base), name)

    def add_file(self, base: str, set_name: str, data: bytes, name: str) -> QuestionSet:
        """Add the questions in a file, all or none, to a set, which is created if missing; raises QuestionSetError."""
        question_set = next((known for known in self.all(base) if known.name == set_name.strip()), None)
        ids = {question.id for question in self._table.for_set(question_set)} if question_set else ()
        questions = question_files.read(self._store, self._store.bases.named(base), data, name, taken=ids)
        if question_set is None:
            return self._table.add_set(self._store.bases.named(base), set_name, questions)
        self._table.add(question_set, questions)
        return self.get(base, question_set.name)

    def read(self, base: str, data: bytes, name: str) -> list[Question]:
        """Return the questions in a file with the positions of their right passages; raises QuestionSetError."""
        return question_files.read(self._store, self._store.bases.named(base), data, name)

    def export(self, question_set: QuestionSet, *, table: bool = False) -> bytes:
        """Return a set as JSON lines, or as CSV with `table`, for an import."""
        questions = golds.portable(self._store, golds.resolve(self._store, question_set))
        return question_files.dump_table(questions) if table else question_files.dump(questions)


class Questions:
    """The questions in the sets of a workspace."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._table = store.questions
        # These change rows and nothing else.
        self.add, self.update, self.delete_for_good = self._table.add, self._table.edit, self._table.delete
        self.accept, self.reject = self._table.accept, self._table.reject
        self.remove_passage = self._table.remove_gold

    def all(self, question_set: QuestionSet) -> list[Question]:
        """Return a set's questions with the current positions of their right passages; missing ones are flagged."""
        return golds.resolve(self._store, question_set)

    def suggest(
        self,
        question_set: QuestionSet,
        count: int = SUGGESTED,
        *,
        by_model: bool = False,
        progress: Progress = no_progress,
    ) -> list[Question]:
        """Add suggested questions that the notes answer, made by rules or by the configured language model.

        Questions that the set already has are left out. Raises ConfigError if no model is set up, and ProviderError if
        it fails.
        """
        base = self._store.bases.by_id(question_set.base_id)
        existing = self._table.for_set(question_set)
        ids, texts = {question.id for question in existing}, {question.text for question in existing}
        notes = (self._store.notes.note(card.id) for card in self._store.notes.cards(Filters(bases=(base.name,))))
        limit, llm = count + len(ids), self._settings.llm
        suggested = (
            note_questions.suggest_by_model(notes, Chat(llm), limit, characters=llm.input_characters, progress=progress)
            if by_model
            else note_questions.suggest(notes, limit)
        )
        fresh = [question for question in suggested if question.id not in ids and question.text not in texts]
        return self._table.add(question_set, fresh[:count])

    # right passages, by a click

    def mark(self, question_set: QuestionSet, text: str, hit: Hit) -> Question:
        """Add a hit's passage to the right passages of a question; a new question is added to the set.

        For a chunk that the user edited, the passage is the note's own text. Raises QuestionSetError for a chunk that
        the user added, because its text isn't in the note.
        """
        known = self._with_text(question_set, text)
        if known is None:
            return self._table.add(question_set, [Question("", text.strip(), (self._gold(hit),))])[0]
        self.add_passage(question_set, known.id, hit)
        return self._table.question(question_set, known.id)

    def unmark(self, question_set: QuestionSet, text: str, hit: Hit) -> None:
        """Remove a hit's passage from the right passages of a question.

        A question that then has no passages, kind, remark or answer is deleted, because `mark` added it.
        """
        question = self._with_text(question_set, text)
        if question is None:
            return
        spans = [gold for gold in question.spans if not gold.is_within(hit)]
        if len(spans) == len(question.spans):
            return
        if spans or question.kind or question.note or question.answer:
            self._table.edit(question_set, question.id, replace(question, gold=tuple(spans)))
        else:
            self._table.delete(question_set, [question.id])

    def marked(self, question_set: QuestionSet, text: str) -> tuple[GoldSpan, ...]:
        """Return the right passages of a question at their last known positions, none for an unknown question."""
        question = self._with_text(question_set, text)
        return question.spans if question else ()

    def add_passage(self, question_set: QuestionSet, question_id: str, hit: Hit) -> None:
        """Add a hit's passage to the right passages of a question in the set; raises the errors of `mark`."""
        self._table.add_gold(question_set, question_id, self._gold(hit))

    def narrow_passage(self, question_set: QuestionSet, question_id: str, gold: GoldSpan, quote: str) -> None:
        """Replace a right passage with a part of it: a click marks a whole chunk, but the answer may be one sentence.

        Raises QuestionSetError for a text outside the passage, and NoteNotFound.
        """
        part = golds.narrow(self._store.notes.note(gold.note_id), gold, quote)
        question = self._table.question(question_set, question_id)
        spans = tuple(part if span == gold else span for span in question.spans)
        self._table.edit(question_set, question_id, replace(question, gold=spans))

    # within

    def _with_text(self, question_set: QuestionSet, text: str) -> Question | None:
        return next((known for known in self._table.for_set(question_set) if known.text == text.strip()), None)

    def _gold(self, hit: Hit) -> GoldSpan:
        if hit.chunk.start == hit.chunk.end:
            raise QuestionSetError(
                hit.note.path or hit.note.title,
                0,
                (
                    "you wrote this passage yourself, and it isn't in the note. Choose a passage "
                    "from the note's own text."
                ),
            )
        return golds.gold_at(self._store.notes.note(hit.note.id), hit.chunk.start, hit.chunk.end)
