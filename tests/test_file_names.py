"""Paths from outside: whatever they are, each system holds what is made of them, in the folder that is meant."""

import io
import json
import zipfile
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import EditError
from core.base.file_names import harmless_path
from core.intake import upload
from core.notes.texts import check_path
from core.workspace import Workspace

DEVICES = "con PRN Aux nul COM1 lpt9 COM² CONIN$ conout$".split()
ENDS = ("", ".md", " .md", ".tar.md", ".", " ", "...", ". .", ":stream", "::$DATA", ":$I30:$INDEX_ALLOCATION")
PLAIN = st.text("aé中 .-_~$%", min_size=1, max_size=6)
ODD = st.sampled_from(
    ["..", ".", "", " ", "C:", "z:", "C:evil", "\\\\host\\share", "//host", "?", "*", "a|b", "a<b>", '"']
)
CONTROLS = st.text("a\x00\x01\n\t\x1f\x7f", min_size=1, max_size=4)
NAMES = st.one_of(PLAIN, ODD, CONTROLS, st.builds(str.__add__, st.sampled_from(DEVICES), st.sampled_from(ENDS)))
PARTS = st.builds(str.__add__, NAMES, st.sampled_from(ENDS))
PATHS = st.builds(lambda parts, mark: mark.join(parts), st.lists(PARTS, min_size=1, max_size=4), st.sampled_from("/\\"))


def is_harmless(path: str) -> bool:
    """Whether the systems take a path for one of plain files in a folder, by their own reading of it."""
    windows = PureWindowsPath(path)
    names = PurePosixPath(path).parts
    return (
        path.isprintable()
        and names == windows.parts
        and not (windows.drive or windows.root or windows.is_reserved())
        and not any(set('<>:"|?*') & set(name) or name.endswith((".", " ")) for name in names)
        and not any(name.split(".")[0].rstrip().lower() in map(str.lower, DEVICES) for name in names)
    )


@given(PATHS)
def test_any_path_becomes_one_of_each_system_and_stays_as_it_is_then(path: str) -> None:
    made = harmless_path(path)
    assert is_harmless(made), made
    assert harmless_path(made) == made


@given(PATHS)
def test_a_note_is_written_to_a_harmless_place_or_refused(path: str) -> None:
    try:
        made = check_path(path)
    except EditError:
        return
    assert is_harmless(made), made


@pytest.mark.parametrize("path", ["plan.md", "work/2026 plan (1).md", "中文/笔记.md", "a.b/.hidden.md", "concept.md"])
def test_a_plain_path_stays(path: str) -> None:
    assert harmless_path(path) == check_path(path) == path


HOSTILE = {"CON.md": "_CON.md", "ab:c.md": "ab c.md", "dir. /nul.md": "dir/_nul.md", "what?.md": "what .md"}


def paths_below(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*.md")}


def test_every_way_in_and_out_makes_names_harmless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    harmless = {*HOSTILE.values()}
    harmless_on_linux = {"_CON.md", "ab:c.md", "dir/_nul.md", "what?.md"}
    notes = [{"path": path, "title": "t", "body": "text"} for path in HOSTILE]
    stored = json.dumps({"tessera": "base", "version": 1, "base": {"name": "restored"}, "notes": notes})
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.bases.add("desk")
        written = [workspace.notes.add("desk", "text", path=path).path for path in (*HOSTILE, "C:\\evil.md")]
        assert written == [*HOSTILE.values(), "C/evil.md"]
        base = workspace.archives.restore_data(stored.encode(), "b.json").base
        assert {card.path for card in workspace.notes.all() if card.base == base.name} == harmless_on_linux
        vault = tmp_path / "vault"
        for path in HOSTILE:
            (vault / path).parent.mkdir(parents=True, exist_ok=True)
            (vault / path).write_text(f"text of {path}")
        workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"))
        workspace.archives.export("vault", tmp_path / "out", "markdown")
        assert paths_below(tmp_path / "out") == harmless_on_linux
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for path in HOSTILE:
            archive.writestr(path, "text")
    upload.unzip_from(stream, tmp_path / "zip", name="the archive")
    upload.unpack([(path, b"more") for path in HOSTILE], tmp_path / "loose")
    assert paths_below(tmp_path / "zip") == paths_below(tmp_path / "loose") == harmless
