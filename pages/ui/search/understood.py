"""The parsed question with its filters and sub-queries, facets that narrow it, and suggestions if nothing is found."""

import re
from collections.abc import Sequence
from datetime import timedelta
from itertools import groupby

import streamlit as st
from streamlit import container, session_state

from core.base.datetimes import utc_now
from core.base.messages import message, message_table, verbatim
from core.model import (
    FACETS,
    NOT_NARROWING,
    NOTE_FIELDS,
    WITH_EXPIRED,
    Decomposition,
    Facet,
    Filters,
    SearchOptions,
    SearchResult,
    SubQueryResult,
    Term,
    day_of,
    expired_notes,
    on_clock,
)
from pages.ui.search import hits, question_box
from pages.ui.search.question_box import put, without_term
from pages.ui.shared import cards
from pages.ui.shared.knobs import NO_RERANKER, QUICK
from pages.ui.shared.names import field_value
from pages.ui.shared.safe import folded, html, plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import sentences, t, text_of, with_note
from pages.ui.shared.widgets import Action, bound, button, caption, close, expander, pills, row, small, warn

# The sub-queries of a decomposed question by round, each with its number of hits and of new hits.

HEADS = message_table(
    {
        "comparison": "Compared: {parts}",
        "list": "Listed: {parts}",
        "summary": "Everything about: {parts}",
        "relation": "How they relate: {parts}",
    }
)
# How many of the first sub-queries name the question's subjects, keyed by the kind of decomposition.
#
# This applies to decompositions by rules. For any other kind, all sub-queries name subjects.
THINGS = {"list": 1, "summary": 1, "relation": 2}


def section(result: SearchResult) -> None:
    """Show the sub-queries into which the question was decomposed, and alternative decompositions."""
    if result.decompose_problem:
        st.warning(
            f"**{t('The language model failed, so the question was broken down by rules.')}** {plain(result.decompose_problem)}",
            icon=":material/warning:",
        )
    if not result.asked:
        return
    used, *others = result.decompositions
    texts = [sub_query.text for sub_query in used.sub_queries]
    head = text_of(
        HEADS[used.kind], parts=hits.join_texts(texts[: THINGS.get(used.kind)] if used.by == "rules" else texts)
    )
    colours = hits.tones(result)
    rounds = "".join(
        f'<div class="t-round"><span class="t-dim">{t_html("Round {n}", n=number)}</span>'
        f'<div class="t-asks">{"".join(_subquery_line(asked, colours[asked.text]) for asked in group)}</div></div>'
        for number, group in groupby(result.asked, key=lambda asked: asked.round)
    )
    why = sentences([text_of(result.classified.reason), t("Broken down {by}.", by=_by(used))])
    details = f'<div class="t-dim">{html(why)}</div>{rounds}{"".join(map(_draw_other_ways, others))}'
    st.html(f'<div class="t-parts"><b>{html(head)}</b>{folded(t("Details"), details)}</div>')


def _subquery_line(asked: SubQueryResult, tone: str) -> str:
    counts = t("{n} found, {new} new", n=asked.found, new=asked.new)
    return (
        f'<span class="t-ask">{cards.dot(tone)}<span>{html(asked.text)}</span>'
        f'<span class="t-dim">{html(asked.why)} · {html(counts)}</span></span>'
    )


def _draw_other_ways(way: Decomposition) -> str:
    asks = "".join(
        f'<span class="t-ask"><span>{html(sub_query.text)}</span><span class="t-dim">{html(sub_query.why)}</span></span>'
        for sub_query in way.sub_queries
    )
    return folded(t("Another way to break down the question, {by}", by=_by(way)), f'<div class="t-asks">{asks}</div>')


def _by(way: Decomposition) -> str:
    return t("by rules") if way.by == "rules" else t("by {model}", model=way.by)


# Facets: common field values among the hits' notes. A click adds a value to the question as a filter or removes it.

TITLES = {field.typed[0]: field.title for field in NOTE_FIELDS.values() if field.is_facet} | message_table(
    {
        "base": "Base",
        "tag": "Tag",
        "folder": "Folder",
        "month": "Month",
    }
)
# Fields of the query language that filter by a facet's values, keyed by facet.
TERMS = {name: (name,) for name in FACETS} | {"folder": ("path",), "month": ("after", "before")}

# Facets by field.
Facets = dict[str, list[Facet]]
# Number of values to show for a field at first.
FEW = 5
OPEN = "facets_open"
# Characters after which a long value may wrap.
_JOINT = r"(?<=\w)[_/.](?=\w)"


def collect_facets(result: SearchResult, options: SearchOptions) -> Facets:
    """Return the facets by field, without those of weak hits.

    If the question filters by a field, count that field's facets without the filter.
    """

    def count(result: SearchResult) -> Sequence[Facet]:
        weak = {hit.chunk.id for group in hits.weak_groups(result) for hit in group}
        return workspace.searching.count_facets([hit for hit in result.hits if hit.chunk.id not in weak])

    own = count(result)
    fields = {}
    for name in TERMS:
        wider = _without_field(result, name)
        facets = own
        if wider not in ("", result.query):
            if result.settings.reranker not in QUICK:
                options = options | {"reranker": NO_RERANKER}
            facets = count(workspace.search(wider, **(options | {"choose": False})))
        if group := [facet for facet in facets if facet.field == name]:
            fields[name] = group
    return fields if any(len(group) > 1 or group[0].term in result.query for group in fields.values()) else {}


def toggle() -> None:
    """Open or close the drawer that holds the facets on narrow screens. Use this in callbacks."""
    session_state[OPEN] = not session_state.get(OPEN)


def drawer(result: SearchResult, fields: Facets) -> None:
    """Draw the facets by field, in a drawer on narrow screens. Fields with a single value are collapsed."""
    state = "open" if session_state.get(OPEN) else "shut"
    with container(key=f"drawer_{state}"), container(key="facets", gap="medium"):
        if not fields:
            return
        with container(horizontal=True, horizontal_alignment="right", key="drawer_head"):
            close("facets_close", "Close", toggle)
        single = {
            name: group for name, group in fields.items() if len(group) == 1 and group[0].term not in result.query
        }
        for name, group in fields.items():
            if name not in single:
                _field(result, name, group)
        if single:
            with expander("More", "", "facets_single"):
                for name, group in single.items():
                    _field(result, name, group)


def _field(result: SearchResult, name: str, group: Sequence[Facet]) -> None:
    whole = f"facet_all_{name}"
    chosen = next((facet.term for facet in group if facet.term in result.query), None)
    shown = {
        facet.term: plain(re.sub(_JOINT, "\\g<0>\u200b", field_value(name, facet.value)))
        for number, facet in enumerate(group)
        if number < FEW or session_state.get(whole) or facet.term == chosen
    }
    rest = _without_field(result, name) if chosen else result.query

    def narrow(term: str | None) -> None:
        put(f"{rest} {term or ''}")
        session_state[OPEN] = False

    title = TITLES[name]
    pills(title, shown, label_visibility="visible", width="stretch", **bound(f"facet_{name}", chosen, narrow))
    if more := len(group) - len(shown):
        small(message("{n} more", n=more), f"more_{name}", "", session_state.update, {whole: True})


def _without_field(result: SearchResult, name: str) -> str:
    """Return the question without the terms that limit it to values of a field."""
    text = result.query
    for term in sorted(result.understood.terms, key=lambda term: -term.start):
        if term.field in TERMS[name] and not term.negated and term.kind != "preferred":
            text = without_term(text, term.start, term.end)
    return text


# Suggestions if nothing is found: omitting a part of the question, or changing an option, with one click.

# Maximum number of existing tags to list if a question has an unknown tag.
TAGS = 8


def draw_suggestions(text: str, result: SearchResult) -> None:
    """Draw a message that nothing was found, with buttons that drop a part of the question or change an option."""
    words = bool(result.understood.text)
    warn(t("Nothing was found for this question.") if words else t("No note matches these filters."), "search_off")
    tags = workspace.vocabulary.tags()
    known = {tag.casefold() for tag in tags}
    often = sorted(tags, key=lambda tag: -tags[tag])[:TAGS]
    for condition in result.understood.filters.conditions:
        for value in condition.values if condition.field == "tag" and not condition.negated else ():
            if value.casefold() not in known:
                caption(
                    t("No note has the tag '{tag}'. Common tags: {tags}.", tag=value, tags=often)
                    if often
                    else t("No note has the tag '{tag}', because none of your notes has any tags.", tag=value)
                )
    with row("relax"):
        for term in result.understood.terms:
            rest = without_term(text, term.start, term.end)
            if rest and term.kind not in NOT_NARROWING:
                label = (
                    t("Include {value}", value=plain(term.value))
                    if term.kind == "excluded"
                    else t("Without {term}", term=plain(term_name(term, result.understood.filters)))
                )
                button(label, f"relax_term_{term.start}", "close", put, rest)
        for key in question_box.FILTERS:
            for number, name in enumerate(session_state[key]):
                button(
                    t("Without {term}", term=plain(filter_name(key, name))),
                    f"relax_{key}_{number}",
                    "close",
                    question_box.drop_filter,
                    key,
                    name,
                )
        if session_state["score_threshold"]:
            button(
                "Allow any similarity", "relax_threshold", "close", question_box.choose_option, "score_threshold", 0.0
            )
        if result.mode == "keyword" and result.settings.mode == "keyword":
            button("Search by meaning too", "relax_mode", "psychology", question_box.choose_option, "mode", "auto")
    if words:
        st.caption(
            t("The model is still loading. When it is ready, this search is repeated by meaning.")
            if "model_loading" in result.notices
            else t("Use fewer or different words.")
        )


def offer_expired(text: str, result: SearchResult) -> None:
    """Show how many expired notes were left out, and a button that includes them.

    Show nothing if there are none.
    """
    if result.expired:
        with row("expired_left_out"):
            caption(expired_notes(result.expired), "history_toggle_off", width="content")
            small("Include expired notes", "include_expired", "add", put, f"{text} {WITH_EXPIRED}")


FIELDS = {field.typed[0]: field.noun for field in NOTE_FIELDS.values() if field.typed} | message_table(
    {
        "in": "title or path",
        "path": "path",
        "section": "section",
        "has": "has",
        "like": "like",
        "page": "page",
        "kind": "kind of document",
        "url": "web address",
        "language": "language",
        "level": "heading level",
        "use": "recorded use",
        "created": "created",
        "updated": "updated",
        "base": "base",
        "after": "from",
        "before": "before",
    }
)


def chips(text: str, result: SearchResult) -> None:
    """Draw a chip for each filter in the question and in the options. Clicking a chip removes the filter."""

    def chip(label: str, key: str, act: Action, *values: object) -> None:
        button(verbatim(plain(label)), key, "close", act, *values, icon_position="right", help="Search without this")

    for term in result.understood.terms:
        if term.kind in ("words", "emphasis"):
            continue
        rest = without_term(text, term.start, term.end)
        if term.kind == "preferred":  # the term's words stay in the question
            rest = f"{text[: term.start]}\\{text[term.start :]}"
        chip(term_name(term, result.understood.filters), f"term_{term.start}", put, rest)
    for key in question_box.FILTERS:
        for number, name in enumerate(session_state[key]):
            chip(filter_name(key, name), f"drop_{key}_{number}", question_box.drop_filter, key, name)


def term_name(term: Term, filters: Filters) -> str:
    """Return a term's display text. A time in words, such as "last week", is followed by its dates."""
    if term.kind == "phrase":
        return f"“{term.value}”"
    if term.kind == "excluded":
        return t("without {value}", value=term.value)
    if term.kind == "avoided":
        return t("{value} last", value=term.value)
    if not term.field:
        last = filters.before - timedelta(days=1) if filters.before else utc_now()
        return with_note(term.value, " – ".join(day_of(on_clock(day)) for day in (filters.after, last) if day))
    fields = {"field": FIELDS.get(term.field, term.field), "value": term.value}
    if term.kind == "preferred":
        return t("{field}: {value} first", **fields)
    return t("not {field}: {value}", **fields) if term.negated else t("{field}: {value}", **fields)


def filter_name(key: str, name: str) -> str:
    """Return the display text for a filter in the options."""
    return t("{field}: {value}", field=FIELDS["base" if key == question_box.FILTERS[0] else "tag"], value=name)
