"""A note's own text is shown, whatever Streamlit would make of it."""

import time

import pytest

from pages.ui import safe


def seen(shown: str) -> str:
    """What is shown, with a bar where an invisible character keeps signs from being read as one."""
    return shown.replace(":\ufeff", ":|").replace("\u2060", "|")


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (":label:`sec_x`", ":|label:`sec_x`"),
        ("see :numref:`fig_a` and :eqref:`eq_b`", "see :|numref:`fig_a` and :|eqref:`eq_b`"),
        (":begin_tab:`mxnet`\n:end_tab:", ":|begin_tab:`mxnet`\n:|end_tab:"),
        ("# Title :smile:\n\n- :+1: :100: :8ball:", "# Title :|smile:\n\n- :|+1: :|100: :|8ball:"),
        (":material/home: :streamlit:", ":|material/home: :|streamlit:"),
        (
            ":red[alarm] :blue-background[x] :color[y]{foreground='red'}",
            ":|red[alarm] :|blue-background[x] :|color[y]{foreground='red'}",
        ),
        ("color:red; font-size:small", "color:|red; font-size:|small"),
        ("as :unknown[lost] and :x{lost}", "as :|unknown[lost] and :|x{lost}"),
        ("如:说明[正文]，C:a_b-c[1]", "如:|说明[正文]，C:|a_b-c[1]"),
        (":::warning\nText\n:::", ":::|warning\nText\n:::"),
        ("> ::toc\n- ::name[x]", "> ::|toc\n- ::|name[x]"),
        ("a -> b <- c <-> d", "a -|> b <|- c <|-> d"),
        ("x >= 1 <= 2 ~= 3", "x >|= 1 <|= 2 ~|= 3"),
        ("git checkout -- file", "git checkout -|- file"),
        ("**:smile:** [:smile:](u)", "**:|smile:** [:|smile:](u)"),
    ],
)
def test_what_only_streamlit_reads_is_shown_as_written(markdown: str, shown: str) -> None:
    assert seen(safe.harmless(markdown)) == shown


@pytest.mark.parametrize(
    "markdown",
    [
        "`:smile: -> :red[x]`",
        "```\n:smile:\n:red[x] a -> b\n:::warning\n```",
        "~~~py\nx[a:b:c] -> d\n~~~",
        "at 10:30:45, 1:2:3",
        "key: value, C++ std::vector, a:b",
        "[x](urn:isbn:123) and [y](http://a/:smile:/b) http://a/:smile:/b <urn:isbn:123>",
        "$f:A:B -> c$ and $$a :x: b$$",
        "| a | b |\n| -- | -- |\n| 1 | 2 |",
        "| a | b |\n|:--|--:|\n| 1 | 2 |",
        "Title\n--\n\ntext",
        "a\n\n---\n\nb",
        "> quote\n- [ ] task\n1. one",
        "-->",
    ],
)
def test_all_else_is_left_alone(markdown: str) -> None:
    assert safe.harmless(markdown) == markdown


def test_icons_are_not_looked_for_in_code() -> None:
    assert seen(safe.harmless("```\n:material/home:\n```")) == "```\n:|material/home:\n```"
    assert seen(safe.harmless("![a :smile:](b)")) == ":material/image: [a :|smile:](b)"


def test_labels_show_emoji_names_and_arrows_as_written() -> None:
    assert seen(safe.plain("A :smile: -> b")) == r"A \:|smile\: \-|\> b"


def test_hostile_text_is_read_in_one_go() -> None:
    began = time.perf_counter()
    for hostile in (":a" * 100_000, ":" * 200_000, ":" + "a" * 200_000, "<a" * 100_000, "$$" * 100_001, "](" * 100_000):
        safe.harmless(hostile)
    safe.harmless("\n" * 200_000 + "> " * 100_000 + ": " * 100_000 + "1" * 200_000)
    assert time.perf_counter() - began < 5
