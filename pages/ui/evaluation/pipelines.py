"""The ways to search that are compared: a preset by one click, and everything else on demand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import streamlit as st

from core.model import ChunkingOptions, Fusion, KnowledgeBase, Level, Mode, Pipeline
from core.workspace import Workspace, ranges
from pages.ui import parameters, rerankers
from pages.ui.evaluation import figures, ways
from pages.ui.safe import html
from pages.ui.searchoptions import set_to
from pages.ui.text import t

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
        st.button(t("eval.way.add"), key="way_add", icon=":material/add:", type="tertiary", on_click=another)


Put = Callable[[Pipeline | None], None]


def _way(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put, *, last: int) -> None:
    letter = ways.LETTERS[number]
    with st.container(horizontal=True, vertical_alignment="center", key=f"way_head_{number}"):
        st.html(
            f'<div class="t-head">{figures.badge(number)}<span class="t-name">{html(ways.called(way, base))}</span></div>',
            width="stretch",
        )
        with (
            st.popover(t("eval.way.all"), icon=":material/tune:", type="tertiary", key=f"way_all_{number}"),
            st.container(key=f"way_body_{number}"),
        ):
            _everything(workspace, base, number, way, put)
        if number and last > 1:
            st.button(
                "",
                key=f"way_remove_{number}",
                icon=":material/close:",
                type="tertiary",
                help=t("eval.way.remove", letter=letter),
                on_click=put,
                args=(None,),
            )
    _preset(base, number, way, put)


def _preset(base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    offered = {"as_is": ways.AS_IS, **ways.presets(base)}
    key = f"way_preset_{number}"
    st.session_state[key] = next((name for name, preset in offered.items() if preset == way), None)
    st.pills(
        t("eval.way.preset", letter=ways.LETTERS[number]),
        list(offered),
        format_func=lambda name: t(f"eval.preset.{name}"),
        key=key,
        on_change=lambda: put(offered.get(st.session_state[key], way)),
        label_visibility="collapsed",
    )


def _everything(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    """Draw a widget for each setting; what is as the base has it isn't the way's own."""

    def drawn(name: str, usual: object, draw: Callable[..., object]) -> None:
        """Draw a widget with the way's own value, else the usual one, and keep what is chosen."""
        key = f"way_{name}_{number}"
        own = getattr(way, name)
        st.session_state[key] = usual if own is None or own == "" else own
        unset = getattr(ways.AS_IS, name)

        def chose() -> None:
            chosen = st.session_state[key]
            put(replace(way, **{name: unset if chosen == usual else chosen}))

        draw(key=key, on_change=chose)

    def weight(name: str) -> None:
        label = {"semantic_weight": "search.weight", "rerank_weight": "search.rerank_weight"}[name]
        usual = float(set_to(workspace, base, name))
        drawn(name, usual, lambda **kept: st.slider(t(label), 0.0, 1.0, step=0.05, help=t(f"{label}.help"), **kept))

    name_key = f"way_name_{number}"
    st.session_state[name_key] = way.name
    st.text_input(
        t("eval.way.name"),
        key=name_key,
        placeholder=ways.called(replace(way, name=""), base),
        max_chars=60,
        on_change=lambda: put(replace(way, name=st.session_state[name_key].strip())),
    )
    left, right = st.columns(2, gap="medium")
    with left:
        _chunking(base, number, way, put)
        embedders = list(dict.fromkeys([base.embedder, *_embedders(workspace)]))
        drawn("embedder", base.embedder, lambda **kept: st.selectbox(t("eval.way.embedder"), embedders, **kept))
    with right:
        drawn("mode", "auto", lambda **kept: _segments(t("search.mode"), "mode", get_args(Mode), **kept))
        drawn("level", "auto", lambda **kept: _segments(t("search.level"), "level", get_args(Level), **kept))
        fusion = set_to(workspace, base, "fusion")
        drawn("fusion", fusion, lambda **kept: _segments(t("search.fusion"), "fusion", get_args(Fusion), **kept))
        weight("semantic_weight")
        usual = base.reranker or workspace.settings.search.reranker
        names = list(dict.fromkeys([usual, rerankers.NONE, *workspace.rerankers()]))
        drawn(
            "reranker",
            usual,
            lambda **kept: st.selectbox(t("search.rerank"), names, format_func=rerankers.called, **kept),
        )
        weight("rerank_weight")
        drawn("expansion_size", 0, lambda **kept: st.select_slider(t("search.expansion"), range(4), **kept))


def _segments(label: str, kind: str, names: tuple[str, ...], **more: Any) -> None:
    st.segmented_control(label, names, format_func=lambda name: t(f"{kind}.{name}"), required=True, **more)


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
        t("try.strategy"),
        list(parameters.STRATEGIES),
        format_func=lambda name: t(f"strategy.{name}"),
        key=keys["strategy"],
        on_change=chose,
    )
    for name, ends in ranges().items():
        if name not in parameters.STRATEGIES[now.strategy]:
            continue
        value = getattr(now, name)
        low, high, step = parameters.scale(ends, parameters.STEPS.get(name, 10), getattr(base.chunking, name), value)
        keys[name] = f"way_{name}_{number}_{low}_{high}_{step}"
        st.session_state[keys[name]] = value
        st.slider(t(f"try.{name}"), low, high, step=step, key=keys[name], on_change=chose, help=t(f"try.{name}.help"))


@st.cache_data(ttl=60, show_spinner=False)
def _embedders(_workspace: Workspace) -> list[str]:
    """The embedders that can be used now: looking for them reads folders."""
    return [card.name for card in _workspace.models() if card.part == "embedder" and not card.problem]
