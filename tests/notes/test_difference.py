"""What differs between two texts, word by word."""

import itertools
import random
from collections.abc import Callable

import pytest

from core.notes.versions import compare_texts, merge_texts
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


def test_changes_of_lines_with_a_line_between_them_are_merged() -> None:
    chance = random.Random(8)
    for _ in range(300):
        lines = [f"{number}\n" for number in range(chance.randrange(1, 12))]
        # What replaces every second line, by whom; "" for nothing.
        changes = {at: (chance.choice(["", f"{at}a\n", f"new\n{at}\n"]), chance.choice("12")) for at in range(0, 12, 2)}

        def text(who: str, lines: list[str] = lines, changes: dict[int, tuple[str, str]] = changes) -> str:
            chosen = {at: new for at, (new, by) in changes.items() if by in who}
            return "".join(chosen.get(at, line) for at, line in enumerate(lines))

        before, mine, theirs, both = text(""), text("1"), text("2"), text("12")
        assert merge_texts(before, mine, theirs) == merge_texts(before, theirs, mine) == both
        assert merge_texts(before, mine, mine) == merge_texts(before, mine, before) == mine


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("a\nB\nc\n", "a\nb b\nc\n"),  # the same line
        ("a\nB\nc\n", "a\nb\nC\n"),  # one after the other
        ("a\nc\n", "a\nB\nc\n"),  # one is gone
        ("a\nb\nc\nd\n", "a\nb\nc\ne\n"),  # both add to the end
        ("", "a\nb\nc\nd\n"),
    ],
)
def test_changes_of_one_place_are_not_merged(mine: str, theirs: str) -> None:
    assert merge_texts("a\nb\nc\n", mine, theirs) is None


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
    difference = workspace.versions.difference(note.id, 1, 2)
    assert [(piece.kind, piece.text) for piece in difference.pieces] == [
        ("equal", "one "), ("removed", "two"), ("added", "three"),
    ]  # fmt: skip
    assert [(one.name, one.before, one.after) for one in difference.fields] == [("tags", ("a",), ("b",))]
