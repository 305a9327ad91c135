"""A base of an archive on the page Bases: what it may not do, its own model, and a folder for it."""

from pathlib import Path

from core.workspace import Workspace
from tests.features.archives.test_guests import changed, setting
from tests.pages.conftest import Screen


def archive(screen: Screen, **values: object) -> bytes:
    workspace = screen.workspace
    workspace.bases.update("vault", write_files=True, watch=True, trusts_programs=True)
    return changed(workspace.archives.exported("vault", "zip"), {"base": setting(**values)})


def let_in(screen: Screen, data: bytes) -> Screen:
    screen.open("bases")
    screen.app.file_uploader("import_base_file").set_value(("x.zip", data, "application/zip"))
    screen.app.text_input("import_file_name").set_value("guest")
    return screen.press("import_file_yes").finish("embed")


def test_each_power_of_an_archive_is_named_with_what_it_means(filled: Screen, vault: Path) -> None:
    let_in(filled, archive(filled, search={"reranker": "llm"}))
    assert "off until you turn them on" in filled.text
    for words in (
        "editing a note here changes its file",
        "Accept programs' notes automatically",
        str(vault),
        "This base was reranked with llm",
    ):
        assert words in filled.text.replace("\\", "")
    next(toggle for toggle in filled.app.toggle if (toggle.key or "").startswith("trusts_programs_")).set_value(True)
    filled.app.run()
    assert filled.workspace.bases.get("guest").trusts_programs
    assert "**Accept programs' notes automatically**" not in filled.text
    assert "off until you turn them on" not in filled.open("bases", base="vault").text


def test_the_model_of_an_archive_is_used_when_a_person_says_so(filled: Screen) -> None:
    let_in(filled, archive(filled, embedder="tfidf", name="x"))  # built in, so it is used at once
    assert filled.workspace.bases.get("guest").embedder == "tfidf"
    filled.workspace.bases.delete("guest")
    let_in(filled, archive(filled, embedder="sentence:evil/model"))
    assert filled.workspace.bases.get("guest").embedder == "words"
    text = filled.tab("Model").text.replace("\\", "")
    assert "asks for the model sentence:evil/model" in text
    assert "downloaded from huggingface.co" in text
    filled.press("drop_wish_")
    assert filled.workspace.bases.get("guest").wish == ""
    assert "asks for the model" not in filled.text


def test_using_that_model_says_first_what_it_costs(filled: Screen, vault: Path) -> None:
    let_in(filled, archive(filled, embedder="words"))
    workspace = filled.workspace
    workspace.store.bases.change(workspace.bases.get("guest"), wish="tfidf")
    filled.open("bases", base="guest").tab("Model").press("use_wish_").finish("cost")
    filled.press("start_").finish("switch").finish("warm")
    assert (workspace.bases.get("guest").embedder, workspace.bases.get("guest").wish) == ("tfidf", "")


def test_a_folder_is_connected_after_a_look_at_what_differs(filled: Screen, vault: Path) -> None:
    let_in(filled, archive(filled))
    (vault / "backups.md").write_text("another text")
    filled.app.text_input(f"connect_path_{filled.workspace.bases.get('guest').id}").set_value(str(vault))
    filled.press("connect_yes_")
    filled.app.switch_page("notes.py").run()  # as the page does, which a test of one page can't follow
    assert "3 notes have the same paths as files in" in filled.text
    assert "will be added to your" not in filled.text
    assert "1 note differs from its file" in filled.text
    apply = next(button for button in filled.app.button if button.key == "plan_apply")
    assert apply.disabled
    filled.app.checkbox("plan_differing").check().run()
    filled.press("plan_apply").finish("import")
    with Workspace(filled.workspace.store.folder, readonly=True) as workspace:
        notes = [card for card in workspace.notes.all() if card.base == "guest"]
        assert {card.source for card in notes} == {"folder"}


def test_a_zip_that_somebody_put_into_the_trash_says_so(filled: Screen) -> None:
    filled.workspace.bases.delete("vault")
    (one,) = filled.workspace.archives.trash()
    file = filled.workspace.store.folder / "trash" / one.key
    file.write_bytes(changed(file.read_bytes(), {"base": setting(description="other")}))
    filled.open("bases").press("restore_base_").finish("embed")
    assert "This file wasn't moved to the trash by this version of Tessera" in filled.text.replace("\\", "")
