"""The settings of a search as widgets: their labels, helps and values, once for all pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.messages import Message, message
from core.model import CHOICES, DEFAULTS, PARTS, CompleteSettings
from core.workspace import Workspace
from pages.ui.shared import names, rerankers, widgets
from pages.ui.shared.text import text_of


@dataclass(frozen=True, slots=True)
class Knob:
    """The widget of a setting. `offered`: values of a number whose range has too many."""

    label: Message
    help: Message | None = None
    offered: tuple[int, ...] = ()


KNOBS = {
    "mode": Knob(message("Search by")),
    "level": Knob(message("Level")),
    "fusion": Knob(message("How meaning and words combine")),
    "semantic_weight": Knob(
        message("Weight of meaning against words"),
        message("1 ranks by meaning alone, 0 by words alone. Only where both are used."),
    ),
    "link_weight": Knob(
        message("Boost for linked notes"),
        message("Added to the score of a chunk whose note is linked with one of the best."),
    ),
    "phrase": Knob(message("A phrase in quotation marks")),
    "score_threshold": Knob(
        message("Minimum similarity"),
        message("Hits that are less similar in meaning are left out; 0 leaves out none. Not where only words count."),
    ),
    "reranker": Knob(message("Second look")),
    "rerank_weight": Knob(
        message("Weight of the second look"),
        message("1 keeps only the order of the second look, 0 only the order before it."),
    ),
    "expansion_size": Knob(message("Neighbouring chunks to show on each side")),
    "limit": Knob(message("Results"), offered=(5, 10, 20, 50)),
}
"""The settings that can be chosen on a page."""

OF_SEARCHES = (
    ("mode", "limit", "semantic_weight", "link_weight", "fusion"),
    ("level", "expansion_size", "score_threshold", "rerank_weight", "phrase"),
)
"""The columns of a search's options."""

OF_BASES = ("limit", "score_threshold", "semantic_weight", "rerank_weight", "reranker")
OF_GRIDS: Mapping[str, tuple[Sequence[Any], Sequence[Any]]] = {
    "reranker": ((), rerankers.QUICK),
    "semantic_weight": ((0.2, 0.4, 0.5, 0.6, 0.7, 0.8), (0.4, 0.6, 0.8)),
}
"""The settings that advice varies: the values offered, all where empty, and those tried at first."""

OF_WAYS = ("mode", "level", "fusion", "semantic_weight", "reranker", "rerank_weight", "expansion_size")


def value(settings: CompleteSettings, name: str) -> Any:
    """Return a setting as its widget takes it."""
    chosen = getattr(settings, name)
    return float(chosen) if isinstance(getattr(DEFAULTS, name), float) else chosen


def draw(name: str, *, key: str, **more: Any) -> Any:
    """Draw the widget of a setting and return its value. For the reranker, see `rerankers.choice`."""
    knob, part = KNOBS[name], PARTS[name]
    label, least, most = text_of(knob.label), part.least or 0, part.most or 0
    more |= {"key": key, "help": text_of(knob.help) if knob.help else None}
    if CHOICES[name]:
        texts = {choice: text_of(names.CHOICES[name][choice]) for choice in CHOICES[name]}
        return widgets.segments(label, texts, label_visibility="visible", **more)
    if knob.offered:
        return st.select_slider(label, sorted({*knob.offered, st.session_state[key]}), **more)
    if isinstance(getattr(DEFAULTS, name), int):
        return st.select_slider(label, range(int(least), int(most) + 1), **more)
    return st.slider(label, float(least), float(most), step=0.05, **more)


def values(workspace: Workspace, name: str) -> list[Any]:
    """Return values to choose from: the names of the rerankers, or some numbers of the range."""
    if name == "reranker":
        return [rerankers.NONE, *workspace.models.rerankers()]
    least, most = PARTS[name].least or 0, PARTS[name].most or 0
    offered = KNOBS[name].offered
    return [*offered, most] if offered else [least + (most - least) * tenth / 10 for tenth in range(11)]


def setting(name: str) -> str:
    """Return the name of a setting, as tables of settings show it."""
    if name in names.SETTINGS:
        return text_of(names.SETTINGS[name])
    return text_of(KNOBS[name].label) if name in KNOBS else name


def shown(name: str, value: object) -> str:
    """Return the value of a setting: by its name where it has one, – where there is none."""
    if name == "reranker":
        return rerankers.called(str(value))
    if text := names.CHOICES.get(name, {}).get(str(value)):
        return text_of(text)
    return f"{value:g}" if isinstance(value, float) else "–" if value in (None, "") else str(value)
