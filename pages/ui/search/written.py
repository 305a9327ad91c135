"""The answer that a language model writes: its sentences as they come, each with its quotes or marked as unproven."""

import json
from collections.abc import Iterable, Mapping

import streamlit as st

from core.model import NOT_IN_NOTES, Answer, Quote, Sentence, WrittenAnswer
from core.workspace import Workspace
from pages.ui.shared import cards, rendered, shell, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, text_of

_LOOK = 0.4
"""Seconds between two looks at an answer that is written."""
_FOR = "written_for"
"""What the answer of this tab is for: a question, or a thread."""


def begin(workspace: Workspace, subject: str, text: str, thread: str = "", **more: object) -> None:
    """Begin an answer that this tab shows at a subject."""
    if workspace.threads.start(text, thread, **more):
        st.session_state[_FOR] = subject
    st.rerun()


def is_for(workspace: Workspace, subject: str) -> bool:
    """Return whether the newest answer is one that this tab began for a subject."""
    return st.session_state.get(_FOR) == subject == workspace.threads.latest_subject


def live(workspace: Workspace) -> None:
    """Draw the answer that is written, again while it is, and the whole page once it has ended."""
    running = workspace.jobs.running("answer")

    @st.fragment(run_every=_LOOK if running else None)
    def part() -> None:
        if running and not workspace.jobs.running("answer"):
            st.rerun()
        job, answer = workspace.jobs.find("answer"), workspace.threads.latest
        if job and job.error:
            shell.problem(job.error)
        if running and not (answer and answer.written):
            st.caption(f":material/hourglass_top: {t('The language model reads the hits…')}")
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
            sentences(answer.written)
            for quote in answer.quotes:
                _source(quote, answer.query)
            if writing.stopped:
                st.caption(t("Stopped. What was written stays."))
    if writing.ended:
        _sent(writing)


def head(model: str) -> None:
    st.caption(f":material/edit_note: {plain(t('Written by {model}, checked against your notes', model=model))}")


def sentences(written: Iterable[Sentence]) -> None:
    """Draw sentences with their numbers; one that isn't in the notes says so, and why."""
    st.html(f'<div class="t-answer t-written">{"".join(map(_sentence, written))}</div>')


def _sentence(sentence: Sentence) -> str:
    why = sentence.explanation
    if why is None:
        return f"<p>{html(sentence.text)} <b>{''.join(f'[{number}]' for number in sentence.citations)}</b></p>"
    mark = f'<span class="t-tag">{html(text_of(NOT_IN_NOTES))}</span> <span class="t-small">{html(text_of(why))}</span>'
    return f'<p class="t-unproven">{html(sentence.text)} {mark}</p>'


def _source(quote: Quote, asked: str) -> None:
    place = " › ".join([quote.note.title, *cards.section(quote.note, quote.chunk)])
    address = {"note": quote.note.id, "chunk": str(quote.chunk.index), "at": f"{quote.start}-{quote.end}", "q": asked}
    source(quote.number, place, quote.text, address)


def source(number: int, place: str, quote: str, address: Mapping[str, str]) -> None:
    """Draw the link to the place of a quote, and the quote."""
    st.page_link("notes.py", label=plain(f"[{number}] {place}"), query_params=dict(address))
    st.html(cited(quote))


def cited(quote: str) -> str:
    """Return a quote as HTML."""
    return f'<div class="t-cited t-small">“{rendered.whole(quote)}”</div>'


def _sent(writing: WrittenAnswer) -> None:
    """Draw what the model was sent."""
    task, material = writing.sent
    with st.expander(t("What was sent"), icon=":material/outbox:"):
        passages = json.loads(material)["passages"]
        listed = "".join(f"<li>{html(passage['place'])}</li>" for passage in passages)
        st.html(
            f'<div class="t-small">{html(t("These passages, the question and the task went to the model:"))}</div>'
            f'<ol class="t-small">{listed}</ol>'
        )
        st.code(f"{task}\n\n{material}", language=None, wrap_lines=True, height=300)
