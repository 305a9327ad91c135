"""What programs write waits until a person accepts it."""

from pathlib import Path

import pytest

from core.base.errors import Conflict, EditError, UnknownChoice
from core.model import Note, Proposal
from core.workspace import Workspace

TEXT = "The basil wants water.\n\nAnd sun.\n"


@pytest.fixture
def note(workspace: Workspace) -> Note:
    return workspace.notes.add("garden", TEXT, title="Basil", author="person", tags=["green"], embed=False)


def hits(workspace: Workspace, text: str) -> list[str]:
    return [hit.note.title for hit in workspace.search(text, mode="keyword").hits]


def done(workspace: Workspace, note_id: str) -> list[tuple[str, str]]:
    return [(version.kind, version.author) for version in workspace.versions.all(note_id)]


def propose(workspace: Workspace, note: Note, **change: object) -> Proposal:
    proposal = workspace.proposals.update(note.id, **change)  # type: ignore[arg-type]
    assert isinstance(proposal, Proposal)
    return proposal


def accept(workspace: Workspace, *notes: Note, over: int | None = None) -> None:
    workspace.proposals.accept([workspace.proposals.get(note.id) for note in notes], over=over)


def test_a_programs_note_is_pending_until_a_person_accepts_it(workspace: Workspace, note: Note) -> None:
    thyme = workspace.proposals.add("garden", "Thyme is fine.", title="Thyme", status="active")
    assert (thyme.status, hits(workspace, "thyme")) == ("pending", [])
    again = workspace.proposals.update(thyme.id, body="Thyme wants sun.", status="active", expected_version=1)
    assert isinstance(again, Note)  # its own note is changed at once, and stays pending
    assert (again.status, again.version) == ("pending", 2)
    (one,) = workspace.proposals.all()
    assert (one.note.id, one.kind, one.author, one.change) == (thyme.id, "note", "program", None)
    workspace.proposals.accept([one])
    assert (hits(workspace, "thyme"), workspace.proposals.all()) == (["Thyme"], [])
    assert done(workspace, thyme.id) == [("accept", "person"), ("update", "program"), ("create", "program")]
    with pytest.raises(EditError, match="There is nothing left to accept or reject for 'Thyme'"):
        workspace.proposals.accept([one])
    with pytest.raises(UnknownChoice, match="nowhere"):
        workspace.proposals.add("nowhere", "x")


def test_a_pending_note_that_a_person_changed_is_not_changed_by_a_program(workspace: Workspace, note: Note) -> None:
    thyme = workspace.proposals.add("garden", "Thyme.")
    workspace.notes.update(thyme.id, body="Thyme, as I know it.", author="person")
    propose(workspace, thyme, body="Thyme, otherwise.")
    assert workspace.notes.get(thyme.id).body == "Thyme, as I know it."
    assert [one.kind for one in workspace.proposals.all()] == ["change"]
    accept(workspace, thyme)
    assert [one.kind for one in workspace.proposals.all()] == ["note"]
    assert workspace.notes.get(thyme.id).body == "Thyme, otherwise."


def test_a_proposed_change_is_made_as_one_version_when_it_is_accepted(workspace: Workspace, note: Note) -> None:
    propose(workspace, note, body="The basil wants shade.\n\nAnd sun.\n", tags=["herb"], expires_at="2030-01-31")
    stored = workspace.notes.get(note.id)
    assert (stored.body, stored.version, hits(workspace, "shade")) == (TEXT, 1, [])
    one = workspace.proposals.get(note.id)
    difference = workspace.proposals.difference(one)
    assert [(piece.kind, piece.text) for piece in difference.pieces if piece.kind != "equal"] == [
        ("removed", "water"),
        ("added", "shade"),
    ]
    assert {change.name for change in difference.fields} == {"tags", "expires_at"}
    accept(workspace, note)
    now = workspace.notes.get(note.id)
    assert (now.version, now.tags, str(now.expires_at)[:10]) == (2, ("herb",), "2030-01-31")
    assert done(workspace, note.id)[0] == ("propose", "person")
    assert (hits(workspace, "shade"), hits(workspace, "water"), workspace.proposals.all()) == (["Basil"], [], [])
    workspace.versions.revert(note.id, 1)
    assert workspace.notes.get(note.id).body == TEXT


def test_later_proposals_join_the_first_and_what_changes_nothing_is_none(workspace: Workspace, note: Note) -> None:
    propose(workspace, note, body="Shade.", priority=1)
    propose(workspace, note, category="herbs", priority=2)
    assert isinstance(workspace.proposals.update(note.id, title="Basil"), Note)
    (one,) = workspace.proposals.all("garden")
    assert one.change is not None
    assert (one.change.body, one.change.fields) == ("Shade.", {"priority": 2, "category": "herbs"})
    with pytest.raises(EditError):
        workspace.proposals.update(note.id, priority="high")  # type: ignore[arg-type]
    with pytest.raises(Conflict):
        workspace.proposals.update(note.id, body="x", expected_version=7)


def test_a_note_that_was_changed_since_takes_a_change_only_over_its_version(workspace: Workspace, note: Note) -> None:
    other = workspace.notes.add("garden", "Hens.", title="Hens", author="person")
    propose(workspace, other, priority=3)
    propose(workspace, note, body="The basil wants shade.\n")
    workspace.notes.update(note.id, body="The basil is dead.\n", author="person")
    propose(workspace, note, priority=1)  # the text is still that of version 1
    assert [one.kind for one in workspace.proposals.all()] == ["change", "conflict"]
    with pytest.raises(Conflict, match="accept the change for version 2, or reject it") as conflict:
        accept(workspace, other, note)
    assert (conflict.value.stored.version, conflict.value.version) == (2, 1)
    assert workspace.notes.get(other.id).version == 1  # nothing is accepted where one of several conflicts
    with pytest.raises(Conflict):
        accept(workspace, note, over=1)
    accept(workspace, note, over=2)
    now = workspace.notes.get(note.id)
    assert (now.body, now.priority, now.version) == ("The basil wants shade.\n", 1, 3)
    assert workspace.versions.get(note.id, 2).body == "The basil is dead.\n"


def test_what_a_program_writes_after_a_person_looked_is_not_accepted(workspace: Workspace, note: Note) -> None:
    thyme = workspace.proposals.add("garden", "Thyme.", title="Thyme")
    propose(workspace, note, body="Shade.")
    seen = workspace.proposals.all()
    propose(workspace, note, body="Buy more basil.")
    workspace.proposals.update(thyme.id, body="Buy more thyme.")
    for one in seen:
        for settle in (workspace.proposals.accept, workspace.proposals.reject):
            with pytest.raises(Conflict, match="since you looked at it"):
                settle([one])
    assert workspace.notes.get(note.id).body == TEXT
    assert len(workspace.proposals.all()) == 2


def test_a_change_that_the_note_has_already_is_settled_without_a_version(workspace: Workspace, note: Note) -> None:
    propose(workspace, note, body="Shade.")
    workspace.notes.update(note.id, body="Shade.", author="person")
    accept(workspace, note, over=2)
    assert (workspace.notes.get(note.id).version, workspace.proposals.all()) == (2, [])


def test_what_is_rejected_goes_and_can_come_back(workspace: Workspace, note: Note) -> None:
    thyme = workspace.proposals.add("garden", "Thyme.", title="Thyme")
    proposal = propose(workspace, note, body="Shade.")
    workspace.proposals.reject(workspace.proposals.all())
    assert workspace.proposals.all() == []
    assert [one.version.note_id for one in workspace.trash.all()] == [thyme.id]
    assert workspace.notes.get(note.id).body == TEXT
    workspace.trash.restore([thyme.id])
    workspace.proposals.restore([proposal])
    assert [(one.note.title, one.kind) for one in workspace.proposals.all()] == [
        ("Basil", "change"),
        ("Thyme", "note"),
    ]
    workspace.trash.put([note.id])  # its change goes with it
    workspace.proposals.restore([proposal])
    workspace.trash.restore([note.id])
    assert [one.note.title for one in workspace.proposals.all()] == ["Thyme"]


def test_a_base_that_trusts_programs_has_their_changes_at_once(workspace: Workspace, note: Note) -> None:
    workspace.bases.update("garden", trusts_programs=True)
    thyme = workspace.proposals.add("garden", "Thyme.", title="Thyme")
    changed = workspace.proposals.update(note.id, body="Shade.", status="archived")
    assert isinstance(changed, Note)
    assert (thyme.status, changed.body, changed.status) == ("active", "Shade.", "archived")
    assert workspace.proposals.all() == []
    assert done(workspace, note.id)[0] == ("update", "program")


def test_a_file_takes_a_change_only_where_its_base_writes_files(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nold\n")
    workspace.imports.apply(workspace.imports.plan_folder(folder))
    (card,) = workspace.notes.all()
    note = workspace.notes.get(card.id)
    with pytest.raises(EditError, match="isn't allowed to change files"):
        workspace.proposals.update(note.id, body="# A\n\nnew\n")
    propose(workspace, note, priority=2)  # a field is the person's over the file's
    accept(workspace, note)
    assert workspace.notes.get(note.id).overridden == {"priority": 0}
    workspace.bases.update("vault", write_files=True)
    propose(workspace, note, body="# A\n\nnew\n")
    accept(workspace, note)
    assert (folder / "a.md").read_text().endswith("# A\n\nnew\n")
    propose(workspace, note, body="# A\n\nnewest\n")
    (folder / "a.md").write_text("# A\n\nby hand\n")
    with pytest.raises(Conflict, match="another program"):
        accept(workspace, note)
    workspace.files.read(note.id)
    assert workspace.proposals.get(note.id).kind == "conflict"
    accept(workspace, note, over=workspace.notes.get(note.id).version)
    assert (folder / "a.md").read_text() == "# A\n\nnewest\n"


def test_a_deleted_or_exported_base_comes_back_with_what_waits(
    workspace: Workspace, note: Note, tmp_path: Path
) -> None:
    workspace.proposals.add("garden", "Thyme.", title="Thyme")
    propose(workspace, note, body="Shade.", expires_at="2030-01-31", supersedes=["Hens"])
    archive = workspace.archives.export("garden", tmp_path / "garden.zip", form="zip")
    workspace.archives.restore(archive, "copy")  # with other ids, for both are there
    workspace.bases.delete("garden")
    workspace.archives.restore_deleted("garden")
    assert [(one.note.base, one.note.title, one.kind) for one in workspace.proposals.all("copy")] == [
        ("copy", "Thyme", "note"),
        ("copy", "Basil", "change"),
    ]
    workspace.proposals.accept(workspace.proposals.all())
    for card in workspace.notes.all():
        if card.title == "Basil":
            now = workspace.notes.get(card.id)
            assert (now.body, now.supersedes, str(now.expires_at)[:10]) == ("Shade.", ("Hens",), "2030-01-31")


def test_a_kill_between_the_change_and_the_end_leaves_no_proposal(workspace: Workspace, note: Note) -> None:
    """The version and the end of its proposal are one transaction, in the text's path as in the fields'."""
    database = workspace.store.database
    for change in ({"body": "Shade."}, {"priority": 4}):
        propose(workspace, note, **change)

        def refused(_: str) -> None:
            raise EditError("stopped")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(workspace.store.proposals, "drop", refused)
            with pytest.raises(EditError):
                accept(workspace, note)
        before = workspace.notes.get(note.id).version
        assert database.value("SELECT count(*) FROM proposals") == 1
        accept(workspace, note)
        assert workspace.notes.get(note.id).version == before + 1
