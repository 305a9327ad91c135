"""The choice between the text in the editor and the stored note, which was changed meanwhile."""

from dataclasses import replace

import streamlit as st

from core.model import Note
from core.workspace import Workspace
from pages.ui.notes import composer, history
from pages.ui.notes.written_text import EditorSession
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t


def draw(workspace: Workspace, now: EditorSession) -> None:
    """Draw the differences and two actions; neither of them loses a text, nor does going on writing."""
    stored = now.opposed
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
                on_click=shell.guarded(_mine),
                args=(workspace, now),
            )
            widgets.button(
                t("Take the other one"),
                "conflict_theirs",
                "undo",
                help=t("Yours stays as a draft until you discard it."),
                on_click=shell.guarded(_theirs),
                args=(workspace, now),
            )


def _difference(workspace: Workspace, stored: Note, now: EditorSession) -> None:
    other, own = html(t("only in the other text")), html(t("only in yours"))
    st.html(f'<p class="t-words"><del>{other}</del> · <ins>{own}</ins></p>')
    if shown := history.words(workspace.notes.compare(stored, replace(stored, body=now.body))):
        st.html(shown)
    else:
        st.caption(t("Both have the same text; their fields differ."))


def _mine(workspace: Workspace, now: EditorSession) -> None:
    """Save over the stored text; a changed file is read first, so that its text becomes a version."""
    assert now.note is not None
    stored = workspace.notes.take_file(now.note.id) if _in_file(workspace, now) else now.opposed
    composer.save(workspace, now, over=stored)


def _theirs(workspace: Workspace, now: EditorSession) -> None:
    assert now.note is not None
    if _in_file(workspace, now):
        workspace.notes.take_file(now.note.id)
        workspace.start_indexing()
    composer.leave(workspace)


def _in_file(workspace: Workspace, now: EditorSession) -> bool:
    assert now.note is not None
    return now.note.in_file and workspace.bases.by_id(now.note.base_id).write_files
