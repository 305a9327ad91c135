"""What an exploratory question was taken apart into: round by round, what each part found and what of it was new."""

from itertools import groupby

import streamlit as st

from core.messages import message
from core.model import Asked, Decomposition, SearchResult
from pages.ui.search import hits
from pages.ui.shared import cards
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import said, t

KINDS = {
    "comparison": message("a comparison"),
    "list": message("a list"),
    "summary": message("a summary"),
    "relation": message("a relation"),
}


def section(result: SearchResult) -> None:
    """Draw the parts that were asked, and how else the question could have been taken apart."""
    if result.decompose_problem:
        st.warning(
            f"**{t('The language model failed, so the question is broken down by rules.')}** {plain(said(result.decompose_problem))}",
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
        f"{html(said(result.classified.reason))}</span></div>{rounds}{''.join(map(_other, others))}</div>"
    )


def _asked(one: Asked, tone: str) -> str:
    found = t("{n} found, {new} new", n=one.found, new=one.new)
    return (
        f'<span class="t-ask">{cards.dot(tone)}<span>{html(one.sub_query.text)}</span>'
        f'<span class="t-dim">{html(said(one.sub_query.why))} · {html(found)}</span></span>'
    )


def _other(way: Decomposition) -> str:
    asks = "".join(
        f'<span class="t-ask"><span>{html(sub_query.text)}</span><span class="t-dim">{html(said(sub_query.why))}</span></span>'
        for sub_query in way.sub_queries
    )
    label = html(t("Another way to break it down, {by}", by=_by(way)))
    return f'<details><summary>{label}</summary><div class="t-asks">{asks}</div></details>'


def _by(way: Decomposition) -> str:
    return t("by rules") if way.by == "rules" else way.by
