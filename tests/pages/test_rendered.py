"""A few lines of a note as HTML, with marked places."""

import re

import pytest

from core.base.fences import outdent_closing
from core.markdown.parts import tables
from pages.ui.shared import rendered

BOLD = '<span class="t-b">'


def span(text: str, part: str) -> tuple[int, int]:
    return text.index(part), text.index(part) + len(part)


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**bold** and *soft*", '<span class="t-b">bold</span> and <span class="t-i">soft</span>'),
        ("a `x < y` b", 'a <span class="t-code">x &lt; y</span> b'),
        ("[here](http://away.example)", '<span class="t-u">here</span>'),
        ("[there][ref] [`Fn`][fn]", '<span class="t-u">there</span> <span class="t-code">Fn</span>'),
        ("see [two\nlines][ref]<!-- gone --> end", "see two lines end"),
        ("[[Note|other name]]", '<span class="t-u">other name</span>'),
        ("- one\n- two", "• one<br>• two"),
        (
            "- [ ] one\n- [x] **two**\n- [link](a) [ ] x",
            '☐ one<br>☑ <span class="t-b">two</span><br>• <span class="t-u">link</span> [ ] x',
        ),
        ("| a | b |\n|---|---|\n| c | d |", 'a <span class="t-dim">·</span> b<br>c <span class="t-dim">·</span> d'),
        ("2 \\* 3 &amp; 4", "2 * 3 &amp; 4"),
        ("$\\mathbf{x}_i \\in A$", '<span class="t-math">x<sub>i</sub> ∈ A</span>'),
        ("测量$f$和$g$的重叠", '测量<span class="t-math">f</span>和<span class="t-math">g</span>的重叠'),
        ("From US$5 to A$6$", "From US$5 to A$6$"),
        ("一行\n又一行", "一行又一行"),
        ("> [!tip]- Rest the dough\n> for long", "Rest the dough for long"),
        ('!!! tip "Rest *it*"\n    for\n    long', f'{BOLD}Rest </span><span class="t-b t-i">it</span><br>for long'),
        ('??? note\n    a\n\n=== "Tab"\n\n    b', 'a<br><span class="t-b">Tab</span><br>b'),
        ("It rose. ^a1b2", "It rose. "),
        ("# Yeast {: #yeast }\n\nIt rose. {.note}", '<span class="t-h">Yeast </span><br>It rose. '),
        (
            "see {# this #} and `{: #a }` {: #b } here",
            'see {# this #} and <span class="t-code">{: #a }</span> {: #b } here',
        ),
        (
            "![[chart.svg#icon]] ![[board.png|300]] [[C|C# notes]] [[#Rest]]",
            " ".join(f'<span class="t-u">{name}</span>' for name in ("chart.svg", "board.png", "C# notes", "Rest")),
        ),
    ],
)
def test_markdown_is_shown_not_its_source(markdown: str, shown: str) -> None:
    assert rendered.render_text(markdown) == shown


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "text <img src=x onerror=alert(1)> more",
        "![x](http://away.example/x.png)",
        "$<b onclick=x>$",
        "[[<i>|<u onload=1>]]",
        "[a](javascript:alert(1)) `<iframe>`",
        "```\n</span><script>\n```",
    ],
)
def test_nothing_of_a_note_becomes_a_tag_or_an_address(hostile: str) -> None:
    shown = rendered.render_text(hostile, [(0, len(hostile))], (0, len(hostile)))
    assert set(re.findall(r"<(\w+)", shown)) <= {"span", "mark", "br", "sub", "sup"}
    assert not re.search(r"<\w+ (?!class=)", shown)


def test_no_dot_follows_the_last_cell_of_a_row_that_answers() -> None:
    text = "| a | b |\n|---|---|\n| c | d |\n| e | f |"
    assert re.sub("<(?!br)[^>]*>", "", rendered.render_text(text, (), span(text, "c | d |\n| e | f"))) == (
        "a · b<br>c · d<br>e · f"
    )


def test_rows_without_their_header_are_drawn_as_rows() -> None:
    drawn = rendered.render_text("| Tom | **router** |\n| Anna | `a|b` 450 EUR |\n\nFriday | or so")
    rows = re.sub(r"<(?!br)[^>]*>", "", drawn).split("<br>")
    assert [" ".join(row.split()) for row in rows] == ["Tom · router", "Anna · a|b 450 EUR", "Friday | or so"]


def test_marks_stand_where_they_stand_in_the_source() -> None:
    text = "A **quick `fox` jumps**. The end."
    shown = rendered.render_text(text, [span(text, "quick"), span(text, "fox")], span(text, "The end."))
    assert "<mark>quick</mark>" in shown
    assert '<span class="t-b t-code"><mark>fox</mark></span>' in shown
    assert '<span class="t-near">The end.</span>' in shown


def test_an_excerpt_begins_at_the_sentence_and_leaves_the_title_out() -> None:
    text = "## Title\n\n" + "Much before it. " * 40 + "Here it is. And more.\n\n```\ncode()\n```"
    sentence = span(text, "Here it is.")
    shown = rendered.excerpt(text, [span(text, "is")], sentence, underline=True)
    assert shown.startswith("… ")
    assert "Here it " in shown
    assert "Title" not in shown
    assert "code()" not in shown
    assert rendered.excerpt("# Only\n\nShort.", [], None, underline=False) == "Short."


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("# Start\n\n```sh\nmake run\n```\n\nThen look.", '<span class="t-code t-pre">make run</span><br>Then look.'),
        (
            "# Pictures\n\nTo embed an image:\n\n```\n![[a.png]]\n```",
            'To embed an image:<br><span class="t-code t-pre">![[a.png]]</span>',
        ),
        ("# Start\n\nIt runs.\n\n```sh\nmake run\n```", "It runs."),
        ("# Only a title", '<span class="t-h">Only a title</span>'),
    ],
)
def test_an_excerpt_is_never_empty_and_has_the_code_that_answers(markdown: str, shown: str) -> None:
    assert rendered.excerpt(markdown, (), None, underline=False) == shown


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_lines_may_end_in_any_way(end: str) -> None:
    text = "## Title\n\nA *soft* line\nand a second.\n\n- one\n- two\n\n```\ncode\n\nmore\x0bcode\n```\n"
    assert rendered.render_text(text.replace("\n", end)) == rendered.render_text(text)


@pytest.mark.parametrize("indent", ["", "   ", "    ", "        ", "\t", "> ", "    > "])
def test_a_text_that_begins_in_a_fence_goes_on_behind_it(indent: str) -> None:
    table = "| a | b |\n|---|---|\n| c | d |"
    text = f"{indent}echo one\n{indent}```\n\nThe **rest** follows.\n\n{table}\n"
    shown = rendered.render_text(text, sentence=span(text, "rest"), fence="```sh")
    assert '<span class="t-b"><span class="t-near">rest</span></span> follows.' in shown
    (found,) = tables(text, "Run:\n\n```sh")
    assert text[found.start : found.end] == table
    assert outdent_closing("echo", "```") == "echo"
