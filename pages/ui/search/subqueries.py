"""The parts of a question that was broken down: round by round, with the counts of all and of new hits."""

from itertools import groupby

import streamlit as st

from core.base.messages import message
from core.model import Decomposition, SearchResult, SubQueryResult
from pages.ui.search import hits, reasons
from pages.ui.shared import cards
from pages.ui.shared.safe import folded, html, plain
from pages.ui.shared.text import t, text_of

HEADS = {
    "comparison": message("Compared: {parts}"),
    "list": message("Listed: {parts}"),
    "summary": message("All about: {parts}"),
    "relation": message("How they relate: {parts}"),
}
THINGS = {"list": 1, "summary": 1, "relation": 2}
"""How many of the first parts by the rules name the things of a question; of a comparison all do."""


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
    head = text_of(HEADS[used.kind], parts=reasons.joined(_named(used)))
    colours = hits.tones(result)
    rounds = "".join(
        f'<div class="t-round"><span class="t-dim">{html(t("Round {n}", n=number))}</span>'
        f'<div class="t-asks">{"".join(_asked(asked, colours[asked.text]) for asked in group)}</div></div>'
        for number, group in groupby(result.asked, key=lambda asked: asked.round)
    )
    why = f"{text_of(result.classified.reason)} {t('Broken down {by}.', by=_by(used))}"
    details = f'<div class="t-dim">{html(why)}</div>{rounds}{"".join(map(_other, others))}'
    st.html(f'<div class="t-parts"><b>{html(head)}</b>{folded(t("Details"), details)}</div>')


def _named(used: Decomposition) -> list[str]:
    """Return the things that a question is about."""
    texts = [sub_query.text for sub_query in used.sub_queries]
    return texts[: THINGS.get(used.kind)] if used.by == "rules" else texts


def _asked(asked: SubQueryResult, tone: str) -> str:
    counts = t("{n} found, {new} new", n=asked.found, new=asked.new)
    return (
        f'<span class="t-ask">{cards.dot(tone)}<span>{html(asked.text)}</span>'
        f'<span class="t-dim">{html(text_of(asked.why))} · {html(counts)}</span></span>'
    )


def _other(way: Decomposition) -> str:
    asks = "".join(
        f'<span class="t-ask"><span>{html(sub_query.text)}</span><span class="t-dim">{html(text_of(sub_query.why))}</span></span>'
        for sub_query in way.sub_queries
    )
    return folded(t("Another way to break it down, {by}", by=_by(way)), f'<div class="t-asks">{asks}</div>')


def _by(way: Decomposition) -> str:
    return t("by rules") if way.by == "rules" else way.by
