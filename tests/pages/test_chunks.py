from dataclasses import replace
from typing import Any

from core.model import Chunk
from pages.ui.chunks import bands, summary
from pages.ui.shared import tree
from tests.pages.conftest import Screen


def test_without_a_note_some_are_offered_and_the_last_one_is_opened_next_time(filled: Screen) -> None:
    filled.open("chunks")
    assert "Choose a note" in filled.text
    assert not filled.app.dataframe
    filled.app.text_input("cut_text").input("bread").run()
    (offered,) = (button for button in filled.app.button if (button.key or "").startswith("offer_"))
    filled.press(offered.key)
    assert len(filled.app.dataframe[0].value) == 1
    bread = filled.app.query_params["note"]
    again = Screen().open("chunks")
    assert again.app.query_params["note"] == bread
    again.workspace.trash.put([bread])
    assert "Choose a note" in Screen().open("chunks").text


def test_without_notes_the_page_says_what_it_is_for_and_brings_some() -> None:
    screen = Screen().open("chunks")
    assert "There are no notes yet" in screen.text
    screen.press("try").finish()
    assert "Choose a note" in screen.text


def test_a_linked_note_is_shown_whole(filled: Screen) -> None:
    filled.open("chunks")
    backups = next(note.id for note in filled.workspace.notes.all() if note.path == "backups.md")
    filled.open("chunks", note=backups)
    assert len(filled.app.dataframe[0].value) == 1
    assert "Whole notes" in filled.text


def test_a_link_opens_the_note_at_its_chunk(long: str) -> None:
    screen = Screen().open("chunks", note=long, chunk="7")
    table = screen.app.dataframe[0].value
    assert len(table) == 30
    assert list(table["index"])[:3] == [1, 2, 3]
    assert "Chunks <b>30</b>" in screen.text
    assert screen.app.session_state[f"chunks_{long}_1"]["selection"]["rows"] == [7]


def test_a_note_that_is_read_can_be_followed_to_its_chunks(long: str) -> None:
    screen = Screen().open("notes", note=long).open("chunks", note=long)
    assert len(screen.app.dataframe[0].value) == 30


def test_the_strategy_explains_itself(long: str) -> None:
    said = Screen().open("chunks", note=long).text
    assert "By headings" in said
    assert "30 headings (## or ###)" in said
    assert "only notes with fewer than 500 stay whole" in said
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


def test_what_a_person_added_has_a_place_but_no_width() -> None:
    chunks = [chunk(0, 10, 0), chunk(10, 10, 1), chunk(8, 20, 2)]
    found = [(piece.kind, piece.index, piece.start, piece.end, piece.following) for piece in bands.pieces(chunks, 20)]
    assert found == [("own", 0, 0, 8, 2), ("both", 0, 8, 10, 2), ("own", 1, 10, 10, 2), ("own", 2, 10, 20, 3)]


def test_a_histogram_holds_every_size_once() -> None:
    assert summary.buckets([3, 3, 7]) == (3, 1, [2, 0, 0, 0, 1])
    first, step, counts = summary.buckets([12, 900, 455, 460])
    assert (first, step, sum(counts)) == (0, 50, 4)
    assert counts[0] == counts[18] == 1
    assert counts[9] == 2


def test_notes_stand_in_their_folders(filled: Screen) -> None:
    found = tree.folders(filled.workspace.notes.all(), several=False)
    assert [folder["name"] for folder in found["folders"]] == ["kitchen", "缓存"]
    assert [note[1] for note in found["notes"]] == ["Backups"]
    assert [note[1] for note in found["folders"][1]["notes"]] == ["缓存雪崩"]
    assert tree.folders(filled.workspace.notes.all(), several=True)["folders"][0]["count"] == 3
    base = filled.workspace.bases.all()[0].name
    filled.workspace.notes.add(base, "Bowls.", path="kitchen-ware/bowls.md", author="person")
    found = tree.folders(filled.workspace.notes.all(), several=False)
    assert [folder["name"] for folder in found["folders"]] == ["kitchen", "kitchen-ware", "缓存"]


def many(screen: Screen, folders: int, each: int) -> tuple[dict[str, Any], list[list[str]]]:
    """A tree of folders in two areas, and the ids of the notes in each folder."""
    card = screen.workspace.notes.all()[0]
    paths = [f"Area {n % 2}/Folder {n:02d}/{k:03d}.md" for n in range(folders) for k in range(each)]
    cards = [replace(card, id=path, path=path) for path in paths]
    return tree.folders(cards, several=False), [paths[n * each : (n + 1) * each] for n in range(folders)]


def test_of_many_notes_only_unfolded_folders_are_sent(filled: Screen) -> None:
    found, ids = many(filled, 6, 10)
    assert tree.unfolded(found, {}, (), None)["folders"] == [
        {"name": "Area 0", "count": 30},
        {"name": "Area 1", "count": 30},
    ]
    sent = tree.unfolded(found, {("Area 1",): 200}, (), None)
    assert [sorted(folder) for folder in sent["folders"]] == [
        ["count", "name"],
        ["count", "folders", "name", "notes", "rest"],
    ]
    assert sent["folders"][1]["folders"][0] == {"name": "Folder 01", "count": 10}
    sent = tree.unfolded(found, {}, ("Area 0", "Folder 02"), ids[2][0])
    folder = sent["folders"][0]["folders"][1]
    assert [note[0] for note in folder["notes"]] == ids[2]
    assert folder["rest"] == ""


def test_a_full_folder_is_sent_in_parts_with_the_chosen_note(filled: Screen) -> None:
    found, ids = many(filled, 1, 450)
    above = ("Area 0", "Folder 00")
    folder = tree.unfolded(found, {above[:1]: 200, above: 200}, (), None)["folders"][0]["folders"][0]
    assert [note[0] for note in folder["notes"]] == ids[0][:200]
    assert "250" in folder["rest"]
    folder = tree.unfolded(found, {}, above, ids[0][-1])["folders"][0]["folders"][0]
    assert [note[0] for note in folder["notes"]] == [*ids[0][:200], ids[0][-1]]
    folder = tree.unfolded(found, {above: 600}, above, ids[0][-1])["folders"][0]["folders"][0]
    assert [note[0] for note in folder["notes"]] == ids[0]


def test_a_long_note_is_laid_out_around_the_chosen_chunk() -> None:
    chunks = [chunk(100 * number, 100 * number + 100, number) for number in range(50)]
    assert bands.window(chunks, 0, 10_000) == (0, 50)
    first, last = bands.window(chunks, 25, 1000)
    assert first <= 25 < last
    assert last - first <= 12
    assert bands.window(chunks, 49, 300)[1] == 50
