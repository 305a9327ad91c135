"""Uploads land in the staging folder and nowhere else, whatever their names and sizes claim."""

import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from core.base.errors import SourceError
from core.intake import upload
from core.intake.sync import plan
from core.intake.upload import unpack, unzip_from
from core.model import Failed

BAD_NAMES = [
    "../out.md",
    "a/../../out.md",
    "/etc/out.md",
    "C:/out.md",
    "c:out.md",
    "..\\out.md",
    "a\\b.md",
    "a\0.md",
    "a//b.md",
    "./a.md",
    " /a.md",
    "",
    "a/",
    "line\nbreak.md",
    "\udcff.md",
]


def unzip(data: bytes, destination: Path, *, name: str = "the archive") -> list[Failed]:
    return unzip_from(io.BytesIO(data), destination, name=name)


def archive(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return buffer.getvalue()


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


FILES = {
    "top.md": b"top",
    "vault/中文.TXT": "笔记".encode(),
    "vault/x.png": b"x",
    "vault/.obsidian/y.md": b"y",
    "__MACOSX/z.md": b"z",
    "a/node_modules/readme.md": b"z",
}
NOTES = {name: FILES[name] for name in ("top.md", "vault/中文.TXT")}


def test_notes_are_written_and_nothing_else(tmp_path: Path) -> None:
    loose, zipped = tmp_path / "loose", tmp_path / "zipped"
    unpack(FILES.items(), loose)
    unzip(archive({**FILES, "vault/": b""}), zipped)
    assert tree(loose) == tree(zipped) == NOTES
    assert [file.path for file in plan("base", loose, [], upload="upload").added] == list(NOTES)


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_lead_out_refuse_the_upload(tmp_path: Path, name: str) -> None:
    staging = tmp_path / "staging"
    with pytest.raises(SourceError, match="so nothing was imported") as caught:
        unpack([("good.md", b"x"), (name, b"evil")], staging)
    str(caught.value).encode("utf-8")
    assert set(tree(tmp_path)) == {"staging/good.md"}


@pytest.mark.parametrize("name", ["../out.md", "/out.md", "a/../../out.md", "C:/out.md", "..\\out.md", "a\\..\\b.png"])
def test_zip_slip_is_refused_before_anything_is_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match="so nothing was imported"):
        unzip(archive({"good.md": b"x", name: b"evil"}), tmp_path / "staging")
    assert tree(tmp_path) == {}


def test_zip_name_with_nul_is_refused(tmp_path: Path) -> None:
    data = archive({"evilX.md": b"x"}).replace(b"evilX.md", b"evil\0.md")
    with pytest.raises(SourceError, match="nothing was imported"):
        unzip(data, tmp_path)


def test_files_of_one_name_are_all_written(tmp_path: Path) -> None:
    unpack([("a.md", b"1"), ("a.md", b"2"), ("b/a.md", b"3")], tmp_path)
    unzip(archive({"a.md": b"4", "b/a.md": b"5"}), tmp_path)
    assert tree(tmp_path) == {"a.md": b"1", "a 2.md": b"2", "a 3.md": b"4", "b/a.md": b"3", "b/a 2.md": b"5"}


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"a\.md/b\.md: This file can't be written"):
        unpack([("a.md", b"1"), ("a.md/b.md", b"2")], tmp_path)


@pytest.mark.parametrize("encoding", ["gbk", "utf-8"])
@pytest.mark.parametrize("name", ["笔记/线性回归.md", "你好.md"])
def test_zip_names_without_the_utf8_flag(tmp_path: Path, encoding: str, name: str) -> None:
    raw = name.encode(encoding)
    placeholder = b"?" * len(raw)
    data = archive({placeholder.decode(): b"x"}).replace(placeholder, raw)
    unzip(data, tmp_path)
    assert set(tree(tmp_path)) == {name}


def test_western_zip_names(tmp_path: Path) -> None:
    data = archive({"caf?.md": b"x"}).replace(b"caf?", "café".encode("cp437"))
    unzip(data, tmp_path)
    assert set(tree(tmp_path)) == {"café.md"}


def test_linked_members_are_skipped(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")
        made.writestr("real.md", "x")
    unzip(buffer.getvalue(), tmp_path)
    assert set(tree(tmp_path)) == {"real.md"}


def test_bomb_is_stopped_while_it_unpacks(tmp_path: Path) -> None:
    bomb = archive({"a.md": b"a" * (64 * 1024 * 1024)})
    assert len(bomb) < 100_000
    with pytest.raises(SourceError, match="far more data than notes should"):
        unzip(bomb, tmp_path, name="bomb.zip")
    assert (tmp_path / "a.md").stat().st_size <= upload.MAX_RATIO * len(bomb) + upload.RATIO_FLOOR


def test_small_repetitive_archives_are_no_bomb(tmp_path: Path) -> None:
    unzip(archive({"a.md": b"a" * 1_000_000}), tmp_path)
    assert set(tree(tmp_path)) == {"a.md"}


def test_a_lying_size_in_the_header_does_not_help(tmp_path: Path) -> None:
    body = b"a" * (32 * 1024 * 1024)
    bomb = archive({"a.md": body}).replace(struct.pack("<I", len(body)), struct.pack("<I", 10))
    with pytest.raises(SourceError):
        unzip(bomb, tmp_path)
    assert sum(map(len, tree(tmp_path).values())) < len(body)


def test_limits_count_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "MAX_ENTRIES", 3)
    with pytest.raises(SourceError, match="more than 3 files"):
        unzip(archive({f"{i}.png": b"" for i in range(4)}), tmp_path)
    with pytest.raises(SourceError, match="far more"):
        unpack([(f"{i}.md", b"x") for i in range(4)], tmp_path)
    monkeypatch.setattr(upload, "MAX_UNPACKED", 10)
    with pytest.raises(SourceError, match="far more"):
        unzip(archive({"a.md": b"123456", "b.md": b"123456"}), tmp_path / "zip")
    with pytest.raises(SourceError, match="far more"):
        unpack([("x.md", b"123456"), ("y.png", b"123456")], tmp_path)


def test_encrypted_files_of_an_archive_are_named_with_what_helps(tmp_path: Path) -> None:
    data = bytearray(archive({"a.md": b"secret", "b.md": b"open"}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert [(one.path, str(one.error)) for one in unzip(bytes(data), tmp_path)] == [
        ("a.md", "This file is encrypted. Unpack the archive yourself and import the folder.")
    ]
    assert set(tree(tmp_path)) == {"b.md"}


def test_damaged_archives_say_so(tmp_path: Path) -> None:
    whole = archive({"a.md": bytes(range(256)) * 100})
    flipped = bytearray(whole)
    flipped[60] ^= 0xFF
    for data in (b"", b"no zip at all", whole[:-30], bytes(flipped)):
        with pytest.raises(SourceError, match=r"upload\.zip: This zip archive is damaged"):
            unzip(data, tmp_path / str(len(data)) / str(data[60:61]), name="upload.zip")
