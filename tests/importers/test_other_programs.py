"""Exports of Joplin, Google Keep, Slack and Telegram, which the tests make: notes, and damaged ones refused."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from core.intake.importers import Imported, importer_of
from core.model import Failed

A, B, C, D, E, F = (letter * 32 for letter in "abcdef")
JOPLIN = {
    A: "Ponds\n\n\n\nid: {id}\nparent_id: \ntype_: 2",
    B: "Newts\n\nSee [frogs](:/{c}) ![](:/{d}) and [gone](:/99999999999999999999999999999999).\n\nid: {id}\n"
    "parent_id: {a}\n"
    "created_time: 2026-01-31T10:00:00.000Z\nis_todo: 1\ntodo_completed: 1\ntype_: 1",
    C: "Frogs\n\nGreen\n\nid: {id}\nparent_id: \ntype_: 1",
    D: "newt.png\n\nid: {id}\nmime: image/png\ntype_: 4",
    E: "amphibians\n\nid: {id}\ntype_: 5",
    F: "id: {id}\nnote_id: {b}\ntag_id: {e}\ntype_: 6",
}
KEEP = {
    "title": "Shop", "textContent": "For Sunday", "isArchived": True, "labels": [{"name": "to buy"}], "color": "RED",
    "listContent": [{"text": "milk", "isChecked": True}, {"text": "tea", "isChecked": False}],
    "annotations": [{"title": "Site", "url": "https://example.org"}], "attachments": [{"filePath": "a.jpg"}],
    "userEditedTimestampUsec": 1769853600000000, "createdTimestampUsec": 1769853600000000,
}  # fmt: skip
SLACK = {
    "users.json": [{"id": "U1", "name": "ann", "profile": {"real_name": "Ann Lee"}}],
    "channels.json": [],
    "general/2026-01-31.json": [
        {"ts": "1769853600.000100", "user": "U1", "text": "Hi <@U1> &amp; <#C1|random>: <https://example.org|site>"},
        {"ts": "x", "username": "bot", "text": "beep", "files": [{"name": "plan.pdf"}]},
    ],
}
TELEGRAM = {
    "name": "Bo", "type": "personal_chat",
    "messages": [
        {"date": "2026-01-31T10:05:00", "from": "Bo", "text": ["See ", {"type": "text_link", "text": "x", "href": "https://a.org"}]},
        {"date": "2026-02-01T09:00:00", "from": "Ann", "text": "Thanks"},
    ],
}  # fmt: skip


def jex(folder: Path, items: dict[str, str]) -> None:
    with tarfile.open(folder / "export.jex", "w") as archive:
        for key, text in items.items():
            data = text.format(id=key, a=A, b=B, c=C, d=D, e=E).encode()
            member = tarfile.TarInfo(f"{key}.md")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def written(folder: Path, files: dict[str, Any]) -> None:
    for name, value in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(value), encoding="utf-8")


def read(folder: Path) -> dict[str, str]:
    importer = importer_of(folder)
    assert importer
    notes = [*importer.notes()]
    assert not [note for note in notes if isinstance(note, Failed)]
    return {note.path: note.text for note in notes if isinstance(note, Imported)}


def test_joplin(tmp_path: Path) -> None:
    jex(tmp_path, JOPLIN)
    notes = read(tmp_path)
    assert notes.keys() == {"Ponds/Newts.md", "Frogs.md"}
    assert "See [frogs](../Frogs.md) ![](newt.png) and [gone](:/9" in notes["Ponds/Newts.md"]
    assert "- [x] Newts" in notes["Ponds/Newts.md"]
    assert "amphibians" in notes["Ponds/Newts.md"]
    assert "2026-01-31" in notes["Ponds/Newts.md"]


def test_keep(tmp_path: Path) -> None:
    gone = KEEP | {"isTrashed": True}
    written(tmp_path, {"Takeout/Keep/Shop.json": KEEP, "Takeout/Keep/Gone.json": gone, "Takeout/Keep/Other.json": [1]})
    (tmp_path / "Takeout/Keep/Shop.html").write_text("<html></html>")
    text = read(tmp_path)["Shop.md"]
    assert "For Sunday\n\n- [x] milk\n- [ ] tea\n\n[Site](https://example.org)\n\n- [[a.jpg]]" in text
    assert "to-buy" in text
    assert "2026-01-31T10:00:00+00:00" in text
    assert "status: archived" in text


def test_chats(tmp_path: Path) -> None:
    written(tmp_path / "slack", SLACK)
    text = read(tmp_path / "slack")["general.md"]
    assert "## 2026-01-31\n\n**Ann Lee** 10:00  \nHi @Ann Lee & random: [site](https://example.org)" in text
    assert "beep  \nplan.pdf" in text
    written(tmp_path / "one", {"result.json": TELEGRAM})
    written(tmp_path / "all", {"export/result.json": {"chats": {"list": [TELEGRAM]}}})
    text = read(tmp_path / "one")["Bo.md"]
    assert "## 2026-01-31\n\n**Bo** 10:05  \nSee [x](https://a.org)\n\n## 2026-02-01\n\n**Ann** 09:00  \nThanks" in text
    assert read(tmp_path / "all")["Bo.md"] == text


@pytest.mark.parametrize(
    "value", [None, [], {}, 1, "x", [[]], {"chats": 1}, {"chats": {"list": [1]}}, {"messages": "x"}]
)
def test_other_json_is_no_export(tmp_path: Path, value: Any) -> None:
    written(tmp_path, {"result.json": value, "users.json": value})
    assert importer_of(tmp_path) is None


def test_a_damaged_export_of_joplin_has_failed(tmp_path: Path) -> None:
    (tmp_path / "export.jex").write_bytes(b"no tar" * 999)
    importer = importer_of(tmp_path)
    assert importer
    assert [type(note) for note in importer.notes()] == [Failed]
