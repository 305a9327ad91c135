"""Markdown as Obsidian shows it; whatever a note says, its HTML has only what the generator writes."""

import random
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.ui.shared.document import VIEW_ATTRIBUTES, VIEW_ELEMENTS, Sources, SourceSpan, document
from pages.ui.shared.safe import is_deeply_nested
from tests.browser.hostile import BLOCKS, LINES

OTHER = "# Other\n\n## Part\n\nInner words. ![[other]]\n\n## Next\n\nThe block ^here\n"


class Known(Sources):
    """One note is there, one picture, one other file."""

    can_click = can_tick = False
    first_line = 0

    def note(self, target: str, *, relative: bool) -> SourceSpan | None:
        return SourceSpan("id1", "Other") if target.removesuffix(".md").casefold() == "other" else None

    def missing(self, target: str, *, relative: bool) -> str:
        return target

    def file(self, target: str) -> str | None:
        return f"/attachment/id0/{target}" if target in ("a.png", "b.pdf") else None

    def text(self, note_id: str) -> tuple[str, Sources]:
        return OTHER, self


def drawn(text: str, passage: tuple[int, int] | None = None) -> str:
    return document(text, Known(), passage).html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[other]]", 'data-note="id1" data-place="">other</a>'),
        ("[[other|words]]", ">words</a>"),
        ("[[Other#Part]]", 'data-note="id1" data-place="Part">Other › Part</a>'),
        ("[x](other.md#part)", 'data-note="id1" data-place="part">x</a>'),
        ("## A b\n\n[[#A b]] [y](#a-b)", 'data-place="h1">A b</a> <a class="place" href="#" data-place="h1">y</a>'),
        ("[[gone]]", 'class="missing" href="#" data-make="gone"'),
        ("[x](gone.pdf)", '<span class="dead"'),
        ("[x](b.pdf)", 'class="file" href="/attachment/id0/b.pdf" download'),
        ("line ^abc", '<p id="^abc">line</p>'),
        ("> [!note]- Title\n> body", '<details class="callout of-note"><summary class="callout-title">Title</summary>'),
        ("> [!tip]\n> body", '<div class="callout of-tip"><div class="callout-title">Tip</div>'),
        ('!!! tip "A `b`"\n    c\n\n    d\ne', ">A <code>b</code></div><p>c</p>\n<p>d</p>\n</div>\n<p>e</p>"),
        ("??? note\n\tb", '<details class="callout of-note"><summary class="callout-title">Note</summary><p>b</p>'),
        ('- a\n\n    ???+ "t"\n        b', '<details class="callout of-tab" open=""><summary'),
        (
            '=== "a"\n    b\n=== "c"\n    d',
            '<p>b</p>\n</div>\n<div class="callout of-tab"><div class="callout-title">c<',
        ),
        ("!!! well\nthen", "<p>!!! well<br>\nthen</p>"),
        ('!!! he said "no"\nthen', "<p>!!! he said &quot;no&quot;<br>\nthen</p>"),
        ("==x **y**==", "<mark>x <strong>y</strong></mark>"),
        ("- [ ] a\n- [x] b", '<li class="task done"><input type="checkbox" aria-label="To do" disabled checked>b'),
        ("a[^1]\n\n[^1]: foot", '<li id="fn1"><p>foot</p>'),
        ("$x^2$", "<msup><mi>x</mi><mn>2</mn></msup>"),
        ("$$\n\\frac{a}{b}\n$$", '<math display="block"><mrow><mfrac>'),
        ("|a|b|\n|-|:-:|\n|[[other\\|w]]|2|", '>w</a></td>\n<td class="to-center">2</td>'),
        ("```python\ndef f(): pass\n```", '<span class="k">def</span>'),
        ("```mermaid\nA --> B\n```", "A --&gt; B"),
        ("![w|100](a.png)", '<img src="/attachment/id0/a.png" alt="w" loading="lazy" width="100">'),
        ("![[a.png]]", '<img src="/attachment/id0/a.png"'),
        ("![100](gone.png)", "Picture missing: gone.png"),
        ("![[lost.svg#icon|100]]", "Picture missing: lost.svg"),
        ("```mermaid\ngraph TD\n```", "This diagram can&#x27;t be drawn. Its source text:"),
        (r"$$\begin{bmatrix} 1 \end{bmatrix}^T$$", '<mtable class="square">'),
        ("![x](http://a.test/b.png)", '<a class="picture" href="http://a.test/b.png"'),
        ("https://a.test/x.", '<a class="outside" href="https://a.test/x" target="_blank" rel="noopener noreferrer">'),
        ("a %%hidden%% b <!-- gone --> c", "<p>a  b  c</p>"),
        ("x #tag/a{: #id }\ny {#id2} z", 'x <span class="tag">#tag/a</span><br>\ny {#id2} z'),
        ("## x {#id}\n\ny {: .note #id }", '<h2 id="h1">x </h2>\n<p>y </p>'),
        ("x #tag/a #1", '<span class="tag">#tag/a</span> #1'),
        ("a<br>b", "a<br>"),
        ("a<a id=\"x\"></a><a name=y/><A ID='z'> </A>b", "<p>ab</p>"),
    ],
)
def test_obsidian_is_read(text: str, expected: str) -> None:
    assert expected in drawn(text)


def test_a_paragraph_of_comments_and_anchors_takes_no_room() -> None:
    assert drawn('<!-- old -->\n<a id="x"></a>\n\nText').strip() == "<p>Text</p>"


@pytest.mark.parametrize(
    "text",
    [
        '<a id="x" onclick="EVIL"></a>',
        '<a id="x" href="javascript:EVIL"></a>',
        '<a id="x"><img src=x onerror=EVIL></a>',
        "<a id=x onmouseover=EVIL></a>",
        '<a id="<script>EVIL</script>"></a>',
        "<a id=`x`></a>",
        '<a href="EVIL"></a>',
        '<a id="x">EVIL</a>',
        '<a id="x"></b>',
        "<a id=x" + "\n" * 9,
    ],
)
def test_only_an_empty_anchor_is_left_out(text: str) -> None:
    shown = drawn(text)
    assert "&lt;a" in shown
    assert "<a" not in shown.replace('<a class="outside"', "")
    check(text)


def test_only_what_can_be_ticked_and_clicked_is_a_control() -> None:
    sources = Known()
    sources.can_click = sources.can_tick = True
    sources.first_line = 3
    shown = document("- [ ] one\n- two\n- [x] three #a/b", sources).html
    assert '<input type="checkbox" aria-label="To do" data-line="3">' in shown
    assert '<input type="checkbox" aria-label="To do" data-line="5" checked>' in shown
    assert '<a class="tag" href="#" data-tag="a/b">#a/b</a>' in shown
    assert "disabled" in drawn("- [ ] one")
    assert "<a" not in drawn("#a/b")


def test_a_note_a_section_and_a_block_are_embedded_and_circles_end() -> None:
    assert "Inner words" in drawn("![[other]]")
    section = drawn("![[other#Part]]")
    assert "Inner words" in section
    assert "Next" not in section
    assert "The block</p>" in drawn("![[other#^here]]")
    assert drawn("![[other]]").count("Inner words") == 1


def test_the_passage_is_marked_and_nothing_else() -> None:
    text = "# One\n\nfirst\n\n- a\n- b\n- c\n\n## Two\n\nsecond\n"
    marked = drawn(text, (text.index("- b"), text.index("## Two")))
    (inside,) = re.findall(r'<div class="passage" id="passage">(.*?)</div>', marked, re.DOTALL)
    assert re.sub("<.*?>|\n", "", inside) == "bc"


@pytest.mark.parametrize(
    "link",
    [
        "[j](javascript:alert(1))",
        "[d](data:text/html,x)",
        "<file:///etc/passwd>",
        "[u](d&#97;ta:x)",
        "[o](obsidian://x)",
    ],
)
def test_an_address_of_another_scheme_stays_text(link: str) -> None:
    assert "<a" not in drawn(link)


PASTED = "data:image/png;base64,iVBORw0KGgo="


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"a ![x]({PASTED}) b", f'a <img src="{PASTED}" alt="x" loading="lazy"> b'),
        (f"![x|40](<{PASTED}>)", f'<img src="{PASTED}" alt="x" loading="lazy" width="40">'),
        (f'![x]({PASTED} "title")', f'<img src="{PASTED}" alt="x" loading="lazy">'),
        (f"![x][one]\n\n[one]: <{PASTED}>", f'<img src="{PASTED}" alt="x" loading="lazy">'),
        (
            f'<img alt="x" src="{PASTED}" width=40 onerror=f()>',
            f'<img src="{PASTED}" alt="x" loading="lazy" width="40">',
        ),
        (f"<img src={PASTED}>", f'<img src="{PASTED}" alt="" loading="lazy">'),
        (f"# ![x]({PASTED})", f'<img src="{PASTED}" alt="x" loading="lazy">'),
    ],
)
def test_a_picture_in_the_text_is_shown(text: str, expected: str) -> None:
    assert expected in drawn(text)


@pytest.mark.parametrize(
    "address",
    [
        "data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=",
        "data:image/svg+xml;utf8,<svg onload=f()></svg>",
        "data:text/html;base64,PHNjcmlwdD4=",
        "data:image/png,x",
        'data:image/png;base64,"onerror=f()',
    ],
)
def test_data_of_other_kinds_stays_text(address: str) -> None:
    for text in (f"![x]({address})", f"![x](<{address}>)", f'<img src="{address}">', f"![x][i]\n\n[i]: <{address}>"):
        assert "<img" not in drawn(text)
    assert "<a" not in drawn(f"[x]({PASTED})")


class Checked(HTMLParser):
    """Fails for an element, an attribute or an address that the generator doesn't write."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VIEW_ELEMENTS, tag
        for name, value in attrs:
            assert name in VIEW_ATTRIBUTES, (tag, name)
            if name == "href":
                assert re.match(r"https?:|mailto:|\?note=|#$|/attachment/", value or "", re.IGNORECASE), value
            if name == "src":
                assert re.match(rf"/attachment/id0/|{PASTED}$", value or "")

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)


def check(text: str) -> None:
    if not is_deeply_nested(text):
        Checked().feed(drawn(text, (len(text) // 3, len(text) // 2 + 1)))


@pytest.mark.parametrize("number", range(40))
def test_hostile_notes_bring_no_element_of_their_own(number: int) -> None:
    chance = random.Random(number)
    parts = [*chance.sample(BLOCKS, 3), *chance.sample(LINES, 6)]
    chance.shuffle(parts)
    check(chance.choice(("\n\n", "\n", " ", "")).join(parts).replace("EVIL", "http://127.0.0.1:9"))


_SIGNS = st.sampled_from(
    [
        *"[[ ]] | ![[ ]( ) [ < > \" ' ` ``` $ $$ == %% <!-- --> # ^a [^1] [^1]: javascript: other a.png".split(),
        *("http://a.b/", "onerror=x", "\\", "{", "}", "&lt;", "> [!x]", "- [ ] ", "\n", "\n\n", " "),
    ]
)


@settings(max_examples=100)
@given(st.lists(_SIGNS | st.text(max_size=3), max_size=30))
def test_no_text_brings_an_element_of_its_own(parts: list[str]) -> None:
    check("".join(parts))


WRAPPED = (
    "A book that an editor wrapped has lines that end where the next word has\n"
    "no room, and a reader wants them as one paragraph that is as wide as the\n"
    "page, in which nothing tells where those lines once ended, and in which\n"
    "links and *stressed words* go on over the end of a line as they do with\n"
    "any other text.\n"
)


def test_line_ends_of_a_wrapped_note_are_spaces() -> None:
    assert "<br" not in drawn(WRAPPED)
    assert "has no room" in drawn(WRAPPED)
    # A line that a person ended early stays one.
    assert drawn(f"{WRAPPED}\nRoses are red,\nviolets are blue.\n").count("<br") == 1


@pytest.mark.parametrize(
    "text",
    [
        "Milk\nBread\nButter\nEggs\nSalt\nFlour\n",
        "第一句话说的是备份。\n第二句话比第一句长一些，说的是恢复和检查备份。\n第三句。\n第四句话说完了。\n第五句。\n",
        "Short.\n"
        + "\n".join("A sentence of its own line, of some length, that ends " + "so " * n for n in range(9))
        + "\n",
        WRAPPED[: WRAPPED.index("page")],
    ],
)
def test_line_ends_of_a_person_stay(text: str) -> None:
    assert drawn(text).count("<br") == text.strip().count("\n")
