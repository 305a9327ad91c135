"""Home tells once a day what is due, what contradicts, what waits, and what was changed, until it is put away."""

from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs

import pytest
import streamlit as st

from core.base.datetimes import LOCAL, local_now
from core.features.review import service
from core.workspace import Workspace
from pages.ui.notes import today as todays
from tests.pages.conftest import Screen

LINES = {
    "en-US": [
        "Expired notes 1",
        "Contradictions 1",
        "New notes 1 · Proposed changes 1",
        "Duplicates 1",
        "5 notes changed: Rye, Milk, Oats, … (by a program, by you)",
    ],
    "zh-CN": [
        "已过期的笔记 1",
        "互相矛盾 1",
        "新笔记 1 · 建议的修改 1",
        "重复的笔记 1",
        "5 篇笔记有改动：Rye、Milk、Oats、…（程序、由你）",
    ],
}


def lines(screen: Screen) -> dict[str, dict[str, list[str]]]:
    """Return the links of the digest by their labels, as a user reads them."""
    links = [
        link
        for link in screen.app.get("page_link")
        if link.proto.query_string.startswith("kind=") or link.proto.icon == ":material/edit_note:"
    ]
    return {link.proto.label.replace("\\", ""): parse_qs(link.proto.query_string) for link in links}


def fill(place: Path) -> None:
    """Write notes of every line of the digest, a day after it was first looked at."""
    with Workspace(place) as workspace:
        for heat in (220, 240):
            text = f"The oven for the bread runs at {heat} degrees."
            workspace.notes.add("kitchen", text, title=f"Bread at {heat}", author="person", embed=False)
        same = "Oats are soaked over night and eaten in the morning with honey and apples.\n"
        for title in ("Rye", "Oats"):
            workspace.notes.add("kitchen", same, title=title, author="person", embed=False)
        workspace.notes.add("kitchen", "Milk.", title="Milk", author="person", expires_at="2020-01-01", embed=False)
        workspace.proposals.add("kitchen", "Thyme is fine.", title="Thyme")
        note = workspace.notes.find("Bread at 220")
        assert note
        workspace.proposals.update(note.id, tags=["bread"])
        rye = workspace.notes.find("Rye")
        assert rye
        workspace.notes.update(rye.id, tags=["grain"], author="program", embed=False)


@pytest.mark.parametrize("locale", LINES)
def test_the_digest_is_shown_once_a_day_until_it_is_put_away(
    locale: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    today = local_now()
    for module in (service, todays):
        monkeypatch.setattr(module, "local_now", lambda: today)
    with Workspace(place) as workspace:
        workspace.bases.add("kitchen")
        assert workspace.review.digest() is None
    fill(place)
    today += timedelta(days=1)
    home = Screen(locale).open("home")
    home.workspace.jobs.wait("compare", 30)
    told = lines(home.open("home"))
    assert [*told] == LINES[locale]
    kinds = [link["kind"] for link in told.values() if "kind" in link]
    assert kinds == [["expired"], ["contradiction"], ["note"], ["copy"]]
    query = told[LINES[locale][-1]]["q"][0]
    found = {hit.note.title for hit in home.workspace.search(query).hits}
    assert {"Rye", "Bread at 240", "Bread at 220"} <= found
    other = Screen(locale).open("home")
    assert lines(home.press("digest_away")) == {}
    assert lines(other.open("home")) == {}  # another tab
    home.workspace.close()
    st.cache_resource.clear()
    assert lines(Screen(locale)) == {}  # after a restart
    today += timedelta(days=1)
    assert [*lines(Screen(locale))] == LINES[locale][:-1]  # what waits still waits; changes are told once


def test_one_changed_note_is_opened_and_many_lines_stay_five(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    today = local_now()
    for module in (service, todays):
        monkeypatch.setattr(module, "local_now", lambda: today)
    with Workspace(place) as workspace:
        workspace.review.digest()
        note = workspace.notes.add("kitchen", "Rye.", title="*Rye* [x](y)", author="program", embed=False)
    today += timedelta(days=1)
    assert lines(Screen()) == {"1 note changed: *Rye* [x](y) (by a program)": {"note": [note.id]}}


def test_a_task_is_ticked_in_its_note_and_can_be_taken_back(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(todays, "local_now", lambda: datetime(2026, 11, 30, 9, tzinfo=LOCAL))
    text = "The\r\nhouse.\n\n- [ ] Pay *rent* [x](y) by 1 December\n- [ ] Buy shoes\n"
    text += "- [ ] Return books by 27 November\n"
    with Workspace(place) as workspace:
        note = workspace.notes.add("home", text, title="*House*", author="person", embed=False)
    home = Screen()

    def texts() -> list[str]:
        return [box.label.replace("\\", "") for box in home.app.checkbox]

    assert texts() == ["Return books by 27 November", "Pay rent x by 1 December", "Buy shoes"]
    assert "Overdue" in home.text
    assert "Tomorrow" in home.text
    links = [parse_qs(link.proto.query_string) for link in home.app.get("page_link")]
    spans = [link["at"][0].split("-") for link in links if "at" in link]
    assert [text[int(start) : int(end)].strip() for start, end in spans] == [
        "- [ ] Return books by 27 November",
        "- [ ] Pay *rent* [x](y) by 1 December",
        "- [ ] Buy shoes",
    ]
    for label in ("Pay", "Buy"):
        next(box for box in home.app.checkbox if box.label.startswith(label)).check().run()
        assert not home.app.exception
    assert texts() == ["Return books by 27 November"]
    done = text.replace("[ ] Pay", "[x] Pay").replace("[ ] Buy", "[x] Buy")
    assert home.workspace.notes.get(note.id).body == done
    assert "Done: Buy shoes" in home.text.replace("\\", "")
    home.press("notes_undo")
    assert home.workspace.notes.get(note.id).body == done.replace("[x] Buy", "[ ] Buy")
    assert texts() == ["Return books by 27 November", "Buy shoes"]


def test_open_tasks_say_when_they_are_due(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(todays, "local_now", lambda: datetime(2026, 11, 30, 9, tzinfo=LOCAL))
    text = "- [ ] Buy shoes\n- [ ] Pay by 3 March\n- [ ] Return books by 1 June 2026\n- [ ] 12月3日交房租\n"
    with Workspace(place) as workspace:
        workspace.notes.add("home", text, title="House", author="person", embed=False)
    home = Screen()
    assert [box.label for box in home.app.checkbox] == [
        "12月3日交房租",
        "Return books by 1 June 2026",
        "Pay by 3 March",
        "Buy shoes",
    ]
    days = [caption.value for caption in home.app.caption]
    assert days.count("Overdue") == 1
    assert not {"Thursday", "2026-12-03", "2027-03-03"} & {*days}, "the text names the day already"


def test_boxes_clicked_in_quick_succession_are_all_ticked(place: Path) -> None:
    with Workspace(place) as workspace:
        text = "- [ ] milk\n- [ ] eggs\n- [ ] rye\n"
        note = workspace.notes.add("home", text, title="Shopping", author="person", embed=False)
    home = Screen()
    milk, eggs, rye = home.app.checkbox
    milk.check()
    eggs.check()
    home.app.run()
    assert home.workspace.notes.get(note.id).body == "- [x] milk\n- [x] eggs\n- [ ] rye\n"
    home.press("notes_undo")
    now = home.workspace.notes.get(note.id)
    assert now.body == "- [x] milk\n- [ ] eggs\n- [ ] rye\n"
    rye = next(box for box in home.app.checkbox if box.label == "rye")
    home.workspace.notes.update(
        note.id, body="Later.\n" + now.body, expected_version=now.version, author="program", embed=False
    )
    rye.check().run()
    assert "was changed in the meantime" in home.text
    assert "[ ] rye" in home.workspace.notes.get(note.id).body


def test_tasks_in_files_that_are_only_read_have_no_box(place: Path, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "home.md").write_text("# Home\n\n- [ ] Buy shoes\n")
    (tmp_path / "vault" / "garden.html").write_text("<ul><li><input type=checkbox> Plant a tree</li></ul>")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "vault"), embed=False)
    home = Screen()
    assert "Open tasks" in home.text
    assert not home.app.checkbox
    reasons = {link.proto.help for link in home.app.get("page_link") if link.proto.icon == ":material/checklist:"}
    assert reasons == {
        "The text is read-only, because Tessera doesn't change the files of this base.",
        "The text is read-only, because it was converted from a document.",
    }
    home.workspace.bases.update("vault", write_files=True)
    assert [box.label for box in home.app.run().checkbox] == ["Buy shoes"]
