"""A note to read: its title, its metadata, its text."""

from collections.abc import Sequence

import streamlit as st

from core.messages import message
from core.model import Chunk, Note
from core.workspace import Workspace
from pages.ui.chunks import bands
from pages.ui.notes import deletion
from pages.ui.shared import jobs, keys, widgets
from pages.ui.shared.cards import tags
from pages.ui.shared.safe import facts, harmless, html, light, plain, tangled
from pages.ui.shared.text import t, t_plural, text_of

EDITED = message("This is the file's own text; search finds the edited chunks instead.")

RENDERED = 100_000
"""Characters that a browser lays out as Markdown in about a second."""
RAW = 400_000


def note(workspace: Workspace, note: Note) -> None:
    """Draw a note; nothing in it is run or fetched."""
    edited = _edited(workspace, note)
    with st.container(border=True, key="reader"):
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
            else:
                widgets.chunk_link(note.id, None, t("See its chunks"))
            _menu(workspace, note)
        _body(note, raw=view == "raw")


def _menu(workspace: Workspace, note: Note) -> None:
    """Draw the menu of what is rarely done with a note."""
    key = f"note_menu_{note.id}"

    def chosen() -> None:
        if st.session_state[key] == "delete":
            deletion.ask([note.id])

    shut = workspace.readonly or jobs.importing(workspace)
    widgets.menu(t("More"), {"delete": t("Delete this note")}, key, "more_horiz", on_click=chosen, disabled=shut)


def passage(workspace: Workspace) -> tuple[Note, Chunk, str] | None:
    """Return the note and the chunk that the address opens, and the question it comes from; None without a chunk."""
    note_id, chunk = st.query_params.get("note", ""), st.query_params.get("chunk", "")
    if not (note_id and chunk.isdecimal()):
        return None
    place = next((one for one in workspace.chunks.of_note(note_id) if one.index == int(chunk)), None)
    return (workspace.notes.get(note_id), place, st.query_params.get("q", "")) if place else None


def opened(note: Note, chunk: Chunk, question: str) -> None:
    """Draw a note at a passage, which is marked, with the way back to where it was found."""
    with st.container(horizontal=True, vertical_alignment="center", key="reader_bar"):
        if question:
            back = {"q": question}
            st.page_link("search.py", label=t("Back to the hits"), icon=":material/arrow_back:", query_params=back)
        # A link from a page to itself leaves the address as it was, and the next run would read it.
        place = {"note": note.id}
        widgets.small(t("All notes"), "all_notes", "description", on_click=st.query_params.from_dict, args=(place,))
        widgets.chunk_link(note.id, chunk.index)
    with st.container(key="reader_page"):
        st.html(
            f'<div class="t-title">{html(note.title)}</div>'
            f"{facts([note.path or '', ' › '.join(chunk.section)])}{tags(note.tags)}"
        )
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
