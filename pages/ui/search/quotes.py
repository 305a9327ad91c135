"""The box above the hits: the sentences, rows and lines of the notes that answer a question."""

import re
from functools import partial

import streamlit as st

from core.model import REFUSED, Answer, Quote, SearchResult, bar_line
from core.workspace import Workspace
from pages.ui.search import question_box
from pages.ui.shared import cards, rendered
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, text_of

_FENCE = re.compile(r"(?m)^[ \t>]*(?:`{3,}|~{3,}).*\n?")


def box(workspace: Workspace, result: SearchResult) -> Answer | None:
    """Draw the quotes that surely answer a question, each with its place; nothing for a word or a title.

    Where the notes don't answer it, a line says so. Return the answer where one can be written.
    """
    if "model_loading" in result.notices:
        return None
    answer = workspace.answers.to_question(result)
    if answer is None:
        return None
    workspace.answers.start_measuring(answer)
    about = plain(text_of(bar_line(answer.bar)))
    if answer.refused:
        st.caption(f":material/help: {plain(text_of(REFUSED))}", width="content", help=about)
        return None
    if not answer.sure:
        return answer
    if question_box.is_first("answer", answer.query):
        workspace.uses.answered(answer)
    with st.container(border=True, key="answer", gap="xsmall"):
        st.caption(f":material/format_quote: {plain(t('From your notes'))}", width="content", help=about)
        lead = ""
        for quote in answer.quotes:
            _quote(quote, result.query, above=lead)
            lead = quote.lead
    return answer


def _quote(quote: Quote, asked: str, *, above: str) -> None:
    """Draw a quote with its number, and the link to its place; its lead only where that isn't the one above."""
    with st.container(key=f"quote_{quote.number}", gap="xxsmall"):
        st.html(
            f'<div class="t-answer">{_lead(quote) if quote.lead != above else ""}<div class="t-quote">{_text(quote)}</div></div>'
        )
        place = " › ".join([quote.note.title, *cards.section(quote.note, quote.chunk)])
        address = {
            "note": quote.note.id,
            "chunk": str(quote.chunk.index),
            "at": f"{quote.start}-{quote.end}",
            "q": asked,
        }
        st.page_link("notes.py", label=plain(f"[{quote.number}] {place}"), query_params=address)


def _lead(quote: Quote) -> str:
    return f'<div class="t-lead">{_drawn(quote.lead)}</div>' if quote.lead and quote.kind != "row" else ""


def _text(quote: Quote) -> str:
    if quote.kind == "code":
        return _code(quote.text)
    if quote.kind == "row" and quote.lead:
        return _row(quote)
    return _drawn(quote.text)


_drawn = partial(rendered.whole)


def _code(text: str) -> str:
    """Return the sentence before a block of code as prose, and its lines without the fence."""
    fence = _FENCE.search(text)
    before, lines = (text[: fence.start()], _FENCE.sub("", text[fence.start() :])) if fence else ("", text)
    return f'{_drawn(before) if before.strip() else ""}<pre class="t-code">{html(lines.rstrip())}</pre>'


def _row(quote: Quote) -> str:
    """Return a row with the header of its table as pairs."""
    heads, cells = (_cells(line) for line in (quote.lead, quote.text))
    heads += [""] * (len(cells) - len(heads))
    pairs = (
        f'<span class="t-dim">{_drawn(head)}</span> {_drawn(cell)}' for head, cell in zip(heads, cells, strict=False)
    )
    return ' <span class="t-dim">·</span> '.join(pairs)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip(" \t>").strip("|").split("|")]
