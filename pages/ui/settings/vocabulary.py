"""The types of notes and their categories: the person's file, to edit."""

import streamlit as st

from core.workspace import Workspace
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, text_of

KEY = "vocabulary"


def section(workspace: Workspace) -> None:
    """Draw the file with a button that saves it, and the lines that can't be read."""
    vocabulary = workspace.vocabulary
    st.session_state.setdefault(KEY, vocabulary.text())

    def save() -> None:
        vocabulary.write(st.session_state[KEY])
        st.toast(t("The types are saved."))

    def discard() -> None:
        st.session_state[KEY] = vocabulary.text()

    st.caption(
        t(
            "One type a line; behind a colon its categories, with commas between. The fields of a note offer them; any "
            "other word can be typed there."
        )
    )
    st.text_area(t("Types of notes and their categories"), key=KEY, height=320, disabled=workspace.readonly)
    changed = st.session_state[KEY] != vocabulary.text()
    with st.container(horizontal=True):
        shut = workspace.readonly or not changed
        widgets.button(
            t("Save"), "vocabulary_save", "save", type="primary", disabled=shut, on_click=shell.guarded(save)
        )
        if changed:
            widgets.button(t("Discard"), "vocabulary_discard", "undo", on_click=discard)
    for problem in vocabulary.problems():
        st.warning(plain(text_of(problem)), icon=":material/warning:")
    st.caption(plain(t("Kept in {file}.", file=str(vocabulary.path))))
