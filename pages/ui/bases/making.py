"""The form for a new base: all its settings, before the base exists."""

from collections.abc import Sequence
from typing import Any, cast

import streamlit as st

from core.model import ABOUT_KINDS, BASE_KINDS, BaseFields, BaseKind, SearchSettings
from core.workspace import Workspace
from pages.ui.bases import arrival, splitting
from pages.ui.shared import knobs, shell, switches, widgets
from pages.ui.shared.text import t, text_of

_WIDTH = 640
"""Pixels of the form."""


def draw_new_base(workspace: Workspace) -> None:
    """Draw the choices for a new base, the rare ones folded, and the button that makes it; problems are below it."""
    arrival.back()
    st.subheader(t("New base"))
    with st.container(key="new_base_form", width=_WIDTH):
        name = st.text_input(t("Name"), key="new_name", max_chars=80)
        kind = _kind()
        usual, literal = workspace.bases.usual(kind), kind == "literal"
        act, more = st.container(), st.expander(t("More choices"), icon=":material/tune:")
    with more:
        description = st.text_input(t("Description"), key="new_description", placeholder=t("What is it for?"))
        embedder = usual.embedder if literal else _model(workspace, usual.embedder)
        search = _choose_search(workspace, knobs.OF_BASES[:1] if literal else knobs.OF_BASES[:2])
        switched = switches.draw_new_base_switches(workspace, indexes=not literal, plain=kind == "lines")
        st.html(f'<div class="t-caption">{t("How its notes are split")}</div>')
        side = "new" if kind == "vector" else f"new_{kind}"
        chunking = knobs.choose(side, usual.chunking, usual.chunking, reset=t("Reset to the defaults"))
        splitting.preview(workspace, chunking, embedder)
    with act, shell.errors():
        if widgets.button(t("Make the base"), "make_base", "check", type="primary", disabled=workspace.readonly):
            fields = cast(BaseFields, {"description": description.strip(), "search": search, **switched})
            chosen = "" if literal else embedder
            base = workspace.bases.add(name.strip(), kind=kind, embedder=chosen, chunking=chunking, **fields)
            if st.session_state.get("plan"):
                st.switch_page("notes.py")  # an import waits for its base
            arrival.go(base.name)
            st.rerun()


def _kind() -> BaseKind:
    """Draw the kinds of bases, each with its meaning, and return the chosen one."""
    kinds: list[BaseKind] = [*BASE_KINDS]
    about = [text_of(ABOUT_KINDS[kind]) for kind in kinds]
    return st.radio(
        t("Kind"), kinds, format_func=lambda kind: text_of(BASE_KINDS[kind]), captions=about, key="new_kind"
    )


def _model(workspace: Workspace, usual: str) -> str:
    cards = workspace.models.all()
    names = {
        card.name: knobs.shown("embedder", card.name) for card in cards if card.part == "embedder" and not card.problem
    }
    names.setdefault(usual, knobs.shown("embedder", usual))
    about = t(
        "It decides which texts count as alike in meaning. You can change it later; all notes are then indexed again."
    )
    return widgets.select_or_type(t("Model for meaning"), names, usual, "new_embedder", help=about) or usual


def _choose_search(workspace: Workspace, names: Sequence[str]) -> SearchSettings:
    """Draw some search settings of a base and return them; None leaves one to the settings of the program."""
    chosen: dict[str, Any] = {}
    for column, name in zip(st.columns(2), names, strict=False):
        value = widgets.select(knobs.setting(name), knobs.offered(workspace, name), f"new_{name}", column)
        chosen[name] = None if value == knobs.AS_SET else value
    return SearchSettings.from_values(chosen)
