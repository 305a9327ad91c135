"""A question file is read whole or its bad line is named."""

import json
from pathlib import Path

import pytest

from core.errors import QuestionSetError, SourceError
from core.evaluation.questions import load
from core.model import Gold, Question

ROW = {"id": "q1", "question": "为什么?", "gold": [{"path": "a/b.md", "quote": "because"}]}


def written(folder: Path, *rows: object) -> Path:
    path = folder / "set.jsonl"
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"\n".join(lines))
    return path


def test_all_fields_and_defaults(tmp_path: Path) -> None:
    full = {**ROW, "id": "q2", "kind": "short", "any": False, "gold": [], "note": "unknown keys are left alone"}
    path = written(tmp_path, b"\xef\xbb\xbf" + json.dumps(ROW).encode() + b"\r", b"", b"  \r", full, b"")
    assert load(path) == [
        Question("q1", "为什么?", (Gold("a/b.md", "because"),), any=True, kind="", line=1),
        Question("q2", "为什么?", (), any=False, kind="short", line=4),
    ]


def test_empty_file_has_no_questions(tmp_path: Path) -> None:
    assert load(written(tmp_path)) == []


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"{nonsense", "isn't a JSON object"),
        (b"\xff\xfe{", "UTF-8"),
        (b"[1, 2]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b"[" * 100_000, "isn't a JSON object|nested too deeply"),
        (b'{"id": ' + b"9" * 5000 + b"}", "."),
        ({"question": "x", "gold": []}, "'id' is missing"),
        ({**ROW, "id": 7}, "'id' is missing or isn't text"),
        ({**ROW, "id": "q2", "question": "  "}, "'question' is missing"),
        ({"id": "q2", "question": "x"}, "'gold' must be a list"),
        ({**ROW, "id": "q2", "gold": "a.md"}, "'gold' must be a list"),
        ({**ROW, "id": "q2", "gold": ["a.md"]}, "'gold' must be a list of objects"),
        ({**ROW, "id": "q2", "gold": [{"path": "a.md"}]}, "'quote' is missing"),
        ({**ROW, "id": "q2", "gold": [{"path": "a.md", "quote": ""}]}, "'quote' is missing"),
        ({**ROW, "id": "q2", "any": "yes"}, "'any' must be true or false"),
        ({**ROW, "id": "q2", "kind": 1}, "'kind' must be text"),
        ({**ROW, "id": "q2", "question": "\ud800"}, "surrogate"),
        (ROW, "'q1' is already used in line 1"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: object, reason: str) -> None:
    with pytest.raises(QuestionSetError, match=rf"set\.jsonl, line 3: .*({reason})") as caught:
        load(written(tmp_path, ROW, b"", row))
    assert caught.value.line == 3


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="can't be read: No such file"):
        load(tmp_path / "none.jsonl")
