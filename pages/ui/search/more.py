"""More hits of a question, after those that are shown: their order stays."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from core.model import PARTS, Hit, Prepared, SearchOptions, SearchResult
from core.workspace import Workspace
from pages.ui.shared import widgets
from pages.ui.shared.text import t

STEP = 10
"""Hits that a click adds."""
MOST = int(PARTS["limit"].most or 0)
_WANTED = "more_hits"
"""A question and how often more of its hits were wanted."""


def answer(workspace: Workspace, prepared: Prepared, options: SearchOptions) -> SearchResult:
    """Return the answer to a question with the hits that the user added."""
    result = workspace.searching.answer(prepared)
    for _ in range(_wanted(prepared.typed)):
        options = SearchOptions(**{**options, "limit": min(MOST, len(result.hits) + STEP)})
        wider = workspace.searching.prepare(prepared.typed, options, like=prepared)
        result = _behind(result.hits, workspace.searching.answer(wider))
    return result


def button(result: SearchResult) -> None:
    """Draw the button that adds the next hits, where there may be any."""
    if result.settings.limit <= len(result.hits) < MOST:
        add = partial(st.session_state.update, {_WANTED: (result.query, _wanted(result.query) + 1)})
        widgets.button(t("More hits"), "more_hits_add", "expand_more", on_click=add)


def _wanted(text: str) -> int:
    question, times = st.session_state.get(_WANTED, ("", 0))
    return times if question == text else 0


def _behind(first: Sequence[Hit], wider: SearchResult) -> SearchResult:
    """Return a wider result that begins with the hits that are there."""
    shown = {hit.chunk.id for hit in first}
    others = [hit for hit in wider.hits if hit.chunk.id not in shown]
    hits = [replace(hit, rank=rank) for rank, hit in enumerate([*first, *others], 1)]
    return replace(wider, hits=tuple(hits[: len(first) + STEP]))
