"""Only the note files of a folder are listed and read, and nothing outside it."""

import os
from pathlib import Path

import pytest

from core.base.errors import SourceError
from core.intake.encoding import MAX_BYTES
from core.intake.folder import read, scan, with_text


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def paths(folder: Path) -> list[str]:
    return [file.path for file in scan(folder).files]


def test_note_files_are_found_and_the_rest_is_not(tmp_path: Path) -> None:
    for name in ("b.MD", "a/c.markdown", "a/d.txt", "中文/笔记.md", "a/x.png", ".hidden.md", ".obsidian/e.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x", encoding="utf-8")
    for name in ("node_modules", ".git", ".trash"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "readme.md").write_text("x", encoding="utf-8")
    found = scan(tmp_path)
    assert [file.path for file in found.files] == ["a/c.markdown", "a/d.txt", "b.MD", "中文/笔记.md"]
    assert found.failed == ()
    about = (tmp_path / "b.MD").stat()
    assert (found.files[2].mtime_ns, found.files[2].size) == (about.st_mtime_ns, 1)


def test_names_that_differ_by_normalisation_are_two_files(tmp_path: Path) -> None:
    write(tmp_path, **{"caf\u00e9": "one", "cafe\u0301": "two"})
    assert paths(tmp_path) == ["cafe\u0301.md", "caf\u00e9.md"]


def test_links_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "vault-secret"
    vault.mkdir()
    outside.mkdir()
    write(vault, real="x")
    write(outside, secret="secret")
    (vault / "file.md").symlink_to(outside / "secret.md")
    (vault / "folder").symlink_to(outside, target_is_directory=True)
    (vault / "up").symlink_to("..", target_is_directory=True)
    (vault / "picture.png").symlink_to("/etc/hostname")
    found = scan(vault)
    assert [file.path for file in found.files] == ["real.md"]
    assert {item.path: str(item.error) for item in found.failed} == dict.fromkeys(
        ("file.md", "folder", "up"), "This is a link that points outside the folder. It was not imported."
    )
    with pytest.raises(SourceError, match="outside the folder"):
        read(vault, "file.md")
    with pytest.raises(SourceError, match="outside the folder"):
        read(vault, "../vault-secret/secret.md")


def test_links_inside_are_followed_once_and_never_in_circles(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write(tmp_path, real="x")
    write(tmp_path / "sub", other="y")
    (tmp_path / "again.md").symlink_to("real.md")
    (tmp_path / "sub" / "loop").symlink_to("..", target_is_directory=True)
    (tmp_path / "self.md").symlink_to("self.md")
    (tmp_path / "broken.md").symlink_to("nowhere.md")
    found = scan(tmp_path)
    assert [file.path for file in found.files] == ["again.md", "real.md", "sub/other.md"]
    assert sorted(item.path for item in found.failed) == ["broken.md", "self.md"]


def test_what_is_no_ordinary_file_is_never_opened(tmp_path: Path) -> None:
    write(tmp_path, real="x")
    os.mkfifo(tmp_path / "pipe.md")
    assert [(item.path, str(item.error)) for item in scan(tmp_path).failed] == [
        ("pipe.md", "This is a device or a pipe, not a file. It was not imported.")
    ]
    with pytest.raises(SourceError, match="is a device or a pipe"):
        read(tmp_path, "pipe.md")


def test_undecodable_names_fail_by_name(tmp_path: Path) -> None:
    write(tmp_path, real="x")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.md")).write_text("x", encoding="utf-8")
    (item,) = scan(tmp_path).failed
    item.path.encode("utf-8")
    assert item.path == "\\udcff\\udcfe.md"
    assert "isn't valid text" in str(item.error)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_and_folders_fail(tmp_path: Path) -> None:
    write(tmp_path, real="x", closed="y")
    (tmp_path / "shut").mkdir(mode=0)
    (tmp_path / "closed.md").chmod(0)
    found = scan(tmp_path)
    assert [item.path for item in found.failed] == ["shut"]
    with pytest.raises(SourceError, match="can't be read: Permission denied"):
        read(tmp_path, "closed.md")


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "big.md").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    (found,) = scan(tmp_path).files
    with pytest.raises(SourceError, match=f"50.0 MB; the limit is {MAX_BYTES // 2**20} MB"):
        with_text(tmp_path, found)


def test_a_file_that_went_away_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="can't be read: No such file"):
        read(tmp_path, "gone.md")


def test_wrong_folders_say_what_is_wrong(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    (workspace / "packs").mkdir(parents=True)
    write(workspace / "packs", inner="x")
    file = tmp_path / "file.png"
    file.write_bytes(b"x")
    empty = tmp_path / "empty"
    empty.mkdir()
    for folder, reason in (
        (tmp_path / "missing", "doesn't exist"),
        (Path("a\0b"), "doesn't exist"),
        (file, "is a file, not a folder"),
        (empty, r"There are no files to read here\. Supported types: Markdown and text, PDF, Word"),
        (workspace, "inside Tessera's own workspace"),
        (workspace / "packs", "inside Tessera's own workspace"),
        (tmp_path, "There are no files to read here|None of the files here"),
    ):
        with pytest.raises(SourceError, match=reason):
            scan(folder, forbidden=workspace)
    write(tmp_path, mine="x")
    assert [found.path for found in scan(tmp_path, forbidden=workspace).files] == ["mine.md"]
