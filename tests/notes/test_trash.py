"""Deleted notes are in the trash, from which they come back as they were, until they are deleted for good."""

from pathlib import Path

import pytest

from core.base.errors import NoteNotFound
from core.workspace import Workspace
from tests.notes.conftest import agree


def test_a_restored_note_has_its_edits_and_feedback(workspace: Workspace) -> None:
    note = workspace.notes.add("desk", "alpha line\n\nbeta line")
    chunk = workspace.chunks.all(note.id)[0]
    workspace.chunks.update(chunk.id, "my own words")
    edited = workspace.chunks.all(note.id)
    workspace.uses.judge("words", note.id, edited[0].id, "helpful")
    workspace.trash.put(note.id)
    assert not workspace.search("own words", mode="keyword").hits
    workspace.trash.restore([note.id])
    assert [one.text for one in workspace.chunks.all(note.id)] == [one.text for one in edited]
    assert not workspace.store.edits.all(flagged=True)
    assert workspace.search("own words", mode="keyword").hits[0].note.id == note.id
    assert [use.note_id for use in workspace.uses.judged()] == [note.id]


def test_a_note_comes_back_where_there_is_a_place(workspace: Workspace, tmp_path: Path) -> None:
    first = workspace.notes.add("desk", "one", title="Plan")
    workspace.trash.put(first.id)
    second = workspace.notes.add("desk", "two", title="Plan")
    assert second.id != first.id
    assert second.path == "Plan.md"
    workspace.trash.restore([first.id])
    assert workspace.notes.get(first.id).path == "Plan 2.md"
    with pytest.raises(NoteNotFound):
        workspace.trash.restore(["none"])

    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("alpha")
    workspace.imports.apply(workspace.imports.plan_folder(folder), confirmed=True)
    of_file = workspace.notes.find("a.md").id
    workspace.trash.put(of_file)
    (folder / "a.md").unlink()
    workspace.trash.restore([of_file])
    assert not workspace.notes.get(of_file).in_file


def test_the_trash_is_emptied_by_hand(workspace: Workspace) -> None:
    notes = workspace.notes
    ids = notes.add_many("desk", [{"body": f"text {number}"} for number in range(4)]).note_ids
    workspace.trash.put(ids[:3])
    assert {one.path for one in workspace.trash.all("desk")} == {"text 0.md", "text 1.md", "text 2.md"}
    assert workspace.trash.delete_for_good([ids[0], ids[3]]) == 1
    with pytest.raises(NoteNotFound):
        workspace.versions.all(ids[0])
    assert workspace.trash.empty() == 2
    assert [card.id for card in notes.all()] == [ids[3]]
    agree(workspace)
