"""The parts of a question that was broken down: round by round, with the counts of all and of new hits."""

from itertools import groupby

import streamlit as st

from core.messages import message
from core.model import Asked, Decomposition, SearchResult
from pages.ui.search import hits
from pages.ui.shared import cards
from pages.ui.shared.safe import folded, html, plain
from pages.ui.shared.text import t, text_of

KINDS = {
    "comparison": message("a comparison"),
    "list": message("a list"),
    "summary": message("a summary"),
    "relation": message("a relation"),
}


def section(result: SearchResult) -> None:
    """Draw the parts of the question, and the other ways to break it down."""
    if result.decompose_problem:
        st.warning(
            f"**{t('The language model failed, so the question is broken down by rules.')}** {plain(text_of(result.decompose_problem))}",
            icon=":material/warning:",
        )
    if not result.asked:
        return
    used, *others = result.decompositions
    head = t("Broken down: {kind}, {by}", kind=KINDS[used.kind], by=_by(used))
    colours = hits.tones(result)
    rounds = "".join(
        f'<div class="t-round"><span class="t-dim">{html(t("Round {n}", n=number))}</span>'
        f'<div class="t-asks">{"".join(_asked(one, colours[one.sub_query.text]) for one in group)}</div></div>'
        for number, group in groupby(result.asked, key=lambda one: one.round)
    )
    st.html(
        f'<div class="t-parts"><div class="t-parts-head"><b>{html(head)}</b> <span class="t-dim">'
        f"{html(text_of(result.classified.reason))}</span></div>{rounds}{''.join(map(_other, others))}</div>"
    )


def _asked(one: Asked, tone: str) -> str:
    counts = t("{n} found, {new} new", n=one.found, new=one.new)
    return (
        f'<span class="t-ask">{cards.dot(tone)}<span>{html(one.sub_query.text)}</span>'
        f'<span class="t-dim">{html(text_of(one.sub_query.why))} · {html(counts)}</span></span>'
    )


def _other(way: Decomposition) -> str:
    asks = "".join(
        f'<span class="t-ask"><span>{html(sub_query.text)}</span><span class="t-dim">{html(text_of(sub_query.why))}</span></span>'
        for sub_query in way.sub_queries
    )
    return folded(t("Another way to break it down, {by}", by=_by(way)), f'<div class="t-asks">{asks}</div>')


def _by(way: Decomposition) -> str:
    return t("by rules") if way.by == "rules" else way.by
