"""How a base is searched where a search doesn't say: by limits, weights and a reranker of its own, else the settings'."""

from dataclasses import replace

import streamlit as st

from core.model import KnowledgeBase
from core.workspace import Workspace
from pages.ui.shared import knobs, rerankers
from pages.ui.shared.text import t

AS_SET = rerankers.AS_SET
"""Stands for what the settings say."""


def section(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw what a search of this base begins with; a choice is recorded at once."""
    keys = {name: f"{name}_{base.id}" for name in knobs.OF_BASES}
    usual = workspace.bases.search_settings()

    def save() -> None:
        chosen = {name: st.session_state[key] for name, key in keys.items()}
        own = {name: None if value == AS_SET else value for name, value in chosen.items()}
        workspace.bases.set_search(base.name, replace(base.search, **own))

    with st.expander(t("How this base is searched"), icon=":material/manage_search:", key=f"searching_{base.id}"):
        for column, (name, key) in zip(st.columns(len(keys)), keys.items(), strict=True):
            own = getattr(base.search, name)
            values = knobs.values(workspace, name)
            labels = {AS_SET: t("As the settings say: {value}", value=knobs.shown(name, getattr(usual, name)))}
            labels |= {value: knobs.shown(name, value) for value in values}
            labels |= {} if own in (None, *values) else {own: knobs.shown(name, own)}
            st.session_state[key] = AS_SET if own is None else own
            column.selectbox(
                knobs.setting(name),
                list(labels),
                format_func=labels.__getitem__,
                key=key,
                on_change=save,
                disabled=workspace.readonly,
            )
