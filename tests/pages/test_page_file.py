"""A note and an answer as one HTML file: all is inside, nothing is loaded, and no text of a note becomes a tag."""

import re
from pathlib import Path

import pytest

from core.model import Note
from core.workspace import Workspace
from pages.ui.notes import files
from pages.ui.search import quotes
from pages.ui.shared import server
from tests.pages.conftest import Screen

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40
TEXT = """# Plan <b>x</b>

## Steps

![[board.png]] ![there](pics/b.png) ![far](https://evil.test/x.png) [[Other]] [[Nobody]] [file](list.zip) [[#Steps]]

![[Other]]

<script>alert(1)</script> <img src=x onerror=alert(1)>
"""


@pytest.fixture
def workspace(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    folder = tmp_path / "notes"
    (folder / "pics").mkdir(parents=True)
    (folder / "plan.md").write_text(TEXT, encoding="utf-8")
    (folder / "other.md").write_text("# Other\n\nEmbedded. ![[board.png]]\n\nNot for others.\n", encoding="utf-8")
    for name in ("board.png", "pics/b.png"):
        (folder / name).write_bytes(PNG)
    (folder / "list.zip").write_bytes(b"PK")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
    monkeypatch.setattr(server.current, "opened", workspace)
    return workspace


def written(workspace: Workspace, title: str) -> str:
    note: Note = workspace.notes.get(workspace.notes.find(title).id)
    return files.note_page(note).decode()


def test_a_page_has_its_pictures_inside_and_loads_nothing(workspace: Workspace) -> None:
    page = written(workspace, "Plan x")
    assert len(re.findall(r'<img src="data:image/png;base64,', page)) == 3, "one of them is of the embedded note"
    assert "default-src 'none'" in page
    assert not re.findall(r'(?:src|srcset)="(?!data:)', page)
    assert not re.findall(r'href="(?!#|https://evil\.test/x\.png")', page), "a remote picture is a link"
    assert "Embedded." in page
    assert "<a>Other</a>" in page


def test_no_text_becomes_a_tag_and_places_of_the_page_are_links(workspace: Workspace) -> None:
    page = written(workspace, "Plan x")
    assert "<script" not in page
    assert "<img src=x" not in page
    assert 'href="#h2"' in page
    assert '<h2 id="h2">' in page
    assert re.findall("<h1[^>]*>([^<]*)", page) == ["Plan &lt;b&gt;x&lt;/b&gt;", "Other"]


def test_pictures_beyond_the_room_are_left_as_their_words(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PICTURES", len(PNG))
    page = written(workspace, "Plan x")
    assert len(re.findall('<img src="data:', page)) == 1
    assert "there" in page


@pytest.mark.parametrize("text", ["> " * 900 + "deep", "long " * 70_000])
def test_a_text_that_is_not_laid_out_is_saved_as_it_is_written(workspace: Workspace, text: str) -> None:
    note = workspace.notes.add("notes", text, title="</title><script>", author="person")
    page = files.note_page(note).decode()
    assert page.count(text.strip()[-40:].replace(">", "&gt;")) >= 1
    assert "<script" not in page


def test_the_answer_to_a_question_is_saved_as_a_page(filled: Screen) -> None:
    result = filled.workspace.search("what are backups worth?")
    answer = filled.workspace.answers.to_question(result)
    assert answer
    page = quotes.as_page(answer)
    assert "<h1>what are backups worth?</h1>" in page
    assert "Backups are only worth what their last restore proved." in page
    filled.open("search", q="what are backups worth?")
    assert filled.app.get("download_button")
