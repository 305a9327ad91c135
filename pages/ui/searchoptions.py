"""How a search is made: what a person chose, and what is left to the base and the settings."""

from collections.abc import Callable
from typing import Any, get_args

import streamlit as st

from core.model import Fusion, KnowledgeBase, Level, Mode, PhraseRule
from core.workspace import SearchOptions, Workspace, filters_of
from pages.ui import rerankers
from pages.ui.text import t

LIMITS = [5, 10, 20, 50]
FILTERS = ("search_bases", "search_tags")
FIRST = {"mode": "auto", "level": "auto", "expansion": 0, "reranker": rerankers.AS_SET}
LEFT = ("limit", "semantic_weight", "link_weight", "rerank_weight", "score_threshold", "fusion", "phrase")
"""What the base, else the settings say, as long as nobody chose another value."""


def popover(workspace: Workspace, bases: list[str]) -> SearchOptions:
    """Draw the options and return them."""
    tags = list(workspace.tags())
    _set_up(workspace, bases, tags)
    changed = _changed()
    label = t("search.options.n", n=changed) if changed else t("search.options")
    with st.popover(label, icon=":material/tune:", key="options"), st.container(key="options_body"):
        chosen = _drawn(workspace, bases, tags)
        if changed:
            st.button(t("search.reset"), key="reset_options", type="tertiary", icon=":material/undo:", on_click=reset)
    return chosen


def _drawn(workspace: Workspace, bases: list[str], tags: list[str]) -> SearchOptions:
    left, right = st.columns(2, gap="medium")
    with left:
        mode = _choice("mode", t("search.mode"), {name: t(f"mode.{name}") for name in get_args(Mode)})
        chosen_bases = st.multiselect(
            t("search.bases"), bases, key=FILTERS[0], placeholder=t("search.bases.all"), persist_state="session"
        )
        limits = sorted({*LIMITS, st.session_state["limit"]})
        limit = _left("limit", lambda **more: st.select_slider(t("search.limit"), limits, **more))
        weight = _slider("semantic_weight", t("search.weight"), t("search.weight.help"))
        links = _slider("link_weight", t("search.links"), t("search.links.help"))
        fusions = {name: t(f"fusion.{name}") for name in get_args(Fusion)}
        fusion = _left("fusion", lambda **more: _segments(t("search.fusion"), fusions, **more))
    with right:
        level = _choice("level", t("search.level"), {name: t(f"level.{name}") for name in get_args(Level)})
        chosen_tags = st.multiselect(
            t("search.tags"), tags, key=FILTERS[1], placeholder=t("search.tags.any"), persist_state="session"
        )
        expansion = st.select_slider(t("search.expansion"), range(4), key="expansion", persist_state="session")
        threshold = _slider("score_threshold", t("search.threshold"), t("search.threshold.help"))
        rerank_weight = _slider("rerank_weight", t("search.rerank_weight"), t("search.rerank_weight.help"))
        rules = {name: t(f"phrase.{name}") for name in get_args(PhraseRule)}
        phrase = _left("phrase", lambda **more: _segments(t("search.phrase"), rules, **more))
    return SearchOptions(
        filters=filters_of(bases=chosen_bases, tags=chosen_tags),
        mode=mode,
        level=level,
        limit=limit,
        fusion=fusion,
        semantic_weight=weight,
        link_weight=links,
        phrase=phrase,
        score_threshold=threshold,
        expansion_size=expansion,
        reranker=rerankers.choice(workspace, workspace.base(chosen_bases[0]) if len(chosen_bases) == 1 else None),
        rerank_weight=rerank_weight,
    )


def _segments(label: str, texts: dict[str, str], **more: Any) -> Any:
    return st.segmented_control(label, list(texts), format_func=texts.__getitem__, required=True, **more)


def _choice(key: str, label: str, texts: dict[str, str]) -> Any:
    return _segments(label, texts, key=key, persist_state="session")


def _slider(key: str, label: str, more: str) -> float | None:
    value: float | None = _left(key, lambda **kept: st.slider(label, 0.0, 1.0, step=0.05, help=more, **kept))
    return value


def _left(key: str, draw: Callable[..., Any]) -> Any:
    """Draw a widget and return its value where a person chose it, None where it only shows what is set."""
    value = draw(key=key, on_change=_chose, args=(key,), persist_state="session")
    return value if key in st.session_state["own_options"] else None


def _chose(key: str) -> None:
    st.session_state["own_options"] = st.session_state["own_options"] | {key}


def _changed() -> int:
    """How many options, filters aside, aren't as they are set."""
    others = sum(st.session_state.get(key, value) != value for key, value in FIRST.items())
    return len(st.session_state["own_options"]) + others


def reset() -> None:
    """Leave everything but the filters to the settings again; for callbacks."""
    st.session_state.update(FIRST, own_options=frozenset())


def choose(key: str, value: object) -> None:
    """Choose an option in a person's stead; for callbacks."""
    st.session_state[key] = value
    if key in LEFT:
        _chose(key)


def _set_up(workspace: Workspace, bases: list[str], tags: list[str]) -> None:
    """Give every option a value that there is; what nobody chose shows what is set, for the base where it is one."""
    for key, value in {**FIRST, "own_options": frozenset()}.items():
        st.session_state.setdefault(key, value)
    for key, there in zip(FILTERS, (bases, tags), strict=True):
        st.session_state[key] = [name for name in st.session_state.get(key, []) if name in there]
    chosen = st.session_state[FILTERS[0]]
    base = workspace.base(chosen[0]) if len(chosen) == 1 else None
    for name in LEFT:
        if name not in st.session_state["own_options"]:
            st.session_state[name] = set_to(workspace, base, name)


def set_to(workspace: Workspace, base: KnowledgeBase | None, name: str) -> object:
    """Return what the base, else the settings say of an option."""
    own = getattr(base, name, None)
    unset = own is None or (name == "limit" and not own)
    return getattr(workspace.settings.search, name, 0.0) if unset else own


def drop_filter(key: str, name: str) -> None:
    """Take one filter beside the question away; for callbacks."""
    st.session_state[key] = [other for other in st.session_state[key] if other != name]
