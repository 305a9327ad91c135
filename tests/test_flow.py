"""Lines that the width of a page broke are joined; lists, tables, verses and code keep theirs."""

import re
from random import Random

import pytest

from core.base.flow import GAP, LINE, as_copied, as_row, flow
from tests.growth import assert_linear

WIDE = "The dough rests in the cold fridge overnight"


@pytest.mark.parametrize(
    ("text", "flowing"),
    [
        ("The experi-\nment ends.\n\nAn experiment.", "The experiment ends.\n\nAn experiment."),
        ("It is well-\nknown, a re-\nstored copy.", "It is well-known, a re-stored copy."),
        ("soft\u00ad\nened", "softened"),
        ("2020-\n2021 and -\nso", "2020- 2021 and - so"),
        ("面团在冰箱里\n发酵一夜，\n再烤。Then\n烤箱", "面团在冰箱里发酵一夜，再烤。Then 烤箱"),
        ("- one item\n  of two lines\n- two\n1. three\n   goes on", "- one item of two lines\n- two\n1. three goes on"),
        ("> quoted\n> text", "> quoted text"),
        ("two spaces  \nare a\\\nbreak", "two spaces  \nare a\\\nbreak"),
        ("# Head\ntext\ngoes on\n## Next\nmore", "# Head\ntext goes on\n## Next\nmore"),
        ("Title\n=====\n\na\r\nb", "Title\n=====\n\na b"),
    ],
)
def test_paragraphs_flow(text: str, flowing: str) -> None:
    assert as_copied(flow(text)) == flowing


@pytest.mark.parametrize(
    "text",
    [
        "```sh\npg_dump \\\n  shop\nls\n```",
        "~~~\na\nb",
        "    indented code\n    of two lines",
        "| a | b |\n|---|---|\n| c | d |",
        "a | b\n--|--\nc | d",
        "- a\n- b\n\n* c\n* d\n\n1. e\n2) f\n\n1、甲\n2、乙",
        "$$\nx = y\nz\n$$",
        "<div>\nx\n</div>",
        "# One\n## Two\n\n---\n",
    ],
)
@pytest.mark.parametrize("paged", [False, True])
def test_what_has_lines_of_its_own_keeps_them(text: str, paged: bool) -> None:
    assert flow(text, paged=paged) == text


@pytest.mark.parametrize(
    ("header", "row", "shown"),
    [
        ("| Name | Age |", "| a | 3 |", "Name: a · Age: 3"),
        ("| Name: | **Age:** |", "| a | 3 |", "Name: a · **Age**: 3"),
        ("| 名称： | **价格** |", "| a | 3 |", "名称：a · **价格**：3"),
        ("| 价格（元） | 价格 (元) |", "| 1 | 2 |", "价格（元）：1 · 价格 (元)：2"),
        ("| # | |", "| 1 | 2 |", "#: 1 · 2"),
        ("| 项目 A | _价格_ |", "| 1 | 2 |", "项目 A: 1 · _价格_：2"),
        ("| Name |", "| a | b |", "Name: a · b"),
        ("", "| a | | b |", "a · b"),
    ],
)
def test_a_row_names_its_columns_with_one_colon_each(header: str, row: str, shown: str) -> None:
    assert as_row(row, header) == shown


def test_short_lines_of_a_page_stay() -> None:
    verse = "Roses are red,\nviolets are blue,\nthe rest is bread"
    assert as_copied(flow(verse)) == verse.replace("\n", " ")
    assert as_copied(flow(verse, paged=True)) == verse
    page = f"{WIDE} and\n{WIDE} too."
    assert as_copied(flow(page, paged=True)) == f"{WIDE} and {WIDE} too."


def test_lines_with_a_label_each_stay() -> None:
    for lines in (
        "Phone: 069 55\nOpen: on Mondays",
        "看日志：`docker logs`\n进容器：`docker exec`",
        "> Cause: a\n> Cure: b",
        "价格：30元\n库存：5件",
    ):
        flowing = flow(lines)
        assert len(flowing) == len(lines)
        assert as_copied(flowing) == lines.replace("\n> ", "\n")
    assert as_copied(flow("Phone: 069 55\nand by mail")) == "Phone: 069 55 and by mail"
    assert as_copied(flow("It was at 9:30 that\nshe left")) == "It was at 9:30 that she left"


def test_a_divided_word_is_joined_by_what_else_is_known() -> None:
    assert as_copied(flow("experi-\nment")) == "experi-ment"
    assert as_copied(flow("Experi-\nment", "an experiment")) == "Experiment"


@pytest.mark.parametrize("seed", range(30))
def test_no_word_is_lost_and_places_stay_with_their_words(seed: int) -> None:
    random = Random(seed)
    pieces = [
        "oven",
        "dough",
        "half-\nway",
        "halfway",
        "烤箱",
        "，",
        ".",
        "\n",
        "\n",
        "\n\n",
        " ",
        "- ",
        "  \n",
        "| a |",
    ]
    text = "".join(random.choice(pieces) + random.choice([" ", "", "\n"]) for _ in range(60))
    flowing = flow(text, paged=random.random() < 0.5)
    assert len(flowing) == len(text)
    assert all(new in (old, " ", GAP, LINE) for old, new in zip(text, flowing, strict=True))
    assert re.findall(r"\w", flowing) == re.findall(r"\w", text)


@pytest.mark.parametrize("name", ["*", ":", ":*", "（", "a（"])
def test_the_name_of_a_column_takes_linear_time(name: str) -> None:
    assert_linear(lambda text: as_row("x", text), name * (40_000 // len(name)) + "a")


@pytest.mark.parametrize("part", ["abc def\n", "a-\n", "- a\n", "```\n", "> ", "| a\n", "a" * 300 + "\n", " \n", "a"])
def test_long_texts_take_linear_time(part: str) -> None:
    assert_linear(lambda text: flow(text), part * (40_000 // len(part)))


def test_symbols_of_a_font_stay_in_what_is_copied() -> None:
    assert as_copied(flow("a \ue001 of\ntwo \ue002 lines")) == "a \ue001 of two \ue002 lines"
