"""Question files in JSON lines; `sheets` reads tables."""

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from core.base import files
from core.base.errors import QueryError, QuestionSetError, RowError
from core.base.faults import translate_parse_error
from core.base.messages import message, verbatim
from core.base.text import find_half_character
from core.features.evaluation import golds, sheets
from core.features.evaluation.golds import Problems
from core.model import Gold, KnowledgeBase, Question
from core.model.limits import check_question
from core.store import Store

MOST_BYTES = 50 * 2**20
"""Bytes of a question file."""

TABLES = (".csv", ".tsv")
"""Suffixes of files with a table."""


def content(path: Path) -> bytes:
    """Return the bytes of a file; raises SourceError where it can't be read, and for what is no ordinary file."""
    with files.open_user_file(path, MOST_BYTES) as stream:
        return stream.read(MOST_BYTES)


def parse(data: bytes, name: str) -> list[Question]:
    """Return the questions of a file: of a table where its name says so, else of JSON lines.

    Each line of JSON: `id`, `question`, `gold` (a list of `path` and `quote`, with `start` in the note's body
    where the quote appears several times; empty where the notes have no answer), and optionally `kind`,
    `any`, `note`, `suggested` and `answer`, the wished one. Raises one QuestionSetError that lists the bad lines.
    """
    if name.lower().endswith(TABLES):
        return sheets.parse(data, name)
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
            text = translate_parse_error(error.msg)
            reason = message("this isn't a JSON object ({reason}, column {n}).", reason=text, n=error.colno)
        except RowError as error:
            reason = error.message
        except ValueError as error:
            reason = verbatim(str(error))
        problems.add(number, reason)
    problems.raise_any()
    return list(questions.values())


def dump(questions: Iterable[Question]) -> bytes:
    """Return questions as JSON lines that `parse` reads."""
    return "".join(f"{json.dumps(_row(question), ensure_ascii=False)}\n" for question in questions).encode()


def read(store: Store, base: KnowledgeBase, data: bytes, name: str, *, taken: Collection[str] = ()) -> list[Question]:
    """Return the questions of a file with their right passages placed in a base, ready to be added to a set.

    `taken` are the ids of the set. Raises one QuestionSetError that lists the bad questions.
    """
    questions = parse(data, name)
    if not questions:
        raise QuestionSetError(name, 1, "there is no question in this file.")
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
        "gold": [_gold_row(gold) for gold in question.gold],
        "any": question.any,
    }
    optional = {"answer": question.answer, "note": question.note, "suggested": question.suggested}
    return row | {name: value for name, value in optional.items() if value}


def _gold_row(gold: Gold) -> Mapping[str, object]:
    row: dict[str, object] = {"path": gold.path, "quote": gold.quote}
    return row if gold.start is None else row | {"start": gold.start}


def _question(row: object, line: int) -> Question:
    """Check one row; raises RowError."""
    if not isinstance(row, dict):
        raise RowError("this must be a JSON object with id, question and gold.")
    golds = row.get("gold")
    if not isinstance(golds, list) or not all(isinstance(gold, dict) for gold in golds):
        raise RowError("'gold' must be a list of objects with path and quote.")
    return Question(
        id=_text(row, "id"),
        text=_text(row, "question"),
        gold=tuple(_gold(gold) for gold in golds),
        any=_truth(row, "any", True),
        kind=_text(row, "kind", optional=True),
        line=line,
        note=_text(row, "note", optional=True),
        suggested=_truth(row, "suggested", False),
        answer=_text(row, "answer", optional=True),
    )


def _gold(row: Mapping[str, object]) -> Gold:
    start = row.get("start")
    if start is not None and (type(start) is not int or start < 0):
        raise RowError("'start' must be a number of characters, 0 or more.")
    return Gold(_text(row, "path"), _text(row, "quote"), start)


def _text(row: Mapping[str, object], key: str, *, optional: bool = False) -> str:
    value = row.get(key, "" if optional else None)
    if optional and not isinstance(value, str):
        raise RowError("'{key}' must be text.", key=key)
    if not isinstance(value, str) or not (optional or value.strip()):
        raise RowError("'{key}' is missing or isn't text.", key=key)
    if find_half_character(value) is not None:
        raise RowError("'{key}' holds half of a character.", key=key)
    return value


def _truth(row: Mapping[str, object], key: str, default: bool) -> bool:
    value = row.get(key, default)
    if not isinstance(value, bool):
        raise RowError("'{key}' must be true or false.", key=key)
    return value
