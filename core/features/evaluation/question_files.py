"""Reading and writing question files, as JSON lines or CSV."""

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, NonNegativeInt, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from core.base import files
from core.base.errors import QueryError, QuestionSetError, RowError
from core.base.faults import translate_parse_error
from core.base.messages import message, verbatim
from core.features.evaluation import golds
from core.features.evaluation.golds import Problems
from core.intake.encoding import decode_file
from core.model import Gold, KnowledgeBase, Question
from core.model.limits import check_question
from core.store import Store

MOST_BYTES = 50 * 2**20
"""Maximum size of a question file, in bytes."""

TABLES = (".csv", ".tsv")
"""Suffixes of CSV files."""


def content(path: Path) -> bytes:
    """Return the bytes of a file; raises SourceError if it can't be read or isn't a regular file."""
    with files.open_user_file(path, MOST_BYTES) as stream:
        return stream.read(MOST_BYTES)


def parse(data: bytes, name: str) -> list[Question]:
    """Return the questions in a file: CSV if its name has one of the suffixes TABLES, else JSON lines.

    Each JSON line has `id`, `question`, `gold`, and optionally `kind`, `any`, `note`, `suggested` and `answer` (the
    expected one). `gold` is a list of objects with `path` and `quote`, and `start` in the note's body if the quote is
    repeated; it is empty if the notes have no answer. Raises one QuestionSetError that lists the bad lines.
    """
    if name.lower().endswith(TABLES):
        return parse_table(data, name)
    problems = Problems(name)
    questions: dict[str, Question] = {}
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            question = _question(json.loads(raw.decode("utf-8")), number)
            known = questions.setdefault(question.id, question)
            if known is question:
                continue
            reason = message("the id '{id}' is already used in line {line}.", id=question.id, line=known.line)
        except UnicodeDecodeError:
            reason = message("this isn't UTF-8. Save the file as UTF-8.")
        except RecursionError:
            reason = message("this is nested too deeply.")
        except json.JSONDecodeError as error:
            reason = message(
                "this isn't a JSON object ({reason}, column {n}).",
                reason=translate_parse_error(error.msg),
                n=error.colno,
            )
        except RowError as error:
            reason = error.message
        except ValueError as error:
            reason = verbatim(str(error))
        problems.add(number, reason)
    problems.raise_any()
    return list(questions.values())


def dump(questions: Iterable[Question]) -> bytes:
    """Return questions as JSON lines for `parse`."""
    return "".join(f"{json.dumps(_row(question), ensure_ascii=False)}\n" for question in questions).encode()


def read(store: Store, base: KnowledgeBase, data: bytes, name: str, *, taken: Collection[str] = ()) -> list[Question]:
    """Return the questions in a file with the positions of their right passages in a base, ready to add to a set.

    `taken` are the ids that the set already has. Raises one QuestionSetError that lists the bad questions.
    """
    questions = parse(data, name)
    if not questions:
        raise QuestionSetError(name, 1, "there are no questions in this file.")
    problems = Problems(name)
    for question in questions:
        try:
            check_question(question.text)
        except QueryError as error:
            problems.add_of(question, error)
        if question.id in taken:
            problems.add(question.line, message("the id '{id}' is already in the question set.", id=question.id))
    problems.raise_any()
    return golds.place(store, base, questions, name)


def _row(question: Question) -> Mapping[str, object]:
    row = {
        "id": question.id,
        "question": question.text,
        "kind": question.kind,
        "gold": [{name: value for name, value in asdict(gold).items() if value is not None} for gold in question.gold],
        "any": question.any,
    }
    optional = {"answer": question.answer, "note": question.note, "suggested": question.suggested}
    return row | {name: value for name, value in optional.items() if value}


_Text = Annotated[str, StringConstraints(pattern="")]
"""Any text without lone surrogates; a pattern makes pydantic check that."""
_Filled = Annotated[str, StringConstraints(pattern=r"\S")]


class _GoldRow(BaseModel):
    model_config = ConfigDict(strict=True)

    path: _Filled
    quote: _Filled
    start: NonNegativeInt | None = None


class _QuestionRow(BaseModel):
    model_config = ConfigDict(strict=True)

    id: _Filled
    question: _Filled
    gold: list[_GoldRow]
    any: bool = True
    kind: _Text = ""
    note: _Text = ""
    suggested: bool = False
    answer: _Text = ""


def _question(row: object, line: int) -> Question:
    """Check one row; raises RowError."""
    try:
        read = _QuestionRow.model_validate(row)
    except ValidationError as error:
        # First report a `gold` that isn't a list of objects, then other mistakes.
        raise _mistake(
            min(error.errors(), key=lambda item: item["loc"][:1] != ("gold",) or len(item["loc"]) > 2)
        ) from error
    golds = tuple(Gold(**gold.model_dump()) for gold in read.gold)
    return Question(read.id, read.question, golds, line=line, **read.model_dump(exclude={"id", "question", "gold"}))


def _mistake(error: ErrorDetails) -> RowError:
    place = error["loc"]
    if not place:
        return RowError("this must be a JSON object with id, question and gold.")
    if place[0] == "gold" and len(place) < 3:
        return RowError("'gold' must be a list of objects with path and quote.")
    key = place[-1]
    if error["type"] == "string_unicode":
        return RowError("'{key}' contains half a character.", key=key)
    if key == "start":
        return RowError("'start' must be a character position, 0 or more.")
    if key in ("any", "suggested"):
        return RowError("'{key}' must be true or false.", key=key)
    if key in ("kind", "note", "answer"):
        return RowError("'{key}' must be text.", key=key)
    return RowError("'{key}' is missing or isn't text.", key=key)


# Questions as a CSV table with a row for each right passage.

COLUMNS = ("id", "question", "kind", "any", "path", "quote")
"""Columns of a CSV file; `answer`, `note`, `suggested` and `start` are optional, other columns are ignored."""

_MORE = ("answer", "note", "suggested", "start")
_NEEDED = ("id", "question", "path", "quote")
_DELIMITERS = ",;\t"
_TRUTH = {
    **dict.fromkeys(("true", "yes", "1", "是", "真"), True),
    **dict.fromkeys(("false", "no", "0", "否", "假"), False),
}
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
"""Start of a cell that a spreadsheet reads as a formula, after any protecting apostrophes."""

_OVER = ""
"""Key for the cells beyond the named columns."""
_DIGITS = 10

Row = Mapping[str, str]


def parse_table(data: bytes, name: str) -> list[Question]:
    """Return the questions in a CSV file, in any encoding, separated by commas, semicolons or tabs.

    Rows with the same id are one question; a row without path and quote is a question without an answer. Raises one
    QuestionSetError that lists the bad lines, and SourceError for data that isn't text.
    """
    if not data.strip():
        return []
    return _questions(_rows(decode_file(data, name).text, name), name)


def dump_table(questions: Iterable[Question]) -> bytes:
    """Return questions as CSV for `parse_table`."""
    rows = list(_table(questions))
    columns = [*COLUMNS, *(name for name in _MORE if any(row[name] for row in rows))]
    return to_csv([columns, *([row[name] for name in columns] for row in rows)])


def to_csv(rows: Iterable[Iterable[str]]) -> bytes:
    """Return rows as CSV for spreadsheets: UTF-8 with a byte order mark, separated by commas.

    Cells that a spreadsheet would read as a formula begin with a protecting apostrophe.
    """
    text = io.StringIO(newline="")
    csv.writer(text).writerows(map(_safe, row) for row in rows)
    return text.getvalue().encode("utf-8-sig", "replace")


def _rows(text: str, name: str) -> Iterator[tuple[int, Row]]:
    """Yield each row that isn't blank, with the number of its first line."""
    first = text.lstrip(f"{_DELIMITERS} \r\n").partition("\n")[0].lower()
    # The delimiter that yields the most column names in the first line.
    delimiter = max(_DELIMITERS, key=lambda sign: len({name.strip(' "\r') for name in first.split(sign)} & {*COLUMNS}))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
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
                        "the column {missing} is missing. The first line names the columns: {columns}.",
                        missing=missing,
                        columns=COLUMNS,
                    )
            else:
                row = dict(zip(header, map(_unprotect, cells), strict=False))
                yield line, row | {_OVER: "".join(cells[len(header) :]).strip()}
            line = reader.line_num + 1
    except csv.Error as error:
        raise QuestionSetError(
            name,
            line,
            "this isn't CSV ({reason}). Check its quotation marks.",
            reason=translate_parse_error(str(error)),
        ) from error


def _questions(rows: Iterable[tuple[int, Row]], name: str) -> list[Question]:
    """Merge rows with the same id into one question."""
    problems = Problems(name)
    questions: dict[str, Question] = {}
    golds: dict[str, list[Gold]] = {}
    for line, row in rows:
        try:
            _check_length(row)
            question = _row_question(row, line, questions.get(row["id"].strip()))
            golds.setdefault(question.id, []).extend(question.gold)
            questions.setdefault(question.id, replace(question, gold=()))
        except RowError as error:
            problems.add(line, error.message)
    problems.raise_any()
    return [replace(question, gold=tuple(golds[key])) for key, question in questions.items()]


def _check_length(row: Row) -> None:
    if row[_OVER]:
        raise RowError("this row has more cells than the first line. Put cells that contain commas in quotation marks.")
    if missing := [column for column in _NEEDED if column not in row]:
        raise RowError(
            "this row ends before {missing}. A cell can be empty, but it still needs its comma.", missing=missing
        )


def _row_question(row: Row, line: int, known: Question | None) -> Question:
    """Return the question in a row, with the right passage if the row has one; raises RowError.

    Blank cells take their values from `known`, the question from earlier rows.
    """
    cells: dict[str, object] = {name: text for name, text in row.items() if text.strip()}
    cells |= {name: _TRUTH.get(row[name].strip().lower(), row[name]) for name in ("any", "suggested") if name in cells}
    gold = {name: cells[name] for name in ("path", "quote", "start") if name in cells}
    start = row.get("start", "").strip()
    if start.isascii() and start.isdigit() and len(start) < _DIGITS:
        gold["start"] = int(start)
    cells |= {"id": row["id"].strip(), "gold": [gold] if gold.keys() & {"path", "quote"} else []}
    if known is None:
        return _question(cells, line)
    before = _row(known)
    question = _question({**before, **cells}, line)
    now = _row(question)
    for column in ("question", "kind", "any", "answer", "note", "suggested"):
        if now.get(column) != before.get(column):
            raise RowError(
                "the id '{id}' has a different '{column}' in line {line}.", id=known.id, column=column, line=known.line
            )
    return question


def _table(questions: Iterable[Question]) -> Iterator[dict[str, str]]:
    """Yield a row for each right passage, and one row for a question without any."""
    for question in questions:
        for gold in question.gold or (Gold("", ""),):
            yield {
                "id": question.id,
                "question": question.text,
                "kind": question.kind,
                "any": "true" if question.any else "false",
                "path": gold.path,
                "quote": gold.quote,
                "answer": question.answer,
                "note": question.note,
                "suggested": "true" if question.suggested else "",
                "start": "" if gold.start is None else str(gold.start),
            }


def _safe(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _unprotect(cell: str) -> str:
    """Return a cell without a protecting apostrophe."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
