"""What a person does to chunks on their page: one in the drawer, several from the table."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import Cancelled
from core.model import Chunk
from core.workspace import Workspace
from pages.ui.chunks import editor
from tests.pages.conftest import Screen


class Chunks:
    """The page of one note's chunks."""

    def __init__(self, note: str) -> None:
        self.note = note
        self.screen = Screen().finish("warm").open("chunks", note=note)

    @property
    def all(self) -> list[Chunk]:
        return self.screen.workspace.chunks.all(self.note)

    @property
    def workspace(self) -> Workspace:
        return self.screen.workspace

    def mark(self, *rows: int) -> "Chunks":
        generation = self.workspace.notes.get(self.note).generation
        self.screen.app.session_state[f"chunks_{self.note}_{generation}"] = {
            "selection": {"rows": list(rows), "columns": [], "cells": []}
        }
        self.screen.app.run()
        return self

    def press(self, key: str) -> "Chunks":
        self.screen.press(key)
        return self

    def drawer(self, row: int, mode: str = "edit") -> "Chunks":
        self.mark(row).press("act_edit")
        assert self.screen.app.get("dialog")
        if mode != "edit":
            self.screen.app.segmented_control("drawer_mode").set_value(mode).run()
        return self

    def disabled(self, key: str) -> bool:
        return next(button.disabled for button in self.screen.app.button if button.key == key)

    @property
    def columns(self) -> list[str]:
        """The columns that are seen."""
        return list(self.screen.app.dataframe[0].proto.column_order)

    @property
    def column(self) -> list[str]:
        return list(self.screen.app.dataframe[0].value["edited"])


@pytest.fixture
def page(long: str) -> Chunks:
    return Chunks(long)


def test_an_edit_is_saved_from_the_drawer_and_found(page: Chunks) -> None:
    page.drawer(3)
    assert "Section 3" in page.screen.text
    page.screen.app.text_area[0].set_value("The quick zanzibar fox").run()
    page.press("drawer_save")
    assert page.all[3].text == "The quick zanzibar fox"
    assert page.all[3].edited
    assert page.column[3] == "edited"
    assert not page.screen.app.get("dialog")
    assert page.screen.app.query_params["chunk"] == "3"
    found = page.screen.open("search", q="zanzibar").text
    assert '<span class="t-tag t-edited">edited</span>' in found


def test_an_empty_text_is_refused_and_the_drawer_stays(page: Chunks) -> None:
    page.drawer(3)
    page.screen.app.text_area[0].set_value("  ").run()
    page.press("drawer_save")
    assert "The text is empty" in page.screen.errors
    assert page.screen.app.get("dialog")
    assert not page.all[3].edited


def test_a_chunk_is_split_where_its_sentence_begins(page: Chunks) -> None:
    text = page.all[2].text
    page.drawer(2, "split")
    offered = editor.places(text)
    page.screen.app.selectbox(f"place_{page.all[2].id}_1").set_value(offered[0]).run()
    page.press("drawer_split")
    assert len(page.all) == 31
    assert f"{page.all[2].text} {page.all[3].text}" == text
    assert page.column[2:4] == ["split", "split"]


def test_a_chunk_is_added_behind_another(page: Chunks) -> None:
    page.drawer(5, "add")
    page.screen.app.text_area[0].set_value("What I know better").run()
    page.press("drawer_add")
    assert page.all[6].text == "What I know better"
    assert page.column[6] == "added"
    assert page.screen.app.query_params["chunk"] == "6"


def test_the_drawer_merges_deletes_and_restores(page: Chunks) -> None:
    page.drawer(0).press("drawer_merge")
    assert len(page.all) == 29
    page.drawer(0).press("drawer_delete")
    assert page.all[0].state == "deleted"
    page.drawer(0)
    assert not page.screen.app.text_area
    page.press("drawer_restore")
    assert page.all[0].state == "embedded"
    page.drawer(0).press("drawer_restore")
    assert len(page.all) == 30


def test_marked_chunks_are_deleted_and_restored_together(page: Chunks) -> None:
    assert page.disabled("act_delete")
    page.mark(1, 4, 7).press("act_delete")
    assert [chunk.index for chunk in page.all if chunk.state == "deleted"] == [1, 4, 7]
    assert "3 hidden" in page.screen.text
    page.mark().mark(1, 4, 7)
    assert page.disabled("act_merge")
    page.press("act_restore")
    assert not any(chunk.state == "deleted" for chunk in page.all)


def test_a_link_from_another_page_leads_to_its_chunk_whatever_was_marked_before(page: Chunks) -> None:
    page.mark(4)
    assert page.screen.app.query_params["chunk"] == "4"
    page.screen.open("search").open("chunks", note=page.note, chunk="2")
    assert page.screen.app.query_params["chunk"] == "2"
    assert not page.disabled("act_edit")


def test_marked_neighbours_become_one_chunk(page: Chunks) -> None:
    texts = [chunk.text for chunk in page.all]
    page.mark(4, 2, 3).press("act_merge")
    assert len(page.all) == 28
    assert [chunk.text.count("## Section") for chunk in page.all][:4] == [1, 1, 3, 1]
    assert page.all[3].text == texts[5]
    assert page.screen.app.query_params["chunk"] == "2"
    assert len(page.workspace.chunks.edits(page.note)) == 1
    page.mark(2).press("act_restore")
    assert [chunk.text for chunk in page.all] == texts


def test_only_neighbours_can_be_merged(page: Chunks) -> None:
    for hidden in (7, 9):
        page.workspace.chunks.delete(page.all[hidden].id)
    page.screen.app.run()
    for rows in ((1, 3), (1, 2, 10), (6, 7, 8), (8,)):
        assert page.mark(*rows).disabled("act_merge")
    assert not page.mark(1, 2).disabled("act_merge")
    page.drawer(8)
    assert not any(button.key == "drawer_merge" for button in page.screen.app.button)


def test_a_single_chunk_is_merged_with_the_next_else_with_the_one_before(page: Chunks) -> None:
    page.mark(28).press("act_merge")
    assert [chunk.text.count("## Section") for chunk in page.all][-2:] == [1, 2]
    page.mark(28).press("act_merge")
    assert [chunk.text.count("## Section") for chunk in page.all][-2:] == [1, 3]
    assert page.screen.app.query_params["chunk"] == "27"


def test_an_import_shuts_the_chunks_of_its_own_base_only_and_says_so(page: Chunks) -> None:
    jobs, go = page.workspace.jobs, threading.Event()
    page.drawer(3)
    try:
        jobs.start("import", lambda progress: go.wait(60), base="another")
        page.screen.app.run()
        page.screen.app.text_area[0].set_value("The quick zanzibar fox").run()
        page.press("drawer_save")
        assert page.all[3].text == "The quick zanzibar fox"
        go.set()
        jobs.wait("import")
        go.clear()
        jobs.start("import", lambda progress: go.wait(60), base="long")
        page.drawer(4)
        assert "An import is running" in page.screen.text
        assert page.disabled("drawer_save")
        assert page.disabled("act_delete")
    finally:
        go.set()
        jobs.wait("import")
    page.screen.app.run()
    assert not page.disabled("drawer_save")


def test_a_choice_behind_the_last_chunk_is_the_last_one(page: Chunks) -> None:
    page.mark(28, 29)
    page.screen.app.query_params["chunk"] = "29"
    page.screen.app.session_state["address_chunks_chunk"] = "29"
    page.press("act_merge")
    page.workspace.chunks.merge(page.all[27].id)
    page.screen.app.run()
    assert "This note has no chunk" not in page.screen.text
    assert page.all[-1].text.count("## Section") == 3


@pytest.mark.parametrize("text", ["", "---\ntags: [todo]\n---\n", " \n\n"])
def test_a_note_without_text_is_given_a_chunk(text: str, place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    folder.mkdir()
    (folder / "Lighthouse.md").write_text(text)
    (folder / "other.md").write_text("other words")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        found = [note.id for note in workspace.notes.all() if note.path == "Lighthouse.md"]
    if not found:
        return
    page = Chunks(found[0])
    assert page.all == []
    assert "nothing to split" in page.screen.text
    page.press("drawer_first")
    assert "The text is empty" in page.screen.errors
    page.screen.app.text_area[0].set_value("The keeper is called Zebulon").run()
    page.press("drawer_first")
    assert [chunk.text for chunk in page.all] == ["The keeper is called Zebulon"]
    assert page.column == ["added"]
    for view in ("preview", "compare", "stored"):
        page.screen.app.segmented_control("cut_view").set_value(view).run()
        assert not page.screen.app.exception
    assert "Lighthouse" in page.screen.open("search", q="zebulon").text


def test_both_parts_of_a_split_are_restored_by_one_mark_each(page: Chunks) -> None:
    page.workspace.chunks.split(page.all[2].id, 30)
    page.screen.app.run()
    page.mark(2, 3).press("act_restore")
    assert len(page.all) == 30
    assert page.workspace.chunks.edits(page.note) == []


def test_pending_chunks_are_embedded_one_note_or_base_at_a_time(page: Chunks) -> None:
    page.screen.app.toggle[0].set_value(False).run()
    assert not page.workspace.bases.all()[0].embed_at_once
    for index in (1, 2, 3):
        page.workspace.chunks.update(page.all[index].id, f"another text {index}")
    page.screen.app.run()
    page.mark(1, 2, 5).press("act_embed").screen.finish("embed")
    assert [chunk.index for chunk in page.all if chunk.state == "pending"] == [3]
    page.press("embed_note").screen.finish("embed")
    assert {chunk.state for chunk in page.all} == {"embedded"}


def test_edits_that_lost_their_place_are_kept_or_dropped(long: str, place: Path, tmp_path: Path) -> None:
    file = tmp_path / "long" / "long.md"
    with Workspace(place) as workspace:
        for index in (3, 5):
            workspace.chunks.update(workspace.chunks.all(long)[index].id, f"rewritten {index}")
        file.write_text(file.read_text().replace("word3 ", "other3 ").replace("word5 ", "other5 "))
        workspace.imports.apply(workspace.imports.plan_folder(file.parent))
        first, second = workspace.chunks.flagged()
    page = Chunks(long)
    assert "2 edits no longer match the text" in page.screen.text
    assert "rewritten 3" in page.screen.text
    page.press(f"keep_{first.edit.id}")
    assert [chunk.text for chunk in page.all if chunk.edited] == ["rewritten 3"]
    page.press(f"drop_{second.edit.id}")
    assert page.workspace.chunks.flagged() == []
    assert "no longer match" not in page.screen.text


def test_places_for_a_split_are_before_lines_and_sentences() -> None:
    text = "One. Two\n\nthree。四"
    assert [text[at:] for at in editor.places(text)] == ["Two\n\nthree。四", "three。四", "四"]
    assert editor.places("word") == []


def test_no_split_parts_a_heading_or_the_mark_of_an_item_from_its_text() -> None:
    text = "## Steps\n\n1. Save the file. Then go on.\n2. Close it.\n\n## OK\n\n1. Look. It is there.\n- Done"
    assert [text[at:].split("\n")[0] for at in editor.places(text)] == [
        "Then go on.",
        "2. Close it.",
        "## OK",
        "It is there.",
        "- Done",
    ]
    assert text[editor._best_place(text, editor.places(text)) :].startswith("## OK")


def test_a_column_that_says_one_word_for_all_stands_below_the_table(page: Chunks) -> None:
    assert page.columns == ["index", "section", "tokens"]
    assert "All rows: indexed, section" in page.screen.text.replace("\\", "")
    assert "kept" not in page.screen.text
    for index in (2, 5):
        page.workspace.chunks.update(page.all[index].id, f"another text {index}")
    page.screen.app.run()
    assert page.columns == ["index", "section", "tokens", "edited"]
    assert "Your 2 edits are kept" in page.screen.text


def test_chunks_are_read_as_written_or_as_read(page: Chunks) -> None:
    page.workspace.chunks.update(page.all[0].id, "a **strong** word")
    page.screen.app.run()
    assert "strong</span>" not in page.screen.text
    page.screen.app.segmented_control("bands_view").set_value("rendered").run()
    assert 'a <span class="t-b">strong</span> word' in page.screen.text


def test_a_note_whose_chunks_come_from_an_earlier_split_is_split_again(page: Chunks) -> None:
    def stop(*_: object) -> None:
        raise Cancelled

    workspace = page.workspace
    before = len(page.all)
    larger = replace(workspace.bases.get("long").chunking, strategy="recursive", chunk_size=1024)
    with pytest.raises(Cancelled):
        workspace.chunks.rechunk("long", options=larger, progress=stop)
    page.screen.app.run()
    assert "These chunks come from an earlier split" in page.screen.text
    page.press("split_again")
    page.screen.finish("rechunk")
    assert len(page.all) < before
    assert "earlier split" not in page.screen.text
    assert workspace.chunks.options(page.all[0].note_id) is None
