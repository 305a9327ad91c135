"""The choice between the editor's text and the stored note, which has changed meanwhile."""

import posixpath
from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from core.model import Note
from pages.ui.notes import composer, history
from pages.ui.notes.session import EditorSession, fields_of
from pages.ui.shared import widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t


def draw(session: EditorSession) -> None:
    """Draw the differences and the choices; no choice loses a text, and the user can keep writing."""
    stored = session.conflict
    assert stored is not None
    with st.container(border=True, key="conflict"):
        st.warning(
            t(
                "'{title}' was changed while you were writing. Which version do you want to keep?",
                title=plain(stored.title),
            ),
            icon=":material/call_split:",
        )
        _difference(stored, session)
        with st.container(horizontal=True):

            def choice(label: str, key: str, icon: str, act: Callable[[EditorSession], None], help: str) -> None:
                widgets.button(label, key, icon, help=help, on_click=act, args=(session,))

            choice(t("Keep mine"), "conflict_mine", "check", _keep_mine, t("The other version is kept in the history."))
            choice(
                t("Keep the other"),
                "conflict_theirs",
                "swap_horiz",
                _take_theirs,
                t("Your version is kept in the history."),
            )
            choice(
                t("Keep both"), "conflict_both", "done_all", _keep_both, t("The other version becomes a separate note.")
            )


def _difference(stored: Note, session: EditorSession) -> None:
    other, own = html(t("only in the other version")), html(t("only in your version"))
    st.html(f'<p class="t-words"><del>{other}</del> · <ins>{own}</ins></p>')
    if shown := history.words(workspace.versions.compare(stored, replace(stored, body=session.body))):
        st.html(shown)
    else:
        small_print("Both versions have the same text; only their fields differ.")


def _keep_mine(session: EditorSession) -> None:
    composer.save(session, over=composer.stored_note(session))


def _take_theirs(session: EditorSession) -> None:
    """Save the editor's text as a version, then revert to the stored text."""
    stored = composer.stored_note(session)
    if session.decides:  # a save would accept a program's text, so the text stays a draft
        composer.leave()
        return
    composer.save(session, over=stored)
    if session.changed:
        return
    note = workspace.versions.revert(stored.id, stored.version, embed=False)
    composer.discard(session.key)
    text = t("'{title}' now has the other version; yours is kept in the history.", title=plain(note.title))
    history.offer_undo(
        text, lambda: workspace.versions.revert(note.id, note.version - 1, expected_version=note.version)
    )


def _keep_both(session: EditorSession) -> None:
    """Save the editor's text, and add the stored text as a new note next to it."""
    stored = composer.stored_note(session)
    composer.save(session, over=stored)
    if session.changed:
        return
    title = t("{title} (other version)", title=stored.title)
    folder = posixpath.dirname(stored.path or "")
    path = f"{folder}/" if folder else ""
    other = workspace.notes.add(
        session.base, stored.body, path=path, author="person", embed=False, **fields_of(stored) | {"title": title}
    )
    composer.discard(session.key)
    history.offer_undo(
        t("The other version is now the note '{title}'.", title=plain(title)),
        lambda: workspace.trash.take_back(other.id),
    )
