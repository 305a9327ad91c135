"""How a base is searched where a search doesn't say: by limits, weights and a reranker of its own, else the settings'."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.model import KnowledgeBase
from core.workspace import Workspace
from pages.ui import rerankers
from pages.ui.text import t

AS_SET = -1.0
"""Stands for what the settings say, where 0 is a choice of its own."""

SHARES = tuple(tenth / 10 for tenth in range(11))
CHOICES: Mapping[str, Sequence[float]] = {
    "limit": (0, 5, 10, 20, 50, 100),
    "score_threshold": SHARES,
    "semantic_weight": (AS_SET, *SHARES),
    "rerank_weight": (AS_SET, *SHARES),
}
"""What can be chosen, the first of each standing for what the settings say."""


def section(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw what a search of this base begins with; a choice is recorded at once."""
    keys = {name: f"{name}_{base.id}" for name in (*CHOICES, "reranker")}

    def save() -> None:
        chosen = {name: st.session_state[key] for name, key in keys.items()}
        workspace.set_search(base.name, **{name: None if value == AS_SET else value for name, value in chosen.items()})

    with st.expander(t("base_search"), icon=":material/manage_search:", key=f"searching_{base.id}"):
        *columns, last = st.columns(len(keys))
        for column, (name, (unset, *values)) in zip(columns, CHOICES.items(), strict=True):
            own = AS_SET if getattr(base, name) is None else getattr(base, name)
            labels = {unset: t("base_search.as_set", value=f"{getattr(workspace.settings.search, name, 0):g}")}
            labels |= {value: f"{value:g}" for value in sorted({*values, own} - {unset})}
            st.session_state[keys[name]] = own
            column.selectbox(
                t(f"setting.{name}"),
                list(labels),
                format_func=labels.__getitem__,
                key=keys[name],
                on_change=save,
                disabled=workspace.readonly,
            )
        _reranker(workspace, base, last, keys["reranker"], save)


def _reranker(
    workspace: Workspace, base: KnowledgeBase, column: DeltaGenerator, key: str, save: Callable[[], None]
) -> None:
    as_set = t("base_search.as_set", value=rerankers.called(workspace.settings.search.reranker))
    names = dict.fromkeys([rerankers.AS_SET, rerankers.NONE, *workspace.rerankers(), base.reranker])
    st.session_state[key] = base.reranker
    column.selectbox(
        t("setting.reranker"),
        list(names),
        format_func=lambda name: rerankers.called(name) if name else as_set,
        key=key,
        on_change=save,
        disabled=workspace.readonly,
    )
