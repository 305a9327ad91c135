"""The page for writing a note, with the title, the editor, and a panel that shows the rendered text or the fields."""

import posixpath
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Required, TypedDict

import streamlit as st
from streamlit import container, fragment, query_params, rerun, switch_page
from streamlit import html as draw_html

from core.base.errors import NoteNotFound
from core.base.messages import in_context, message, message_table, verbatim
from core.model import Note
from pages.ui.notes import actions, composer, history, note_fields, opened, routes
from pages.ui.notes.composer import current_session, stored_note
from pages.ui.notes.files import NoteSources, why_read_only
from pages.ui.notes.history import offer_undo
from pages.ui.notes.places import base_of
from pages.ui.notes.session import Action, EditorSession, State, draft_about, fields_of
from pages.ui.shared import cards, links
from pages.ui.shared.document import Clicked, document_part, show_document
from pages.ui.shared.links import arrived_value
from pages.ui.shared.safe import plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import session_language, small_print, t, text_of
from pages.ui.shared.widgets import (
    button,
    caption,
    component,
    errors,
    frame,
    guarded,
    note_link,
    page_link,
    pills,
    row,
    small,
    warn,
)

# Seconds between checks for changes to the open note's file.
LOOK = 3.0
# Number of characters to render before and after the caret if the note is long.
AROUND = 20_000


def is_open() -> bool:
    """Return whether the editor is open. A link to another note, a base or the import form closes the editor first."""
    session = current_session()
    if session is None:
        return False
    is_other = arrived_value("note") not in (None, session.note_id)
    asks = session.left and ("import" in query_params or ("base" in query_params and "note" not in query_params))
    session.left = False
    closes = is_other or asks
    if closes:
        composer.leave()
    return not closes


def page() -> None:
    """Draw the page for writing a note. Typing redraws only the editor. Creating the note redraws the whole page."""

    @fragment
    def part() -> None:
        session = current_session()
        if session is None:
            rerun()
        else:
            is_new = session.note is None
            _draw(session)
            if is_new and session.note:
                # Rerun only after the widgets are drawn. Otherwise, Streamlit would forget them and any click on its way.
                rerun()

    session = current_session()
    if session:
        opened.choose(session.note_id or session.copy_of, came="review" if session.back else "")
    links.set_value("base", "")  # otherwise, going back to the editor would count as following a link to the base
    part()
    if (
        session and session.note and session.note.in_file
    ):  # drawn last, so that the editor doesn't move when a new note becomes a file

        @fragment(run_every=LOOK)
        def look() -> None:
            if composer.is_overtaken(session):
                rerun()

        look()


def _draw(session: EditorSession) -> None:
    with errors():
        _act(session)
    with errors():
        with container():  # a separate container, so that elements that come and go don't move the editor
            if session.conflict:
                _draw_conflict(session, session.conflict)
            elif session.newer and session.note and session.newer.version > session.note.version:
                with row("writing_newer"):
                    st.info(t("This note's file was changed since you opened it."), icon=":material/sync:")
                    small("Show the new text", "take_newer", "refresh", composer.take_newer, session)
            history.draw_undo()
            _bar(session)
            note_fields.draw_head(session)
        left, right = st.columns([11, 9], gap="medium")
        with left:
            note = session.note
            if note and (base := actions.fixed_base(note)):
                with frame("writing_elsewhere"):
                    st.markdown(
                        t("This note is the file **{path}**. Its fields can be set here.", path=plain(note.location))
                    )
                    st.caption(
                        t("Text files are read-only here. Edit the text in another program.")
                        if note.plain
                        else why_read_only(note)
                    )
                    with row():
                        button(
                            "Edit a copy",
                            "writing_copy",
                            "content_copy",
                            _edit_copy,
                            session,
                            writes=True,
                        )
                        if not (note.plain or note.document):
                            page_link("bases.py", "Let Tessera edit these files", "tune", base=base.name)
                side = {"key": "reading_side", "default": "rendered"}
            else:

                def take_text(sent: Typed) -> None:
                    session.heard = True
                    session.take_text(**sent)
                    composer.keep_draft(session)

                _write(session, guarded(take_text))
                side = {"key": "writing_side"}
        with right:
            _side(session, **side)


def _edit_copy(session: EditorSession) -> None:
    """Start editing a copy of a note whose text is read-only. Unsaved text is moved into the copy."""
    note = session.known_note
    copy = actions.copy_note(note)
    if session.body == note.body:
        composer.edit(copy.id)
    else:
        composer.edit_as(copy, session.body, session.fields)
        composer.discard(session.key)


def _act(session: EditorSession) -> None:
    """Perform the pending action, if any. Redraw the whole page if the action closed the editor.

    The action isn't performed in its callback, which may run before the callback that delivers the typed text. It stays
    pending until it is done, because another message may interrupt the run started by the click.
    """
    action = session.action
    if action is None:
        return
    try:
        if action == "discard":
            composer.discard(session.key)
        elif action == "save":
            if session.changed and session.complete:
                composer.save(session)
            session.autosaved_at = None  # the next automatic save creates a new version
        else:
            saves = session.state is State.UNSAVED and not (action == "leave" and composer.is_blank(session))
            if saves:
                composer.save(session, automatic=True)
            if action == "leave" and not (saves and session.changed):
                composer.leave()
                if session.note:  # a new note may just have been created
                    opened.choose(session.note.id)
    except Exception:
        session.action = None
        raise
    session.action = None
    if current_session() is not session:
        if session.back and current_session() is None:
            _offer_undo(session)
            switch_page(session.back)
        rerun()


def _offer_undo(session: EditorSession) -> None:
    """On the page that the editor returns to, say what was saved and offer to undo it."""
    note = session.note
    if note is None:
        return
    if not session.created:
        history.offer_text_undo(note)
        return

    def undo() -> None:
        workspace.trash.take_back(note.id)
        if session.copy_of:
            workspace.trash.restore([session.copy_of], embed=False)
        workspace.searches.mark(session.answers, unanswered=True)

    text = t("'{title}' was saved.", title=note.title)
    if session.copy_of:
        text = t("'{title}' was saved, and the original was archived.", title=note.title)
    offer_undo(text, undo)


def _bar(session: EditorSession) -> None:
    stays = session.state not in (State.CLEAN, State.SAVED, State.UNSAVED) and not composer.is_blank(session)
    with row("writing_bar"):
        label = t("Close and keep draft") if stays else t("Done")
        small(label, "writing_leave", "arrow_back", session.request, "leave")
        with container(key="writing_state"):
            st.caption(_state(session))
            with container(key="writing_away"):  # shown by the style sheet while the text is only in the browser
                small_print("Not saved yet (no connection)")
        if session.note and not session.created:
            caption(
                " › ".join(
                    [
                        base_of(session.note),
                        *PurePosixPath(session.note.location).parts[:-1],
                    ]
                ),
                width="content",
            )
        if stays:
            label = t("Discard the changes") if session.note else t("Discard this note")
            small(label, "writing_discard", "delete", session.request, "discard")
        if session.decides:
            button(
                "Save",
                "writing_save",
                "check",
                session.request,
                "save",
                type="primary",
                help=verbatim("Ctrl+S · Ctrl+Enter"),
                writes=True,
                disabled="" if session.changed else t("There are no changes to save."),
            )
    if session.refusal:
        warn(session.refusal)


def _state(session: EditorSession) -> str:
    match session.state:
        case State.UNSAVED:
            return t("Saving…")
        case State.CLEAN:
            return t("Changes are saved automatically.")
        case State.SAVED:
            is_pending = any(chunk.state == "pending" for chunk in workspace.chunks.all(session.note_id))
            if is_pending and not workspace.bases.get(session.base).embed_at_once:
                return t("Saved. Until you index this base, parts of the note can be found only by keyword.")
            return t("Saved")
        case State.INCOMPLETE if not session.base:
            return t("Not saved yet. Choose a base to save the note. Until then, what you write is stored as a draft.")
    return t("Not saved yet. What you write is stored as a draft.")


def _side(session: EditorSession, key: str, default: str | None = None) -> None:
    """Draw the panel next to the text, with a selector for its view. `default` is the initial view."""
    views = {"rendered": t("Rendered"), "fields": t("Fields")}
    if workspace.has("related"):
        views["nearby"] = t("Nearby passages")
    view = pills("Next to the text", views, key, default=default, persist_state="session")
    if view is None:
        return
    with container(key="writing_beside"):
        if view == "fields":
            note_fields.draw(session)
        elif view == "nearby":
            hits = workspace.related.passages(session.body, session.caret, without=session.note_id)
            if not hits:
                small_print(
                    "Passages from your other notes that are similar to the paragraph you are writing appear here."
                )
            for number, hit in enumerate(hits):
                with container(key=f"nearby_{number}", gap="xsmall"):
                    note_link(hit.note.id, hit.note.title, chunk=str(hit.chunk.index))
                    draw_html(cards.lines(hit.note, hit.chunk))
        elif session.body.strip():
            _preview(session)
        else:
            small_print("A preview of what you write appears here.")


def _preview(session: EditorSession) -> None:
    """Show the rendered text. Clicking a link to a note saves the text, closes the editor and opens that note."""

    def clicked(link: Clicked) -> None:
        if link.note_id:
            composer.leave()
            opened.choose(link.note_id, link.place)
        else:
            opened.ask_to_begin(session.base, link.make)

    body = session.body
    caret = session.caret
    start = 0
    if len(body) > 2 * AROUND:
        start = body.rfind("\n", 0, max(0, caret - AROUND)) + 1
        body = body[start : max(caret, AROUND) + AROUND]
    first = session.body.count("\n", 0, start)
    session.links = session.links or workspace.notes.links()
    drawn = document_part(body, NoteSources(_note_in_editor(session), session.links))
    lines = ",".join(str(first + line) for line in drawn.lines)
    article = f'<article data-lines="{lines}">{drawn.html}</article>'
    with container(key="reader_body"):
        show_document(article, "preview", arrival=session.token, on_click=clicked)


def _note_in_editor(session: EditorSession) -> Note:
    """Return the note to resolve links from. For a new note, this is a placeholder in the note's folder."""
    if session.note:
        return session.note
    base = workspace.bases.find(session.base)
    path = posixpath.join(session.folder, "new")
    return Note("", base.id if base else "", body="", content_hash="", title="", path=path)


# Resolving a conflict between the editor's text and a stored note that was changed in the meantime.


def _draw_conflict(session: EditorSession, stored: Note) -> None:
    """Show how the two texts differ, and a button for each version to keep. Whichever is chosen, neither text is lost.

    The user can keep writing until the conflict is resolved.
    """
    with frame("conflict"):
        warn(
            t("'{title}' was changed while you were writing. Which version do you want to keep?", title=stored.title),
            "call_split",
        )
        draw_html(
            f'<p class="t-words"><del>{t_html("only in the other version")}</del>'
            f" · <ins>{t_html('only in your version')}</ins></p>"
        )
        if shown := history.words(workspace.versions.compare(stored, replace(stored, body=session.body))):
            draw_html(shown)
        else:
            small_print("Both versions have the same text, and only their fields differ.")
        with row():
            button(
                "Keep mine",
                "conflict_mine",
                "check",
                lambda: composer.save(session, over=stored_note(session)),
                help="The other version is kept in the history.",
            )
            button(
                "Keep the other",
                "conflict_theirs",
                "swap_horiz",
                _take_theirs,
                session,
                help="Your version is kept in the history.",
            )
            button(
                "Keep both",
                "conflict_both",
                "done_all",
                _keep_both,
                session,
                help="The other version becomes a separate note.",
            )


def _take_theirs(session: EditorSession) -> None:
    """Save the editor's text as a version, then revert the note to the conflicting stored text.

    If the user was editing text written by a program, close the editor instead, which keeps the text as a draft.
    """
    stored = stored_note(session)
    if session.decides:  # saving would accept text written by a program, so the text stays a draft
        composer.leave()
        return
    composer.save(session, over=stored)
    if session.changed:
        return
    note = workspace.versions.revert(stored.id, stored.version, embed=False)
    composer.discard(session.key)
    offer_undo(
        t("'{title}' was replaced by the other version. Your version is in the history.", title=note.title),
        lambda: workspace.versions.revert(note.id, note.version - 1, expected_version=note.version),
    )


def _keep_both(session: EditorSession) -> None:
    """Save the editor's text, and add the conflicting stored text as a new note in the same folder."""
    stored = stored_note(session)
    before = session.known_note
    fields = session.fields
    composer.save(session, over=stored)
    if session.changed:
        return
    title = t("{title} (other version)", title=stored.title)
    other = workspace.notes.add(
        session.base,
        stored.body,
        path=posixpath.join(posixpath.dirname(stored.location), ""),
        author="person",
        embed=False,
        **fields_of(stored) | {"title": title},
    )
    mine = session.known_note
    composer.discard(session.key)

    def undo() -> None:
        note = workspace.versions.revert(mine.id, stored.version, expected_version=mine.version, embed=False)
        # The editor has the version from before the conflict, so that the user's text doesn't count as newer.
        composer.edit_as(before, mine.body, fields, note)
        with suppress(NoteNotFound):  # the user has deleted it
            workspace.trash.take_back(other.id, expected_version=other.version)

    offer_undo(t("The other version is now the note '{title}'.", title=title), undo)


# The component for writing a note: CodeMirror, with completion of links and tags.

# Names of the formats in `codemirror/formats.js`.
FORMATS = message_table(
    {
        "heading": "Heading",
        "bold": "Bold",
        "italic": "Italic",
        "list": "List",
        "box": "Checkbox",
        "quote": "Quote",
        "link": "Link",
        "table": "Table",
        "picture": "Picture",
    }
) | {"code": in_context("format of text", "Code")}

# Translations of CodeMirror's phrases, keyed by the English phrase. `$` is replaced by a number.
PHRASES = message_table(
    {
        "Find": "Find",
        "Replace": "Replace with",
        "previous": "Previous",
        "all": "Select all",
        "match case": "Match case",
        "regexp": "Regular expression",
        "by word": "Whole words",
        "replace all": "Replace all",
        "close": "Close",
        "current match": "Found",
        "on line": "in line",
        "Go to line": "Go to line",
        "go": "Go",
    }
) | {
    "next": in_context("search in a text", "Next"),
    "replace": in_context("search in a text", "Replace"),
    "replaced match on line $": message("Replaced in line {n}", n="$"),
    "replaced $ matches": message("Replaced: {n}", n="$"),
}

# Component for the editor.
#
# It triggers `typed` with a message (see `Typed`) that has the text, its number, the caret, a typed title, the last
# action, and the number of actions so far. Both numbers only increase.
WRITE = component(
    "note_editor", __file__, "<p class='notice' role='alert'></p><div class='paper'></div>", before="shelf.js"
)


class Typed(TypedDict, total=False):
    """A message from the editor in the browser. `at` is the caret's offset."""

    text: Required[str]
    number: Required[int]
    at: Required[int]
    action: Action | None
    actions: int
    title: str | None


def _write(session: EditorSession, typed: Callable[[Typed], None]) -> None:
    """Draw the editor. `typed` is called with each message from the editor before the page is drawn."""
    key = f"editor_{session.token}"

    def take() -> None:
        # A closed editor's last message arrives too late for this page. Its text is received by `composer.listen`.
        if sent := (st.session_state.get(key) or {}).get("typed"):
            typed(sent)

    data = {
        "token": session.token,
        "predecessor": session.predecessor,
        "text": session.body,
        "at": session.caret,
        "number": session.number,
        "taken": session.number,
        "stored": session.stored,
        "saved": not session.changed,
        "actions": session.actions,
        "about": draft_about(composer.draft_of(session)),
        "place": workspace.name,
        "session": composer.session_id(),
        "notes": session.completions.notes,
        "tags": session.completions.tags,
        "script": routes.SCRIPT_ADDRESS,
        "pictures": routes.picture_address(session.base, session.note_id, session_language()),
        "words": {
            "label": t("Text of the note"),
            "hint": t("Write in Markdown. Type [[ for notes, # for tags, / for formats."),
            "bar": t("Formats"),
            **{name: text_of(label) for name, label in FORMATS.items()},
            "live": t("Live preview"),
            "count": t("Words: {n}", n="{n}"),
            "selected": t("Words: {n}, selected: {chosen}", n="{n}", chosen="{chosen}"),
            "phrases": {name: text_of(text) for name, text in PHRASES.items()},
            "adding": t("Saving the picture…"),
            "lost": t("The picture wasn't saved because Tessera isn't responding."),
        },
    }
    with container(key="note_editor"):
        WRITE(key=key, data=data, on_typed_change=take)
