"""The Bases page, with each base's contents and settings, and the form for a new base."""

import streamlit as st

from pages.ui.bases import base_settings, folders, listing
from pages.ui.notes import trash
from pages.ui.shared import jobs
from pages.ui.shared.server import workspace
from pages.ui.shared.text import page_title
from pages.ui.shared.widgets import errors


def page() -> None:
    open_base = folders.settle_view()
    # Use a separate container, so that elements below don't move when the panel appears or disappears.
    with st.container():
        jobs.job_panel(("import", *jobs.BASES, "rechunk", "embed"), "" if open_base == folders.NEW else open_base)
    if open_base == folders.NEW:
        listing.draw_new_base()
    elif open_base:
        base_settings.page(workspace.bases.status(workspace.bases.get(open_base)))
    else:
        listing.page()
    trash.dialog()


page_title("Knowledge bases")
with errors():
    page()
