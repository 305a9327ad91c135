"""A question is answered with the notes' own sentences, each at its place, or denied where no hit is a good match."""

import html
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.features.answers import service as collection
from core.features.answers.service import complete, is_question
from core.model import DENIED, Answer
from core.model.answers import DISAGREE, UNCLEAR
from core.workspace import Workspace
from pages.ui.search.quotes import _text as drawn_text
from tests import samples

pytestmark = pytest.mark.usefixtures("bundled")

OVEN = """# Oven

![How to clean the baking stone](stone.png)

- [Cleaning the baking stone](stone.md)

| what | how much |
|---|---|
| flour | 500 g |
| water | 350 ml |

To clean the baking stone:

- Scrape it when it is cold.
- Never use soap.
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = samples.write(tmp_path_factory.mktemp("answers") / "vault")
    (folder / "kitchen" / "oven.md").write_text(OVEN, encoding="utf-8")
    with Workspace(folder.with_name("workspace")) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        yield workspace


def texts(answer: Answer) -> list[str]:
    return [one.text for one in answer.quotes]


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("what are backups worth?", "Backups are only worth what their last restore proved."),
        ("什么是缓存雪崩？", "大量的键同时过期，请求全部落到数据库上，这就是缓存雪崩。"),
        ("how often should I run pg_dump?", "Run `pg_dump --format=custom shop > shop.dump` every night"),
        ("how do I clean the baking stone?", "- Scrape it when it is cold."),
        ("how much water goes into the flour", "| water | 350 ml |"),
    ],
)
def test_the_sentence_that_answers_is_quoted_from_its_place(filled: Workspace, typed: str, wanted: str) -> None:
    answer = filled.answers.ask(typed)
    assert answer.answered != "no"
    assert wanted in answer.quotes[0].text
    for quote in answer.quotes:
        body = filled.notes.get(quote.note.id).body
        assert body[quote.start : quote.end] == quote.text
        assert body[slice(*quote.marked_place)] == quote.marked_text != ""
        assert len(quote.text) + len(quote.lead) <= 700
    assert len(answer.quotes) <= 3
    assert len({quote.note.id for quote in answer.quotes}) == len(answer.quotes)
    assert [quote.number for quote in answer.quotes] == list(range(1, len(answer.quotes) + 1))


def test_a_row_has_its_header_and_an_item_its_lead_in(filled: Workspace) -> None:
    (row, *_) = filled.answers.ask("how much water goes into the flour").quotes
    assert "| water | 350 ml |" in row.text
    assert row.lead == "| what | how much |"
    (item, *_) = filled.answers.ask("how do I clean the baking stone?").quotes
    assert "- Scrape it when it is cold." in item.text
    assert item.lead == "To clean the baking stone:"
    assert not any("png" in one.text or "stone.md" in one.text for one in (row, item))


@pytest.mark.parametrize(
    "typed",
    [
        "who won the chess championship?",
        "去北京的火车几点开？",
        "zxqv blorptang 99817",
        "小满的生日是哪天",
        "妈妈的血型是什么",
        "How many weeks of parental leave do I get?",
    ],
)
def test_what_the_notes_do_not_say_is_denied_with_the_nearest(filled: Workspace, typed: str) -> None:
    answer = filled.answers.ask(typed)
    assert (answer.answered, answer.quotes, answer.text) == ("no", (), "")
    assert answer.denied
    assert answer.explanation == DENIED
    assert answer.nearest == answer.result.hits[:3]


def test_hits_that_may_not_answer_are_introduced(filled: Workspace) -> None:
    notes = {
        "car": "Our car is insured with Allianz. The premium is 480 EUR a year.",
        "ferry": "We take the ferry with our car at 8:00. The kitchen of the flat is blue.",
    }
    kept = [filled.notes.add("vault", text, path=f"{name}.md").id for name, text in notes.items()]
    try:
        answers = [filled.answers.ask(typed) for typed in ("when is the car washed", "who drives our car at night")]
        told = [answer.explanation for answer in answers if answer.answered == "no"]
        assert told
        assert {*told} <= {DENIED, UNCLEAR}
    finally:
        filled.trash.put(kept)


@pytest.mark.parametrize(("evidence", "likely"), [(5.0, True), (3.0, False), (math.inf, False)])
def test_a_clear_hit_in_another_language_is_named(filled: Workspace, evidence: float, likely: bool) -> None:
    result = replace(filled.search("备份有什么价值？"), evidence=evidence, confident=True)
    assert result.hits[0].chunk.language == "en"
    answer = filled.answers.answer_result(result)
    assert answer.answered == "no"
    assert answer.likely == likely
    assert likely == (answer.explanation not in (UNCLEAR, DENIED))


def test_the_words_alone_answer_where_meaning_is_not_looked_at(filled: Workspace) -> None:
    answer = filled.answers.ask("what are backups worth?", mode="keyword")
    assert "Backups are only worth what their last restore proved." in texts(answer)[0]


def test_quotes_are_chosen_once_while_result_and_notes_stay(filled: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[str] = []
    choose = collection.choose
    monkeypatch.setattr(
        collection, "choose", lambda store, reads, result: chosen.append(result.query) or choose(store, reads, result)
    )
    worth, water = "what are backups worth?", "how much water goes into the flour"

    def quotes(typed: str) -> list[str]:
        answer = filled.answers.to_question(filled.search(typed))
        assert answer
        return texts(answer)

    assert quotes(worth) == quotes(worth) != quotes(water)
    assert chosen == [worth, water]
    note = filled.notes.add("vault", "Flour and water make a dough.", path="dough.md")
    try:
        quotes(water)
    finally:
        filled.trash.put([note.id])
    assert chosen == [worth, water, water]


def test_a_list_by_filters_is_not_an_answer(filled: Workspace) -> None:
    assert filled.answers.ask("tag:redis").answered == "no"


def test_what_asks_is_the_lead_of_what_answers(filled: Workspace) -> None:
    """Neither a question of the notes nor an exercise answers."""
    text = """# Sourdough

**When do I feed the starter?**

Feed it twelve hours before you bake.

## Exercises

1. When do you feed the starter before you bake?
2. Feed the starter at other times before you bake and compare.
"""
    note = filled.notes.add("vault", text, path="sourdough.md")
    try:
        (quote, *_) = filled.answers.ask("when do I feed the sourdough starter?").quotes
        assert quote.marked_text == "Feed it twelve hours before you bake."
        assert quote.lead == "**When do I feed the starter?**" or "**When do I feed" in quote.text
    finally:
        filled.trash.put([note.id])


def test_an_edited_passage_is_quoted_as_the_note_has_it(filled: Workspace) -> None:
    note = filled.notes.add("vault", "The cheese ripens for 4 weeks in the cellar.", path="cheese.md")
    try:
        (chunk,) = filled.chunks.all(note.id)
        filled.chunks.update(chunk.id, "The cheese ripens for 40 weeks in the cellar.")
        answer = filled.answers.ask("how long does the cheese ripen?")
        (quote, *_) = answer.quotes
        assert quote.chunk.edited
        assert quote.text == "The cheese ripens for 4 weeks in the cellar."
        assert "40" not in answer.text
        (read,) = (
            one for one in filled.searching.tokenized_hits(filled.search(answer.query)).values() if one.hit.chunk.edited
        )
        assert "40" in read.hit.chunk.text  # whose bits they are
    finally:
        filled.trash.put([note.id])


LEADS = [
    "Restart the service:\n\n",
    "*Restart the service:*\n",
    "Restart the service.\n\n",
    "**Restart the service**\n\n",
    "1. Restart the service:\n\n   ",
    "- Restart the service.\n  ",
    "重启服务 (restart the service) 时运行：\n",
]


@pytest.mark.parametrize("lines", [0, 4, 10, 14])
@pytest.mark.parametrize("lead", LEADS)
def test_code_is_quoted_whole_with_what_introduces_it(filled: Workspace, lead: str, lines: int) -> None:
    indent = lead.rpartition("\n")[2]
    code = ["sudo systemctl stop nginx", "", "sudo systemctl start nginx"]
    code += [f"echo step {number} --with some-long-value" for number in range(lines)]
    block = "\n".join(f"{indent}{line}".rstrip() for line in ("```sh", *code, "```"))
    body = f"The machine is small. It has two disks.\n\n{lead.removesuffix(indent)}{block}\n\nAnna keeps the log.\n"
    note = filled.notes.add("vault", body, path="machine.md")
    quote = filled.answers.ask("how do I restart the service?").quotes[0]
    filled.trash.put([note.id])
    assert block in quote.marked_text
    assert "estart the service" in quote.marked_text
    drawn = drawn_text(quote)
    assert drawn.count("<pre") == 1
    assert "\n".join(code) in html.unescape(drawn.partition("<pre")[2])
    assert drawn.partition("<pre")[2].count("t-near") == 1


def test_the_first_lines_of_long_code_are_quoted_below_what_introduces_it(filled: Workspace) -> None:
    lead = "Restart the service like this.\n\n"
    code = [f"echo step {number} --with some-long-value" for number in range(40)]
    body = "\n".join(["The machine is small.\n", f"{lead}```sh", *code, "```", "", "Anna keeps the log.\n"])
    note = filled.notes.add("vault", body, path="machine.md")
    quote = filled.answers.ask("how do I restart the service?").quotes[0]
    filled.trash.put([note.id])
    first, *lines = quote.marked_text.splitlines()
    assert first == lead.strip()
    quoted = [line for line in lines if line.startswith("echo")]
    assert quoted == code[: len(quoted)]
    assert 600 < len("\n".join(quoted)) <= 1000
    assert drawn_text(quote).endswith("</pre>" + '<div class="t-dim">…</div>')


def test_notes_that_disagree_are_quoted_together(filled: Workspace) -> None:
    texts = (f"The roof of the barn will cost {cost} EUR in all." for cost in ("52,000", "48,000"))
    notes = [filled.notes.add("vault", text, path=f"barn {number}.md").id for number, text in enumerate(texts)]
    try:
        answer = filled.answers.ask("how much will the roof of the barn cost?")
        assert answer.disagree
        assert answer.explanation == DISAGREE
        assert [quote.number for quote in answer.quotes] == [*range(1, len(answer.quotes) + 1)]
        first, second = answer.at_first
        assert {first.note.id, second.note.id} == {*notes}
        assert all(number in answer.text for number in ("52,000", "48,000"))
        filled.notes.update(notes[1], supersedes=["barn 0.md"])
        assert not filled.answers.ask("how much will the roof of the barn cost?").disagree, "one replaces the other"
    finally:
        filled.trash.put(notes)


RENTS = ("The rent of the flat is **1,150 EUR** per month.", "The rent of the flat is 1,250 EUR per month.")


@pytest.mark.parametrize(
    "texts",
    [
        RENTS,
        (*RENTS, "What is the rent of the flat? 1,150 EUR."),
        [f"| what | monthly |\n|---|---|\n| rent of the flat | {rent} EUR |" for rent in ("1,150", "1,250")],
    ],
)
def test_both_sides_are_quoted_whichever_note_answers_first(filled: Workspace, texts: list[str]) -> None:
    notes = [filled.notes.add("vault", text, path=f"rent {number}.md").id for number, text in enumerate(texts)]
    try:
        answer = filled.answers.ask("what is the rent of the flat per month?")
        assert answer.explanation == DISAGREE
        assert len(answer.at_first) == 2
        assert all(rent in answer.text for rent in ("1,150", "1,250")), answer.text
        assert not any(quote.kind == "row" and not quote.lead for quote in answer.at_first)
    finally:
        filled.trash.put(notes)


@pytest.mark.parametrize(
    ("first", "others"),
    [
        (
            ("flat", "What is the rent of the flat? 1,150 EUR."),
            [(f"garage {rent}", f"The rent of the garage is {rent} EUR per month.") for rent in ("1,150", "1,250")],
        ),
        (
            ("Flat", "The rent is 1,150 EUR per month, paid on the first."),
            [(f"Garage {rent}", f"The rent of it is {rent} EUR a month.") for rent in ("1,150", "1,250")],
        ),
        (
            ("公寓", "公寓的房租是多少？1150 元。"),
            [(f"车库 {rent}", f"车库每个月的房租是 {rent} 元。") for rent in (1150, 1250)],
        ),
    ],
)
def test_notes_on_another_subject_do_not_disagree(
    tmp_path: Path, first: tuple[str, str], others: list[tuple[str, str]]
) -> None:
    with Workspace(tmp_path) as workspace:
        for title, text in (first, *others):
            workspace.notes.add("notes", text, title=title)
        question = "公寓的房租是多少" if first[0] == "公寓" else "what is the rent of the flat?"
        answer = workspace.answers.ask(question)
        assert answer.quotes[0].note.title == first[0]
        assert not answer.disagree


SWEEP = "- Sweeping the chimney costs {} euros a year.\n- Renting the heat meter costs {} euros a month.\n"
STORE = "- The wood is stored behind the shed, under the roof.\n- Logs of beech burn for 3 hours.\n"


def test_only_the_fact_that_was_asked_for_is_disagreed_on(filled: Workspace) -> None:
    texts = (SWEEP.format(60, 12) + STORE, SWEEP.format(75, 14) + STORE)
    notes = [filled.notes.add("vault", text, path=f"stove {number}.md").id for number, text in enumerate(texts)]
    try:
        for typed, told in (
            ("what does sweeping the chimney cost?", ("60", "75")),
            ("what does renting the heat meter cost?", ("12", "14")),
        ):
            answer = filled.answers.ask(typed)
            assert answer.disagree
            assert sorted(re.findall(r"(\d+) euros", "".join(one.marked_text for one in answer.at_first))) == [*told]
        for typed in ("where is the wood stored?", "how long do logs of beech burn?"):
            answer = filled.answers.ask(typed)
            assert answer.quotes
            assert not answer.disagree
    finally:
        filled.trash.put(notes)


WIFI = """# The {0} story

Since Tuesday the laptop lost the {0} every ten minutes in the bedroom. The phone was fine.

{1}: the old repeater in the hall had the same name as the router.

{2}: unplugged the repeater.
"""
LEAK = """# 洗碗机漏水

洗碗机周二开始漏水，地板湿了一片。

原因：排水管的接头松了。

解决办法：换了新的卡箍。
"""
MIXER = """# The mixer stopped

The mixer stopped in the middle of the dough on Sunday, and it smelled of burnt rubber.

## Cause

Its drive belt had slipped off the pulley. That happens where the dough is stiff.

## Cure

Put the belt back on and tightened the screw.
"""
HEATING = """# 暖气不热

周一起卧室的暖气一直不热，客厅的还好。

## 原因

阀门被灰尘卡住了。

## 解决办法

拆下阀门清洗一遍。
"""
BREAD = """# Sourdough bread

| Ingredient | Amount |
|---|---|
| Strong flour | 500 g |
| Salt | 10 g |

Bake at 240 °C for 20 minutes with the lid on.

## What went wrong last time

Dough was too sticky because I used 400 g of water.
"""


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("stories") / "workspace") as workspace:
        for title, text in (
            ("Wifi", WIFI.format("wifi", "**Cause**", "**Cure**")),
            ("Signal", WIFI.format("radio", "Reason", "Solution").replace("repeater", "amplifier")),
            ("洗碗机", LEAK),
            ("Bread", BREAD),
            ("Mixer", MIXER),
            ("暖气", HEATING),
        ):
            workspace.notes.add("home", text, title=title)
        yield workspace


@pytest.mark.parametrize(
    ("typed", "marked"),
    [
        ("why did the wifi drop?", "**Cause**: the old repeater"),
        ("how did I fix the wifi?", "**Cure**: unplugged the repeater"),
        ("why did the laptop lose the radio?", "Reason: the old amplifier"),
        ("how did I solve the radio story?", "Solution: unplugged the amplifier"),
        ("洗碗机为什么漏水？", "原因：排水管的接头松了"),
        ("洗碗机漏水是怎么解决的？", "解决办法：换了新的卡箍"),
        ("why did the mixer stop?", "Its drive belt had slipped off the pulley."),
        ("how did I fix the mixer?", "Put the belt back on"),
        ("卧室的暖气为什么不热？", "阀门被灰尘卡住了"),
        ("暖气不热怎么修好的？", "拆下阀门清洗一遍"),
        ("how do I bake the sourdough bread?", "Bake at 240"),
        ("how much salt goes into the bread?", "| Salt | 10 g |"),
        ("what went wrong with the bread last time?", "Dough was too sticky"),
    ],
)
def test_what_states_what_is_asked_for_answers(stories: Workspace, typed: str, marked: str) -> None:
    (quote, *_) = stories.answers.ask(typed).quotes
    assert marked in quote.marked_text


def test_a_follow_up_that_names_a_heading_is_asked_on_its_own(stories: Workspace) -> None:
    assert stories.answers.complete("and what went wrong last time?", "how much salt?") == "what went wrong last time?"


@pytest.mark.parametrize(
    "text",
    [
        "what is a cache?",
        "how do I restore",
        "为什么会雪崩",
        "缓存雪崩是什么意思",
        "the way that I restore it all again",
    ],
)
def test_a_question_is_told(text: str) -> None:
    assert is_question(text, [])


def test_a_question_that_is_a_title_is_one_unless_only_its_length_says_so() -> None:
    assert is_question("What is a cache", ["what is a cache"])
    assert not is_question("the way that I restore it all again", ["The way that I restore it all again"])


@pytest.mark.parametrize("text", ["pg_dump", "缓存雪崩", "redis cache", "is"])
def test_a_word_is_no_question(text: str) -> None:
    assert not is_question(text, [])


WATER, WATER_ZH = "how do I water the lawn?", "怎么给草坪浇水？"


@pytest.mark.parametrize(
    "typed",
    [
        "and in winter with frost?",
        "What about seed on dry ground?",
        "why does it need morning water?",
        "in winter with hard frost",
        "winter?",
        "why?",
        "how long?",
        "when should they be mown first?",
        "is the hose good for that?",
        "那冬天下雪呢",
        "還有別的辦法嗎",
        "它需要多少阳光",
        "下雪天呢？",
        "多久？",
        "为什么？",
    ],
)
def test_a_follow_up_that_leans_on_the_question_before_takes_it_along(typed: str) -> None:
    chinese = bool(re.search(r"[\u4e00-\u9fff]", typed))
    before, joined = (WATER_ZH, "怎么给草坪浇水，") if chinese else (WATER, "how do I water the lawn, ")
    assert complete(typed, before) == joined + typed
    assert is_question(complete(typed, before), ())


@pytest.mark.parametrize(
    "typed", ["how do I prune old roses?", "which soil suits tomatoes?", "怎么修剪月季？", "番茄适合哪种土壤"]
)
def test_a_follow_up_with_words_of_its_own_stands_alone(typed: str) -> None:
    assert complete(typed, WATER) == complete(typed, WATER_ZH) == typed


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("office") / "workspace") as workspace:
        for title, text in (
            ("TLS", "The TLS certificate expires on 3 May 2027. It was renewed in May 2026."),
            ("Lease", "The office rent is 4,200 euros a month."),
            ("Kitchen", "The coffee machine is paid for by the landlord."),
            ("复印机", "复印机的密码是 2468。"),
        ):
            workspace.notes.add("office", text, title=title)
        yield workspace


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("and how much is the office rent?", "how much is the office rent?"),
        ("But who pays for the coffee machine?", "who pays for the coffee machine?"),
        ("那复印机的密码是多少？", "复印机的密码是多少？"),
        ("也门的首都在哪里？", "When does the TLS certificate expire，也门的首都在哪里？"),
        ("So-called lease: how much is it?", "When does the TLS certificate expire, So-called lease: how much is it?"),
        ("and for Berlin?", "When does the TLS certificate expire, and for Berlin?"),
        ("and when was it renewed last?", "When does the TLS certificate expire, and when was it renewed last?"),
    ],
)
def test_a_follow_up_about_something_else_is_asked_on_its_own(office: Workspace, typed: str, asked: str) -> None:
    assert office.answers.complete(typed, "When does the TLS certificate expire?") == asked
