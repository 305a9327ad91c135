"""The ways to search that are compared: a preset by one click, and everything else on demand."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from core.messages import message
from core.model import CHUNKING_RANGES, ChunkingOptions, KnowledgeBase, Pipeline
from core.workspace import Workspace
from pages.ui.evaluation import figures, ways
from pages.ui.shared import knobs, names, parameters, rerankers
from pages.ui.shared.safe import html
from pages.ui.shared.text import labels, said, t

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
"""Ways that are compared at once."""


def choose(workspace: Workspace, base: KnowledgeBase) -> list[Pipeline]:
    """Draw the ways next to each other and return them; at first the base as it is, and without reranking."""
    key = f"ways_{base.id}"
    chosen: list[Pipeline] = st.session_state.setdefault(key, [ways.AS_IS, ways.presets(base)["no_rerank"]])

    def put(number: int, way: Pipeline | None) -> None:
        before: list[Pipeline] = st.session_state[key]
        st.session_state[key] = [*before[:number], *([way] if way else []), *before[number + 1 :]]

    columns = st.columns(len(chosen), gap="small")
    for number, (column, way) in enumerate(zip(columns, chosen, strict=True)):
        with column.container(border=True, key=f"way_{number}", height="stretch"):
            _way(workspace, base, number, way, lambda way, number=number: put(number, way), last=len(chosen) - 1)
    return chosen


def add(base: KnowledgeBase) -> None:
    """Draw the button that adds a way to those that are compared."""
    key = f"ways_{base.id}"

    def another() -> None:
        before: list[Pipeline] = st.session_state[key]
        fresh = next((way for way in ways.presets(base).values() if way not in before), ways.AS_IS)
        st.session_state[key] = [*before, fresh]

    if len(st.session_state.get(key, [])) < MOST:
        st.button(t("Add a setup"), key="way_add", icon=":material/add:", type="tertiary", on_click=another)


Put = Callable[[Pipeline | None], None]


def _way(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put, *, last: int) -> None:
    letter = ways.LETTERS[number]
    with st.container(horizontal=True, vertical_alignment="center", key=f"way_head_{number}"):
        st.html(
            f'<div class="t-head">{figures.badge(number)}<span class="t-name">{html(ways.called(way, base))}</span></div>',
            width="stretch",
        )
        with (
            st.popover(t("All settings"), icon=":material/tune:", type="tertiary", key=f"way_all_{number}"),
            st.container(key=f"way_body_{number}"),
        ):
            _everything(workspace, base, number, way, put)
        if number and last > 1:
            st.button(
                "",
                key=f"way_remove_{number}",
                icon=":material/close:",
                type="tertiary",
                help=t("Remove {letter}", letter=letter),
                on_click=put,
                args=(None,),
            )
    _preset(base, number, way, put)


def _preset(base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    offered = {"as_is": ways.AS_IS, **ways.presets(base)}
    key = f"way_preset_{number}"
    st.session_state[key] = next((name for name, preset in offered.items() if preset == way), None)
    st.pills(
        t("What differs in {letter}", letter=ways.LETTERS[number]),
        list(offered),
        format_func=labels(PRESETS),
        key=key,
        on_change=lambda: put(offered.get(st.session_state[key], way)),
        label_visibility="collapsed",
    )


def _everything(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    """Draw a widget for each setting; what is as the base has it isn't the way's own."""

    usual = workspace.bases.search_settings(base)

    def drawn(name: str) -> None:
        """Draw the widget of a part with the way's own value, else the usual one, and keep what is chosen."""
        key = f"way_{name}_{number}"
        first = knobs.value(usual, name)
        own = getattr(way.search, name)
        st.session_state[key] = first if own is None else own

        def chose() -> None:
            chosen = st.session_state[key]
            put(replace(way, search=replace(way.search, **{name: None if chosen == first else chosen})))

        if name == "reranker":
            texts = {
                one: rerankers.called(one) for one in (first, *knobs.values(workspace, name), st.session_state[key])
            }
            label = said(knobs.KNOBS[name].label)
            st.selectbox(label, list(texts), format_func=texts.__getitem__, key=key, on_change=chose)
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
        _embedder(workspace, base, number, way, put)
    with right:
        for name in knobs.OF_WAYS:
            drawn(name)


def _embedder(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    key = f"way_embedder_{number}"
    st.session_state[key] = way.embedder or base.embedder

    def chose() -> None:
        chosen = st.session_state[key]
        put(replace(way, embedder="" if chosen == base.embedder else chosen))

    embedders = list(dict.fromkeys([base.embedder, *_embedders(workspace)]))
    st.selectbox(t("Model for meaning"), embedders, key=key, on_change=chose)


def _chunking(base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    """Draw the strategy and the sizes that it heeds."""
    now = way.chunking or base.chunking
    keys = {"strategy": f"way_strategy_{number}"}

    def chose() -> None:
        sizes = {name: st.session_state[key] for name, key in keys.items()}
        chosen: ChunkingOptions = replace(now, **sizes)
        put(replace(way, chunking=None if chosen == base.chunking else chosen))

    st.session_state[keys["strategy"]] = now.strategy
    st.selectbox(
        t("Strategy"),
        list(parameters.STRATEGIES),
        format_func=labels(names.STRATEGIES),
        key=keys["strategy"],
        on_change=chose,
    )
    for name, ends in CHUNKING_RANGES.items():
        if name not in parameters.STRATEGIES[now.strategy]:
            continue
        value = getattr(now, name)
        low, high, step = parameters.scale(ends, parameters.STEPS.get(name, 10), getattr(base.chunking, name), value)
        keys[name] = f"way_{name}_{number}_{low}_{high}_{step}"
        st.session_state[keys[name]] = value
        st.slider(
            said(names.PARAMETERS[name]),
            low,
            high,
            step=step,
            key=keys[name],
            on_change=chose,
            help=said(names.ABOUT_PARAMETERS[name]),
        )


@st.cache_data(ttl=60, show_spinner=False)
def _embedders(_workspace: Workspace) -> list[str]:
    """The embedders that can be used now: looking for them reads folders."""
    return [card.name for card in _workspace.models.cards() if card.part == "embedder" and not card.problem]
