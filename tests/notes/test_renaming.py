"""A note that gets another title takes its file and the links to it along, and one step takes all of it back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import Conflict, EditError, NotWritable
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
        workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"), embed=False)
        workspace.bases.update("vault", write_files=True)
        yield workspace


def texts(vault: Path) -> dict[str, str]:
    files = (file for file in vault.rglob("*") if file.is_file())
    return {file.relative_to(vault).as_posix(): file.read_text(encoding="utf-8") for file in files}


def note(workspace: Workspace, path: str) -> Note:
    return workspace.notes.get(next(card.id for card in workspace.notes.all() if card.path == path))


def test_file_heading_and_links_follow_and_one_step_takes_all_back(workspace: Workspace, vault: Path) -> None:
    garden = note(workspace, "Garden.md")
    assert [one.title for one in workspace.renames.plan(garden.id, "Orchard & more").linking] == ["map"]
    assert texts(vault) == FILES
    done = workspace.renames.rename(garden.id, "Orchard & more", expected_version=garden.version)
    assert texts(vault) == RENAMED
    assert workspace.imports.plan_folder(vault, "vault").is_empty
    assert workspace.notes.links().to(garden.id) == [note(workspace, "maps/map.md").id]
    assert [version.kind for version in workspace.versions.all(done.linking[0].id)] == ["update", "create"]
    workspace.renames.undo(done)
    assert texts(vault) == FILES
    assert workspace.notes.get(garden.id).title == "Garden"
    assert workspace.imports.plan_folder(vault, "vault").is_empty


def test_a_file_keeps_its_name_where_the_user_wants_it(workspace: Workspace, vault: Path) -> None:
    garden = note(workspace, "Garden.md")
    done = workspace.renames.rename(garden.id, "Orchard", file=False)
    assert done.linking == ()
    assert texts(vault) == FILES | {"Garden.md": FILES["Garden.md"].replace("# Garden", "# Orchard")}


def test_what_another_program_wrote_meanwhile_is_never_lost(workspace: Workspace, vault: Path) -> None:
    garden = note(workspace, "Garden.md")
    map_file = vault / "maps" / "map.md"
    map_file.write_text(f"Written elsewhere.\n{FILES['maps/map.md']}", encoding="utf-8")
    (vault / "Orchard.md").write_text("Another note.\n", encoding="utf-8")
    done = workspace.renames.rename(garden.id, "Orchard")
    assert done.path == "Orchard 2.md"
    assert map_file.read_text(encoding="utf-8").startswith("Written elsewhere.\nOf the [[Orchard 2|beds]], [here](../")
    assert (vault / "Orchard.md").read_text(encoding="utf-8") == "Another note.\n"
    map_file.write_text("Of the [[Orchard 2]]. Written later.\n", encoding="utf-8")
    workspace.files.read(done.linking[0].id)
    workspace.renames.undo(done)
    assert map_file.read_text(encoding="utf-8") == "Of the [[Garden]]. Written later.\n"
    (vault / "Garden.md").write_text("# Garden\n\nChanged elsewhere.\n", encoding="utf-8")
    before = texts(vault)
    with pytest.raises(Conflict):
        workspace.renames.rename(garden.id, "Park")
    assert texts(vault) == before


def test_links_in_files_that_are_only_read_stay_and_are_named(workspace: Workspace, vault: Path) -> None:
    workspace.bases.update("vault", write_files=False)
    own = workspace.notes.add("own", "To [[Garden plan]].\n", title="Own", embed=False)
    plan = workspace.notes.add("own", "# Garden plan\n", path="plans/garden-plan", embed=False)
    file = note(workspace, "other.md")
    (vault / "other.md").write_text("To [[Garden plan]].\n", encoding="utf-8")
    workspace.files.read(file.id)
    done = workspace.renames.rename(plan.id, "Orchard plan")
    assert done.path == "plans/orchard-plan.md"
    assert workspace.notes.get(own.id).body == "To [[Orchard plan]].\n"
    refused = {one.title: str(one.refusal) for one in done.linking if one.refusal}
    assert "isn't allowed to change files" in refused.pop("other")
    assert not refused


def test_links_follow_a_note_that_is_moved_and_its_own_links_lead_where_they_led(workspace: Workspace) -> None:
    here = workspace.notes.add("own", "[there](there.md), [[there]]\n", path="a/here", title="here", embed=False)
    there = workspace.notes.add("own", "[here](here.md#x)\n", path="a/there", title="there", embed=False)
    (done,) = workspace.renames.move(here.id, "b/c")
    assert workspace.notes.get(here.id).body == "[there](../../a/there.md), [[there]]\n"
    assert workspace.notes.get(there.id).body == "[here](../b/c/here.md#x)\n"
    workspace.renames.undo(done)
    assert workspace.notes.get(there.id).body == there.body
    assert (workspace.notes.get(here.id).body, workspace.notes.get(here.id).path) == (here.body, "a/here.md")


@pytest.mark.parametrize("title", ["50%20 off", "a`b", "AT&amp;T", "(old) plan"])
def test_addresses_lead_to_names_with_signs_of_markdown(workspace: Workspace, title: str) -> None:
    garden = note(workspace, "Garden.md")
    own = workspace.notes.add(
        "vault", "[a](Garden.md) `c`, [b](<Garden.md#x> 't'), `d`\n\n[r]: Garden.md\n\n[r]\n", title="own", embed=False
    )
    workspace.renames.rename(garden.id, title)
    own = workspace.notes.get(own.id)
    assert len(look_into(own.body, str(own.path)).links) == 3
    assert [workspace.notes.links().target(own, link) for link in own.links] == [garden.id]


def test_links_to_notes_with_the_new_name_lead_where_they_led(workspace: Workspace) -> None:
    far = workspace.notes.add("own", "far\n", path="b/plan", title="plan", embed=False)
    near = workspace.notes.add("own", "near\n", path="a/other", title="other", embed=False)
    reader = workspace.notes.add("own", "[[plan|far]], [[other]]\n", path="a/reader", title="reader", embed=False)
    done = workspace.renames.rename(near.id, "plan")
    assert workspace.notes.get(reader.id).body == "[[b/plan|far]], [[a/plan]]\n"
    workspace.renames.undo(done)
    assert workspace.notes.get(reader.id).body == reader.body
    assert workspace.notes.get(far.id) == far


def test_undo_gives_texts_back_that_links_could_write_in_two_ways(workspace: Workspace) -> None:
    texts = {"garden plan": "# garden plan\n\n[[own/garden plan.md|me]]\n", "reader": "[[OWN/garden plan.md]]\n"}
    plan, reader = (
        workspace.notes.add("own", body, path=f"own/{title}", title=title, embed=False) for title, body in texts.items()
    )
    done = workspace.renames.rename(plan.id, "a *b* c")
    workspace.renames.undo(done)
    assert [workspace.notes.get(item.id).body for item in (plan, reader)] == [*texts.values()]


def test_undo_goes_on_where_a_linking_file_is_gone_or_the_name_is_taken(workspace: Workspace, vault: Path) -> None:
    (vault / "second.md").write_text("[[Garden]]\n", encoding="utf-8")
    workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"), embed=False)
    done = workspace.renames.rename(note(workspace, "Garden.md").id, "Orchard")
    (vault / "maps" / "map.md").unlink()
    (vault / "Garden.md").write_text("Another note.\n", encoding="utf-8")
    (undone,) = workspace.renames.undo(done)
    assert undone.path == "Garden 2.md"
    assert [one.title for one in undone.linking if one.refusal] == ["map"]
    assert texts(vault) == {
        "Garden.md": "Another note.\n",
        "Garden 2.md": "# Garden\n\nBeds. See [[Garden 2#Beds]] and [map](maps/map.md).\n",
        "other.md": FILES["other.md"],
        "second.md": "[[Garden 2]]\n",
    }


def test_undo_changes_nothing_in_a_base_that_writes_no_files_any_more(workspace: Workspace, vault: Path) -> None:
    own = workspace.notes.add("own", "To [[Garden]].\n", title="Own", embed=False)
    done = workspace.renames.rename(note(workspace, "Garden.md").id, "Orchard")
    workspace.bases.update("vault", write_files=False)
    before = texts(vault)
    with pytest.raises(EditError, match="isn't allowed to change files"):
        workspace.renames.undo(done)
    assert texts(vault) == before
    assert workspace.notes.get(own.id).body == "To [[Orchard]].\n"


def test_a_file_that_may_only_be_read_keeps_its_name(workspace: Workspace, vault: Path) -> None:
    garden = note(workspace, "Garden.md")
    (vault / "Garden.md").chmod(0o444)
    with pytest.raises(NotWritable):
        workspace.renames.rename(garden.id, "Orchard")
    assert texts(vault) == FILES
    assert workspace.notes.get(garden.id) == garden


def test_a_link_that_leads_nowhere_or_to_the_note_takes_a_name(workspace: Workspace, vault: Path) -> None:
    garden = note(workspace, "Garden.md")
    (vault / "Orchard.md").symlink_to("nowhere.md")
    (vault / "Park.md").symlink_to("Garden.md")
    assert workspace.renames.plan(garden.id, "Orchard").path == "Orchard 2.md"
    assert workspace.renames.plan(garden.id, "Park").path == "Park 2.md"
    (vault / "Garden.md").unlink()
    assert workspace.renames.plan(garden.id, "Orchard").path == "Orchard 2.md"


def test_an_empty_title_is_refused(workspace: Workspace, vault: Path) -> None:
    with pytest.raises(EditError, match="needs a title"):
        workspace.renames.rename(note(workspace, "Garden.md").id, " ")
    assert texts(vault) == FILES


def test_undo_leaves_what_another_program_wrote_in_place_of_a_link(workspace: Workspace, vault: Path) -> None:
    (vault / "maps" / "map.md").write_text("No link any more.\n", encoding="utf-8")
    done = workspace.renames.rename(note(workspace, "Garden.md").id, "Orchard")
    assert done.linking == ()
    workspace.renames.undo(done)
    assert texts(vault) == FILES | {"maps/map.md": "No link any more.\n"}


def test_what_followed_the_old_title_follows_one_that_an_edit_gave(workspace: Workspace, vault: Path) -> None:
    garden = note(workspace, "Garden.md")
    body = garden.body.replace("# Garden", "# Orchard & more", 1)
    edited = workspace.notes.update(garden.id, body=body, author="person")
    assert edited.title == "Orchard & more"
    loose = workspace.notes.add("vault", "Home", title="Old", path="slug.md", embed=False)
    linking = workspace.notes.add("vault", "See [[Old]].", title="Plan", embed=False)
    workspace.notes.update(loose.id, title="New")

    plan = workspace.renames.plan(garden.id, edited.title, title_before="Garden")
    assert (plan.path, [one.title for one in plan.linking]) == ("Orchard & more.md", ["map"])
    done = workspace.renames.rename(garden.id, edited.title, title_before="Garden")
    assert texts(vault)["maps/map.md"] == RENAMED["maps/map.md"]
    workspace.renames.undo(done)
    assert texts(vault)["maps/map.md"] == FILES["maps/map.md"]
    assert texts(vault)["Garden.md"] == body

    assert workspace.renames.plan(loose.id, "New").linking == ()
    assert [one.title for one in workspace.renames.plan(loose.id, "New", title_before="Old").linking] == ["Plan"]
    workspace.renames.rename(loose.id, "New", title_before="Old")
    assert workspace.notes.get(linking.id).body == "See [[New]]."
    assert workspace.renames.plan(loose.id, "New", title_before="Old").linking == ()

    workspace.bases.update("vault", write_files=False)  # links by the name of the file lead there with any title
    assert workspace.renames.plan(garden.id, edited.title, title_before="Flowers").linking == ()
    assert workspace.renames.plan(garden.id, edited.title).linking
