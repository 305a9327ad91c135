"""Common values of the notes that were found: a click narrows the question to one."""

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from core.messages import message
from core.model import Facet
from pages.ui.search import question_box
from pages.ui.shared import widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, text_of

FIELDS = {
    "base": message("Base"),
    "tag": message("Tag"),
    "type": message("Type"),
    "folder": message("Folder"),
    "month": message("Month"),
}

FEW = 5
"""Values of a field at first."""


def facets(text: str, values: Sequence[Facet]) -> None:
    """Draw the facets of a search, field by field."""
    with st.container(key="facets", gap="medium"):
        for name, group in groupby(values, key=lambda facet: facet.field):
            _field(text, name, list(group))


def _field(text: str, name: str, group: Sequence[Facet]) -> None:
    key, whole = f"facet_{name}", f"facet_all_{name}"
    values = group[: None if st.session_state.get(whole) else FEW]
    shown = {facet.term: f"{plain(facet.value)} :gray[{facet.notes}]" for facet in values}

    def narrow() -> None:
        if term := st.session_state[key]:
            question_box.put(f"{text} {term}")
        st.session_state[key] = None

    def show_all() -> None:
        st.session_state[whole] = True

    widgets.pills(text_of(FIELDS[name]), shown, key, on_change=narrow, label_visibility="visible", width="stretch")
    if rest := len(group) - len(shown):
        st.button(t("{n} more", n=rest), key=f"more_{name}", type="tertiary", on_click=show_all)
