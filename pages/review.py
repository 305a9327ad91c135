"""The Review page, with items awaiting a decision on the left and the open item on the right."""

import streamlit as st

from pages.ui.notes import trash
from pages.ui.notes.history import draw_undo
from pages.ui.review import items, log_upload
from pages.ui.shared import jobs
from pages.ui.shared.names import base_names
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, page_title, small_print, t_plural
from pages.ui.shared.widgets import base_filter, errors

page_title("Review")
jobs.job_panel(("edits", "embed"))
with errors():
    comparing = not workspace.neighbours.likeness.is_read
    workspace.start_comparing()
    with busy("Comparing the notes…"):
        matters, put_off = workspace.review.lists()
    if matters:
        st.caption(t_plural("{n} item to review.", "{n} items to review.", n=len(matters)))
    else:
        small_print("There is nothing to review.")
        small_print(
            "Duplicates, contradictions, expired notes, and notes written by programs are listed here, and you "
            "decide what to do with them."
        )
    draw_undo()
    if matters:
        of_kind = items.choose_kind(matters)
        left, right = st.columns([3, 7], gap="medium")
        with left:
            bases = base_names()
            base = base_filter(bases, "review_base") if len(bases) > 1 else ""
            shown = [matter for matter in of_kind if base in ("", matter.base)]
            item = items.open_item(shown)
            items.draw_list(shown, item.key if item else "")
        with right, errors():
            if item:
                items.draw_item(item)
    trash.dialog()
    items.draw_put_off(put_off)
    items.reminders(matters)
    log_upload.draw()
    if comparing:
        jobs.redraw_after("compare")
