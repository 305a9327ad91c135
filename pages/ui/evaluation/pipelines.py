"""The setups to compare: names, presets, and all settings on demand."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from core.base.messages import message_table
from core.model import (
    SIZES,
    ChunkingOptions,
    KnowledgeBase,
    Pipeline,
    SearchSettings,
    embedder_name,
    pipeline_label,
)
from core.workspace import Workspace
from pages.ui.shared import knobs, widgets
from pages.ui.shared.safe import html
from pages.ui.shared.text import t, text_of

# The names of setups, and setups that differ from a base in one thing.

LETTERS = "AB"
"""Letters of the compared runs."""


def presets(base: KnowledgeBase) -> dict[str, Pipeline]:
    """Return presets by name: setups that differ from the base in one setting."""
    now = base.chunking
    halved = ("chunk_size", "max_single_chunk_size", "chunk_overlap")
    halves = {name: max(SIZES[name].least, getattr(now, name) // 2) for name in halved}
    smaller = replace(now, short_doc_threshold=SIZES["short_doc_threshold"].least, **halves)
    strategies = [name for name in ("recursive", "markdown", "none") if name != now.strategy]
    by_meaning = {
        "no_rerank": Pipeline(search=SearchSettings(reranker=knobs.NO_RERANKER)),
        "meaning": Pipeline(search=SearchSettings(mode="semantic")),
        "words": Pipeline(search=SearchSettings(mode="keyword")),
    }
    return {
        **(by_meaning if base.has_vectors else {}),
        **({"smaller": Pipeline(chunking=smaller)} if smaller != now else {}),
        **{name: Pipeline(chunking=replace(now, strategy=name)) for name in strategies},
        "around": Pipeline(search=knobs.AROUND),
    }


def pipeline_name(way: Pipeline, base: KnowledgeBase) -> str:
    """Return the name of a setup, else its differences from the base."""
    text = text_of(pipeline_label(way, base.chunking))
    return text if way.name else text[:1].upper() + text[1:]


def badge(number: int) -> str:
    """Return a run's letter as HTML, in its colour."""
    return f'<span class="t-run t-run-{number}">{LETTERS[number]}</span>'


PRESETS = message_table(
    {
        "as_is": "Current settings",
        "no_rerank": "Without reranking",
        "meaning": "Meaning only",
        "words": "Words only",
        "smaller": "Smaller chunks",
        "recursive": "Split by size",
        "markdown": "Split by headings",
        "none": "Whole notes",
        "around": "With neighbours",
    }
)


def choose(workspace: Workspace, base: KnowledgeBase) -> list[Pipeline]:
    """Draw two setups side by side and return them; initially the base's own settings and the first preset."""
    key = f"ways_{base.id}"
    chosen: list[Pipeline] = st.session_state.setdefault(key, [Pipeline(), next(iter(presets(base).values()))])

    for number, (column, way) in enumerate(zip(st.columns(len(chosen)), chosen, strict=True)):
        with column.container(border=True, key=f"way_{number}", height="stretch"):
            _way(workspace, base, number, way, partial(chosen.__setitem__, number))
    return list(chosen)


Put = Callable[[Pipeline], None]


def _way(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    with widgets.row(f"way_head_{number}"):
        name = f'<span class="t-name">{html(pipeline_name(way, base))}</span>'
        st.html(f'<div class="t-head">{badge(number)}{name}</div>')
        with (
            st.popover(t("All settings"), icon=":material/tune:", type="tertiary", key=f"way_all_{number}"),
            st.container(key=f"way_body_{number}"),
        ):
            _everything(workspace, base, number, way, put)
    _preset(base, number, way, put)


def _preset(base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    offered = {"as_is": Pipeline(), **presets(base)}
    chosen = next((name for name, preset in offered.items() if preset == way), None)
    label = t("What differs in {letter}", letter=LETTERS[number])
    texts = {name: text_of(PRESETS[name]) for name in offered}
    widgets.pills(
        label, texts, **widgets.bound(f"way_preset_{number}", chosen, lambda name: put(offered[name] if name else way))
    )


def _everything(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    """Draw a widget for each setting; values that equal the base's aren't stored in the setup."""
    usual = workspace.bases.search_settings(base)

    def draw(name: str) -> None:
        first, own = knobs.value(usual, name), getattr(way.search, name)
        value = first if own is None else own

        def choose(chosen: Any) -> None:
            put(replace(way, search=replace(way.search, **{name: None if chosen == first else chosen})))

        now = widgets.bound(f"way_{name}_{number}", value, choose)
        if name == "reranker":
            texts = {
                reranker: knobs.value_label(name, reranker)
                for reranker in (first, *knobs.values(workspace, name), value)
            }
            widgets.select(knobs.setting_label(name), texts, **now)
        else:
            knobs.draw(name, **now)

    placeholder = pipeline_name(replace(way, name=""), base)
    now = widgets.bound(f"way_name_{number}", way.name, lambda name: put(replace(way, name=name.strip())))
    st.text_input(t("Name"), placeholder=placeholder, max_chars=60, **now)
    left, right = st.columns(2, gap="medium")
    with left:
        _chunking(base, number, way, put)
        if base.has_vectors:
            _embedder(workspace, base, number, way, put)
        _answers(workspace, number, way, put)
    with right:
        for name in knobs.fitting(knobs.OF_WAYS, base):
            draw(name)


def _answers(workspace: Workspace, number: int, way: Pipeline, put: Put) -> None:
    """Draw the choice of who writes and judges answers, if a language model is set up or the setup uses one."""
    if not workspace.settings.llm.is_set_up and (way.answers, way.judge) == ("quotes", "none"):
        return
    now = widgets.bound(f"way_answers_{number}", way.answers, lambda chosen: put(replace(way, answers=chosen)))
    texts = {"quotes": t("Sentences of your notes"), "model": t("Written by the language model")}
    widgets.select(t("Answers"), texts, **now)
    now = widgets.bound(f"way_judge_{number}", way.judge, lambda chosen: put(replace(way, judge=chosen)))
    about = t(
        "It compares each answer with the one you expect and with the right passages, and says whether they agree, with a reason. Its opinion is a separate figure; a model is lenient with its own writing."
    )
    widgets.select(t("Judge"), {"none": t("No one"), "model": t("The language model")}, help=about, **now)


def _embedder(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    def choose(chosen: str) -> None:
        put(replace(way, embedder="" if chosen == base.embedder else chosen))

    texts = {name: text_of(embedder_name(name)) for name in dict.fromkeys([base.embedder, *embedders(workspace)])}
    now = widgets.bound(f"way_embedder_{number}", way.embedder or base.embedder, choose)
    widgets.select(t("Model for meaning"), texts, **now)


def _chunking(base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    """Draw the strategy and the sizes that it uses."""
    now = way.chunking or base.chunking

    def widget(name: str, key: str) -> widgets.Binding:
        def choose(value: Any) -> None:
            chosen: ChunkingOptions = replace(now, **{name: value})
            put(replace(way, chunking=None if chosen == base.chunking else chosen))

        return widgets.bound(key, getattr(now, name), choose)

    knobs.strategies(**widget("strategy", f"way_strategy_{number}"))
    if not knobs.STRATEGIES[now.strategy]:
        st.caption(knobs.without_effect(now.strategy))
    for name, option in SIZES.items():
        if name not in knobs.STRATEGIES[now.strategy]:
            continue
        scale = knobs.scale(option, getattr(base.chunking, name), getattr(now, name))
        key = "_".join(map(str, ("way", name, number, *scale)))
        knobs.size(name, scale=scale, **widget(name, key))


@st.cache_data(ttl=60, show_spinner=False)
def embedders(_workspace: Workspace) -> list[str]:
    """Return the usable embedders; cached, because this reads folders."""
    return [card.name for card in _workspace.models.all() if card.part == "embedder" and not card.problem]
