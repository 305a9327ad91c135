"""Tables for question sets, their questions, and the correct passages (those that answer the questions)."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from itertools import count

from core.base.datetimes import utc_now
from core.base.errors import ConfigError, QuestionSetError, UnknownChoice
from core.base.frozen import attributes
from core.model import GoldSpan, KnowledgeBase, Question, QuestionSet
from core.model.limits import check_question
from core.store.ids import fresh_id
from core.store.reading import RowReader, columns_of
from core.store.table import Ids, QuestionedTable

_SETS = """
    SELECT question_sets.*,
           (SELECT count(*) FROM questions WHERE set_id = question_sets.id) AS questions,
           (SELECT count(*) FROM questions WHERE set_id = question_sets.id AND suggested) AS suggested,
           (SELECT count(DISTINCT question) FROM golds JOIN questions ON questions.rowid = question
            WHERE set_id = question_sets.id AND flagged) AS flagged
    FROM question_sets
"""
_PLACE = 'question = ? AND note_id = ? AND start = ? AND "end" = ?'

# A correct passage's key: the question's rowid, and the passage's number within the question.
GoldKey = tuple[int, int]


class QuestionTable(QuestionedTable):
    """A workspace's question sets. Writing to this table doesn't affect search results.

    Questions keep the order in which they were added. The methods raise QuestionSetError for invalid questions.
    """

    asked = "questions", "text", "TRUE"

    # question sets

    def sets(self, base: KnowledgeBase) -> list[QuestionSet]:
        return self._nouns(_SET, f"{_SETS} WHERE base_id = ? ORDER BY name", base.id)

    def named(self, base: KnowledgeBase, name: str) -> QuestionSet:
        """Return the question set with the given name. Raises UnknownChoice, listing the known question sets."""
        sets = {question_set.name: question_set for question_set in self.sets(base)}
        if name not in sets:
            raise UnknownChoice("question set", name, sets)
        return sets[name]

    def find(self, set_id: str) -> QuestionSet | None:
        return next(iter(self._nouns(_SET, f"{_SETS} WHERE id = ?", set_id)), None)

    def add_set(self, base: KnowledgeBase, name: str, questions: Sequence[Question] = ()) -> QuestionSet:
        """Add a question set with its questions. Raises ConfigError if the name is blank or taken."""
        with self._write(aside=True):
            question_set = self._insert_set(QuestionSet("", base.id, self._free_name(base.id, name), utc_now()))
            self.add(question_set, questions)
        return self._current(question_set)

    def put_set(self, question_set: QuestionSet, questions: Sequence[Question]) -> None:
        """Insert a question set. It keeps its id unless the id is taken."""
        with self._write(aside=True):
            self._add(self._insert_set(question_set), questions)

    def _insert_set(self, question_set: QuestionSet) -> QuestionSet:
        taken = ["", *self._column("SELECT id FROM question_sets")]
        if question_set.id in taken:
            question_set = replace(question_set, id=fresh_id(f"{question_set.base_id}/{question_set.name}", taken))
        row = columns_of(question_set)
        self._insert("question_sets", {name: row[name] for name in ("id", "base_id", "name", "created_at")})
        return question_set

    def rename_set(self, question_set: QuestionSet, name: str) -> QuestionSet:
        """Rename a question set. Raises ConfigError if the name is blank or taken."""
        if name.strip() == question_set.name:
            return question_set
        with self._write(aside=True):
            name = self._free_name(question_set.base_id, name)
            self._execute("UPDATE question_sets SET name = ? WHERE id = ?", name, question_set.id)
        return self._current(replace(question_set, name=name))

    def delete_set(self, question_set: QuestionSet) -> None:
        self._execute("DELETE FROM question_sets WHERE id = ?", question_set.id, aside=True)

    # questions

    def for_set(self, question_set: QuestionSet) -> list[Question]:
        """Return a question set's questions, with the last known positions of their correct passages."""
        with self._database.read():
            golds = defaultdict(list)
            for (question, _), gold in self.golds(question_set).items():
                golds[question].append(gold)
            return [
                self._question(row, golds[row["rowid"]])
                for row in self._rows("SELECT * FROM questions WHERE set_id = ? ORDER BY rowid", question_set.id)
            ]

    def question(self, question_set: QuestionSet, question_id: str) -> Question:
        with self._database.read():
            row = self._stored(question_set, question_id)
            return self._question(
                row, self._nouns(_GOLD_SPAN, "SELECT * FROM golds WHERE question = ? ORDER BY number", row["rowid"])
            )

    def add(self, question_set: QuestionSet, questions: Iterable[Question]) -> list[Question]:
        """Add questions to a question set, and return them. On error, none are added.

        A question without an id gets the next free id. All correct passages must have positions in notes. Raises
        QueryError if a question is too long.
        """
        questions = list(questions)
        for question in questions:
            check_question(question.text)
        return self._add(question_set, questions)

    def _add(self, question_set: QuestionSet, questions: Iterable[Question]) -> list[Question]:
        with self._write(aside=True):
            self._current(question_set)
            taken = set(self._column("SELECT id FROM questions WHERE set_id = ?", question_set.id))
            added = []
            for question in questions:
                if question.id in taken:
                    raise _repeated(question_set, question)
                free = (f"q-{number:03}" for number in count(len(taken) + 1))
                named = replace(question, id=question.id or next(name for name in free if name not in taken))
                taken.add(named.id)
                added.append(named)
                self._write_question(question_set, named)
        return added

    def edit(self, question_set: QuestionSet, question_id: str, question: Question) -> None:
        """Replace a question and its correct passages. The id may change. Raises the same errors as `add`."""
        check_question(question.text)
        with self._write(aside=True):
            rowid = self._stored(question_set, question_id)["rowid"]
            if question.id != question_id and self._exists(
                "questions WHERE set_id = ? AND id = ?", question_set.id, question.id
            ):
                raise _repeated(question_set, replace(question, line=0))
            self._execute("DELETE FROM questions WHERE rowid = ?", rowid)
            self._write_question(question_set, question, rowid)

    def delete(self, question_set: QuestionSet, question_ids: Ids) -> int:
        return self._change(question_set, question_ids, "DELETE FROM questions WHERE TRUE")

    def accept(self, question_set: QuestionSet, question_ids: Ids) -> int:
        return self._change(question_set, question_ids, "UPDATE questions SET suggested = 0 WHERE suggested")

    def reject(self, question_set: QuestionSet, question_ids: Ids) -> int:
        return self._change(question_set, question_ids, "DELETE FROM questions WHERE suggested")

    # correct passages

    def add_gold(self, question_set: QuestionSet, question_id: str, gold: GoldSpan) -> None:
        """Add a correct passage to a question unless the question already has one at the same position."""
        with self._write(aside=True):
            rowid = self._stored(question_set, question_id)["rowid"]
            if not self._exists(f"golds WHERE {_PLACE}", *_place(rowid, gold)):
                self._write_gold(
                    rowid,
                    self._value("SELECT coalesce(max(number), -1) + 1 FROM golds WHERE question = ?", rowid),
                    gold,
                )

    def remove_gold(self, question_set: QuestionSet, question_id: str, gold: GoldSpan) -> None:
        with self._write(aside=True):
            rowid = self._stored(question_set, question_id)["rowid"]
            self._execute(f"DELETE FROM golds WHERE {_PLACE} AND quote = ?", *_place(rowid, gold), gold.quote)

    def golds(self, question_set: QuestionSet) -> dict[GoldKey, GoldSpan]:
        """Return the correct passages of a question set in order, with their last known positions."""
        return {
            (row["question"], row["number"]): _GOLD_SPAN(row, self._database.unread)
            for row in self._rows(
                "SELECT golds.* FROM golds JOIN questions ON questions.rowid = question"
                " WHERE set_id = ? ORDER BY question, number",
                question_set.id,
            )
        }

    def move_golds(self, moves: Iterable[tuple[GoldKey, GoldSpan, GoldSpan]]) -> None:
        """Move correct passages to new positions. Each move is (key, passage before, passage after).

        Passages that have changed in the meantime are skipped. If a question's passages end up at the same position,
        only the first of them is kept.
        """
        with self._write(aside=True):
            self._execute_many(
                'UPDATE golds SET path = :path, quote = :quote, start = :start, "end" = :end, note_id = :note_id,'
                " flagged = :flagged WHERE question = :question AND number = :number AND note_id = :old_note"
                " AND quote = :old_quote",
                [
                    asdict(now)
                    | {"question": question, "number": number, "old_note": was.note_id, "old_quote": was.quote}
                    for (question, number), was, now in moves
                ],
            )
            # Two passages at the same position would count twice.
            self._execute(
                "DELETE FROM golds WHERE NOT flagged AND EXISTS (SELECT 1 FROM golds AS other"
                " WHERE other.question = golds.question AND other.number < golds.number AND NOT other.flagged"
                ' AND other.note_id = golds.note_id AND other.start = golds.start AND other."end" = golds."end")'
            )

    def note_ids(self, base_id: str) -> dict[str, list[str]]:
        """Return a base's note ids by path, or by title for notes without a path."""
        ids = defaultdict[str, list[str]](list)
        for note_id, path in self._rows(
            "SELECT id, coalesce(path, title) FROM notes WHERE base_id = ? ORDER BY id", base_id
        ):
            ids[path].append(note_id)
        return ids

    # rows

    def _current(self, question_set: QuestionSet) -> QuestionSet:
        if current := self.find(question_set.id):
            return current
        raise QuestionSetError(question_set.name, 0, "this question set was deleted. Choose another set.")

    def _question(self, row: sqlite3.Row, golds: Iterable[GoldSpan]) -> Question:
        return _QUESTION(dict(row) | {"gold": golds}, self._database.unread)

    def _free_name(self, base_id: str, name: str) -> str:
        """Return the stripped name if it is free. Raises ConfigError if the name is blank or taken.

        The caller must be in a transaction, so that no other writer can take the name.
        """
        name = name.strip()
        if not name:
            raise ConfigError("The question set has no name. Type a name.")
        if self._exists("question_sets WHERE base_id = ? AND name = ?", base_id, name):
            raise ConfigError("There is already a question set '{name}'. Choose another name.", name=name)
        return name

    def _stored(self, question_set: QuestionSet, question_id: str) -> sqlite3.Row:
        row = self._row("SELECT * FROM questions WHERE set_id = ? AND id = ?", question_set.id, question_id)
        if row is None:
            raise QuestionSetError(
                question_set.name, 0, "there is no question '{id}'. It may have been deleted.", id=question_id
            )
        return row

    def _change(self, question_set: QuestionSet, question_ids: Ids, change: str) -> int:
        return self._execute(f"{change} AND set_id = ? AND id IN ?", question_set.id, question_ids, aside=True)

    def _write_question(self, question_set: QuestionSet, question: Question, rowid: int | None = None) -> None:
        if not question.id.strip():
            raise QuestionSetError(question_set.name, question.line, "a question has no id. Type one.")
        if not question.text.strip():
            raise QuestionSetError(question_set.name, question.line, "a question has no text. Type one.")
        if len(question.spans) < len(question.gold):
            raise QuestionSetError(
                question_set.name,
                question.line,
                "a correct passage of the question '{id}' isn't in any note. Choose another passage.",
                id=question.id,
            )
        rowid = self._insert(
            "questions",
            attributes(question, ("id", "text", "any", "kind", "note", "suggested", "answer"))
            | {"rowid": rowid, "set_id": question_set.id},
        )
        for number, gold in enumerate(question.spans):
            self._write_gold(rowid, number, gold)

    def _write_gold(self, rowid: int, number: int, gold: GoldSpan) -> None:
        self._insert("golds", asdict(gold) | {"question": rowid, "number": number})


def _repeated(question_set: QuestionSet, question: Question) -> QuestionSetError:
    return QuestionSetError(
        question_set.name, question.line, "the id '{id}' is already in the question set.", id=question.id
    )


def _place(rowid: int, gold: GoldSpan) -> tuple[object, ...]:
    return rowid, gold.note_id, gold.start, gold.end


_SET = RowReader(QuestionSet, "question set", "name")
_QUESTION = RowReader(Question, "question", "text", gold=tuple)
_GOLD_SPAN = RowReader(GoldSpan, "correct passage", "quote", key="quote")
