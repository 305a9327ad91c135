"""The widgets for a strategy and its sizes."""

from dataclasses import asdict
from typing import Any

import streamlit as st

from core.model import SIZES, ChunkingOption, ChunkingOptions
from pages.ui.shared import knobs, widgets
from pages.ui.shared.text import t, text_of

STRATEGIES = {
    "auto": set(SIZES),
    "none": set[str](),
    "markdown": {"chunk_size", "max_single_chunk_size"},
    "recursive": {"chunk_size", "chunk_overlap", "max_single_chunk_size"},
    "lines": {"max_single_chunk_size"},
}
"""The strategies, each with the sizes that it uses."""


def choose(side: str, first: ChunkingOptions, usual: ChunkingOptions, *, reset: str = "") -> ChunkingOptions:
    """Draw the strategy and a slider for each size, and return their values.

    They begin with `first`, and follow it until the user moves one; a button sets them to the `usual` ones of the base.
    """
    keys = {name: f"try_{side}_{name}" for name in asdict(first)}

    def begin(options: ChunkingOptions) -> None:
        st.session_state.update({keys[name]: value for name, value in asdict(options).items()})

    before: ChunkingOptions | None = st.session_state.get(f"try_{side}_from")
    moved = before and any(st.session_state.get(keys[name]) != value for name, value in asdict(before).items())
    if before != first and not moved:
        begin(first)
    st.session_state[f"try_{side}_from"] = first
    chosen: dict[str, int] = {}
    with st.container(border=True, key=f"parameters_{side}"):
        columns = st.columns(2, gap="medium")
        strategy = strategies(keys["strategy"], columns[0], persist_state="session")
        for number, (name, option) in enumerate(SIZES.items(), start=1):
            value = st.session_state[keys[name]]
            # An earlier version may have stored any size.
            fitting = scale(option, getattr(first, name), value)
            if st.session_state.get(f"{keys[name]}_scale") != fitting:
                # Another scale is another slider: it would begin with a value of its own.
                st.session_state.update({f"{keys[name]}_scale": fitting, keys[name]: value})
            shut = name not in STRATEGIES[strategy]
            with columns[number % 2]:
                chosen[name] = size(name, keys[name], fitting, disabled=shut, persist_state="session")
        own = ChunkingOptions(strategy=strategy, **chosen)
        widgets.small(
            reset or t("Reset to the base's settings"),
            f"reset_{side}",
            "undo",
            on_click=begin,
            args=(usual,),
            disabled=own == usual,
        )
    return own


def strategies(key: str, place: Any = st, **more: Any) -> str:
    """Draw the choice of a strategy and return it."""
    texts = {name: knobs.shown("strategy", name) for name in STRATEGIES}
    return widgets.select(knobs.setting("strategy"), texts, key, place, **more)


def size(name: str, key: str, scale: tuple[int, int, int], **more: Any) -> int:
    """Draw the slider of a size on a `scale`, and return its value."""
    low, high, step = scale
    about = text_of(SIZES[name].about)
    return int(st.slider(knobs.setting(name), low, high, step=step, key=key, help=about, **more))


def scale(option: ChunkingOption, *values: int) -> tuple[int, int, int]:
    """Return the ends and the step of a slider that can show these values too."""
    fits = all((value - option.least) % option.step == 0 for value in values)
    return min(option.least, *values), max(option.most, *values), option.step if fits else 1
