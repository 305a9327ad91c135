"""A page says what SQLite or the disk refuses, in a box, and goes on."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.workspace import Workspace
from pages.ui.shared import shell
from tests.pages.conftest import Screen
from tests.store.test_faults import disk, remount
from tests.store.test_unreadable import damage, workspace_with_all


@pytest.fixture
def filled(place: Path, vault: Path) -> Path:
    with Workspace() as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault, "notes"))
    return place


def test_every_page_says_that_the_database_is_gone(filled: Path) -> None:
    screen = Screen().open("home")
    shutil.rmtree(filled / "chroma", ignore_errors=True)
    (filled / "notes.db").rename(filled / "away.db")
    for page in shell.PAGES:
        assert "was deleted or replaced" in screen.open(page, q="fox").errors
    (filled / "away.db").rename(filled / "notes.db")
    assert not screen.open("notes").errors


def test_a_click_that_can_not_be_stored_says_so(filled: Path) -> None:
    screen = Screen().open("search", q="restoring").press("why_1")
    (filled / "notes.db").rename(filled / "away.db")
    verdict = next(pill for pill in screen.app.pills if (pill.key or "").startswith("verdict_"))
    verdict.set_value("helpful").run()
    assert not screen.app.exception
    assert "was deleted or replaced" in screen.errors


def test_a_damaged_workspace_says_so_and_opens_again(filled: Path) -> None:
    data = (filled / "notes.db").read_bytes()
    (filled / "notes.db").write_bytes(data[:4096] + bytes(len(data) - 4096))
    screen = Screen()
    assert "can't be opened" in screen.text
    assert "is damaged" in screen.errors
    (filled / "notes.db").write_bytes(data)
    assert not screen.press("open_again").errors


def test_a_read_only_workspace_is_searched(filled: Path) -> None:
    with disk(filled):
        remount(filled, "ro")
        screen = Screen().open("search", q="fox")
        assert "Its notes can be searched" in screen.app.warning[0].value
        assert not screen.errors
        screen.workspace.close()


def test_every_page_goes_on_with_notes_of_any_date_and_names_those_that_can_not_be_read(filled: Path) -> None:
    with Workspace() as workspace:
        for expires in ("0001-01-01", "9999-12-31", "9999-12-31T23:59:59"):
            workspace.notes.add("notes", f"a fox until {expires}", title="Fox", expires_at=expires, author="person")
        broken = workspace.notes.add("notes", "a broken fox", title="Broken", author="person").id
    with closing(sqlite3.connect(filled / "notes.db")) as database:
        database.execute("UPDATE notes SET extra = '{\"aliases\": 5}', priority = 'x' WHERE id = ?", (broken,))
        database.execute("UPDATE notes SET created_at = '9999-12-31T23:59:59-14:00' WHERE id != ?", (broken,))
        database.commit()
    screen = Screen()
    for zone in ("Pacific", "no/such", "../../etc/passwd", "x" * 300, "Pacific/Kiritimati"):
        screen.app.context["timezone"] = zone
        for page in shell.PAGES if zone == "Pacific/Kiritimati" else ("bases",):
            assert not screen.open(page, q="fox", note=broken).errors, page
    assert "The note 'Broken' can't be read completely" in screen.open("notes", note=broken).text.replace("\\", "")
    for card in screen.workspace.notes.all():
        screen.open("notes", note=card.id)
    screen.workspace.trash.put(broken)
    assert "be read completely" not in screen.open("notes").text


@pytest.mark.parametrize("seed", range(3))
def test_every_page_goes_on_with_damaged_values(place: Path, tmp_path: Path, seed: int) -> None:
    (tmp_path / "whole").mkdir()
    shutil.copytree(workspace_with_all(tmp_path / "whole"), place)
    done = damage(place, random.Random(seed), 0.3)
    screen = Screen()
    for page in shell.PAGES:
        assert "is damaged" not in screen.open(page, q="where does the stork sit?").errors, (page, done)
    for card in screen.workspace.notes.all():
        for page in ("notes", "chunks"):
            assert "is damaged" not in screen.open(page, note=card.id).errors, (page, done)
