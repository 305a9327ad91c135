"""How an open note was found and used, and whether it helped."""

from functools import partial

import streamlit as st

from core.model import USED_IN, Chunk, Note, Use, day_of
from core.workspace import Workspace
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import facts, html
from pages.ui.shared.text import t, t_plural, text_of

USES = 20
"""Uses that are listed."""


def record_opening(workspace: Workspace, note: Note, passage: tuple[Chunk, str] | None, arrival: str) -> None:
    """Record once that a note was opened from the hits of a question."""
    if passage and passage[1]:
        now = (note.id, passage[0].id, passage[1], arrival)
        if st.session_state.get("use_recorded") != now:
            st.session_state["use_recorded"] = now
            places = [(note.id, passage[0].id)]
            workspace.uses.note("search", places, passage[1])
            workspace.clicks.note("open", passage[1], places)


def draw_uses(workspace: Workspace, note: Note) -> None:
    """Draw the figures of a note, with its last uses; nothing of one that was never found nor used."""
    figures = workspace.uses.figures(note.id)
    uses = [use for use in workspace.uses.of(note.id) if use.used_in != "found"]
    if not (figures.found or uses):
        return
    with st.expander(t("Use")):
        st.html(
            facts(
                [
                    t_plural("found {n} time", "found {n} times", n=figures.found),
                    t_plural("used {n} time", "used {n} times", n=figures.used),
                    t("last on {day}", day=day_of(figures.last)) if figures.last else "",
                    t("{n} helpful", n=figures.helpful) if figures.helpful else "",
                    t("{n} not helpful", n=figures.not_helpful) if figures.not_helpful else "",
                    t("{n} misleading", n=figures.misleading) if figures.misleading else "",
                ]
            )
        )
        if uses:
            st.html(f'<div class="t-list">{"".join(map(_line, uses[:USES]))}</div>')
        widgets.more(len(uses) - USES)
        forget = shell.guarded(partial(workspace.uses.forget, [note.id]))
        about = t("Delete these figures and verdicts. The note stays as it is.")
        widgets.small(t("Delete"), "forget_uses", "delete", help=about, on_click=forget, disabled=workspace.readonly)


def _line(use: Use) -> str:
    place = text_of(USED_IN[use.used_in]) if use.used_in in USED_IN else use.used_in
    verdicts = {1: t("helpful"), 0: t("not helpful"), -1: t("misleading")}
    parts = [day_of(use.used_at), place, f"“{use.context}”" if use.context else ""]
    parts += [
        f"×{use.times}" if use.times > 1 else "",
        verdicts.get(use.helpful, "") if use.helpful is not None else "",
    ]
    return f"<div>{html(' · '.join(filter(None, parts)))}</div>"
