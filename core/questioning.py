"""Question sets on a base: typed, imported, suggested, or clicked together from hits."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from core.config import Settings
from core.errors import QuestionSetError
from core.evaluation import golds, questions, sheets, suggestions
from core.model import Filters, GoldSpan, Hit, Progress, Question, QuestionSet, unheard
from core.providers.chat import Chat
from core.store import Store

SUGGESTED = 20
"""Questions that are suggested at a time."""


class QuestionSets:
    """The question sets of a workspace."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def sets(self, base: str) -> list[QuestionSet]:
        """Return the question sets of a base."""
        return self._store.questions.sets(self._store.notes.base(base))

    def named_set(self, base: str, name: str) -> QuestionSet:
        """Return the question set of this name; raises UnknownChoice that lists those there are."""
        return self._store.questions.named(self._store.notes.base(base), name)

    def add_set(self, base: str, name: str) -> QuestionSet:
        """Make an empty set; raises ConfigError for a name that can't be or is taken."""
        return self._store.questions.add_set(self._store.notes.base(base), name)

    def rename_set(self, kept: QuestionSet, name: str) -> QuestionSet:
        return self._store.questions.rename_set(kept, name)

    def delete_set(self, kept: QuestionSet) -> None:
        """Delete a set with its questions; its runs stay."""
        self._store.questions.delete_set(kept)

    def questions(self, kept: QuestionSet) -> list[Question]:
        """Return a set's questions with their right passages where they are now; those that are gone are flagged."""
        return golds.resolve(self._store, kept)

    def read(self, base: str, data: bytes, name: str) -> list[Question]:
        """Return the questions of a file with their right passages placed in a base; raises QuestionSetError."""
        return questions.read(self._store, self._store.notes.base(base), data, name)

    def add_file(self, base: str, set_name: str, data: bytes, name: str) -> QuestionSet:
        """Add the questions of a file to a set, made where there is none of this name, all or none.

        Raises one QuestionSetError that lists what can't be taken.
        """
        known = next((kept for kept in self.sets(base) if kept.name == set_name.strip()), None)
        taken = {one.id for one in self._store.questions.of(known)} if known else ()
        found = questions.read(self._store, self._store.notes.base(base), data, name, taken=taken)
        if known is None:
            return self._store.questions.add_set(self._store.notes.base(base), set_name, found)
        self._store.questions.add(known, found)
        return self.named_set(base, known.name)

    def export(self, kept: QuestionSet, *, table: bool = False) -> bytes:
        """Return a set as JSON lines, or as a `table`, CSV, which an import reads."""
        told = golds.told(self._store, self.questions(kept))
        return sheets.dump(told) if table else questions.dump(told)

    def add_questions(self, kept: QuestionSet, added: Iterable[Question]) -> list[Question]:
        """Add questions, all or none; one without an id gets one."""
        return self._store.questions.add(kept, added)

    def edit_question(self, kept: QuestionSet, question_id: str, question: Question) -> None:
        """Put a question in the place of one."""
        self._store.questions.edit(kept, question_id, question)

    def delete_questions(self, kept: QuestionSet, question_ids: Collection[str]) -> int:
        return self._store.questions.delete(kept, question_ids)

    def accept(self, kept: QuestionSet, question_ids: Collection[str]) -> int:
        """Make suggested questions the set's own."""
        return self._store.questions.accept(kept, question_ids)

    def reject(self, kept: QuestionSet, question_ids: Collection[str]) -> int:
        """Delete questions that are still suggested."""
        return self._store.questions.reject(kept, question_ids)

    def suggest(
        self, kept: QuestionSet, count: int = SUGGESTED, *, by_model: bool = False, progress: Progress = unheard
    ) -> list[Question]:
        """Add questions that the notes answer, as suggestions, by rules or by the language model of the settings.

        What the set has already is left out. Raises ProviderError and ConfigError where the model can't be asked.
        """
        base = self._store.notes.base_of(kept.base_id)
        there = {one.id for one in self._store.questions.of(kept)}
        texts = {one.text for one in self._store.questions.of(kept)}
        cards = self._store.notes.cards(Filters(bases=(base.name,)))
        notes = (self._store.notes.note(card.id) for card in cards)
        wanted = count + len(there)
        if by_model:
            found = suggestions.suggest_by_model(
                notes,
                Chat(self._settings.llm),
                wanted,
                characters=self._settings.llm.input_characters,
                progress=progress,
            )
        else:
            found = suggestions.suggest(notes, wanted)
        fresh = [one for one in found if one.id not in there and one.text not in texts]
        return self._store.questions.add(kept, fresh[:count])

    # right passages, by a click

    def mark(self, kept: QuestionSet, text: str, hit: Hit) -> Question:
        """Make a hit's passage a right one of a question, which is added to the set where it isn't there.

        Of a chunk that a person wrote over it is the note's own text. Raises QuestionSetError for one that they
        added, which no note holds.
        """
        known = self._with_text(kept, text)
        if known is None:
            return self._store.questions.add(kept, [Question("", text.strip(), (self._gold(hit),))])[0]
        self.add_passage(kept, known.id, hit)
        return self._store.questions.question(kept, known.id)

    def unmark(self, kept: QuestionSet, text: str, hit: Hit) -> None:
        """Take a hit's passage from the right ones of a question.

        A question that has none then, no kind and no remark is deleted: a click made it, and this one takes it back.
        """
        known = self._with_text(kept, text)
        if known is None:
            return
        left = [gold for gold in known.spans if not is_within(gold, hit)]
        if len(left) == len(known.spans):
            return
        if left or known.kind or known.note:
            self._store.questions.edit(kept, known.id, replace(known, gold=tuple(left)))
        else:
            self._store.questions.delete(kept, [known.id])

    def marked(self, kept: QuestionSet, text: str) -> tuple[GoldSpan, ...]:
        """Return the right passages of a question where they were last found, none where the set hasn't got it."""
        known = self._with_text(kept, text)
        return known.spans if known else ()

    def add_passage(self, kept: QuestionSet, question_id: str, hit: Hit) -> None:
        """Make a hit's passage a right one of a question of the set; raises as `mark` does."""
        self._store.questions.add_gold(kept, question_id, self._gold(hit))

    def remove_passage(self, kept: QuestionSet, question_id: str, gold: GoldSpan) -> None:
        """Take a right passage from a question."""
        self._store.questions.remove_gold(kept, question_id, gold)

    def narrow_passage(self, kept: QuestionSet, question_id: str, gold: GoldSpan, quote: str) -> None:
        """Put a part of a right passage in its place: a click marks a whole chunk, the answer may be a sentence.

        Raises QuestionSetError for what isn't a part of it, NoteNotFound.
        """
        part = golds.narrowed(self._store.notes.note(gold.note_id), gold, quote)
        question = self._store.questions.question(kept, question_id)
        spans = tuple(part if one == gold else one for one in question.spans)
        self._store.questions.edit(kept, question_id, replace(question, gold=spans))

    # within

    def _with_text(self, kept: QuestionSet, text: str) -> Question | None:
        return next((one for one in self._store.questions.of(kept) if one.text == text.strip()), None)

    def _gold(self, hit: Hit) -> GoldSpan:
        if hit.chunk.start == hit.chunk.end:
            reason = "you wrote this passage yourself, and the note doesn't hold it. Choose one of the note's own text."
            raise QuestionSetError(hit.note.path or hit.note.title, 0, reason)
        return golds.gold_at(self._store.notes.note(hit.note.id), hit.chunk.start, hit.chunk.end)


def is_within(gold: GoldSpan, hit: Hit) -> bool:
    """Tell whether a right passage stands in a hit's chunk as a whole."""
    return gold.note_id == hit.note.id and hit.chunk.start <= gold.start and gold.end <= hit.chunk.end
