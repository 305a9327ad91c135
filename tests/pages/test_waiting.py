"""What waits for a person is decided on the page Review, one thing at a time or many at once."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from core.base.datetimes import local_now, utc_now
from core.features.review.service import Review
from core.model import Note, NoteDraft, Use
from core.workspace import Workspace
from pages.ui.notes import composer, history
from pages.ui.notes.session import State
from pages.ui.review.items import DECISIONS
from pages.ui.shared.shortcuts import REVIEW
from tests.features.packs.test_packs import NOTES, ids, write
from tests.pages.conftest import Screen
from tests.pages.test_writing import field, paused, typed, writing

TEXT = "The basil wants water.\n\nAnd sun.\n"


@pytest.fixture
def basil(place: Path) -> Note:
    """A note for which a program proposes another text, beside a note that the program wrote."""
    with Workspace(place) as workspace:
        note = workspace.notes.add("garden", TEXT, title="Basil", author="person", embed=False)
        workspace.proposals.update(note.id, body=TEXT.replace("water", "<b>shade</b>"), tags=["herb"])
        workspace.proposals.add("garden", "Thyme is fine.", title="Thyme")
        return note


def waiting() -> Screen:
    return Screen().open("review")


def titles(screen: Screen) -> list[str]:
    return [one.note.title for one in screen.workspace.proposals.all()]


def test_what_waits_is_named_at_home_and_read_one_after_another(basil: Note) -> None:
    home = Screen()
    links = [link.proto.label for link in home.app.get("page_link")]
    assert {"Review · 2", "New notes 1 · Proposed changes 1"} <= {*links}
    assert ("Basil" in links, "Thyme" in links) == (True, False)
    screen = waiting().press("open_change")
    assert "A program has proposed a change to this note." in screen.text
    assert "<del>water</del><ins>&lt;b&gt;shade&lt;/b&gt;</ins>" in screen.text
    assert "<ins>herb</ins>" in screen.text
    assert "change by a program" in screen.text
    screen.press("decide_accept").finish("embed")
    note = screen.workspace.notes.get(basil.id)
    assert (note.version, note.tags, "shade" in note.body) == (2, ("herb",), True)
    assert "The change to 'Basil' was accepted." in screen.text.replace("\\", "")
    assert "This note is waiting for your approval. Searches leave it out" in screen.text
    screen.press("decide_accept")
    assert [hit.note.title for hit in screen.workspace.search("thyme", mode="keyword").hits] == ["Thyme"]
    assert "There is nothing to review." in screen.text
    home = Screen()
    assert "Needs attention" not in home.text.splitlines()
    assert not [link for link in home.app.get("page_link") if link.proto.label.startswith(("New notes", "Proposed"))]


def test_the_menu_counts_contradictions_wherever_a_session_begins(place: Path) -> None:
    with Workspace(place) as workspace:
        for title, hours in (("Ducks", 8), ("Geese", 9)):
            text = f"The pond by the old willow is closed at {hours} o'clock in the evening.\n"
            workspace.notes.add("home", text, title=title, author="person", embed=False)
    screen = Screen().open("search").finish("compare")
    assert "Review · 1" in [link.proto.label for link in screen.app.get("page_link")]


def test_home_tells_of_contradictions_once_the_notes_are_read(place: Path) -> None:
    with Workspace(place) as workspace:
        for degrees in (220, 240):
            text = f"The oven for the bread runs at {degrees} degrees."
            workspace.notes.add("kitchen", text, title=f"Bread at {degrees}", author="person", embed=False)

    def links(screen: Screen) -> dict[str, str]:
        return {link.proto.label: link.proto.query_string for link in screen.app.get("page_link")}

    home = Screen().open("home")
    home.workspace.jobs.wait("compare")
    assert links(home.open("home"))["Contradictions 1"] == "kind=contradiction"
    home.workspace.notes.update(home.workspace.notes.find("Bread at 240").id, body="Something else.", author="person")
    home.open("home").workspace.jobs.wait("compare")
    assert "Contradictions 1" not in links(home.open("home"))


def test_the_sides_of_a_pair_are_read_without_their_markdown(place: Path) -> None:
    same = "Oats are **soaked** over [night](night.md) and eaten in the `morning` with honey and apples.\n"
    with Workspace(place) as workspace:
        for title in ("Rye", "Oats"):
            workspace.notes.add("kitchen", same, title=title, author="person", embed=False)
    screen = Screen()
    screen.workspace.jobs.wait("compare", 30)
    shown = screen.open("review").text
    assert 'Oats are <span class="t-b">soaked</span> over <span class="t-u">night</span>' in shown
    assert "**soaked**" not in shown


def test_a_pair_shows_all_that_differs_and_the_paths_of_notes_with_one_title(place: Path) -> None:
    with Workspace(place) as workspace:
        for folder, n in (("a", 1), ("b", 2)):
            text = f"The tyres of the car want {n} bar.\n\nThe battery of the car cost {n}39 euros.\n"
            workspace.notes.add("home", text, title="Car", path=f"{folder}/car.md", author="person", embed=False)
    screen = waiting()
    shown = screen.text.replace("\\", "")
    marked = ("want <mark>1</mark> bar", "want <mark>2</mark> bar", "cost <mark>139</mark>", "cost <mark>239</mark>")
    assert all(said in shown for said in marked)
    title = "Car (b/car.md) and Car (a/car.md)"
    assert [element.value.replace("\\", "") for element in screen.app.subheader] == [title]
    assert [button.label.replace("\\", "") for button in screen.app.button if button.key.startswith("open_")] == [title]
    assert "Read the note" not in [link.proto.label for link in screen.app.get("page_link")], "each side has a link"


def test_a_new_note_says_that_it_becomes_no_file_where_the_base_writes_files(basil: Note) -> None:
    said = "kept in Tessera, not in a file"
    screen = waiting()
    assert said not in screen.text
    screen.workspace.store.bases.change(screen.workspace.bases.get("garden"), write_files=True)
    assert said in screen.open("review").text.replace("\\", "")


def test_a_note_that_is_read_from_review_leads_back_to_it(basil: Note) -> None:
    screen = waiting().press("open_change")
    read = [link.proto for link in screen.app.get("page_link") if link.proto.label.endswith("Read the note")]
    way = {name: values[0] for name, values in parse_qs(read[-1].query_string).items()}
    assert way["note"] == basil.id
    assert "Back to Review" in [link.proto.label for link in screen.open("notes", **way).app.get("page_link")]
    assert "Back to Review" not in [
        link.proto.label for link in Screen().open("notes", note=basil.id).app.get("page_link")
    ]


def test_decisions_are_undone_one_after_the_other(basil: Note) -> None:
    for verb in ("accept", "reject"):
        screen = waiting().press("open_note").press(f"decide_{verb}").press(f"decide_{verb}")
        assert titles(screen) == []
        screen.press("notes_undo").press("notes_undo")
        assert sorted(titles(screen)) == ["Basil", "Thyme"]
        assert screen.workspace.notes.get(basil.id).body == TEXT


def test_many_of_one_kind_are_decided_at_once(place: Path) -> None:
    with Workspace(place) as workspace:
        workspace.bases.add("garden")
        for name in ("Thyme", "Sage", "Mint"):
            workspace.proposals.add("garden", f"{name} is fine.", title=name)
    screen = waiting().press("all_reject")
    assert (titles(screen), "3 notes were rejected." in screen.text.replace("\\", "")) == ([], True)
    assert sorted(one.version.title for one in screen.workspace.trash.all()) == ["Mint", "Sage", "Thyme"]
    screen.press("notes_undo").press("all_accept")
    assert sorted(card.title for card in screen.workspace.notes.all() if card.status == "active") == [
        "Mint",
        "Sage",
        "Thyme",
    ]


def test_a_new_note_is_added_to_the_nearest_one_and_taken_out_again(place: Path) -> None:
    with Workspace(place) as workspace:
        home = workspace.notes.add("garden", "Thyme wants sun.\n", title="Thyme", author="person", embed=False)
        workspace.proposals.add("garden", "Thyme wants little water.", title="Thyme and water")
    screen = waiting().press("decide_merge")
    assert screen.workspace.notes.get(home.id).body == "Thyme wants sun.\n\nThyme wants little water.\n"
    assert titles(screen) == []
    screen.press("notes_undo")
    assert screen.workspace.notes.get(home.id).body == "Thyme wants sun.\n"
    assert titles(screen) == ["Thyme and water"]


def test_what_is_put_off_or_fine_is_out_of_sight_until_it_changes(place: Path) -> None:
    with Workspace(place) as workspace:
        for number, heat in enumerate((220, 240)):
            text = f"The oven bakes the bread at {heat} degrees.\n"
            workspace.notes.add("home", text, title=f"Bread {number}", author="person", embed=False)
        workspace.notes.add("home", "Milk.", title="Milk", author="person", expires_at="2020-01-01", embed=False)
    screen = waiting()
    assert "at <mark>240</mark> degrees" in screen.text
    assert "at <mark>220</mark> degrees" in screen.text
    screen.press("decide_fine")
    assert "This note has expired" in screen.text
    screen.press("decide_later")
    assert "There is nothing to review." in screen.text
    bread = screen.workspace.notes.resolve("Bread 1")
    screen.workspace.notes.update(bread.id, body="The oven bakes the bread at 250 degrees.\n", author="person")
    assert [one.kind for one in screen.workspace.review.all()] == ["contradiction"]


def test_one_number_says_how_much_is_listed(place: Path) -> None:
    with Workspace(place) as workspace:
        for heat in (220, 240):
            text = f"The oven bakes the bread at {heat} degrees.\n"
            workspace.notes.add("home", text, title=f"Bread at {heat}", author="person", embed=False)
        workspace.proposals.add("home", "Thyme is fine.", title="Thyme")
    screen = waiting()
    assert "2 items to review." in screen.text
    assert "Review · 2" in [link.proto.label for link in Screen().app.get("page_link")]
    assert len([button for button in screen.app.button if (button.key or "").startswith("open_")]) == 2


def test_what_is_fine_or_put_off_is_named_below_the_list_and_listed_again_by_a_click(place: Path) -> None:
    with Workspace(place) as workspace:
        for title in ("Milk", "Salt"):
            workspace.notes.add("home", "Old.", title=title, author="person", expires_at="2020-01-01", embed=False)
    screen = waiting().press("decide_fine").press("decide_later")
    assert "There is nothing to review." in screen.text
    assert "2 hidden items" in screen.text
    milk = screen.workspace.notes.resolve("Milk")
    screen.workspace.notes.update(milk.id, body="Fresh.", author="person", embed=False)
    assert "1 item to review." in screen.open("review").text, "a change of the note ends it"
    screen.press("again_")
    assert "2 items to review." in screen.text
    assert "hidden item" not in screen.text


def test_a_note_says_beforehand_when_it_expires_and_is_kept_for_another_year(place: Path) -> None:
    day = local_now().date() + timedelta(days=20)
    with Workspace(place) as workspace:
        for title, end in (("Milk", day), ("Salt", day + timedelta(days=20))):
            about = {"title": title, "expires_at": end.isoformat(), "author": "person", "embed": False}
            workspace.notes.add("home", "Open.", **about)  # type: ignore[arg-type]
    links = [link.proto.label for link in Screen().app.get("page_link")]
    assert {"Review · 1", "Notes that expire soon 1"} <= {*links}
    screen = waiting()
    assert f"expires on {day}" in screen.text.replace("\\", "")
    assert "primary" not in [button.proto.type for button in screen.app.button if button.key == "decide_archive"]
    milk, salt = (screen.workspace.notes.resolve(title).id for title in ("Milk", "Salt"))
    assert f"Expires on {day}." in screen.open("notes", note=milk).text.replace("\\", "")
    assert "event_busy" not in screen.open("notes", note=salt).text
    screen.open("review").press("decide_prolong")
    assert "There is nothing to review." in screen.text
    assert str(day.year + 1) <= str(screen.workspace.notes.get(milk).expires_at)[:4]
    screen.press("notes_undo")
    assert f"expires on {day}" in screen.text.replace("\\", "")
    screen.workspace.notes.set_fields([milk], expires_at="2020-01-01")
    assert "This note expired on 2020-01-01, so searches leave it out." in screen.open("notes", note=milk).text.replace(
        "\\", ""
    )


def test_every_key_of_the_page_is_in_the_list_of_shortcuts(basil: Note) -> None:
    screen = waiting()
    keys = {button.proto.shortcut for button in screen.app.button if button.proto.shortcut}
    keys |= {REVIEW[decision.action].lower() for decision in DECISIONS.values()}
    screen.press("shortcuts")
    (listed,) = [html.proto.body for html in screen.app.get("html") if '<div class="t-shortcuts">' in html.proto.body]
    page = listed.partition("On the Review page")[2]
    assert (
        {"f", "l", "a"}
        <= {key.lower() for key in keys}
        <= {key.lower() for key in re.findall("<kbd>(.*?)</kbd>", page)}
    )


def test_what_waits_is_edited_before_it_is_accepted(basil: Note) -> None:
    screen = Screen().open("notes", note=basil.id).press("waiting_edit")
    assert "<b>shade</b>" in writing(screen.app).body
    typed(screen, "The basil wants shade.\n")
    screen.app.text_input(field(screen, "title")).input("Basil in spring").run()
    again = Screen().open("notes", note=basil.id).press("resume_")  # the draft still settles the change
    again.press("writing_save").press("writing_leave")
    assert titles(again) == ["Thyme"]
    note = again.workspace.notes.get(basil.id)
    assert (note.title, note.body, note.tags) == ("Basil in spring", "The basil wants shade.\n", ("herb",))
    assert again.workspace.versions.all(basil.id)[0].kind == "propose"
    again = waiting().press("decide_edit").open("notes").press("writing_save")  # the tests' browser stays on its page
    assert titles(again) == []
    assert again.workspace.notes.find("Thyme").status == "active"


def test_a_change_of_a_note_that_was_changed_since_shows_both(basil: Note) -> None:
    screen = waiting().press("open_change")
    screen.workspace.notes.update(basil.id, body="The basil is dead.\n", author="person")
    screen.press("decide_accept")  # what the person saw is no longer so
    assert "has changed since you looked at it" in screen.errors
    screen.press("open_conflict")
    assert "but the note has been edited since then. If you accept" in screen.text
    assert "<del>is dead</del>" in screen.text
    screen.press("decide_accept")
    assert titles(screen) == ["Thyme"]
    assert "shade" in screen.workspace.notes.get(basil.id).body


def test_an_upgrade_that_met_an_edit_is_settled_and_undone(place: Path, tmp_path: Path) -> None:
    with Workspace(place) as workspace:
        workspace.packs.install(write(tmp_path / "pack"))
        kettle = ids(workspace)["kettle.md"]
        workspace.notes.update(kettle, body="# Kettle\n\nMine.\n", author="person")
        workspace.packs.install(write(tmp_path / "pack", "1.1", NOTES | {"kettle.md": "# Kettle\n\n<b>Theirs</b>.\n"}))
    screen = waiting()
    assert "<del>Mine</del><ins>&lt;b&gt;Theirs&lt;/b&gt;</ins>" in screen.text
    assert "pack house" in screen.text
    screen.press("decide_theirs").finish("embed")
    assert "Theirs" in screen.workspace.notes.get(kettle).body
    assert "There is nothing to review." in screen.text
    screen.press("notes_undo").finish("embed")
    assert screen.workspace.notes.get(kettle).body == "# Kettle\n\nMine.\n"
    (tmp_path / "pack" / "pack.toml").write_text("no")
    assert "not valid TOML" in screen.open("review").errors
    screen.press("decide_mine")
    assert "There is nothing to review." in screen.text


def test_a_file_with_two_texts_is_settled(place: Path, vault: Path) -> None:
    (vault / "backups.sync-conflict-20260301-101112-ABCDEF7.md").write_text("# Backups\n\nAnother text.\n")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    screen = waiting().press("open_file")
    assert "backups.sync-conflict-20260301-101112-ABCDEF7.md" in screen.text.replace("\\", "")
    assert "allowed to change files" in screen.press("decide_theirs").errors
    screen.press("decide_mine")
    assert not screen.workspace.review.all(kinds=["file"])


def test_items_of_one_title_are_told_apart_by_their_files(place: Path, vault: Path) -> None:
    for day in (1, 2):
        (vault / f"backups.sync-conflict-2026030{day}-101112-ABCDEF7.md").write_text("# Backups\n\nAnother text.\n")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    rows = [button.label for button in waiting().app.button if (button.key or "").startswith("open_")]
    assert [row for row in rows if "20260301" in row] != [row for row in rows if "20260302" in row]
    assert len({*rows}) == len(rows)


def test_notes_worth_another_look_are_shown_when_wished_and_said_to_be_seen(place: Path) -> None:
    with Workspace(place) as workspace:
        note = workspace.notes.add("garden", "Thyme wants sun.\n", title="Thyme", author="person", embed=False)
        workspace.store.database.execute("UPDATE notes SET updated_at = '2020-01-01T00:00:00+00:00'")
        workspace.store.uses.add([Use(note.id, "found", "", datetime.now(UTC))])
    screen = waiting()
    assert "There is nothing to review." in screen.text
    for press, undone in (("decide_seen", True), ("decide_never", True), ("decide_later", False)):
        if screen.app.toggle(key="reminders").value is False:
            screen.app.toggle(key="reminders").set_value(True).run()
        assert "1 item to review." in screen.text
        assert "No note is worth another look today." not in screen.text
        assert "Thyme wants sun." in screen.document or "Thyme" in screen.text
        screen.press(press)
        assert "There is nothing to review." in screen.text
        assert "No note is worth another look today." in screen.text
        if undone:
            screen.press("notes_undo")


def test_the_question_before_a_copy_is_deleted_says_where_its_file_goes(place: Path, vault: Path, trash: Path) -> None:
    text = "Ducks lay their eggs in the morning, near the water and under the old willow by the gate.\n"
    with Workspace(place) as workspace:
        for name in ("ducks", "ducks again"):
            (vault / f"{name}.md").write_text(text)
        workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"), embed=False)
    screen = waiting().press("open_copy").press("decide_delete")
    assert "Files that Tessera only reads stay on disk" in screen.text
    assert [button.label for button in screen.app.button if button.key == "delete_no"] == ["Cancel"]
    screen.press("delete_no")
    screen.workspace.bases.update("vault", write_files=True)
    screen.press("decide_delete")
    assert "The file will be moved to the system's trash" in screen.text
    screen.press("delete_yes")
    assert len([*vault.glob("ducks*.md")]) == 1
    assert "1 note was moved to the trash." in screen.text.replace("\\", "")
    screen.press("notes_undo")
    assert len([*vault.glob("ducks*.md")]) == 2


def test_a_side_of_a_pair_is_corrected_at_its_sentence_and_the_pair_is_gone(place: Path) -> None:
    with Workspace(place) as workspace:
        for heat, about in ((220, "Rye"), (240, "Wheat")):
            text = f"# {about} 🍞\n\nFlour.\n\nThe oven bakes the bread at {heat} degrees.\n"
            workspace.notes.add("home", text, title=about, author="person", embed=False)
    screen = waiting().press("edit_side_1").open("notes")  # the tests' browser stays on its page
    now = writing(screen.app)
    assert now.body.encode("utf-16-le")[2 * now.caret :].decode("utf-16-le").startswith("The oven bakes")
    assert "220" in now.body
    typed(screen, now.body.replace("220", "240")).press("writing_leave")
    assert "There is nothing to review." in screen.open("review").text
    assert "'Rye' was saved as version 2." in screen.text.replace("\\", "")
    screen.press("notes_undo")
    assert "at <mark>220</mark> degrees" in screen.text


@pytest.fixture
def fixed(place: Path, tmp_path: Path) -> Screen:
    """Review with two files that contradict each other, in a base that doesn't change its files."""
    (tmp_path / "files").mkdir()
    for heat, about in ((220, "Rye"), (240, "Wheat")):
        text = f"# {about}\n\nFlour.\n\nThe oven bakes the bread at {heat} degrees.\n"
        (tmp_path / "files" / f"{about}.md").write_text(text)
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "files"), embed=False)
    return waiting()


@pytest.mark.parametrize("reloaded", [False, True])
def test_a_read_only_side_is_corrected_in_a_copy_that_settles_the_pair(fixed: Screen, reloaded: bool) -> None:
    notes = fixed.workspace.notes
    assert "read-only file" in fixed.text.replace("\\", "")
    assert fixed.text.count("changed 20") == 2
    assert [button.label for button in fixed.app.button if button.key == "edit_side_0"] == ["Edit a copy"]
    screen = fixed.press("edit_side_0").open("notes")
    now = writing(screen.app)
    assert (now.note, now.body[now.caret :][:8]) == (None, "The oven")
    wrong, right = ("220", "240") if "220" in now.body else ("240", "220")
    original, body = now.copy_of, now.body
    typed(screen, body.replace(wrong, "230"))
    assert screen.app.query_params["came"] == "review", "a reload of the page keeps the way back"
    if reloaded:
        (draft,) = screen.workspace.drafts.all()
        screen = Screen().open("notes").press(f"resume_{draft.key}")
    typed(screen, body.replace(wrong, right)).press("writing_leave")
    assert notes.get(original).status == "archived"
    assert "There is nothing to review." in screen.open("review").text
    assert "was saved, and the original was archived." in screen.text.replace("\\", "")
    page = Screen().open("notes", note=original).text.replace("\\", "")
    assert "This note is archived, so searches leave it out." in page
    assert "read-only file" in page
    screen.press("notes_undo")
    assert (notes.get(original).status, len(notes.all())) == ("active", 2)
    assert [one.kind for one in screen.workspace.review.all()] == ["contradiction"]


def test_a_copy_that_was_not_changed_is_gone_and_its_original_stays(fixed: Screen) -> None:
    notes = fixed.workspace.notes
    before = {card.id: card.status for card in notes.all()}
    fixed.press("edit_side_0").open("notes").open("home").open("notes").press("writing_leave")
    assert {card.id: card.status for card in notes.all()} == before
    assert fixed.workspace.trash.all() == []


def test_a_read_only_base_is_made_writable_on_the_way_from_review_and_back(fixed: Screen) -> None:
    (link,) = {link.proto.query_string for link in fixed.app.get("page_link") if "Let Tessera edit" in link.proto.label}
    way = {name: values[0] for name, values in parse_qs(link).items()}
    assert "Back to Review" in [link.proto.label for link in fixed.open("bases", **way).app.get("page_link")]
    fixed.workspace.bases.update(way["base"], write_files=True)
    fixed.app.query_params.clear()
    fixed.open("review").press("edit_side_0").open("notes")
    now = writing(fixed.app)
    assert now.note
    assert now.note.in_file


def test_a_side_that_was_changed_elsewhere_stays_open_and_leads_back_when_it_is_left(place: Path) -> None:
    with Workspace(place) as workspace:
        for heat, about in ((220, "Rye"), (240, "Wheat")):
            text = f"# {about}\n\nFlour.\n\nThe oven bakes the bread at {heat} degrees.\n"
            workspace.notes.add("home", text, title=about, author="person", embed=False)
    screen = waiting().press("edit_side_1").open("notes")
    now = writing(screen.app)
    assert now.note
    mine = now.body.replace("220", "240")
    screen.workspace.notes.update(now.note.id, body=now.body.replace("Flour", "Flour, salt"), author="person")
    paused(typed(screen, mine))
    assert "Both changes were kept" in screen.text
    now = writing(screen.app)
    assert (now.back, now.body) == ("review.py", mine.replace("Flour", "Flour, salt"))


def _draft(workspace: Workspace, note: Note | None, **about: object) -> str:
    """Store a draft as a backup of somebody else may contain it. Return its key."""
    key = f"{note.id if note else 'new'} {token_hex(8)}"
    base = workspace.bases.all()[0]
    values = {"base": base.name, "folder": "", "number": 3, "fields": {}, "writer": "gone", **about}
    workspace.drafts.put(NoteDraft(key, base.id, note.version if note else 0, "", "Mine.\n", values, utc_now()))
    return key


@pytest.mark.parametrize("of_note", [True, False])
@pytest.mark.parametrize(
    "acts",
    [
        {"copy_of": "Thyme", "copied_version": 1},
        {"copy_of": "Thyme"},
        {"copy_of": ["Thyme"], "copied_version": 1},
        {"version_before": 1},
        {"version_before": -1},
        {"version_before": "1"},
        {"answers": ["how much salt?", "why is it slow?"]},
        {"answers": "how much salt?"},
        {"answers": {"how much salt?": 1}},
        {"fields": {"author": "program", "expected_version": 1, "body": "x", "id": "Thyme", "version": 1}},
        {"settles": True},
        *({"back": back} for back in ("settings.py", "../../etc/passwd", "", 7, None, ["review.py"])),
    ],
    ids=str,
)
def test_a_draft_of_others_acts_on_nothing_but_its_note(basil: Note, of_note: bool, acts: dict[str, Any]) -> None:
    screen = Screen()
    workspace = screen.workspace
    workspace.proposals.reject([workspace.proposals.get(basil.id)])
    thyme = workspace.notes.find("Thyme")
    workspace.notes.set_fields([thyme.id], status="active")
    workspace.notes.update(basil.id, body="By a program.\n", author="program", embed=False)
    note = workspace.notes.get(basil.id)
    workspace.searches.add("how much salt?")
    named = {name: json.loads(json.dumps(value).replace("Thyme", thyme.id)) for name, value in acts.items()}
    before = workspace.notes.get(thyme.id)
    key = _draft(workspace, note if of_note else None, **{"back": "review.py", **named})
    address = {"note": basil.id} if of_note else {}
    screen.open("notes", **address).press(f"resume_{key}")
    if writing(screen.app).state is State.UNDECIDED:
        screen.press("writing_save")
    screen.press("writing_leave").open("review")
    assert workspace.notes.get(thyme.id) == before
    (mine,) = [card for card in workspace.notes.all() if workspace.notes.get(card.id).body == "Mine.\n"]
    assert (mine.id == basil.id) == of_note
    if any(button.key == "notes_undo" for button in screen.app.button):
        screen.press("notes_undo")
    assert workspace.notes.get(thyme.id) == before
    assert workspace.notes.get(basil.id).body in ("By a program.\n", "Mine.\n")
    assert workspace.searches.unanswered() == []


@pytest.mark.parametrize("change", ["text", "status"])
def test_a_copy_does_not_archive_an_original_that_has_changed_since(fixed: Screen, tmp_path: Path, change: str) -> None:
    workspace = fixed.workspace
    screen = fixed.press("edit_side_0").open("notes")
    now = writing(screen.app)
    file = Path(workspace.notes.get(now.copy_of).file)
    if change == "text":
        file.write_text(f"{file.read_text()}\nNew.\n")
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "files"), embed=False)
    else:
        workspace.notes.archive([now.copy_of])
    before = workspace.notes.get(now.copy_of)
    typed(screen, "Copied.\n").press("writing_leave").open("review")
    assert "and the original was archived" not in screen.text
    assert workspace.notes.get(before.id) == before
    screen.press("notes_undo")
    assert workspace.notes.get(before.id) == before


def test_undoing_a_copy_that_was_moved_brings_its_original_back(fixed: Screen) -> None:
    screen = fixed.press("edit_side_0").open("notes")
    now = writing(screen.app)
    original = now.copy_of
    paused(typed(screen, "Copied.\n"))
    assert screen.workspace.notes.get(original).status == "archived"
    composer.move_to(now, now.base, "elsewhere")
    screen.app.run()
    screen.press("writing_leave").open("review")
    assert "was saved, and the original was archived." in screen.text.replace("\\", "")
    screen.press("notes_undo")
    assert screen.workspace.notes.get(original).status == "active"


def test_undoing_an_edit_from_review_keeps_what_others_changed_meanwhile(place: Path) -> None:
    with Workspace(place) as workspace:
        for heat, about in ((220, "Rye"), (240, "Wheat")):
            text = f"# {about}\n\nFlour.\n\nThe oven bakes the bread at {heat} degrees.\n"
            workspace.notes.add("home", text, title=about, author="person", embed=False)
    screen = waiting().press("edit_side_1").open("notes")
    now = writing(screen.app)
    assert now.note
    theirs = now.body.replace("Flour", "Flour, salt")
    screen.workspace.notes.update(now.note.id, body=theirs, author="program")
    paused(typed(screen, now.body.replace("220", "240"))).press("writing_leave").open("review")
    if any(button.key == "notes_undo" for button in screen.app.button):
        screen.press("notes_undo")
    assert "Flour, salt" in screen.workspace.notes.get(now.note.id).body


def test_a_change_that_a_program_proposes_meanwhile_is_not_accepted_unseen(basil: Note) -> None:
    screen = Screen().open("notes", note=basil.id).press("waiting_edit")
    typed(screen, "The basil wants shade.\n")
    workspace = screen.workspace
    workspace.proposals.update(basil.id, body="The basil wants snow.\n")
    screen.press("writing_save")
    assert "has changed since you looked at it" in screen.text
    assert "Basil" in titles(screen)
    screen.press("writing_leave")
    screen = Screen().open("notes", note=basil.id).press("resume_").press("writing_save")
    assert "Basil" in titles(screen)
    workspace.proposals.reject([workspace.proposals.get(basil.id)])
    screen = Screen().open("notes", note=basil.id).press("resume_").press("writing_save")
    assert workspace.notes.get(basil.id).body == "The basil wants shade.\n"


@pytest.mark.parametrize("page", ["search", "notes", "review", "settings"])
def test_a_page_counts_what_waits_once(basil: Note, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    counts = Review.counts
    monkeypatch.setattr(Review, "counts", lambda self: counted.append(page) or counts(self))
    screen = Screen().open(page)
    counted.clear()
    screen.app.run()
    assert counted == [page]
    assert "Review · 2" in [link.proto.label for link in screen.app.get("page_link")]


def _undo_twice() -> None:
    import streamlit as st

    from pages.ui.notes import history

    st.session_state.update(page="notes", undone=[])
    for name in ("first", "second"):
        history.offer_undo(name, lambda name=name: st.session_state["undone"].append(name))
    presses = []
    history.small = lambda _label, _key, _icon, act: presses.append(act)
    history.draw_undo()
    presses[0]()
    presses[0]()


def test_a_second_press_before_the_page_is_drawn_undoes_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "small", history.small)  # put back after the test
    app = AppTest.from_function(_undo_twice).run()
    assert not app.exception
    assert app.session_state["undone"] == ["second"]
