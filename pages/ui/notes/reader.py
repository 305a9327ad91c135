"""A note to read: its title, its metadata, its text."""

from collections.abc import Sequence

import streamlit as st

from core.messages import message
from core.model import Chunk, Note
from core.workspace import Workspace
from pages.ui.chunks import bands
from pages.ui.notes import actions, opened
from pages.ui.shared import keys, widgets
from pages.ui.shared.cards import tags
from pages.ui.shared.safe import facts, harmless, html, light, plain, tangled
from pages.ui.shared.text import t, t_plural, text_of

EDITED = message("This is the file's own text; search finds the edited chunks instead.")

RENDERED = 100_000
"""Characters that a browser lays out as Markdown in about a second."""
RAW = 400_000


def note(workspace: Workspace, note: Note, passage: tuple[Chunk, str] | None) -> None:
    """Draw a note, at a passage of it if there is one; nothing in it is run or fetched."""
    edited = _edited(workspace, note)
    _ways_back(passage)
    actions.actions(workspace, note)
    with st.container(key="reader"):
        dated = note.updated_at.strftime("%Y-%m-%d") if note.updated_at else ""
        size = t_plural("{n} character", "{n} characters", n=len(note.body))
        st.html(
            f'<div class="t-head"><div class="t-title">{html(note.title)}</div>{_tag(edited)}</div>'
            f"{facts([note.path or '', size, dated])}{tags(note.tags)}"
        )
        for warning in note.warnings:
            st.warning(plain(text_of(warning)), icon=":material/warning:")
        _metadata(note)
        views = {"reading": t("Reading"), "raw": t("Raw text")}
        with st.container(horizontal=True, vertical_alignment="center"):
            view = widgets.segments(t("View"), views, "view", default="reading", persist_state="session")
            if edited:
                label = t_plural("See {n} edited chunk", "See {n} edited chunks", n=len(edited))
                widgets.chunk_link(note.id, edited[0], label, help=text_of(EDITED))
        if passage and view == "reading":
            _at(note, *passage)
        else:
            _body(note, raw=view == "raw")


def _ways_back(passage: tuple[Chunk, str] | None) -> None:
    """Draw the ways back to the hits, and to the note that was open before."""
    with st.container(horizontal=True, vertical_alignment="center", key="reader_bar"):
        if passage and passage[1]:
            back = {"q": passage[1]}
            st.page_link("search.py", label=t("Back to the hits"), icon=":material/arrow_back:", query_params=back)
        if opened.trail():
            widgets.small(t("Back"), "note_back", "arrow_back", on_click=opened.back)
        widgets.small(t("All notes"), "all_notes", "description", on_click=opened.choose, args=("",))


def _at(note: Note, chunk: Chunk, question: str) -> None:
    """Draw a note's text at a passage, which is marked."""
    first = 0 if chunk.end <= RENDERED else note.body.rfind("\n", 0, chunk.start - RENDERED // 4) + 1
    last = first + max(RENDERED, chunk.end - first)
    with st.container(key="reader_body"):
        before = light(note.body[first : chunk.start], last=True)
        _markdown(before)
        with st.container(key="passage"):
            _markdown(note.body[chunk.start : chunk.end] or "…")
        after = light(note.body[chunk.end : last])
        _markdown(after)
    if len(before) < chunk.start or chunk.end + len(after) < len(note.body):
        st.caption(t("This note is long: the part around the passage is shown."))
    keys.scroll_to_passage(f"{note.id} {chunk.index} {question}")


def _edited(workspace: Workspace, note: Note) -> list[int]:
    """Return the indexes of the chunks that a person changed or deleted."""
    edits = bands.placed(workspace, note)
    return [chunk.index for chunk in workspace.chunks.of_note(note.id) if chunk.id in edits] if edits else []


def _tag(edited: Sequence[int]) -> str:
    if not edited:
        return ""
    return f'<span class="t-tag t-edited" title="{html(text_of(EDITED))}">{html(t("edited"))}</span>'


def _metadata(note: Note) -> None:
    known = {name: getattr(note, name) for name in ("category", "type", "project", "scope", "priority", "source_url")}
    known |= {"created": note.created_at.date() if note.created_at else None, **note.extra}
    lines = [f"<div><b>{html(str(name))}</b>: {html(str(value))}</div>" for name, value in known.items() if value]
    if lines:
        with st.expander(t("Front matter")):
            st.html(f'<div class="t-list">{"".join(lines)}</div>')


def _body(note: Note, *, raw: bool) -> None:
    shown = note.body[:RAW] if raw else light(note.body[:RENDERED])
    if len(shown) < len(note.body):
        st.info(
            t("This note is long: the first {shown} of {n} characters are shown.", shown=len(shown), n=len(note.body))
        )
        body = note.body.encode("utf-8", "replace")
        st.download_button(t("Download the whole text"), body, "note.md", "text/plain", key="whole")
    if not shown.strip():
        st.caption(t("This note has no text."))
    elif raw:
        st.code(shown, language=None, wrap_lines=True, height=620)
    else:
        with st.container(key="reader_body"):
            _markdown(shown)
        if "![" in shown:
            st.caption(t("Pictures are shown as links, so that opening a note fetches nothing."))


def _markdown(text: str) -> None:
    """Draw a part of a note; what a browser would fail over is drawn as it is written."""
    if tangled(text):
        st.caption(t("This text is nested too deeply to be laid out, so it is shown as it is written."))
        st.code(text, language=None, wrap_lines=True)
    else:
        st.markdown(harmless(text))
