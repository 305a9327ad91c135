"""`tessera note`: a note's life from the command line."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.base.registry import Entry
from core.doors import cli
from core.embedding import EMBEDDERS
from core.intake.encoding import MAX_BYTES
from core.workspace import Workspace


class Terminal(io.StringIO):
    """A stdin that a person types into."""

    def isatty(self) -> bool:
        return True


class Shell:
    """Runs commands in one workspace."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._capsys = capsys
        self._patch = patch

    def run(self, *arguments: object, stdin: bytes | None = b"") -> Any:
        """Return what a command prints with --json; of a failure its status and sentence."""
        code, out, error = self._ended([*map(str, arguments), "--json"], stdin)
        return json.loads(out) if not code else (code, json.loads(error.splitlines()[-1])["error"])

    def say(self, *arguments: object) -> str:
        """Return what a command prints for people."""
        return self._ended([*map(str, arguments)], b"")[1]

    def _ended(self, arguments: list[str], stdin: bytes | None) -> tuple[int, str, str]:
        self._patch.setattr(sys, "stdin", Terminal() if stdin is None else io.TextIOWrapper(io.BytesIO(stdin)))
        code = 0
        try:
            cli.main(["note", *arguments, "--workspace", str(self.folder)])
        except SystemExit as end:
            code = int(end.code or 0)
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    return Shell(tmp_path / "workspace", capsys, monkeypatch)


def test_the_life_of_a_note(shell: Shell) -> None:
    note = shell.run("new", "desk", "--title", "Plan", "--tag", "a", "--priority", "2", stdin="eins 缓存\n".encode())
    assert (note["body"], note["path"], note["tags"], note["version"]) == ("eins 缓存\n", "Plan.md", ["a"], 1)
    edited = shell.run("edit", "Plan", stdin=b"zwei\n")
    assert (edited["version"], edited["changed"]) == (2, True)
    assert shell.run("edit", "Plan", "--body", "zwei\n")["changed"] is False
    changed = shell.run("set", "Plan.md", "--add-tag", "b", "--status", "pending", "--type", "rule")["notes"][0]
    assert (changed["tags"], changed["status"], changed["type"]) == (["a", "b"], "pending", "rule")
    history = shell.run("history", note["id"])["versions"]
    assert [(one["number"], one["kind"], one["author"]) for one in history][-2:] == [
        (2, "update", "person"), (1, "create", "person"),
    ]  # fmt: skip
    difference = shell.run("diff", "Plan", 1, 2)
    assert {(one["kind"], one["text"]) for one in difference["pieces"]} >= {("removed", "eins 缓存"), ("added", "zwei")}
    assert "[-eins 缓存-]{+zwei+}" in shell.say("diff", "Plan", "1", "2")
    assert "Tags: [-a-] {+a, b+}" in shell.say("diff", "Plan")
    assert shell.run("revert", "Plan", 1)["body"] == "eins 缓存\n"
    assert shell.run("archive", "Plan") == {"archived": [note["id"]]}
    assert [one["id"] for one in shell.run("list", "status:archived")["notes"]] == [note["id"]]
    shell.run("restore", "Plan")
    assert shell.run("list", "status:archived", "--base", "desk")["notes"] == []
    assert shell.run("delete", "Plan") == {"deleted": [note["id"]], "days": 30, "folders": []}
    assert shell.run("list")["notes"] == []
    assert [one["title"] for one in shell.run("list", "--trash")["trash"]] == ["Plan"]
    assert "by you" in shell.say("list", "--trash")
    assert shell.run("show", "Plan", "--version", 2)["body"] == "zwei\n"
    shell.run("restore", "Plan")
    assert shell.run("show", "Plan")["body"] == "eins 缓存\n"
    assert "eins 缓存" in shell.say("show", "Plan.md")
    assert "restored to an earlier version  by you" in shell.say("history", "Plan")


def test_titles_are_printed_as_they_are_beside_times(shell: Shell) -> None:
    plan = shell.run("new", "Tools", "--body", "one", "--title", "The Toolbox T")
    with Workspace(shell.folder) as workspace:
        workspace.proposals.update(plan["id"], body="two")
    line = r".+\n\S+  Tools  The Toolbox T\.md  The Toolbox T  \d{4}-\d\d-\d\d \d\d:\d\d  "
    assert re.match(line, shell.say("waiting"))
    shell.run("delete", "The Toolbox T")
    assert re.match(line, shell.say("list", "--trash"))


def test_a_conflict_ends_with_1_and_its_sentence(shell: Shell) -> None:
    shell.run("new", "desk", "--body", "one", "--title", "Plan")
    shell.run("edit", "Plan", "--body", "two")
    for command in (
        ("edit", "Plan", "--body", "x", "--version", 1),
        ("set", "Plan", "--type", "x", "--version", 1),
        ("set", "Plan", "--add-tag", "x", "--version", 1),
        ("revert", "Plan", 1, "--version", 1),
    ):
        code, error = shell.run(*command)
        assert code == 1
        assert "'Plan' was changed in the meantime. The note is now at version 2" in error
    assert shell.run("show", "Plan")["version"] == 2


def test_what_programs_wrote_is_accepted_or_rejected(shell: Shell) -> None:
    plan = shell.run("new", "desk", "--body", "one two", "--title", "Plan")
    with Workspace(shell.folder) as workspace:
        workspace.proposals.update(plan["id"], body="one three")
        workspace.proposals.add("desk", "Hens lay eggs.", title="Hens")
        workspace.proposals.add("desk", "Nothing.", title="Noise")
    listed = shell.run("waiting")["waiting"]
    assert [(one["title"], one["kind"], one["author"]) for one in listed] == [
        ("Plan", "change", "program"),
        ("Hens", "note", "program"),
        ("Noise", "note", "program"),
    ]
    assert "change    by a program" in shell.say("waiting", "--base", "desk")
    assert "one [-two-]{+three+}" in shell.say("waiting", "Plan")
    assert "Hens lay eggs." in shell.say("waiting", "Hens")
    assert [one["id"] for one in shell.run("reject", "Noise")["rejected"]] == [listed[2]["id"]]
    shell.run("edit", "Plan", "--body", "one four")
    code, error = shell.run("accept", "Hens", "Plan")
    assert (code, "accept the change for version 2, or reject it" in error) == (1, True)
    accepted = shell.say("accept", "Hens", "Plan", "--over", 2).splitlines()
    assert [line.split()[-1] for line in accepted] == ["Title", "Hens", "Plan"]
    assert shell.run("show", "Plan")["body"] == "one three"
    assert [shell.run("history", "Plan")["versions"][0][name] for name in ("kind", "author")] == ["propose", "person"]
    assert shell.say("waiting") == "There is nothing to review.\n"
    assert "There is nothing left to accept or reject for 'Plan'" in shell.run("accept", "Plan")[1]
    assert shell.run("list", "--trash")["trash"][0]["title"] == "Noise"


def test_what_can_not_be_done_is_said(shell: Shell) -> None:
    shell.run("new", "desk", "--body", "one", "--title", "Plan")
    shell.run("new", "desk", "--body", "two", "--title", "Plan")
    assert shell.run("show", "Plan")[0] == 1
    assert shell.run("show", "Plan 2.md")["body"] == "two"
    assert "no note 'none'" in shell.run("delete", "none")[1]
    assert "no note 'none'" in shell.run("restore", "none")[1]
    assert "stays as it is" in shell.run("edit", "Plan.md")[1]
    assert "UTF-8" in shell.run("edit", "Plan.md", stdin=b"\xff\xfe\xff")[1]
    assert "no text and no title" in shell.run("new", "desk")[1]
    assert "Say what to set" in shell.run("set", "Plan.md")[1]
    assert "no version 9" in shell.run("revert", "Plan.md", 9)[1]


def test_a_text_is_written_in_the_editor(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.run("new", "desk", "--body", "one\r\n", "--title", "Plan")
    editor = tmp_path / "editor.py"
    editor.write_text("import sys; file = open(sys.argv[1], 'ab'); file.write(b'more'); file.close()")
    monkeypatch.setenv("EDITOR", "nothing-like-this")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {editor}")
    assert shell.run("edit", "Plan", stdin=None)["body"] == "one\r\nmore"
    code, said, where = shell._ended(["edit", "Plan", "--version", "1"], None)
    assert (code, said) == (1, "")
    lost = Path(where.splitlines()[0].removeprefix("Your text is in ").removesuffix("."))
    assert lost.read_bytes() == b"one\r\nmoremore"
    lost.unlink()
    monkeypatch.setenv("VISUAL", "")
    assert "can't be started" in shell.run("edit", "Plan", stdin=None)[1]
    monkeypatch.setenv("EDITOR", "vi '")
    assert "can't be started" in shell.run("edit", "Plan", stdin=None)[1]
    monkeypatch.setenv("EDITOR", "false")
    assert "exited with status 1" in shell.run("edit", "Plan", stdin=None)[1]
    assert shell.run("show", "Plan")["version"] == 2


def test_stdin_has_the_limit_of_a_file(shell: Shell) -> None:
    note = shell.run("new", "desk", "--title", "Plan", stdin=b"one\n")
    for command in (("new", "desk"), ("edit", "Plan")):
        code, error = shell.run(*command, stdin=b"x" * (MAX_BYTES + 1))
        assert (code, "20 MB" in error) == (1, True)
    assert [one["id"] for one in shell.run("list")["notes"]] == [note["id"]]


def test_a_note_is_shown_as_the_file_that_is_imported_as_it(shell: Shell, tmp_path: Path) -> None:
    shell.run("new", "work", "--title", "Plan", "--tag", "rust", "--priority", 2, "--body", "The search first.\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    exported = shell.run("export", "Plan")
    assert shell.say("export", "Plan") == exported["text"]
    (folder / exported["path"]).write_text(exported["text"], "utf-8")
    with Workspace(shell.folder) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder, "other"))
        [card] = workspace.notes.all(workspace.searching.filters(bases=["other"]))
        note = workspace.notes.get(card.id)
    assert (note.title, note.tags, note.priority) == ("Plan", ("rust",), 2)
    assert note.body.endswith("The search first.\n")


def test_a_note_is_exported_to_a_file_byte_for_byte(shell: Shell, tmp_path: Path) -> None:
    body = "A\ttab, \x1b[31mred\u202e, \x0c,\r\nno line's end"
    shell.run("new", "work", "--title", "Hostile", "--body", body)
    file = tmp_path / "new folder/hostile.md"
    assert "The note was written to " in shell.say("export", "Hostile", "--to", file)
    assert file.read_bytes() == shell.run("export", "Hostile")["text"].encode()
    assert file.read_bytes().endswith(body.encode())
    status, error = shell.run("export", "Hostile", "--to", file)
    assert (status, "already" in error) == (1, True)


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="each file has a name from its beginning")
@pytest.mark.parametrize("command", [["note", "export", "Plan"], ["export", "work", "--as", "json"]])
def test_a_killed_export_leaves_no_file(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    shell.run("new", "work", "--title", "Plan", "--body", "Words.")
    place = tmp_path / "out"
    script = (
        "import os, sys; from core.base import files; from core.doors import cli\n"
        "place, *arguments = sys.argv[1:]\n"
        "is_there = lambda handle: os.readlink(f'/proc/self/fd/{handle}').startswith(place)\n"
        "files.os.fsync = lambda handle: os.kill(os.getpid(), 9) if is_there(handle) else None\n"
        "cli.main(arguments)\n"
    )
    to = ["--to", str(place / "copy.json"), "--workspace", str(shell.folder)]
    done = subprocess.run([sys.executable, "-c", script, str(place), *command, *to], check=False, capture_output=True)
    assert (done.returncode, [*place.iterdir()]) == (-9, []), done.stderr


def test_the_json_of_an_exported_note_has_every_sign(shell: Shell) -> None:
    body = "A\ttab, \x1b[31mred\u202e, \x0c and no line's end"
    shell.run("new", "work", "--title", "Hostile", "--body", body)
    assert shell.run("export", "Hostile")["text"].endswith(body)
