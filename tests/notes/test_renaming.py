"""A note that gets another title takes its file and the links to it along, and one step takes all of it back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import Conflict
from core.markdown.body import look_into
from core.model import Note
from core.workspace import Workspace

FILES = {
    "Garden.md": "# Garden\n\nBeds. See [[Garden#Beds]] and [map](maps/map.md).\n",
    "maps/map.md": 'Of the [[Garden|beds]], [here](../Garden.md#beds "x"), ![[garden]], `[[Garden]]`.\n'
    "\n    [[Garden]]\n\n- [<b>](<../Garden.md>)\n\n| a |\n|---|\n| [[Garden\\|g]] |\n\n[g]: ../Garden.md\n\n[g]\n",
    "other.md": "No link: \\[[Garden]], [[Gardens]], [web](https://Garden.md).\n",
}
RENAMED = {
    "Orchard & more.md": "# Orchard & more\n\nBeds. See [[Orchard & more#Beds]] and [map](maps/map.md).\n",
    "maps/map.md": 'Of the [[Orchard & more|beds]], [here](../Orchard%20&%20more.md#beds "x"), ![[Orchard & more]], '
    "`[[Garden]]`.\n\n    [[Garden]]\n\n- [<b>](<../Orchard & more.md>)\n\n| a |\n|---|\n| [[Orchard & more\\|g]] |\n"
    "\n[g]: ../Orchard%20&%20more.md\n\n[g]\n",
    "other.md": FILES["other.md"],
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        file = tmp_path / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "vault"


@pytest.fixture
def workspace(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    for name, value in {"TESSERA_EMBEDDER": "tfidf", "TESSERA_INDEX__KIND": "none"}.items():
        monkeypatch.setenv(name, value)
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.notes.apply(workspace.notes.plan_folder(vault, "vault"), embed=False)
        workspace.bases.update("vault", write_files=True)
        yield workspace


def texts(vault: Path) -> dict[str, str]:
    files = (file for file in vault.rglob("*") if file.is_file())
    return {file.relative_to(vault).as_posix(): file.read_text(encoding="utf-8") for file in files}


def note(workspace: Workspace, path: str) -> Note:
    return workspace.notes.get(next(card.id for card in workspace.notes.all() if card.path == path))


def test_file_heading_and_links_follow_and_one_step_takes_all_back(workspace: Workspace, vault: Path) -> None:
    garden = note(workspace, "Garden.md")
    assert [one.title for one in workspace.notes.plan_rename(garden.id, "Orchard & more").linking] == ["map"]
    assert texts(vault) == FILES
    done = workspace.notes.rename(garden.id, "Orchard & more", expected_version=garden.version)
    assert texts(vault) == RENAMED
    assert workspace.notes.plan_folder(vault, "vault").is_empty
    assert workspace.notes.links().to(garden.id) == [note(workspace, "maps/map.md").id]
    assert [version.kind for version in workspace.notes.history(done.linking[0].id)] == ["update", "create"]
    workspace.notes.undo_rename(done)
    assert texts(vault) == FILES
    assert workspace.notes.get(garden.id).title == "Garden"
    assert workspace.notes.plan_folder(vault, "vault").is_empty


def test_a_file_keeps_its_name_where_the_user_wants_it(workspace: Workspace, vault: Path) -> None:
    garden = note(workspace, "Garden.md")
    done = workspace.notes.rename(garden.id, "Orchard", file=False)
    assert done.linking == ()
    assert texts(vault) == FILES | {"Garden.md": FILES["Garden.md"].replace("# Garden", "# Orchard")}


def test_what_another_program_wrote_meanwhile_is_never_lost(workspace: Workspace, vault: Path) -> None:
    garden = note(workspace, "Garden.md")
    map_file = vault / "maps" / "map.md"
    map_file.write_text(f"Written elsewhere.\n{FILES['maps/map.md']}", encoding="utf-8")
    (vault / "Orchard.md").write_text("Another note.\n", encoding="utf-8")
    done = workspace.notes.rename(garden.id, "Orchard")
    assert done.path == "Orchard 2.md"
    assert map_file.read_text(encoding="utf-8").startswith("Written elsewhere.\nOf the [[Orchard 2|beds]], [here](../")
    assert (vault / "Orchard.md").read_text(encoding="utf-8") == "Another note.\n"
    map_file.write_text("Of the [[Orchard 2]]. Written later.\n", encoding="utf-8")
    workspace.notes.take_file(done.linking[0].id)
    workspace.notes.undo_rename(done)
    assert map_file.read_text(encoding="utf-8") == "Of the [[Garden]]. Written later.\n"
    (vault / "Garden.md").write_text("# Garden\n\nChanged elsewhere.\n", encoding="utf-8")
    before = texts(vault)
    with pytest.raises(Conflict):
        workspace.notes.rename(garden.id, "Park")
    assert texts(vault) == before


def test_links_in_files_that_are_only_read_stay_and_are_named(workspace: Workspace, vault: Path) -> None:
    workspace.bases.update("vault", write_files=False)
    own = workspace.notes.add("own", "To [[Garden plan]].\n", title="Own", embed=False)
    plan = workspace.notes.add("own", "# Garden plan\n", path="plans/garden-plan", embed=False)
    file = note(workspace, "other.md")
    (vault / "other.md").write_text("To [[Garden plan]].\n", encoding="utf-8")
    workspace.notes.take_file(file.id)
    done = workspace.notes.rename(plan.id, "Orchard plan")
    assert done.path == "plans/orchard-plan.md"
    assert workspace.notes.get(own.id).body == "To [[Orchard plan]].\n"
    refused = {one.title: str(one.refusal) for one in done.linking if one.refusal}
    assert "doesn't write to files" in refused.pop("other")
    assert not refused


def test_links_follow_a_note_that_is_moved_and_its_own_links_lead_where_they_led(workspace: Workspace) -> None:
    here = workspace.notes.add("own", "[there](there.md), [[there]]\n", path="a/here", title="here", embed=False)
    there = workspace.notes.add("own", "[here](here.md#x)\n", path="a/there", title="there", embed=False)
    done = workspace.notes.move(here.id, "b/c")
    assert workspace.notes.get(here.id).body == "[there](../../a/there.md), [[there]]\n"
    assert workspace.notes.get(there.id).body == "[here](../b/c/here.md#x)\n"
    workspace.notes.undo_rename(done)
    assert workspace.notes.get(there.id).body == there.body
    assert (workspace.notes.get(here.id).body, workspace.notes.get(here.id).path) == (here.body, "a/here.md")


@pytest.mark.parametrize("title", ["50%20 off", "a`b", "AT&amp;T", "(old) plan"])
def test_addresses_lead_to_names_with_signs_of_markdown(workspace: Workspace, title: str) -> None:
    garden = note(workspace, "Garden.md")
    own = workspace.notes.add(
        "vault", "[a](Garden.md) `c`, [b](<Garden.md#x> 't'), `d`\n\n[r]: Garden.md\n\n[r]\n", title="own", embed=False
    )
    workspace.notes.rename(garden.id, title)
    own = workspace.notes.get(own.id)
    assert len(look_into(own.body, str(own.path)).links) == 3
    assert [workspace.notes.links().target(own, link) for link in own.links] == [garden.id]


def test_links_to_notes_with_the_new_name_lead_where_they_led(workspace: Workspace) -> None:
    far = workspace.notes.add("own", "far\n", path="b/plan", title="plan", embed=False)
    near = workspace.notes.add("own", "near\n", path="a/other", title="other", embed=False)
    reader = workspace.notes.add("own", "[[plan|far]], [[other]]\n", path="a/reader", title="reader", embed=False)
    workspace.notes.rename(near.id, "plan")
    assert workspace.notes.get(reader.id).body == "[[b/plan|far]], [[a/plan]]\n"
    assert workspace.notes.get(far.id) == far
