"""A base as a folder of Markdown has the pictures and files that its notes name, and every link leads to them."""

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.workspace import Workspace

pytestmark = pytest.mark.usefixtures("bundled")

FOLDERS = "", "trips", "trips/Zürich 2026", "资料/图", "a b/c d/e f"
NAMES = "a.png", "plan (final).pdf", "Bild é.png", "图 1.jpg", "data.zip", "song.mp3", "Ünï#1.webp"
WAYS = (
    "![[{name}]]",
    "![[{name}|300]]",
    "![]({address})",
    '![x]({address} "Title")',
    "![x](<{relative}>)",
    "[file]({address})",
    "![x][{number}]\n\n[{number}]: {address}",
    '<img src="{address}" width="300">',
    "text <img alt='x' src='{address}'/> text",
    "| a | ![[{name}\\|90]] |\n|---|---|\n| b | c |",
)


def vault(folder: Path) -> Path:
    """Write a vault in which each way to name a file meets each place and name; files of one name differ."""
    chance = random.Random(5)
    for number, way in enumerate(WAYS * 4):
        here, there, name = chance.choice(FOLDERS), chance.choice(FOLDERS), chance.choice(NAMES)
        if "[[" in way:  # a name alone leads to the nearest file of it
            here, name = here if there else "", name.replace("#", "")
        (folder / there).mkdir(parents=True, exist_ok=True)
        (folder / here).mkdir(parents=True, exist_ok=True)
        (folder / there / name).write_bytes(f"{there}/{name}".encode() * 9)
        relative = os.path.relpath(folder / there / name, folder / here)
        address = "".join(f"%{ord(sign):02X}" if sign in " ()#%" else sign for sign in relative)
        whole = f"{there}/{name}".lstrip("/")
        text = way.format(name=whole, relative=relative.replace("#", "%23"), address=address, number=number)
        (folder / here / f"note {number}.md").write_text(f"# Note {number}\n\n{text}\n", encoding="utf-8")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def dead(workspace: Workspace) -> list[str]:
    notes = (workspace.notes.get(note.id) for note in workspace.notes.all())
    return [name for note in notes for name in workspace.attachments.missing(note)]


def synced(workspace: Workspace, folder: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"), embed=False)


def test_an_export_holds_the_files_that_notes_name_and_no_others(tmp_path: Path) -> None:
    whole = contents(vault(tmp_path / "vault"))
    (tmp_path / "vault" / "nobody's.png").write_bytes(b"no note shows it")
    (tmp_path / "secret.png").write_bytes(b"outside")
    (tmp_path / "vault" / "climbs.md").write_text("![[secret.png]] ![](../secret.png) ![](/etc/passwd)\n")
    whole["climbs.md"] = b"![[secret.png]] ![](../secret.png) ![](/etc/passwd)\n"
    with Workspace(tmp_path / "first") as workspace:
        synced(workspace, tmp_path / "vault")
        workspace.archives.export("vault", tmp_path / "out", "markdown")
        (tmp_path / "out.zip").write_bytes(workspace.archives.exported("vault", "markdown"))
    assert contents(tmp_path / "out") == whole
    shutil.unpack_archive(tmp_path / "out.zip", tmp_path / "unpacked")
    assert contents(tmp_path / "unpacked") == whole
    with Workspace(tmp_path / "second") as workspace:
        synced(workspace, tmp_path / "out")
        assert {*dead(workspace)} == {"secret.png", "../secret.png"}
        workspace.archives.export("vault", tmp_path / "again", "markdown")
        workspace.archives.restore(tmp_path / "out.zip", "of a zip")
    assert contents(tmp_path / "again") == whole


def test_pictures_of_a_note_that_was_written_here_come_along(tmp_path: Path) -> None:
    with Workspace(tmp_path / "here") as workspace:
        workspace.bases.add("own")
        (workspace.attachments.own_folder).mkdir(parents=True)
        (workspace.attachments.own_folder / "pasted.png").write_bytes(b"\x89PNG\r\n\x1a\n")
        workspace.notes.add("own", "![](pasted.png)", title="Written", embed=False)
        workspace.archives.export("own", tmp_path / "out", "markdown")
    assert contents(tmp_path / "out").keys() == {"Written.md", "pasted.png"}


def test_a_document_is_its_text_and_its_file_where_a_note_names_it(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    for name in ("named.csv", "other.csv"):
        (folder / name).write_text("dish,price\nsoup,3\n")
    (folder / "note.md").write_text("See [the list](named.csv).\n")
    with Workspace(tmp_path / "here") as workspace:
        synced(workspace, folder)
        workspace.archives.export("vault", tmp_path / "out", "markdown")
    written = contents(tmp_path / "out")
    assert written.keys() == {"note.md", "named.csv", "named.csv.md", "other.csv.md"}
    assert written["named.csv"] == b"dish,price\nsoup,3\n"
    assert b"soup" in written["other.csv.md"]


_KILLED = """
import os, signal, sys
from pathlib import Path
from core.workspace import Workspace
write = Path.write_bytes
def killed(file, data):
    write(file, data)
    if file.suffix == ".mp3":
        os.kill(os.getpid(), signal.SIGKILL)
Path.write_bytes = killed
with Workspace(Path(sys.argv[1])) as workspace:
    workspace.archives.export("vault", Path(sys.argv[2]), "markdown")
"""


def test_an_export_that_is_killed_leaves_no_folder(tmp_path: Path) -> None:
    vault(tmp_path / "vault")
    with Workspace(tmp_path / "here") as workspace:
        synced(workspace, tmp_path / "vault")
    killed = subprocess.run([sys.executable, "-c", _KILLED, tmp_path / "here", tmp_path / "out"], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    with Workspace(tmp_path / "here") as workspace:
        workspace.archives.export("vault", tmp_path / "out", "markdown")
    assert contents(tmp_path / "out") == contents(tmp_path / "vault")
