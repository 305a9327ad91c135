import io
import json
import threading
import zipfile
from html import unescape
from pathlib import Path

import pytest

from core.model import AUTHORS, IndexedChunks
from core.workspace import Workspace
from pages.ui.notes import trash
from pages.ui.shared import jobs, tree
from tests import samples
from tests.pages.conftest import Screen


def proposed(screen: Screen, folder: Path) -> Screen:
    screen.open("notes")
    screen.app.text_input("import_path").input(str(folder))
    return screen.press("look_path")


def figures(screen: Screen) -> str:
    return next(element.proto.body for element in screen.app.get("html") if "t-counts" in element.proto.body)


def test_a_folder_is_planned_then_imported_then_reported(vault: Path) -> None:
    screen = proposed(Screen(), vault)
    assert "What will change" in screen.text
    assert "<b>3</b><span>Added" in figures(screen)
    assert figures(screen).count("t-count ") == 1, "nothing is counted that there isn't"
    assert "There are no notes yet" not in screen.text
    assert "缓存/雪崩.md" in screen.text
    assert screen.workspace.notes.all() == []
    screen.press("plan_apply").finish()
    assert "Import finished" in screen.text
    assert "<b>3</b><span>Added" in figures(screen)
    assert len(screen.workspace.notes.all()) == 3


@pytest.mark.parametrize("writes", [True, False])
def test_the_first_import_of_a_folder_asks_once_whether_its_files_may_be_written(vault: Path, writes: bool) -> None:
    screen = proposed(Screen(), vault)
    assert screen.app.radio("plan_writes").value is False  # files are only read unless the user wants more
    screen.app.radio("plan_writes").set_value(writes).run()
    screen.press("plan_apply").finish()
    assert screen.workspace.bases.all()[0].write_files is writes
    (vault / "new.md").write_text("New")
    assert "plan_writes" not in {radio.key for radio in proposed(screen, vault).app.radio}
    screen.press("plan_apply").finish()
    assert screen.workspace.bases.all()[0].write_files is writes


def test_a_plan_can_be_left_alone(vault: Path) -> None:
    screen = proposed(Screen(), vault).press("plan_discard")
    assert screen.workspace.notes.all() == []
    assert screen.app.text_input("import_path")


def test_a_second_sync_tells_what_changed(filled: Screen, vault: Path) -> None:
    (vault / "backups.md").write_text(samples.BACKUPS + "\nOne more line.\n")
    (vault / "kitchen" / "bread.txt").rename(vault / "bread.txt")
    filled.open("notes").press("again_0")
    assert "<b>1</b><span>Changed" in figures(filled)
    assert "<b>1</b><span>Renamed" in figures(filled)
    assert "← kitchen/bread.txt" in filled.text


def test_nothing_to_do_is_said(filled: Screen) -> None:
    filled.open("notes").press("again_0")
    assert "Everything is up to date" in filled.text
    assert filled.app.button("plan_apply").disabled


def test_a_plan_that_removes_much_wants_a_second_yes(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.md").write_text(f"note number {number}")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
    for number in range(4):
        (folder / f"{number}.md").unlink()
    screen = Screen().open("notes").press("again_0")
    assert "4 of 6 notes are no longer in the folder" in screen.text
    assert screen.app.button("plan_apply").disabled
    screen.app.checkbox("plan_confirmed").check().run()
    screen.press("plan_apply").finish()
    assert len(screen.workspace.notes.all()) == 2


def test_a_folder_that_is_missing_or_not_given_is_an_error_box(tmp_path: Path) -> None:
    screen = proposed(Screen(), tmp_path / "nowhere")
    assert "doesn't exist" in screen.errors.replace("\\", "")
    screen.app.text_input("import_path").input("  ")
    screen.press("look_path")
    assert "Enter a folder path first" in screen.errors


def test_uploaded_folders_files_and_archives_are_planned_and_imported() -> None:
    screen = Screen().open("notes")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("packed.md", "# Packed\n\ntext")
    directory, files = screen.app.file_uploader
    directory.set_value([("vault/sub/a.md", b"# A\n\ntext", "text/markdown")]).run()
    screen.press("look_directory")
    assert "vault/sub/a.md" in screen.text
    screen.press("plan_apply").finish()
    assert [base.name for base in screen.workspace.bases.all()] == ["My notes"]
    files = screen.open("notes").app.file_uploader[1]
    files.set_value([("b.md", b"# B\n\ntext", "text/markdown"), ("c.zip", archive.getvalue(), "application/zip")]).run()
    screen.press("look_files").press("plan_apply").finish()
    assert {note.path for note in screen.workspace.notes.all()} == {"vault/sub/a.md", "b.md", "packed.md"}


def test_dropped_files_of_one_name_are_notes_of_their_own() -> None:
    screen = Screen().open("notes")
    dropped = [("bed.rst", f"Bed\n===\n\nIn {where}.\n".encode(), "text/plain") for where in ("sun", "shade")]
    screen.app.file_uploader[1].set_value(dropped).run()
    screen.press("look_files").press("plan_apply").finish()
    notes = {note.path: screen.workspace.notes.get(note.id).body for note in screen.workspace.notes.all()}
    assert notes == {"bed.rst": "# Bed\n\nIn sun.\n", "bed 2.rst": "# Bed\n\nIn shade.\n"}


def test_files_of_kinds_nobody_reads_are_listed_with_what_helps() -> None:
    screen, cure = (
        Screen().open("notes"),
        "This is a recording. Tessera doesn't transcribe speech, so put a transcript next to it as a text file.",
    )
    dropped = [("bed.md", b"# Bed\n\nIn sun.\n", "text/plain"), ("clip.mp4", b"\0", "video/mp4")]
    screen.app.file_uploader[1].set_value(dropped).run()
    screen.press("look_files").press("plan_apply").finish()
    assert cure in unescape(screen.text)
    assert cure in unescape(Screen().open("bases", base="My notes").text)


def test_the_table_and_the_tree_say_which_notes_wait_to_be_indexed(filled: Screen) -> None:
    filled.workspace.bases.update("vault", embed_at_once=False)
    filled.workspace.notes.add("vault", "A text that waits.", title="Fresh")
    filled.open("notes").app.session_state["notes_view"] = "list"
    filled.app.run()
    states = dict(zip(*(filled.app.dataframe[0].value[name] for name in ("title", "state")), strict=True))
    assert {state for title, state in states.items() if title != "Fresh"} == {"indexed"}
    assert states["Fresh"] == "not indexed yet"
    shown = tree.folders(filled.workspace.notes.all(), several=False)["notes"]
    assert {title: mark for _, title, _, mark in shown} == {"Backups": "", "Fresh": "not indexed yet"}


def test_an_upload_whose_name_leads_out_is_refused() -> None:
    screen = Screen().open("notes")
    screen.app.file_uploader[1].set_value([("../../x.md", b"# X", "text/markdown")]).run()
    screen.press("look_files")
    assert "could point outside the folder" in screen.errors.replace("\\", "")


def test_the_tree_is_sent_with_filters_of_every_kind(filled: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(tree, "VIEW", lambda data, **more: sent.append(json.dumps(data)))
    filled.open("notes")
    before = json.loads(sent[-1])["listing"]
    filled.app.session_state["notes_filters"] = ["tag:redis"]
    filled.app.run()
    assert not filled.app.exception
    assert json.loads(sent[-1])["listing"] != before


def test_filters_narrow_the_list(filled: Screen) -> None:
    filled.open("notes").app.session_state["notes_view"] = "list"
    filled.app.run()
    assert len(filled.app.dataframe[0].value) == 3
    box = "notes_filters"

    def narrow(*typed: str) -> list[str]:
        filled.app.session_state[box] = list(typed)
        filled.app.run()
        return list(filled.app.dataframe[0].value["path"]) if filled.app.dataframe else []

    assert narrow("bread") == ["kitchen/bread.txt"]
    assert narrow("kitchen", "bread") == narrow("bread kitchen") == ["kitchen/bread.txt"]
    assert list(filled.app.multiselect(box).options)[-3:] == [
        "use:Never found", "use:Found but never helpful", "use:Misleading",
    ]  # fmt: skip
    assert narrow("tag:redis") == narrow("标签:redis") == narrow("标签：redis") == narrow("base:vault", "tag:redis")
    assert list(filled.app.dataframe[0].value["title"]) == ["缓存雪崩"]
    assert narrow("tag:redis", "nothing:such") == []
    assert "No note matches these filters" in filled.text
    assert narrow("nothing", "such") == []
    (link,) = [link.proto for link in filled.app.get("page_link") if "Search the text" in link.proto.label]
    assert "nothing+such" in link.query_string
    filled.press("notes_clear")
    assert len(filled.app.dataframe[0].value) == 3
    filled.workspace.uses.report(filled.workspace.notes.find("backups.md").id, "desk", helpful=-1)
    assert narrow("use:misleading") == ["backups.md"]
    assert "backups.md" not in narrow("use:unfound")
    assert len(narrow("base:gone", "status:active")) == 0


def test_a_note_shows_how_it_was_found_opened_and_judged(filled: Screen) -> None:
    note = filled.workspace.notes.find("backups.md").id
    filled.open("notes", note=note)
    assert "How it was used" not in [box.label for box in filled.app.expander]
    filled.open("search", q="restore")
    for typed in ("restore", "restored"):
        filled.open("notes", note=note, chunk="0", q=typed)
        filled.app.run()
    filled.workspace.uses.report(note, "desk", "a <b> question", helpful=1)
    filled.app.run()
    said = filled.text
    for text in ("found 1 time", "used 3 times", "1 helpful", "Opened from the hits", "a &lt;b&gt; question"):
        assert text in said, text
    filled.press("forget_uses")
    assert filled.workspace.uses.of(note) == []


def test_a_linked_note_is_read_with_its_metadata_and_warnings(place: Path, vault: Path) -> None:
    (vault / "odd.md").write_text(
        "---\ntitle: '*Odd*'\ncreated: yesterday\ncolour: red\n---\nBody ![x](http://a.b/c.png)\n"
    )
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
        odd = next(note for note in workspace.notes.all() if note.path == "odd.md")
    screen = Screen().open("notes", note=odd.id)
    assert '<div class="t-title">*Odd*</div>' in screen.text
    assert "is not a date like 2026-01-31" in screen.text.replace("\\", "")
    assert "<b>colour</b>: red" in screen.text
    assert "<img" not in screen.document
    assert 'href="http://a.b/c.png"' in screen.document


def test_a_note_says_that_its_chunks_were_edited(long: str, tmp_path: Path) -> None:
    screen = Screen().open("notes", note=long)
    assert "t-edited" not in screen.text
    workspace = screen.workspace
    chunks = workspace.chunks.all(long)
    workspace.chunks.update(chunks[4].id, "mine")
    workspace.chunks.delete(chunks[8].id)
    screen.app.run()
    assert ">edited</span>" in screen.text
    (link,) = [link.proto for link in screen.app.get("page_link") if "edited" in link.proto.label]
    assert link.label == "See 2 edited passages"
    assert link.query_string == f"note={long}&chunk=4"
    file = tmp_path / "long" / "long.md"
    file.write_text("# Another text\n")
    workspace.imports.apply(workspace.imports.plan_folder(file.parent))
    assert "t-edited" not in screen.open("notes", note=long).text


def test_an_open_note_that_is_gone_says_so_and_is_restored_from_the_trash(filled: Screen) -> None:
    assert "This note no longer exists." in filled.open("notes", note="nosuchnote").text
    bread = next(note for note in filled.workspace.notes.all() if note.path == "kitchen/bread.txt")
    filled.open("notes", note=bread.id)
    filled.workspace.trash.put([bread.id], author="sync")
    filled.app.run()
    assert "This note is in the trash." in filled.text
    assert "its file was missing" in filled.text
    filled.press(f"restore_{bread.id}")
    assert filled.workspace.notes.get(bread.id).title in filled.text
    assert not filled.errors


def test_notes_are_deleted_after_a_yes(filled: Screen) -> None:
    bread = next(note for note in filled.workspace.notes.all() if note.path == "kitchen/bread.txt")
    filled.open("notes", note=bread.id)
    assert not any("Delete" in button.label for button in filled.app.button)
    delete(filled, bread.id)
    assert "- bread · kitchen/bread.txt" in filled.text.replace("\\", "")
    assert "from the trash for 30 days" in filled.text
    filled.press("delete_no")
    assert len(filled.workspace.notes.all()) == 3
    delete(filled, bread.id).press("delete_yes")
    assert [note.path for note in filled.workspace.notes.all()] == ["backups.md", "缓存/雪崩.md"]


def test_several_marked_notes_are_deleted_together(filled: Screen) -> None:
    first, second, _ = filled.workspace.notes.all()
    filled.workspace.chunks.update(filled.workspace.chunks.all(first.id)[0].id, "mine")
    filled.open("notes").app.session_state["chosen"] = [first.id, second.id]
    filled.app.session_state["notes_view"] = "list"
    filled.app.run()
    filled.press("delete_notes")
    assert f"- {first.title} · {first.path}\n- {second.title} · {second.path}" in filled.text.replace("\\", "")
    assert "your edits to passages" in filled.text
    filled.press("delete_yes")
    assert len(filled.workspace.notes.all()) == 1


def delete(screen: Screen, note_id: str) -> Screen:
    """Choose to delete the note that is open, in its menu."""
    menu = screen.app.menu_button(f"note_menu_{note_id}")
    menu.click("delete").run()
    return screen


def test_a_base_is_not_deleted_from_among_its_notes(filled: Screen) -> None:
    assert "Delete this base" not in {button.label for button in filled.open("notes", base="vault").app.button}


def test_during_the_first_import_nobody_is_told_to_import() -> None:
    screen, gate = Screen().finish("warm"), threading.Event()
    try:
        screen.workspace.jobs.start("import", lambda progress: gate.wait(60))
        assert "There are no notes yet" not in screen.open("notes").text
    finally:
        gate.set()
        screen.finish("import")
    assert "There are no notes yet" in screen.open("notes").text


def test_a_long_note_is_rendered_in_part(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    (folder / "long.md").write_text("word " * 30_000)
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        long = workspace.notes.all()[0]
    screen = Screen().open("notes", note=long.id)
    assert "the first 100,000 of 150,000 characters" in screen.text
    assert 99_000 < len(screen.document) < 101_000


def imported(place: Path, folder: Path, text: str) -> str:
    """The id of a note with this text."""
    folder.mkdir()
    (folder / "note.md").write_text(text)
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        return workspace.notes.all()[0].id


@pytest.mark.parametrize("address", [{}, {"chunk": "0"}])
def test_a_note_that_no_browser_can_lay_out_is_shown_as_it_is_written(
    place: Path, tmp_path: Path, address: dict[str, str]
) -> None:
    note = imported(place, tmp_path / "deep", "# Deep\n\n" + "> " * 9_000 + "x\n")
    screen = Screen().open("notes", note=note, **address)
    assert "nested too deeply" in screen.text
    assert any("> > >" in code.value for code in screen.app.code)
    assert not screen.document


def test_of_a_note_of_many_signs_the_first_part_is_shown(place: Path, tmp_path: Path) -> None:
    note = imported(place, tmp_path / "dense", "# Dense\n\n" + "- **b** `c`\n" * 5_000)
    screen = Screen().open("notes", note=note)
    assert "This note is long, so only the first" in screen.text
    assert 0 < screen.document.count("<li>") < 2_000
    assert screen.app.get("download_button")


def test_a_short_text_file_with_line_ends_of_windows_is_shown_whole(place: Path) -> None:
    with Workspace(place) as workspace:
        workspace.bases.add("lines", kind="lines")
        note = workspace.notes.add("lines", "one\r\ntwo\r\nthree", title="Lines", author="person", embed=False)
        assert note.plain
    screen = Screen().open("notes", note=note.id)
    assert "three" in screen.text
    assert "This note is long" not in screen.text


def test_the_notes_changed_last_are_those_of_the_chosen_base(filled: Screen) -> None:
    filled.workspace.notes.add("garden", "Thyme wants sun.\n", title="Thyme", embed=False)
    titles = {card.title for card in filled.workspace.notes.all()}

    def latest(**address: str) -> set[str]:
        return titles & {link.proto.label for link in filled.open("notes", **address).app.get("page_link")}

    assert latest() == titles
    assert latest(base="garden") == {"Thyme"}


def test_without_an_open_note_the_ones_changed_last_are_links(filled: Screen) -> None:
    screen = filled.open("notes")
    links = {link.proto.label: link.proto.query_string for link in screen.app.get("page_link")}
    cards = screen.workspace.notes.all()
    assert {f"note={card.id}" for card in cards} <= set(links.values())
    assert "Last changed" in screen.text
    assert "Last changed" not in screen.open("notes", note=cards[0].id).text


def test_the_fields_of_a_note_have_names_and_values_in_words(filled: Screen) -> None:
    note = filled.workspace.notes.add("vault", "Text", title="Classified", type="rule", priority=3, status="pending")
    said = filled.open("notes", note=note.id).text
    for field in ("<b>Type</b>: rule", "<b>Priority</b>: 3", "<b>Status</b>: to be reviewed"):
        assert field in said


def test_related_notes_stand_beside_a_note_and_a_click_accepts_what_they_suggest(place: Path) -> None:
    text = "The sourdough rests overnight in the fridge. A cold sourdough starter makes the crumb sour."
    with Workspace(place) as workspace:
        for name in ("Starter", "Crumb"):
            workspace.notes.add(
                "home", f"{name}. {text}", title=name, path=f"bread/{name}.md", tags=["bread"], author="person"
            )
        note = workspace.notes.add(
            "home", f"The Starter feeds it. {text.lower()[:70]}", title="Dough", author="person"
        ).id
    screen = Screen()
    screen.app.session_state["related"] = True
    screen.open("notes", note=note)
    assert "Both mention sourdough" in screen.text
    screen.press("accept_tag_0").press("accept_place_0").press("accept_link_")
    changed = screen.workspace.notes.get(note)
    assert (changed.tags, changed.path) == (("bread",), "bread/Dough.md")
    assert changed.body.startswith("The [[Starter]] feeds it.")
    screen.press("notes_undo").press("notes_undo").press("notes_undo")
    back = screen.workspace.notes.get(note)
    assert (back.tags, back.path, back.body[:20]) == ((), "Dough.md", "The Starter feeds it")
    screen.press("related_")
    assert screen.app.session_state["open_note"] != note


def test_concepts_lead_to_their_notes_and_are_pinned_merged_and_hidden(place: Path) -> None:
    with Workspace(place) as workspace:
        for title, text in {"One": "sourdough starter", "Two": "sourdough starter", "Three": "rye flour"}.items():
            workspace.notes.add("home", f"The {text}, a {text}. The oven, an oven.", title=title, author="person")
        workspace.notes.add("home", "An oven and rye flour.", title="Four", author="person")
    screen = Screen()
    screen.app.session_state["concepts"] = True
    screen.open("notes")
    assert "The number says how many notes do so" in screen.text
    assert [one.notes for one in screen.workspace.related.concepts.all() if one.name == "oven"] == [3]
    screen.app.session_state["concept_names"] = ["sourdough starter"]
    screen.app.run()
    assert {"concept_note_" in (button.key or "") and button.label for button in screen.app.button} >= {"One", "Two"}
    screen.press("concept_pin")
    assert screen.workspace.related.concepts.all()[0].pinned
    screen.press("concept_undo").press("concept_hide")
    assert [one.name for one in screen.workspace.related.concepts.all()] == ["oven"]
    screen.app.session_state["concept_names"] = ["oven"]
    screen.app.run()
    screen.press("concept_show")
    screen.app.session_state["concept_names"] = ["oven", "sourdough starter"]
    screen.app.run()
    screen.press("concept_merge")
    assert [(one.name, one.merged) for one in screen.workspace.related.concepts.all()] == [
        ("oven", ("sourdough starter",))
    ]
    screen.app.text_input("way_from").input("One")
    screen.app.text_input("way_to").input("Two").run()
    assert "Both mention oven" in screen.text


def test_the_map_is_coloured_and_says_what_is_left_out(filled: Screen) -> None:
    filled.workspace.bases.add("words", kind="literal")
    filled.workspace.notes.add("words", "Found by words only")
    screen = filled.open("map")
    assert "1 note isn't on the map: 1 searched by keyword or with another model" in screen.text
    screen.app.selectbox("map_by").set_value("findable").run()
    assert "First check on the Evaluation page" in screen.text
    filled.workspace.findability.check("vault")
    assert "A red note is never the first hit" in screen.open("map").text
    screen.app.selectbox("map_base").set_value("words").run()
    assert "no notes here are indexed for search by meaning" in screen.text


@pytest.mark.parametrize(("count", "said"), [(0, []), (3, ["3 passages indexed"])])
def test_indexing_after_a_save_takes_no_room_at_once_and_ends_without_a_word_where_nothing_was_to_do(
    filled: Screen, monkeypatch: pytest.MonkeyPatch, count: int, said: list[str]
) -> None:
    monkeypatch.setattr(jobs, "NOTABLE", 0.0)
    filled.open("notes")
    go_on = threading.Event()

    def work(_: object) -> IndexedChunks:
        go_on.wait(60)
        return IndexedChunks(count)

    filled.workspace.jobs.start("embed", work)
    filled.app.run()
    assert not any(button.key == "cancel_embed" for button in filled.app.button)
    monkeypatch.setattr(jobs, "BRIEF", 0.0)
    filled.app.run()
    assert any(button.key == "cancel_embed" for button in filled.app.button)
    go_on.set()
    assert filled.finish("embed").toasts == said


def test_the_trash_names_whoever_deleted_a_note() -> None:
    assert trash.BY.keys() == AUTHORS.keys()


def test_a_base_that_writes_to_its_files_asks_before_it_takes_another_folder(vault: Path, tmp_path: Path) -> None:
    screen = proposed(Screen(), vault)
    screen.app.radio("plan_writes").set_value(True).run()
    screen.press("plan_apply").finish()
    (other := tmp_path / "other").mkdir()
    (other / "note.md").write_text("Another note.")
    proposed(screen, other)
    said = screen.app.info[0].value.replace("\\", "")
    assert said == f"The notes in {other} will be added to your 3 notes."
    assert "To keep this folder's files as they are, first make another base for it on the Bases page." in screen.text
    assert screen.app.button("plan_apply").disabled
    screen.app.checkbox("plan_writes_too").set_value(True).run()
    screen.press("plan_apply").finish()
    assert "plan_writes_too" not in {box.key for box in proposed(screen, other).app.checkbox}


@pytest.mark.parametrize("count", [1, 2])
def test_a_base_whose_notes_wait_for_review_says_so(count: int) -> None:
    screen = Screen()
    for number in range(count):
        screen.workspace.proposals.add("logs", f"A keel, number {number}.")
    screen.open("notes")
    assert "There are no notes yet" not in screen.text
    links = [link.proto.label for link in screen.app.get("page_link")]
    assert ["1 new note waits for your approval", "2 new notes wait for your approval"][count - 1] in links


def test_the_notes_of_the_only_base_are_listed_after_their_import(vault: Path) -> None:
    screen = proposed(Screen(), vault).press("plan_apply").finish()
    assert [base.name for base in screen.workspace.bases.all()] == ["My notes"]
    for address in ({}, {"base": "My notes"}):
        assert "No note matches these filters." not in screen.open("notes", **address).text
        screen.app.session_state["notes_view"] = "list"
        assert len(screen.app.run().dataframe[0].value) == 3
