"""The answer box above the hits, which quotes notes that answer the question and highlights the best parts."""

import re
from collections.abc import Iterator
from dataclasses import replace
from textwrap import dedent

import streamlit as st
from streamlit import container

from core.base.fences import split_fences
from core.base.flow import named_cells
from core.base.text import link_address
from core.model import ANSWERED, Answer, Quote, SearchResult, day_of
from pages.ui.notes.files import page_file
from pages.ui.search.question_box import is_first
from pages.ui.shared import cards, widgets
from pages.ui.shared.rendered import render_text
from pages.ui.shared.safe import Span, html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t
from pages.ui.shared.widgets import copy_button, download, frame, small, titled_link, toggled, toggling

# Indentation that makes a line code unless it is in an admonition or a list item.
_INDENT = "    "
# A closing fence and the first line below it that isn't blank, both indented.
_BELOW_FENCE = re.compile(rf"{_INDENT}.*\n(?:[ \t]*\n)*{_INDENT}")
_ADMONITION = "!!! note\n"
_NEAR = '<span class="t-near">'
_MORE = "more_of_the_answer"


def box(result: SearchResult) -> Answer | None:
    """Show the quotes that answer a question, and return the answer.

    If the query is only a word or a title, or no model is loaded yet, show nothing and return None.
    """
    if "model_loading" in result.notices:
        return None
    answer = workspace.answers.to_question(result)
    if answer is None:
        return None
    if line := answer.explanation:
        st.markdown(f":material/{'help' if answer.quotes else 'search_off'}: **{plain(line)}**")
    if answer.quotes:
        if is_first("answer", answer.query):
            workspace.uses.answered(answer)
        _box(answer)
    return answer


def _box(answer: Answer) -> None:
    sure = answer.answered == "yes"
    more = f"{_MORE} {answer.query}"
    unfolded = more in toggled()
    with frame("answer" if sure else "answer_perhaps", gap="xsmall"):
        with widgets.row(key="answer_head"):
            icon = "format_quote" if sure else "help"
            st.caption(f":material/{icon}: {plain(ANSWERED[answer.answered])}", width="content")
            copy_button("Copy", "\n\n".join(map(as_markdown, answer.at_first)), "copy_answer")
            download(
                "",
                page_file(answer.query, as_page(answer)),
                "answer.html",
                "text/html",
                "save_answer",
                "download",
                type="tertiary",
                help=t("Save as a web page to print or share"),
            )
            if unfolded or answer.has_more:
                label, fold = (t("Less"), "unfold_less") if unfolded else (t("More"), "unfold_more")
                small(label, "more_of_answer", fold, toggling(more))
        before = None
        for quote in answer.quotes if unfolded else answer.at_first:
            quote = replace(quote, shown=(0, len(quote.text))) if unfolded else quote
            _quote(quote, answer.query, before, dated=answer.disagree)
            before = quote


def as_markdown(quote: Quote) -> str:
    """Return the highlighted part of a quote as a Markdown block quote, followed by its source.

    The source is the note's title and section titles, with a link to the note's file if there is one.
    """
    said = "\n".join(f"> {line}".rstrip() for line in quote.readable(quote.marked).splitlines())
    label = re.sub(r"[\[\]\\]", r"\\\g<0>", cards.place(quote))
    return f"{said}\n\n[{label}]({link_address(quote.note.path)})" if quote.note.path else f"{said}\n\n{label}"


def as_page(answer: Answer) -> str:
    """Return the body of an HTML page with the question, the quotes that are visible initially, and their sources."""
    quoted = (
        f"<blockquote>{_lead(quote.shown_lead, quote)}{_text(quote)}{cards.definitions(quote.definitions)}</blockquote>"
        f'<p class="undrawn">{html(cards.place(quote))}</p>'
        for quote in answer.at_first
    )
    return f"<h1>{html(answer.query)}</h1>{''.join(quoted)}"


def _quote(quote: Quote, query: str, before: Quote | None, *, dated: bool) -> None:
    """Show the visible part of a quote, and a link to its source.

    The quote's introductory text and the note's title are left out if they are the same as for `before`, the previous
    quote. If `dated` is True, the link includes the day of the note's last change.
    """
    lead = "" if before and quote.shown_lead == before.shown_lead else quote.shown_lead
    title = [] if before and quote.note.id == before.note.id else [quote.note.title]
    place = [*title, *cards.section(quote.note, quote.chunk)]
    with container(key=f"quote_{quote.number}", gap="xxsmall"):
        st.html(
            f'<div class="t-answer">{_lead(lead, quote)}<div class="t-quote">{_text(quote)}</div>'
            f"{cards.definitions(quote.definitions)}</div>"
        )
        label = " › ".join(place) or quote.note.title
        day = f" · {day_of(quote.note.updated_at)}" if dated and quote.note.updated_at else ""
        titled_link("notes.py", f"[{quote.number}] {label}{day}", **cards.address(quote, query, quote.marked_place))
        if quote.chunk.edited:
            small_print("You edited this passage on the Chunks page. This is the text of the note itself.")


def _lead(lead: str, quote: Quote) -> str:
    return f'<div class="t-lead">{render_text(lead)}</div>' if lead and quote.kind != "row" else ""


def _text(quote: Quote) -> str:
    start, _ = quote.shown
    text = quote.flowing(quote.shown)
    marked = quote.marked[0] - start, quote.marked[1] - start
    if (header := quote.header(quote.shown)) is not None:
        return "<br>".join(_rows(text, header, marked))
    # In an admonition or a list item, the first line lacks the indentation of the other lines.
    line = quote.before(quote.shown).rpartition("\n")[2]
    above = f"{_ADMONITION}{line}" if len(line) >= len(_INDENT) and line.isspace() else ""
    shown = ""
    for is_code, first, last in split_fences(text, quote.fence(quote.shown)):
        part = text[first:last]
        near = marked[0] - first, marked[1] - first
        if is_code or (part == text and quote.kind == "code"):
            shown += _code(part, is_marked=near[0] < len(part) and near[1] > 0)
        elif part.strip():
            shown += render_text(above + part, sentence=(near[0] + len(above), near[1] + len(above)))
        above = _ADMONITION if _BELOW_FENCE.match(text, last) else ""
    _, end = quote.shown
    goes_on = quote.kind == "passage" and quote.fence((end, end))
    return f'{shown}<div class="t-dim">…</div>' if goes_on else shown


def _code(text: str, *, is_marked: bool) -> str:
    """Return lines of code as HTML, without the indentation that they share and without blank lines at both ends."""
    code = html(dedent(text).strip("\n").rstrip())
    return f'<pre class="t-code">{f"{_NEAR}{code}</span>" if is_marked else code}</pre>' if code else ""


def _rows(text: str, header: str, marked: Span) -> Iterator[str]:
    """Yield each row of a table as HTML, with column names before the cells. Rows in the span `marked` are marked."""
    for line in re.finditer(r"[^\n]+", text):
        # Bars around a cell keep a dash or a number from becoming a list.
        if row := " · ".join(render_text(f"| {cell} |").strip() for cell in named_cells(line[0], header)):
            yield f"{_NEAR}{row}</span>" if line.start() < marked[1] and marked[0] < line.end() else row
