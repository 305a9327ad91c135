"""Lines of notes that name a coming day or are open tasks, with links to them, and checkboxes for the tasks."""

import re
from collections.abc import Collection
from datetime import date, datetime
from functools import partial

import streamlit as st

from core.base.messages import verbatim
from core.base.text import LINE_END
from core.model import QuotedLine
from pages.ui.notes import files
from pages.ui.notes.history import offer_undo, undo_edit
from pages.ui.shared.names import near_day
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import section_title, t
from pages.ui.shared.widgets import guarded, page_link, row

# Number of open tasks to list on the Home page.
TASKS = 6
# Number of days, including today, whose lines have the day next to them.
_NEAR = 2


def draw(line: QuotedLine, today: date) -> None:
    """Draw a line and the title of its note as a link to the line, and say whether it is overdue, or due by tomorrow.

    An open task that can be ticked has a box. For one that can't be ticked, a tooltip says why.
    """
    note = line.note
    place = f"{note.id}_{line.chunk}_{line.start}_{line.day}"
    address = {"at": f"{line.start}-{line.end}"} if line.end > line.start else {}
    reason = files.why_read_only(note) if line.is_task else ""
    can_tick = line.is_task and not reason
    with row(f"recent_{place}"):
        if can_tick:
            key = f"tick_{place}_{note.version}"
            st.checkbox(plain(line.text), key=key, label_visibility="collapsed", on_change=guarded(_tick), args=(line,))
        label = verbatim(f"{plain(line.text)} :gray[{plain(note.title)}]")
        icon = "" if can_tick else "checklist" if line.is_task else "event"
        page_link(
            "notes.py",
            label,
            icon,
            width="stretch",
            help=reason or None,
            note=note.id,
            chunk=str(line.chunk),
            **address,
        )
        # Other days are in the text.
        if line.day and (line.day - today).days < _NEAR:
            st.caption(t("Overdue") if line.day < today else near_day(line.day, today), width="content")


def _tick(line: QuotedLine) -> None:
    before = workspace.notes.get(line.note.id)
    version = line.note.version
    if before.version != version:  # two boxes clicked in quick succession: the first tick left the other line in place
        span = slice(line.start, line.end)
        if before.body[span] == workspace.versions.get(before.id, version).body[span]:
            version = before.version
    number = len(re.findall(LINE_END, before.body[: line.start]))
    note = workspace.notes.tick(before.id, number, expected_version=version, embed=False)
    offer_undo(t("Done: {task}", task=line.text), partial(undo_edit, before, note))


def tasks(shown: Collection[QuotedLine], now: datetime) -> None:
    """Draw up to TASKS open tasks of recently changed notes, without the lines that are already shown.

    Tasks that name a day come first. `now` is the time on the user's clock.
    """
    quoted = {(line.note.id, line.start) for line in shown}
    every = [line for line in workspace.review.open_tasks(now) if (line.note.id, line.start) not in quoted]
    if not every:
        return
    section_title("Open tasks")
    with st.container(gap="xxsmall", key="open_tasks"):
        for line in every[:TASKS]:
            draw(line, now.date())
        if len(every) > TASKS:
            page_link("search.py", "All notes with tasks", "search", q="has:task")
