"""What was understood of a question, as chips: its level, which can be chosen, and its parts, which can be taken away."""

from typing import get_args

import streamlit as st

from core.model import Level, SearchResult, Term
from core.workspace import SearchOptions
from pages.ui import asking, searchoptions
from pages.ui.safe import plain
from pages.ui.sentences import said
from pages.ui.text import t

ICONS = {"simple": "search", "focused": "filter_alt", "exploratory": "account_tree"}


def chips(text: str, result: SearchResult, options: SearchOptions) -> None:
    """Draw the level with its reason, the parts of the question that narrow it, and the filters beside it."""
    with st.container(horizontal=True, vertical_alignment="center", key="chips"):
        _level(result, chosen=options["level"] != "auto")
        for term in narrowing(result):
            st.button(
                plain(called(term)),
                key=f"term_{term.start}",
                icon=":material/close:",
                icon_position="right",
                help=t("chip.remove"),
                on_click=asking.put,
                args=(asking.without(text, term.start, term.end),),
            )
        for key in searchoptions.FILTERS:
            for number, name in enumerate(st.session_state[key]):
                st.button(
                    plain(filter_called(key, name)),
                    key=f"drop_{key}_{number}",
                    icon=":material/close:",
                    icon_position="right",
                    help=t("chip.remove"),
                    on_click=searchoptions.drop_filter,
                    args=(key, name),
                )


def _level(result: SearchResult, *, chosen: bool) -> None:
    levels = {name: t(f"level.{name}") for name in get_args(Level)}
    name = levels[result.classified.level]

    def choose() -> None:
        searchoptions.choose("level", st.session_state["level_chip"])

    st.menu_button(
        t("chip.level.chosen", level=name) if chosen else t("chip.level", level=name),
        list(levels),
        format_func=levels.__getitem__,
        key="level_chip",
        icon=f":material/{ICONS[result.classified.level]}:",
        help=plain(said(result.classified.reason)),
        on_click=choose,
    )


def narrowing(result: SearchResult) -> list[Term]:
    """Return the parts of the question that narrow it: all but its plain words."""
    return [term for term in result.understood.terms if term.kind != "words"]


def called(term: Term) -> str:
    """Return what a part of a question is called on the screen."""
    if term.kind == "phrase":
        return f"“{term.value}”"
    if term.kind == "excluded":
        return t("chip.without", value=term.value)
    if not term.field:
        return term.value  # a time as it was spoken of
    name = t(f"field.{term.field}")
    return t("chip.not" if term.negated else "chip.is", field=name, value=term.value)


def filter_called(key: str, name: str) -> str:
    """Return what a filter beside the question is called."""
    field = t("field.base") if key == searchoptions.FILTERS[0] else t("field.tag")
    return t("chip.is", field=field, value=name)
