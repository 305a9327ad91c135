"""The strategy and the sizes that a note is tried with."""

from dataclasses import asdict

import streamlit as st

from core.model import CHUNKING_RANGES, ChunkingOptions
from pages.ui.shared import names
from pages.ui.shared.text import said, t

STRATEGIES = {
    "auto": {
        "short_doc_threshold",
        "chunk_size",
        "chunk_overlap",
        "min_headings_for_md_aware",
        "max_single_chunk_size",
    },
    "none": set[str](),
    "markdown": {"chunk_size", "max_single_chunk_size"},
    "recursive": {"chunk_size", "chunk_overlap", "max_single_chunk_size"},
    "lines": {"max_single_chunk_size"},
}
"""The strategies, each with the sizes that it heeds."""
STEPS = {"min_headings_for_md_aware": 1, "chunk_overlap": 5, "chunk_size": 16}


def choose(side: str, first: ChunkingOptions) -> ChunkingOptions:
    """Draw the strategy and a slider for each size, and return what they say.

    They begin with `first`, and go along with it as long as nobody moved them.
    """
    keys = {name: f"try_{side}_{name}" for name in asdict(first)}

    def reset() -> None:
        st.session_state.update({keys[name]: value for name, value in asdict(first).items()})

    before: ChunkingOptions | None = st.session_state.get(f"try_{side}_from")
    moved = before and any(st.session_state.get(keys[name]) != value for name, value in asdict(before).items())
    if before != first and not moved:
        reset()
    st.session_state[f"try_{side}_from"] = first
    labels = {name: said(names.STRATEGIES[name]) for name in STRATEGIES}
    chosen: dict[str, int] = {}
    with st.container(border=True, key=f"parameters_{side}"):
        columns = st.columns(2, gap="medium")
        strategy = columns[0].selectbox(
            t("Strategy"),
            list(labels),
            format_func=labels.__getitem__,
            key=keys["strategy"],
            persist_state="session",
        )
        for number, (name, ends) in enumerate(CHUNKING_RANGES.items(), start=1):
            value = st.session_state[keys[name]]
            # What is stored may have been set by a command, which heeds no slider's range.
            low, high, step = scale(ends, STEPS.get(name, 10), getattr(first, name), value)
            if st.session_state.get(f"{keys[name]}_scale") != (low, high, step):
                # Another scale is another slider: it would begin with a value of its own.
                st.session_state.update({f"{keys[name]}_scale": (low, high, step), keys[name]: value})
            chosen[name] = columns[number % 2].slider(
                said(names.PARAMETERS[name]),
                low,
                high,
                step=step,
                key=keys[name],
                disabled=name not in STRATEGIES[strategy],
                help=said(names.ABOUT_PARAMETERS[name]),
                persist_state="session",
            )
        st.button(t("Reset"), key=f"reset_{side}", icon=":material/undo:", on_click=reset, type="tertiary")
    return ChunkingOptions(strategy=strategy, **chosen)


def scale(ends: tuple[int, int], step: int, *values: int) -> tuple[int, int, int]:
    """Return from where to where a slider goes and by which step, so that it can show these values too."""
    fits = all((value - ends[0]) % step == 0 for value in values)
    return min(ends[0], *values), max(ends[1], *values), step if fits else 1
