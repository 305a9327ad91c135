"""The dialog that begins the missing target note of a broken link."""

import posixpath
from pathlib import PurePosixPath

import streamlit as st

from pages.ui.notes import composer
from pages.ui.shared import names, widgets
from pages.ui.shared.dialogs import Dialog
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

_DIALOG = Dialog("linked_note")
"""Dialog, opened with a base and the note's path in that base."""


def ask(base: str, path: str) -> None:
    """Ask whether to begin the note; for callbacks."""
    _DIALOG.open((base, path))


def draw_dialog() -> None:
    """Draw the dialog if it is open."""
    if not _DIALOG.subject:
        return
    base, path = _DIALOG.subject

    def content() -> None:
        folders = PurePosixPath(path).parts[:-1]
        place = " › ".join(filter(None, [names.base_name(base), *folders])) or t("My notes")
        st.write(t("There is no note with this name yet. It would be created in {place}.", place=plain(place)))
        with st.container(horizontal=True):
            is_begun = widgets.button(t("New note"), "linked_yes", "edit_square", type="primary")
            if is_begun:
                composer.leave()
                composer.begin(base, title=composer.title_of(path), folder=posixpath.dirname(path))
            if is_begun or widgets.button(t("Cancel"), "linked_no"):
                _DIALOG.close()
                st.rerun()

    _DIALOG.draw(plain(composer.title_of(path)), content)
