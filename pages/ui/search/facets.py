"""Common values of the hits' notes: a click narrows the question to one, another click takes that back."""

import re
from collections.abc import Sequence

import streamlit as st

from core.base.messages import message
from core.model import FACETS, NOTE_FIELDS, Facet, SearchOptions, SearchResult, Term
from core.workspace import Workspace
from pages.ui.search import question_box
from pages.ui.shared import knobs, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, text_of

TITLES = {field.typed[0]: field.title for field in NOTE_FIELDS.values() if field.is_facet} | {
    "base": message("Base"),
    "tag": message("Tag"),
    "folder": message("Folder"),
    "month": message("Month"),
}
TERMS = {name: (name,) for name in FACETS} | {"folder": ("path",), "month": ("after", "before")}
"""The terms of the query language that narrow to a value of each field."""

FEW = 5
"""Values of a field at first."""
OPEN = "facets_open"
_JOINT = re.compile(r"(?<=\w)[_/.](?=\w)")
"""Signs after which a value continues on another line, rather than within a word."""


def collect_facets(workspace: Workspace, result: SearchResult, options: SearchOptions) -> dict[str, list[Facet]]:
    """Return the facets of an answer by field; where the question narrows a field, its facets are of the question without that."""
    fields: dict[str, list[Facet]] = {}
    for name in TERMS:
        wider = _without(result, name)
        facets = result.facets
        if wider not in ("", result.query):
            if result.settings.reranker not in knobs.QUICK:
                options = SearchOptions(**{**options, "reranker": knobs.NO_RERANKER})
            facets = workspace.search(wider, **SearchOptions(**{**options, "choose": False})).facets
        if group := [facet for facet in facets if facet.field == name]:
            fields[name] = group
    return fields


def toggle() -> None:
    """Open or close the drawer in which narrow screens show the facets; for callbacks."""
    st.session_state[OPEN] = not st.session_state.get(OPEN)


def drawer(result: SearchResult, fields: dict[str, list[Facet]]) -> None:
    """Draw the facets, field by field."""
    state = "open" if st.session_state.get(OPEN) else "shut"
    with st.container(key=f"drawer_{state}"), st.container(key="facets", gap="medium"):
        if not fields:
            return
        with st.container(horizontal=True, horizontal_alignment="right", key="drawer_head"):
            widgets.close("facets_close", t("Close"), on_click=toggle)
        for name, group in fields.items():
            _field(result, name, group)


def _field(result: SearchResult, name: str, group: Sequence[Facet]) -> None:
    key, whole = f"facet_{name}", f"facet_all_{name}"
    chosen = next((facet.term for facet in group if facet.term in result.query), None)
    values = [
        facet
        for number, facet in enumerate(group)
        if number < FEW or st.session_state.get(whole) or facet.term == chosen
    ]
    shown = {facet.term: plain(_JOINT.sub("\\g<0>\u200b", facet.value)) for facet in values}
    rest = _without(result, name) if chosen else result.query

    def narrow(term: str | None) -> None:
        question_box.put(f"{rest} {term or ''}")
        st.session_state[OPEN] = False

    def show_all() -> None:
        st.session_state[whole] = True

    now = widgets.bound(key, chosen, narrow)
    widgets.pills(text_of(TITLES[name]), shown, label_visibility="visible", width="stretch", **now)
    if more := len(group) - len(shown):
        st.button(t("{n} more", n=more), key=f"more_{name}", type="tertiary", on_click=show_all)


def _without(result: SearchResult, name: str) -> str:
    """Return the question without the terms that narrow it to values of a field."""

    def narrows(term: Term) -> bool:
        return term.field in TERMS[name] and not term.negated

    text = result.query
    for term in sorted(filter(narrows, result.understood.terms), key=lambda term: -term.start):
        text = question_box.without(text, term.start, term.end)
    return text
