"""Settings: bases and their embedders, models, what a search begins with, the vector index."""

from pathlib import Path

import pytest

from core import embedding, log, reranking
from core.embedding import EMBEDDERS
from core.errors import ModelError
from core.model import SearchSettings
from core.registry import Entry
from core.workspace import Workspace
from tests.fakes import WordLengths, WordTokens
from tests.pages.conftest import Screen


class OtherWords(WordLengths):
    """Another embedder; where it is `broken`, it embeds no note."""

    fingerprint = "other-words"
    broken = False

    def embed(self, texts, *, role):  # type: ignore[no-untyped-def]
        if self.broken and role == "note" and len(texts) > 1:
            raise ModelError("The other words are broken. Mend them.")
        return super().embed(texts, role=role)


class Upside(WordLengths):
    """An embedder that finds the wrong sentence."""

    fingerprint = "upside"

    def embed(self, texts, *, role):  # type: ignore[no-untyped-def]
        vectors = super().embed(texts, role=role)
        return -vectors if role == "query" else vectors


@pytest.fixture(autouse=True)
def embedders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "other", Entry("tests.pages.test_settings:OtherWords"))
    monkeypatch.setitem(EMBEDDERS, "upside", Entry("tests.pages.test_settings:Upside"))
    monkeypatch.setattr(OtherWords, "broken", False)


@pytest.fixture
def settings(filled: Screen) -> Screen:
    return filled.open("settings")


def boxes(screen: Screen) -> str:
    return "\n".join(element.proto.body for element in screen.app.get("html"))


def button(screen: Screen, key: str):  # type: ignore[no-untyped-def]
    return next(button for button in screen.app.button if (button.key or "").startswith(key))


def choose(screen: Screen, embedder: str) -> Screen:
    """Choose another embedder for the base and ask what it costs."""
    next(box for box in screen.app.selectbox if box.key.startswith("switch_to_")).set_value(embedder).run()
    return screen.press("cost_").finish("cost")


def test_the_page_is_there_in_both_languages(filled: Screen) -> None:
    assert "The search index is in order" in filled.open("settings").text
    assert "Keep word-by-word data" in [toggle.label for toggle in filled.app.toggle]
    chinese = Screen("zh-CN").open("settings")
    assert chinese.app.title[0].value == "设置"
    for said in ("搜索索引完好", "只比对字词", "在 /", "更换模型"):
        assert said in chinese.text.replace("\\", "")


def test_a_base_shows_what_it_has(settings: Screen) -> None:
    said = boxes(settings)
    assert "Model: words" in said
    assert "3 notes" in said
    assert "This model has no data for the word-by-word check" in settings.text
    assert next(toggle for toggle in settings.app.toggle if toggle.key.startswith("tokens_")).disabled


def test_a_base_goes_over_to_another_embedder(settings: Screen) -> None:
    choose(settings, "other")
    assert "pieces of text to index" in boxes(settings)
    assert "Change to other" in settings.text
    settings.press("start_").finish("switch").finish("warm")
    assert settings.workspace.bases.get("vault").embedder == "other"
    assert "The base has its new model" in boxes(settings)
    assert "restore" in settings.open("search", q="restore").text
    assert "by words only" not in settings.text


def test_what_cant_be_had_says_so_before_anything_begins(settings: Screen) -> None:
    OtherWords.broken = True
    choose(settings, "other")
    assert "The other words are broken" in settings.errors
    assert not any((button.key or "").startswith("start_") for button in settings.app.button)
    assert settings.workspace.status().bases[0].switch is None


def test_a_change_that_stopped_is_resumed(settings: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = settings.workspace
    workspace.bases.begin_switch("vault", "other")
    monkeypatch.setattr(OtherWords, "broken", True)
    settings.open("settings").press("resume_").finish("switch")
    assert "The other words are broken" in settings.errors
    assert "isn't complete" in settings.text.replace("\\", "")
    assert workspace.bases.get("vault").embedder == "words"
    monkeypatch.setattr(OtherWords, "broken", False)
    settings.press("resume_").finish("switch")
    assert workspace.bases.get("vault").embedder == "other"
    assert "isn't complete" not in settings.text


def test_a_change_is_abandoned(settings: Screen) -> None:
    settings.workspace.bases.begin_switch("vault", "other")
    settings.open("settings").press("abandon_")
    assert settings.workspace.bases.get("vault").embedder == "words"
    assert settings.workspace.status().bases[0].switch is None
    assert button(settings, "cost_")


def test_chunks_can_wait_and_be_embedded(settings: Screen) -> None:
    toggle = next(toggle for toggle in settings.app.toggle if toggle.key.startswith("at_once_"))
    toggle.set_value(False).run()
    assert not settings.workspace.bases.get("vault").embed_at_once
    next(toggle for toggle in settings.app.toggle if toggle.key.startswith("at_once_")).set_value(True).run()
    assert settings.workspace.bases.get("vault").embed_at_once


def test_token_bits_are_deleted_and_made_again(place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "word-tokens", Entry("tests.fakes:WordTokens"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "word-tokens")
    with Workspace(place) as workspace:
        workspace.notes.apply(workspace.notes.plan_folder(vault))
    screen = Screen().finish("warm").open("settings")
    assert WordTokens.fingerprint == screen.workspace.bases.get("vault").fingerprint

    def bits() -> int:
        return screen.workspace.status().bases[0].with_bits

    def turn(on: bool) -> None:
        next(toggle for toggle in screen.app.toggle if toggle.key.startswith("tokens_")).set_value(on).run()
        screen.finish("tokens")

    every = bits()
    assert every > 0
    assert "100% of the base" in screen.text
    turn(False)
    assert bits() == 0
    assert "0% of the base" in screen.text
    turn(True)
    assert bits() == every
    assert screen.workspace.bases.get("vault").keep_tokens


def test_a_model_is_tested_on_its_card(settings: Screen) -> None:
    settings.press("test_tfidf").finish("test")
    assert "Usable: it put the right sentences first" in boxes(settings)
    settings.app.text_input("other_name").input("upside")
    settings.press("FormSubmitter:other_model-Test").finish("test")
    assert "Not usable" in boxes(settings)


def test_a_download_that_cant_be_says_why(settings: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    settings.app.text_input("other_name").input("sentence:acme/no-such-model")
    settings.press("FormSubmitter:other_model-Download").finish("download")
    assert "HF_HUB_OFFLINE" in settings.errors.replace("\\", "")
    settings.press("close_download").press("download_cross-encoder:").finish("download")
    assert "HF_HUB_OFFLINE" in settings.errors.replace("\\", "")


def test_where_models_run_is_told_when_asked(filled: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(embedding.EMBEDDERS._built, "bundled", raising=False)
    monkeypatch.delitem(reranking.RERANKERS._built, "cross-encoder", raising=False)
    settings = filled.open("settings")
    assert "Models run on" not in settings.text
    settings.press("device").finish("device")
    assert "Models run on" in settings.text


def test_what_a_search_begins_with_is_shown_with_its_place(filled: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    said = boxes(filled.open("settings"))
    for name, value in filled.workspace.settings.search.model_dump().items():
        assert f"<code>{name}</code>" in said
        if not isinstance(value, str):
            assert f"<b>{value:g}</b>" in said
    assert "<b>By score</b>" in said
    assert "tessera.toml" in filled.text.replace("\\", "")


def test_how_a_base_is_searched_is_its_own_or_left_to_the_settings(settings: Screen) -> None:
    base = settings.workspace.bases.get("vault")
    limit = settings.app.selectbox(f"limit_{base.id}")
    assert limit.options[0] == "Default: 10"
    assert settings.app.selectbox(f"rerank_weight_{base.id}").value == ""
    limit.select_index(1).run()
    settings.app.selectbox(f"semantic_weight_{base.id}").set_value(0.0).run()
    changed = settings.workspace.bases.get("vault")
    assert changed.search == SearchSettings(limit=5, semantic_weight=0.0)
    settings.workspace.bases.change("vault", search=SearchSettings(limit=7))
    settings.app.run()
    assert settings.app.selectbox(f"limit_{base.id}").value == 7
    settings.app.selectbox(f"limit_{base.id}").set_value("").run()
    assert settings.workspace.bases.get("vault") == base


def test_the_index_is_rebuilt(settings: Screen) -> None:
    settings.press("rebuild").finish("rebuild")
    assert "The index is rebuilt" in boxes(settings)


def test_open_for_reading_nothing_can_be_changed(place: Path, vault: Path) -> None:
    with Workspace(place) as holder:
        holder.notes.apply(holder.notes.plan_folder(vault))
        holder.bases.begin_switch("vault", "other")
        screen = Screen().finish("warm").open("settings")
        assert "Open for reading only" in screen.text
        assert all(toggle.disabled for toggle in screen.app.toggle)
        for key in ("resume_", "abandon_", "rebuild"):
            assert button(screen, key).disabled
        assert not button(screen, "test_tfidf").disabled
        holder.bases.abandon_switch("vault")
        assert button(screen.open("settings"), "cost_").disabled


def test_without_notes_the_models_are_shown_all_the_same() -> None:
    screen = Screen().open("settings")
    assert "There are no notes yet" in screen.text
    assert "tfidf" in boxes(screen)


def test_what_a_bug_report_needs_can_be_copied_in_both_languages(settings: Screen) -> None:
    assert "chromadb" not in settings.text
    for locale, said in (("en-US", "Versions, sizes"), ("zh-CN", "版本")):
        screen = Screen(locale)
        screen.app.session_state["bug_report"] = True
        assert said in screen.open("settings").text
        (block,) = screen.app.code
        assert "chromadb: 1." in block.value
        assert str(settings.workspace.store.folder) not in block.value


def test_an_error_of_a_page_is_in_the_log(settings: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Workspace) -> None:
        raise KeyError("Zaubernuss")

    monkeypatch.setattr(Workspace, "status", fail)
    settings.app.run()
    assert settings.app.exception
    said = "\n".join(log.tail(settings.workspace.store.folder, 100))
    assert "ERROR streamlit.error_util:" in said
    assert "  KeyError\n" in said
    assert "    pages/settings.py:" in said
    assert "Zaubernuss" not in said
