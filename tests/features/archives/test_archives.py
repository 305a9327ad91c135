"""A base that is exported and imported into an empty workspace is exported again as the same bytes."""

import json
import struct
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.base.errors import ArchiveError, ConfigError, SourceError, TesseraError
from core.doors.registry import OPERATIONS
from core.features.archives import documents
from core.operations.declaring import PERSON
from core.workspace import Workspace

pytestmark = pytest.mark.usefixtures("bundled")

_VAULT = {
    "plain.md": "# Plain\n\nText with #tag and [[link]].\n",
    "front.md": "---\n# mine\ntags: [no, '1.10', 2026-01-31]\nTitle: 'x'   # why\nother: [1,  2]\n---\n\nBody.\n",
    "crlf.md": "---\r\ntitle: no\r\n---\r\none\r\ntwo\rthree\n",
    "empty body.md": "---\ntitle: 1.10\n---\n",
    "😀/名字 : \"quoted\" 'x'.md": "Emoji 😀\u2028 and \x85 and \ufeff and\ttabs  \n\n  spaces at the end  ",
    "broken front.md": "---\na: [\n---\nText.\n",
    "a line.md": "---\nnot front matter",
    "-dash.txt": "- a\n- b: c\n? d\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


def vault(folder: Path) -> Path:
    for name, text in _VAULT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
    return folder


def synced(workspace: Workspace, folder: Path) -> None:
    report = workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"), embed=False)
    assert (report.added, report.failed) == (len(_VAULT), ())


def written(workspace: Workspace) -> None:
    """Add notes that were written here, with a history, to the base."""
    add = workspace.notes.add
    add("vault", "", title="no", tags=["no", "1.10", "2026-01-31", "😀"], category="null", author="person", embed=False)
    add("vault", "---\nlooks like front matter\n---\n", title="Dashes", path="work/dashes", embed=False)
    note = add("vault", "one\r\ntwo\r\n", title="CRLF: #1", priority=3, expires_at="2026-01-31", embed=False)
    workspace.notes.update(note.id, body="three\r\n", title="New", embed=False)
    workspace.notes.archive([note.id])
    gone = add("vault", "deleted", title="Gone", embed=False)
    workspace.trash.put(gone.id)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_markdown_export_of_a_vault_is_the_vault(workspace: Workspace, tmp_path: Path) -> None:
    synced(workspace, vault(tmp_path / "vault"))
    workspace.archives.export("vault", tmp_path / "out", "markdown")
    assert contents(tmp_path / "out") == {name: text.encode() for name, text in _VAULT.items()}


@pytest.mark.parametrize("form", ["markdown", "json", "yaml", "zip"])
def test_import_and_export_give_the_same_bytes(workspace: Workspace, tmp_path: Path, form: str) -> None:
    synced(workspace, vault(tmp_path / "vault"))
    written(workspace)
    first = tmp_path / (f"vault.{form}" if form != "markdown" else "first")
    workspace.archives.export("vault", first, form)
    with Workspace(tmp_path / "empty") as empty:
        base = empty.archives.restore(first, "vault").base
        assert empty.bases.status(base).notes == len(_VAULT) + 3
        second = tmp_path / f"again.{form}"
        empty.archives.export("vault", second, form)
        assert empty.pending.any()
    assert second.is_dir() == (form == "markdown")
    if form == "markdown":
        assert contents(first) == contents(second)
    elif form != "zip":
        assert first.read_bytes() == second.read_bytes()
    else:  # a base of an archive has no folders: from here on its export is the same
        with Workspace(tmp_path / "last") as last:
            last.archives.restore(second)
            assert last.archives.exported("vault", "zip") == second.read_bytes()


def test_a_zip_holds_everything(workspace: Workspace, tmp_path: Path) -> None:
    synced(workspace, vault(tmp_path / "vault"))
    written(workspace)
    chunk = workspace.chunks.all(workspace.notes.find("plain.md").id)[0]
    workspace.chunks.update(chunk.id, "My own text.")
    (workspace.store.folder / "synonyms.txt").write_text("cat, kitty\n")
    workspace.archives.export("vault", tmp_path / "all.zip")
    histories = {card.path: len(workspace.versions.all(card.id)) for card in workspace.notes.all()}
    with Workspace(tmp_path / "empty") as empty:
        empty.archives.restore(tmp_path / "all.zip")
        assert {card.path: len(empty.versions.all(card.id)) for card in empty.notes.all()} == histories
        assert [one.version.title for one in empty.trash.all()] == ["Gone"]
        assert empty.chunks.all(empty.notes.find("plain.md").id)[0].text == "My own text."
        assert (empty.store.folder / "synonyms.txt").read_text() == "cat, kitty\n"
        plan = empty.imports.plan_connection(tmp_path / "vault", "vault")
        assert (len(plan.joined), plan.differing, plan.added) == (len(_VAULT), (), ())
        empty.imports.apply(plan)
        assert empty.imports.plan_folder(tmp_path / "vault", "vault").is_empty


def test_a_base_is_imported_beside_itself(workspace: Workspace, tmp_path: Path) -> None:
    synced(workspace, vault(tmp_path / "vault"))
    written(workspace)
    workspace.archives.export("vault", tmp_path / "all.zip")
    with pytest.raises(ConfigError):
        workspace.archives.restore(tmp_path / "all.zip")
    copy = workspace.archives.restore(tmp_path / "all.zip", "copy").base
    assert workspace.bases.status(copy).notes == workspace.bases.status(workspace.bases.get("vault")).notes
    assert len({card.id for card in workspace.notes.all()}) == 2 * (len(_VAULT) + 3)


def test_a_deleted_base_comes_back(workspace: Workspace, tmp_path: Path) -> None:
    synced(workspace, vault(tmp_path / "vault"))
    written(workspace)
    before = workspace.archives.exported("vault", "zip")
    workspace.bases.delete("vault")
    assert workspace.bases.all() == []
    (trashed,) = workspace.archives.trash()
    assert trashed.name == "vault"
    assert workspace.archives.expire_trash() == 0
    workspace.archives.restore_deleted("vault")
    assert workspace.archives.trash() == []
    assert workspace.archives.exported("vault", "zip") == before


def test_what_a_kill_left_both_in_use_and_in_the_trash_leaves_it(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(workspace, vault(tmp_path / "vault"))
    monkeypatch.setattr(workspace.bases, "delete_for_good", _killed)
    with pytest.raises(KeyboardInterrupt):
        workspace.bases.delete("vault")
    monkeypatch.undo()
    assert len(workspace.archives.trash()) == 1
    assert workspace.archives.expire_trash() == 1
    assert [one.expired for one in workspace.archives.trash()] == [True]
    assert workspace.bases.status(workspace.bases.get("vault")).notes == len(_VAULT)


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def _swapped(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (_swapped("crlf.md", "../crlf.md"), "could point outside"),
        (_swapped("crlf.md", "/etc/crlf.md"), "could point outside"),
        (_swapped("a line.md", "crlf.md"), "twice"),
        (_swapped("priority", "prioritaet"), "no field"),
        (_swapped("tessera", "other"), "isn't a base"),
        (lambda text: text[:-200] + "\x00", ""),
    ],
)
def test_a_bad_document_is_refused_whole(
    workspace: Workspace, tmp_path: Path, form: str, harm: Callable[[str], str], words: str
) -> None:
    synced(workspace, vault(tmp_path / "vault"))
    text = harm(workspace.archives.exported("vault", form).decode())
    with pytest.raises(ArchiveError) as caught:
        workspace.archives.restore_data(text.encode(), f"x.{form}", "other")
    assert "line" in str(caught.value)
    assert words in str(caught.value)
    assert [base.name for base in workspace.bases.all()] == ["vault"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("notes.jsonl", "{}\n"), ("notes.jsonl", "[\n"), ("base.json", "{}"), ("tessera.json", "{}"), ("../x", "y")],
)
def test_a_bad_zip_is_refused_whole(workspace: Workspace, tmp_path: Path, name: str, text: str) -> None:
    synced(workspace, vault(tmp_path / "vault"))
    with zipfile.ZipFile(BytesIO(workspace.archives.exported("vault", "zip"))) as archive:
        files = {one: archive.read(one).decode() for one in archive.namelist()}
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for one, content in (files | {name: text}).items():
            archive.writestr(one, content)
    with pytest.raises((ArchiveError, SourceError)):
        workspace.archives.restore_data(stream.getvalue(), "x.zip", "other")
    assert [base.name for base in workspace.bases.all()] == ["vault"]


def far(offset: int) -> bytes:
    """Return a zip whose only file begins at an offset that takes 64 bits."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name := "tessera.json", "{}")
    head, entry = stream.getvalue().split(b"PK\1\2")
    extra = struct.pack("<HHQ", 1, 8, offset)
    entry = b"PK\1\2" + entry[:26] + struct.pack("<HHHHLL", len(extra), 0, 0, 0, 0, 2**32 - 1) + name.encode() + extra
    return head + entry + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(head), 0)


@pytest.mark.parametrize("form", ["zip", "markdown"])
def test_a_zip_damaged_at_any_byte_is_refused_whole_or_read(workspace: Workspace, tmp_path: Path, form: str) -> None:
    synced(workspace, vault(tmp_path / "vault"))
    whole = workspace.archives.exported("vault", form)
    directory = range(whole.find(b"PK\1\2"), len(whole), 5)
    damaged = [whole[:at] + b"\xff" * 4 + whole[at + 4 :] for at in (*range(0, len(whole), 50), *directory)]
    damaged += [whole[:at] for at in range(0, len(whole), 100)] + list(map(far, (2**31, 2**62, 2**63, 2**64 - 1)))
    for data in damaged:
        try:
            workspace.archives.restore_data(data, "x.zip", "other")
        except TesseraError:
            assert [base.name for base in workspace.bases.all()] == ["vault"]
        else:
            workspace.bases.delete("other")


def test_every_mistake_has_its_line(workspace: Workspace) -> None:
    text = (
        "tessera: base\nversion: 1\nbase: {name: b}\nnotes:\n- path: a.md\n  title: no\n  tags: [no, 1.10]\n"
        "  priority: x\n- path: ../b.md\n  title: b\n- title: c\n"
    )
    with pytest.raises(ArchiveError) as caught:
        workspace.archives.restore_data(text.encode(), "b.yaml")
    assert [(str(place), str(reason).split()[0]) for place, reason in caught.value.mistakes] == [
        ("line 5", "'priority'"), ("line 9", "the"), ("line 11", "the"),
    ]  # fmt: skip


def test_yaml_that_a_person_types_reads_as_it_is_typed(workspace: Workspace) -> None:
    text = (
        "tessera: base\nversion: 1\nbase: {name: b}\nnotes:\n- {path: a.md, title: no, tags: [no, 1.10, 2026-01-31]}\n"
    )
    workspace.archives.restore_data(text.encode(), "b.yaml")
    (card,) = workspace.notes.all()
    assert (card.title, set(card.tags)) == ("no", {"no", "1.10", "2026-01-31"})


_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(_TEXT, _TEXT, st.lists(_TEXT, max_size=3))
def test_every_text_survives_yaml_and_json(title: str, body: str, tags: list[str]) -> None:
    note = {"path": "a.md", "title": title, "tags": tags, "body": body}
    head = "tessera: base\nversion: 1\nbase: {name: b}\nnotes:\n"
    for data, name in [
        (f"{head}{documents._yaml(note)}", "b.yaml"),
        (json.dumps({"tessera": "base", "version": 1, "base": {"name": "b"}, "notes": [note]}), "b.json"),
    ]:
        read = next(iter(documents.read(data.encode(), name).notes)).note
        assert (read.title, read.body, list(read.tags)) == (title, body, tags)


def test_word_lists_of_some_megabytes_come_along(workspace: Workspace, tmp_path: Path) -> None:
    workspace.bases.add("work", embedder="tfidf")
    words = "# The cat, which is also a kitty\n" * 60_000 + "cat, kitty\n"
    (workspace.store.folder / "synonyms.txt").write_text(words)
    workspace.archives.export("work", tmp_path / "work.zip")
    with Workspace(tmp_path / "empty") as empty:
        empty.archives.restore(tmp_path / "work.zip")
        assert (empty.store.folder / "synonyms.txt").read_text() == words
    workspace.bases.delete("work")
    assert workspace.archives.restore_deleted("work").own


@pytest.mark.parametrize("form", ["zip", "json", "yaml"])
@pytest.mark.parametrize("name", ["My  notes", "\N{WOMAN}\u200d\N{PERSONAL COMPUTER}", "x" * 200, "a/b", ".."])
def test_a_base_of_any_name_comes_along(workspace: Workspace, tmp_path: Path, name: str, form: str) -> None:
    workspace.bases.add(name, embedder="tfidf")
    workspace.notes.add(name, "Three minutes.", path="tea.md")
    workspace.archives.export(name, place := tmp_path / f"base.{form}", form)
    with Workspace(tmp_path / "empty") as empty:
        assert empty.archives.restore(place).base.name == name
    workspace.bases.delete(name)
    assert workspace.archives.restore_deleted(name).base.name == name


@pytest.mark.parametrize("name", ["x" * 300, "two\nlines"])
def test_a_question_set_of_any_name_comes_along(workspace: Workspace, name: str) -> None:
    workspace.bases.add("work", embedder="tfidf")
    workspace.notes.add("work", "# Roadmap\n\nThe search comes first.\n", path="roadmap.md")
    example = OPERATIONS["questions.add"].arguments
    OPERATIONS["questions.add"].run(workspace, PERSON, {**example, "name": name})
    copy = workspace.archives.restore_data(workspace.archives.exported("work", "zip"), "work.zip", "copy").base
    assert [one.name for one in workspace.question_sets.all(copy.name)] == [name]


def test_a_run_of_thousands_of_questions_comes_along(workspace: Workspace) -> None:
    workspace.bases.add("work", embedder="tfidf")
    workspace.notes.add("work", "# Roadmap\n\nThe search comes first.\n", path="roadmap.md")
    question_set = OPERATIONS["questions.add"].run(workspace, PERSON, OPERATIONS["questions.add"].arguments)
    OPERATIONS["run.start"].run(workspace, PERSON, {"question_set": question_set.id})
    with zipfile.ZipFile(BytesIO(workspace.archives.exported("work", "zip"))) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    record = json.loads(files["runs.jsonl"])
    result = next(iter(record["results"].values()))
    result["hits"] = result["hits"][:1] * 10
    record["results"] = {str(number): result for number in range(4000)}
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in (files | {"runs.jsonl": json.dumps(record) + "\n"}).items():
            archive.writestr(name, text, zipfile.ZIP_STORED)
    copy = workspace.archives.restore_data(stream.getvalue(), "work.zip", "copy").base
    (run,) = workspace.runs.all(copy.name)
    assert len(workspace.runs.results(run.id)) == 4000
