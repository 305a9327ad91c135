"""What differs between two texts, word by word."""

import itertools
import random
from collections.abc import Callable

import pytest

from core.notes.difference import compare_texts
from core.workspace import Workspace
from tests.growth import assert_grows_linearly


def marked(old: str, new: str) -> str:
    signs = {"equal": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
    return "".join(signs[piece.kind].format(piece.text) for piece in compare_texts(old, new))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", ""),
        ("same\n", "same\n", "same\n"),
        ("", "new", "{+new+}"),
        ("one two three", "one 2 three", "one [-two-]{+2+} three"),
        ("one two three four", "one 2 3 four", "one [-two three-]{+2 3+} four"),
        ("缓存雪崩，就是这样。", "缓存穿透，就是这样。", "缓存[-雪崩-]{+穿透+}，就是这样。"),
        ("a\nb\nc\n", "a\nc\n", "a\n[-b\n-]c\n"),
        ("a\nb", "a\nb\n", "a\nb{+\n+}"),
        ("a\r\nb", "a\nb", "a[-\r\n-]{+\n+}b"),
    ],
)
def test_pieces_are_words(old: str, new: str, expected: str) -> None:
    assert marked(old, new) == expected


def test_the_pieces_are_the_two_texts() -> None:
    chance = random.Random(7)
    for _ in range(300):
        old, new = ("".join(chance.choices("ab 好\n,", k=chance.randrange(40))) for _ in "12")
        pieces = compare_texts(old, new)
        assert "".join(piece.text for piece in pieces if piece.kind != "added") == old
        assert "".join(piece.text for piece in pieces if piece.kind != "removed") == new
        assert all(one.kind != two.kind for one, two in itertools.pairwise(pieces))


@pytest.mark.parametrize("line", ["{} words of a line that stands here\n", "x\n", "word{} "])
def test_long_notes_are_compared_in_linear_time(line: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        lines = [line.format(number) for number in range(size // len(line))]
        old = "".join(lines)
        lines[10] = lines[-10] = "another text\n"
        lines[len(lines) // 2 :: 500] = ["changed "] * len(lines[len(lines) // 2 :: 500])
        new = "".join(lines)

        def compare() -> None:
            assert "".join(piece.text for piece in compare_texts(old, new) if piece.kind != "added") == old

        return compare

    assert_grows_linearly(prepare, 300_000)


def test_versions_differ_by_words_and_fields(workspace: Workspace) -> None:
    note = workspace.notes.add("desk", "one two", tags=["a"])
    workspace.notes.update(note.id, body="one three", tags=["b"])
    difference = workspace.notes.difference(note.id, 1, 2)
    assert [(piece.kind, piece.text) for piece in difference.pieces] == [
        ("equal", "one "), ("removed", "two"), ("added", "three"),
    ]  # fmt: skip
    assert [(one.name, one.before, one.after) for one in difference.fields] == [("tags", ("a",), ("b",))]
