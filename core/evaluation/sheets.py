"""Questions as a table, a row for each right passage: CSV files and data frames."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from core.encoding import decode
from core.errors import QuestionSetError
from core.evaluation.problems import Problems
from core.model import Gold, Question

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("id", "question", "kind", "any", "path", "quote")
"""A table has these; it may have `note`, `suggested` and `start` too, and columns of other names are left alone."""

_MORE = ("note", "suggested", "start")
_NEEDED = ("id", "question", "path", "quote")
_DELIMITERS = ",;\t"
_TRUTH = {
    **dict.fromkeys(("true", "yes", "1", "是", "真"), True),
    **dict.fromkeys(("false", "no", "0", "否", "假"), False),
}
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
"""How a cell begins that a spreadsheet would take for a formula, behind the apostrophes that keep it from that."""

_OVER = ""
"""Holds what stands in a row beyond its columns."""
_DIGITS = 10

Row = Mapping[str, str]


def parse(data: bytes, name: str) -> list[Question]:
    """Return the questions of a CSV file, whatever its encoding and whether commas, semicolons or tabs part it.

    Rows with one id are one question's; a row without path and quote is of one that the notes don't answer.
    Raises one QuestionSetError that lists the bad lines, SourceError for what is no text.
    """
    if not data.strip():
        return []
    text, _ = decode(data, name)
    return _questions(_rows(text, name), name)


def dump(questions: Iterable[Question]) -> bytes:
    """Return questions as CSV that `parse` reads."""
    rows = list(_told(questions))
    columns = [*COLUMNS, *(name for name in _MORE if any(row[name] for row in rows))]
    return written([columns, *([row[name] for name in columns] for row in rows)])


def written(rows: Iterable[Iterable[str]]) -> bytes:
    """Return rows as CSV that spreadsheets read: in UTF-8 with its mark, parted by commas.

    An apostrophe goes before what a spreadsheet would take for a formula.
    """
    text = io.StringIO(newline="")
    csv.writer(text).writerows(map(_safe, row) for row in rows)
    return text.getvalue().encode("utf-8-sig", "replace")


def to_frame(questions: Iterable[Question]) -> "pd.DataFrame":
    """Return questions as a data frame with the columns of a table; `any` and `suggested` are booleans."""
    import pandas as pd

    columns = (*COLUMNS, *_MORE)
    rows = [{**row, "any": row["any"] == "true", "suggested": row["suggested"] == "true"} for row in _told(questions)]
    return pd.DataFrame(rows, columns=list(columns))


def from_frame(frame: "pd.DataFrame", name: str = "table") -> list[Question]:
    """Return the questions of a data frame such as `to_frame` gives; raises QuestionSetError as `parse` does.

    Its lines are numbers of rows, from 1.
    """
    import pandas as pd

    columns = {str(column).strip().lower(): column for column in frame.columns}
    _check(columns, name)
    cells = {key: frame[column].tolist() for key, column in columns.items() if key in (*COLUMNS, *_MORE)}
    rows = (
        (line, {key: "" if pd.isna(values[line - 1]) else _cell(values[line - 1]) for key, values in cells.items()})
        for line in range(1, len(frame) + 1)
    )
    return _questions(rows, name)


def _cell(value: object) -> str:
    """A cell's text; whole numbers of a column with gaps are floats there."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _check(columns: Iterable[str], name: str, line: int = 1) -> None:
    missing = [column for column in _NEEDED if column not in columns]
    if missing:
        reason = f"the column {', '.join(missing)} is missing. The first line names the columns: {', '.join(COLUMNS)}."
        raise QuestionSetError(name, line, reason)


def _rows(text: str, name: str) -> Iterator[tuple[int, Row]]:
    """Yield each row that isn't blank, with the line it begins in."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    header: list[str] = []
    line = 1
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                pass
            elif not header:
                header = [cell.strip().lower() for cell in cells]
                _check(header, name, line)
            else:
                row = dict(zip(header, map(_typed, cells), strict=False))
                yield line, row | {_OVER: "".join(cells[len(header) :]).strip()}
            line = reader.line_num + 1
    except csv.Error as error:
        raise QuestionSetError(name, line, f"this isn't CSV ({error}). Check its quotation marks.") from error


def _delimiter(text: str) -> str:
    """What parts the most of the names that the first line has."""
    first = text.lstrip(f"{_DELIMITERS} \r\n").partition("\n")[0].lower()
    return max(_DELIMITERS, key=lambda sign: len({name.strip(' "\r') for name in first.split(sign)} & {*COLUMNS}))


def _questions(rows: Iterable[tuple[int, Row]], name: str) -> list[Question]:
    """Make one question of the rows with one id."""
    problems = Problems(name)
    questions: dict[str, Question] = {}
    golds: dict[str, list[Gold]] = {}
    for line, row in rows:
        try:
            question = _question(row, line, questions.get(row["id"].strip()))
            golds.setdefault(question.id, []).extend(_gold(row))
        except ValueError as error:
            problems.add(line, str(error))
        else:
            questions.setdefault(question.id, question)
    problems.raise_any()
    return [replace(question, gold=tuple(golds[key])) for key, question in questions.items()]


def _question(row: Row, line: int, known: Question | None) -> Question:
    """Return the question of a row, `known` where it has rows already; raises ValueError with the sentence."""
    if row.get(_OVER):
        raise ValueError("this row has more cells than the first line. Put quotation marks around what holds commas.")
    if not row["id"].strip():
        raise ValueError("'id' is missing or isn't text.")
    if not (row["question"].strip() or known):
        raise ValueError("'question' is missing or isn't text.")
    if known is None:
        return Question(
            row["id"].strip(),
            row["question"],
            (),
            any=_truth(row, "any", True),
            kind=row.get("kind", ""),
            line=line,
            note=row.get("note", ""),
            suggested=_truth(row, "suggested", False),
        )
    again = {
        "question": row["question"] in ("", known.text),
        "kind": row.get("kind", "") in ("", known.kind),
        "any": _truth(row, "any", known.any) == known.any,
        "note": row.get("note", "") in ("", known.note),
        "suggested": _truth(row, "suggested", known.suggested) == known.suggested,
    }
    for column, same in again.items():
        if not same:
            raise ValueError(f"the id '{known.id}' has another '{column}' in line {known.line}.")
    return known


def _gold(row: Row) -> list[Gold]:
    """The right passage of a row, where it has one."""
    path, quote, start = row["path"], row["quote"], row.get("start", "").strip()
    if not path.strip() and not quote.strip():
        return []
    for column, text in (("path", path), ("quote", quote)):
        if not text.strip():
            raise ValueError(f"'{column}' is missing or isn't text.")
    if start and not (start.isascii() and start.isdigit() and len(start) < _DIGITS):
        raise ValueError("'start' must be a number of characters, 0 or more.")
    return [Gold(path, quote, int(start) if start else None)]


def _truth(row: Row, column: str, default: bool) -> bool:
    text = row.get(column, "").strip().lower()
    if text and text not in _TRUTH:
        raise ValueError(f"'{column}' must be true or false.")
    return _TRUTH.get(text, default)


def _told(questions: Iterable[Question]) -> Iterator[dict[str, str]]:
    """Yield a row for each right passage, one for a question without any."""
    for question in questions:
        for gold in question.gold or (Gold("", ""),):
            yield {
                "id": question.id,
                "question": question.text,
                "kind": question.kind,
                "any": "true" if question.any else "false",
                "path": gold.path,
                "quote": gold.quote,
                "note": question.note,
                "suggested": "true" if question.suggested else "",
                "start": "" if gold.start is None else str(gold.start),
            }


def _safe(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _typed(cell: str) -> str:
    """What a cell says without the apostrophe of `_safe`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
