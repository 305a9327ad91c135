"""Every operation on a note takes it by each name that a link takes, in any spelling."""

import unicodedata
from collections.abc import Iterator
from itertools import product

import pytest

from core.base.errors import NoteNotFound, QueryError
from core.doors.registry import OPERATIONS
from core.operations import names
from core.workspace import Workspace

PLACE = "Bücher/Café.md"
NAMES = {
    "path": PLACE,
    "path without suffix": "Bücher/Café",
    "end of the path, from the top": "/Bücher/Café",
    "file": "Café.md",
    "name of the file": "Café",
    "another case": "CAFÉ",
    "title": "The place in the yard",
    "title in another case": "the Place in the Yard",
    "alias": "Kaffeehaus",
}
KINDS = {
    f"{kind}, {form}": unicodedata.normalize(form, name)
    for (kind, name), form in product(NAMES.items(), ("NFC", "NFD"))
}
TAKING = {
    f"{name}: {parameter.name}": (name, parameter)
    for name, operation in OPERATIONS.items()
    for parameter in operation.parameters
    if parameter.name in ("note", "notes") and "alias" in str(parameter.about.text)
}
DELETED = ("note.restore_one",)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    place = tmp_path_factory.mktemp("names")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        patch.setenv("TESSERA_INDEX__KIND", "none")
        with Workspace(place / "workspace") as workspace:
            file = place / "vault" / unicodedata.normalize("NFD", PLACE)
            file.parent.mkdir(parents=True)
            file.write_text(
                "---\ntitle: The place in the yard\naliases: [Kaffeehaus]\n---\nCoffee.\n", encoding="utf-8"
            )
            (place / "vault" / "other.md").write_text("# Other\n\n[[Café]]\n", encoding="utf-8")
            workspace.imports.apply(workspace.imports.plan_folder(place / "vault", "vault"), embed=False)
            yield workspace


def test_there_are_operations_that_take_notes() -> None:
    assert len(TAKING) > 25


@pytest.mark.parametrize("operation", TAKING)
def test_an_operation_takes_a_note_by_each_name(workspace: Workspace, operation: str) -> None:
    name, parameter = TAKING[operation]
    several = parameter.name == "notes"
    note = next(card for card in workspace.notes.all() if "Coffee" not in card.title and card.aliases)
    if name in DELETED:
        workspace.trash.put(note.id)
    for kind, text in KINDS.items():
        if name in DELETED:
            if kind.startswith("alias"):
                continue
            assert workspace.trash.resolve(text).version.note_id == note.id, kind
            continue
        assert parameter.about.find
        found = parameter.about.find(workspace, [text] if several else text)
        assert found == ([note.id] if several else note.id), kind
    if name in DELETED:
        workspace.trash.restore([note.id], embed=False)


def test_a_link_leads_where_the_name_does(workspace: Workspace) -> None:
    links, other = workspace.notes.links(), workspace.notes.resolve("other")
    for kind, text in KINDS.items():
        assert {links.target(workspace.notes.get(other.id), text)} == links.called(text), kind


def test_several_notes_of_a_name_are_listed_and_no_more_than_a_few(workspace: Workspace) -> None:
    for number in range(2):
        workspace.notes.add("many", "A text.", path=f"{number}/Same", title=f"Title {number}", embed=False)
    with pytest.raises(QueryError, match=r"2 notes are called 'same'.*\(0/Same\.md\).*\(1/Same\.md\)"):
        workspace.notes.resolve("same")
    assert workspace.notes.resolve("1/same").path == "1/Same.md"
    for number in range(2, 14):
        workspace.notes.add("many", "A text.", path=f"{number}/Same", title=f"Title {number}", embed=False)
    with pytest.raises(QueryError, match=r"14 notes are called 'Same'.*…") as error:
        workspace.notes.resolve("Same")
    assert str(error.value).count("Same.md") == 10
    with pytest.raises(NoteNotFound):
        workspace.notes.resolve("")


def test_a_note_of_a_long_path_has_an_address(workspace: Workspace) -> None:
    workspace.bases.add("deep")
    path = "/".join(["a long name of a folder " * 8] * 7) + "/tea.md"
    made = workspace.notes.add("deep", "Three minutes.", path=path)
    assert len(made.location) > 1000
    assert names.id_of(workspace, names.address(workspace.notes.cards_of([made.id])[made.id])) == made.id
