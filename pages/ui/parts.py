"""What an exploratory question was taken apart into: round by round, what each part found and what of it was new."""

from itertools import groupby

import streamlit as st

from core.model import Asked, Decomposition, SearchResult
from pages.ui import cards, hits
from pages.ui.safe import html, plain
from pages.ui.sentences import said
from pages.ui.text import TEXT, t


def section(result: SearchResult) -> None:
    """Draw the parts that were asked, and how else the question could have been taken apart."""
    if result.decompose_problem:
        st.warning(f"**{t('parts.problem')}** {plain(said(result.decompose_problem))}", icon=":material/warning:")
    if not result.asked:
        return
    used, *others = result.decompositions
    head = t("parts", kind=t(f"parts.{used.kind}"), by=_by(used))
    colours = hits.tones(result)
    rounds = "".join(
        f'<div class="t-round"><span class="t-dim">{html(t("parts.round", n=number))}</span>'
        f'<div class="t-asks">{"".join(_asked(one, colours[one.sub_query.text]) for one in group)}</div></div>'
        for number, group in groupby(result.asked, key=lambda one: one.round)
    )
    st.html(
        f'<div class="t-parts"><div class="t-parts-head"><b>{html(head)}</b> <span class="t-dim">'
        f"{html(said(result.classified.reason))}</span></div>{rounds}{''.join(map(_other, others))}</div>"
    )


def _asked(one: Asked, tone: str) -> str:
    found = t("parts.found", n=one.found, new=one.new)
    return (
        f'<span class="t-ask">{cards.dot(tone)}<span>{html(one.sub_query.text)}</span>'
        f'<span class="t-dim">{html(_why(one.sub_query.why))} · {html(found)}</span></span>'
    )


def _why(why: str) -> str:
    """What part of the question this is: a word of the table, with what it is about behind a colon."""
    name, _, about = why.partition(": ")
    key = f"part.{name.replace(' ', '_')}"
    known = t(key) if key in TEXT else name
    if not about:
        return known
    aspect = f"part.aspect.{about.replace(' ', '_')}"
    return t("part.about", part=known, about=t(aspect) if aspect in TEXT else about)


def _other(way: Decomposition) -> str:
    asks = "".join(
        f'<span class="t-ask"><span>{html(sub_query.text)}</span><span class="t-dim">{html(_why(sub_query.why))}</span></span>'
        for sub_query in way.sub_queries
    )
    label = html(t("parts.other", by=_by(way)))
    return f'<details><summary>{label}</summary><div class="t-asks">{asks}</div></details>'


def _by(way: Decomposition) -> str:
    return t("parts.by_rules") if way.by == "rules" else way.by
