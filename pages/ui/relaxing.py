"""Where nothing was found: what to leave out or to change, one click each."""

from collections.abc import Callable

import streamlit as st

from core.model import SearchResult, Term
from core.workspace import SearchOptions, Workspace
from pages.ui import asking, searchoptions, understood
from pages.ui.safe import plain
from pages.ui.text import t

TAGS = 8
"""Tags that are named where another was asked for."""


def no_hits(workspace: Workspace, text: str, result: SearchResult, options: SearchOptions) -> None:
    """Say that nothing was found, and offer what would find more."""
    words = bool(result.understood.text)
    st.warning(t("search.no_hits" if words else "notes.none.found"), icon=":material/search_off:")
    _no_such_tag(workspace, result)
    with st.container(horizontal=True, key="relax"):
        for term in understood.narrowing(result):
            rest = asking.without(text, term.start, term.end)
            if rest:
                _offer(f"term_{term.start}", _undone(term), "close", asking.put, rest)
        for key in searchoptions.FILTERS:
            for number, name in enumerate(st.session_state[key]):
                label = t("relax.without", term=plain(understood.filter_called(key, name)))
                _offer(f"{key}_{number}", label, "close", searchoptions.drop_filter, key, name)
        if st.session_state["score_threshold"]:
            _offer("threshold", t("relax.threshold"), "close", searchoptions.choose, "score_threshold", 0.0)
        if result.mode == "keyword" and options.get("mode") == "keyword":
            _offer("mode", t("relax.mode"), "psychology", searchoptions.choose, "mode", "auto")
    if words:
        st.caption(t("search.relax.loading" if "model_loading" in result.notices else "search.relax.words"))


def _undone(term: Term) -> str:
    if term.kind == "excluded":
        return t("relax.with", value=plain(term.value))
    return t("relax.without", term=plain(understood.called(term)))


def _no_such_tag(workspace: Workspace, result: SearchResult) -> None:
    """Say of tags that are asked for and that no note has, and which there are."""
    tags = workspace.tags()
    known = {tag.casefold() for tag in tags}
    values = [
        value
        for condition in result.understood.filters.conditions
        if condition.field == "tag" and not condition.negated
        for value in condition.values
    ]
    for value in values:
        if value.casefold() not in known:
            often = sorted(tags, key=lambda tag: -tags[tag])[:TAGS]
            said = t("relax.no_tag", tag=value, tags=", ".join(often)) if often else t("relax.no_tags", tag=value)
            st.caption(plain(said))


def _offer(key: str, label: str, icon: str, act: Callable[..., None], *values: object) -> None:
    st.button(label, key=f"relax_{key}", icon=f":material/{icon}:", on_click=act, args=values)
