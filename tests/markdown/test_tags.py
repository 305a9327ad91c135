"""What a tag is, in a note, in front matter and in a question."""

import re
from datetime import UTC, datetime

import pytest

from core.markdown.body import look_into
from core.markdown.inline import normalize_tag, split_tags, tag_key, trim_tag
from core.model import TAG_NAME
from core.query.parser import parse
from pages.ui.shared.document import Sources, document


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("rust", "rust"),
        ("2024-plan", "2024-plan"),
        ("2024/01", "2024/01"),
        ("项目/子项", "项目/子项"),
        ("v2", "v2"),
        ("a_b-c", "a_b-c"),
        ("cafe\u0301", "caf\u00e9"),
        ("a/", "a"),
        ("a,b", "a"),
        ("机器学习，", "机器学习"),
        ("2024", None),
        ("2024-", None),
        ("１２", None),
        ("-x", None),
        ("/x", None),
        ("", None),
    ],
)
def test_a_name_behind_its_sign(text: str, tag: str | None) -> None:
    match = re.match(TAG_NAME, text)
    assert (match and trim_tag(match[0])) == tag


def test_a_list_of_front_matter_may_hold_any_words() -> None:
    assert list(split_tags("machine learning，#b, 2024,, #c #d")) == ["machine learning", "b", "2024", "c", "d"]


def test_the_spellings_of_a_tag_are_one() -> None:
    assert normalize_tag(" ##Rust ") == "Rust"
    assert tag_key("#Rust") == tag_key("RUST") == tag_key("ＲＵＳＴ") == "rust"
    assert tag_key("記憶") == tag_key("＃记忆")


class Nowhere(Sources):
    """A text without a note around it."""

    can_click = can_tick = False
    first_line = 0


CASES = {
    "#🌱seedling": "🌱seedling",
    "#📥": "📥",
    "#inbox/📥": "inbox/📥",
    "#to-do/🔥hot": "to-do/🔥hot",
    "#emoji😀": "emoji😀",
    "#👩‍💻work": "👩‍💻work",
    "#🇩🇪": "🇩🇪",
    "#👍🏽": "👍🏽",
    "#❤️": "❤️",
    "#1️⃣": "1️⃣",
    "#🏴󠁧󠁢󠁳󠁣󠁴󠁿": "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "(#📥)": "📥",
    "[#inbox]": "inbox",
    **{f"#{tag}": tag for tag in ("cafe", "facade", "bad", "b2b", "e2e", "d20", "FCC", "a10", "Feb", "123rd", "fff-x")},
    **dict.fromkeys(
        ("[#A]", "[#B]", "[#1]", "##double", "C#sharp", "GH#77", "#123", "https://a.b/c#d", "`#code`"), None
    ),
    **dict.fromkeys(("#fff", "#EEE", "#f00", "#0033cc", "#FA4616", "#123abc", "#ffffff", "#FA461680"), None),
    **dict.fromkeys(("$x #math y$", "$#a$", "$$a #b$$", "$$\na #b\n$$", r"$\text{\$} #a$"), None),
    "it costs $5 #money and $6": "money",
    "$x$ #after": "after",
}


@pytest.mark.parametrize("text", CASES)
def test_a_tag_is_the_same_in_a_note_in_a_question_and_on_the_page(text: str) -> None:
    tag = CASES[text]
    wanted = [tag] if tag else []
    assert list(look_into(f"Text {text} end.\n", "a.md").tags) == wanted
    assert re.findall(r'class="tag">#([^<]*)<', document(f"Text {text} end.", Nowhere()).html) == wanted
    if tag:
        assert parse(f"#{tag}", now=datetime.now(UTC)).filters.conditions[0].values == (tag,)


@pytest.mark.parametrize(
    "text",
    ["x {#id}", "x { #id }", "[x](y){ .note #id }", "{: #id .note }", "x {#id} y", "x{: .note #id }\ny", "- x {#id}\n"],
)
def test_an_attribute_is_no_tag(text: str) -> None:
    assert look_into(text, "a.md").tags == ()
    assert 'class="tag"' not in document(text, Nowhere()).html
