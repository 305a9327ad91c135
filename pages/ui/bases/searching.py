"""The search settings of a base: limits, weights and a reranker of its own, else those of the settings."""

from dataclasses import replace

import streamlit as st

from core.model import KnowledgeBase
from core.workspace import Workspace
from pages.ui.shared import knobs, rerankers, widgets
from pages.ui.shared.text import t


def section(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw the search settings of a base; a choice is stored at once."""
    keys = {name: f"{name}_{base.id}" for name in knobs.fitting(knobs.OF_BASES, base)}
    usual = workspace.bases.search_settings()

    def save() -> None:
        chosen = {name: st.session_state[key] for name, key in keys.items()}
        own = {name: None if value == rerankers.AS_SET else value for name, value in chosen.items()}
        workspace.bases.update(base.name, search=replace(base.search, **own))

    st.caption(t("What you leave at its default follows the settings."))
    for column, (name, key) in zip(st.columns(len(knobs.OF_BASES)), keys.items(), strict=False):
        own = getattr(base.search, name)
        values = knobs.values(workspace, name)
        default = t("Default: {value}", value=knobs.shown(name, getattr(usual, name)))
        texts = {rerankers.AS_SET: default} | {value: knobs.shown(name, value) for value in values}
        texts |= {} if own in (None, *values) else {own: knobs.shown(name, own)}
        st.session_state[key] = rerankers.AS_SET if own is None else own
        shut = workspace.readonly
        widgets.select(knobs.setting(name), texts, key, column, on_change=save, disabled=shut)
