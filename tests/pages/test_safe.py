"""A note's own text is shown, whatever Streamlit would make of it."""

import re
import time

import pytest

from pages.ui.shared import safe

UNSEEN = dict.fromkeys(map(ord, "\u2060\ufeff"))


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
        "[y](http://a/:smile:/b) http://a/:smile:/b <https://a/:smile:/b> <a@b.c> [z](mailto:a@b.c)",
        "[x](other.md) [y](#place) [z](/search?q=a:b) [r]\n\n[r]: <http://a.test> 'title'",
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


@pytest.mark.parametrize(
    "link",
    [
        "[x](data:text/html,x)",
        "[x]( <file:///etc/passwd> 'title')",
        "[x](blob:http://a.test/1)",
        "[x](\n> JavaScript:alert(1))",
        "[x](d&#97;ta:x)",
        "[x](data&colon;x)",
        "[x](data\\:x)",
        "[x](vbscript:x)",
        "[x](unknown:x)",
        "[x](urn:isbn:123)",
        "<data:x>",
        "<obsidian://open>",
        "> [r]: data:x",
        "- [two\nlines]:\n  <file:///x>",
        "[x]: <data:x>",
        "[x]:[y](data:z)",
        "![x](data:image/png;base64,AAAA)",
    ],
)
def test_links_are_followed_by_known_schemes_only(link: str) -> None:
    shown = safe.harmless(link)
    assert not re.search(r"\]\([\s>]*<?[\w&#;\\]+:|\]:(?!\[)|<\w+:", shown)
    assert shown.translate(UNSEEN).replace(":material/image: ", "!") == link


def test_a_link_in_what_looks_like_code_is_none_either() -> None:
    assert safe.harmless("```\nvector<std::string> a[b](c: d)\n```") == "```\nvector<std::string> a[b](c: d)\n```"
    assert "](data" not in safe.harmless("```a`\n[x](data:y)")


def test_a_picture_in_an_address_is_not_shown_as_a_page_of_letters() -> None:
    assert len(safe.harmless(f"![x](data:image/png;base64,{'A' * 9_000})")) < 200


@pytest.mark.parametrize("sign", [">", "> ", "- ", "+ ", "1. ", "[^1]: ", "*", "_", "**a ", "*a _b ", "~~a "])
def test_what_is_nested_too_deeply_is_told_apart(sign: str) -> None:
    assert not safe.tangled(sign * 20 + "x" + sign[::-1] * 20)
    assert safe.tangled(sign * 3_000 + "x" + sign[::-1] * 3_000)


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
    assert not safe.tangled(markdown[:100_000])


def test_the_part_that_is_drawn_has_a_bounded_number_of_signs() -> None:
    text = "# a\n" * 20_000
    assert text.startswith(safe.light(text))
    assert text.endswith(safe.light(text, last=True))
    assert len(safe.light(text)) == len(safe.light(text, last=True)) == 2 * safe.SIGNS
    assert safe.light("word " * 20_000) == "word " * 20_000


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028", "\u2029"])
def test_what_ends_no_line_in_a_browser_ends_none_here(separator: str) -> None:
    fence = f"```mermaid{separator}x\nflowchart LR\n```"
    assert "mermaid" not in safe.harmless(fence)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_no_diagram_is_drawn_whatever_ends_its_lines(end: str) -> None:
    assert safe.harmless(f"a{end}{end}```mermaid{end}flowchart LR{end}```{end}") == "a\n\n```text\nflowchart LR\n```\n"


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


@pytest.mark.parametrize(
    "markdown",
    [
        "![a](http://x.test/a.png)",
        "[![a](http://x.test/a.png)](http://x.test)",
        "![a][r]\n\n[r]: http://x.test/a.png",
        "`code` ![a](b) `more`",
        "```\n![a](b)\n",
        "> ```\n> ![a](b)\n\n![c](d)",
        "!" + "![a](b)",
        "`![a](b)",
    ],
)
def test_no_picture_is_left_in_a_note(markdown: str) -> None:
    assert "![" not in safe.harmless(markdown)


def test_code_keeps_its_look() -> None:
    shown = safe.harmless("```rust\nlet v = vec![1, 2];\n```\n\nand `vec![3]` too")
    assert shown.replace("\u2060", "") == "```rust\nlet v = vec![1, 2];\n```\n\nand `vec![3]` too"


@pytest.mark.parametrize(
    "fence",
    [
        "```mermaid",
        "~~~ Mermaid",
        "```mer&#109;aid",
        "> ```mer\\maid",
        "- ```mermaid",
        "~~~mermaid `x`",
        "````  MERMAID x",
    ],
)
def test_diagrams_are_not_drawn(fence: str) -> None:
    shown = safe.harmless(f"{fence}\ngraph TD\n")
    assert re.fullmatch(r"[> -]*(`+|~+)text\ngraph TD\n", shown)


def test_other_fences_keep_their_language() -> None:
    assert safe.harmless("```python\nx = 1\n```") == "```python\nx = 1\n```"


def test_a_long_run_of_marks_is_read_in_one_go() -> None:
    for hostile in ("`" * 200_000, "~" * 200_000, "![" * 100_000, "> " * 100_000, "` `` " * 40_000):
        assert "![" not in safe.harmless(hostile)


def test_labels_read_as_they_are_written() -> None:
    assert safe.plain("![x](http://a) *b* :red[c]\n# d") == r"\!\[x\]\(http\:\/\/a\) \*b\* \:red\[c\] \# d"


def test_marked_text_is_escaped_everywhere() -> None:
    assert safe.marked("<b>x</b>", [(3, 4)]) == "&lt;b&gt;<mark>x</mark>&lt;/b&gt;"
