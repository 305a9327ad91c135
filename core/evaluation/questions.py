"""A question file <-> questions: JSON, one object a line; files with a table are for `sheets`."""

import json
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from core.errors import QuestionSetError, SourceError
from core.evaluation import golds, sheets
from core.evaluation.problems import Problems
from core.model import Gold, KnowledgeBase, Question
from core.store import Store

_SURROGATE = re.compile("[\ud800-\udfff]")

TABLES = (".csv", ".tsv")
"""How the name of a file with a table ends."""


def load(path: Path) -> list[Question]:
    """Read a file of questions as `parse` does; raises SourceError where it can't be read."""
    return parse(content(path), str(path))


def content(path: Path) -> bytes:
    """Return what a file holds; raises SourceError where it can't be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(str(path), f"can't be read: {error.strerror or error}.") from error


def parse(data: bytes, name: str) -> list[Question]:
    """Return the questions of a file: of a table where its name says so, else of JSON lines.

    Each line of JSON: `id`, `question`, `gold` (a list of `path` and `quote`, with `start` in the note's body
    where the quote stands several times; empty where the notes have no answer), and optionally `kind`,
    `any`, `note` and `suggested`. Raises one QuestionSetError that lists the bad lines.
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
        except UnicodeDecodeError:
            problems.add(number, "this isn't UTF-8. Save the file as UTF-8.")
        except RecursionError:
            problems.add(number, "this is nested too deeply.")
        except json.JSONDecodeError as error:
            problems.add(number, f"this isn't a JSON object ({error.msg}, column {error.colno}).")
        except ValueError as error:
            problems.add(number, str(error))
        else:
            known = questions.setdefault(question.id, question)
            if known is not question:
                problems.add(number, f"the id '{question.id}' is already used in line {known.line}.")
    problems.raise_any()
    return list(questions.values())


def dump(questions: Iterable[Question]) -> bytes:
    """Return questions as JSON lines that `parse` reads."""
    return "".join(f"{json.dumps(_row(question), ensure_ascii=False)}\n" for question in questions).encode()


def read(store: Store, base: KnowledgeBase, data: bytes, name: str, *, taken: Collection[str] = ()) -> list[Question]:
    """Return the questions of a file with their right passages placed in a base, ready to be added to a set.

    `taken` are the ids that the set has. Raises one QuestionSetError that lists what can't be taken.
    """
    questions = parse(data, name)
    if not questions:
        raise QuestionSetError(name, 1, "there is no question in this file.")
    problems = Problems(name)
    for question in questions:
        if question.id in taken:
            problems.add(question.line, f"the id '{question.id}' is already in the question set.")
    problems.raise_any()
    return golds.place(store, base, questions, name)


def _row(question: Question) -> dict[str, object]:
    row: dict[str, object] = {
        "id": question.id,
        "question": question.text,
        "kind": question.kind,
        "gold": [_gold_row(gold) for gold in question.gold],
        "any": question.any,
    }
    if question.note:
        row["note"] = question.note
    if question.suggested:
        row["suggested"] = True
    return row


def _gold_row(gold: Gold) -> dict[str, object]:
    row: dict[str, object] = {"path": gold.path, "quote": gold.quote}
    return row if gold.start is None else row | {"start": gold.start}


def _question(row: object, line: int) -> Question:
    """Check one row; raises ValueError with the sentence for the person."""
    if not isinstance(row, dict):
        raise ValueError("this must be a JSON object with id, question and gold.")  # noqa: TRY004
    found = row.get("gold")
    if not isinstance(found, list) or not all(isinstance(gold, dict) for gold in found):
        raise ValueError("'gold' must be a list of objects with path and quote.")
    return Question(
        id=_text(row, "id"),
        text=_text(row, "question"),
        gold=tuple(_gold(gold) for gold in found),
        any=_truth(row, "any", True),
        kind=_any_text(row, "kind"),
        line=line,
        note=_any_text(row, "note"),
        suggested=_truth(row, "suggested", False),
    )


def _gold(row: dict[str, object]) -> Gold:
    start = row.get("start")
    if start is not None and (type(start) is not int or start < 0):
        raise ValueError("'start' must be a number of characters, 0 or more.")
    return Gold(_text(row, "path"), _text(row, "quote"), start)


def _text(row: dict[str, object], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"'{key}' is missing or isn't text.")
    return _sound(value, key)


def _any_text(row: dict[str, object], key: str) -> str:
    value = row.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"'{key}' must be text.")  # noqa: TRY004
    return _sound(value, key)


def _sound(value: str, key: str) -> str:
    if _SURROGATE.search(value):
        raise ValueError(f"'{key}' holds half of a surrogate pair.")
    return value


def _truth(row: dict[str, object], key: str, default: bool) -> bool:
    value = row.get(key, default)
    if not isinstance(value, bool):
        raise ValueError(f"'{key}' must be true or false.")  # noqa: TRY004
    return value
