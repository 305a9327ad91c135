"""The page on which a note is written: title, conflict, editor, and next to it the rendered text or the fields."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import streamlit as st

from core.model import KnowledgeBase, Note
from core.workspace import Workspace
from pages.ui.notes import composer, editor, history, note_fields, offers, opened
from pages.ui.notes.files import NoteSources
from pages.ui.notes.session import Action, EditorSession, State
from pages.ui.shared import links, shell, widgets
from pages.ui.shared.document import as_written, document, view
from pages.ui.shared.safe import drawable_part, html, is_deeply_nested, plain
from pages.ui.shared.text import t, text_of

# Passages of other notes that are similar to the paragraph at the caret, next to the editor.

_PASSAGE = 400
"""Characters of a passage that are shown."""


def draw_nearby(workspace: Workspace, now: EditorSession) -> None:
    """Draw the passages; a click on a title opens its note, and the draft stays."""
    note_id = now.note.id if now.note else ""
    hits = workspace.related.passages(now.body, now.caret, without=note_id)
    if not hits:
        st.caption(t("Passages of your other notes that are near the paragraph you write appear here."))
    for number, hit in enumerate(hits):
        with st.container(key=f"nearby_{number}", gap="xsmall"):
            address = {"note": hit.note.id, "chunk": str(hit.chunk.index)}
            st.page_link("notes.py", label=plain(hit.note.title), icon=":material/description:", query_params=address)
            text = " ".join(hit.chunk.text.split())
            st.caption(plain(text if len(text) <= _PASSAGE else f"{text[: _PASSAGE - 1]}…"))


# The choice between the text in the editor and the stored note, which was changed meanwhile.


def draw_conflict(workspace: Workspace, now: EditorSession) -> None:
    """Draw the differences and two actions; neither of them loses a text, nor does going on writing."""
    stored = now.conflict
    assert stored is not None
    with st.container(border=True, key="conflict"):
        st.warning(
            t("'{title}' was changed while you wrote. Which text do you want to keep?", title=plain(stored.title)),
            icon=":material/call_split:",
        )
        _difference(workspace, stored, now)
        with st.container(horizontal=True):
            widgets.button(
                t("Save mine over it"),
                "conflict_mine",
                "check",
                type="primary",
                help=t("The other text stays in the history."),
                on_click=_keep_mine,
                args=(workspace, now),
            )
            widgets.button(
                t("Take the other one"),
                "conflict_theirs",
                "undo",
                help=t("Yours stays as a draft until you discard it."),
                on_click=_take_theirs,
                args=(workspace, now),
            )


def _difference(workspace: Workspace, stored: Note, now: EditorSession) -> None:
    other, own = html(t("only in the other text")), html(t("only in yours"))
    st.html(f'<p class="t-words"><del>{other}</del> · <ins>{own}</ins></p>')
    if shown := history.words(workspace.notes.compare(stored, replace(stored, body=now.body))):
        st.html(shown)
    else:
        st.caption(t("Both have the same text; their fields differ."))


def _keep_mine(workspace: Workspace, now: EditorSession) -> None:
    """Save over the stored text; a changed file is read first, so that its text becomes a version."""
    assert now.note is not None
    stored = workspace.notes.take_file(now.note.id) if _in_file(workspace, now) else now.conflict
    composer.save(workspace, now, over=stored)


def _take_theirs(workspace: Workspace, now: EditorSession) -> None:
    assert now.note is not None
    if _in_file(workspace, now):
        workspace.notes.take_file(now.note.id)
        workspace.start_indexing()
    composer.leave(workspace)


def _in_file(workspace: Workspace, now: EditorSession) -> bool:
    assert now.note is not None
    return now.note.in_file and workspace.bases.by_id(now.note.base_id).write_files


LOOK = 3.0
"""Seconds between two looks at whether the file of the note changed."""
AROUND = 20_000
"""Characters before and after the caret that are rendered of a long note."""


def is_open(workspace: Workspace) -> bool:
    """Return whether the editor is open; a link to another note closes it."""
    now = composer.current_session()
    if now is None:
        return False
    linked = links.arrived_value("note")
    if linked and linked != (now.note.id if now.note else ""):
        composer.leave(workspace)
        return False
    return True


def page(workspace: Workspace) -> None:
    """Draw the page. Typing draws this part again, a save the whole page."""

    @st.fragment
    def part() -> None:
        now = composer.current_session()
        if now is None:
            st.rerun()
        else:
            _draw(workspace, now)

    now = composer.current_session()
    opened.choose(now.note.id if now and now.note else "")
    if now and now.note and now.note.in_file:
        _follow_file(workspace, now)
    part()


def _follow_file(workspace: Workspace, now: EditorSession) -> None:
    """Look from time to time whether the note was changed, as its file was."""

    @st.fragment(run_every=LOOK)
    def look() -> None:
        if composer.is_overtaken(workspace, now):
            st.rerun()

    look()


def _draw(workspace: Workspace, now: EditorSession) -> None:
    with shell.errors():
        _act(workspace, now)
    with shell.errors():
        with st.container():  # its own container: elements that come and go don't move the editor
            if now.conflict:
                draw_conflict(workspace, now)
            elif now.newer and now.note and now.newer.version > now.note.version:
                _draw_newer(workspace, now)
            _bar(workspace, now)
            note_fields.draw_head(workspace, now)
        left, right = st.columns([11, 9], gap="medium")
        with left:
            if _is_read_only(workspace, now):
                _draw_read_only(workspace, now)
            else:
                _editor(workspace, now)
        with right:
            _side(workspace, now)


def _draw_newer(workspace: Workspace, now: EditorSession) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="writing_newer"):
        st.info(t("This note's file was changed since you opened it."), icon=":material/sync:")
        click = {"on_click": composer.take_newer, "args": (workspace, now)}
        widgets.small(t("Show the new text"), "take_newer", "refresh", **click)


def _act(workspace: Workspace, now: EditorSession) -> None:
    """Do the action that a callback noted; a note that is made, and an editor that is closed, draw the whole page.

    The callback itself may run before the one that takes the typed text. The action stays noted until it is done, for
    another message may break off the run that the click began.
    """
    action, note = now.action, now.note
    if action is None:
        return
    try:
        _do(workspace, now, action)
    except Exception:
        now.action = None
        raise
    now.action = None
    if composer.current_session() is not now or now.note is not note is None:
        st.rerun()


def _do(workspace: Workspace, now: EditorSession, action: Action) -> None:
    if action == "discard":
        composer.discard(workspace, now.key)
    elif action == "save":
        if now.changed and now.complete:
            composer.save(workspace, now)
        now.autosaved_at = None  # what is stored stays a version
    else:
        saves = now.state is State.UNSAVED
        if saves:
            composer.save(workspace, now, automatic=True)
        if action == "leave" and not (saves and now.changed):
            composer.leave(workspace)
            if now.note:  # a new one was made by this
                opened.choose(now.note.id)


def _bar(workspace: Workspace, now: EditorSession) -> None:
    stays = now.state not in (State.CLEAN, State.SAVED, State.UNSAVED)
    with st.container(horizontal=True, vertical_alignment="center", key="writing_bar"):
        label = t("Close; the draft stays") if stays else t("Done")
        widgets.small(label, "writing_leave", "arrow_back", on_click=now.request, args=("leave",))
        with st.container(key="writing_state", width="stretch"):
            st.caption(_state(workspace, now))
        if now.note and not now.created:
            about = [workspace.bases.by_id(now.note.base_id).name, *PurePosixPath(now.note.path or "").parts[:-1]]
            st.caption(plain(" › ".join(about)), width="content")
        if stays:
            label = t("Discard the changes") if now.note else t("Discard this note")
            widgets.small(label, "writing_discard", "delete", on_click=now.request, args=("discard",))
        if now.decides:
            save = {
                "on_click": now.request,
                "args": ("save",),
                "disabled": workspace.readonly or not now.changed,
            }
            widgets.button(t("Save"), "writing_save", "check", type="primary", help="Ctrl+S · Ctrl+Enter", **save)
    if now.refusal:
        st.warning(plain(text_of(now.refusal)), icon=":material/warning:")


def _state(workspace: Workspace, now: EditorSession) -> str:
    match now.state:
        case State.UNSAVED:
            return t("Saving…")
        case State.CLEAN:
            return t("What you write is saved by itself.")
        case State.SAVED:
            assert now.note is not None
            base = workspace.bases.by_id(now.note.base_id)
            if not base.embed_at_once and (n := _pending(workspace, now.note.id)):
                return t("Saved, and found by its words; {n} of its passages wait until you index this base.", n=n)
            return t("Saved")
        case State.INCOMPLETE if not now.base:
            return t("Not saved: choose a base. What you write is stored as a draft meanwhile.")
    return t("Not saved. What you write is stored as a draft meanwhile.")


def _pending(workspace: Workspace, note_id: str) -> int:
    return sum(chunk.state == "pending" for chunk in workspace.chunks.all(note_id))


def _editor(workspace: Workspace, now: EditorSession) -> None:
    offered = now.offers = now.offers or offers.load_offers(workspace)

    def take_text(sent: Mapping[str, Any]) -> None:
        now.take_text(**sent)
        composer.keep_draft(workspace, now)

    editor.write(workspace, now, offered, widgets.guarded(take_text))


def _is_read_only(workspace: Workspace, now: EditorSession) -> bool:
    """Return whether the text belongs to a file, and the base doesn't write files."""
    return bool(now.note and now.note.in_file and not workspace.bases.by_id(now.note.base_id).write_files)


def _draw_read_only(workspace: Workspace, now: EditorSession) -> None:
    """Draw the ways to edit a note of a file."""
    assert now.note is not None
    note, base = now.note, workspace.bases.by_id(now.note.base_id)
    with st.container(border=True, key="writing_elsewhere"):
        st.markdown(t("This note is the file **{path}**. Its fields can be set here.", path=plain(note.path or "")))
        st.caption(_read_only_reason(note, base))
        with st.container(horizontal=True, vertical_alignment="center"):
            widgets.button(
                t("Make a copy that lives here"),
                "writing_copy",
                "content_copy",
                on_click=_copy,
                args=(workspace, note.id),
                disabled=workspace.readonly,
            )
            if not note.plain:
                address = {"base": base.name}
                st.page_link("bases.py", label=t("Settings of the base"), icon=":material/tune:", query_params=address)


def _read_only_reason(note: Note, base: KnowledgeBase) -> str:
    if note.plain:
        return t("Its text is changed in another program: text files are only read here.")
    return t("Its text is only read, as you chose for '{base}'. Its settings can change that.", base=plain(base.name))


def _copy(workspace: Workspace, note_id: str) -> None:
    copy = workspace.notes.copy(note_id, embed=False)
    workspace.start_indexing()
    composer.edit(workspace, copy.id)


def _side(workspace: Workspace, now: EditorSession) -> None:
    views = {"rendered": t("Rendered"), "fields": t("Fields"), "nearby": t("Nearby passages")}
    view = widgets.segments(t("Beside the text"), views, "writing_side", default="rendered", persist_state="session")
    with st.container(key="writing_beside"):
        if view == "fields":
            note_fields.draw(workspace, now)
        elif view == "nearby":
            draw_nearby(workspace, now)
        elif now.body.strip():
            _preview(workspace, now)
        else:
            st.caption(t("What you write appears here as it will be read."))


def _preview(workspace: Workspace, now: EditorSession) -> None:
    """Draw the text. A click on a link to a note closes the editor and opens the note; the draft stays."""

    def clicked(link: view.Clicked) -> None:
        composer.leave(workspace)
        if link.note_id:
            opened.choose(link.note_id, link.place)
        else:
            composer.begin_linked(now.base, link.make)

    shown = drawable_part(_lines_around(now.body, now.caret))
    now.links = now.links or workspace.notes.links()
    sources = NoteSources(workspace, _note_in_editor(workspace, now), now.links)
    drawn = as_written(shown) if is_deeply_nested(shown) else document(shown, sources).html
    with st.container(key="reader_body"):
        view.show(f"<article>{drawn}</article>", "preview", arrival=now.token, on_click=clicked)


def _lines_around(body: str, caret: int) -> str:
    """Return a text, or the lines around the caret of a long one."""
    if len(body) <= 2 * AROUND:
        return body
    first = body.rfind("\n", 0, max(0, caret - AROUND)) + 1
    return body[first : max(caret, AROUND) + AROUND]


def _note_in_editor(workspace: Workspace, now: EditorSession) -> Note:
    """Return the note in the editor, a provisional one if it is new: links are resolved from its place."""
    if now.note:
        return now.note
    base = workspace.bases.find(now.base)
    path = f"{now.folder}/new" if now.folder else "new"
    return Note("", base.id if base else "", body="", content_hash="", title="", path=path)
