"""The note that a link names and that isn't there: it is made after a yes."""

import posixpath
from pathlib import PurePosixPath

import streamlit as st

from core.model import NOTE_SUFFIXES, Note
from core.workspace import Workspace
from pages.ui.notes import opened
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

_ASKED = "making"


def ask(target: str) -> None:
    """Open the dialog for the target of a link in the next run."""
    st.session_state[_ASKED] = target


def dialog(workspace: Workspace, note: Note) -> None:
    """Draw the dialog if it is open, for a link of this note."""
    target = st.session_state.get(_ASKED, "")
    if not target:
        return

    @st.dialog(plain(t("Make the note '{title}'?", title=_title(target))), on_dismiss=_close)
    def make() -> None:
        base = next(base.name for base in workspace.bases.all() if base.id == note.base_id)
        st.write(plain(t("It is written in '{base}', and the link leads to it.", base=base)))
        with st.container(horizontal=True), shell.errors():
            if widgets.button(t("Make it"), "make_yes", "note_add", type="primary", disabled=workspace.readonly):
                path = _path(target)
                made = workspace.notes.add(base, title=_title(target), path=path, author="person")
                _close()
                opened.choose(made.id)
                st.rerun()
            if st.button(t("Cancel"), key="make_no"):
                _close()
                st.rerun()

    make()


def _close() -> None:
    st.session_state.pop(_ASKED, None)


def _title(target: str) -> str:
    name = PurePosixPath(target).name
    return name[: -len(PurePosixPath(name).suffix)] if name.lower().endswith(NOTE_SUFFIXES) else name


def _path(target: str) -> str:
    """Return the place of a note whose link has folders; any other has that of its title."""
    path = posixpath.normpath(target).lstrip("/")
    return path if "/" in path and not path.startswith("..") else ""
