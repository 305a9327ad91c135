"""Packs on the settings page: installed by a click, what was changed beside what the pack has, removed."""

from pathlib import Path

from core.workspace import Workspace
from tests.features.packs.test_packs import NOTES, ids, write
from tests.pages.conftest import Screen


def test_a_pack_is_installed_from_a_folder_and_shows_what_was_changed(place: Path, tmp_path: Path) -> None:
    with Workspace(place) as workspace:
        workspace.packs.install(write(tmp_path / "pack"))
        workspace.notes.update(ids(workspace)["kettle.md"], body="# Kettle\n\nMine.\n", author="person")
    write(tmp_path / "pack", "1.1", NOTES | {"new.md": "A new note."})
    screen = Screen().open("settings").tab("Packs")
    assert "Installed: version 1.1" in screen.text
    assert "new.md" in ids(screen.workspace)
    screen.app.session_state["edited_house"] = True
    assert [note.path for note in screen.workspace.packs.edited("house")] == ["kettle.md"]


def test_packs_of_the_program_are_installed_upgraded_and_removed_by_a_click(place: Path, tmp_path: Path) -> None:
    screen = Screen().open("settings").tab("Packs")
    assert "Tessera 的用法" in screen.text
    screen.press("install_sample").finish("packs")
    screen.finish("embed")
    assert [pack.name for pack in screen.workspace.packs.installed()] == ["sample"]
    assert "Installed: version 1.0" in screen.open("settings").tab("Packs").text
    screen.press("remove_sample")
    assert screen.workspace.packs.installed() == []


def test_a_newer_version_can_be_had_by_a_click(place: Path, tmp_path: Path) -> None:
    with Workspace(place) as workspace:
        workspace.packs.install(write(tmp_path / "pack"))
    screen = Screen().open("settings").tab("Packs")
    assert "Upgrade to" not in screen.text
    write(tmp_path / "pack", "1.10", NOTES | {"new.md": "A new note."})
    assert "Upgrade to 1.10" in screen.open("settings").tab("Packs").text
    screen.press("upgrade_house").finish("packs")
    assert screen.workspace.packs.installed()[0].version == "1.10"


def test_a_bad_pack_in_a_folder_says_why(tmp_path: Path) -> None:
    pack = write(tmp_path / "pack")
    (pack / "pack.toml").write_text('name = "house"\n')
    screen = Screen().open("settings").tab("Packs")
    screen.app.text_input(key="pack_folder_path").set_value(str(pack))
    screen.press("install_folder").finish("packs")
    assert "is missing" in screen.errors


def test_the_packs_of_the_program_are_described_in_the_language_of_the_session(place: Path) -> None:
    screen = Screen("zh-CN").open("settings").tab("Packs")
    said = {caption.value for caption in screen.app.caption}
    packs = [card.found for card in screen.workspace.packs.all() if card.found]
    assert packs
    assert not [pack.name for pack in packs if pack.description in said and pack.name != "guide-zh"]
