"""Irregular forms of English words are found and marked like the regular ones."""

from pathlib import Path

import pytest

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
