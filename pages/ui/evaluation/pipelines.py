"""The setups to compare: names, presets, and on demand all settings."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from core.base.messages import message_table
from core.model import (
    SIZES,
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

# Names of setups, and setups that differ from a base in one setting.

LETTERS = "AB"
"""Letters that name the compared runs."""


def presets(base: KnowledgeBase) -> dict[str, Pipeline]:
    """Return presets by name; each differs from the base in one setting."""
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
    """Return the name of a setup, by default its differences from the base."""
    text = text_of(pipeline_label(way, base.chunking))
    return text if way.name else text[:1].upper() + text[1:]


def badge(number: int) -> str:
    """Return a run's letter in its colour, as HTML."""
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
    """Draw two setups side by side and return them; initially the base's settings and the first preset."""
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
    offered = {"as_is": Pipeline(), **presets(base)}
    chosen = next((name for name, preset in offered.items() if preset == way), None)
    label = t("What is different in {letter}", letter=LETTERS[number])
    texts = {name: text_of(PRESETS[name]) for name in offered}
    widgets.pills(
        label, texts, **widgets.bound(f"way_preset_{number}", chosen, lambda name: put(offered[name] if name else way))
    )


def _everything(workspace: Workspace, base: KnowledgeBase, number: int, way: Pipeline, put: Put) -> None:
    """Draw a widget for each setting; the setup stores only values that differ from the base's."""
    usual, cut = workspace.bases.search_settings(base), way.chunking or base.chunking

    def field(name: str) -> widgets.Binding:
        return widgets.bound(
            f"way_{name}_{number}", getattr(way, name), lambda value: put(replace(way, **{name: value.strip()}))
        )

    def search(name: str) -> widgets.Binding:
        first, own = knobs.value(usual, name), getattr(way.search, name)

        def choose(value: Any) -> None:
            put(replace(way, search=replace(way.search, **{name: None if value == first else value})))

        return widgets.bound(f"way_{name}_{number}", first if own is None else own, choose)

    st.text_input(t("Name"), placeholder=pipeline_name(replace(way, name=""), base), max_chars=60, **field("name"))
    options = knobs.choose(f"way_{number}", cut, base.chunking)
    if options != cut:
        put(replace(way, chunking=None if options == base.chunking else options))
        st.rerun()
    left, right = st.columns(2, gap="medium")
    with left:
        for name, (label, texts, about) in _models(workspace, base, way).items():
            widgets.select(label, texts, help=about, **field(name))
    with right:
        for name in knobs.fitting(knobs.OF_WAYS, base):
            if name == "reranker":
                rerankers = (
                    getattr(usual, name),
                    *knobs.values(workspace, name),
                    way.search.reranker or knobs.NO_RERANKER,
                )
                names = {reranker: knobs.value_label(name, reranker) for reranker in rerankers}
                widgets.select(knobs.setting_label(name), names, **search(name))
            else:
                knobs.draw(name, **search(name))


def _models(
    workspace: Workspace, base: KnowledgeBase, way: Pipeline
) -> dict[str, tuple[str, Mapping[str, str], str | None]]:
    """Return the label, the choices and the help of the models of a setup: for meaning, and a language model if any."""
    choices: dict[str, tuple[str, Mapping[str, str], str | None]] = {}
    if base.has_vectors:
        others = {name: text_of(embedder_name(name)) for name in embedders(workspace) if name != base.embedder}
        choices["embedder"] = t("Model for meaning"), {"": text_of(embedder_name(base.embedder)), **others}, None
    if workspace.settings.llm.is_set_up or (way.answers, way.judge) != ("quotes", "none"):
        writers = {"quotes": t("Sentences from your notes"), "model": t("Written by the language model")}
        choices["answers"] = t("Answers"), writers, None
        about = t(
            "The judge compares each answer with your expected answer and with the right "
            "passages, and says whether they agree and why. Its opinion is a separate figure; a "
            "model is lenient with its own writing."
        )
        choices["judge"] = t("Judge"), {"none": t("Nobody"), "model": t("The language model")}, about
    return choices


@st.cache_data(ttl=60, show_spinner=False)
def embedders(_workspace: Workspace) -> list[str]:
    """Return the usable embedders; cached, because finding them reads folders."""
    return [card.name for card in _workspace.models.all() if card.part == "embedder" and not card.problem]
