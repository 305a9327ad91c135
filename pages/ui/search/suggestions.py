"""Suggestions after a search without hits: a part to leave out or an option to change, by a click."""

from collections.abc import Callable

import streamlit as st

from core.model import Filters, SearchResult, Term
from core.workspace import Workspace
from pages.ui.search import options, question_box, understood
from pages.ui.shared import widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

TAGS = 8
"""Tags to name where a question has an unknown one."""


def no_hits(workspace: Workspace, text: str, result: SearchResult) -> None:
    """Say that nothing was found, and offer wider searches."""
    words = bool(result.understood.text)
    st.warning(
        t("Nothing was found for this question.") if words else t("No note matches these filters."),
        icon=":material/search_off:",
    )
    _no_such_tag(workspace, result)
    with st.container(horizontal=True, key="relax"):
        for term in understood.narrowing(result):
            if rest := question_box.without(text, term.start, term.end):
                _offer(f"term_{term.start}", _undone(term, result.understood.filters), "close", question_box.put, rest)
        for key in options.FILTERS:
            for number, name in enumerate(st.session_state[key]):
                label = t("Without {term}", term=plain(understood.filter_called(key, name)))
                _offer(f"{key}_{number}", label, "close", options.drop_filter, key, name)
        if st.session_state["score_threshold"]:
            _offer("threshold", t("Any similarity"), "close", options.choose, "score_threshold", 0.0)
        if result.mode == "keyword" and result.settings.mode == "keyword":
            _offer("mode", t("By meaning too"), "psychology", options.choose, "mode", "auto")
    if words:
        st.caption(
            t("The model is still loading; when it is ready, this search is repeated by meaning.")
            if "model_loading" in result.notices
            else t("Use fewer or other words.")
        )


def _undone(term: Term, filters: Filters) -> str:
    if term.kind == "excluded":
        return t("With {value} too", value=plain(term.value))
    return t("Without {term}", term=plain(understood.called(term, filters)))


def _no_such_tag(workspace: Workspace, result: SearchResult) -> None:
    """Name the tags of the question that no note has, and tags of the notes."""
    tags = workspace.notes.tags()
    known = {tag.casefold() for tag in tags}
    often = sorted(tags, key=lambda tag: -tags[tag])[:TAGS]
    conditions = result.understood.filters.conditions
    wanted = [condition for condition in conditions if condition.field == "tag" and not condition.negated]
    for value in (value for condition in wanted for value in condition.values):
        if value.casefold() not in known:
            absent = (
                t("No note has the tag '{tag}'. Those there are: {tags}.", tag=value, tags=often)
                if often
                else t("No note has the tag '{tag}'; no note has any tag.", tag=value)
            )
            st.caption(plain(absent))


def _offer(key: str, label: str, icon: str, act: Callable[..., None], *values: object) -> None:
    widgets.button(label, f"relax_{key}", icon, on_click=act, args=values)
