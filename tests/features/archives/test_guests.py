"""What comes from an archive brings notes, and no power over files, programs, servers or models."""

import json
import os
import re
import socket
import subprocess
import sys
import zipfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

from core.base.errors import ArchiveError, SourceError, SyncRefused, TesseraError
from core.workspace import Workspace
from tests import samples

Records = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def _light(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


@pytest.fixture
def vault(workspace: Workspace, tmp_path: Path) -> Path:
    """A folder that the base `vault` reads, with all its switches on and a note that was written here."""
    folder = samples.write(tmp_path / "vault")
    workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"))
    note = workspace.notes.add("vault", "one", title="Written here", author="person")
    workspace.notes.update(note.id, body="two", author="person")
    workspace.proposals.update(note.id, body="three", priority=1)
    workspace.bases.update("vault", write_files=True, watch=True, trusts_programs=True)
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def changed(data: bytes, changes: dict[str, Callable[[Records], object]]) -> bytes:
    """Return a zip whose records of some kinds are changed by functions."""
    stream = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            kind, text = name.partition(".")[0], old.read(name).decode()
            if kind in changes:
                records = [json.loads(line) for line in text.splitlines()]
                changes[kind](records)
                text = "".join(json.dumps(record) + "\n" for record in records)
            new.writestr(name, text)
    return stream.getvalue()


def setting(**values: object) -> Callable[[Records], object]:
    """Set fields of the first record, or of its note."""
    return lambda records: records[0].get("note", records[0]).update(values)


def test_an_archive_brings_no_folder_and_no_switch(workspace: Workspace, vault: Path) -> None:
    """The reproduction of the fault: a file of the person's, outside of any folder given here, was rewritten."""
    before = contents(vault)
    restored = workspace.archives.restore_data(workspace.archives.exported("vault", "zip"), "x.zip", "guest")
    base = workspace.bases.get("guest")
    assert (base.write_files, base.watch, base.trusts_programs) == (False, False, False)
    assert workspace.folders.all(base) == ()
    assert restored.powers.switches == ("write_files", "watch", "trusts_programs")
    assert restored.powers.folders == (str(vault),)
    notes = [workspace.notes.get(card.id) for card in workspace.notes.all() if card.base == "guest"]
    assert len(notes) == 4
    for note in notes:
        versions = [workspace.versions.get(note.id, version.number) for version in workspace.versions.all(note.id)]
        for state in (note, *versions):
            assert (state.source_ref, state.in_file, state.overridden) == ("", False, {})
    for note in notes:
        workspace.proposals.update(note.id, body="rewritten")  # what the tool note_update does
        workspace.notes.update(note.id, body="rewritten by a person")
        workspace.attachments.find(note.id, "/etc/passwd")
    assert contents(vault) == before
    assert workspace.imports.plan_folder(vault, "guest").removed == ()


def test_a_note_of_an_archive_that_names_a_file_is_no_file(workspace: Workspace, vault: Path, tmp_path: Path) -> None:
    target = tmp_path / "mine.md"
    target.write_text("my own text")
    claims = setting(
        source="folder", source_ref=str(tmp_path), path="mine.md", front="", body="my own text", extra={},
        content_hash="", overridden={"title": "x"}, body_start=0,
    )  # fmt: skip
    data = changed(workspace.archives.exported("vault", "zip"), {"notes": claims})
    workspace.archives.restore_data(data, "x.zip", "guest")
    workspace.bases.update("guest", write_files=True, trusts_programs=True)
    note_id = next(card.id for card in workspace.notes.all() if card.base == "guest" and card.path == "mine.md")
    assert workspace.proposals.update(note_id, body="theirs")
    assert workspace.attachments.find(note_id, "mine.md") is None
    assert target.read_text() == "my own text"


def test_an_archive_chooses_no_encoding_for_a_file_that_its_note_joins(workspace: Workspace, tmp_path: Path) -> None:
    """The reproduction of the fault: a file of ASCII was read, and would have been saved, in the archive's encoding."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mine.md").write_text("Plain words\n")
    workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"))
    chosen = setting(encoding={"name": "CP037", "known": "chosen"})
    data = changed(workspace.archives.exported("vault", "zip"), {"notes": chosen, "versions": chosen})
    workspace.bases.delete("vault")
    workspace.archives.restore_data(data, "x.zip", "guest")
    workspace.imports.apply(workspace.imports.plan_connection(folder, "guest"))
    (note,) = workspace.notes.all()
    assert note.in_file
    assert workspace.notes.get(note.id).encoding is None
    (folder / "mine.md").write_text("Other words\n")
    workspace.imports.apply(workspace.imports.plan_folder(folder, "guest"))
    assert workspace.notes.get(note.id).body == "Other words\n"


def test_from_the_trash_a_base_comes_back_as_it_was(workspace: Workspace, vault: Path) -> None:
    before = workspace.archives.exported("vault", "zip")
    workspace.bases.delete("vault")
    assert workspace.archives.restore_deleted("vault").own
    assert workspace.archives.exported("vault", "zip") == before
    assert workspace.bases.get("vault").write_files


@pytest.mark.parametrize("known", [True, False])
def test_a_zip_in_the_trash_that_tessera_did_not_write_is_an_archive(
    workspace: Workspace, vault: Path, known: bool
) -> None:
    workspace.bases.delete("vault")
    (trashed,) = workspace.archives.trash()
    file = workspace.store.folder / "trash" / trashed.key
    if known:  # another content under the name of one that Tessera wrote
        file.write_bytes(changed(file.read_bytes(), {"base": setting(description="other")}))
    else:
        file = file.rename(file.with_name(trashed.key.replace("-", "-0")))
    restored = workspace.archives.restore_deleted("vault")
    assert (restored.own, workspace.bases.get("vault").write_files) == (False, False)
    assert restored.powers.switches


def test_a_base_of_an_archive_cannot_leave_the_trash(workspace: Workspace, vault: Path) -> None:
    """The id of a base is in the name of its file in the trash."""
    name = "x/../../../outside"
    hostile = changed(workspace.archives.exported("vault", "zip"), {"base": setting(id=name)})
    with pytest.raises(ArchiveError, match="'id' must be"):
        workspace.archives.restore_data(hostile, "x.zip", "guest")


# connecting a folder


def test_a_folder_is_connected_to_the_notes_it_holds(workspace: Workspace, vault: Path) -> None:
    (vault / "wide.md").write_bytes(b"\xff\xfe" + "# Wide\n\n\u4e2d\u6587\n".encode("utf-16-le"))
    workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"))
    tagged = next(card.id for card in workspace.notes.all() if card.path == "wide.md")
    workspace.bases.update("vault", write_files=False)
    workspace.notes.set_fields([tagged], project="mine", tags=["own"])
    data = workspace.archives.exported("vault", "zip")
    workspace.bases.delete("vault")
    workspace.archives.restore_data(data, "x.zip", "guest")
    histories = {card.path: len(workspace.versions.all(card.id)) for card in workspace.notes.all()}
    plan = workspace.imports.plan_connection(vault, "guest")
    assert (len(plan.joined), plan.differing, plan.added, plan.removed) == (4, (), (), ())
    workspace.imports.apply(plan)
    notes = {card.path: workspace.notes.get(card.id) for card in workspace.notes.all()}
    assert {path: len(workspace.versions.all(note.id)) for path, note in notes.items()} == histories
    assert {path for path, note in notes.items() if note.in_file} == {
        str(file.relative_to(vault)) for file in contents(vault)
    }
    assert (notes["wide.md"].project, notes["wide.md"].tags) == ("mine", ("own",))
    assert notes["wide.md"].overridden == {"project": "", "tags": ()}
    assert workspace.imports.plan_folder(vault, "guest").is_empty
    assert [folder for folder, _ in workspace.folders.all(workspace.bases.get("guest"))] == [str(vault)]


def test_what_differs_is_never_taken_without_a_yes(workspace: Workspace, vault: Path) -> None:
    workspace.archives.restore_data(workspace.archives.exported("vault", "zip"), "x.zip", "guest")
    file = vault / "backups.md"
    file.write_text("another text")
    (vault / "new.md").write_text("new")
    gone = sorted(vault.iterdir())[-1]
    plan = workspace.imports.plan_connection(vault, "guest")
    assert [match.file.path for match in plan.differing] == [file.name]
    assert [added.path for added in plan.added] == ["new.md"]
    with pytest.raises(SyncRefused, match="differ"):
        workspace.imports.apply(plan)
    card = next(card for card in workspace.notes.all() if card.base == "guest" and card.path == file.name)
    before = workspace.notes.get(card.id)
    assert not before.in_file
    workspace.imports.apply(plan, confirmed=True)
    assert workspace.notes.get(card.id).body == "another text"
    last = workspace.versions.all(card.id)[1]
    assert workspace.versions.get(card.id, last.number).body == before.body
    assert gone.exists()


# models


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a request")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("form", ["zip", "json", "yaml"])
@pytest.mark.parametrize("model", ["sentence:evil/model", "openai_compatible:evil", "sentence:/etc", "unknown:x"])
def test_the_model_of_an_archive_is_a_wish(workspace: Workspace, vault: Path, form: str, model: str) -> None:
    data = workspace.archives.exported("vault", form)
    if form == "zip":
        search = {"reranker": "cross-encoder:evil/model", "limit": 7}
        data = changed(data, {"base": setting(embedder=model, search=search)})
    else:
        data = re.sub(rb'(embedder"?: "?)tfidf', rb"\1" + model.encode(), data)
    restored = workspace.archives.restore_data(data, f"x.{form}", "guest")
    base = workspace.bases.get("guest")
    assert (base.embedder, base.wish, base.search.reranker) == ("tfidf", model, None)
    assert restored.powers.reranker == ("cross-encoder:evil/model" if form == "zip" else "")
    assert str(workspace.models.asks(model))
    workspace.pending.embed("guest")
    assert workspace.search("database", bases="guest").hits
    again = workspace.archives.restore_data(workspace.archives.exported("guest", form), f"y.{form}", "again")
    assert again.base.wish == model


def test_a_switch_grants_the_wish(workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.base.registry import Entry
    from core.embedding import EMBEDDERS

    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    data = changed(workspace.archives.exported("vault", "zip"), {"base": setting(embedder="words")})
    workspace.archives.restore_data(data, "x.zip", "guest")
    workspace.switches.begin("guest", workspace.bases.get("guest").wish)
    workspace.switches.run("guest")
    assert (workspace.bases.get("guest").embedder, workspace.bases.get("guest").wish) == ("words", "")
    workspace.archives.restore_data(data, "x.zip", "other")
    assert workspace.bases.forget_wish("other").wish == ""


# values

BODY = b64encode(Random(1).randbytes(16_000_000)).decode()
"""More than 20 MB, which doesn't pack well."""
_LATEST = "9999-12-31T23:59:59-14:00"


@pytest.mark.parametrize(
    ("kind", "values", "field"),
    [
        ("notes", {"extra": {"aliases": 5}}, "aliases"),
        ("notes", {"extra": {"aliases": [{}]}}, "aliases"),
        ("notes", {"extra": {"x": [[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]}}, "extra"),
        ("notes", {"extra": {"x": "\ud800"}}, "extra"),
        ("notes", {"priority": 1_000_000}, "priority"),
        ("notes", {"priority": 2**63}, "priority"),
        ("notes", {"created_at": _LATEST}, "created_at"),
        ("notes", {"expires_at": _LATEST}, "expires_at"),
        ("notes", {"expires_at": "0001-01-01T00:00:00+14:00"}, "expires_at"),
        ("notes", {"title": "x" * 201}, "title"),
        ("notes", {"title": "\ud800"}, "title"),
        ("notes", {"front": "no front matter"}, "front"),
        ("notes", {"source_url": "javascript:alert(1)"}, "source_url"),
        ("notes", {"id": "../x"}, "id"),
        ("notes", {"path": "x" * 300}, "path"),
        ("notes", {"version": 2**62}, "version"),
        ("notes", {"version": 0}, "version"),
        ("notes", {"body": BODY}, "20 MB"),
        ("versions", {"updated_at": _LATEST}, "updated_at"),
        ("versions", {"extra": {"aliases": "x"}}, "aliases"),
        ("proposals", {"fields": {"priority": "x"}}, "priority"),
        ("proposals", {"fields": {"source_ref": "/etc"}}, "source_ref"),
        ("proposals", {"fields": {"expires_at": _LATEST}}, "expires_at"),
        ("proposals", {"note_id": "other"}, "note"),
        ("base", {"chunking": {"chunk_size": -1}}, "chunking"),
        ("base", {"search": {"limit": 10**9}}, "search"),
        ("base", {"search": {"semantic_weight": 2**63}}, "semantic_weight"),
        ("base", {"created_at": _LATEST}, "created_at"),
        ("base", {"embedder": "x\n" * 200}, "embedder"),
    ],
)  # fmt: skip
def test_a_value_that_no_note_has_is_refused_with_its_place(
    workspace: Workspace, vault: Path, kind: str, values: dict[str, Any], field: str
) -> None:
    data = changed(workspace.archives.exported("vault", "zip"), {kind: setting(**values)})
    with pytest.raises(ArchiveError) as caught:
        workspace.archives.restore_data(data, "x.zip", "guest")
    ((place, reason), *_) = caught.value.mistakes
    assert field in str(reason)
    assert kind in str(place)
    assert [base.name for base in workspace.bases.all()] == ["vault"]


@pytest.mark.parametrize("number", ["1" * 5000, "1" * 6000, "1e999", "NaN", "Infinity", "-" + "9" * 30])
@pytest.mark.parametrize("form", ["json", "zip"])
def test_a_number_that_no_row_holds_is_refused(workspace: Workspace, vault: Path, number: str, form: str) -> None:
    data = workspace.archives.exported("vault", form)
    if form == "zip":
        data = changed(data, {"notes": setting(priority="NUMBER")})
        with zipfile.ZipFile(BytesIO(data)) as old:
            files = {name: old.read(name).replace(b'"NUMBER"', number.encode()) for name in old.namelist()}
        stream = BytesIO()
        with zipfile.ZipFile(stream, "w") as new:
            for name, text in files.items():
                new.writestr(name, text)
        data = stream.getvalue()
    else:
        data = data.replace(b'"priority": 0', b'"priority": ' + number.encode(), 1)
    with pytest.raises(ArchiveError):
        workspace.archives.restore_data(data, f"x.{form}", "guest")


@pytest.mark.parametrize("line", ["one", "a, " + "x" * 200, "\x1b[2J, y"])
def test_words_that_would_stop_every_search_are_refused(workspace: Workspace, vault: Path, line: str) -> None:
    stream = BytesIO(workspace.archives.exported("vault", "zip"))
    with zipfile.ZipFile(stream) as old:
        files = {name: old.read(name) for name in old.namelist()}
    files["words/synonyms.txt"] = line.encode()
    with zipfile.ZipFile(stream, "w") as new:
        for name, text in files.items():
            new.writestr(name, text)
    with pytest.raises(ArchiveError, match=r"synonyms\.txt, line 1"):
        workspace.archives.restore_data(stream.getvalue(), "x.zip", "guest")
    assert workspace.search("database").hits


def test_records_of_another_base_are_refused(workspace: Workspace, vault: Path) -> None:
    """Uses of notes, question sets and runs that name a base or a note of the person's would be theirs."""
    mine = workspace.notes.all()[0].id
    workspace.archives.restore_data(workspace.archives.exported("vault", "zip"), "x.zip", "guest")
    use = {"note_id": mine, "chunk_id": f"{mine}:1", "used_in": "search", "context": "q", "used_at": "2026-01-01"}
    of_mine = {"id": "s", "base_id": workspace.bases.get("vault").id, "name": "s", "created_at": "2026-01-01"}
    data = workspace.archives.exported("guest", "zip")
    for kind, record in {"uses": use, "sets": {"set": of_mine, "questions": []}}.items():
        hostile = changed(data, {kind: lambda records, record=record: records.append(record)})
        with pytest.raises(ArchiveError):
            workspace.archives.restore_data(hostile, "x.zip", "third")
    assert workspace.question_sets.all("vault") == []


# sizes


_RESTORE = """
import sys
from core.doors import cli
try:
    cli.main(sys.argv[1:])
finally:
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


def restored(file: Path, tmp_path: Path) -> tuple[str, int]:
    """Restore a file in a process of its own; return what it says and its peak of memory in MB."""
    command = [sys.executable, "-c", _RESTORE, "restore", str(file), "--workspace", str(tmp_path / "other")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr, int(done.stdout.split()[-1]) // 1024


def test_256_mb_of_newlines_are_refused_at_once(workspace: Workspace, vault: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with zipfile.ZipFile(BytesIO(workspace.archives.exported("vault", "zip"))) as whole:
            for name in ("tessera.json", "base.json"):
                archive.writestr(name, whole.read(name))
        archive.writestr("ballast", os.urandom(1_500_000))  # as much as the ratio of sizes asks for
        with archive.open("notes.jsonl", "w") as member:
            for _ in range(256):
                member.write(b"\n" * 2**20)
    said, peak = restored(file, tmp_path)
    assert "contains mistakes" in said
    assert peak < 500


_HEAD = b'{"tessera": "base", "version": 1, "base": {"name": "b"}, '


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (_HEAD + b'"notes": ["' + b'\\"' * 500_000, "line 1: .*no closing quotation mark"),  # was quadratic
        (_HEAD + b'"notes": [' + b"[" * 100_000, "line 1: this is nested too deeply"),
        (_HEAD + b'"x": ' + b"[" * 100_000, "line 1: this is nested too deeply"),
        (_HEAD + b'"notes": [\n{"path": "a.md", "title": "a"}\n{"path": "b.md"}]}', "line 3: .*a comma is missing"),
        (_HEAD + b'"notes": [{"path": "a.md", "title": "a"},]}', "line 1: .*a valid value is missing"),
        (_HEAD + b'"notes": []} {}', "line 1: .*text after the end"),
        (_HEAD + b'"notes": {"a": 1}}', "this isn't a base exported by Tessera"),
        (_HEAD + b'\n"notes": [\n{"path": "\xff"}]}', "line 3: this isn't UTF-8"),
        (b"", "line 1: .*a valid value is missing"),
        (b"[]", "line 1: this isn't a base exported by Tessera"),
    ],
)
def test_a_damaged_json_document_is_refused_with_its_line(workspace: Workspace, text: bytes, reason: str) -> None:
    with pytest.raises(ArchiveError, match=reason):
        workspace.archives.restore_data(text, "x.json")
    assert workspace.bases.all() == []


@pytest.mark.parametrize("form", ["json", "yaml", "zip"])
def test_an_archive_of_a_newer_version_is_named_as_such(workspace: Workspace, form: str) -> None:
    workspace.bases.add("b")
    data = workspace.archives.exported("b", form)
    if form == "zip":
        stream = BytesIO()
        with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
            for name in old.namelist():
                text = old.read(name)
                new.writestr(name, text.replace(b"1", b"12") if name == "tessera.json" else text)
        data = stream.getvalue()
    else:
        data = data.replace(b'"version": 1', b'"version": 12', 1).replace(b"version: 1", b"version: 12", 1)
    with pytest.raises(SourceError, match=r"newer version of Tessera \(format 12.*Update Tessera"):
        workspace.archives.restore_data(data, f"x.{form}", "c")
    other_shape = b'{"tessera": "base", "version": 12, "notes": {"a": 1}}'
    with pytest.raises(SourceError, match="newer version of Tessera"):
        workspace.archives.restore_data(other_shape, "x.json", "c")
    assert [base.name for base in workspace.bases.all()] == ["b"]


def test_a_json_document_may_be_written_in_any_way(workspace: Workspace) -> None:
    text = (
        b'\xef\xbb\xbf{ "notes" :\n[ {"path": "a.md", "title": "A", "body": "\\ud83d\\ude00"}\n,\n'
        b'{\n"path": "b.md",\n"title": "B"} ] , "tessera": "base", "version": 1, "base": {"name": "b"} }\n'
    )
    workspace.archives.restore_data(text, "x.json")
    assert {note.path: workspace.notes.get(note.id).body for note in workspace.notes.all()} == {
        "a.md": "😀",
        "b.md": "",
    }


# places that are no files


def fifo(place: Path) -> Path:
    os.mkfifo(place / "fifo")
    return place / "fifo"


def a_socket(place: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(place / "s"))
    return place / "s"


def loop(place: Path) -> Path:
    (place / "loop").symlink_to("loop")
    return place / "loop"


def empty(place: Path) -> Path:
    (place / "empty").mkdir()
    return place / "empty"


@pytest.mark.parametrize(
    "made",
    [
        fifo,
        a_socket,
        loop,
        empty,
        lambda _: Path("/dev/zero"),
        lambda _: Path("/proc/sys/kernel"),
        lambda place: place / "no",
        lambda _: Path("\0"),
    ],
)
def test_what_is_no_file_is_refused_at_once(workspace: Workspace, tmp_path: Path, made: Callable[[Path], Path]) -> None:
    with pytest.raises(TesseraError):
        workspace.archives.restore(made(tmp_path))
    assert workspace.bases.all() == []


def test_a_fifo_in_a_folder_is_named(workspace: Workspace, tmp_path: Path) -> None:
    folder = samples.write(tmp_path / "vault")
    os.mkfifo(folder / "pipe.md")
    with pytest.raises(ArchiveError, match=r"pipe\.md: This is a device or a pipe"):
        workspace.archives.restore(folder)


def test_a_file_and_a_folder_of_one_name_are_exported(workspace: Workspace, vault: Path, tmp_path: Path) -> None:
    text = '{"tessera": "base", "version": 1, "base": {"name": "b"}, "notes": [%s]}'
    notes = ", ".join(json.dumps({"path": path, "title": path, "body": path}) for path in ("a.md", "a.md/b.md"))
    workspace.archives.restore_data((text % notes).encode(), "x.json")
    workspace.archives.export("b", tmp_path / "out", "markdown")
    assert {str(file.relative_to(tmp_path / "out")) for file in (tmp_path / "out").rglob("*.md") if file.is_file()} == {
        "a 2.md", "a.md/b.md",
    }  # fmt: skip
