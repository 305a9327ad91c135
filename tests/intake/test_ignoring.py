"""What a person or a vault leaves out isn't read, and the plan says so with the reason."""

import json
from pathlib import Path

import pytest

from core.intake.folder import scan
from core.intake.upload import unpack


def fill(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")


def paths(folder: Path) -> list[str]:
    return [file.path for file in scan(folder).files]


def left_out(folder: Path) -> dict[str, str]:
    return {one.path: str(one.error) for one in scan(folder).left_out}


def test_patterns_are_read_as_git_reads_them(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "b.tmp.md", "drafts/one.md", "drafts/two/three.md", "work/drafts/x.md", "work/keep.tmp.md")
    (tmp_path / ".tesseraignore").write_text("# mine\n/drafts/\n*.tmp.md\n!keep.tmp.md\n", encoding="utf-8")
    assert paths(tmp_path) == ["a.md", "work/drafts/x.md", "work/keep.tmp.md"]
    ours = {path: why for path, why in left_out(tmp_path).items() if "by .tesseraignore" in why}
    assert sorted(ours) == ["b.tmp.md", "drafts/"], "a folder is one entry"


def test_patterns_of_an_inner_folder_come_before_those_above(tmp_path: Path) -> None:
    fill(tmp_path, "a/x.md", "a/y.md", "b/x.md")
    (tmp_path / ".tesseraignore").write_text("x.md\n", encoding="utf-8")
    (tmp_path / "a/.tesseraignore").write_text("!x.md\n/y.md\n", encoding="utf-8")
    assert paths(tmp_path) == ["a/x.md"]
    assert left_out(tmp_path)["a/y.md"] == "This is excluded by a/.tesseraignore."


def test_the_excluded_files_of_obsidian_are_left_out(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "Templates/t.md", "Archive 2020.md", "notes/daily-1.md", ".trash/gone.md")
    (tmp_path / ".obsidian").mkdir()
    rules = {"userIgnoreFilters": ["templates/", "Archive", "/daily-\\d/", "/(a+)+b/"]}
    (tmp_path / ".obsidian/app.json").write_text(json.dumps(rules), encoding="utf-8")
    scanned = scan(tmp_path)
    assert [file.path for file in scanned.files] == ["a.md"]
    assert left_out(tmp_path) == {
        ".obsidian/": "This is hidden because its name begins with a dot.",
        ".trash/": "This is the vault's trash.",
        "Archive 2020.md": "This is excluded by Obsidian (Archive).",
        "Templates/": "This is excluded by Obsidian (templates/).",
        "notes/daily-1.md": "This is excluded by Obsidian (/daily-\\d/).",
    }
    assert [(one.path, "(a+)+b" in str(one.error)) for one in scanned.failed] == [(".obsidian/app.json", True)]


@pytest.mark.parametrize("text", ["[1, 2", "[]", '{"userIgnoreFilters": 5}', '{"userIgnoreFilters": [5, ""]}', "\0\1"])
def test_settings_of_a_vault_that_cant_be_read_leave_nothing_out(tmp_path: Path, text: str) -> None:
    fill(tmp_path, "a.md")
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian/app.json").write_text(text, encoding="utf-8")
    assert paths(tmp_path) == ["a.md"]


def test_hostile_patterns_take_no_time_and_are_named(tmp_path: Path) -> None:
    fill(tmp_path, "a" * 200 + ".md")
    (tmp_path / ".tesseraignore").write_text("*a" * 30 + "b\n" + "**/" * 20 + "b\n", encoding="utf-8")
    scanned = scan(tmp_path)
    assert len(scanned.files) == 1
    assert [str(one.error) for one in scanned.failed] == [
        "Line 1 has too many asterisks and is ignored.",
        "Line 2 has too many asterisks and is ignored.",
    ]


def test_rules_outside_of_the_folder_are_not_read(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    fill(vault, "a.md")
    (tmp_path / "rules").write_text("*\n", encoding="utf-8")
    (vault / ".tesseraignore").symlink_to(tmp_path / "rules")
    assert paths(vault) == ["a.md"]


def test_an_uploaded_vault_brings_its_rules(tmp_path: Path) -> None:
    unpack([(".tesseraignore", b"b.md\n"), ("a.md", b"x"), ("b.md", b"x")], tmp_path)
    assert paths(tmp_path) == ["a.md"]
