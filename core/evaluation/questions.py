"""A question file -> questions: JSON, one object a line."""

import json
from pathlib import Path

from core.errors import QuestionSetError, SourceError
from core.model import Gold, Question


def load(path: Path) -> list[Question]:
    """Read a JSONL file of questions.

    Each line: `id`, `question`, `gold` (a list of `path` and `quote`, empty where the notes have no
    answer), and optionally `kind` and `any`. Raises QuestionSetError with the number of a bad line,
    SourceError where the file can't be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(str(path), f"can't be read: {error.strerror or error}.") from error
    questions: list[Question] = []
    lines: dict[str, int] = {}
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            question = _question(json.loads(raw.decode("utf-8")), number)
        except UnicodeDecodeError as error:
            raise QuestionSetError(str(path), number, "this isn't UTF-8. Save the file as UTF-8.") from error
        except RecursionError as error:
            raise QuestionSetError(str(path), number, "this is nested too deeply.") from error
        except json.JSONDecodeError as error:
            reason = f"this isn't a JSON object ({error.msg}, column {error.colno})."
            raise QuestionSetError(str(path), number, reason) from error
        except ValueError as error:
            raise QuestionSetError(str(path), number, str(error)) from error
        if question.id in lines:
            reason = f"the id '{question.id}' is already used in line {lines[question.id]}."
            raise QuestionSetError(str(path), number, reason)
        lines[question.id] = number
        questions.append(question)
    return questions


def _question(row: object, line: int) -> Question:
    """Check one row; raises ValueError with the sentence for the person."""
    if not isinstance(row, dict):
        raise ValueError("this must be a JSON object with id, question and gold.")  # noqa: TRY004
    golds = row.get("gold")
    if not isinstance(golds, list) or not all(isinstance(gold, dict) for gold in golds):
        raise ValueError("'gold' must be a list of objects with path and quote.")
    enough, kind = row.get("any", True), row.get("kind", "")
    if not isinstance(enough, bool):
        raise ValueError("'any' must be true or false.")  # noqa: TRY004
    if not isinstance(kind, str):
        raise ValueError("'kind' must be text.")  # noqa: TRY004
    return Question(
        id=_text(row, "id"),
        text=_text(row, "question"),
        gold=tuple(Gold(_text(gold, "path"), _text(gold, "quote")) for gold in golds),
        any=enough,
        kind=kind,
        line=line,
    )


def _text(row: dict[str, object], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"'{key}' is missing or isn't text.")
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise ValueError(f"'{key}' holds half of a surrogate pair.")
    return value
