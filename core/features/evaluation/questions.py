"""Manage question sets and their questions (typed, suggested or marked on hits), and read and write question files."""

import csv
import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, replace
from io import StringIO
from pathlib import Path

from core.base import files
from core.base.codec import assemble
from core.base.errors import QueryError, QuestionSetError, RowError
from core.base.faults import translate_parse_error
from core.base.frozen import TextMap, Values, frozen
from core.base.messages import message
from core.features.evaluation import golds, note_questions
from core.features.evaluation.comparison import FORMULA, csv_of
from core.features.evaluation.golds import problem_of, raise_any
from core.intake.encoding import decode_file
from core.intake.rows import noun, parse_json
from core.model import Filters, Gold, GoldSpan, Hit, KnowledgeBase, Progress, Question, QuestionSet, no_progress
from core.model.limits import check_question
from core.providers.chat import Chat
from core.settings.config import Settings
from core.store import Store

# Maximum size of a question file, in bytes.
MOST_BYTES = 50 * 2**20

# File name suffixes for question files that are tables.
TABLES = (".csv", ".tsv")


def content(path: Path) -> bytes:
    """Return the contents of a file. Raises SourceError if it can't be read or isn't a regular file."""
    with files.open_user_file(path, MOST_BYTES) as stream:
        return stream.read(MOST_BYTES)


def parse(data: bytes, name: str) -> list[Question]:
    """Return the questions in a file. A suffix in TABLES means that the file is CSV. Any other file is JSON Lines.

    Each JSON line has `id`, `question` and `gold`, and optionally `kind`, `any`, `note`, `suggested` and `answer` (the
    expected answer). `gold` is a list of objects with `path` and `quote`. If the quote occurs more than once, `start`
    is its position in the note's body. `gold` is empty if the notes have no answer. Raises a single QuestionSetError
    that lists all invalid lines.
    """
    if name.lower().endswith(TABLES):
        return parse_table(data, name)
    problems = []
    questions: dict[str, Question] = {}
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            question = _question(parse_json(raw), number)
        except RowError as error:
            problems.append((number, error.message))
            continue
        known = questions.setdefault(question.id, question)
        if known is not question:
            problems.append(
                (number, message("the id '{id}' is already used in line {line}.", id=question.id, line=known.line))
            )
    raise_any(name, problems)
    return list(questions.values())


def dump(questions: Iterable[Question]) -> bytes:
    """Return questions as JSON Lines. `parse` reads the same format."""
    return "".join(f"{json.dumps(_row(question), ensure_ascii=False)}\n" for question in questions).encode()


def read(store: Store, base: KnowledgeBase, data: bytes, name: str, *, taken: Collection[str] = ()) -> list[Question]:
    """Return the questions in a file, ready to add to a question set, with their correct passages located in a base.

    `taken` contains the ids of questions already in the question set. Raises a single QuestionSetError that lists all
    invalid questions.
    """
    questions = parse(data, name)
    if not questions:
        raise QuestionSetError(name, 1, "there are no questions in this file.")
    problems = []
    for question in questions:
        try:
            check_question(question.text)
        except QueryError as error:
            problems.append(problem_of(question, error))
        if question.id in taken:
            problems.append((question.line, message("the id '{id}' is already in the question set.", id=question.id)))
    raise_any(name, problems)
    return golds.place(store, base, questions, name)


def _row(question: Question) -> Values:
    optional = {"answer": question.answer, "note": question.note, "suggested": question.suggested}
    return {
        "id": question.id,
        "question": question.text,
        "kind": question.kind,
        "gold": [{name: value for name, value in asdict(gold).items() if value is not None} for gold in question.gold],
        "any": question.any,
        **{name: value for name, value in optional.items() if value},
    }


@frozen
class _QuestionRow:
    id: str
    question: str
    gold: tuple[Gold, ...]
    any: bool = True
    kind: str = ""
    note: str = ""
    suggested: bool = False
    answer: str = ""


def _question(row: object, line: int) -> Question:
    """Return the question in a row. Raises RowError if the row is invalid."""
    if not isinstance(row, dict):
        raise RowError("this must be a JSON object with id, question and gold.")
    read: _QuestionRow = noun(_QuestionRow, row, exact=False)
    for part, names in [(read, ("id", "question")), *((gold, ("path", "quote")) for gold in read.gold)]:
        for name in names:
            if not getattr(part, name).strip():
                raise RowError("the field '{name}' is missing.", name=name)
    if any(gold.start is not None and gold.start < 0 for gold in read.gold):
        raise RowError("'start' must be a character position, 0 or more.")
    return assemble(Question, read, text=read.question, line=line)


# Question files in CSV, with a row for each correct passage.

# Columns of a CSV file. `answer`, `note`, `suggested` and `start` may follow. Any other columns are ignored.
COLUMNS = ("id", "question", "kind", "any", "path", "quote")

_MORE = ("answer", "note", "suggested", "start")
_NEEDED = ("id", "question", "path", "quote")
_DELIMITERS = ",;\t"
_TRUTH = {
    **dict.fromkeys(("true", "yes", "1", "是", "真"), True),
    **dict.fromkeys(("false", "no", "0", "否", "假"), False),
}
# Key for the contents of any cells to the right of the named columns.
_OVER = ""

Row = TextMap


def parse_table(data: bytes, name: str) -> list[Question]:
    """Return the questions in a CSV file. Its delimiter may be a comma, semicolon or tab, and its encoding may be any.

    Rows with the same id belong to the same question. If a row has no path or quote, its question has no answer in the
    notes. Raises a single QuestionSetError that lists all invalid lines, or SourceError if the data isn't text.
    """
    problems = []
    questions: dict[str, Question] = {}
    golds: dict[str, list[Gold]] = {}
    for line, row in _rows(decode_file(data, name).text, name) if data.strip() else ():
        try:
            question = _row_question(row, line, questions.get(row.get("id", "").strip()))
            golds.setdefault(question.id, []).extend(question.gold)
            questions.setdefault(question.id, replace(question, gold=()))
        except RowError as error:
            problems.append((line, error.message))
    raise_any(name, problems)
    return [replace(question, gold=tuple(golds[key])) for key, question in questions.items()]


def dump_table(questions: Iterable[Question]) -> bytes:
    """Return questions as CSV. `parse_table` reads the same format.

    A question has one row for each correct passage, or a single row if it has no correct passages.
    """
    rows = [_row(question) | asdict(gold) for question in questions for gold in question.gold or (Gold("", ""),)]
    columns = [*COLUMNS, *(name for name in _MORE if any(row.get(name) is not None for row in rows))]
    return csv_of([columns, *([_cell(row.get(name)) for name in columns] for row in rows)])


def _cell(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _rows(text: str, name: str) -> Iterator[tuple[int, Row]]:
    """Yield each non-blank row, with the number of its first line."""
    first = text.lstrip(f"{_DELIMITERS} \r\n").partition("\n")[0]
    reader = csv.reader(StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=first.count), strict=True)
    header = list[str]()
    line = 1
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                pass
            elif not header:
                header = [cell.strip().lower() for cell in cells]
                if missing := [column for column in _NEEDED if column not in header]:
                    raise QuestionSetError(
                        name,
                        line,
                        "the first line lacks {missing}. It names the columns: {columns}.",
                        missing=missing,
                        columns=COLUMNS,
                    )
            else:
                # Remove the apostrophe that keeps spreadsheets from reading a cell as a formula.
                plain = [cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell for cell in cells]
                yield line, dict(zip(header, plain, strict=False)) | {_OVER: "".join(cells[len(header) :]).strip()}
            line = reader.line_num + 1
    except csv.Error as error:
        raise QuestionSetError(
            name,
            line,
            "this isn't CSV ({reason}). Check its quotation marks.",
            reason=translate_parse_error(str(error)),
        ) from error


def _row_question(row: Row, line: int, known: Question | None) -> Question:
    """Return the question in a row, with the row's correct passage, if any. Raises RowError if the row is invalid.

    `known` is the same question as read from earlier rows. It provides the values for blank cells.
    """
    if row[_OVER]:
        raise RowError("this row has more cells than the first line. Put cells that contain commas in quotation marks.")
    if missing := [column for column in _NEEDED if column not in row]:
        raise RowError(
            "this row ends before {missing}. A cell can be empty, but it still needs its comma.", missing=missing
        )
    cells: Values = {name: text for name, text in row.items() if text.strip()}
    cells |= {name: _TRUTH.get(row[name].strip().lower(), row[name]) for name in ("any", "suggested") if name in cells}
    gold = {name: cells[name] for name in ("path", "quote", "start") if name in cells}
    start = row.get("start", "").strip()
    if re.fullmatch("[0-9]{1,9}", start):
        gold["start"] = int(start)
    cells |= {"id": row["id"].strip(), "gold": [gold] if gold.keys() & {"path", "quote"} else []}
    before = _row(known) if known else {}
    question = _question(before | cells, line)
    now = _row(question)
    for column in ("question", "kind", "any", "answer", "note", "suggested"):
        if known and now.get(column) != before.get(column):
            raise RowError(
                "the id '{id}' has a different '{column}' in line {line}. Use the same value, or another id.",
                id=known.id,
                column=column,
                line=known.line,
            )
    return question


# Default number of questions to suggest.
SUGGESTED = 20


class QuestionSets:
    """The question sets in a workspace."""

    content = staticmethod(content)

    def __init__(self, store: Store) -> None:
        self._store = store
        self._table = store.questions
        # These methods only change rows.
        self.rename = self._table.rename_set
        self.delete_for_good = self._table.delete_set
        self.find = self._table.find

    def all(self, base: str) -> list[QuestionSet]:
        """Return a base's question sets."""
        return self._table.sets(self._store.bases.named(base))

    def get(self, base: str, name: str) -> QuestionSet:
        """Return a question set by name. Raises UnknownChoice, which lists the existing names."""
        return self._table.named(self._store.bases.named(base), name)

    def add(self, base: str, name: str) -> QuestionSet:
        """Create an empty question set, and return the set. Raises ConfigError if the name is blank or taken."""
        return self._table.add_set(self._store.bases.named(base), name)

    def add_file(self, base: str, set_name: str, data: bytes, name: str) -> QuestionSet:
        """Add the questions in a file to a question set, which is created if necessary. Return the question set.

        Raises QuestionSetError if a question is invalid. In that case, no question is added.
        """
        named = self._store.bases.named(base)
        question_set = next((known for known in self._table.sets(named) if known.name == set_name.strip()), None)
        questions = read(
            self._store,
            named,
            data,
            name,
            taken={question.id for question in self._table.for_set(question_set)} if question_set else (),
        )
        if question_set is None:
            return self._table.add_set(named, set_name, questions)
        self._table.add(question_set, questions)
        return self._table.named(named, question_set.name)

    def read(self, base: str, data: bytes, name: str) -> list[Question]:
        """Return the questions in a file, with their correct passages located.

        Raises QuestionSetError if a question is invalid.
        """
        return read(self._store, self._store.bases.named(base), data, name)

    def export(self, question_set: QuestionSet, *, table: bool = False) -> bytes:
        """Return the contents of a question file with a question set's questions, which can be imported again.

        The file is CSV if `table` is True, or JSON Lines if not.
        """
        questions = golds.portable(self._store, golds.resolve(self._store, question_set))
        return (dump_table if table else dump)(questions)


class Questions:
    """The questions in a workspace's question sets."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._table = store.questions
        # These methods only change rows.
        self.add = self._table.add
        self.update = self._table.edit
        self.delete_for_good = self._table.delete
        self.accept = self._table.accept
        self.reject = self._table.reject
        self.remove_passage = self._table.remove_gold

    def all(self, question_set: QuestionSet) -> list[Question]:
        """Return a question set's questions with the current positions of their correct passages.

        Missing passages are flagged.
        """
        return golds.resolve(self._store, question_set)

    def suggest(
        self,
        question_set: QuestionSet,
        count: int = SUGGESTED,
        *,
        by_model: bool = False,
        progress: Progress = no_progress,
    ) -> list[Question]:
        """Suggest questions that the notes answer, add them to a question set, and return them.

        They are generated by rules or, if `by_model` is True, by the language model in the settings. Questions already
        in the set are left out. Raises ConfigError if no model is set up, and ProviderError if the model fails.
        """
        base = self._store.base(question_set.base_id)
        existing = self._table.for_set(question_set)
        ids = {question.id for question in existing}
        texts = {question.text for question in existing}
        notes = (self._store.note(card.id) for card in self._store.notes.cards(Filters(bases=(base.name,))))
        limit = count + len(ids)
        llm = self._settings.llm
        suggested = (
            note_questions.suggest_by_model(notes, Chat(llm), limit, characters=llm.input_characters, progress=progress)
            if by_model
            else note_questions.suggest(notes, limit)
        )
        fresh = [question for question in suggested if question.id not in ids and question.text not in texts]
        return self._table.add(question_set, fresh[:count])

    # mark correct passages

    def mark(self, question_set: QuestionSet, text: str, hit: Hit) -> Question:
        """Mark a hit's passage as a correct passage for a question. A new question is added to the question set.

        If the user edited the chunk, the passage is the note's original text. Raises QuestionSetError if the user wrote
        the chunk, because its text isn't in the note.
        """
        known = self._with_text(question_set, text)
        if known is None:
            return self._table.add(question_set, [Question("", text.strip(), (self._gold(hit),))])[0]
        self.add_passage(question_set, known.id, hit)
        return self._table.question(question_set, known.id)

    def unmark(self, question_set: QuestionSet, text: str, hit: Hit) -> None:
        """Remove a hit's passage from a question's correct passages.

        A question that then has no passages, kind, note or answer is deleted, because `mark` added it.
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
        """Return a question's correct passages at their last known positions, or () if there is no such question."""
        question = self._with_text(question_set, text)
        return question.spans if question else ()

    def add_passage(self, question_set: QuestionSet, question_id: str, hit: Hit) -> None:
        """Add a hit's passage to a question's correct passages, given the question's id.

        Raises the same errors as `mark`.
        """
        self._table.add_gold(question_set, question_id, self._gold(hit))

    def narrow_passage(self, question_set: QuestionSet, question_id: str, gold: GoldSpan, quote: str) -> None:
        """Narrow a correct passage to a quote from it. Marking a hit always marks a whole chunk.

        Raises QuestionSetError unless `quote` occurs in the passage exactly once, and NoteNotFound if the note was
        deleted.
        """
        part = golds.narrow(self._store.note(gold.note_id), gold, quote)
        question = self._table.question(question_set, question_id)
        self._table.edit(
            question_set,
            question_id,
            replace(question, gold=tuple(part if span == gold else span for span in question.spans)),
        )

    # helpers

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
        return golds.gold_at(self._store.note(hit.note.id), hit.chunk.start, hit.chunk.end)
