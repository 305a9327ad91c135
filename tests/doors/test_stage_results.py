"""The result of an operation on a stage of the pipeline is equal after its way as JSON from the app to a command."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.base.codec import encode
from core.doors import remote as wire
from core.doors.registry import OPERATIONS
from core.model import no_progress
from core.operations.declaring import PERSON
from core.workspace import Workspace
from tests import samples

NOTE = {"note": "Heron"}
NOTES = {"notes": ["Heron"]}
STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("base.makes", {"folder": "{vault}"}),
    ("base.import", {"folder": "{vault}", "dry_run": True}),
    ("base.import", {"folder": "{vault}"}),
    ("base.scan", {}),
    ("base.new", {"name": "mine", "search": {"limit": 5}, "watch": True}),
    ("base.change", {"base": "mine", "description": "Birds", "read_pictures": True}),
    ("base.list", {}),
    ("base.show", {"base": "vault"}),
    ("base.cost", {"base": "vault", "chunking": {"chunk_size": 256}}),
    ("base.rechunk", {"base": "vault", "chunk_size": 256}),
    ("base.connect", {"base": "mine", "folder": "{other}", "dry_run": True}),
    ("base.connect", {"base": "mine", "folder": "{other}"}),
    ("status.show", {}),
    ("note.new", {"base": "mine", "title": "Heron", "body": "Waits.", "tags": ["a"], "metadata": {"mood": "calm"}}),
    ("note.update", NOTE | {"body": "Waits\nhere.", "tags": ["a", "b"], "priority": 3, "expires_at": "2026-05-01"}),
    ("note.set", NOTES | {"category": "bird"}),
    ("note.list", {"filters": ["tag:a"]}),
    ("note.show", NOTE),
    ("note.show", {"note": "Diary"}),
    ("note.export", NOTE),
    ("note.version", NOTE | {"number": 1}),
    ("note.history", NOTE),
    ("note.diff", NOTE | {"first": 1, "second": 2}),
    ("note.revert", NOTE | {"number": 1}),
    ("note.waiting", {}),
    ("note.proposed", {"note": "Stork"}),
    ("note.proposed", NOTE),
    ("note.accept", {"notes": ["Stork"]}),
    ("note.reject", NOTES),
    ("note.archive", NOTES),
    ("note.restore", NOTES),
    ("note.delete", NOTES),
    ("note.trash", {}),
    ("note.restore_one", NOTE),
    ("note.delete_one", NOTE),
    ("document.converters", {}),
    ("document.unread", {"base": "vault"}),
    ("document.encodings", {"note": "korean"}),
    ("document.read_as", {"note": "korean", "encoding": "EUC-KR"}),
    ("document.pictures", {}),
    ("document.original", {"note": "Garden"}),
    ("document.convert", {"note": "Garden"}),
    ("chunk.list", {"note": "Garden"}),
    ("chunk.add", {"note": "Garden", "text": "More."}),
    ("chunk.index", {"notes": ["Garden"]}),
    ("chunk.preview", {"file": "{vault}/backups.md", "embedder": "tfidf", "compare": "recursive"}),
    ("index.embed", {"base": "vault"}),
    ("index.refused", {}),
    ("index.rebuild", {}),
    ("model.list", {}),
    ("model.tokens", {"base": "vault", "keep": "off"}),
    ("base.rename", {"base": "mine", "new_name": "birds"}),
    ("base.delete", {"base": "birds"}),
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("stages")
    vault = samples.write(folder / "vault")
    (vault / "diary.md").write_text("---\nlist: [1, {a: b}]\n---\n# Diary\n\nA heron ![p](missing.png) stood.\n")
    (vault / "korean.txt").write_bytes("회의 기록 그리고 다른 말".encode("euc-kr"))
    (vault / "page.html").write_text("<html><h1>Garden</h1><p>Tomatoes need sun.</p><nav>menu</nav></html>")
    (vault / "scan.pdf").write_bytes(b"%PDF-1.4 broken")
    (folder / "other").mkdir()
    (folder / "other" / "new.md").write_text("# New\n")
    (folder / "texts" / "faq" / "texts").mkdir(parents=True)
    (folder / "texts" / "faq" / "texts" / "a.txt").write_text("A line\n")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"EMBEDDER": "tfidf", "INDEX__KIND": "none", "KNOWLEDGE__ENABLED": "true"}.items():
            patch.setenv(f"TESSERA_{name}", value)
        patch.setenv("TESSERA_KNOWLEDGE__BASE_DIR", str(folder / "texts"))
        with Workspace(folder / "workspace") as opened:
            yield opened


def test_results_are_equal_after_their_way_as_json(workspace: Workspace) -> None:
    folder = workspace.store.folder.parent
    for name, given in STEPS:
        if name == "note.waiting":
            workspace.proposals.add("mine", "A stork.", title="Stork")
            workspace.proposals.update(_id(workspace, "Heron"), body="Two.", tags=("x",), priority=7)
        operation = OPERATIONS[name]
        arguments = {key: _filled(value, folder) for key, value in given.items()}
        result = operation.run(workspace, PERSON, arguments, no_progress)
        _, value = wire.read(wire.line("answer", encode(result)))
        assert operation.decode(value) == result, name
        assert value.keys() == operation.answer.__annotations__.keys(), name


def _id(workspace: Workspace, title: str) -> str:
    return workspace.notes.all(text=title)[0].id


def _filled(value: Any, folder: Path) -> Any:
    if isinstance(value, str) and value.startswith("{"):
        return Path(value.format(vault=folder / "vault", other=folder / "other"))
    return value


@pytest.mark.skipif(os.name == "nt", reason="names of files are Unicode there")
def test_a_name_that_is_no_text_is_returned_too(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "\udcff.md").write_text("# Odd\n")
    (tmp_path / "\udcff.xyz").write_text("odd")
    operation = OPERATIONS["base.import"]
    result = operation.run(workspace, PERSON, {"folder": tmp_path, "base": "odd"}, no_progress)
    _, value = wire.read(wire.line("answer", encode(result)))
    assert operation.decode(value) == result
