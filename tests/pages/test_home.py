import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from core.base.errors import IndexDamaged
from core.model import Progress
from core.workspace import Workspace
from pages.ui.shared import tree
from tests.pages.conftest import Screen


def test_a_first_start_says_what_it_is_and_how_to_begin() -> None:
    screen = Screen()
    assert "Everything stays on this machine" in screen.text
    assert "why did we decide against automatic failover" in screen.text
    assert [button.label for button in screen.app.button][:2] == ["Try it with sample notes", "Import my notes"]


def test_the_sample_notes_come_with_one_click() -> None:
    screen = Screen().press("try").finish().finish("embed")
    assert "Import finished" in screen.text
    assert "20 added" in screen.text
    assert "20 notes" in screen.text
    assert {note.base for note in screen.workspace.notes.all()} == {"sample"}
    screen.press("close_import")
    assert "Import finished" not in screen.text


def test_importing_ones_own_leads_to_the_notes_page() -> None:
    screen = Screen().press("to_import")
    assert screen.app.title[0].value == "Notes"
    assert screen.app.text_input("import_path")


def test_the_quick_search_is_answered_on_the_search_page(filled: Screen) -> None:
    filled.app.text_input("quick_q").input("pg_restore")
    filled.press("quick_go")
    assert filled.app.title[0].value == "Search"
    assert filled.app.query_params["q"] == "pg_restore"
    assert "backups.md" in filled.text


def test_examples_and_recent_notes_are_the_persons_own(filled: Screen) -> None:
    links = {link.proto.label: link.proto.query_string for link in filled.finish("examples").app.get("page_link")}
    examples = [parse_qs(query)["q"][0] for query in links.values() if query.startswith("q=")]
    assert all(filled.workspace.answers.ask(text).answered == "yes" for text in examples)
    assert not {card.title for card in filled.workspace.notes.all()} & {*examples}
    recent = [query for query in links.values() if query.startswith("note=")]
    assert len(recent) == 3


def test_an_example_that_was_asked_is_not_offered_again(filled: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    questions = ("what are backups worth?", "what is written down in the log?")
    monkeypatch.setattr(filled.workspace.answers, "examples", lambda stamp: questions)

    def offered() -> tuple[str, ...]:
        links = (link.proto.query_string for link in filled.open("home").app.get("page_link"))
        return tuple(parse_qs(query)["q"][0] for query in links if query.startswith("q="))

    assert offered() == questions
    filled.open("search", q=questions[0])
    assert offered() == questions[1:]


def test_todays_note_is_a_press_away(filled: Screen) -> None:
    filled.press("home_today")
    assert filled.app.title[0].value == "Notes"
    assert "Choose where to save today's note. You only need to do this once." in filled.text.replace("\\", "")


def test_a_thought_is_added_to_todays_note_and_can_be_taken_back(
    filled: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the settings are written

    def typed(text: str) -> None:
        filled.app.text_input("jot").input(text)
        filled.press("jot_go")

    typed("Call the plumber")
    assert "Choose where to save today's note. You only need to do this once." in filled.text.replace("\\", "")
    assert filled.app.text_input("jot").value == "Call the plumber"
    filled.press("today_yes")
    assert (filled.app.title[0].value, filled.app.text_input("jot").value) == ("Tessera", "")
    typed(" \n")
    typed("Buy **bread**")
    note = filled.workspace.daily.open(datetime.now(UTC))
    assert note.body.endswith("\n\nCall the plumber\n\nBuy **bread**\n")
    assert "Call the plumber Buy bread</div>" in filled.text
    filled.press("notes_undo")
    assert filled.workspace.notes.get(note.id).body.endswith("\n\nCall the plumber\n")
    assert filled.app.text_input("jot").value == "Buy **bread**"
    filled.press("notes_undo")
    assert note.id not in filled.workspace.notes.cards_of([note.id])
    assert filled.app.text_input("jot").value == "Call the plumber Buy **bread**"


def test_the_first_thought_taken_back_leaves_neither_note_nor_file_nor_base(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the settings are written
    with Workspace(place) as workspace:
        workspace.packs.install("sample")
        before = {base.name for base in workspace.bases.all()}
    screen = Screen()
    for text in ("Call the plumber", "Buy bread"):
        screen.app.text_input("jot").input(text)
        screen.press("jot_go")
        if "today_yes" in {button.key for button in screen.app.button}:
            screen.press("today_yes")
        assert {base.name for base in screen.workspace.bases.all()} == before | {"My notes"}
        screen.press("notes_undo")
        assert {base.name for base in screen.workspace.bases.all()} == before
        assert screen.app.text_input("jot").value == text


def test_a_day_begun_by_another_program_or_in_the_trash_keeps_its_text_when_a_thought_is_taken_back(
    filled: Screen, tmp_path: Path, vault: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the settings are written
    workspace = filled.workspace
    workspace.bases.update("vault", write_files=True)
    workspace.settings_file.write("daily.base", "vault")
    file = vault / workspace.daily.path(datetime.now(UTC))

    def typed(text: str) -> None:
        filled.app.text_input("jot").input(text)
        filled.press("jot_go")

    file.write_text("Written elsewhere.\n")
    typed("Call the plumber")
    assert file.read_text() == "Written elsewhere.\n\nCall the plumber\n"
    filled.press("notes_undo")
    assert file.read_text().strip() == "Written elsewhere."
    note = workspace.daily.open(datetime.now(UTC))
    workspace.trash.put(note.id)
    typed("Buy bread")
    assert file.read_text().endswith("\n\nBuy bread\n")
    filled.press("notes_undo")
    assert not file.exists()
    assert note.id in {trashed.version.note_id for trashed in workspace.trash.all()}


def test_a_tick_can_be_undone_after_a_line_was_added(
    filled: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the settings are written
    workspace = filled.workspace
    workspace.settings_file.write("daily.base", "vault")
    note = workspace.daily.add("- [ ] Call the plumber", datetime.now(UTC))
    filled.open("home")
    filled.app.checkbox(key=tick_of(filled)).check().run()
    ticked = workspace.notes.get(note.id).body
    assert "- [x] Call the plumber" in ticked
    filled.app.text_input("jot").input("Buy bread")
    filled.press("jot_go").press("notes_undo")
    assert workspace.notes.get(note.id).body == ticked
    filled.press("notes_undo")
    assert workspace.notes.get(note.id).body == note.body


def tick_of(screen: Screen) -> str:
    """Return the key of the only box of a task."""
    (key,) = [str(box.key) for box in screen.app.checkbox if str(box.key).startswith("tick_")]
    return key


def test_notes_that_wait_are_not_listed_as_changed_and_are_marked_in_the_tree(filled: Screen) -> None:
    workspace = filled.workspace
    waiting = workspace.proposals.add("vault", "A keel is long.", title="Keel")
    filled.open("notes")
    titles = [link.proto.label for link in filled.app.get("page_link")]
    assert "Backups" in titles
    assert "Keel" not in titles
    marks = {note[0]: note[3] for note in tree.folders(workspace.notes.all(), several=False)["notes"]}
    assert marks.pop(waiting.id) == "waiting in Review"
    assert not any(marks.values())


def test_one_base_is_my_notes_and_several_have_their_names(filled: Screen) -> None:
    ((folder, _),) = filled.workspace.status().bases[0].folders
    for fact in ("My notes", "3 notes · Last updated ", f'"t-facts">{folder}</div>'):
        assert fact in filled.text
    for word in ("t-name", "passage", "Model"):
        assert word not in "".join(html.proto.body for html in filled.app.main.get("html"))
    assert "Needs attention" not in filled.text
    filled.workspace.bases.add("desk")
    filled.app.run()
    for base in ("vault", "desk"):
        assert f'<div class="t-name">{base}</div>' in filled.text
    assert any(" · vault" in str(one.value) for one in filled.app.caption)


def test_one_count_of_notes_is_told_everywhere_with_what_it_counts(filled: Screen) -> None:
    workspace = filled.workspace
    first, second, _ = (card.id for card in workspace.notes.all())
    workspace.notes.archive([first])
    workspace.notes.set_fields([second], expires_at="2020-01-31")
    workspace.notes.add("vault", "A keel", status="pending")
    filled.finish("embed")
    counts = workspace.notes.counts("vault")
    assert (counts.notes, counts.to_review, counts.archived, counts.expired, counts.by_words) == (4, 1, 1, 1, 0)
    assert "4 notes · 1 waiting for approval · 1 archived · 1 expired · Last updated" in Screen().text
    cards = filled.open("bases")
    for fact in ("4 notes", "1 waiting for approval", "1 archived", "1 expired"):
        assert f"<span>{fact}</span>" in cards.text
    assert "Watched" in cards.text
    workspace.bases.add("desk", watch=True)
    assert filled.open("bases").text.count("Watched") == 1
    assert "2 notes aren't on the map: 1 waiting for approval, 1 archived" in filled.open("map").text


def test_long_work_shows_its_progress_and_is_cancelled_with_a_click(filled: Screen) -> None:
    reported, ended = threading.Event(), threading.Event()

    def work(progress: Progress) -> None:
        while not ended.wait(0.01):
            progress(30, 100, "a third")
            reported.set()

    filled.workspace.jobs.start("import", work)
    reported.wait(60)
    filled.app.run()
    assert "30 / 100 · a third" in "".join(bar.proto.text for bar in filled.app.get("progress"))
    filled.press("cancel_job")
    job = filled.workspace.jobs.wait("import", 10)
    ended.set()
    assert job is not None
    assert job.state == "cancelled"


@pytest.mark.parametrize(
    ("job", "text"),
    [("import", "You can already search the imported notes"), ("embed", "You can search by keyword now")],
)
def test_what_can_be_searched_is_said_while_notes_are_added(filled: Screen, job: str, text: str) -> None:
    ended = threading.Event()
    filled.finish("warm").finish("embed").app.run()
    assert "Ready to search" in filled.text
    filled.workspace.jobs.start(job, lambda progress: ended.wait(60))
    if job == "embed":  # a note that was just saved is indexed within seconds
        filled.app.run()
        assert "Ready to search" in filled.text
        filled.workspace.jobs._put("embed", left=60.0)
    filled.app.run()
    assert "Ready to search" not in filled.text
    assert text in filled.text
    ended.set()
    assert "Ready to search" in filled.finish(job).text


def test_files_that_failed_are_named_with_their_reason(place: Path, vault: Path) -> None:
    (vault / "<b>photo.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    screen = Screen()
    assert "Needs attention" in screen.text
    assert "1 file could not be read" in screen.text.replace("\\", "")
    assert "&lt;b&gt;photo.md" in screen.text
    assert "although its extension says that it is text" in screen.text


@pytest.mark.usefixtures("indexed")
def test_a_damaged_index_is_repaired_while_searches_go_on(filled: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    index, seen = filled.workspace.store.index, threading.Event()
    renew = index._renew
    monkeypatch.setattr(index, "_renew", lambda progress: (seen.wait(60), renew(progress)))
    monkeypatch.setattr(
        index, "_inspect", lambda: index._backend.names() and index._backend.search("nothing", [0.0], 1)
    )
    filled.finish("warm")
    index._fault(IndexDamaged("The search index can't be read."))
    filled.app.run()
    assert "You can keep searching" in filled.text
    seen.set()
    filled.finish("heal")
    assert filled.workspace.status().index_problem is None
    assert index.ready


def test_what_an_import_left_is_indexed_when_the_app_starts(place: Path, vault: Path) -> None:
    with Workspace(place) as workspace:
        assert workspace.imports.apply(workspace.imports.plan_folder(vault), embed=False).waiting == 3
    screen = Screen().finish("embed")
    assert not screen.workspace.pending.any()


def test_what_waits_is_told_and_goes_on_with_one_click(filled: Screen, vault: Path) -> None:
    (vault / "herons.md").write_text("A note about herons.")
    workspace = filled.workspace
    workspace.bases.update("vault", embed_at_once=False)
    workspace.imports.apply(workspace.imports.plan_folder(vault), embed=False)
    workspace.bases.update("vault", embed_at_once=True)
    filled.app.run()
    assert "Some notes are not indexed yet." in filled.text
    assert "1 not yet found by meaning" in filled.text
    filled.press("go_on").finish("embed")
    assert "not indexed yet" not in filled.text


def test_expired_notes_are_listed_and_archived(place: Path, filled: Screen) -> None:
    workspace = filled.workspace
    first, second = (card.id for card in workspace.notes.all()[:2])
    workspace.notes.set_fields([first], expires_at="2020-01-31")
    workspace.notes.set_fields([second], expires_at=datetime.now(UTC) + timedelta(days=3))
    screen = Screen()
    assert "2020-01-31" not in screen.text
    label = "Expired notes 1 · Notes that expire soon 1"
    assert label in [link.proto.label for link in screen.app.get("page_link")]
    assert "2020-01-31" in screen.open("review", kind="expired").text.replace("\\", "")
    screen.press("decide_archive")
    assert workspace.notes.get(first).status == "archived"
    label = "Notes that expire soon 1"
    assert label in [link.proto.label for link in screen.open("home").app.get("page_link")]
