"""What every chunking test needs: a tokenizer whose answers can be counted on the page."""

import re
from pathlib import Path

import numpy as np
import pytest

from core.chunking import Tokens
from core.model import Note, Spans

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\w\s]|_")


def words(text: str) -> Spans:
    """A word is a token, and so is a Chinese character and every punctuation mark."""
    return np.array([match.span() for match in _TOKEN.finditer(text)], dtype=np.int32).reshape(-1, 2)


@pytest.fixture
def tokens() -> Tokens:
    return words


def note(body: str, name: str = "n") -> Note:
    return Note(id=name, base_id="b", title="A note", body=body, content_hash="")


def fixture_cases(name: str) -> list[tuple[str, str, str]]:
    """Read `title`, `.`, input, `.`, expected, `.` from a file of tests/chunking/fixtures.

    A backslash escape is meant in a line that holds nothing else: `\\r` ends the line before with
    a carriage return. Trailing blank lines of an input are kept out.
    """
    text = (Path(__file__).parent / "fixtures" / name).read_text(encoding="utf-8")
    cases, fields, lines = [], [], []
    for line in text.split("\n"):
        if line == ".":
            fields.append("\n".join(lines))
            lines = []
            if len(fields) == 3:
                cases.append((fields[0].strip().splitlines()[-1], fields[1], fields[2]))
                fields = []
        else:
            lines.append(line)
    return cases
