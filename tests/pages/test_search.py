import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from core import reranking
from core.embedding import EMBEDDERS
from core.errors import ModelError
from core.registry import Entry
from core.reranking import RERANKERS, Candidate
from core.workspace import Workspace
from tests.fakes import WordLengths
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
    return [element.proto.body for element in screen.app.get("html") if 'class="t-hit"' in element.proto.body]


def ask(screen: Screen, text: str) -> Screen:
    screen.app.text_input("q").input(text)
    return screen.press("FormSubmitter:ask")


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
    first = hits(filled.open("search", q="restore"))[0]
    for stage in ("meaning", "words", "together"):
        assert stage in first
    assert "#1" in first
    assert "chunk 1 of 1" in first


@pytest.mark.parametrize("mode", ["semantic", "keyword", "hybrid"])
def test_each_mode_answers_and_is_named(filled: Screen, mode: str) -> None:
    filled.open("search", q="restore")
    filled.app.segmented_control("mode").set_value(mode).run()
    assert f"· {mode.capitalize()} ·" in filled.text
    assert hits(filled)


def test_an_empty_question_and_one_of_punctuation_are_told_so(filled: Screen) -> None:
    filled.open("search")
    assert not filled.errors
    assert "The question is empty" in ask(filled, "   ").errors
    assert "only punctuation" in ask(filled, "?!…").errors


def test_no_hits_say_what_to_relax(filled: Screen) -> None:
    filled.open("search", q="zebra")
    filled.app.segmented_control("mode").set_value("keyword").run()
    assert "Nothing was found" in filled.text
    assert "Try semantic or hybrid mode" in filled.text


def test_filters_hold_and_can_be_cleared(filled: Screen) -> None:
    filled.open("search", q="the")
    assert len(hits(filled)) == 3
    filled.app.multiselect("search_tags").select("redis").run()
    assert len(hits(filled)) == 1
    assert "tagged redis" in filled.text
    filled.press("clear")
    assert len(hits(filled)) == 3


def test_a_hit_is_shown_in_its_context(place: Path, vault: Path) -> None:
    (vault / "long.md").write_text(
        "# Long\n\n" + "".join(f"## Part {n}\n\n" + f"term{n} " * 260 + "\n\n" for n in range(5))
    )
    with Workspace(place) as workspace:
        workspace.apply(workspace.plan_folder(vault))
    screen = Screen().finish("warm").open("search", q="term2")
    assert "t-context" not in hits(screen)[0]
    screen.app.select_slider("expansion").set_value(1).run()
    assert '<div class="t-around">' in hits(screen)[0]
    assert "term1" in hits(screen)[0]
    assert '<div class="t-own">## Part 2' in hits(screen)[0]


def test_without_notes_the_page_says_where_they_come_from() -> None:
    assert "There is nothing to search yet" in Screen().open("search", q="anything").text


def test_keyword_search_works_while_the_model_loads_and_the_page_comes_back_to_it(
    place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EMBEDDERS, "slow", Entry("tests.pages.test_search:SlowWords", "loads when told"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "slow")
    GATE.clear()
    with Workspace(place) as workspace:
        workspace.apply(workspace.plan_folder(vault))
    screen = Screen().open("search", q="restore")
    try:
        assert "Loading the model" in screen.text
        assert "these hits are by keyword" in screen.text
        assert "Backups" in hits(screen)[0]
    finally:
        GATE.set()
    screen.finish("warm")
    assert "these hits are by keyword" not in screen.text
    assert "Model ready" in screen.text


def test_a_model_that_fails_is_named_with_its_reason(place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "broken", Entry("tests.pages.test_search:BrokenWords", "never loads"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "broken")
    with Workspace(place) as workspace:
        workspace.apply(workspace.plan_folder(vault))
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
        monkeypatch.setitem(RERANKERS, name, Entry(f"tests.pages.test_search:{kind}", "for tests"))
    monkeypatch.setattr(reranking, "_built", {})


def rerank(screen: Screen, name: str) -> Screen:
    screen.app.selectbox("reranker").set_value(name).run()
    assert not screen.app.exception, screen.app.exception
    return screen.finish("warm_reranker")


def test_a_reranker_is_chosen_and_named(filled: Screen, rerankers: None) -> None:
    filled.open("search", q="restore")
    assert filled.app.selectbox("reranker").options[:3] == ["As set: None", "None", "Late interaction"]
    assert "reranked" not in filled.text
    rerank(filled, "shortest")
    assert "· reranked by shortest" in filled.text
    first = hits(filled)[0]
    for stage in ("meaning", "words", "together", "reranked", "final"):
        assert stage in first
    assert "The time for reranking ran out" in filled.text
    rerank(filled, "none")
    assert "reranked" not in filled.text


def test_late_interaction_reranks_by_kept_bits_and_says_where_they_are_missing(
    place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EMBEDDERS, "word-tokens", Entry("tests.fakes:WordTokens", "words, token by token"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "word-tokens")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "late-interaction")
    with Workspace(place) as workspace:
        workspace.apply(workspace.plan_folder(vault))
    screen = Screen().finish("warm").open("search", q="restore")
    assert screen.app.selectbox("reranker").options[0] == "As set: Late interaction"
    assert "· reranked by Late interaction" in screen.text
    assert "no token bits" not in screen.text
    screen.workspace.keep_tokens("vault", False)
    assert "no token bits" in screen.open("search", q="restore").text


def test_a_reranker_that_fails_is_named_with_its_reason(filled: Screen, rerankers: None) -> None:
    before = [hit.split("t-name")[1][:40] for hit in hits(filled.open("search", q="restore"))]
    rerank(filled, "broken")
    assert "Not reranked" in filled.text
    assert "The judge is damaged" in filled.text
    assert [hit.split("t-name")[1][:40] for hit in hits(filled)] == before
    job = filled.workspace.jobs.get("warm_reranker")
    filled.app.run()
    assert filled.workspace.jobs.get("warm_reranker") == job  # it isn't tried again with every drawing


def test_while_a_reranker_loads_the_hits_are_there(filled: Screen, rerankers: None) -> None:
    GATE.clear()
    filled.open("search", q="restore")
    filled.app.selectbox("reranker").set_value("slow").run()
    try:
        assert "The reranker is still loading" in filled.text
        assert hits(filled)
    finally:
        GATE.set()
    assert "· reranked by slow" in filled.finish("warm_reranker").text
