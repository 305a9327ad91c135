"""Front matter is other people's YAML: its values are taken, its tricks are not."""

import json
from datetime import UTC, datetime

import pytest

from core.intake.notefile import read
from core.markdown.frontmatter import FrontMatter, parse
from core.model import Omission
from tests.growth import assert_linear


def test_every_field_and_what_is_left() -> None:
    source = """\
title: 1.10
category: [a, b]
type: business_rule
project: Tessera
scope: team
priority: 3
status: Archived
url: https://example.org/x
created: 2024-01-02
updated: 2024-03-04T05:06:07+02:00
aliases: [Other, 另名]
cssclass: wide
rating: 4.5
nested: {when: 2024-01-02, list: [1, yes]}
empty:
"""
    parsed, _ = read(f"---\n{source}---\nbody".encode(), "n.md")
    assert parsed.title == "1.10"
    assert (parsed.category, parsed.type, parsed.project, parsed.scope) == (
        "a, b",
        "business_rule",
        "Tessera",
        "team",
    )
    assert (parsed.priority, parsed.status, parsed.source_url) == (3, "archived", "https://example.org/x")
    assert parsed.created_at == datetime(2024, 1, 2, tzinfo=UTC)
    assert parsed.updated_at == datetime(2024, 3, 4, 3, 6, 7, tzinfo=UTC)
    assert parsed.extra == {
        "aliases": ["Other", "另名"],
        "cssclass": "wide",
        "rating": 4.5,
        "nested": {"when": "2024-01-02", "list": [1, True]},
    }
    assert parsed.warnings == ()


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2024-1-2", datetime(2024, 1, 2, tzinfo=UTC)),
        ("2024/01/02 10:30", datetime(2024, 1, 2, 10, 30, tzinfo=UTC)),
        ("'2024-01-02T10:30:00Z'", datetime(2024, 1, 2, 10, 30, tzinfo=UTC)),
        ("2024-01-02 10:30:00 +08:00", datetime(2024, 1, 2, 2, 30, tzinfo=UTC)),
        ("2024年1月2日", datetime(2024, 1, 2, tzinfo=UTC)),
    ],
)
def test_dates(value: str, moment: datetime) -> None:
    assert parse(f"created: {value}\n").value("created_at") == moment


@pytest.mark.parametrize("value", ["someday", "2024-13-45", "0001-01-01 00:00:00+10:00"])
def test_what_is_no_date_is_kept_and_told(value: str) -> None:
    front = parse(f"a: b\ncreated: {value}\n")
    assert front.value("created_at") is None
    assert "created" in front.extra
    assert [*map(str, front.warnings)] == ["'created' in the front matter (line 3) is not a date like 2026-01-31."]


def test_values_that_do_not_fit_their_field_are_kept() -> None:
    front = parse("status: done\npriority: high\nurl: javascript:alert(1)\n")
    assert (front.value("status"), front.value("priority"), front.fields) == ("active", 0, {})
    assert front.extra == {"status": "done", "priority": "high", "url": "javascript:alert(1)"}


@pytest.mark.parametrize(
    ("line", "place", "why"),
    [
        ("title: Plan: second part", "3 (title)", "quotation marks"),
        ("\ttabbed: 1", "3 (tabbed)", "quotation marks"),
        ("mail: @home", "3 (mail)", "quotation marks"),
        ("{{title}}", "3", "isn't 'key: value'"),
        ("title: {{title}}", "3 (title)", "quotation marks"),
        ("*****", "3", "isn't 'key: value'"),
        ("title: [a, b", "3 (title)", "quotation marks"),
        ("c: *x", "3 (c)", "YAML aliases"),
        ("title: \x01", "3 (title)", "control character"),
        ("title: " + "[" * 40 + "]" * 40, "3 (title)", "nested deeper"),
        ("title: {[x]: 1}", "3 (title)", "quotation marks"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_of_a_mapping_the_lines_that_can_be_read_count(line: str, place: str, why: str, ending: str) -> None:
    lines = ["\ufeff---  ", "author: &x Kim", line, "tags: [b]", "---\t", "body #tag"]
    parsed, _ = read(ending.join(lines).encode(), "n.md")
    assert (parsed.body, parsed.tags, parsed.title) == ("body #tag", ("b", "tag"), "n")
    assert parsed.extra == {"author": "Kim"}
    assert parsed.left_out == (Omission("field", place=place),)
    (warning,) = map(str, parsed.warnings)
    assert "Line 3 of the front matter" in warning
    assert why in warning


def test_one_item_of_a_list_costs_only_itself() -> None:
    front = parse("tags:\n- good\n- @bad\n- fine\nmail: &x a\n")
    assert (front.value("tags"), front.extra) == (("good", "fine"), {"mail": "a"})
    assert front.left_out == [Omission("field", place="4")]


@pytest.mark.parametrize(
    "text",
    [
        "\nThe first stanza mentions a lantern.\n\n",
        "Roses: are red\nViolets are blue\n",
        "Meeting with Noor: budget agreed\n- hire a plumber\n",
        "- first item\n- second: item\n",
        "| a | b |\n|---|---|\n| zinc | tin |\n",
        "# A heading\n",
        "# A heading\nAnd a paragraph.\n",
        "**Ingredients:** flour, yeast\n",
        "> quoted: yes: indeed\n",
        "中文开头的分隔线。\n",
        "Note: see: below\n",
        "{{title}}\n",
        "a: " + "[" * 50_000 + "\n",
        "".join(" " * depth + "a:\n" for depth in range(200)),
        "- " * 30_000 + "\n",
        "a: " + "x" * 70_000 + "\n",
        "a: b: c\n" * 5_000,
        "{{a}}\n" + " b: [\n" * 8_000,
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_text_that_is_no_mapping_is_body(text: str, ending: str) -> None:
    file = f"---  \n{text}---\nbody".replace("\n", ending)
    parsed, _ = read(file.encode("utf-8-sig"), "n.md")
    assert_linear(lambda data: read(data, "n.md"), file.encode("utf-8-sig"))
    assert (parsed.front, parsed.body, parsed.warnings, parsed.left_out) == ("", file, (), ())


@pytest.mark.parametrize("text", ["", "\n", "Q: what is the door code?\nA: it is 4711\n"])
def test_nothing_and_any_mapping_are_front_matter(text: str) -> None:
    parsed, _ = read(f"---\n{text}---\nbody".encode(), "n.md")
    assert parsed.body == "body"


def test_alias_bomb_is_refused_before_it_is_built() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    front = parse("\n".join(lines))
    assert front.extra == {"a0": ["x"] * 9}
    assert [one.count for one in front.left_out] == [11]
    assert len(front.warnings) == 10
    assert "aliases (*name) are not allowed" in str(front.warnings[0])


def test_one_bad_value_costs_only_itself() -> None:
    front = parse("a: !!python/object/apply:os.system [ls]\nb: {[x]: 1}\ntitle: kept\n")
    assert (front.value("title"), front.extra) == ("kept", {})
    assert {one.place for one in front.left_out} == {"2 (a)", "3 (b)"}


def test_many_lines_that_cannot_be_read_are_one_omission() -> None:
    front = parse("a: 1\n" + "b: c: d\n" * 5_000)
    (left_out,) = front.left_out
    assert (front.extra, left_out.count, left_out.place[:14]) == ({"a": 1}, 5_000, "3 (b), 4 (b), ")
    assert len(left_out.place) < 100


def test_a_value_with_keys_of_its_own_is_kept() -> None:
    front = parse("title: {de: Haus}\ntags: [a, {b: c}]\n")
    assert (front.fields, front.extra) == ({}, {"title": {"de": "Haus"}, "tags": ["a", {"b": "c"}]})


@pytest.mark.parametrize(
    "value",
    ["!!timestamp 'x'", "!!bool maybe", "!!int ''", "!!int +", "!!float ''", "!!float 1:x", "!own text"],
)
def test_a_value_that_its_tag_does_not_fit_is_kept_as_text_and_told(value: str) -> None:
    front = parse(f"title: kept\nmood: {value}\n")
    assert (front.value("title"), type(front.extra["mood"])) == ("kept", str)
    assert "'mood' in the front matter (line 3) can't be read as '!" in str(front.warnings[0])


@pytest.mark.parametrize("value", ["0x" + "f" * 50_000, "9" * 50_000, ".inf", ".nan", "!!binary aGk=", "2001-99-99"])
def test_every_kept_value_is_json(value: str) -> None:
    front = parse(f"odd: {value}\n1: int key\nyes: bool key\n")
    assert set(front.extra) == {"odd", "1", "yes"}
    json.loads(json.dumps(front.extra, allow_nan=False))


def test_empty_front_matter_says_nothing() -> None:
    assert parse("") == parse("# a comment\n") == FrontMatter()


def test_numbers_and_times_without_a_field_stay_as_typed() -> None:
    typed = {
        "version": "1.10",
        "code": "00123",
        "start": "1:30",
        "colour": "0x1F",
        "n": "1_000",
        "at": "2026-01-31T09:05Z",
    }
    front = parse(
        "".join(f"{key}: {value}\n" for key, value in typed.items()) + "list: [010, 7]\nrating: 4\nhalf: 0.5\n"
    )
    assert front.extra == {**typed, "list": ["010", 7], "rating": 4, "half": 0.5}
    assert front.warnings == []
