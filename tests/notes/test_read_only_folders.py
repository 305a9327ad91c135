"""In a folder that can only be read, of a base that writes files, each act is refused in words as a whole."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.base.errors import EditError, NotWritable
from core.workspace import Workspace

FILES = {
    "a.md": "# A\n\nSee [[b]].\n",
    "b.md": "To [a](a.md) and [d](d.html).\n",
    "d.html": "<html><body><p>Of a document.</p></body></html>",
    "sub/c.md": "Below.\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Path]:
    """A folder on a drive that is mounted for reading only; where that isn't possible, one without the permission."""
    folder = tmp_path / "vault"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    if os.name != "posix":
        pytest.skip("needs permissions of POSIX")
    if os.geteuid():
        for place in (folder, folder / "sub"):
            place.chmod(0o555)
        yield folder
        for place in (folder, folder / "sub"):
            place.chmod(0o755)
        return
    mounting = [["mount", "--bind", folder, folder], ["mount", "-o", "remount,ro,bind", folder]]
    if any(subprocess.run(command, capture_output=True, check=False).returncode for command in mounting):
        pytest.skip("this system mounts nothing")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.fixture
def workspace(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    for name, value in {"TESSERA_EMBEDDER": "tfidf", "TESSERA_INDEX__KIND": "none"}.items():
        monkeypatch.setenv(name, value)
    with Workspace(tmp_path / "workspace") as workspace:
        assert workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"), embed=False).added == len(FILES)
        workspace.bases.update("vault", write_files=True)
        yield workspace


ACTS: dict[str, Callable[[Workspace, Callable[[str], str]], object]] = {
    "edit": lambda workspace, note: workspace.notes.update(note("a.md"), body="Another.", author="person"),
    "set a field": lambda workspace, note: workspace.notes.set_fields([note("a.md")], project="home"),
    "archive": lambda workspace, note: workspace.notes.archive([note("a.md")]),
    "rename": lambda workspace, note: workspace.renames.rename(note("a.md"), "New"),
    "move": lambda workspace, note: workspace.renames.move(note("a.md"), "sub"),
    "move a document": lambda workspace, note: workspace.renames.move(note("d.html"), "new/place"),
    "move all": lambda workspace, note: workspace.renames.move([note(path) for path in FILES], "other"),
    "delete": lambda workspace, note: workspace.trash.put([note("d.html"), note("a.md")]),
    "write": lambda workspace, _: workspace.notes.add("vault", "Text.", title="Fresh", author="person"),
    "attach": lambda workspace, note: workspace.attachments.add(
        "vault", "p", b"\x89PNG\r\n\x1a\n", note_id=note("a.md")
    ),
}


def state(workspace: Workspace, vault: Path) -> object:
    files = {file.relative_to(vault).as_posix(): file.read_text() for file in vault.rglob("*") if file.is_file()}
    notes = sorted((str(card.path), workspace.notes.get(card.id).version) for card in workspace.notes.all())
    return files, notes, workspace.store.intents.all()


def test_each_act_is_refused_in_words_and_leaves_all_as_it_was(workspace: Workspace, vault: Path, trash: Path) -> None:
    before, kept = state(workspace, vault), len([*trash.iterdir()])
    for name, act in ACTS.items():
        with pytest.raises((NotWritable, EditError), match=r"writable|can't be (?:written|saved)|is read-only"):
            act(workspace, lambda path: workspace.notes.resolve(path).id)
        assert (state(workspace, vault), name) == (before, name)
    assert len([*trash.iterdir()]) == kept
    assert workspace.imports.plan_folder(vault, "vault").is_empty
