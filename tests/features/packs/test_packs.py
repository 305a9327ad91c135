"""Packs: installed, upgraded note by note, removed; what a person changed or deleted stays so."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.base import app_paths
from core.base.errors import PackError, UnknownChoice, WorkspaceLocked
from core.features.packs import manifest
from core.store import Store
from core.workspace import Workspace

TOML = 'name = "{name}"\nversion = "{version}"\nbase = "shelf"\nlanguage = "en"\n'
NOTES = {
    "kettle.md": "# Kettle\n\nDescale the kettle with vinegar every month.\n",
    "garden/roses.md": "---\ntags: [garden]\n---\n# Roses\n\nPrune roses late in winter above an outward bud.\n",
    "bicycle.md": "# Bicycle\n\nOil the chain after every ride in the rain.\n",
}


def write(folder: Path, version: str = "1.0", notes: dict[str, str] = NOTES, name: str = "house") -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "pack.toml").write_text(TOML.format(name=name, version=version))
    for path, text in notes.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def workspace(place: Path) -> Iterator[Workspace]:
    with Workspace(place) as workspace:
        yield workspace


def ids(workspace: Workspace) -> dict[str, str]:
    return {str(card.path): card.id for card in workspace.notes.all()}


def first(workspace: Workspace, text: str) -> str:
    return str(workspace.search(text).hits[0].note.path)


def test_the_notes_of_a_pack_are_in_its_base_and_answer(workspace: Workspace, tmp_path: Path) -> None:
    report = workspace.packs.install(write(tmp_path / "pack"))
    assert (report.name, report.version, report.added, report.edited) == ("house", "1.0", 3, ())
    assert sorted(ids(workspace)) == sorted(NOTES)
    card = next(card for card in workspace.notes.all() if card.path == "garden/roses.md")
    assert (card.base, card.source, card.source_ref, card.tags) == ("shelf", "pack", "pack:house", ("garden",))
    assert card.state == "ready"
    assert first(workspace, "when do I prune roses") == "garden/roses.md"
    assert [version.author for version in workspace.versions.all(card.id)] == ["pack"]
    assert workspace.packs.install(tmp_path / "pack").unchanged == 3


def test_an_upgrade_goes_note_by_note(workspace: Workspace, tmp_path: Path) -> None:
    more = NOTES | {"lamp.md": "# Lamp\n\nThe bulb is an E14.\n", "sofa.md": "# Sofa\n\nVacuum it.\n"}
    workspace.packs.install(write(tmp_path / "pack", notes=more))
    before = ids(workspace)
    workspace.notes.update(before["kettle.md"], body="# Kettle\n\nMine: use citric acid.\n", author="person")
    workspace.notes.tag([before["sofa.md"]], add=["mine"])
    workspace.trash.put(before["bicycle.md"])
    new = {
        "kettle.md": "# Kettle\n\nDescale the kettle with vinegar every week.\n",
        "garden/roses.md": NOTES["garden/roses.md"].replace("winter", "spring"),
        "bicycle.md": "# Bicycle\n\nWax the chain.\n",
        "window.md": "# Window\n\nClean it with newspaper.\n",
    }
    report = workspace.packs.install(write(tmp_path / "pack", "1.10", new))
    assert (report.version, report.added, report.changed, report.removed) == ("1.10", 1, 1, 1)
    assert {one.path: one.offered for one in report.edited} == {"kettle.md": new["kettle.md"], "sofa.md": None}
    assert report.edited[0].own == "# Kettle\n\nMine: use citric acid.\n"
    after = ids(workspace)
    assert sorted(after) == ["garden/roses.md", "kettle.md", "sofa.md", "window.md"]
    assert all(after[path] == before[path] for path in ("garden/roses.md", "kettle.md", "sofa.md"))
    assert first(workspace, "prune in spring") == "garden/roses.md"
    assert first(workspace, "citric acid") == "kettle.md"
    roses = workspace.versions.all(after["garden/roses.md"])
    assert [(version.kind, version.author) for version in roses] == [("update", "pack"), ("create", "pack")]
    assert [one.path for one in workspace.packs.edited("house")] == ["kettle.md", "sofa.md"]
    third = workspace.packs.install(write(tmp_path / "pack", "2", new | {"bicycle.md": "# Bicycle\n\nOil it.\n"}))
    assert (third.added, third.changed, third.removed, third.edited) == (0, 0, 0, ())
    assert "bicycle.md" not in ids(workspace)


def test_a_note_that_is_as_its_pack_left_it_again_follows(workspace: Workspace, tmp_path: Path) -> None:
    workspace.packs.install(write(tmp_path / "pack"))
    kettle = ids(workspace)["kettle.md"]
    workspace.notes.update(kettle, body="# Mine\n", author="person")
    workspace.versions.revert(kettle, 1)
    workspace.trash.put(ids(workspace)["bicycle.md"])
    workspace.trash.restore([one.version.note_id for one in workspace.trash.all()])
    new = {path: text + "\nMore.\n" for path, text in NOTES.items()}
    report = workspace.packs.install(write(tmp_path / "pack", "1.1", new))
    assert (report.changed, report.edited) == (3, ())


def test_an_older_version_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    workspace.packs.install(write(tmp_path / "pack", "1.10"))
    write(tmp_path / "pack", "1.9", {"other.md": "Something else."})
    with pytest.raises(PackError, match=r"1\.9 is older"):
        workspace.packs.install(tmp_path / "pack")
    assert sorted(ids(workspace)) == sorted(NOTES)


def test_only_what_changed_is_embedded_and_an_unchanged_start_embeds_nothing(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "pack")
    with Workspace(place) as workspace:
        workspace.packs.install(tmp_path / "pack")
    texts: list[str] = []
    from core.embedding.tfidf import Tfidf

    embed = Tfidf.embed

    def counted(self: Tfidf, given: list[str], *, role: str) -> object:
        if role == "note":
            texts.extend(given)
        return embed(self, given, role=role)  # type: ignore[arg-type]

    monkeypatch.setattr(Tfidf, "embed", counted)
    with Workspace(place) as workspace:
        assert workspace.packs.upgrade("house").unchanged == 3
        assert not workspace.pending.any()
    assert texts == []
    write(tmp_path / "pack", "1.1", NOTES | {"kettle.md": "# Kettle\n\nBuy a new kettle.\n"})
    with Workspace(place) as workspace:
        assert workspace.packs.installed()[0].version == "1.1"
        assert first(workspace, "buy a new kettle") == "kettle.md"
        workspace.pending.embed_rest()
    assert len([text for text in texts if "kettle" in text.casefold()]) == len(texts) == 1


def test_a_new_workspace_has_the_chosen_packs_at_its_first_start(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_AUTO_INSTALL", '["sample"]')
    with Workspace(place) as workspace:
        (pack,) = workspace.packs.installed()
        assert (pack.name, pack.base, pack.notes) == ("sample", "sample", 20)
        assert first(workspace, "缓存穿透") == "后端与运维/Redis 缓存穿透、击穿与雪崩.md"
        workspace.packs.delete("sample")
        assert workspace.notes.all() == []
    with Workspace(place) as workspace:
        assert workspace.packs.installed() == []
        assert workspace.notes.all() == []


def test_a_pack_that_is_not_there_keeps_nobody_from_starting(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_AUTO_INSTALL", '["nothing", "sample"]')
    with Workspace(place) as workspace:
        assert [pack.name for pack in workspace.packs.installed()] == ["sample"]
        assert "no pack 'nothing'" in str(workspace.packs.problems["nothing"])


@pytest.mark.parametrize("written", [0, 1, 2, 3])
def test_an_upgrade_that_ends_early_goes_on_at_the_next_start(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    with Workspace(place) as workspace:
        workspace.packs.install(write(tmp_path / "pack"))
        workspace.notes.update(ids(workspace)["bicycle.md"], body="# Bicycle\n\nMine.\n", author="person")
    write(tmp_path / "pack", "2.0", {path: text + "\nMore.\n" for path, text in NOTES.items()} | {"new.md": "New."})
    monkeypatch.setattr("core.indexing.indexer._WRITTEN", 1)
    put, count = Store.put, iter(range(99))

    def fails(store: Store, *values: object) -> None:
        if next(count) == written:
            raise PackError("here", [])
        put(store, *values)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Store, "put", fails)
        with Workspace(place) as workspace:
            assert ("house" in workspace.packs.problems) == (written < 3)
            bodies = {str(card.path): workspace.notes.get(card.id).body for card in workspace.notes.all()}
            assert sum(body.endswith("More.\n") or body == "New." for body in bodies.values()) == written
    with Workspace(place) as workspace:
        assert workspace.packs.installed()[0].version == "2.0"
        bodies = {str(card.path): workspace.notes.get(card.id).body for card in workspace.notes.all()}
    assert sorted(bodies) == ["bicycle.md", "garden/roses.md", "kettle.md", "new.md"]
    assert bodies["bicycle.md"] == "# Bicycle\n\nMine.\n"
    assert bodies["kettle.md"].endswith("More.\n")


@pytest.mark.parametrize("lost", ["folder", "collection"])
def test_a_pack_without_its_collection_is_put_right_from_the_database(place: Path, tmp_path: Path, lost: str) -> None:
    with Workspace(place) as workspace:
        workspace.packs.install(write(tmp_path / "pack"))
        base = workspace.bases.get("shelf")
        if lost == "collection":
            workspace.store.index.drop(base)
    if lost == "folder":
        shutil.rmtree(place / "chroma")
    with Workspace(place) as workspace:
        workspace.packs.upgrade("house")
        workspace.store.index.open()
        assert workspace.store.index.problem is None
        assert len(workspace.store.index.ids(workspace.bases.get("shelf"))) == 3
        assert not workspace.pending.any()
        assert first(workspace, "oil the chain") == "bicycle.md"


def test_removing_takes_the_notes_of_the_pack_and_leaves_those_of_the_person(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.notes.add("shelf", "My own note of the shelf.", title="Own")
    workspace.packs.install(write(tmp_path / "pack"))
    before = ids(workspace)
    workspace.notes.update(before["kettle.md"], body="# Kettle\n\nMine.\n", author="person")
    assert workspace.packs.delete("house") == 1
    assert sorted(ids(workspace)) == ["Own.md", "kettle.md"]
    with pytest.raises(UnknownChoice):
        workspace.packs.upgrade("house")
    again = workspace.packs.install(tmp_path / "pack")
    assert (again.added, [one.path for one in again.edited]) == (2, ["kettle.md"])
    assert ids(workspace)["garden/roses.md"] == before["garden/roses.md"]


def test_a_bad_pack_is_refused_with_every_mistake_and_its_line(workspace: Workspace, tmp_path: Path) -> None:
    pack = write(tmp_path / "pack")
    (pack / "pack.toml").write_text('name = "../house"\n\nversion = "one"\nlanguage = 1\ncolour = "red"\n')
    (pack / "bad.md").write_bytes(b"\x00\x01\x02" * 99)
    (pack / "front.md").write_text("---\ntags: [\n---\ntext")
    outside = tmp_path / "secret.md"
    outside.write_text("a secret")
    (pack / "link.md").symlink_to(outside)
    with pytest.raises(PackError) as refused:
        workspace.packs.install(pack)
    text = str(refused.value)
    for part in (
        "line 1: the name '../house'",
        "line 3: the version 'one'",
        "line 4: 'language'",
        "line 5: 'colour' is unknown",
        "'base' is missing",
        "bad.md:",
        "front.md:",
        "link.md: This is a link that points outside the folder",
    ):
        assert part in text
    assert "a secret" not in text
    assert workspace.notes.all() == []
    assert workspace.bases.all() == []


@pytest.mark.parametrize("toml", ["name = \n", "name = [" * 9000, "\udcff", ""])
def test_a_pack_toml_that_is_none_is_refused(workspace: Workspace, tmp_path: Path, toml: str) -> None:
    pack = write(tmp_path / "pack")
    (pack / "pack.toml").write_bytes(toml.encode("utf-8", "surrogateescape"))
    with pytest.raises(PackError, match=r"pack\.toml.* line 1|isn't UTF-8"):
        workspace.packs.install(pack)


def test_a_folder_without_a_pack_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"pack\.toml"):
        workspace.packs.install(tmp_path)
    with pytest.raises(UnknownChoice, match="sample"):
        workspace.packs.install("samples")


def test_hostile_texts_of_a_pack_are_just_notes(workspace: Workspace, tmp_path: Path) -> None:
    hostile = {
        "a'); DROP TABLE notes; --.md": "'); DROP TABLE notes; -- <script>alert(1)</script>",
        "x/a..∕..∕y.md": "{title} %s {0} [[../../etc/passwd]] ![](http://evil.example/x.png)",
        '"$[0]".md': "---\ntitle: '{field}'\n---\n<img src=x onerror=alert(1)>",
    }
    workspace.packs.install(write(tmp_path / "pack", notes=hostile))
    assert sorted(ids(workspace)) == sorted(hostile)
    report = workspace.packs.install(
        write(tmp_path / "pack", "2", {path: f"{text} 2" for path, text in hostile.items()})
    )
    assert report.changed == 3


def test_a_pack_of_an_installed_package_is_found_by_its_name(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "acme_handbook"
    write(package / "notes", name="handbook")
    (package / "__init__.py").write_text("raise SystemExit('a pack runs nothing')")
    about = tmp_path / "site" / "acme_handbook-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-handbook\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[tessera.packs]\nhandbook = acme_handbook:notes\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert "handbook" in [card.name for card in workspace.packs.all()]
    assert workspace.packs.install("handbook").added == 3
    assert workspace.packs.installed()[0].folder == ""


def test_the_status_of_a_pack_is_what_sql_counts(workspace: Workspace, place: Path, tmp_path: Path) -> None:
    workspace.packs.install(write(tmp_path / "pack"))
    workspace.trash.put(ids(workspace)["kettle.md"])
    workspace.notes.add("shelf", "Not of the pack.")
    (pack,) = workspace.status().packs
    with closing(sqlite3.connect(place / "notes.db")) as connection:
        notes, chunks = connection.execute(
            "SELECT count(DISTINCT notes.id), count(*) FROM notes JOIN chunks ON note_id = notes.id"
            " WHERE source_ref = 'pack:house'"
        ).fetchone()
        version, at = connection.execute("SELECT version, checked_at FROM packs").fetchone()
    assert (pack.notes, pack.chunks, pack.version, pack.checked_at.isoformat()) == (notes, chunks, version, at)
    assert pack.notes == 2


def test_a_workspace_for_reading_changes_no_pack(place: Path, tmp_path: Path) -> None:
    with Workspace(place) as workspace:
        workspace.packs.install(write(tmp_path / "pack"))
        with Workspace(place, readonly=True) as reader:
            assert [card.installed.version for card in reader.packs.all() if card.installed] == ["1.0"]
            for change in (reader.packs.install, reader.packs.upgrade, reader.packs.delete):
                with pytest.raises(WorkspaceLocked):
                    change("house")


def test_the_program_brings_its_packs(workspace: Workspace) -> None:
    names = [card.name for card in workspace.packs.all()]
    assert "sample" in names
    assert manifest.bundled() == app_paths.PROGRAM / "data" / "packs"
