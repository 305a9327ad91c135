"""Exports of Joplin, Google Keep, Slack and Telegram, which the tests make: by every door, and damaged ones."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from core.base.errors import SourceError
from core.doors import cli
from core.doors.api import PLACE
from core.intake.importers import FilePart, Imported, importer_of
from core.intake.importers.chats import ChatMessage, write_chat
from core.model import Note
from core.workspace import Workspace
from tests.doors.programs import connected
from tests.importers import exports
from tests.importers.exports import PROGRAMS, Files, encoded, jex, written, zipped

pytestmark = pytest.mark.usefixtures("bundled")
NOTES = {
    "keep": {"Plain.md", "Shop _Sunday.md"},
    "slack": {"Ann Lee, bo/2026-02-02.md", "general/2026-01-31.md", "general/2026-02-01.md", "general/undated.md"},
    "telegram": {
        f"{chat}/{day}.md" for chat in ("Bo", "Bo 2", "a b 🐸") for day in ("1969-12-31", "2026-01-31", "2026-02-01")
    },
    "joplin": {"Ponds/Newts.md", "Ponds/Lost.md", "Frogs.md"},
}
SHOWN = {"keep": "Shop _Sunday.md", "telegram": "Bo 2/2026-01-31.md", "joplin": "Ponds/Newts.md"}
"""A note of each program with a picture."""
CHANGED = {**SHOWN, "slack": "general/2026-01-31.md"}
"""The note with the text that `PROGRAMS` make."""


def read(folder: Path) -> dict[str, str]:
    """The notes of an export by their paths, failures by theirs."""
    importer = importer_of(folder)
    assert importer
    return {note.path: note.text if isinstance(note, Imported) else str(note.error) for note in importer.notes()}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("exports")) as opened:
        opened.set_program_access(True)
        yield opened


@pytest.fixture(scope="module")
def program_client(workspace: Workspace) -> TestClient:
    return connected(workspace)


def base_in(workspace: Workspace) -> str:
    return workspace.bases.add(f"base-{len(workspace.bases.all())}", embedder="tfidf", keep_tokens=False).name


def by_folder(workspace: Workspace, _: TestClient, base: str, place: Path, files: Files) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(written(place / "export", files), base))


def by_file(workspace: Workspace, _: TestClient, base: str, place: Path, files: Files) -> None:
    zip_file = written(place, {"export.zip": zipped(files)}) / "export.zip"
    workspace.imports.apply(workspace.imports.plan_folder(zip_file, base))


def by_http(workspace: Workspace, client: TestClient, base: str, place: Path, files: Files) -> None:
    folder = written(place / "export", files)
    (file,) = folder.iterdir() if len(files) == 1 else [folder]
    answer = client.post(f"{PLACE}/v1/bases/{base}/import", json={"folder": str(file)})
    assert answer.status_code in (200, 202), answer.text
    workspace.jobs.wait("import", 60)


def by_http_upload(_: Workspace, client: TestClient, base: str, place: Path, files: Files) -> None:
    sent = {"data": {"base": base}, "files": [("file", ("all.zip", zipped(files)))]}
    answer = client.post(f"{PLACE}/knowledge/upload", **sent)
    assert answer.status_code == 201, answer.text


def by_watching(workspace: Workspace, _: TestClient, base: str, place: Path, files: Files) -> None:
    vault = place / "vault"
    if not vault.exists():
        workspace.imports.apply(workspace.imports.plan_folder(written(vault, {"own.md": b"# Own\n"}), base))
        workspace.bases.update(base, watch=True)
    written(vault if len(files) == 1 else vault / "Takeout", files)
    workspace.watching.look()
    (seen,) = workspace.watching.folders(workspace.bases.get(base))
    assert seen.problem is None


Door = Callable[[Workspace, TestClient, str, Path, Files], None]
DOORS: dict[str, Door] = {
    "folder": by_folder,
    "file": by_file,
    "http": by_http,
    "http upload": by_http_upload,
    "watching": by_watching,
}


def notes_in(workspace: Workspace, base: str) -> dict[str, Note]:
    cards = workspace.notes.all(workspace.searching.filters(bases=[base]))
    return {str(card.path): workspace.notes.get(card.id) for card in cards if card.path != "own.md"}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_an_export_comes_by_every_door_with_its_files_and_changes_only_what_changed(
    workspace: Workspace, program_client: TestClient, tmp_path: Path, program: str, door: str
) -> None:
    base = base_in(workspace)
    DOORS[door](workspace, program_client, base, tmp_path, PROGRAMS[program]())
    notes = notes_in(workspace, base)
    assert notes.keys() == NOTES[program]
    if program in SHOWN:
        note = notes[SHOWN[program]]
        (target,) = {part.partition(")")[0] for part in note.body.split("](") if part.startswith("attachments/")}
        found = workspace.attachments.find(note.id, target)
        assert found
        assert found.path.read_bytes() == exports.PNG
        assert target not in workspace.attachments.missing(note)
    DOORS[door](workspace, program_client, base, tmp_path, PROGRAMS[program]())
    assert notes_in(workspace, base) == notes
    DOORS[door](workspace, program_client, base, tmp_path, PROGRAMS[program]("Quite another text"))
    after = notes_in(workspace, base)
    assert {path for path, note in after.items() if note != notes.get(path)} == {CHANGED[program]}
    assert "Quite another text" in after[CHANGED[program]].body


def test_a_command_imports_exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    for program, make in PROGRAMS.items():
        folder = written(tmp_path / program, make())
        done = CliRunner().invoke(cli.app, ["import", str(folder), "--workspace", str(tmp_path / "ws")])
        assert done.exit_code == 0, done.output
    with Workspace(tmp_path / "ws") as workspace:
        assert {base.name: notes_in(workspace, base.name).keys() for base in workspace.bases.all()} == NOTES


SAID = {
    "keep": {
        "Shop _Sunday.md": (
            "---\ntitle: Shop 🛒/Sunday\ntags:\n- to-buy\n- home\nstatus: archived\npinned: true\nshared_with:\n"
            "- ann@example.org\ncreated: '1969-12-31T00:00:00+00:00'\nupdated: '2026-01-31T10:00:00+00:00'\n---\n"
            "For Sunday\n\n- [x] milk\n- [ ] tea\n\n[Site](https://example.org): A shop\n\n"
            "![a.jpeg](attachments/a-fb500a74a2e4c931.jpeg)\n[gone.3gp](gone.3gp)\n![secret.png](secret.png)\n"
        ),
    },
    "slack": {
        "general/2026-01-31.md": (
            "---\ntitle: general · 2026-01-31\ncreated: '2026-01-31T10:00:00+00:00'\n"
            "updated: '2026-01-31T10:01:40+00:00'\n---\n## 2026-01-31\n\n**Ann Lee** 10:00  \n"
            "Hi @bo & random: [site](https://example.org) *bold* _it_ ~gone~ \n```\n# x\ny\n```\n\n"
            "tada 1\n\n(edited: 2026-01-31T10:01:00+00:00)\n\n[plan.pdf](https://files.slack.com/plan.pdf)\n\n"
            "**bo** 10:01  \n> Ann Lee: Hi @bo & random: [site](https://example.org) bold it gone # x y"
            "\n\n\\# Yes\n"
        ),
        "general/undated.md": (
            "---\ntitle: general\n---\n## general\n\n**Bot**   \nbeep\n\n> [News](https://news.org)\n> Big\n> news\n"
        ),
        "general/2026-02-01.md": (
            "---\ntitle: general · 2026-02-01\ncreated: '2026-02-01T10:00:00+00:00'\n"
            "updated: '2026-02-01T10:00:00+00:00'\n---\n## 2026-02-01\n\n**bo** 10:00  \n@bo has joined the channel\n"
        ),
    },
    "telegram": {
        "Bo 2/2026-01-31.md": (
            "---\ntitle: Bo · 2026-01-31\ncreated: '2026-01-31T10:05:00'\nupdated: '2026-01-31T10:06:00'\n---\n"
            "## 2026-01-31\n\n**Bo** 10:05  \nSee [x](https://a.org/%28b%29) **strong** \n```python\na = 1\n```\n"
            "#pond\n> said\n> so\n\n👍 2\n\n(forwarded from: News) (edited: 2026-01-31T11:00:00)\n\n**Ann** 10:06  \n"
            "> Bo: See [x](https://a.org/%28b%29) strong python a = 1 #pond said so\n\n\\# Thanks\n\n"
            "![p.png](attachments/p-fb500a74a2e4c931.png)\n"
        ),
        "Bo 2/2026-02-01.md": (
            "---\ntitle: Bo · 2026-02-01\ncreated: '2026-02-01T09:00:00'\nupdated: '2026-02-01T09:07:00'\n---\n"
            "## 2026-02-01\n\n**Bo** 09:00  \n[plan.pdf](attachments/plan-54d6607c8ab688ac.pdf)\n\n"
            "**Bo** 09:01  \n[voice_message](voice_message)\n\n**Bo** 09:02  \n[photo](photo)\n\n"
            "**Bo** 09:03  \nWhen?\n\n- [x] now: 2\n- [ ] later: 1\n\n"
            "**Bo** 09:04  \n(place name: Pond) (address: Hill 1) (location information: 1.5, -2.25)\n\n"
            "**Bo** 09:05  \n(contact information: Cy, Doe, +1 23)\n\n"
            "**Bo** 09:06  \n(action: invite_members) (members: Cy)\n\n"
            "**Bo** 09:07  \n(action: phone_call) (duration seconds: 61)\n"
        ),
    },
    "joplin": {
        "Ponds/Newts.md": (
            "---\ntitle: Newts\ntags:\n- amphi-bians\ncreated: '2026-01-31T10:00:00.000Z'\n"
            "updated: '2026-02-02T10:00:00.000Z'\nauthor: Ann\nsource_url: https://example.org\n"
            "---\n- [x] Newts 📅 2026-01-31\n\nSee [frogs](../Frogs.md#top) "
            '![](attachments/newt-fb500a74a2e4c931.png) <img src="attachments/newt-fb500a74a2e4c931.png" width="1"/> '
            f"[gone](:/{'9' * 32})\n\n- a\n\n- b\n"
        ),
        "Frogs.md": "---\ntitle: Frogs\n---\nGreen **frog**\n",
        "Ponds/Lost.md": "---\ntitle: Lost\n---\n[lost](lost.pdf)\n",
        exports.G: "This note is encrypted. Export it from Joplin without encryption.",
    },
}


@pytest.mark.parametrize("program", SAID)
def test_each_field_of_an_export_is_in_its_note(tmp_path: Path, program: str) -> None:
    notes = read(written(tmp_path, PROGRAMS[program]()))
    assert {path: notes[path] for path in SAID[program]} == SAID[program]


def test_files_that_do_not_come_along_are_named(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(exports.PNG)
    named = {}
    for program, make in PROGRAMS.items():
        plan = workspace.imports.plan_folder(written(tmp_path / program, make()), "named")
        named[program] = {str(one.error) for one in plan.skipped}
        workspace.imports.discard(plan)
    assert named == {
        "keep": {"2 attached files were not read: gone.3gp, ../../../secret.png"},
        "slack": {"1 attached file was not read: plan.pdf"},
        "telegram": {"2 attached files were not read: voice_message, photo"},
        "joplin": {"1 attached file was not read: lost.pdf"},
    }


@pytest.mark.parametrize("program", ["keep", "telegram"])
def test_a_link_that_leads_out_of_an_export_brings_no_file(tmp_path: Path, program: str) -> None:
    (tmp_path / "secret.png").write_bytes(exports.PNG)
    folder = written(tmp_path / "export", PROGRAMS[program]())
    for name in ("Takeout/Keep/a.jpg", "ChatExport_2026/photos/p.png"):
        if (folder / name).exists():
            (folder / name).unlink()
            (folder / name).symlink_to(tmp_path / "secret.png")
    importer = importer_of(folder)
    assert importer
    files = [address for note in importer.notes() if isinstance(note, Imported) for address in note.files]
    assert not [address for address in files if not address.endswith(".pdf")]


def chat(days: dict[str, int]) -> list[str]:
    """The paths of the notes of a chat with a number of messages on each day."""
    messages = (ChatMessage("", day, "Bo", "", ["Hi"], []) for day, count in days.items() for _ in range(count))
    return [note.path for note in write_chat("Bo", messages, {})]


def test_a_chat_is_a_note_each_month_and_a_busy_one_each_day() -> None:
    assert chat({"2026-01-03": 2, "2026-01-31": 3, "2026-02-01": 1}) == ["Bo/2026-01-03.md", "Bo/2026-02-01.md"]
    busy = chat({"2026-01-01": 300, "2026-01-02": 200, "2026-01-03": 10, "2026-01-04": 10})
    assert busy == ["Bo/2026-01-01.md", "Bo/2026-01-02.md", "Bo/2026-01-03.md"]
    assert chat({"2026-01-01": 2500}) == ["Bo/2026-01-01.md", "Bo/2026-01-01 2.md", "Bo/2026-01-01 3.md"]
    assert chat({"": 2, "0000": 1, "../../x": 1, "2026-01-01/../x": 1}) == ["Bo/undated.md", "Bo/2026-01-01.md"]


OTHERS: dict[str, Any] = {
    "none": None, "list": [], "object": {}, "number": 1, "text": "x", "lists": [[]], "chats": {"chats": 1},
    "messages": {"messages": "x"},
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_json_is_no_export(tmp_path: Path, name: str) -> None:
    written(tmp_path, encoded({"result.json": OTHERS[name], "users.json": OTHERS[name], "a.json": OTHERS[name]}))
    assert importer_of(tmp_path) is None


def test_a_folder_of_notes_with_an_export_in_it_is_no_export(tmp_path: Path) -> None:
    for program, make in PROGRAMS.items():
        folder = written(tmp_path / program, {"notes/a.md": b"# A", "notes/b.pdf": exports.PDF})
        written(folder / "Export", make())
        assert importer_of(folder) is None
        assert importer_of(folder / "Export")


DAMAGED = "This file is damaged. Export it from its program again."


def test_damaged_files_are_named_and_the_others_come(tmp_path: Path) -> None:
    days = {"general/2026-01-30.json": b"[{", "general/2026-01-29.json": b"1"}
    half = written(tmp_path / "slack", exports.slack() | days)
    assert {"general/2026-01-30.json": DAMAGED}.items() <= read(half).items()
    assert read(half).keys() == NOTES["slack"] | {"general/2026-01-30.json"}
    half = written(tmp_path / "keep", exports.keep() | {"Takeout/Keep/Half.json": b'{"title": "\xff'})
    assert read(half).keys() == NOTES["keep"] | {"Takeout/Keep/Half.json"}
    whole = exports.telegram()
    path = "ChatExport_2026/result.json"
    assert read(written(tmp_path / "telegram", whole | {path: whole[path][:-9]})) == {path: DAMAGED}
    deep = b'{"messages": [' + b"[" * 100_000
    assert read(written(tmp_path / "deep", {"result.json": deep})) == {"result.json": DAMAGED}
    for number, data in enumerate((b"no tar" * 999, exports.joplin()["export.jex"][:1500], b"")):
        assert set(read(written(tmp_path / f"joplin{number}", {"export.jex": data})).values()) <= {DAMAGED}


def test_an_export_that_is_too_large_says_what_to_do(tmp_path: Path) -> None:
    written(tmp_path, {"result.json": b'{"messages": ['})
    with (tmp_path / "result.json").open("r+b") as file:
        file.truncate(101 * 2**20)
    assert read(tmp_path) == {
        "result.json": "This file is 101.0 MB; the limit is 100 MB. Split it and import the parts."
    }


VALUES: list[Any] = [None, True, 1.5, "", "x" * 300, [], [None, {"a": 1}], {"b": []}, "\ud83d", "../../x", -(10**30)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_values_of_any_kind_in_any_field_stop_no_import(workspace: Workspace, tmp_path: Path, program: str) -> None:
    def replaced(node: Any, at: Iterator[int]) -> Any:
        """A value with another one in the place of every fifth."""
        if next(at) % 5 == 4:
            return VALUES[next(at) % len(VALUES)]
        if isinstance(node, dict):
            return {name: replaced(value, at) for name, value in node.items()}
        return [replaced(value, at) for value in node] if isinstance(node, list) else node

    for start in range(5):
        files = PROGRAMS[program]()
        for number, (path, data) in enumerate(files.items()):
            if path.endswith(".json"):
                value = replaced(json.loads(data), count(start + number))
                files[path] = json.dumps(value).encode()
        folder = written(tmp_path / str(start), files)
        importer = importer_of(folder)
        with suppress(SourceError):
            workspace.imports.discard(workspace.imports.plan_folder(folder, "any")) if importer else None


def test_a_file_that_many_links_lead_to_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads, read = [], FilePart.read

    def counted(part: FilePart) -> bytes:
        reads.append(part)
        return read(part)

    export = written(tmp_path, exports.joplin(f"![](:/{exports.D}) " * 500))
    importer = importer_of(export)
    assert importer
    monkeypatch.setattr(FilePart, "read", counted)
    newts = next(note for note in importer.notes() if isinstance(note, Imported) and "Newts" in note.path)
    assert newts.text.count("attachments/newt-") == 502
    assert sum(part.size == len(exports.PNG) for part in reads) == 1


def test_a_notebook_in_itself_and_names_that_no_system_has(tmp_path: Path) -> None:
    items = {
        exports.A: f"a/../b 🐸\n\nid: {{id}}\nparent_id: {exports.E}\ntype_: 2",
        exports.E: f"{'汉' * 300}\n\nid: {{id}}\nparent_id: {exports.A}\ntype_: 2",
        exports.B: f"..\n\nx\n\nid: {{id}}\nparent_id: {exports.A}\ntype_: 1",
        exports.C: f"\n\n[self](:/{exports.C})\n\nid: {{id}}\nparent_id: {exports.C}\ntype_: 1",
    }
    (tmp_path / "export.jex").write_bytes(jex(items, {}))
    assert {path.replace("汉" * 66, "汉"): text.removeprefix("---\n") for path, text in read(tmp_path).items()} == {
        "汉/a .. b 🐸/Untitled.md": "title: ..\n---\nx\n",
        "Untitled/Untitled.md": "[self](Untitled.md)\n",
    }


def test_many_notes_of_one_name_in_deep_notebooks_are_imported(workspace: Workspace, tmp_path: Path) -> None:
    key = "{:032x}".format
    items = {key(n): f"{'汉' * 99}\n\nid: {{id}}\nparent_id: {key(n + 1)}\ntype_: 2" for n in range(50)}
    items |= {key(n): f"Same\n\nx\n\nid: {{id}}\nparent_id: {key(0)}\ntype_: 1" for n in range(100, 400)}
    (tmp_path / "export.jex").write_bytes(jex(items, {}))
    plan = workspace.imports.plan_folder(tmp_path, base_in(workspace))
    assert len(plan.added) == 300
    workspace.imports.discard(plan)


def test_a_watched_export_leaves_notes_that_were_deleted_or_edited_here(workspace: Workspace, tmp_path: Path) -> None:
    base = base_in(workspace)
    client = connected(workspace)
    by_watching(workspace, client, base, tmp_path, exports.telegram())
    notes = notes_in(workspace, base)
    workspace.trash.put(notes["Bo/2026-01-31.md"].id)
    edited = notes["Bo 2/2026-01-31.md"]
    workspace.notes.update(edited.id, body="Mine")
    by_watching(workspace, client, base, tmp_path, exports.telegram("Quite another text"))
    after = notes_in(workspace, base)
    assert "Bo/2026-01-31.md" not in after
    assert after["Bo 2/2026-01-31.md"].body == "Mine"
    damaged = {"ChatExport_2026/result.json": b'{"messages": ['}
    written(tmp_path / "vault/Takeout", damaged)
    workspace.watching.look()
    (seen,) = workspace.watching.folders(workspace.bases.get(base))
    assert "result.json" in str(seen.problem)
    assert notes_in(workspace, base) == after


def test_a_folder_that_holds_an_export_says_so_and_reads_none_of_it(workspace: Workspace, tmp_path: Path) -> None:
    folder = written(tmp_path, {"own.md": b"# Own"})
    written(folder, exports.keep() | {"Takeout/Mail/All.mbox": b"From "})
    plan = workspace.imports.plan_folder(folder, base_in(workspace))
    assert [file.path for file in plan.added] == ["own.md"]
    assert [one.path for one in plan.left_out] == ["Takeout/"]


def test_uploaded_json_that_is_no_export_leaves_pictures_and_files_unread(workspace: Workspace) -> None:
    files = [("a.md", b"# A"), ("v/users.json", b"[]"), ("v/b.png", exports.PNG), ("v/c.bin", b"x")]
    plan = workspace.imports.plan_upload(files, base_in(workspace))
    assert [file.path for file in plan.added] == ["a.md"]
    assert {one.path for one in plan.skipped} == {"v/users.json", "v/b.png", "v/c.bin"}
    workspace.imports.discard(plan)
    with pytest.raises(SourceError, match="a data file"):
        workspace.imports.plan_upload([("users.json", b"[]")], "notes")
