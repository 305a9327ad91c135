"""Irregular forms of English words are found and marked like the regular ones."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.base import text as base_text
from core.store import phrases
from core.workspace import Workspace

NOTES = {
    "ladder": "Tom lent me his ladder.",
    "car": "We bought the car in May.",
    "school": "The children go to school.",
    "lending": "Lend nothing to Bob.",
    "letters": "She wrote them by hand.",
}


@pytest.mark.parametrize(
    ("question", "notes", "marked"),
    [
        ("lend", {"ladder", "lending"}, {"lent", "Lend"}),
        ("lent", {"ladder", "lending"}, {"lent", "Lend"}),
        ("lending", {"ladder", "lending"}, {"lent", "Lend"}),
        ("buys", {"car"}, {"bought"}),
        ("child", {"school"}, {"children"}),
        ("written", {"letters"}, {"wrote"}),
        ('"lent me"', {"ladder"}, {"lent me"}),
    ],
)
def test_every_form_is_found_and_marked(
    tmp_path_factory: pytest.TempPathFactory, question: str, notes: set[str], marked: set[str]
) -> None:
    folder: Path = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / f"{name}.md").write_text(f"---\ntitle: {name}\n---\n\n{text}\n", encoding="utf-8")
    with Workspace(tmp_path_factory.mktemp("workspace")) as workspace:
        workspace.settings.embedder = "tfidf"
        workspace.imports.apply(workspace.imports.plan_folder(folder, "notes"))
        result = workspace.search(question, mode="keyword", as_typed=True)
        seen = workspace.searching.highlights(result)
        assert {hit.note.title for hit in result.hits if seen[hit.chunk.id].words} == notes
        texts = {hit.chunk.text[start:end] for hit in result.hits for start, end in seen[hit.chunk.id].words}
        assert texts == marked


def test_notes_that_are_there_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, Workspace(tmp_path) as workspace:
        patch.setattr(base_text, "IRREGULAR", {})
        phrases._words_of.cache_clear()
        workspace.settings.embedder = "tfidf"
        workspace.bases.add("notes")
        workspace.notes.add("notes", "Tom lent me his ladder.", title="ladder")
    phrases._words_of.cache_clear()
    with closing(sqlite3.connect(tmp_path / "notes.db")) as connection, connection:
        connection.execute("UPDATE version SET words = 2")
    with Workspace(tmp_path, readonly=True) as workspace:
        for question in ("lend", "lent"):
            (hit,) = workspace.search(question, mode="keyword", as_typed=True).hits
            assert hit.note.title == "ladder"
