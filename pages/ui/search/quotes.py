"""The box above the hits: the excerpts of the notes that answer a question, each with its strongest part marked."""

import re
from collections.abc import Iterator
from itertools import pairwise

import streamlit as st

from core.model import Answer, Quote, SearchResult
from core.workspace import Workspace
from pages.ui.search import question_box
from pages.ui.shared import cards, rendered
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, text_of

_FENCE = re.compile(r"(?m)^[ \t>]*(?:`{3,}|~{3,}).*\n?")


def box(workspace: Workspace, result: SearchResult) -> Answer | None:
    """Draw the quotes that probably answer a question, each with its place; nothing for a word or a title.

    A caption replaces them where the notes don't answer it. Return the answer to a question.
    """
    if "model_loading" in result.notices:
        return None
    answer = workspace.answers.to_question(result)
    if answer is None:
        return None
    workspace.answers.start_measuring(answer)
    if line := answer.explanation:
        about = plain(text_of(answer.threshold.explanation))
        st.caption(f":material/help: {plain(text_of(line))}", width="content", help=about)
    elif answer.likely:
        if question_box.is_first("answer", answer.query):
            workspace.uses.answered(answer)
        _box(answer)
    return answer


def _box(answer: Answer) -> None:
    icon, title = ("format_quote", t("From your notes")) if answer.sure else ("help", t("Possible answer"))
    about = plain(text_of(answer.threshold.explanation))
    with st.container(border=True, key="answer" if answer.sure else "answer_perhaps", gap="xsmall"):
        st.caption(f":material/{icon}: {plain(title)}", width="content", help=about)
        before = None
        for quote in answer.quotes:
            _quote(quote, answer.query, before)
            before = quote


def _quote(quote: Quote, query: str, before: Quote | None) -> None:
    """Draw a quote and the link to its place; what it shares with the quote before it isn't repeated."""
    lead = quote.lead if before is None or quote.lead != before.lead else ""
    is_same = before is not None and quote.note.id == before.note.id
    place = [*([] if is_same else [quote.note.title]), *cards.section(quote.note, quote.chunk)]
    with st.container(key=f"quote_{quote.number}", gap="xxsmall"):
        st.html(f'<div class="t-answer">{_lead(lead, quote)}<div class="t-quote">{_text(quote)}</div></div>')
        at = "-".join(map(str, quote.marked_place))
        address = {"note": quote.note.id, "chunk": str(quote.chunk.index), "at": at, "q": query}
        label = " › ".join(place) or quote.note.title
        st.page_link("notes.py", label=plain(f"[{quote.number}] {label}"), query_params=address)


def _lead(lead: str, quote: Quote) -> str:
    return f'<div class="t-lead">{rendered.render_text(lead)}</div>' if lead and quote.kind != "row" else ""


def _text(quote: Quote) -> str:
    if quote.kind == "code":
        return _code(quote.text)
    if quote.kind == "row" and quote.lead:
        return "<br>".join(_rows(quote))
    return rendered.render_text(quote.text, sentence=quote.marked)


def _code(text: str) -> str:
    """Return the sentence before a block of code as prose, and its lines without the fence."""
    fence = _FENCE.search(text)
    before, lines = (text[: fence.start()], _FENCE.sub("", text[fence.start() :])) if fence else ("", text)
    return f'{rendered.render_text(before) if before.strip() else ""}<pre class="t-code">{html(lines.rstrip())}</pre>'


def _rows(quote: Quote) -> Iterator[str]:
    """Yield each row of a table as its cells with quiet column names, those of the strongest part marked."""
    heads = _cells(quote.lead)
    ends = [match.end() for match in re.finditer(r"\n|\Z", quote.text)]
    for start, end in pairwise([0, *ends]):
        cells = _cells(quote.text[start:end])
        if not any(cells):
            continue
        names = heads + [""] * (len(cells) - len(heads))
        row = ' <span class="t-dim">·</span> '.join(
            f'<span class="t-dim">{rendered.render_text(name)}</span> {rendered.render_text(cell)}'
            for name, cell in zip(names, cells, strict=False)
            if cell
        )
        yield f'<span class="t-near">{row}</span>' if start < quote.marked[1] and quote.marked[0] < end else row


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip(" \t\n>").strip("|").split("|")]
