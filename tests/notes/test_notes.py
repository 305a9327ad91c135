"""Notes are added one by one and many at once, each at a place of its own."""

import pytest

from core.base.errors import EditError
from core.workspace import Workspace


def test_many_notes_of_one_title_get_their_places_quickly(workspace: Workspace) -> None:
    looks = 0
    is_taken = workspace.store.notes.has_path

    def counted(*given: object) -> bool:
        nonlocal looks
        looks += 1
        return is_taken(*given)  # type: ignore[arg-type]

    workspace.store.notes.has_path = counted  # type: ignore[method-assign]
    workspace.notes.add_many("desk", [{"title": "Same"} for _ in range(300)], embed=False)
    assert len({card.path for card in workspace.notes.all()}) == 300
    assert looks < 300 * 20


def test_a_bad_item_is_reported_and_the_others_go_in(workspace: Workspace) -> None:
    items = [{"body": "fine"}, {"body": "x", "path": "../out.md"}, {"body": "x", "colour": "red"}, {"body": "too"}]
    added = workspace.notes.add_many("desk", items)
    assert [number for number, _ in added.failed] == [1, 2]
    assert len(added.note_ids) == 2
    with pytest.raises(EditError):
        workspace.notes.add("desk", "x", path="../out.md")
