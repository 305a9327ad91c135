"""Ids that nothing has: each verb of the library raises the error of its collection, and changes nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import ChunkNotFound, NoteNotFound, RunNotFound, StoreError, UnknownChoice, VersionNotFound
from core.workspace import Workspace

NO = "nope"
Verb = Callable[[Workspace], Any]

VERBS: dict[type[Exception], dict[str, Verb]] = {
    NoteNotFound: {
        "get": lambda workspace: workspace.notes.get(NO),
        "shown": lambda workspace: workspace.texts.shown(NO),
        "resolve": lambda workspace: workspace.notes.resolve(NO),
        "update": lambda workspace: workspace.notes.update(NO, body="x"),
        "set_fields": lambda workspace: workspace.notes.set_fields([NO], type="x"),
        "tag": lambda workspace: workspace.notes.tag([NO], add=["x"]),
        "archive": lambda workspace: workspace.notes.archive([NO]),
        "delete": lambda workspace: workspace.trash.put(NO),
        "delete some": lambda workspace: workspace.trash.put([workspace.notes.all()[0].id, NO]),
        "delete for good": lambda workspace: workspace.trash.delete_for_good([NO]),
        "restore": lambda workspace: workspace.trash.restore([NO]),
        "take back": lambda workspace: workspace.trash.take_back(NO),
        "history": lambda workspace: workspace.versions.all(NO),
        "export": lambda workspace: workspace.files.export(NO, Path()),
        "linking": lambda workspace: workspace.notes.linking(NO),
        "file_text": lambda workspace: workspace.files.text(NO),
        "rename": lambda workspace: workspace.renames.rename(NO, "x"),
        "chunks of": lambda workspace: workspace.chunks.all(NO),
        "chunk add": lambda workspace: workspace.chunks.add(NO, 0, 1),
        "original": lambda workspace: workspace.documents.original(NO),
        "convert": lambda workspace: workspace.documents.convert(NO),
        "proposal": lambda workspace: workspace.proposals.get(NO),
        "use": lambda workspace: workspace.uses.report(NO, "x"),
        "related": lambda workspace: workspace.related.of(NO),
        "why not": lambda workspace: workspace.searching.why_not("x", NO),
    },
    VersionNotFound: {
        "at": lambda workspace: workspace.versions.get(NO, 1),
        "revert": lambda workspace: workspace.versions.revert(NO, 1),
    },
    ChunkNotFound: {
        "update": lambda workspace: workspace.chunks.update(NO, "x"),
        "delete": lambda workspace: workspace.chunks.delete(NO),
        "restore": lambda workspace: workspace.chunks.restore(NO),
        "split": lambda workspace: workspace.chunks.split(NO, 1),
        "notes of": lambda workspace: workspace.chunks.notes_of([NO]),
    },
    RunNotFound: {
        "results": lambda workspace: workspace.runs.results(NO),
        "measured": lambda workspace: workspace.runs.measured([NO]),
        "resume": lambda workspace: workspace.runs.resume(NO),
        "delete": lambda workspace: workspace.runs.delete_for_good([NO]),
    },
    UnknownChoice: {
        "base": lambda workspace: workspace.bases.get(NO),
        "base update": lambda workspace: workspace.bases.update(NO, description="x"),
        "base rename": lambda workspace: workspace.bases.rename(NO, "x"),
        "base delete": lambda workspace: workspace.bases.delete(NO),
        "pending": lambda workspace: workspace.pending.count(NO),
        "questions": lambda workspace: workspace.question_sets.get(NO, "x"),
        "pack": lambda workspace: workspace.packs.upgrade(NO),
        "thread": lambda workspace: workspace.threads.get(NO),
        "threads": lambda workspace: workspace.threads.delete_for_good([NO]),
        "backup": lambda workspace: workspace.backups.get(NO),
    },
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        with Workspace(tmp_path_factory.mktemp("ids") / "workspace") as workspace:
            workspace.bases.add("work")
            workspace.notes.add("work", "The garden needs water.", title="Garden")
            yield workspace


@pytest.mark.parametrize(
    ("error", "verb"),
    [
        pytest.param(error, verb, id=f"{error.__name__} {name}")
        for error, verbs in VERBS.items()
        for name, verb in verbs.items()
    ],
)
def test_an_unknown_id_raises_the_error_of_its_collection(
    workspace: Workspace, error: type[StoreError], verb: Verb, tmp_path: Path
) -> None:
    with pytest.raises(error, match=NO):
        verb(workspace)
    assert [card.title for card in workspace.notes.all()] == ["Garden"]
    assert [base.name for base in workspace.bases.all()] == ["work"]


def test_the_source_of_the_design_is_taken(workspace: Workspace) -> None:
    note = workspace.notes.add("work", "By hand.", title="Hand", source="user")
    assert note.source == workspace.notes.get(note.id).source == "manual"
    workspace.trash.put(note.id)
