"""The types of notes and their categories: the user's file, to edit."""

from functools import partial

import streamlit as st

from core.workspace import Workspace
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, text_of

VOCABULARY = "vocabulary"


def draw_vocabulary(workspace: Workspace) -> None:
    """Draw the file with a button that saves it, and the lines that can't be read."""
    vocabulary, language = workspace.vocabulary, st.session_state["language"]
    vocabulary.begin(language)
    st.session_state.setdefault(VOCABULARY, vocabulary.text())

    def save() -> None:
        vocabulary.write(st.session_state[VOCABULARY])
        st.toast(t("The types are saved."))

    def fill(text: str) -> None:
        st.session_state[VOCABULARY] = text

    st.caption(
        t(
            'One type per line, then ":" and its categories, with commas between. The fields of a note offer them; any '
            "other word can be typed there."
        )
    )
    st.text_area(t("Types of notes and their categories"), key=VOCABULARY, height=320, disabled=workspace.readonly)
    changed = st.session_state[VOCABULARY] != vocabulary.text()
    with st.container(horizontal=True):
        shut = workspace.readonly or not changed
        widgets.button(
            t("Save"), "vocabulary_save", "save", type="primary", disabled=shut, on_click=shell.guarded(save)
        )
        if changed:
            widgets.button(t("Discard"), "vocabulary_discard", "undo", on_click=fill, args=(vocabulary.text(),))
        for name, title in vocabulary.presets.items():
            put = partial(fill, vocabulary.preset(name, language))
            about = t("Put these types into the field above. Nothing is stored until you save.")
            widgets.small(
                text_of(title), f"preset_{name}", "style", on_click=put, help=about, disabled=workspace.readonly
            )
    for problem in vocabulary.problems():
        st.warning(plain(text_of(problem)), icon=":material/warning:")
    st.caption(plain(t("Kept in {file}.", file=str(vocabulary.path))))
