"""An act that changes several files is done or not done after a kill at any of its steps, once the workspace is open.

A step is a call that writes a name, bytes or the database. What a kill before a step leaves is what is on disk then:
all files are copied before each step, and the copies are opened in turn.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.base import safe_replace
from core.intake.folder import content_hash
from core.model import Renaming
from core.store.database import Connection
from core.store.editing_tables import FileStep
from core.workspace import Workspace

FILES = {
    "Garden.md": "# Garden\n\nBeds. See [[Garden#Beds]].\n",
    "maps/map.md": "Of the [[Garden|beds]], [here](../Garden.md#beds).\n",
    "plan.md": "To [[Garden]] and [[Shed]].\n",
}
WRITES = (
    (Connection, "commit"),
    (safe_replace, "exchange"),
    (safe_replace, "mkstemp"),
    (Path, "hardlink_to"),
    (Path, "unlink"),
    (Path, "rename"),
    (Path, "write_bytes"),
)


def note_id(workspace: Workspace, title: str) -> str:
    return workspace.notes.resolve(title).id


def rename(workspace: Workspace) -> Renaming:
    return workspace.renames.rename(note_id(workspace, "Garden"), "Orchard")


def tag_all(workspace: Workspace) -> None:
    workspace.notes.tag([card.id for card in workspace.notes.all()], add=["green"])


def archive_and_restore(workspace: Workspace, whole: Callable[[], object]) -> None:
    both = [note_id(workspace, "Garden"), note_id(workspace, "map")]
    workspace.notes.archive(both)
    whole()
    workspace.trash.restore(both, embed=False)


def rename_and_undo(workspace: Workspace, whole: Callable[[], object]) -> None:
    done = rename(workspace)
    whole()
    workspace.renames.undo(done)


def ids(workspace: Workspace, *titles: str) -> list[str]:
    return [note_id(workspace, title) for title in titles]


def delete_and_restore(workspace: Workspace, whole: Callable[[], object], *titles: str) -> None:
    chosen = ids(workspace, *titles)
    workspace.trash.put(chosen)
    whole()
    workspace.trash.restore(chosen, embed=False)


def _export(workspace: Workspace) -> None:
    workspace.archives.export("vault", workspace.store.folder.with_name("out"), "markdown")


Act = Callable[[Workspace, Callable[[], object]], object]
ACTS: dict[str, Act] = {
    "rename, undo": rename_and_undo,
    "move": lambda workspace, _: workspace.renames.move(note_id(workspace, "Shed"), "yard"),
    "move a file": lambda workspace, _: workspace.renames.move(note_id(workspace, "Garden"), "yard/far"),
    "move several": lambda workspace, _: workspace.renames.move(ids(workspace, "Garden", "map", "Shed"), "yard/far"),
    "tag": lambda workspace, _: tag_all(workspace),
    "archive, restore": archive_and_restore,
    "delete a file, restore": lambda workspace, whole: delete_and_restore(workspace, whole, "Garden"),
    "delete several": lambda workspace, _: workspace.trash.put(ids(workspace, "Garden", "map", "Shed")),
    "take back": lambda workspace, _: workspace.trash.take_back(note_id(workspace, "plan")),
    "delete": lambda workspace, _: workspace.trash.put([card.id for card in workspace.notes.all()]),
    "export": lambda workspace, _: _export(workspace),
}
"""Acts; between two of them the second argument is called."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A place with a vault and its workspace."""
    for path, text in FILES.items():
        file = tmp_path / "here" / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    with Workspace(tmp_path / "here" / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "here" / "vault", "vault"), embed=False)
        workspace.bases.update("vault", write_files=True)
        workspace.notes.add("own", "Tools of the [[Garden]].\n", path="shed.md", title="Shed", embed=False)
    return tmp_path / "here"


def state(workspace: Workspace) -> dict[str, Any]:
    """Return all files at a place but the workspace's own, and all notes."""
    here, own = workspace.store.folder.parent, workspace.store.folder
    files = (file for file in here.rglob("*") if file.is_file() and not file.is_relative_to(own))
    notes = (workspace.notes.get(card.id) for card in workspace.notes.all())
    return {
        **{str(file.relative_to(here)): file.read_text(encoding="utf-8") for file in files},
        **{note.id: (note.path, note.title, note.body, note.tags, note.status) for note in notes},
        "trash": tuple(sorted(str(trashed.path) for trashed in workspace.trash.all())),
    }


def kills(here: Path, act: Act) -> tuple[Iterator[int], list[dict[str, Any]]]:
    """Do an act; return the numbers of its steps, with the place as a kill leaves it there, and the whole states."""
    images = here.with_name("images")
    whole, count = list[dict[str, Any]](), 0

    def before(write: Callable[..., object]) -> Callable[..., object]:
        def call(*values: Any, **named: Any) -> object:
            nonlocal count
            shutil.copytree(here, images / str(count))
            count += 1
            return write(*values, **named)

        return call

    with Workspace(here / "workspace") as workspace:
        whole.append(state(workspace))
        with pytest.MonkeyPatch.context() as patch:
            for owner, name in WRITES:
                patch.setattr(owner, name, before(getattr(owner, name)))
            act(workspace, lambda: whole.append(state(workspace)))
        whole.append(state(workspace))

    def steps() -> Iterator[int]:
        for number in range(count):
            shutil.rmtree(here)
            (images / str(number)).rename(here)
            yield number

    return steps(), whole


@pytest.mark.parametrize("name", ACTS)
def test_it_is_done_or_not_done_wherever_a_kill_parts_it(here: Path, name: str) -> None:
    steps, whole = kills(here, ACTS[name])
    for step in steps:
        with Workspace(here / "workspace") as workspace:
            now = state(workspace)
            assert now in whole, (step, [sorted(now.items() ^ other.items(), key=str) for other in whole])
            assert not workspace.store.intents.all(), step
            assert workspace.doctor.checks["halfway"].find() is None
            temporary = workspace.store.folder / "temporary"
            assert not [path for path in temporary.glob("*") if path.is_dir()], step


def test_what_was_changed_since_a_kill_stays_and_is_named(here: Path) -> None:
    theirs, named = "Written since. [[Garden]]\n", 0
    steps, _ = kills(here, lambda workspace, _: rename(workspace))
    for _ in steps:
        (here / "vault" / "plan.md").write_text(theirs, encoding="utf-8")
        with Workspace(here / "workspace") as workspace:
            assert (here / "vault" / "plan.md").read_text(encoding="utf-8") == theirs
            left = workspace.store.intents.left()
            assert left in ([], ["plan.md"])
            assert ("plan.md" in str(workspace.doctor.checks["halfway"].find())) == bool(left)
            others = {path: (here / "vault" / path) for path in FILES if path != "plan.md"}
            assert not left or {path: file.read_text() for path, file in others.items()}.items() <= FILES.items()
        with Workspace(here / "workspace") as workspace:
            assert workspace.store.intents.left() == left
            if left and not named:
                workspace.doctor.examine(fix=True)
                assert not workspace.store.intents.all()
        named += bool(left)
    assert named > 3


def test_a_folder_that_is_away_is_made_as_it_was_once_it_is_back(here: Path) -> None:
    steps, _ = kills(here, lambda workspace, _: rename(workspace))
    away = 0
    for _ in steps:
        (here / "vault").rename(here / "away")
        with Workspace(here / "workspace") as workspace:
            left = workspace.store.intents.left()
        (here / "away").rename(here / "vault")
        with Workspace(here / "workspace") as workspace:
            assert not workspace.store.intents.all()
        away += bool(left)
        assert not left or {path: (here / "vault" / path).read_text() for path in FILES} == FILES
    assert away > 3


def test_an_update_between_a_kill_and_the_recovery_loses_nothing(here: Path) -> None:
    """The folder was away at the opening, and an update came before the next one."""
    steps, _ = kills(here, lambda workspace, _: rename(workspace))
    for _ in steps:
        (here / "vault").rename(here / "away")
        with Workspace(here / "workspace") as workspace:
            (here / "away").rename(here / "vault")
            workspace.imports.apply(workspace.imports.plan_folder(here / "vault", "vault"), embed=False)
        with Workspace(here / "workspace") as workspace:
            assert all(step.left for step in workspace.store.intents.all().values())
            workspace.imports.apply(workspace.imports.plan_folder(here / "vault", "vault"), embed=False)
            cards = [card for card in workspace.notes.all() if card.base == "vault"]
            assert sorted(card.path or "" for card in cards if card.title not in ("Garden", "Orchard")) == [
                "maps/map.md",
                "plan.md",
            ]
            assert len(cards) == 3
            for card in cards:
                assert workspace.notes.get(card.id).body == (here / "vault" / str(card.path)).read_text()
        assert not [*here.rglob(".tessera*")]


@pytest.mark.parametrize(
    "step",
    [
        FileStep("{vault}", "../secret.md", "a.md"),
        FileStep("{vault}", "plan.md", "../secret.md", b"x", "{hash}"),
        FileStep("{vault}", "plan.md", "out/secret.md"),
        FileStep("{vault}", "out/secret.md", "out/secret.md", b"x", "{hash}"),
        FileStep("{vault}", "out/new.md", "", b"x"),
        FileStep("{vault}/..", "secret.md", "secret.md", b"x", "{hash}"),
        FileStep("{here}", "secret.md", "secret.md", b"x", "{hash}"),
    ],
    ids=str,
)
def test_nothing_outside_the_folders_of_bases_is_touched(here: Path, step: FileStep) -> None:
    (here / "secret.md").write_text("secret", encoding="utf-8")
    (here / "vault" / "out").symlink_to(here)
    names = {"vault": here / "vault", "here": here, "hash": content_hash(b"secret")}
    hostile = replace(step, folder=step.folder.format(**names), after=step.after.format(**names))
    with Workspace(here / "workspace") as workspace:
        row = workspace.notes.get(note_id(workspace, "plan"))
        workspace.store.intents.put([hostile])
        # As if it were the file of a note.
        change = "UPDATE notes SET source_ref = ?, path = ?, content_hash = ? WHERE id = ?"
        as_before = content_hash(hostile.before or b"")
        workspace.store.database.execute(change, hostile.folder, hostile.path, as_before, row.id)
        before = {path: path.read_bytes() for path in here.glob("*.md")}
    with Workspace(here / "workspace") as workspace:
        assert workspace.store.intents.left()
    assert {path: path.read_bytes() for path in here.glob("*.md")} == before
