"""A note to read: its title, what is known of it, its text."""

from collections.abc import Sequence

import streamlit as st

from core.model import Note
from core.workspace import Workspace
from pages.ui import bands
from pages.ui.cards import tags
from pages.ui.safe import harmless, html, plain
from pages.ui.sentences import said
from pages.ui.text import t

RENDERED = 100_000
"""Characters that a browser lays out as Markdown within a second or so."""
RAW = 400_000


def note(workspace: Workspace, note: Note) -> None:
    """Draw a note; nothing in it is run or fetched."""
    edited = _edited(workspace, note)
    with st.container(border=True, key="reader"):
        dated = note.updated_at.strftime("%Y-%m-%d") if note.updated_at else ""
        facts = [note.path or "", t("n.characters", n=len(note.body)), dated]
        st.html(
            f'<div class="t-head"><div class="t-title">{html(note.title)}</div>{_tag(edited)}</div><div class="t-facts">'
            f"{''.join(f'<span>{html(fact)}</span>' for fact in facts if fact)}</div>{tags(note.tags)}"
        )
        for warning in note.warnings:
            st.warning(plain(said(warning)), icon=":material/warning:")
        _metadata(note)
        views = {name: t(f"notes.view.{name}") for name in ("reading", "raw")}
        with st.container(horizontal=True, vertical_alignment="center"):
            view = st.segmented_control(
                t("notes.view"),
                list(views),
                format_func=views.__getitem__,
                key="view",
                default="reading",
                required=True,
                label_visibility="collapsed",
                persist_state="session",
            )
            place = {"chunk": str(edited[0])} if edited else {}
            st.page_link(
                "pages/2_chunks.py",
                label=t("notes.to_edited", n=len(edited)) if edited else t("notes.to_chunks"),
                icon=":material/splitscreen:",
                query_params={"note": note.id, **place},
                help=t("notes.edited") if edited else None,
            )
        _body(note, raw=view == "raw")


def _edited(workspace: Workspace, note: Note) -> list[int]:
    """Return the indexes of the chunks that a person changed or deleted."""
    edits = bands.placed(workspace, note)
    return [chunk.index for chunk in workspace.chunks(note.id) if chunk.id in edits] if edits else []


def _tag(edited: Sequence[int]) -> str:
    if not edited:
        return ""
    return f'<span class="t-tag t-edited" title="{html(t("notes.edited"))}">{html(t("hit.edited"))}</span>'


def _metadata(note: Note) -> None:
    known = {name: getattr(note, name) for name in ("category", "type", "project", "scope", "priority", "source_url")}
    known |= {"created": note.created_at.date() if note.created_at else None, **note.extra}
    told = {name: value for name, value in known.items() if value}
    if told:
        with st.expander(t("notes.metadata")):
            lines = "".join(f"<div><b>{html(str(name))}</b>: {html(str(value))}</div>" for name, value in told.items())
            st.html(f'<div class="t-list">{lines}</div>')


def _body(note: Note, *, raw: bool) -> None:
    limit = RAW if raw else RENDERED
    if len(note.body) > limit:
        st.info(t("notes.long", shown=limit, n=len(note.body)))
        st.download_button(
            t("notes.download"),
            note.body.encode("utf-8", "replace"),
            file_name="note.md",
            mime="text/plain",
            key="whole",
        )
    shown = note.body[:limit]
    if not shown.strip():
        st.caption(t("notes.empty"))
    elif raw:
        st.code(shown, language=None, wrap_lines=True, height=620)
    else:
        with st.container(key="reader_body"):
            st.markdown(harmless(shown))
        if "![" in shown:
            st.caption(t("notes.images"))
