"""Notes with two texts in the review: an upgrade of a pack that met an edit, a file that a sync program doubled."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.base.errors import Conflict, EditError, PackError
from core.model import ReviewItem, Side
from core.workspace import Workspace
from tests.features.packs.test_packs import NOTES, ids, write

MINE = "# Kettle\n\nMine: use citric acid.\n"
THEIRS = "# Kettle\n\nDescale the kettle with vinegar every week.\n"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


def waiting(workspace: Workspace) -> list[ReviewItem]:
    return workspace.review.all(kinds=("upgrade", "file"))


def passed_by(workspace: Workspace, tmp_path: Path) -> ReviewItem:
    """A kettle that a person changed, and of which the pack has another text since."""
    workspace.packs.install(write(tmp_path / "pack"))
    workspace.notes.update(ids(workspace)["kettle.md"], body=MINE, author="person")
    assert waiting(workspace) == [], "an edit alone waits for nobody"
    workspace.packs.install(write(tmp_path / "pack", "1.1", NOTES | {"kettle.md": THEIRS}))
    (one,) = waiting(workspace)
    return one


@pytest.mark.parametrize(("side", "bodies"), [("mine", {MINE}), ("theirs", {THEIRS}), ("both", {MINE, THEIRS})])
def test_a_side_of_an_upgrade_is_chosen_and_the_choice_is_undone(
    workspace: Workspace, tmp_path: Path, side: Side, bodies: set[str]
) -> None:
    one = passed_by(workspace, tmp_path)
    assert (one.kind, one.title, workspace.review.counts().total()) == ("upgrade", "Kettle", 1)
    difference = workspace.review.sides.difference(one)
    assert difference
    assert "vinegar" in "".join(piece.text for piece in difference.pieces if piece.kind == "added")
    undo = workspace.review.settle(one, side)
    kettles = {workspace.notes.get(card.id).body for card in workspace.notes.all() if card.title.startswith("Kettle")}
    assert (kettles, waiting(workspace)) == (bodies, [])
    undo()
    kettles = {workspace.notes.get(card.id).body for card in workspace.notes.all() if card.title.startswith("Kettle")}
    assert (kettles, len(waiting(workspace))) == ({MINE}, 1)


def test_a_note_follows_its_pack_again_once_that_is_taken_and_waits_again_for_another_text(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.review.settle(passed_by(workspace, tmp_path), "theirs")
    third = NOTES | {"kettle.md": THEIRS + "\nAnd rinse.\n"}
    assert workspace.packs.install(write(tmp_path / "pack", "1.2", third)).changed == 1
    kettle = ids(workspace)["kettle.md"]
    workspace.notes.update(kettle, body=MINE, author="person")
    workspace.packs.install(write(tmp_path / "pack", "1.3"))
    (one,) = waiting(workspace)
    workspace.review.settle(one, "mine")
    workspace.notes.update(kettle, body=MINE + "\nMore.\n", author="person")
    assert waiting(workspace) == [], "the person has chosen"
    gone = {path: text for path, text in NOTES.items() if path != "kettle.md"}
    workspace.packs.install(write(tmp_path / "pack", "1.4", gone))
    (one,) = waiting(workspace)
    assert workspace.review.sides.difference(one) is None
    with pytest.raises(EditError, match="no longer has"):
        workspace.review.settle(one, "both")
    undo = workspace.review.settle(one, "theirs")
    assert (kettle in ids(workspace).values(), waiting(workspace)) == (False, [])
    undo()
    assert (kettle in ids(workspace).values(), len(waiting(workspace))) == (True, 1)


def test_what_changed_meanwhile_or_is_damaged_stops_a_choice(workspace: Workspace, tmp_path: Path) -> None:
    one = passed_by(workspace, tmp_path)
    workspace.notes.update(str(one.note_id), body=MINE + "\nLater.\n", author="person")
    with pytest.raises(Conflict):
        workspace.review.settle(one, "theirs")
    (tmp_path / "pack" / "pack.toml").write_text("no")
    (one,) = waiting(workspace)
    with pytest.raises(PackError):
        workspace.review.settle(one, "theirs")
    workspace.store.database.execute("UPDATE versions SET fields = '{' WHERE author = 'pack'")
    assert waiting(workspace) == []
    assert workspace.notes.get(str(one.note_id)).body == MINE + "\nLater.\n"


Doubled = Callable[[bool], ReviewItem]


@pytest.fixture
def vault(workspace: Workspace, tmp_path: Path) -> Doubled:
    def make(writes: bool) -> ReviewItem:
        folder = tmp_path / "vault"
        folder.mkdir()
        (folder / "tea.md").write_text("# Tea\n\nThree minutes.\n")
        (folder / "tea.sync-conflict-20260301-101112-ABCDEF7.md").write_text("# Tea\n\nFour minutes.\n")
        (folder / "other.sync-conflict-20260301-101112-ABCDEF7.md").write_text("Its file is gone.\n")
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        workspace.bases.update("vault", write_files=writes)
        (one,) = waiting(workspace)
        return one

    return make


def test_a_side_of_a_doubled_file_is_chosen_and_the_choice_is_undone(
    workspace: Workspace, vault: Doubled, tmp_path: Path
) -> None:
    one, tea = vault(True), tmp_path / "vault" / "tea.md"
    assert (one.kind, one.note and one.note.path) == ("file", "tea.md")
    sides: tuple[tuple[Side, str], ...] = (("theirs", "Four"), ("mine", "Three"), ("both", "Three"))
    for side, text in sides:
        undo = workspace.review.settle(waiting(workspace)[0], side)
        assert text in tea.read_text()
        assert waiting(workspace) == []
        active = [card for card in workspace.notes.all() if card.status == "active" and "tea" in str(card.path)]
        assert len(active) == (2 if side == "both" else 1)
        assert len([*tea.parent.iterdir()]) == 3, "no file goes"
        undo()
        assert "Three" in tea.read_text()
        assert len(waiting(workspace)) == 1


def test_a_base_that_writes_no_files_keeps_the_text_of_the_file(workspace: Workspace, vault: Doubled) -> None:
    one = vault(False)
    with pytest.raises(EditError, match="isn't allowed to change files"):
        workspace.review.settle(one, "theirs")
    workspace.review.settle(one, "mine")
    assert waiting(workspace) == []
