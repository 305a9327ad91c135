"""The page for writing a note: title, conflict, editor, and next to it the rendered text or the fields."""

from pathlib import PurePosixPath

import streamlit as st

from core.model import Note
from pages.ui.notes import composer, conflict, editor, history, linked, note_fields, opened
from pages.ui.notes.files import NoteSources
from pages.ui.notes.session import Action, EditorSession, State
from pages.ui.shared import links, shell, widgets
from pages.ui.shared.document import RenderedNote, as_written, document, view
from pages.ui.shared.safe import drawable_part, is_deeply_nested, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t

# Passages from other notes that are similar to the paragraph at the caret, next to the editor.

_PASSAGE = 400
"""Maximum number of characters to show of a passage."""


def draw_nearby(session: EditorSession) -> None:
    """Draw passages similar to the current paragraph; a click on a title opens the note, and the draft stays."""
    note_id = session.note.id if session.note else ""
    hits = workspace.related.passages(session.body, session.caret, without=note_id)
    if not hits:
        small_print("Passages from your other notes that are similar to the paragraph you are writing appear here.")
    for number, hit in enumerate(hits):
        with st.container(key=f"nearby_{number}", gap="xsmall"):
            widgets.note_link(hit.note.id, hit.note.title, chunk=str(hit.chunk.index))
            text = " ".join(hit.chunk.text.split())
            st.caption(plain(text if len(text) <= _PASSAGE else f"{text[: _PASSAGE - 1]}…"))


LOOK = 3.0
"""Seconds between two checks whether the note's file has changed."""
AROUND = 20_000
"""Characters to render before and after the caret of a long note."""


def is_open() -> bool:
    """Return whether the editor is open; a link to another note closes it."""
    session = composer.current_session()
    if session is None:
        return False
    linked = links.arrived_value("note")
    if linked and linked != (session.note.id if session.note else ""):
        composer.leave()
        return False
    return True


def page() -> None:
    """Draw the page; typing redraws only the editor part, a save the whole page."""

    @st.fragment
    def part() -> None:
        session = composer.current_session()
        if session is None:
            st.rerun()
        else:
            _draw(session)

    session = composer.current_session()
    opened.choose(session.note.id if session and session.note else "")
    part()
    if session and session.note and session.note.in_file:  # below: a new note becomes a file, and the editor stays

        @st.fragment(run_every=LOOK)
        def look() -> None:
            if composer.is_overtaken(session):
                st.rerun()

        look()


def _draw(session: EditorSession) -> None:
    with shell.errors():
        _act(session)
    with shell.errors():
        with st.container():  # a separate container, so that elements that come and go don't move the editor
            if session.conflict:
                conflict.draw(session)
            elif session.newer and session.note and session.newer.version > session.note.version:
                with widgets.row("writing_newer"):
                    st.info(t("This note's file was changed since you opened it."), icon=":material/sync:")
                    widgets.small(
                        t("Show the new text"), "take_newer", "refresh", on_click=composer.take_newer, args=(session,)
                    )
            history.draw_undo()
            _bar(session)
            note_fields.draw_head(session)
        left, right = st.columns([11, 9], gap="medium")
        with left:
            note = session.note
            base = workspace.bases.by_id(note.base_id) if note and note.in_file else None
            if note and base and not base.write_files:
                with st.container(border=True, key="writing_elsewhere"):
                    st.markdown(
                        t("This note is the file **{path}**. Its fields can be set here.", path=plain(note.path or ""))
                    )
                    st.caption(
                        t("Text files are read-only here. Edit the text in another program.")
                        if note.plain
                        else t("The text is read-only, as you chose when you imported the file.")
                    )
                    with widgets.row():
                        widgets.button(
                            t("Make a copy here"),
                            "writing_copy",
                            "content_copy",
                            on_click=lambda: composer.edit(workspace.notes.copy(note.id, embed=False).id),
                            disabled=workspace.readonly,
                        )
                        if not note.plain:
                            st.page_link(
                                "bases.py",
                                label=t("Change this"),
                                icon=":material/tune:",
                                query_params={"base": base.name},
                            )
                side = {"key": "reading_side", "default": "rendered"}
            else:
                offered = note_fields.load_offers(session)

                def take_text(sent: editor.Typed) -> None:
                    session.heard = True
                    session.take_text(**sent)
                    composer.keep_draft(session)

                editor.write(session, offered, widgets.guarded(take_text))
                side = {"key": "writing_side"}
        with right:
            _side(session, **side)


def _act(session: EditorSession) -> None:
    """Do the pending action; redraw the whole page if that created the note or closed the editor.

    The callback that requested the action may run before the one that delivers the typed text. The action stays pending
    until it is done, because another message may interrupt the run that the click began.
    """
    action, note = session.action, session.note
    if action is None:
        return
    try:
        _do(session, action)
    except Exception:
        session.action = None
        raise
    session.action = None
    if composer.current_session() is not session or session.note is not note is None:
        st.rerun()


def _do(session: EditorSession, action: Action) -> None:
    if action == "discard":
        composer.discard(session.key)
    elif action == "save":
        if session.changed and session.complete:
            composer.save(session)
        session.autosaved_at = None  # the next automatic save makes a new version
    else:
        saves = session.state is State.UNSAVED and not (action == "leave" and composer.is_blank(session))
        if saves:
            composer.save(session, automatic=True)
        if action == "leave" and not (saves and session.changed):
            composer.leave()
            if session.note:  # a new note may just have been created
                opened.choose(session.note.id)


def _bar(session: EditorSession) -> None:
    stays = session.state not in (State.CLEAN, State.SAVED, State.UNSAVED) and not composer.is_blank(session)
    with widgets.row("writing_bar"):
        label = t("Close and keep draft") if stays else t("Done")
        widgets.small(label, "writing_leave", "arrow_back", on_click=session.request, args=("leave",))
        with st.container(key="writing_state"):
            st.caption(_state(session))
            with st.container(key="writing_away"):  # shown by the style sheet while only the browser has the text
                small_print("Not saved yet: no connection")
        if session.note and not session.created:
            about = [
                workspace.bases.by_id(session.note.base_id).name,
                *PurePosixPath(session.note.path or "").parts[:-1],
            ]
            st.caption(plain(" › ".join(about)), width="content")
        if stays:
            label = t("Discard the changes") if session.note else t("Discard this note")
            widgets.small(label, "writing_discard", "delete", on_click=session.request, args=("discard",))
        if session.decides:
            widgets.button(
                t("Save"),
                "writing_save",
                "check",
                type="primary",
                help="Ctrl+S · Ctrl+Enter",
                on_click=session.request,
                args=("save",),
                disabled=workspace.readonly or not session.changed,
            )
    if session.refusal:
        st.warning(plain(session.refusal), icon=":material/warning:")


def _state(session: EditorSession) -> str:
    match session.state:
        case State.UNSAVED:
            return t("Saving…")
        case State.CLEAN:
            return t("Saved automatically.")
        case State.SAVED:
            assert session.note is not None
            base = workspace.bases.by_id(session.note.base_id)
            pending = sum(chunk.state == "pending" for chunk in workspace.chunks.all(session.note.id))
            if pending and not base.embed_at_once:
                return t(
                    "Saved, and can be found by words; {n} of its passages can be found by "
                    "meaning once you index this base.",
                    n=pending,
                )
            return t("Saved")
        case State.INCOMPLETE if not session.base:
            return t("Not saved yet: choose a base. What you write is stored as a draft until then.")
    return t("Not saved yet. What you write is stored as a draft until then.")


def _side(session: EditorSession, key: str, default: str | None = None) -> None:
    """Draw the panel next to the text in the chosen view; `default` is the initial view."""
    views = {"rendered": t("Rendered"), "fields": t("Fields")}
    if workspace.has("related"):
        views["nearby"] = t("Nearby passages")
    view = widgets.pills(t("Next to the text"), views, key, default=default, persist_state="session")
    if view is None:
        return
    with st.container(key="writing_beside"):
        if view == "fields":
            note_fields.draw(session)
        elif view == "nearby":
            draw_nearby(session)
        elif session.body.strip():
            _preview(session)
        else:
            small_print("A preview of what you write appears here.")


def _preview(session: EditorSession) -> None:
    """Draw the rendered text. A click on a link closes the editor and opens the linked note; the draft stays."""

    def clicked(link: view.Clicked) -> None:
        if link.note_id:
            composer.leave()
            opened.choose(link.note_id, link.place)
        else:
            linked.ask(session.base, link.make)

    first, shown = _lines_around(session.body, session.caret)
    shown = drawable_part(shown)
    session.links = session.links or workspace.notes.links()
    sources = NoteSources(_note_in_editor(session), session.links)
    drawn = RenderedNote(as_written(shown), ()) if is_deeply_nested(shown) else document(shown, sources)
    lines = ",".join(str(first + line) for line in drawn.lines)
    article = f'<article data-lines="{lines}">{drawn.html}</article>'
    with st.container(key="reader_body"):
        view.show(article, "preview", arrival=session.token, on_click=clicked)


def _lines_around(body: str, caret: int) -> tuple[int, str]:
    """Return a text and 0, or the lines around the caret of a long text and the index of the first one."""
    if len(body) <= 2 * AROUND:
        return 0, body
    first = body.rfind("\n", 0, max(0, caret - AROUND)) + 1
    return body.count("\n", 0, first), body[first : max(caret, AROUND) + AROUND]


def _note_in_editor(session: EditorSession) -> Note:
    """Return the note in the editor, or a provisional note at the new note's place, from which links are resolved."""
    if session.note:
        return session.note
    base = workspace.bases.find(session.base)
    path = f"{session.folder}/new" if session.folder else "new"
    return Note("", base.id if base else "", body="", content_hash="", title="", path=path)
