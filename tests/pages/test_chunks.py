from pathlib import Path

import pytest

from core.model import Chunk
from core.workspace import Workspace
from pages.ui import bands
from tests import notes
from tests.pages.conftest import Screen


@pytest.fixture
def long(place: Path, tmp_path: Path) -> str:
    folder = tmp_path / "long"
    folder.mkdir()
    (folder / "long.md").write_text(notes.long_note(30))
    with Workspace(place) as workspace:
        workspace.apply(workspace.plan_folder(folder))
        return workspace.notes()[0].id


def test_nothing_is_chosen_at_first(filled: Screen) -> None:
    filled.open("chunks")
    assert "Choose a note" in filled.text
    assert not filled.app.dataframe


def test_a_note_is_chosen_from_the_list(filled: Screen) -> None:
    filled.open("chunks")
    backups = next(note.id for note in filled.workspace.notes() if note.path == "backups.md")
    filled.app.selectbox("cut_note").set_value(backups).run()
    assert filled.app.query_params["note"] == backups
    assert len(filled.app.dataframe[0].value) == 1
    assert "Whole note" in filled.text


def test_a_link_opens_the_note_at_its_chunk(long: str) -> None:
    screen = Screen().open("chunks", note=long, chunk="7")
    table = screen.app.dataframe[0].value
    assert len(table) == 30
    assert list(table["index"])[:3] == [1, 2, 3]
    assert screen.app.session_state[f"chunks_{long}_1"]["selection"]["rows"] == [7]


def test_a_note_that_is_read_can_be_followed_to_its_chunks(long: str) -> None:
    screen = Screen().open("notes", note=long).open("chunks", note=long)
    assert len(screen.app.dataframe[0].value) == 30


def test_the_strategy_explains_itself(long: str) -> None:
    said = Screen().open("chunks", note=long).text
    assert "By headings" in said
    assert "30 headings of level 2 or 3" in said
    assert "not fewer than short_doc_threshold (500)" in said
    assert "H1×1 H2×30" in said


def test_a_chunk_or_note_that_is_not_there_is_said(long: str) -> None:
    screen = Screen().open("chunks", note=long, chunk="999")
    assert "This note has no chunk 999" in screen.text
    screen = Screen().open("chunks", note="nosuchnote")
    assert "There is no note" in screen.errors
    assert screen.open("chunks", note=long).app.dataframe


def chunk(start: int, end: int, index: int = 0) -> Chunk:
    return Chunk(f"n:{index}", "n", index, 3, start, end, "x" * (end - start), "recursive_character")


def test_pieces_give_the_whole_text_once_with_overlaps_apart() -> None:
    chunks = [chunk(2, 10, 0), chunk(8, 20, 1), chunk(22, 30, 2)]
    found = bands.pieces(chunks, 35)
    assert [(piece.kind, piece.index, piece.start, piece.end) for piece in found] == [
        ("gap", 0, 0, 2),
        ("own", 0, 2, 8),
        ("both", 0, 8, 10),
        ("own", 1, 10, 20),
        ("gap", 2, 20, 22),
        ("own", 2, 22, 30),
        ("gap", 3, 30, 35),
    ]


def test_a_long_note_is_laid_out_around_the_chosen_chunk() -> None:
    chunks = [chunk(100 * number, 100 * number + 100, number) for number in range(50)]
    assert bands.window(chunks, 0, 10_000) == (0, 50)
    first, last = bands.window(chunks, 25, 1000)
    assert first <= 25 < last
    assert last - first <= 12
    assert bands.window(chunks, 49, 300)[1] == 50
