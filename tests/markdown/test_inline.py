"""Literals are found as CommonMark finds them, and give back what is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core.markdown.inline import hide

PIECES = st.lists(
    st.sampled_from([*"`\\*_[]()<>!#%a b\n", "``", "[[", "]]", "](", "<a>", "<!--", "-->", "%%", "<a:b>", "#tag"]),
    max_size=30,
).map("".join)


@pytest.mark.parametrize(
    ("text", "literals"),
    [
        ("a `b` ``c`d``", ["`b`", "``c`d``"]),
        ("\\` `b` \\\\`c`", ["\\`", "`b`", "\\\\", "`c`"]),
        ("` open ``", []),
        ("[[a|b]] ![[c#d]] `[[e]]`", ["[[a|b]]", "![[c#d]]", "`[[e]]`"]),
        ("<!-- a --> <!--> %%b%% %%c <!-- d", ["<!-- a -->", "<!-->", "%%b%%"]),
        ("<b> </b> <br/> <a.b> <ab:c> a < b", ["<b>", "</b>", "<br/>", "<ab:c>"]),
        ("<a title='`'> `b`", ["<a title='`'>", "`b`"]),
    ],
)
def test_literals(text: str, literals: list[str]) -> None:
    assert [literal.raw for literal in hide(text).literals] == literals


@given(PIECES)
def test_what_is_hidden_is_given_back(text: str) -> None:
    inline = hide(text)
    assert inline.raw(inline.text) == text


@given(st.lists(st.sampled_from([*"`\\*a ", "``", "```", "\\`"]), max_size=30).map("".join))
def test_code_is_what_commonmark_takes_for_code(text: str) -> None:
    tokens = MarkdownIt("commonmark").parseInline(f"a{text}a")[0].children or []
    ours = [literal.visible for literal in hide(f"a{text}a").literals if literal.raw.startswith("`")]
    assert ours == [token.content.strip() for token in tokens if token.type == "code_inline"]
