"""A question is answered with the notes' own sentences, each at its place, or refused by a bar that was measured."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.features.answers import service as collection
from core.features.answers.service import is_question
from core.model import Answer, GoldSpan, Question
from core.workspace import Workspace
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
        workspace.notes.apply(workspace.notes.plan_folder(folder))
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
    assert not answer.refused
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


@pytest.mark.parametrize("typed", ["who won the chess championship?", "去北京的火车几点开？", "zxqv blorptang 99817"])
def test_what_the_notes_do_not_say_is_refused_with_the_nearest(filled: Workspace, typed: str) -> None:
    answer = filled.answers.ask(typed)
    assert answer.refused
    assert answer.text == ""
    assert answer.nearest == answer.result.hits[:3]
    assert answer.threshold.basis == "examples"


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
        filled.notes.delete_for_good([note.id])
    assert chosen == [worth, water, water]


def test_a_list_by_filters_is_not_an_answer(filled: Workspace) -> None:
    assert filled.answers.ask("tag:redis").refused


def test_the_questions_of_a_base_set_its_bar(filled: Workspace) -> None:
    base = filled.bases.get("vault")
    note = next(card for card in filled.notes.all() if card.title == "Backups")
    body = filled.notes.get(note.id).body
    quote = "Backups are only worth what their last restore proved."
    gold = GoldSpan(note.path or "", quote, body.index(quote), body.index(quote) + len(quote), note_id=note.id)
    asked = [
        Question(str(number), text, (gold,))
        for number, text in enumerate(
            [f"what is the {word} of backups" for word in ("worth", "value", "use", "proof", "point", "good", "aim")]
            + ["how do I restore a dump", "what proves a backup", "who needs a restore"]
        )
    ]
    question_set = filled.store.questions.add_set(base, "mine", asked)
    try:
        bar = filled.answers.ask("what are backups worth?").threshold
        assert (bar.basis, bar.count, bar.share) == ("questions", 10, 0.1)
        assert 0 < bar.low < 0.1 < bar.high < 0.5
        evidence = sorted(filled.answers.ask(one.text).result.evidence for one in asked)
        assert bar.least == evidence[0]
        assert collection.current_threshold(filled.store, base) == bar
    finally:
        filled.store.questions.delete_set(question_set)
    assert filled.answers.ask("what are backups worth?").threshold.basis == "examples"


def test_a_bar_keeps_its_promise() -> None:
    values = [float(value) for value in range(99)]
    below = collection.fit_below(values, 0.1, 5)
    assert sum(value < below.least for value in values) == 9
    above = collection.fit_above(values, 0.05, 5)
    assert sum(value >= above.least for value in values) == 4
    assert (below.basis, above.basis) == ("questions", "others")
    assert collection.count_needed(0.1) == 9
    assert collection.fit_below(values[:9], 0.1, 5) == replace(
        below, least=0.0, count=9, low=pytest.approx(0.0, abs=0.1), high=pytest.approx(0.28, abs=0.05)
    )


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


@pytest.mark.parametrize("text", ["pg_dump", "缓存雪崩", "redis cache", "What is a cache", "is"])
def test_a_word_or_a_title_is_no_question(text: str) -> None:
    assert not is_question(text, ["what is a cache"])
