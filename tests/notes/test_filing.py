"""An edit of a note that is a file goes into the file: what the person changed changes, every other byte stays."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.base import safe_replace
from core.base.errors import Conflict, DiskFull, EditError, NotWritable, SourceError, TesseraError
from core.model import Note
from core.workspace import Workspace

pytestmark = pytest.mark.usefixtures("bundled")

_NOTE = "---\n# mine\ntitle:  'Plan'  # why\nTag:\n  - a # first\nmodified: 2024-01-02\nx: [1,  2]\n---\n\nBody.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "vault" / "sub").mkdir(parents=True)
    return tmp_path / "vault"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


def imported(workspace: Workspace, folder: Path, data: bytes, name: str = "plan.md") -> Note:
    """Write a file, import its folder into a base that writes files, and return the file's note."""
    (folder / name).write_bytes(data)
    workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"), embed=False)
    workspace.store.bases.change(workspace.bases.get("vault"), write_files=True)
    return workspace.notes.get(workspace.notes.find(name).id)


def is_quiet(workspace: Workspace, folder: Path) -> bool:
    return workspace.imports.plan_folder(folder, "vault").is_empty


@pytest.mark.parametrize(
    ("data", "body", "after"),
    [
        (_NOTE.encode(), "Other.\n", _NOTE.replace("\nBody.\n", "Other.\n").replace("2024-01-02", "{today}").encode()),
        (b"\xef\xbb\xbfone\r\ntwo\r\n", "one\ntwo and\nthree\n", b"\xef\xbb\xbfone\r\ntwo and\r\nthree\r\n"),
        (
            "第一行。\n今天的天气很好。\n".encode("gbk"),
            "第一行。\n明天下雨。\n",
            "第一行。\n明天下雨。\n".encode("gbk"),
        ),
        ("\ufeffé\n".encode("utf-16-le"), "é and\n", "\ufeffé and\n".encode("utf-16-le")),
        (b"a\r\nb\nc\r\n", "a\nb\nd\nc\n", b"a\r\nb\nd\r\nc\r\n"),
        (b"no end", "no end yet", b"no end yet"),
        (b"---\nx: 1\n---\ntext", "", b"---\nx: 1\n---\n"),
    ],
    ids=["front matter", "byte order mark", "GBK", "UTF-16", "mixed line ends", "no line end", "empty body"],
)
def test_a_text_goes_into_the_file(workspace: Workspace, folder: Path, data: bytes, body: str, after: bytes) -> None:
    note = imported(workspace, folder, data)
    written = workspace.notes.update(note.id, body=body, author="person", embed=False)
    today = f"{written.updated_at:%Y-%m-%d}".encode()
    assert (folder / "plan.md").read_bytes() == after.replace(b"{today}", today)
    assert written.body.replace("\r\n", "\n") == body
    assert written.body_start == note.body_start
    assert is_quiet(workspace, folder)
    newest = workspace.versions.all(note.id)[0]
    assert (newest.number, newest.kind, newest.author) == (2, "update", "person")


def test_fields_go_into_the_front_matter_as_it_is_written(workspace: Workspace, folder: Path) -> None:
    note = imported(workspace, folder, _NOTE.encode())
    workspace.notes.update(
        note.id, title="no", tags=["a", "1.10"], priority=2, status="archived", expires_at="2026-01-31"
    )
    today = f"{workspace.notes.get(note.id).updated_at:%Y-%m-%d}"
    assert (folder / "plan.md").read_text() == (
        "---\n# mine\ntitle:  'no'  # why\nTag:\n  - a # first\n  - \"1.10\"\n"
        f"modified: {today}\nx: [1,  2]\npriority: 2\nstatus: archived\nexpires: 2026-01-31\n---\n\nBody.\n"
    )
    now = workspace.notes.get(note.id)
    assert (now.title, now.tags, now.priority, now.status) == ("no", ("1.10", "a"), 2, "archived")
    assert now.overridden == {}
    assert is_quiet(workspace, folder)


def test_fields_that_were_set_before_files_were_written_go_there_with_the_next_edit(
    workspace: Workspace, folder: Path
) -> None:
    note = imported(workspace, folder, b"# Plan\n\nBody.\n")
    workspace.store.bases.change(workspace.bases.get("vault"), write_files=False)
    workspace.notes.update(note.id, priority=3)
    assert workspace.notes.get(note.id).overridden == {"priority": 0}
    workspace.store.bases.change(workspace.bases.get("vault"), write_files=True)
    workspace.notes.update(note.id, body="# Plan\n\nMore.\n")
    assert (folder / "plan.md").read_text() == "---\npriority: 3\n---\n# Plan\n\nMore.\n"
    assert workspace.notes.get(note.id).overridden == {}


def test_a_title_follows_its_heading_unless_it_is_set(workspace: Workspace, folder: Path) -> None:
    note = imported(workspace, folder, b"# One\n\ntext #tag\n")
    assert workspace.notes.update(note.id, body="# Two\n\ntext #other\n").title == "Two"
    assert (folder / "plan.md").read_text() == "# Two\n\ntext #other\n"
    workspace.notes.update(note.id, title="Three")
    assert (folder / "plan.md").read_text() == "---\ntitle: Three\n---\n# Two\n\ntext #other\n"
    assert workspace.notes.get(note.id).path == "plan.md"


def test_a_revert_writes_the_file_as_it_was(workspace: Workspace, folder: Path) -> None:
    note = imported(workspace, folder, b"---\ntags: [a]\n---\nOne.\n")
    workspace.notes.update(note.id, body="Two.\n", tags=["a", "b"])
    workspace.versions.revert(note.id, 1)
    assert (folder / "plan.md").read_bytes() == b"---\ntags: [a]\n---\nOne.\n"


def test_a_file_that_was_changed_meanwhile_stays_and_both_texts_are_there(workspace: Workspace, folder: Path) -> None:
    note = imported(workspace, folder, b"One.\n")
    (folder / "plan.md").write_bytes(b"# Theirs\n")
    with pytest.raises(Conflict) as caught:
        workspace.notes.update(note.id, body="Mine.\n")
    assert (caught.value.stored.body, caught.value.stored.title, caught.value.version) == ("# Theirs\n", "Theirs", 1)
    assert (folder / "plan.md").read_bytes() == b"# Theirs\n"
    assert workspace.notes.get(note.id).body == "One.\n"


def test_a_file_that_changes_between_the_look_and_the_swap_is_put_back(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = imported(workspace, folder, b"One.\n")
    once, exchange = [b"Theirs.\n", b"Theirs again.\n"], safe_replace.exchange

    def late(one: Path, other: Path) -> None:
        if once:
            other.with_name("theirs").write_bytes(once.pop(0))
            other.with_name("theirs").replace(other)
        exchange(one, other)

    monkeypatch.setattr(safe_replace, "exchange", late)
    with pytest.raises(Conflict) as caught:
        workspace.notes.update(note.id, body="Mine.\n")
    assert caught.value.stored.body == "Theirs again.\n"
    copy = caught.value.message.fields["copy"]
    assert {file.name: file.read_text() for file in folder.glob("*.md")} == {
        "plan.md": "Theirs again.\n",
        copy: "Theirs.\n",
    }
    assert not [file for file in folder.iterdir() if file.name.startswith(".")]


def test_a_file_that_another_program_is_writing_waits_for_it(workspace: Workspace, folder: Path) -> None:
    note = imported(workspace, folder, b"One.\n")
    with (folder / "plan.md").open("r+b"), pytest.raises(Conflict):
        workspace.notes.update(note.id, body="Mine.\n")
    assert (folder / "plan.md").read_bytes() == b"One.\n"
    assert not [file for file in folder.iterdir() if file.name.startswith(".")]


def test_rights_and_links_stay(workspace: Workspace, folder: Path) -> None:
    (folder / "sub" / "real.md").write_bytes(b"One.\n")
    (folder / "sub" / "real.md").chmod(0o640)
    (folder / "link.md").symlink_to(folder / "sub" / "real.md")
    note = imported(workspace, folder, b"x\n")
    linked = workspace.notes.find("link.md")
    workspace.notes.update(linked.id, body="Two.\n")
    assert (folder / "link.md").is_symlink()
    real = folder / "sub" / "real.md"
    assert (real.read_text(), stat.S_IMODE(real.stat().st_mode)) == ("Two.\n", 0o640)
    assert workspace.notes.get(note.id).body == "x\n"


def _read_only(file: Path) -> None:
    file.chmod(0o444)


def _link_out(file: Path) -> None:
    file.unlink()
    file.symlink_to("/etc/hostname")


def _folder_gone(file: Path) -> None:
    file.parent.rename(file.parent.with_name("elsewhere"))


@pytest.mark.parametrize(
    ("harm", "error"),
    [(_read_only, NotWritable), (_link_out, SourceError), (Path.unlink, EditError), (_folder_gone, EditError)],
)
def test_what_cannot_be_written_is_told(
    workspace: Workspace, folder: Path, harm: Callable[[Path], object], error: type[TesseraError]
) -> None:
    note = imported(workspace, folder, b"One.\n")
    harm(folder / "plan.md")
    with pytest.raises(error):
        workspace.notes.update(note.id, body="Two.\n")
    assert workspace.notes.get(note.id).body == "One.\n"
    assert len(workspace.versions.all(note.id)) == 1


@pytest.mark.parametrize(("number", "error"), [(28, DiskFull), (30, NotWritable), (5, SourceError)])
def test_a_full_or_broken_disk_leaves_the_file(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, error: type[TesseraError]
) -> None:
    note = imported(workspace, folder, b"One.\n")

    def full(handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("core.base.safe_replace.os.fsync", full)
    with pytest.raises(error):
        workspace.notes.update(note.id, body="Two.\n")
    assert {file.name for file in folder.iterdir()} == {"plan.md", "sub"}
    assert (folder / "plan.md").read_bytes() == b"One.\n"


@pytest.mark.parametrize(
    ("data", "body"),
    [
        (b"One.\n", ""),
        (b"broken \xff\xfe\xfd byte " + "é".encode() * 100, "x"),
        ("Привет, мир, это заметка.\n".encode("cp1251") * 20, "中文 😀"),
    ],
    ids=["empty", "unreadable bytes", "encoding"],
)
def test_a_text_that_the_file_cannot_hold_is_refused(
    workspace: Workspace, folder: Path, data: bytes, body: str
) -> None:
    note = imported(workspace, folder, data)
    with pytest.raises(EditError):
        workspace.notes.update(note.id, body=body)
    assert (folder / "plan.md").read_bytes() == data


def test_without_the_switch_files_stay(workspace: Workspace, folder: Path) -> None:
    note = imported(workspace, folder, b"One.\n")
    workspace.store.bases.change(workspace.bases.get("vault"), write_files=False)
    with pytest.raises(EditError):
        workspace.notes.update(note.id, body="Two.\n")
    assert (folder / "plan.md").read_bytes() == b"One.\n"


def test_a_kill_after_the_file_is_taken_up_by_the_next_sync(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = imported(workspace, folder, b"One.\n")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(workspace._writer, "write", killed)
    with pytest.raises(KeyboardInterrupt):
        workspace.notes.update(note.id, body="Two.\n")
    assert (folder / "plan.md").read_bytes() == b"Two.\n"
    assert workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"), embed=False).changed == 1
    assert workspace.notes.get(note.id).body == "Two.\n"
