"""Names are the same however their letters and marks are composed; files are opened by the bytes of their own names."""

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.model import Note
from core.notes import attachments
from core.workspace import Workspace
from pages.ui.shared.document.drawing import same

SCRIPTS = {
    "latin": ("Café", "Über", "Größe", "Niño", "Nguyễn Huệ"),
    "kana": ("がぎぐ", "パン", "ブドウ", "ピザ", "ヴァイオリン"),
    "hangul": ("창고 열쇠", "한글", "서울", "부엌", "회의록"),
    "cyrillic": ("Ёлка", "Йогурт", "Їжак", "ЎЗБЕК", "Ёж"),
    "greek": ("Αθήνα", "Ώρα", "Ύδρα", "Ίος", "Έψιλον"),
    "devanagari": ("क़लम", "ख़बर", "ग़ज़ल", "ज़मीन", "फ़सल"),
}
EACH = 7
"""Notes of each name: 6 scripts of 5 names make 210."""
_PICTURE = b"\x89PNG\r\n\x1a\n"


def names() -> list[tuple[str, str]]:
    """The folder and the name of each note."""
    return [(f"{script}é", f"{name} {n}") for script in SCRIPTS for name in SCRIPTS[script] for n in range(EACH)]


def written(place: Path, form: str) -> Path:
    """Write the vault, with the names of its files in a form, and everything that its notes say in the other."""
    other = "NFC" if form == "NFD" else "NFD"

    def said(text: str) -> str:
        return unicodedata.normalize(other, text)

    listed = names()
    for number, (folder, name) in enumerate(listed):
        there = place / unicodedata.normalize(form, folder)
        there.mkdir(parents=True, exist_ok=True)
        (there / unicodedata.normalize(form, f"Bild {name}.png")).write_bytes(_PICTURE)
        (to_folder, to), (last_folder, last) = listed[(number + 1) % len(listed)], listed[number - 1]
        body = (
            f"see [[{to.upper()}]] and [[{last_folder}/{last}#Größe]] and [[{name} alias]].\n\n"
            f"![[Bild {name}.png]] ![x](<../{to_folder}/Bild {to}.png>)\n\n# Größe {name}\n\n"
            f"#tag/{name.replace(' ', '-')}\n"
        )
        front = f"---\naliases: ['{to} alias']\nwer: {name}\n---\n"
        file = there / unicodedata.normalize(form, f"{name}.md")
        file.write_text(said(front + body), encoding="utf-8")
    return place


@pytest.fixture(scope="module", params=["NFC", "NFD"])
def vault(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    place = tmp_path_factory.mktemp("names")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        patch.setenv("TESSERA_SEARCH__RERANKER", "none")
        with Workspace(place / "workspace") as workspace:
            folder = written(place / "vault", request.param)
            workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"), embed=False)
            yield workspace


def note_at(workspace: Workspace, folder: str, name: str) -> Note:
    found = workspace.notes.find(f"{folder}/{name}.md")
    assert found
    return workspace.notes.get(found.id)


def test_links_and_embeds_lead_where_they_say(vault: Workspace) -> None:
    links, listed = vault.notes.links(), names()
    ids = [note_at(vault, *one).id for one in listed]
    assert len(set(ids)) == len(listed) == 210
    for number, one in enumerate(listed):
        note, after = note_at(vault, *one), (number + 1) % len(listed)
        targets = [link.note_id for link in links.resolve(note, note.links)]
        assert targets[:2] == [ids[after], ids[number - 1]], one
        assert targets[2] == ids[number - 1], "an alias"
        assert {ids[after], ids[number - 1]} <= set(links.to(note.id))
        folder, name = one
        shown = [
            attachments.locate(note.source_ref, str(note.path), target)
            for target in (f"Bild {name}.png", f"../{folder}/bild {name}.PNG")
        ]
        assert shown[0] is not None
        assert shown[0] == shown[1]
        assert os.path.lexists(shown[0].path)
        assert vault.attachments.missing(note) == ()


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("folder", [f"{script}é" for script in SCRIPTS])
def test_hits_and_filters_are_the_same(vault: Workspace, folder: str, form: str) -> None:
    name = SCRIPTS[folder[:-1]][0]
    own = {unicodedata.normalize("NFC", f"{folder}/{name} {n}.md") for n in range(EACH)}
    for typed, most in (
        (f'path:"{folder.upper()}/"', EACH * 5),
        (f'path:"*{name} ?.md"', EACH),
        (f'in:"{name}"', EACH),
        (f'tag:"tag/{name.replace(" ", "-")}-3"', 1),
        (f"#tag/{name.replace(' ', '-')}-3", 1),
        (f'wer:"{name}"', EACH),
        (f'"Größe {name}"', EACH),
    ):
        found = vault.search(unicodedata.normalize(form, typed), mode="keyword", limit=100)
        paths = {unicodedata.normalize("NFC", str(hit.note.path)) for hit in found.hits}
        assert (typed, len(paths)) == (typed, most)
        assert paths <= own or most > EACH


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_titles_are_composed_and_headings_are_found(vault: Workspace, form: str) -> None:
    for folder, name in names()[::EACH]:
        note = note_at(vault, unicodedata.normalize(form, folder).upper(), unicodedata.normalize(form, name))
        assert unicodedata.is_normalized("NFC", note.title)
        assert note.tags == tuple(unicodedata.normalize("NFC", tag) for tag in note.tags)
        assert same(unicodedata.normalize("NFD", f"Größe {name}"), unicodedata.normalize(form, f"größe {name}"))


def base_of(workspace: Workspace, folder: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(folder, "own"), embed=False)
    workspace.store.bases.change(workspace.bases.get("own"), write_files=True)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_file_keeps_its_own_name(vault: Workspace, tmp_path: Path, form: str) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    file = folder / unicodedata.normalize(form, f"Übung {form}.md")
    file.write_text("one\n")
    base_of(vault, folder)
    note = vault.notes.find(unicodedata.normalize("NFC", f"Übung {form}.md"))
    assert note
    vault.notes.update(note.id, body="two\n")
    assert [(one.name, one.read_text()) for one in folder.iterdir()] == [(file.name, "two\n")]
    assert vault.imports.plan_folder(folder, "own").is_empty
    other = "NFC" if form == "NFD" else "NFD"
    file.rename(folder / unicodedata.normalize(other, file.name)).write_text("three\n")
    plan = vault.imports.plan_folder(folder, "own")
    assert (plan.added, plan.removed, [match.note.note_id for match in plan.changed]) == ((), (), [note.id])
    vault.imports.apply(plan, embed=False)
    vault.notes.update(note.id, body="four\n")
    assert [one.read_text() for one in folder.iterdir()] == ["four\n"]


def test_an_upload_from_another_system_is_the_same_note(vault: Workspace) -> None:
    for form, text in (("NFD", b"one"), ("NFC", b"two"), ("NFD", b"two")):
        files = [(unicodedata.normalize(form, "Süd/Käse.md"), text)]
        vault.imports.apply(vault.imports.plan_upload(files, "uploads"), embed=False)
        cards = vault.notes.all(vault.searching.filters(bases=["uploads"]))
        assert [vault.notes.get(card.id).body for card in cards] == [text.decode()]


def test_a_note_of_the_workspace_becomes_that_of_its_file(vault: Workspace, tmp_path: Path) -> None:
    (tmp_path / "joined").mkdir()
    file = tmp_path / "joined" / unicodedata.normalize("NFD", "Öl.md")
    file.write_text("oil\n")
    note = vault.notes.add("here", "oil\n", path="Öl.md")
    vault.imports.apply(vault.imports.plan_connection(tmp_path / "joined", "here"), embed=False)
    assert [(card.id, card.path) for card in vault.notes.all(vault.searching.filters(bases=["here"]))] == [
        (note.id, file.name)
    ]
    assert vault.imports.plan_folder(tmp_path / "joined", "here").is_empty
