"""Where links lead, as they are written."""

import pytest

from core.markdown.body import look_into
from core.markdown.inline import Link, extract_links, hide


@pytest.mark.parametrize(
    ("text", "links", "rest"),
    [
        ("[a](b.md) c", [Link("b.md")], "[a] c"),
        ("![a](b.png 't')", [Link("b.png")], "![a]"),
        ("[a](<b c.md>)", [Link("b c.md")], "[a]"),
        ("[a](b_(c).md)", [Link("b_(c).md")], "[a]"),
        ("[a](b\\(c.md)", [Link("b(c.md")], "[a]"),
        ("[![a](b.png)](c.md)", [Link("b.png"), Link("c.md")], "[![a]]"),
        ("a](b.md)", [], "a](b.md)"),
        ("[a] (b.md) [a](b c.md)", [], "[a] (b.md) [a](b c.md)"),
    ],
)
def test_links(text: str, links: list[Link], rest: str) -> None:
    inline, found = extract_links(hide(text))
    assert (found, inline.raw(inline.text)) == (links, rest)


@pytest.mark.parametrize(
    ("text", "target"), [("[[a]]", "a"), ("[[a|b]]", "a"), ("![[a#b]]", "a#b"), ("[[a\\|b]]", "a\\"), ("[[#b]]", "#b")]
)
def test_wikilinks(text: str, target: str) -> None:
    assert extract_links(hide(text))[1] == [Link(target, wiki=True)]


def test_definitions_are_links_and_footnotes_are_none() -> None:
    body = "[a]: b.md 'title'\n[c]: <d e.md>\n\n[^1]: word\n\ntext [f]: g.md\n"
    assert look_into(body, "note.md").links == (Link("b.md"), Link("d%20e.md"))
