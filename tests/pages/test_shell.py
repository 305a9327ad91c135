import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import ModelError
from core.indexing.models import Models
from core.workspace import Workspace
from pages.ui.shared import shortcuts
from tests.pages.conftest import Screen

ROOT = Path(__file__).parents[2]
EVERY_DAY = ["Home", "Search", "Notes", "Review"]
WORKBENCH = ["Map", "Chunks", "Evaluation", "Bases"]


def door(screen: Screen) -> Any:
    """The expander of the workbench in the side bar."""
    (found,) = (one for one in screen.app.sidebar.expander if one.label == "Workbench")
    return found


def is_open(screen: Screen) -> bool:
    return bool(door(screen).proto.expanded)


def test_the_language_is_the_browsers_until_one_is_chosen() -> None:
    screen = Screen("zh-CN")
    assert "一切都留在这台电脑上" in screen.text
    screen.app.segmented_control("language_switch").set_value("en").run()
    assert "Everything stays on this machine" in screen.text
    again = Screen("zh-CN")
    assert "Everything stays on this machine" in again.text
    assert again.open("notes").app.title[0].value == "Notes"


def test_the_menu_has_the_pages_of_every_day_above_the_others(filled: Screen) -> None:
    menu = [link.proto.label.split(" · ")[0] for link in filled.app.sidebar.get("page_link")]
    assert menu == [*EVERY_DAY, *WORKBENCH, "Settings", "Help"]
    assert [link.proto.label for link in door(filled).get("page_link")] == WORKBENCH


def test_the_door_of_the_workbench_is_as_it_was_left(filled: Screen) -> None:
    assert not is_open(filled.open("notes"))
    assert is_open(filled.open("map"))
    assert is_open(filled.open("search"))
    filled.app.session_state["workbench"] = False
    filled.workspace.preferences.set("workbench", "")
    assert not is_open(Screen().open("home"))
    assert is_open(Screen().open("evaluation"))


def test_every_page_is_drawn_in_both_languages(filled: Screen) -> None:
    note = filled.workspace.notes.all()[0].id
    for locale, names in {"en-US": ("Notes", "Chunks", "Search"), "zh-CN": ("笔记", "分块", "搜索")}.items():
        screen = Screen(locale)
        for page, name in zip(("notes", "chunks", "search"), names, strict=True):
            assert screen.open(page, note=note, q="restore").app.title[0].value == name


def test_a_workspace_held_by_another_process_opens_for_reading(place: Path, vault: Path) -> None:
    with Workspace(place) as holder:
        holder.imports.apply(holder.imports.plan_folder(vault))
        screen = Screen().finish("warm")
        assert "Tessera is open in read-only mode" in screen.text
        assert "process" in screen.text
        assert "restore" in screen.open("search", q="pg_restore").text
        assert not screen.open("notes").app.multiselect("notes_filters").disabled
        assert not any(button.key == "look_path" for button in screen.app.button)
    screen.press("reopen")
    assert "Tessera is open in read-only mode" not in screen.text


def schema_version(place: Path, new: int) -> int:
    """Set the version of the workspace's database and return the one it had."""
    connection = sqlite3.connect(place / "notes.db")
    old = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.execute(f"PRAGMA user_version = {new}")
    connection.close()
    return int(old)


def test_a_workspace_of_a_later_version_is_a_page_not_a_traceback(place: Path, vault: Path) -> None:
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    known = schema_version(place, 999)
    screen = Screen()
    assert not screen.app.exception
    assert "written by a newer version" in screen.errors
    assert "Your notes are untouched" in screen.text
    schema_version(place, known)
    screen.press("open_again")
    assert "3 notes" in screen.text


def test_a_wrong_setting_is_a_page_not_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setenv("TESSERA_NONSENSE", "1")
        assert "TESSERA" in Screen().open("home").errors


def test_the_first_pages_import_only_what_they_need(place: Path) -> None:
    code = (
        "import os, sys, app; from streamlit.testing.v1 import AppTest\n"
        "print([name for name in ('core.workspace', 'numpy') if name in sys.modules])\n"
        "from pages.ui.notes import imports, listing, reader; from pages.ui.chunks import bands, summary\n"
        "screen = AppTest.from_file(os.path.abspath('pages/main.py'), default_timeout=60).run()\n"
        "def loaded(*names): print(len(screen.exception), [name for name in names if name in sys.modules])\n"
        "heavy = 'torch', 'chromadb', 'sentence_transformers', 'pandas', 'pyarrow', 'streamlit.emojis'\n"
        "late = 'core.features.doctor.doctor', 'core.features.evaluation.note_questions'\n"
        "loaded(*heavy, 'httpx', *late, 'core.retrieval.engine')\n"
        "screen.switch_page('search.py').run()\n"
        "loaded(*heavy, *late, 'core.features.answers.service')\n"
        "sys.stdout.flush(); os._exit(0)"
    )
    environment = os.environ | {"TESSERA_EMBEDDER": "tfidf"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[]", "0 []", "0 []"]


def test_the_dialog_lists_the_keys_of_every_page(filled: Screen) -> None:
    assert "<kbd>" not in filled.text
    filled.press("shortcuts")
    for keys in shortcuts.EVERYWHERE.values():
        assert all(f"<kbd>{key}</kbd>" in filled.text for key in keys)
    assert "Show keyboard shortcuts" in filled.text


def test_every_variable_of_the_style_sheet_has_a_value() -> None:
    style = "".join(element.proto.body for element in Screen().app.get("html") if "<style>" in element.proto.body)
    assert {*re.findall(r"var\((--t-[\w-]+)\)", style)} <= {*re.findall(r"(--t-[\w-]+):", style)}


def test_a_model_that_can_not_be_loaded_is_not_called_ready(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ModelError("The model is damaged.")

    monkeypatch.setattr(Models, "_warm_up", fail)
    screen = Screen()
    screen.workspace.jobs.wait("warm", 30)
    assert "The model is damaged." in screen.open("search").text
    assert "Ready to search" not in screen.text
    assert screen.app.button(key="warm_again").label == "Try again"
