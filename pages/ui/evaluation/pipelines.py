"""The setups to compare: a preset by one click, and all other settings on demand."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from core.messages import message
from core.model import SIZES, ChunkingOptions, KnowledgeBase, Pipeline, embedder_name
from core.workspace import Workspace
from pages.ui.evaluation import figures, ways
from pages.ui.shared import knobs, parameters, rerankers, widgets
from pages.ui.shared.safe import html
from pages.ui.shared.text import t, text_of

PRESETS = {
    "as_is": message("Current settings"),
    "no_rerank": message("Without second look"),
    "meaning": message("Meaning only"),
    "words": message("Words only"),
    "smaller": message("Smaller chunks"),
    "recursive": message("Split by size"),
    "markdown": message("Split by headings"),
    "none": message("Whole notes"),
    "around": message("With neighbours"),
}

MOST = 4
"""Setups to compare at once."""


def choose(workspace: Workspace, base: KnowledgeBase) -> list[Pipeline]:
    """Draw the setups beside each other and return them; at first the base as it is, and the first preset."""
    key = f"ways_{base.id}"
    chosen: list[Pipeline] = st.session_state.setdefault(key, [Pipeline(), next(iter(ways.presets(base).values()))])

    def put(number: int, way: Pipeline | None) -> None:
        before: list[Pipeline] = st.session_state[key]
        st.session_state[key] = [*before[:number], *([way] if way else []), *before[number + 1 :]]

    columns = st.columns(len(chosen), gap="small")
    for number, (column, way) in enumerate(zip(columns, chosen, strict=True)):
        with column.container(border=True, key=f"way_{number}", height="stretch"):
            _way(workspace, base, number, way, partial(put, number), last=len(chosen) - 1)
    return chosen


def add(base: KnowledgeBase) -> None:
    """Draw the button that adds a setup to compare."""
    key = f"ways_{base.id}"

    def another() -> None:
        before: list[Pipeline] = st.session_state[key]
        fresh = next((way for way in ways.presets(base).values() if way not in before), Pipeline())
        st.session_state[key] = [*before, fresh]

    if len(st.session_state.get(key, [])) < MOST:
        widgets.small(t("Add a setup"), "way_add", "add", on_click=another)


Put = Callable[[Pipeline | None], None]


def _way(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put, *, last: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"way_head_{number}"):
        name = f'<span class="t-name">{html(ways.called(way, base))}</span>'
        st.html(f'<div class="t-head">{figures.badge(number)}{name}</div>', width="stretch")
        with (
            st.popover(t("All settings"), icon=":material/tune:", type="tertiary", key=f"way_all_{number}"),
            st.container(key=f"way_body_{number}"),
        ):
            _everything(workspace, base, number, way, put)
        if number and last > 1:
            about = t("Remove {letter}", letter=ways.LETTERS[number])
            widgets.close(f"way_remove_{number}", about, on_click=put, args=(None,))
    _preset(base, number, way, put)


def _preset(base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    offered = {"as_is": Pipeline(), **ways.presets(base)}
    key = f"way_preset_{number}"
    st.session_state[key] = next((name for name, preset in offered.items() if preset == way), None)
    label = t("What differs in {letter}", letter=ways.LETTERS[number])
    texts = {name: text_of(PRESETS[name]) for name in offered}
    widgets.pills(label, texts, key, on_change=lambda: put(offered.get(st.session_state[key], way)))


def _everything(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    """Draw a widget for each setting; a value like the base's is not stored in the setup."""
    usual = workspace.bases.search_settings(base)

    def draw(name: str) -> None:
        key = f"way_{name}_{number}"
        first = knobs.value(usual, name)
        own = getattr(way.search, name)
        st.session_state[key] = first if own is None else own

        def chose() -> None:
            chosen = st.session_state[key]
            put(replace(way, search=replace(way.search, **{name: None if chosen == first else chosen})))

        if name == "reranker":
            offered = (first, *knobs.values(workspace, name), st.session_state[key])
            texts = {reranker: rerankers.called(reranker) for reranker in offered}
            widgets.select(knobs.setting(name), texts, key, on_change=chose)
        else:
            knobs.draw(name, key=key, on_change=chose)

    name_key = f"way_name_{number}"
    st.session_state[name_key] = way.name
    st.text_input(
        t("Name"),
        key=name_key,
        placeholder=ways.called(replace(way, name=""), base),
        max_chars=60,
        on_change=lambda: put(replace(way, name=st.session_state[name_key].strip())),
    )
    left, right = st.columns(2, gap="medium")
    with left:
        _chunking(base, number, way, put)
        if base.has_vectors:
            _embedder(workspace, base, number, way, put)
    with right:
        for name in knobs.fitting(knobs.OF_WAYS, base):
            draw(name)


def _embedder(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    key = f"way_embedder_{number}"
    st.session_state[key] = way.embedder or base.embedder

    def chose() -> None:
        chosen = st.session_state[key]
        put(replace(way, embedder="" if chosen == base.embedder else chosen))

    names = list(dict.fromkeys([base.embedder, *embedders(workspace)]))
    texts = {name: text_of(embedder_name(name)) for name in names}
    widgets.select(t("Model for meaning"), texts, key, on_change=chose)


def _chunking(base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    """Draw the strategy and the sizes that it uses."""
    now = way.chunking or base.chunking
    keys = {"strategy": f"way_strategy_{number}"}

    def chose() -> None:
        sizes = {name: st.session_state[key] for name, key in keys.items()}
        chosen: ChunkingOptions = replace(now, **sizes)
        put(replace(way, chunking=None if chosen == base.chunking else chosen))

    st.session_state[keys["strategy"]] = now.strategy
    parameters.strategies(keys["strategy"], on_change=chose)
    for name, option in SIZES.items():
        if name not in parameters.STRATEGIES[now.strategy]:
            continue
        value = getattr(now, name)
        scale = parameters.scale(option, getattr(base.chunking, name), value)
        keys[name] = "_".join(map(str, ("way", name, number, *scale)))
        st.session_state[keys[name]] = value
        parameters.size(name, keys[name], scale, on_change=chose)


@st.cache_data(ttl=60, show_spinner=False)
def embedders(_workspace: Workspace) -> list[str]:
    """Return the embedders that can be used now; the search for them reads folders."""
    return [card.name for card in _workspace.models.all() if card.part == "embedder" and not card.problem]
