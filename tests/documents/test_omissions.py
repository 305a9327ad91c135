"""What a note lacks of its file is stored with it, and named wherever a person or a program meets it."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from core.base.messages import render
from core.documents import Converted
from core.documents.pdf.reading import LeftOut
from core.doors import cli
from core.doors.api import PLACE
from core.doors.api.guard import api
from core.doors.assistants import tools as notes
from core.intake import notefile
from core.model import IncompleteNote, Note, Omission, SyncReport, in_all, summed
from core.workspace import Workspace

REPORT, MINUTES, LETTER = "report.rst", "sub/minutes.org", "letter.md"
LACKS = {
    REPORT: (Omission("comment", 2, "page 3"), Omission("chart"), Omission("comment", 1, "page 9")),
    MINUTES: (Omission("chart", 2),),
}
LEFT_OUT = {
    LETTER: (Omission("character", 1, "caf�"),),
    REPORT: (Omission("comment", 3, "page 3, page 9"), Omission("chart")),
    MINUTES: (Omission("chart", 2),),
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workspace with a base of two documents and a text that lack parts, and of one that lacks none."""
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")
    monkeypatch.setattr(
        notefile,
        "convert",
        lambda data, path, **_: (Converted(f"Words of {path}\n", left_out=LACKS.get(path, ())), "a reader"),
    )
    place = tmp_path / "work"
    (place / "sub").mkdir(parents=True)
    for path in (REPORT, MINUTES):
        (place / path).write_bytes(b"text\n")
    (place / LETTER).write_bytes(b"# Letter\n\nA caf\xff " + "好 ".encode() * 50)
    (place / "whole.md").write_text("# Whole\n", "utf-8")
    with Workspace(tmp_path / "workspace") as opened:
        opened.bases.add("work", embedder="tfidf")
        yield opened


def brought(workspace: Workspace, tmp_path: Path) -> SyncReport:
    return workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "work", "work"))


def named(workspace: Workspace) -> dict[str, Note]:
    return {str(card.path): workspace.notes.get(card.id) for card in workspace.notes.all()}


def lacking(found: tuple[IncompleteNote, ...] | list[IncompleteNote]) -> dict[str, tuple[Omission, ...]]:
    return {one.path: one.left_out for one in found}


def test_the_report_names_each_file_and_what_all_lack(workspace: Workspace, tmp_path: Path) -> None:
    report = brought(workspace, tmp_path)
    assert (report.added, report.failed) == (4, ())
    assert lacking(report.incomplete) == LEFT_OUT
    assert in_all(report.incomplete) == (Omission("comment", 3), Omission("chart", 3), Omission("character", 1))
    assert {path: note.left_out for path, note in named(workspace).items() if note.left_out} == LEFT_OUT
    assert lacking(workspace.documents.incomplete("work")) == LEFT_OUT
    (tmp_path / "work" / "whole.md").write_text("# Whole again\n", "utf-8")
    again = brought(workspace, tmp_path)
    assert (again.changed, again.incomplete) == (1, ())


def test_a_text_that_is_mended_lacks_nothing(workspace: Workspace, tmp_path: Path) -> None:
    brought(workspace, tmp_path)
    (tmp_path / "work" / LETTER).write_text("# Letter\n\nA café.\n", "utf-8")
    assert brought(workspace, tmp_path).incomplete == ()
    assert LETTER not in lacking(workspace.documents.incomplete("work"))
    note = workspace.notes.add("work", "Half a w�rd", path="here.md")
    assert note.left_out == (Omission("character", 1, "w�rd"),)
    assert workspace.notes.update(note.id, body="A whole word").left_out == ()
    assert workspace.versions.revert(note.id, 1).left_out == note.left_out


def test_it_outlives_the_trash_an_archive_and_a_copy_of_the_base(workspace: Workspace, tmp_path: Path) -> None:
    brought(workspace, tmp_path)
    note = named(workspace)[REPORT]
    workspace.notes.set_fields([note.id], category="food")
    assert workspace.versions.get(note.id, 1).left_out == LEFT_OUT[REPORT]
    workspace.trash.put([note.id])
    workspace.trash.restore([note.id])
    assert named(workspace)[REPORT].left_out == LEFT_OUT[REPORT]
    workspace.archives.export("work", tmp_path / "work.zip", "zip")
    with Workspace(tmp_path / "other") as other:
        other.archives.restore(tmp_path / "work.zip", "work")
        assert lacking(other.documents.incomplete("work")) == LEFT_OUT


def test_commands_name_it(workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace.close()

    def printed(*arguments: str) -> str:
        with suppress(SystemExit):
            cli.main([*arguments, "--workspace", str(tmp_path / "workspace")])
        return capsys.readouterr().out

    lines = printed("import", str(tmp_path / "work"), "--base", "work")
    assert "4 added, 0 changed, 0 renamed, 0 removed, 0 unchanged, 0 failed, 3 incomplete\n" in lines
    assert "  letter.md: 1 character could not be read: caf�\n" in lines
    assert "  report.rst: 3 comments were not read: page 3, page 9\n" in lines
    assert printed("document", "unread", "work") == (
        "letter.md: 1 character could not be read: caf�\n"
        "report.rst: 3 comments were not read: page 3, page 9\n"
        "report.rst: 1 chart or diagram was not read\n"
        "sub/minutes.org: 2 charts or diagrams were not read\n"
    )
    assert "  2 charts or diagrams were not read\n" in printed("note", "show", MINUTES)
    told = "3 notes are missing parts of their files: letter.md, report.rst, sub/minutes.org"
    assert told in printed("doctor")
    (tmp_path / "work" / MINUTES).write_bytes(b"text again\n")
    report = json.loads(printed("import", str(tmp_path / "work"), "--base", "work", "--json"))
    part = {"kind": "chart", "count": 2, "place": "", "explanation": "2 charts or diagrams were not read"}
    assert [(one["path"], _plain(one["left_out"])) for one in report["incomplete"]] == [(MINUTES, [part])]
    assert _plain(report["missing_parts"]) == [part]


@pytest.mark.parametrize(
    ("omission", "english", "chinese"),
    [
        (Omission("page", 1, "3"), "1 page had no readable text: page 3", "1 页没有可读文字：第 3 页"),
        (
            Omission("page", 4, "2, 9–11"),
            "4 pages had no readable text: pages 2, 9–11",
            "4 页没有可读文字：第 2, 9–11 页",
        ),
        (Omission("comment", 2, "Slide 3"), "2 comments were not read: Slide 3", "2 条批注未读取：Slide 3"),
        (Omission("header", 1, "2024"), "1 header or footer was not read: 2024", "1 处页眉或页脚未读取：2024"),
        (Omission("field", 1, "2 (a)"), "1 property could not be read: line 2 (a)", "1 个属性无法读取：第 2 (a) 行"),
        (
            Omission("field", 2, "2, 3 (b)"),
            "2 properties could not be read: lines 2, 3 (b)",
            "2 个属性无法读取：第 2, 3 (b) 行",
        ),
    ],
)
def test_a_number_says_what_it_counts(omission: Omission, english: str, chinese: str) -> None:
    assert (render(omission.explanation), render(omission.explanation, "zh_CN")) == (english, chinese)


def test_programs_and_assistants_are_told(workspace: Workspace, tmp_path: Path) -> None:
    brought(workspace, tmp_path)
    workspace.set_program_access(True)
    served = Starlette(routes=[Mount(PLACE, api(lambda: workspace))])
    program = TestClient(served, headers={"Authorization": f"Bearer {workspace.access.token}"})
    note = named(workspace)[MINUTES]
    whole = program.get(f"{PLACE}/v1/notes/{note.id}").json()
    part = {"kind": "chart", "count": 2, "place": "", "explanation": "2 charts or diagrams were not read"}
    assert _plain(whole["left_out"]) == [part]
    unread = program.get(f"{PLACE}/v1/unread", params={"base": "work"}).json()
    assert [one["path"] for one in unread["incomplete"]] == [LETTER, REPORT, MINUTES]
    read = notes.note_read(workspace, note.id)
    assert isinstance(read.value, dict)
    assert read.value["left_out"] == ["2 charts or diagrams were not read"]
    assert read.remarks == ("In the note's file, 2 charts or diagrams were not read.",)
    assert notes.texts(workspace, f"tessera://work/{MINUTES}")[1:] == [*read.remarks]


def test_a_kind_of_a_later_version_is_said_too_and_a_stranger_brings_no_heap_of_them(
    workspace: Workspace, tmp_path: Path
) -> None:
    assert str(Omission("hologram", 2).explanation) == "2 parts were left out"
    many = summed(Omission("comment", 1, f"page {number}") for number in range(100_000))
    assert (len(many), many[0].count, len(many[0].place)) == (1, 100_000, 201)
    brought(workspace, tmp_path)
    note = named(workspace)[MINUTES]
    heap = [{"kind": "chart", "count": 1, "place": "p" * 1000}] * 999 + [
        {"kind": "hologram"},
        {"kind": "page", "count": -5},
    ]
    with sqlite3.connect(tmp_path / "workspace" / "notes.db") as connection:
        connection.execute("UPDATE notes SET left_out = ? WHERE id = ?", (json.dumps(heap), note.id))
    workspace.archives.export("work", tmp_path / "work.zip", "zip")
    with Workspace(tmp_path / "other") as other:
        other.archives.restore(tmp_path / "work.zip", "work")
        (left_out,) = (one.left_out for one in other.documents.incomplete("work") if one.path == MINUTES)
        assert [(one.kind, one.count, len(one.place)) for one in left_out] == [("chart", 999, 201)]


def _plain(omissions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: one[name] for name in ("kind", "count", "place", "explanation")} for one in omissions]


def test_each_running_head_is_shown_and_a_long_one_by_its_beginning() -> None:
    heads = ["All recommendations are category 2A unless otherwise indicated by the panel", "Table of contents"]
    (left_out,) = LeftOut().omissions({}, heads)
    assert (left_out.kind, left_out.count) == ("header", 2)
    assert left_out.place == "All recommendations are category 2A unless otherwise indica…; Table of contents"
