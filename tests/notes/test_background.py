"""A write without `embed` leaves its chunks pending; a workspace that indexes in the background embeds them itself."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from core.model import IndexedChunks, Progress, Submission
from core.workspace import Workspace

TEXT = "The basil wants water.\n"


def merge(workspace: Workspace, note_id: str) -> None:
    new = workspace.notes.add("garden", "Also sun.", title="Sun", status="pending", embed=False)
    (matter,) = workspace.review.all(kinds=["note"])
    assert matter.note_id == new.id
    workspace.review.merge(matter, note_id)


def accept(workspace: Workspace, note_id: str) -> None:
    workspace.proposals.update(note_id, body="Two cans of water.")
    (waiting,) = workspace.proposals.all()
    assert isinstance(waiting, Submission)
    workspace.proposals.accept([waiting], embed=False)


def bring_back(workspace: Workspace, note_id: str) -> None:
    workspace.trash.put(note_id)
    workspace.trash.restore([note_id], embed=False)


WRITES: dict[str, Callable[[Workspace, str], object]] = {
    "add": lambda workspace, _: workspace.notes.add("garden", "Mint.", embed=False),
    "update": lambda workspace, note_id: workspace.notes.update(note_id, body="Less water.", embed=False),
    "copy": lambda workspace, note_id: workspace.notes.copy(note_id, embed=False),
    "restore": bring_back,
    "accept": accept,
    "merge": merge,
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_write_starts_the_job_that_embeds_it(workspace: Workspace, write: Callable[[Workspace, str], object]) -> None:
    note = workspace.notes.add("garden", TEXT, title="Basil", author="person")
    workspace.index_in_background()
    assert workspace.jobs.find("embed") is None, "nothing waits"
    write(workspace, note.id)
    job = workspace.jobs.wait("embed", 30)
    assert job is not None
    assert (job.state, job.quiet) == ("done", False)
    assert not workspace.pending.any()


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_elsewhere_a_write_only_leaves_its_chunks_pending(
    workspace: Workspace, write: Callable[[Workspace, str], object]
) -> None:
    note = workspace.notes.add("garden", TEXT, title="Basil", author="person", embed=False)
    write(workspace, note.id)
    assert workspace.pending.any()
    assert workspace.jobs.all() == []


def test_the_job_embeds_once_the_models_are_loaded_while_the_index_is_opened(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Event()
    workspace.notes.add("garden", TEXT, embed=False)
    workspace.jobs.start("warm", lambda progress: opened.wait(30))
    workspace.index_in_background()
    workspace.jobs.wait("embed", 1)
    assert workspace.jobs.running("embed")
    monkeypatch.setattr(type(workspace.models), "loaded", True)
    job = workspace.jobs.wait("embed", 20)
    assert job is not None
    assert (job.state, workspace.jobs.running("warm")) == ("done", True)
    opened.set()


def test_what_is_embedded_at_once_starts_no_job(workspace: Workspace) -> None:
    workspace.index_in_background()
    note = workspace.notes.add("garden", TEXT)
    workspace.notes.update(note.id, body="Two cans of water.")
    workspace.proposals.update(note.id, body="Three cans of water.")
    workspace.proposals.accept(workspace.proposals.all())
    assert workspace.jobs.find("embed") is None
    assert not workspace.pending.any()


def test_a_title_is_embedded_at_once_too(workspace: Workspace) -> None:
    note = workspace.notes.add("garden", TEXT, title="Basil")
    workspace.notes.update(note.id, title="Herbs")
    assert not workspace.pending.any()
    workspace.notes.set_fields([note.id], title="Spices")
    assert not workspace.pending.any()
    workspace.versions.revert(note.id, note.version)
    assert workspace.notes.get(note.id).title == "Basil"
    assert not workspace.pending.any()


def test_the_job_starts_once_the_whole_write_is_stored(workspace: Workspace) -> None:
    workspace.index_in_background()
    with workspace.store.changing, workspace.store.database.write():
        for number in range(3):
            workspace.notes.add("garden", f"Bed {number}.", embed=False)
            assert workspace.jobs.find("embed") is None
    job = workspace.jobs.wait("embed", 30)
    assert job is not None
    assert job.result == 3


def test_a_write_that_outlasts_the_closing_starts_no_job(workspace: Workspace) -> None:
    workspace.index_in_background()
    with ThreadPoolExecutor() as other, workspace.store.changing:
        workspace.notes.add("garden", "Mint.", embed=False)
        other.submit(workspace.close).result(30)
    assert workspace.jobs.all() == []


def test_a_write_during_other_embedding_is_embedded_after_it(workspace: Workspace) -> None:
    workspace.notes.add("garden", TEXT)
    workspace.index_in_background()
    gate, again = Event(), []

    def embed_again(_: Progress) -> IndexedChunks:
        again.append("garden")
        assert gate.wait(30)
        return IndexedChunks(workspace.pending.embed_again("garden"))

    workspace.jobs.start("embed", embed_again)
    workspace.notes.add("kitchen", "Mint.", embed=False)
    gate.set()
    job = workspace.jobs.wait("embed", 30)
    assert job is not None
    assert (again, job.state, job.result) == (["garden"], "done", 2)
    assert not workspace.pending.any()


def test_an_import_indexes_its_notes_and_a_watched_one_quietly(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "basil.md").write_text(TEXT, encoding="utf-8")
    workspace.index_in_background()
    workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"), embed=False)
    job = workspace.jobs.wait("embed", 30)
    assert job is not None
    assert (job.result, job.quiet) == (1, False)
    workspace.jobs.forget("embed")
    (folder / "mint.md").write_text("Mint.\n", encoding="utf-8")
    workspace.watching.look()
    job = workspace.jobs.wait("embed", 30)
    assert job is not None
    assert (job.result, job.quiet) == (1, True)
