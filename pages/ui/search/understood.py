"""The understood question as chips: its level, to choose another, and its parts, to remove them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import get_args

import streamlit as st

from core.base.messages import message
from core.model import NOTE_FIELDS, Filters, Level, SearchResult, Term, day_of, on_clock
from pages.ui.search import options, question_box
from pages.ui.shared import knobs, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, text_of

FIELDS = {field.typed[0]: field.noun for field in NOTE_FIELDS.values() if field.typed} | {
    "in": message("title or path"),
    "path": message("path"),
    "section": message("section"),
    "has": message("has"),
    "like": message("like"),
    "page": message("page"),
    "kind": message("kind of document"),
    "use": message("use"),
    "created": message("created"),
    "updated": message("updated"),
    "base": message("base"),
    "after": message("from"),
    "before": message("before"),
}
ICONS = {"simple": "search", "focused": "filter_alt", "exploratory": "account_tree"}


def chips(text: str, result: SearchResult) -> None:
    """Draw the level with its reason, the parts of the question that narrow it, and the filters next to it."""

    def chip(label: str, key: str, act: Callable[..., None], *values: object) -> None:
        about = t("Search without it")
        widgets.button(plain(label), key, "close", icon_position="right", help=about, on_click=act, args=values)

    _level(result, chosen=result.settings.level != "auto")
    for term in narrowing(result):
        rest = question_box.without(text, term.start, term.end)
        chip(called(term, result.understood.filters), f"term_{term.start}", question_box.put, rest)
    for key in options.FILTERS:
        for number, name in enumerate(st.session_state[key]):
            chip(filter_called(key, name), f"drop_{key}_{number}", options.drop_filter, key, name)


def _level(result: SearchResult, *, chosen: bool) -> None:
    levels = {name: knobs.shown("level", name) for name in get_args(Level)}
    name = levels[result.classified.level]

    def choose() -> None:
        options.choose("level", st.session_state["level_chip"])

    label = t("{level} (your choice)", level=name) if chosen else name
    about = plain(text_of(result.classified.reason))
    widgets.menu(label, levels, "level_chip", ICONS[result.classified.level], help=about, on_click=choose)


def narrowing(result: SearchResult) -> list[Term]:
    """Return the parts of the question that narrow it: all but the plain words."""
    return [term for term in result.understood.terms if term.kind not in ("words", "emphasis")]


def called(term: Term, filters: Filters) -> str:
    """Return the name of a part of a question on the screen; a time in words also tells its days."""
    if term.kind == "phrase":
        return f"“{term.value}”"
    if term.kind == "excluded":
        return t("without {value}", value=term.value)
    if not term.field:
        last = filters.before - timedelta(days=1) if filters.before else datetime.now(UTC)
        days = (day_of(on_clock(day)) for day in (filters.after, last) if day)
        return f"{term.value} ({' – '.join(days)})"
    fields = {"field": FIELDS.get(term.field, term.field), "value": term.value}
    return t("not {field}: {value}", **fields) if term.negated else t("{field}: {value}", **fields)


def filter_called(key: str, name: str) -> str:
    """Return the name of a filter set in addition to the question."""
    field = FIELDS["base" if key == options.FILTERS[0] else "tag"]
    return t("{field}: {value}", field=field, value=name)
