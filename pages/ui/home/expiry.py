"""Notes that are expired or soon will be."""

from collections.abc import Sequence

import streamlit as st

from core.model import NoteCard, day_of
from core.workspace import Workspace
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural

SOON = 14
"""Days before its expiry in which a note is listed."""
SHOWN = 10
"""Notes listed at most."""


def section(workspace: Workspace, cards: Sequence[NoteCard]) -> None:
    """Draw the notes that are expired, with a way to archive them, and those that soon will be."""
    expired = [card for card in cards if card.expired]
    soon = [card for card in cards if not card.expired]
    if expired:
        about = t_plural(
            "{n} note has expired: searches leave it out",
            "{n} notes have expired: searches leave them out",
            n=len(expired),
        )
        with st.expander(about, icon=":material/event_busy:"):
            _listed(expired)
            with st.container(horizontal=True, vertical_alignment="center"):
                label = t("Archive the expired ones")
                archive = shell.guarded(lambda: workspace.notes.archive([card.id for card in expired]))
                widgets.button(label, "archive_expired", "archive", disabled=workspace.readonly, on_click=archive)
    if soon:
        about = t_plural(
            "{n} note expires within {days} days", "{n} notes expire within {days} days", n=len(soon), days=SOON
        )
        with st.expander(about, icon=":material/event_upcoming:"):
            _listed(soon)


def _listed(cards: Sequence[NoteCard]) -> None:
    for card in cards[:SHOWN]:
        with st.container(horizontal=True, vertical_alignment="center", key=f"expires_{card.id}"):
            st.page_link("notes.py", label=plain(card.title), query_params={"note": card.id}, width="stretch")
            day = day_of(card.expires_at) if card.expires_at else ""
            st.caption(f"{day} · {plain(card.base)}", width="content")
    if (more := len(cards) - SHOWN) > 0:
        st.caption(t("and {n} more", n=more))
