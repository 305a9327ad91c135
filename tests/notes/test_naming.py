"""The title that a text without one gets."""

import pytest

from core.notes.texts import first_words
from core.workspace import Workspace


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("## Thyme\n\nMore.", "Thyme"),
        ("- [x] Water it", "Water it"),
        ("See [[hens|The hens]] and [[Coop]]", "See The hens and Coop"),
        ("After [the fair](https://a.test/x)", "After the fair"),
        ("[[not closed", "[[not closed"),
        ("![](pasted-1.png)\n\nThe shelf", "The shelf"),
        ("Before ![alt](a_(1).png) after", "Before after"),
        ("![[Pasted image.png]]", "Untitled"),
        ("> ![a](data:image/png;base64,AAAA) ![[b.png|300]]\n- second", "second"),
        ("![not closed", "![not closed"),
        ("", "Untitled"),
        ("x" * 70, "x" * 59 + "…"),
    ],
)
def test_a_title_is_the_first_line_with_words(body: str, title: str) -> None:
    assert first_words(body) == title


@pytest.mark.parametrize("sign", ["![", "![[", "![](", "![a](x(y)", "![](()", "[[", "[a", "[a](", "[[a|"])
def test_a_line_of_beginnings_is_no_trouble(sign: str) -> None:
    assert first_words(sign * 100_000)


@pytest.mark.parametrize(
    ("title", "body", "shown"),
    [
        ("1. Setup", "# 1. Setup\n\nInstall **it** first.", "Install it first."),
        ("C++", "# C++\n\nif a == b and c**2, see [[Rules|the rules]]", "if a == b and c**2, see the rules"),
        ("__init__.py", "# `__init__.py`\n\n- one\n- two", "one two"),
        ("Diary", "No heading here.", "No heading here."),
        ("Go", "# Go\n\nGoogle made it.", "Google made it."),
        ("茶", "茶叶要放在阴凉处。", "茶叶要放在阴凉处。"),
        ("Diary", "# Diary\n", ""),
        ("Log", "# Log\n\n```sh\ngit log | head\n```\n\nThe _last_ **commits _of_ all**.", "The last commits of all."),
        ("Prices", "| a | b |\n|---|---|\n| 1 | 2 |\n\na | b\n--- | ---\n1 | 2\n\n*Rye* is up.", "Rye is up."),
        ("Code", "# Code\n\n~~~\nnever closed\n", ""),
        ("Ignored", "# Ignored\n\n- `*.log` and `*.tmp`\n- *nix", "*.log and *.tmp *nix"),
        (
            "Tea",
            "# Tea\n\n<div align='center'>\n\n![x](y.png)\n\n## Green\n\n> [!tip]\n> Not [too\n> hot](a.md)",
            "Not too hot",
        ),
        ("茶", "这是**重点**内容，snake_case_name 和 Vec<i32> 不变", "这是重点内容，snake_case_name 和 Vec<i32> 不变"),
    ],
)
def test_the_beginning_of_a_note_follows_its_title(workspace: Workspace, title: str, body: str, shown: str) -> None:
    note = workspace.notes.add("desk", body, title=title, embed=False)
    assert workspace.texts.beginnings([note.id], 200) == {note.id: shown}
