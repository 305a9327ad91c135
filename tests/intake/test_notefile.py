"""A file becomes a note: title, tags, links, and a body whose offsets are the file's."""

import json
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import SourceError
from core.intake.encoding import decode_file
from core.intake.notefile import read
from core.model import Note
from tests.growth import assert_linear


def note(text: str, path: str = "folder/my note.md") -> Note:
    return read(text.encode(), path)[0]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("closing", ["---", "..."])
def test_body_starts_behind_the_front_matter(newline: str, mark: bytes, closing: str) -> None:
    text = newline.join(["---", "title: 标题", closing, "# Body", "---", "more"])
    parsed = read(mark + text.encode(), "n.md")[0]
    assert parsed.title == "标题"
    assert parsed.body == newline.join(["# Body", "---", "more"])
    assert text[parsed.body_start :] == parsed.body


@pytest.mark.parametrize("text", ["---\ntitle: never closed\n", "\n---\na: b\n---\n", "----\na: b\n---\n", "text"])
def test_without_front_matter_all_is_body(text: str) -> None:
    parsed = note(text)
    assert (parsed.body, parsed.body_start, parsed.extra) == (text, 0, {})


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: From the top\n---\n# Heading", "From the top"),
        ("---\ntitle:\n---\n# Heading", "Heading"),
        ("intro\n\n# A *fine* `title` #\n", "A fine title"),
        ("```\n# not this\n```\n# This\n", "This"),
        ("> ```\n> # not this\n\n# This\n", "This"),
        ("~~~~\n```\n# no\n~~~\n# no\n~~~~~\n# This", "This"),
        ("<!--\n# not this\n\n-->\n# This\n", "This"),
        ("Setext title\n====\n", "Setext title"),
        ("- item\n====\n# This\n", "This"),
        ("## Only level two\n", "my note"),
        ("#tag is no heading\n", "my note"),
        ("# \n\n# Second\n", "Second"),
        ("# [[Target|Shown]] and [text](a.md)\n", "Shown and text"),
        ("# use `*a* b` inside code\n", "use *a* b inside code"),
        ("# C* and snake_case_name &amp; <kbd>X</kbd>\n", "C* and snake_case_name & X"),
        ("> # In a quote\n\n- # In a list\n\n# This\n", "This"),
        ("Two\nlines\n===\n", "Two lines"),
        ("# 2 * 3\r\nx", "2 * 3"),
        ("    # indented code\n", "my note"),
        ("plain", "my note"),
    ],
)
def test_title(text: str, title: str) -> None:
    assert note(text).title == title


def test_endless_title_is_shortened() -> None:
    title = note("# " + "word " * 1000).title
    assert len(title) <= 200
    assert title.endswith("…")


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#one and (#two), #three.", ("one", "two", "three")),
        ("#项目/子项 与 #机器学习，#a_b-c", ("项目/子项", "机器学习", "a_b-c")),
        ("#Rust #rust #RUST", ("Rust",)),
        ("#2024 #123 #v2", ("v2",)),
        ("C# and F#x a#b &#39; \\#no", ()),
        ("# heading #no\n\n#yes", ("yes",)),
        ("Heading #no\n===\n#yes", ("yes",)),
        ("`#no` ``a ` #no`` #yes ` #open", ("yes", "open")),
        ("```\n#no\n```\n#yes", ("yes",)),
        ("- ```py\n  #no\n  ```\n- #yes", ("yes",)),
        ("para\n\n    #no code\n\n#yes", ("yes",)),
        ("- item\n\n    #yes in the item", ("yes",)),
        ("so <!-- #no --> #yes %% #no %% <a title='x #no'> <!-- #open", ("yes", "open")),
        ("<!--\n#no\n\n#no -->\n\n#yes\n\n<!-- #no", ("yes",)),
        ("\\` #yes \\`", ("yes",)),
        ("**#bold** <b>#html</b> `#no`#no", ("bold", "html")),
        ("<div>\n#yes\n</div>\n\n<pre>\n#no\n\n#no\n</pre>", ("yes",)),
        ("| #yes | `#no` |\n|---|---|\n| #cell | [x](#no) |", ("yes", "cell")),
        ("> - #yes\n>\n>   ```\n>   #no\n>   ```", ("yes",)),
        ("$$\n#no\n$$\n\n%%\n#no\n%%\n\n#yes", ("yes",)),
        ("[^1]: #note\n\n    #more", ("note", "more")),
        ("#2024-plan #2024/01 #2024-", ("2024-plan", "2024/01")),
        ("#-x #/x #a/", ("a",)),
        ("#记忆 #記憶 #ＡＢ #ab", ("记忆", "ＡＢ")),
        ("[x](#no) [y](a.md#no) <https://a.b/#no> https://a.b/c#no [z](<#no>) [[a #no]]", ()),
        ("---\ntags: a, b\n---\n#c", ("a", "b", "c")),
        ("---\ntags: [a, '#b', 2024, no]\n---\n", ("a", "b", "2024", "no")),
        ("---\ntags:\n  - machine learning\n  - '#b'\n  -\n---\n#B", ("machine learning", "b")),
        ("---\ntags: '#a #b'\n---\n", ("a", "b")),
        ("---\ntags:\n---\n", ()),
    ],
)
def test_tags(text: str, tags: tuple[str, ...]) -> None:
    assert note(text).tags == tags


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[[Other note#Part|shown]] ![[Embedded]] [[a\\|b]]", ("Other note", "Embedded", "a")),
        ("[[#Here]] ![[picture.png]] `[[code]]`", ()),
        ("[a](b.md) [c](../up%20there.md#x) [d](sub/e)", ("folder/b.md", "up there.md", "folder/sub/e")),
        ("[a](<b c.md>)\n\n[r]: ref.md", ("folder/b c.md", "folder/ref.md")),
        ("[a](b.md) [r]: no.md a](no.md) \\[a](no.md)", ("folder/b.md",)),
        ("[a](b.md 'its title') [c]( d.md ) [e](f g.md)", ("folder/b.md", "folder/d.md")),
        ("[a `](no.md)` b](b.md) [![i](p.png)](c.md) [a](b\\_c.md)", ("folder/b.md", "folder/c.md", "folder/b_c.md")),
        ("[^1]: See [[a]]\n\n[^2]: word", ("a",)),
        ("| [[a\\|b]] | [c](d.md) |\n|---|---|\n| [[e|f]] | `[[no]]` |", ("a", "folder/d.md", "e")),
        ("```\n[[no]]\n```\n<!-- [[no]] -->\n\n    [[no]]\n\n- > [[yes]]", ("yes",)),
        ("[w](https://a.b/c.md) [m](mailto:x@y.z) [o](../../out.md) [p](x.pdf) [q](//h/x.md)", ()),
        ("[a](/top.md) [b](f(1).md)", ("top.md", "folder/f(1).md")),
        ("# [[In a heading]]\n[[In a heading]]", ("In a heading",)),
    ],
)
def test_links(text: str, links: tuple[str, ...]) -> None:
    assert note(text).links == links


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "`", "`` ` ", "[[", "](", "<", "<!--", "%%", "#", "- ", " ", "> ```\n", "a\n=\n", "]: a ", "(#"),
        *("[", "[a](", "[a](b '", "](<", "](  ", '<a b="', "<a b='\" ", "`a` ", "\\", "![[", "[[a|", "<? "),
        *("| `a` [[b|\n", "<!A", "#a/", "<pre>#a", "[a]: b\n", "[^a]: b\n"),
    ],
)
def test_hostile_text_is_read_in_linear_time(unit: str) -> None:
    assert_linear(note, unit * (100_000 // len(unit)))


def test_an_underline_below_a_long_list_is_linear() -> None:
    assert_linear(note, "a\n" * 20_000 + "- b\n" + "=\n" * 20_000)


def test_binary_under_a_notes_name_is_refused() -> None:
    with pytest.raises(SourceError, match="PNG"):
        read(b"\x89PNG\r\n\x1a\n\0\0\0\r", "n.md")


def test_title_falls_back_to_the_stem() -> None:
    assert note("x", "a/b.c.md").title == PurePosixPath("b.c.md").stem


MARKS = "# |#标签 |title: |- |> |`|[[|]]|](|)|<!--|-->|%%|created: |&a |*a |!!|{|}|😀|    ".split("|")
LINES = ["---\n", "...\n", "```\n", "=\n", "tags: [a]\n", "\r\n", "\r", "\n", "\x85", "\u2028", "\ufeff", "\0"]
PIECES = st.sampled_from(MARKS + LINES)


@given(st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=40).map(lambda pieces: "".join(pieces).encode())))
def test_any_bytes_make_a_note_or_a_source_error(data: bytes) -> None:
    try:
        parsed, _ = read(data, "n.md")
    except SourceError:
        return
    text = decode_file(data, "n.md").text
    assert text[parsed.body_start :] == parsed.body
    assert parsed.title
    for part in (text, parsed.title, *parsed.tags, *parsed.links, json.dumps(parsed.extra)):
        assert "\0" not in part
        part.encode("utf-8")


@given(st.lists(st.sampled_from([*"*_[]()<>!#%a -", "[[", "](", "<a>", "<!--", "%%"]), max_size=20).map("".join))
def test_code_never_has_tags_or_links(before: str) -> None:
    parsed = note(f"{before}\n\n~~~~\n#no [[no]]\n~~~~\n\n{before}a `` #no [[no]] [a](no.md) ``", "n.md")
    assert "no" not in parsed.tags
    assert not {"no", "no.md"} & set(parsed.links)


def test_a_title_that_is_shortened_is_a_property_too() -> None:
    whole = " ".join(f"word{number}" for number in range(100))
    note, _ = read(f"---\ntitle: {whole}\n---\nText\n".encode(), "a.md")
    assert len(note.title) == 200
    assert note.extra == {"title": whole}
    assert read(b"---\ntitle:  Two   words\n---\n", "a.md")[0].extra == {}
