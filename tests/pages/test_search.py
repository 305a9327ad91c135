import re
import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from core import embedding, reranking
from core.base.errors import ModelError
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.model import Floor, SearchSettings
from core.reranking import RERANKERS, Candidate
from core.workspace import Workspace
from tests.fakes import WordLengths
from tests.model_server import ModelServer
from tests.pages.conftest import Screen

GATE = threading.Event()


class SlowWords(WordLengths):
    """An embedder whose model is there only when the gate is open."""

    def warm(self) -> None:
        GATE.wait(30)


class BrokenWords(WordLengths):
    """An embedder whose model can't be loaded."""

    def warm(self) -> None:
        raise ModelError("The weights are damaged. Install them again.")


def hits(screen: Screen) -> list[str]:
    """The title, the place and the text of each hit in sight."""
    written = [element.proto.body for element in screen.app.get("html")]
    titles = [link.proto.label for link in screen.app.get("page_link") if "q=" in link.proto.query_string]
    trails = [re.sub('<div class="t-meter.*', "", body) for body in written if 'class="t-number"' in body]
    texts = [body.partition('<div class="t-hit"')[2] for body in written if 'class="t-hit"' in body]
    return [
        " ".join(parts)
        for parts in zip(titles[-len(texts) :] if texts else [], trails[-len(texts) :], texts, strict=True)
    ]


def ask(screen: Screen, text: str) -> Screen:
    screen.app.text_input("q").input(text).run()
    assert not screen.app.exception, screen.app.exception
    return screen


def about(screen: Screen) -> str:
    """What the count of the hits tells on demand."""
    return next(caption.help for caption in screen.app.caption if " hit" in caption.value and caption.help)


def test_words_that_are_only_in_the_title_are_said_to_be_there(filled: Screen) -> None:
    filled.workspace.notes.add("vault", "It keeps the house warm.", title="Boiler manual", author="person")
    reasons = filled.open("search", q="boiler manual").press("why_1").text
    assert "Only in the title or headings: boiler, manual" in reasons
    assert "Contains these words" not in reasons
    assert "exact words in the passage" not in reasons


def test_a_base_without_a_model_is_searched_without_reranking(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TESSERA_SEARCH__RERANKER")
    monkeypatch.setitem(EMBEDDERS._built, "bundled", BrokenWords())  # has no tokens: to rerank by it fails
    with Workspace(place) as workspace:
        workspace.bases.add("birds", embedder="tfidf")
        workspace.notes.add("birds", "A heron stands at the pond.", author="person", title="pond")
    screen = ask(Screen().finish("warm").open("search"), "where does the heron stand")
    assert len(hits(screen)) == 1
    assert "reranked" not in about(screen)


def test_a_question_in_the_address_is_asked_at_once(filled: Screen) -> None:
    filled.open("search", q="pg_restore")
    assert filled.app.text_input("q").value == "pg_restore"
    assert "Backups" in hits(filled)[0]
    assert "<mark>pg_restore</mark>" in hits(filled)[0]


def test_a_typed_question_goes_into_the_address(filled: Screen) -> None:
    ask(filled.open("search"), "缓存雪崩")
    assert filled.app.query_params["q"] == "缓存雪崩"
    assert "<mark>缓存雪崩</mark>" in hits(filled)[0]
    filled.open("home").open("search")
    assert hits(filled)


def test_a_hit_says_why_it_is_there(filled: Screen) -> None:
    assert "passage 1 of" not in hits(filled.open("search", q="restore"))[0]
    reasons = filled.press("why_1").text
    assert "<p>Found by meaning (1st) and by keyword (1st); the combined ranking put this hit 1st" in reasons
    for stage in ("meaning", "words", "combined", "Hit 1", "#1", "Contains these words from your question: restore"):
        assert stage in reasons


def test_a_base_without_a_model_is_searched_by_words(place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    assert "by keyword only" in Screen().finish("warm").open("search", q="restore").text


@pytest.mark.parametrize(
    ("mode", "name"),
    [("semantic", "by meaning"), ("keyword", "by keyword"), ("auto", "by meaning and keyword")],
)
def test_each_mode_answers_and_is_named(filled: Screen, mode: str, name: str) -> None:
    filled.open("search", q="restore").press("options")
    filled.app.segmented_control("mode").set_value(mode).run()
    assert f" · {name}" in filled.text
    assert hits(filled)


def test_an_empty_question_and_one_of_punctuation_are_answered(filled: Screen) -> None:
    filled.open("search")
    assert not filled.errors
    assert "exactly these words" in ask(filled, "   ").text
    assert "searched for literally" in ask(filled, "?!…").text
    assert not filled.errors


def test_no_hits_say_what_to_relax(filled: Screen) -> None:
    filled.open("search", q="zebra").press("options")
    filled.app.segmented_control("mode").set_value("keyword").run()
    assert "Nothing was found" in filled.text
    filled.press("relax_mode")
    assert hits(filled)


def test_what_is_only_nearest_stands_below_a_sentence_that_says_so_and_nothing_else(filled: Screen) -> None:
    filled.open("search", q="zxqv blorptang")
    assert "Nothing similar" in filled.text
    assert hits(filled)
    assert "hits in" not in filled.text
    assert "Weak match" in filled.text
    assert not [pills for pills in filled.app.pills if (pills.key or "").startswith("facet_")]
    ask(filled, "how do I restore a database")
    assert "Nothing similar" not in filled.text
    assert hits(filled)


def test_whatever_narrows_can_be_taken_away_where_nothing_was_found(filled: Screen) -> None:
    filled.open("search", q="restore tag:nowhere before:1999").press("options")
    filled.app.multiselect("search_tags").select("redis").run()
    assert not hits(filled)
    assert "only filters" not in filled.text
    assert r"No note has the tag 'nowhere'\. Common tags\: redis" in filled.text.replace(r"\'", "'")
    filled.press("relax_search_tags_0").press("relax_term_20").press("relax_term_8")
    assert filled.app.query_params["q"] == "restore"
    assert "Backups" in hits(filled)[0]


def test_a_threshold_that_nothing_reaches_can_be_taken_away(filled: Screen) -> None:
    filled.open("search", q="zebra").press("options")
    filled.app.slider("score_threshold").set_value(1.0).run()
    assert not hits(filled)
    filled.press("relax_threshold")
    assert hits(filled)


def test_filters_hold_and_can_be_cleared(filled: Screen) -> None:
    filled.open("search", q="the").press("options")
    assert len(hits(filled)) == 3
    filled.app.multiselect("search_tags").select("redis").run()
    assert len(hits(filled)) == 1
    filled.press("drop_search_tags_0")
    assert len(hits(filled)) == 3


@pytest.fixture
def parted(place: Path, vault: Path) -> Screen:
    """The app with the three notes and one of five chunks."""
    (vault / "long.md").write_text(
        "# Long\n\n" + "".join(f"## Part {n}\n\n" + f"term{n} " * 260 + "\n\n" for n in range(5))
    )
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    return Screen().finish("warm")


def test_a_hit_is_shown_in_its_context(parted: Screen) -> None:
    screen = parted.open("search", q="term2").press("options")
    assert "t-context" not in hits(screen)[0]
    screen.app.select_slider("expansion_size").set_value(1).run()
    assert '<div class="t-around">' in hits(screen)[0]
    assert "term1" in hits(screen)[0]
    assert '<div class="t-own"><span class="t-h">Part 2' in hits(screen)[0]


def test_a_hit_is_read_in_place_with_its_neighbours_and_shortened_again(parted: Screen) -> None:
    parted.open("search", q="term2 term4").press("unfold_1")
    control = next(one for one in parted.app.segmented_control if (one.key or "").startswith("around_"))
    control.set_value(3).run()
    assert [hit.count('<div class="t-around') for hit in hits(parted)[:2]] == [2, 0]
    assert "term0" in hits(parted)[0]
    parted.press("unfold_1")
    assert "t-around" not in hits(parted)[0]


def test_the_hits_of_a_note_share_a_card(parted: Screen) -> None:
    parted.open("search", q="part").press("weaker_hits")
    assert len(hits(parted)) == 4
    assert "4 more in this note" in parted.text
    parted.press("others_")
    assert len(hits(parted)) == 8
    # Where there are few notes, the best hits of each are in sight at once.
    parted.open("search", q="part in:long").press("others_")
    assert len(hits(parted)) == 3


def test_more_hits_come_behind_those_that_are_there(filled: Screen, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(1, 25):
        (folder / f"{number}.md").write_text(f"# Ferry {number}\n\nA ferry of line {number} {'leaves ' * number}.")
    filled.workspace.imports.apply(filled.workspace.imports.plan_folder(folder))
    filled.open("search", q="ferry")
    first = hits(filled)
    assert len(first) == 10
    filled.press("more_hits_add")
    assert len(second := hits(filled)) == 20
    filled.press("more_hits_add")
    filled.press("weaker_hits")  # the notes without a ferry
    assert len(third := hits(filled)) == 27
    assert third[:20] == second
    assert second[:10] == first
    assert "more_hits_add" not in [button.key for button in filled.app.button]
    assert len(hits(ask(filled, "ferries"))) == 10


def test_a_hit_opens_its_passage_and_comes_back(parted: Screen) -> None:
    parted.open("search", q="term3")
    link = next(link for link in parted.app.get("page_link") if "chunk=" in link.proto.query_string)
    address = dict(part.split("=") for part in link.proto.query_string.split("&"))
    parted.open("notes", **address)
    before, _, rest = parted.document.partition("<article")[2].partition('class="passage"')
    assert ("Part 2" in before, "Part 3" in before, "Part 3" in rest) == (True, False, True)
    back = next(link for link in parted.app.get("page_link") if link.proto.label == "Back to the hits")
    assert back.proto.query_string == "q=term3"


def test_words_are_marked_in_any_form(filled: Screen) -> None:
    assert "<mark>Count</mark>" in hits(filled.open("search", q="counting"))[0]


def test_what_was_understood_is_shown_and_can_be_taken_away(filled: Screen) -> None:
    filled.open("search", q='restore "in the fridge" -dough -tag:redis last 30 days')
    chips = {button.key: button.label for button in filled.app.button if (button.key or "").startswith("term_")}
    today = datetime.now().astimezone()
    days = f"last 30 days ({today - timedelta(days=30):%Y-%m-%d} – {today:%Y-%m-%d})"
    assert [chip.replace("\\", "") for chip in chips.values()] == [
        "“in the fridge”",
        "without dough",
        "not tag: redis",
        days,
    ]
    assert "Filtered\\: The question narrows the search" in about(filled)
    assert "No note contains the exact phrase" in filled.text
    for key in list(chips)[:0:-1]:
        filled.press(key)
    assert filled.app.query_params["q"] == 'restore "in the fridge"'
    assert "<mark>in the fridge</mark>" in hits(filled.press("unfold_1"))[0]
    filled.press("term_8")
    assert filled.app.text_input("q").value == "restore"
    assert "Quick\\: " in about(filled)


def test_what_comes_first_is_shown_and_can_be_taken_away(filled: Screen) -> None:
    filled.open("search", q="notes tagged redis except dough")
    chips = {button.key: button.label for button in filled.app.button if (button.key or "").startswith("term_")}
    assert [*chips.values()] == ["tag\\: redis first", "dough last"]
    filled.press("term_13")
    assert filled.app.query_params["q"] == "notes tagged \\redis except dough"
    filled.press("term_20")
    assert filled.app.query_params["q"] == "notes tagged \\redis"
    assert not [button.key for button in filled.app.button if (button.key or "").startswith("term_")]


def test_the_level_can_be_chosen(filled: Screen) -> None:
    filled.open("search", q="restore").press("options")
    filled.app.segmented_control("level").set_value("exploratory").run()
    assert "Broad\\: " in about(filled)
    assert "Everything about: restore" in filled.text
    filled.press("reset_options")
    assert "Quick\\: " in about(filled)


def test_a_large_question_shows_its_parts_and_which_of_them_found_a_hit(filled: Screen) -> None:
    filled.open("search", q="compare backups and bread")
    said = filled.text
    assert "<b>Compared: backups and bread</b>" in said
    assert "Round 1" in said
    assert "one side · 3 found, 3 new" in said
    assert "the whole question · 3 found, 0 new" in said
    assert all('class="t-by"' in hit for hit in hits(filled))
    assert "t-parts" not in filled.open("search", q="bread").text


@pytest.mark.parametrize(
    ("question", "wrong", "rest"),
    [("restore status:foo now", "foo", "restore now"), ("restore after:2026-02-30", "2026-02-30", "restore")],
)
def test_an_error_is_shown_where_it_stands(filled: Screen, question: str, wrong: str, rest: str) -> None:
    filled.open("search", q=question)
    assert wrong.rstrip(":") in filled.errors.replace("\\", "")
    assert f'<mark class="t-wrong">{wrong}</mark>' in filled.text
    assert not hits(filled)
    assert filled.workspace.searches.all() == []
    filled.press("leave_out")
    assert filled.app.query_params["q"] == rest
    assert hits(filled)


def test_a_field_that_is_misspelt_can_be_mended(filled: Screen) -> None:
    filled.open("search", q="restore tga:redis now")
    assert hits(filled)
    filled.press("use_tga")
    assert filled.app.query_params["q"] == "restore tag:redis now"


def test_another_spelling_is_told_and_can_be_taken_back(filled: Screen) -> None:
    filled.open("search", q="fridge resotre")
    assert "No note contains 'resotre', so 'restore' was searched for as well." in filled.text.replace("\\", "")
    assert "<mark>restore</mark>" in "".join(hits(filled)).casefold()
    filled.press("as_typed_resotre")
    assert "was searched for as well" not in filled.text


class OtherWords(WordLengths):
    fingerprint = "other-lengths"


def test_where_a_model_gives_other_vectors_keyword_search_goes_on(
    filled: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.pages.test_search:OtherWords"))
    monkeypatch.setattr(embedding.EMBEDDERS, "_built", {})
    assert "these hits were found by keyword only" in filled.open("search", q="restore").press("options").text
    assert "Backups" in hits(filled)[0]
    filled.app.segmented_control("mode").set_value("semantic").run()
    assert "was indexed with word" in filled.errors.replace("\\", "")
    filled.press("by_keyword")
    assert not filled.errors
    assert "Backups" in hits(filled)[0]


def test_a_question_of_filters_lists_the_notes(filled: Screen) -> None:
    filled.open("search", q="tag:redis")
    assert len(hits(filled)) == 1
    assert "t-stage" not in hits(filled)[0]
    assert "no words to search for" in filled.text


def test_a_phrase_that_stands_nowhere_is_told(filled: Screen) -> None:
    assert "No note contains the exact phrase" in filled.open("search", q='"restore a zebra"').text
    assert hits(filled)


def test_a_facet_narrows_the_question(filled: Screen) -> None:
    filled.open("search", q="status:active")
    folders = filled.app.pills("facet_folder")
    assert sorted(label.split()[0] for label in folders.options) == ["kitchen", "缓存"]
    folders.set_value("path:kitchen/").run()
    assert filled.app.query_params["q"] == "status:active path:kitchen/"
    assert ["bread" in hit for hit in hits(filled)] == [True]
    # The others stay, to change over to, and a second click takes the choice back.
    assert len(filled.app.pills("facet_folder").options) == 2
    filled.app.pills("facet_folder").set_value("path:缓存/").run()
    assert filled.app.query_params["q"] == "status:active path:缓存/"
    filled.app.pills("facet_folder").set_value(None).run()
    assert filled.app.query_params["q"] == "status:active"


def test_the_same_text_elsewhere_is_told_with_its_base(place: Path, vault: Path) -> None:
    with Workspace(place) as workspace:
        for base in ("mine", "theirs <b>"):
            workspace.imports.apply(workspace.imports.plan_folder(vault, base))
    screen = Screen().finish("warm").open("search", q="restore")
    copied = [hit for hit in hits(screen) if "Also in" in hit]
    assert len(copied) == 3
    assert "theirs &lt;b&gt; · backups.md" in "".join(copied)
    assert "<b>·" not in screen.text


def test_a_hit_is_judged_and_the_judgement_taken_back(filled: Screen) -> None:
    filled.open("search", q="restore").explain()

    def verdicts() -> list[object]:
        return [one.value for one in filled.app.pills if (one.key or "").startswith("verdict_")]

    def click(verdict: str | None) -> None:
        next(one for one in filled.app.pills if (one.key or "").startswith("verdict_")).set_value(verdict).run()

    click("harmful")
    assert verdicts() == ["harmful", None, None]
    assert [said.verdict for said in filled.workspace.uses.judged(query="restore")] == ["harmful"]
    assert verdicts()[0] == "harmful"
    ask(filled, "bread")
    assert not any(verdicts())
    ask(filled, "restore")
    click(None)
    assert filled.workspace.uses.judged() == []


def test_questions_are_remembered_when_asked_and_can_be_saved_and_forgotten(filled: Screen) -> None:
    ask(filled.open("search"), "restore")
    filled.app.run()
    filled.open("search", q="bread")
    assert [(past.query, past.times) for past in filled.workspace.searches.all()] == [("bread", 1), ("restore", 1)]
    filled.press("past_open").app.text_input("past_name").input("Baking: *daily*")
    filled.press("past_save")
    saved, last = filled.workspace.searches.all()
    assert (saved.query, saved.name, last.query) == ("bread", "Baking: *daily*", "restore")
    assert r"Baking\: \*daily\*" in [link.label for link in filled.app.get("page_link")]
    filled.press("forget_True_0").press("forget_False_0")
    assert filled.workspace.searches.all() == []
    assert "Your recent questions appear here" in filled.text


def test_a_dialog_about_one_question_does_not_come_back_after_another(filled: Screen) -> None:
    def is_open() -> bool:
        return any(box.key == "past_name" for box in filled.app.text_input)

    filled.open("search", q="restore").press("past_open")
    assert is_open()
    for question in ("bread", "restore"):
        ask(filled, question)
        assert not is_open()


def test_a_question_that_is_too_long_is_told(filled: Screen) -> None:
    filled.open("search", q="restore " * 2000)
    assert "the limit is 10\\,000" in filled.text
    filled.open("search", q=f'"{"restore " * 200}"')
    assert "the limit for an exact search is 1\\,000" in filled.text


def test_what_was_found_is_a_context_within_a_budget(filled: Screen) -> None:
    filled.open("search", q="restore").press("context_open")
    assert filled.app.code[0].value.startswith("[1] <note> ")
    assert "3 passages" in filled.text
    filled.app.select_slider("context_budget").set_value(500).run()
    assert "of 500 tokens" in filled.text


def test_the_candidates_that_lost_are_shown_with_the_stage(filled: Screen) -> None:
    filled.open("search", q="restore").press("options")
    filled.app.session_state["lost_box"] = True
    filled.app.run()
    assert "Every passage that was considered is among the hits" in filled.text
    filled.app.slider("score_threshold").set_value(0.95).run()
    assert "<b>Not similar enough</b>" in filled.text
    assert "t-fell" in filled.text


def test_a_note_says_why_it_is_no_hit(filled: Screen) -> None:
    filled.open("search", q="restore -backups")
    filled.app.session_state["why_not_box"] = True
    filled.app.run()
    notes = {label: note.id for label in ("Backups", "bread") for note in filled.workspace.notes.all(text=label)}
    filled.app.selectbox("why_not_note").set_value(notes["Backups"]).run()
    assert "passages contains an excluded word" in filled.text
    filled.app.selectbox("why_not_note").set_value(notes["bread"]).run()
    assert "The note is hit" in filled.text


def test_the_weight_of_meaning_can_be_changed_for_one_question(filled: Screen) -> None:
    filled.open("search", q="restore the dough").press("options")
    assert hits(filled)[0].startswith("Backups")
    filled.app.slider("semantic_weight").set_value(1.0).run()
    assert hits(filled)[0].startswith("bread")
    filled.press("reset_options")
    assert hits(filled)[0].startswith("Backups")


def test_a_base_is_searched_as_it_says_until_the_person_chooses(filled: Screen) -> None:
    filled.workspace.bases.update("vault", search=SearchSettings(limit=2))
    filled.open("search", q="the base:vault").press("options")
    assert len(hits(filled)) == 2
    filled.app.select_slider("limit").set_value(5).run()
    assert len(hits(filled)) == 3
    assert filled.app.session_state["own_options"] == {"limit"}
    filled.press("reset_options")
    assert len(hits(filled)) == 2
    filled.app.multiselect("search_bases").select("vault").run()
    assert filled.app.select_slider("limit").value == 2


def test_the_page_is_there_in_chinese_with_its_reasons_and_errors(filled: Screen) -> None:
    filled.app.session_state["language"] = "zh_CN"
    filled.open("search", q="对比 restore 和 bread")
    assert any("展开" in (caption.help or "") for caption in filled.app.caption)
    assert "问题在比较" in filled.text
    assert "第 1 轮" in filled.text
    assert "。 " not in filled.text
    filled.open("search", q="最近一周 restore")
    assert any("最近一周（" in button.label for button in filled.app.button)
    filled.open("search", q="restore:foo")
    assert "冒号前的词不是筛选条件" in filled.text


def test_open_for_reading_nothing_is_recorded(place: Path, vault: Path) -> None:
    with Workspace(place) as holder:
        holder.imports.apply(holder.imports.plan_folder(vault))
        screen = Screen().finish("warm").open("search", q="restore")
        assert hits(screen)
        screen.explain()
        verdicts = [one for one in screen.app.pills if (one.key or "").startswith("verdict_")]
        assert [one.disabled for one in verdicts] == [True] * 3
        assert screen.workspace.searches.all() == []


def test_without_notes_the_page_says_where_they_come_from() -> None:
    screen = Screen().open("search", q="anything")
    assert "There is nothing to search yet" in screen.text
    assert screen.press("get_notes").app.title[0].value == "Tessera"


def test_keyword_search_works_while_the_model_loads_and_the_page_comes_back_to_it(
    place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EMBEDDERS, "slow", Entry("tests.pages.test_search:SlowWords"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "slow")
    GATE.clear()
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    screen = Screen().open("search", q="restore")
    try:
        assert "Getting ready" in screen.text
        assert "these hits were found by keyword" in screen.text
        assert "Backups" in hits(screen)[0]
    finally:
        GATE.set()
    screen.finish("warm")
    assert "these hits were found by keyword" not in screen.text
    assert "Ready to search" in screen.text
    GATE.clear()
    try:  # a model that is dropped is loaded again
        screen.workspace.models.forget(["slow"])
        screen.open("search", q="backups")
        assert "these hits were found by keyword" in screen.text
        assert "Ready to search" not in screen.text
    finally:
        GATE.set()
    assert "Ready to search" in screen.finish("warm").text


def test_a_model_that_fails_is_named_with_its_reason(place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "broken", Entry("tests.pages.test_search:BrokenWords"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "broken")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    screen = Screen().finish("warm").open("search", q="restore")
    assert "The weights are damaged" in screen.text
    assert "by keyword only" in screen.text
    assert hits(screen)


class Shortest:
    """A reranker that likes short texts best; of the last candidate it says nothing."""

    fingerprint = "shortest"
    reads_bits = False

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        return [1 / (1 + len(candidate.text)) for candidate in candidates[:-1]] + [None]

    def warm(self) -> None:
        pass


class SlowShortest(Shortest):
    """The same, whose model is there only when the gate is open."""

    def warm(self) -> None:
        GATE.wait(30)


class BrokenShortest(Shortest):
    """The same, whose model can't be loaded."""

    def warm(self) -> None:
        raise ModelError("The judge is damaged. Install it again.")

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        self.warm()
        return []


@pytest.fixture
def rerankers(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, kind in {"shortest": "Shortest", "slow": "SlowShortest", "broken": "BrokenShortest"}.items():
        monkeypatch.setitem(RERANKERS, name, Entry(f"tests.pages.test_search:{kind}"))
    monkeypatch.setattr(reranking.RERANKERS, "_built", {})


def rerank(screen: Screen, name: str) -> Screen:
    screen.app.selectbox("reranker").set_value(name).run()
    assert not screen.app.exception, screen.app.exception
    return screen.finish("warm_reranker")


def test_a_reranker_is_chosen_and_named(filled: Screen, rerankers: None) -> None:
    filled.open("search", q="restore").press("options")
    assert filled.app.selectbox("reranker").options[:3] == ["Default: None", "None", "Fast, word by word"]
    assert "reranked" not in about(filled)
    rerank(filled, "shortest")
    assert "· reranked\\: shortest" in about(filled)
    reasons = filled.press("why_1").text
    for stage in ("meaning", "words", "combined", "reranking", "final"):
        assert stage in reasons
    assert "took too long, so the last hits" in filled.text
    rerank(filled, "none")
    assert "reranked" not in about(filled)


def test_late_interaction_reranks_by_kept_bits_and_says_where_they_are_missing(
    place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EMBEDDERS, "word-tokens", Entry("tests.fakes:WordTokens"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "word-tokens")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "late-interaction")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    screen = Screen().finish("warm").open("search", q="restore").press("options")
    assert screen.app.selectbox("reranker").options[0] == "Default: Fast, word by word"
    assert "· reranked\\: Fast\\, word by word" in about(screen)
    assert "had to be read again for reranking" not in screen.text
    screen.workspace.bases.keep_tokens("vault", False)
    assert "had to be read again for reranking" in screen.open("search", q="restore").text


def test_a_reranker_that_fails_is_named_with_its_reason(filled: Screen, rerankers: None) -> None:
    before = hits(filled.open("search", q="restore").press("options"))
    rerank(filled, "broken")
    assert "The hits are in their initial order" in filled.text
    assert "The judge is damaged" in filled.text
    assert hits(filled) == before
    job = filled.workspace.jobs.find("warm_reranker")
    filled.app.run()
    assert filled.workspace.jobs.find("warm_reranker") == job  # it isn't tried again with every drawing


def test_while_a_reranker_loads_the_hits_are_there(filled: Screen, rerankers: None) -> None:
    GATE.clear()
    filled.open("search", q="restore").press("options")
    filled.app.selectbox("reranker").set_value("slow").run()
    try:
        assert "The model for reranking is still loading" in filled.text
        assert hits(filled)
    finally:
        GATE.set()
    assert "· reranked\\: slow" in about(filled.finish("warm_reranker"))


def test_a_language_model_chooses_in_a_base_of_words(place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Workspace(place) as workspace:
        workspace.bases.add("literal", kind="literal")
        workspace.imports.apply(workspace.imports.plan_folder(vault, "literal"))
    screen = Screen().finish("warm").open("search", q="restore the largest table")
    assert "No language model is set up" in screen.text
    with ModelServer() as server:
        monkeypatch.setattr(screen.workspace.settings.llm, "base_url", server.url)
        monkeypatch.setattr(screen.workspace.settings.llm, "model", "small")
        screen.open("search", q="restore the largest table")
        assert "An answer from 2 of 2 sections." in screen.text
        screen.open("search", q="restore the largest table base:literal")
        assert len(server.requests) == 1  # the facets and the same sections ask no second time


def test_hits_no_nearer_than_other_things_are_folded(filled: Screen) -> None:
    for number in range(4):
        filled.workspace.notes.add("vault", f"Ferry {number} to the isle", tags=["isle"])
    filled.finish("embed")
    (base,) = filled.workspace.bases.all()
    filled.workspace.store.floors.set(base, Floor(0.99, 1.0, 7, 0))
    screen = filled.open("search", q="pg_restore")
    assert len(hits(screen)) == 3
    assert "4 weaker hits" in screen.text
    assert not any("isle" in option for pills in screen.app.pills for option in pills.options), "no filter for them"
    screen.press("weaker_hits")
    assert len(hits(screen)) == 7


def test_a_colon_that_is_text_and_a_server_that_is_away_are_told(filled: Screen) -> None:
    ask(filled.open("search"), "backup:pg_restore")
    assert "The word before the colon isn't a filter" in filled.text
    assert "Backups" in hits(filled)[0]
    filled.workspace.models.set_away(filled.workspace.bases.all()[0].embedder)
    ask(filled, "pg_restore")
    assert "The model server isn't responding" in filled.text
    assert "Backups" in hits(filled)[0]


def test_types_of_logs_are_said_in_the_words_of_the_app(filled: Screen) -> None:
    note = filled.workspace.notes.add(
        "vault",
        "The weir test fails at night.",
        title="Weir",
        type="test_experience",
        category="own_words",
        project="auth",
    )
    filled.finish("embed")
    screen = Screen("zh-CN").open("search", q="weir test")
    assert ">来自日志的经验</span>" in screen.text
    assert ">own_words</span>" in screen.text
    assert "test_experience" not in screen.text
    screen.open("notes", note=note.id)
    assert "来自日志的经验" in screen.text
    assert "登录" not in screen.text  # the name of the category "auth"
