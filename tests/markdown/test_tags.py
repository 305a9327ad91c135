"""What a tag is, in a note, in front matter and in a question."""

import re

import pytest

from core.markdown.tags import NAME, key, normalize, split_list, trim_tag


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
    match = re.match(NAME, text)
    assert (match and trim_tag(match[0])) == tag


def test_a_list_of_front_matter_may_hold_any_words() -> None:
    assert list(split_list("machine learning，#b, 2024,, #c #d")) == ["machine learning", "b", "2024", "c", "d"]


def test_the_spellings_of_a_tag_are_one() -> None:
    assert normalize(" ##Rust ") == "Rust"
    assert key("#Rust") == key("RUST") == key("ＲＵＳＴ") == "rust"
    assert key("記憶") == key("＃记忆")
