"""An answer by a language model, with marks that show how closely each sentence follows the notes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Unpack

import streamlit as st

from core.model import MARKS, Answer, SearchOptions, Sentence
from pages.ui.shared import cards, rendered, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t, text_of

_LOOK = 0.4
"""Seconds between two updates of an answer that is being written."""
_FOR = "written_for"
"""Session key for the subject of this tab's answer: a question or a thread."""


def begin(
    subject: str,
    text: str,
    thread: str = "",
    *,
    typed: str = "",
    **options: Unpack[SearchOptions],
) -> None:
    """Start writing an answer in this tab for a subject, which is a question or a thread."""
    if workspace.threads.start(text, thread, typed=typed, **options):
        st.session_state[_FOR] = subject
    st.rerun()


def is_for(subject: str) -> bool:
    """Return whether the newest answer is for this subject and was started in this tab."""
    return st.session_state.get(_FOR) == subject == workspace.threads.latest_subject


def live() -> None:
    """Draw the answer and update it while it is being written; redraw the whole page at its end."""
    running = workspace.jobs.running("answer")

    @st.fragment(run_every=_LOOK if running else None)
    def part() -> None:
        if running and not workspace.jobs.running("answer"):
            st.rerun()
        job, answer = workspace.jobs.find("answer"), workspace.threads.latest
        if job and job.error:
            widgets.problem(job.error)
        if running and not (answer and answer.written):
            st.caption(f":material/hourglass_top: {t('The language model is reading the hits…')}")
        if answer:
            _answer(answer)
        if running:
            stop = workspace.jobs.cancel
            widgets.button(t("Stop"), "stop_answer", "stop_circle", on_click=stop, args=("answer",))

    part()


def _answer(answer: Answer) -> None:
    writing = answer.writing
    if writing and writing.problem:
        st.warning(plain(text_of(writing.problem)), icon=":material/warning:")
    elif line := answer.explanation:
        st.caption(f":material/help: {plain(text_of(line))}")
    if writing is None:
        return
    if answer.written:
        with st.container(border=True, key="written", gap="xsmall"):
            head(writing.model)
            sentences(answer.written, {quote.number: quote.text for quote in answer.quotes})
            shown = reworded(answer.written)
            for quote in answer.quotes:
                address = cards.address(quote, answer.query, (quote.start, quote.end))
                source(quote.number, cards.place(quote), quote.text if quote.number not in shown else "", address)
            if writing.stopped:
                small_print("Stopped. The text written so far is kept.")
    if writing.ended:
        task, material = writing.sent
        with st.expander(t("What was sent"), icon=":material/outbox:"):
            passages = json.loads(material)["passages"]
            listed = "".join(f"<li>{html(passage['place'])}</li>" for passage in passages)
            st.html(
                f'<div class="t-small">{html(t("These passages, the question and the task were sent to the model:"))}</div>'
                f'<ol class="t-small">{listed}</ol>'
            )
            st.code(f"{task}\n\n{material}", language=None, wrap_lines=True, height=300)


def head(model: str) -> None:
    st.caption(f":material/edit_note: {plain(t('Written by {model}, checked against your notes', model=model))}")


def sentences(written: Iterable[Sentence], quotes: Mapping[int, str]) -> None:
    """Draw sentences with their citations and marks; below reworded sentences, their quotes with the differences."""
    drawn = "".join(_sentence(sentence, quotes) for sentence in written)
    st.html(f'<div class="t-answer t-written">{drawn}</div>')


def _sentence(sentence: Sentence, quotes: Mapping[int, str]) -> str:
    numbers = "".join(f" <b>[{number}]</b>" for number in sentence.citations)
    tag = f'<span class="t-tag">{html(text_of(MARKS[sentence.mark]))}</span>'
    if why := sentence.explanation:
        tag += f' <span class="t-small">{html(text_of(why))}</span>'
    text = rendered.mark(sentence.text, sentence.marks)
    below = ""
    if sentence.mark == "in_other_words":
        for number in sentence.citations:
            spans = sorted((start, end) for of, start, end in sentence.quote_marks if of == number)
            below += f'<div class="t-cited t-small">{_quoted(quotes.get(number, ""), spans)}</div>'
    return f'<p class="t-{sentence.mark}">{text}{numbers} {tag}</p>{below}'


def reworded(written: Iterable[Sentence]) -> set[int]:
    """Return the numbers of the quotes shown below reworded sentences."""
    return {number for item in written if item.mark == "in_other_words" for number in item.citations}


def source(number: int, place: str, quote: str, address: Mapping[str, str]) -> None:
    """Draw the link to a quote's place, and the quote; `quote` is "" if it is already shown below a sentence."""
    st.page_link("notes.py", label=plain(f"[{number}] {place}"), query_params=dict(address))
    if quote:
        st.html(quote_html(quote))


def quote_html(quote: str) -> str:
    """Return a quote as HTML."""
    return f'<div class="t-cited t-small">{_quoted(quote)}</div>'


def _quoted(quote: str, marks: Sequence[tuple[int, int]] = ()) -> str:
    return f"“{rendered.render_text(quote, marks)}”"
