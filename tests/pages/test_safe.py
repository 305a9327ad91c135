"""Texts from outside are shown, whatever Streamlit would make of them."""

import pytest

from pages.ui.shared import safe
from tests.growth import assert_linear


def seen(shown: str) -> str:
    """What is shown, with a bar where an invisible character keeps signs from being read as one."""
    return shown.replace(":\ufeff", ":|").replace("\u2060", "|")


@pytest.mark.parametrize("sign", [">", "> ", "- ", "+ ", "1. ", "[^1]: ", "*", "_", "**a ", "*a _b ", "~~a "])
def test_what_is_nested_too_deeply_is_told_apart(sign: str) -> None:
    assert not safe.is_deeply_nested(sign * 20 + "x" + sign[::-1] * 20)
    assert safe.is_deeply_nested(sign * 3_000 + "x" + sign[::-1] * 3_000)


@pytest.mark.parametrize(
    "markdown",
    [
        "**bold** and *soft*, " * 3_000,
        "**粗体**文字" * 3_000,
        "snake_case_name " * 3_000,
        "| **a** | `*p` |\n" * 2_000,
        "Name: ____________ 2 * 3 * 4\n" * 2_000,
        "-" * 3_000 + "\n" + "*" * 3_000,
        "```\n" + " " * 150 + "- x\n" + "    " * 60 + "}\n```",
        "- a\n  - b\n    - c\n" * 2_000,
    ],
)
def test_long_flat_text_is_not_nested(markdown: str) -> None:
    assert not safe.is_deeply_nested(markdown[:100_000])


def test_the_part_that_is_drawn_has_a_bounded_number_of_signs() -> None:
    text = "# a\n" * 20_000
    assert text.startswith(safe.drawable_part(text))
    assert text.endswith(safe.drawable_part(text, last=True))
    assert len(safe.drawable_part(text)) == len(safe.drawable_part(text, last=True)) == 2 * safe.SIGNS
    assert safe.drawable_part("word " * 20_000) == "word " * 20_000


def test_labels_show_emoji_names_and_arrows_as_written() -> None:
    assert seen(safe.plain("A :smile: -> b")) == r"A \:|smile\: \-|\> b"


def test_hostile_text_is_read_in_one_go() -> None:
    for hostile in (":a" * 20_000, ":" * 40_000, ":" + "a" * 40_000, "`" * 40_000, "![" * 20_000, "> " * 20_000):
        assert safe.plain(hostile)
        assert_linear(safe.plain, hostile)


def test_labels_read_as_they_are_written() -> None:
    assert safe.plain("![x](http://a) *b* :red[c]\n# d") == r"\!\[x\]\(http\:\/\/a\) \*b\* \:red\[c\] \# d"


def test_marked_text_is_escaped_everywhere() -> None:
    assert safe.marked("<b>x</b>", [(3, 4)]) == "&lt;b&gt;<mark>x</mark>&lt;/b&gt;"
