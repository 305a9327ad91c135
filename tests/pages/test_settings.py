"""Settings: bases and their embedders, models, what a search begins with, the vector index."""

from pathlib import Path

import pytest

from core import embedding, reranking
from core.base import log
from core.base.registry import Entry
from core.documents import CONVERTERS
from core.embedding import EMBEDDERS
from core.workspace import Workspace
from pages.ui.shared import names
from tests.fakes import WordLengths
from tests.pages.conftest import Screen


class Upside(WordLengths):
    """An embedder that finds the wrong sentence."""

    fingerprint = "upside"

    def embed(self, texts, *, role):  # type: ignore[no-untyped-def]
        vectors = super().embed(texts, role=role)
        return -vectors if role == "query" else vectors


@pytest.fixture(autouse=True)
def embedders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "upside", Entry("tests.pages.test_settings:Upside"))


@pytest.fixture
def settings(filled: Screen) -> Screen:
    return filled.open("settings")


def boxes(screen: Screen) -> str:
    return "\n".join(element.proto.body for element in screen.app.get("html"))


def button(screen: Screen, key: str):  # type: ignore[no-untyped-def]
    return next(button for button in screen.app.button if (button.key or "").startswith(key))


@pytest.mark.usefixtures("indexed")
def test_the_page_is_there_in_both_languages(filled: Screen) -> None:
    assert "The search index is in order" in filled.open("settings").tab("Search", "search_index").text
    chinese = Screen("zh-CN").open("settings")
    assert chinese.app.title[0].value == "设置"
    assert "搜索索引完好" in chinese.tab("搜索", "search_index").text
    assert "只比对字词" in chinese.tab("模型", "another_model").text


def test_a_model_is_tested_on_its_card(settings: Screen) -> None:
    settings.tab("Models", "another_model").press("test_tfidf").finish("test")
    assert "The model is usable. It ranked the right sentences first" in boxes(settings)
    settings.app.text_input("other_name").input("upside")
    settings.press("test_other").finish("test")
    assert "The model is not usable" in boxes(settings)


def test_a_download_that_cant_be_says_why(settings: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    settings.tab("Models", "another_model").app.text_input("other_name").input("sentence:acme/no-such-model")
    settings.press("download_other").finish("download")
    assert "HF_HUB_OFFLINE" in settings.errors.replace("\\", "")
    settings.press("close_download").press("download_cross-encoder:").finish("download")
    assert "HF_HUB_OFFLINE" in settings.errors.replace("\\", "")


def test_where_models_run_is_told_when_asked(filled: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(embedding.EMBEDDERS._built, "bundled", raising=False)
    monkeypatch.delitem(reranking.RERANKERS._built, "cross-encoder", raising=False)
    settings = filled.open("settings").tab("Models", "another_model")
    assert "Models run on" not in settings.text
    settings.press("device").finish("device")
    assert "Models run on" in settings.text


def test_what_a_search_begins_with_is_written_into_the_file(
    filled: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "tessera.toml"
    file.write_text("# mine\n[search]\nlimit = 5  # few\n")
    screen = filled.open("settings").tab("Search")
    assert "Set by the environment variable TESSERA_SEARCH__RERANKER" in screen.text.replace("\\", "")
    assert screen.app.selectbox("setting_search.reranker").disabled
    screen.app.select_slider("setting_search.limit").set_value(20).run()
    screen.app.segmented_control("setting_search.mode").set_value("keyword").run()
    assert file.read_text() == '# mine\n[search]\nlimit = 20  # few\nmode = "keyword"\n'
    assert screen.workspace.search("restore").settings.limit == 20
    screen.app.session_state["file_search"] = True
    screen.press("setting_search.mode_undo")
    (shown,) = screen.app.code
    assert shown.value + "\n" == file.read_text() == "# mine\n[search]\nlimit = 20  # few\n"


def test_a_file_with_a_mistake_is_never_written(
    filled: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tessera.toml").write_text("[search]\nlimit =\n")
    screen = filled.open("settings")
    screen.app.number_input("setting_trash_days").set_value(7).run()
    assert "line 2" in screen.errors
    assert screen.app.number_input("setting_trash_days").value == 30
    assert (tmp_path / "tessera.toml").read_text() == "[search]\nlimit =\n"


def test_a_backup_says_which_pictures_it_holds(settings: Screen) -> None:
    assert "pictures pasted" in settings.tab("Backups and health").text


@pytest.mark.usefixtures("indexed")
def test_the_index_is_rebuilt(settings: Screen) -> None:
    settings.tab("Search", "search_index").press("rebuild").finish("rebuild")
    assert settings.toasts == ["The index was rebuilt"]


@pytest.mark.usefixtures("indexed")
def test_open_for_reading_nothing_can_be_changed(place: Path, vault: Path) -> None:
    with Workspace(place) as holder:
        holder.imports.apply(holder.imports.plan_folder(vault))
        screen = Screen().finish("warm").open("settings")
        assert "Tessera is open in read-only mode" in screen.text
        assert all(one.disabled for one in screen.app.number_input)
        assert button(screen.tab("Search", "search_index"), "rebuild").disabled
        assert not button(screen.tab("Models", "another_model"), "test_tfidf").disabled


def test_without_notes_the_models_are_shown_all_the_same() -> None:
    screen = Screen().open("settings").tab("Models", "another_model")
    assert "tfidf" in boxes(screen)


def test_what_a_bug_report_needs_can_be_copied_in_both_languages(settings: Screen) -> None:
    assert "chromadb" not in settings.tab("Backups and health").text
    for locale, tab, said in (("en-US", "Backups and health", "versions, sizes"), ("zh-CN", "备份与检查", "版本")):
        screen = Screen(locale)
        screen.app.session_state["bug_report"] = True
        assert said in screen.open("settings").tab(tab).text
        *_, block = screen.app.code
        assert '"chromadb": "1.' in block.value
        assert str(settings.workspace.store.folder) not in block.value


def test_converters_have_names_in_both_languages_and_say_what_they_read() -> None:
    own = [name for name, entry in CONVERTERS.items() if not entry.package]
    assert {*names.CONVERTERS} == {*own}
    for locale, tab, said in (
        ("en-US", "General", "PDF as lines of plain text</b>: "),
        ("zh-CN", "常规", "PDF，只取文字行</b>："),
    ):
        text = Screen(locale).open("settings").tab(tab, "converters").text
        assert f"{said}pdf <i>pdfium" in text
        assert "pdftext" not in text


def test_only_the_open_tab_is_drawn_and_one_has_the_bug_report(settings: Screen) -> None:
    reports = {label: settings.tab(label).text.count("bug report") for label in settings.tabs}
    assert reports == dict.fromkeys(settings.tabs, 0) | {"Backups and health": 1}
    assert len(reports) == 6


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


def test_the_types_of_notes_are_edited_and_bad_lines_are_told(settings: Screen) -> None:
    screen = settings.tab("General", "note_types")
    assert "idea" in screen.app.text_area("vocabulary").value
    screen.press("preset_project").press("vocabulary_save")
    assert screen.workspace.vocabulary.types()[0] == "project_config"
    screen.app.text_area("vocabulary").set_value("recipe: soup, cake\n: lost\n").run()
    screen.press("vocabulary_save")
    assert screen.workspace.vocabulary.types()[0] == "recipe"
    assert "vocabulary.txt, line 2: a type is missing before the colon." in screen.text.replace("\\", "")
    screen.app.text_area("vocabulary").set_value("x").run()
    screen.press("vocabulary_discard")
    assert screen.app.text_area("vocabulary").value == "recipe: soup, cake\n: lost\n"


@pytest.mark.usefixtures("indexed")
def test_a_server_of_the_index_that_is_away_is_told_and_searches_go_on(
    place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_INDEX__URL", "http://127.0.0.1:9")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    screen = Screen().finish("warm").open("settings").tab("Search", "search_index")
    said = screen.text.replace("\\", "")
    assert "The search index is unavailable" in said
    assert "127.0.0.1:9 isn't responding" in said
    assert screen.workspace.search("backups", mode="keyword").hits
    found = screen.workspace.search("backups", mode="hybrid")
    assert found.hits
    assert "index_damaged" in found.notices


def test_a_workspace_without_an_index_says_so() -> None:
    screen = Screen().open("settings").tab("Search", "search_index")
    assert "There is no search index" in screen.text
    assert not [one for one in screen.app.button if (one.key or "").startswith("rebuild")]


def test_programs_are_let_in_and_the_token_is_changed(settings: Screen) -> None:
    workspace = settings.workspace
    assert not workspace.open_to_programs
    token = workspace.access.token
    settings.tab("Assistants and programs").app.toggle("programs").set_value(True).run()
    assert workspace.open_to_programs
    assert "/api/v1" in settings.text
    assert token not in settings.text
    settings.app.session_state["token"] = True
    settings.app.run()
    assert token in settings.text
    settings.press("renew")
    assert workspace.access.token != token
    assert workspace.access.token in settings.text


def test_what_was_set_aside_is_named(settings: Screen) -> None:
    folder = settings.workspace.store.folder
    (folder / "preferences.json").write_text("[")
    settings.workspace.preferences.get("language")
    assert "preferences.json.broken" in settings.open("settings").text.replace("\\", "")
    assert str(folder) in settings.text.replace("\\", "")


def test_each_assistant_is_told_how_it_gets_to_the_notes(settings: Screen) -> None:
    assert '"mcpServers"' in settings.tab("Assistants and programs").text
    settings.app.segmented_control(key="assistant").set_value("Claude Code").run()
    assert "claude mcp add --scope user tessera --" in settings.text
    settings.app.radio(key="way_Claude Code").set_value("http").run()
    assert f"Authorization: Bearer {settings.workspace.access.token}" in settings.text
    assert "Keep the token to yourself" in settings.text
