"""Common values of the notes that were found: a click narrows the question to one."""

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from core.messages import message
from core.model import Facet
from pages.ui.search import question_box
from pages.ui.shared.safe import plain
from pages.ui.shared.text import said, t

FIELDS = {
    "base": message("Base"),
    "tag": message("Tag"),
    "type": message("Type"),
    "folder": message("Folder"),
    "month": message("Month"),
}

FEW = 5
"""Values of a field at first."""


def facets(text: str, found: Sequence[Facet]) -> None:
    """Draw the facets of a search, field by field."""
    with st.container(key="facets", gap="medium"):
        for name, group in groupby(found, key=lambda facet: facet.field):
            _field(text, name, list(group))


def _field(text: str, name: str, group: Sequence[Facet]) -> None:
    key, whole = f"facet_{name}", f"facet_all_{name}"
    shown = {facet.term: facet for facet in group[: None if st.session_state.get(whole) else FEW]}

    def narrow() -> None:
        if term := st.session_state[key]:
            question_box.put(f"{text} {term}")
        st.session_state[key] = None

    st.pills(
        said(FIELDS[name]),
        list(shown),
        format_func=lambda term: f"{plain(shown[term].value)} :gray[{shown[term].notes}]",
        key=key,
        on_change=narrow,
        width="stretch",
    )
    if len(group) > len(shown):
        st.button(
            t("{n} more", n=len(group) - len(shown)),
            key=f"more_{name}",
            type="tertiary",
            on_click=st.session_state.update,
            args=({whole: True},),
        )
