"""What a vault of Obsidian holds beside its notes: canvases, bases, properties, and files that are missing."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import SourceError
from core.documents.obsidian import Base, Canvas
from core.model import Note
from core.workspace import Workspace

CANVAS = {
    "nodes": [
        {"id": "1", "type": "text", "x": 400, "y": 10, "width": 100, "height": 50, "text": "Second card"},
        {"id": "2", "type": "text", "x": 0, "y": 0, "width": 100, "height": 50, "text": "# First card\nwith a plan"},
        {
            "id": "3",
            "type": "file",
            "x": 0,
            "y": 300,
            "width": 100,
            "height": 50,
            "file": "Flower.md",
            "subpath": "#Soil",
        },
        {"id": "4", "type": "group", "x": 900, "y": 0, "width": 400, "height": 400, "label": "Later"},
        {"id": "5", "type": "link", "x": 950, "y": 50, "width": 100, "height": 50, "url": "https://example.org/"},
        {"id": "6", "type": "file", "x": 950, "y": 250, "width": 100, "height": 50, "file": "map.png"},
    ],
    "edges": [{"id": "e", "fromNode": "2", "toNode": "3", "label": "needs"}, {"fromNode": "2", "toNode": "9"}],
}
BASE = """
filters:
  and:
    - file.hasTag("book")
    - or: ['status == "read"', 'rating > 3']
formulas:
  age: now() - file.ctime
properties:
  file.name:
    displayName: Title
views:
  - type: table
    name: Read books
    limit: 20
    order: [file.name, rating]
    sort: [{property: rating, direction: DESC}]
"""
NOTE = """---
aliases: [Roses]
alias: Rosa
rating: 4.5
done: true
seen: 2026-01-31
at: 2026-01-31T10:20:00
colours: [red, white]
---
![[rose.png]] ![](gone.jpg) [[lost.pdf#page=2]] [web](https://example.org/a.png) [[Roses.base]]
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        opened.bases.add("vault", embedder="tfidf")
        yield opened


def test_a_canvas_is_the_text_of_its_cards_in_reading_order() -> None:
    text = Canvas().convert(json.dumps(CANVAS).encode(), "canvas").text
    assert text == (
        "# First card\nwith a plan\n\nSecond card\n\n[[Flower.md#Soil]]\n\n## Later\n\n<https://example.org/>\n\n"
        "![[map.png]]\n\n- First card → [[Flower.md#Soil]] (needs)"
    )


def test_a_base_is_its_filters_and_views_in_words() -> None:
    text = Base().convert(BASE.encode(), "base").text
    assert text.split("\n") == [
        *("## Filters", "", '- `file.hasTag("book")`', '- (`status == "read"` or `rating > 3`)', ""),
        *("## Formulas", "", "- age: `now() - file.ctime`", "", "## Properties", "", "- file.name: Title", ""),
        *("## Read books", "", "- Layout: table", "- Columns: file.name, rating", "- Sorted by: rating DESC"),
        "- At most: 20",
    ]


@pytest.mark.parametrize("data", [b"", b"[]", b'{"nodes": 5}', b"\xff\xfe", b'{"nodes": [5, {"id": []}]}', b"[" * 9000])
def test_a_canvas_of_another_form_is_empty_or_refused(data: bytes) -> None:
    try:
        assert Canvas().convert(data, "canvas").text == ""
    except (SourceError, RecursionError):
        return


@pytest.mark.parametrize("data", [b"", b"- a\n", b"a: *b\n", b"a: &b [*b]\n", b"{" * 500])
def test_a_base_of_another_form_is_refused(data: bytes) -> None:
    with pytest.raises(SourceError):
        Base().convert(data, "base")


def test_a_vault_is_read_with_its_canvases_properties_and_what_is_missing(workspace: Workspace, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Flower.md").write_text(NOTE, "utf-8")
    (vault / "Roses.base").write_text(BASE, "utf-8")
    (vault / "Plan.canvas").write_text(json.dumps({**CANVAS, "nodes": CANVAS["nodes"][:3]}), "utf-8")
    (vault / "rose.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert workspace.imports.apply(workspace.imports.plan_folder(vault, "vault")).added == 3
    notes: dict[str | None, Note] = {note.path: workspace.notes.get(note.id) for note in workspace.notes.all()}
    flower, canvas = notes["Flower.md"], notes["Plan.canvas"]
    assert canvas.document
    assert (canvas.document.kind, canvas.title) == ("canvas", "Plan")
    assert workspace.notes.links().target(canvas, canvas.links[0]) == flower.id
    assert workspace.notes.links().target(flower, "Rosa") == flower.id
    assert [link.note_id for link in workspace.notes.links().resolve(flower, flower.links)] == [notes["Roses.base"].id]
    assert workspace.attachments.missing(flower) == ("gone.jpg", "lost.pdf")
    assert flower.extra == {
        "aliases": ["Roses", "Rosa"],
        "rating": 4.5,
        "done": True,
        "seen": "2026-01-31",
        "at": "2026-01-31T10:20:00",
        "colours": ["red", "white"],
    }
