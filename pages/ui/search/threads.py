"""Threads on the Search page, with questions, answers written by a language model, and follow-up questions."""

import json
from collections.abc import Iterable, Mapping
from typing import Unpack

import streamlit as st
from streamlit import container, rerun, session_state
from streamlit import html as draw_html

from core.base.frozen import TextMap
from core.model import GONE, MARKS, Answer, Cited, NoteDifference, SearchOptions, Sentence, Thread, Turn
from pages.ui.notes import history
from pages.ui.shared import cards, links, rendered, widgets
from pages.ui.shared.names import local
from pages.ui.shared.safe import Spans, elements, html, plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, small_print, t
from pages.ui.shared.widgets import (
    button,
    caption,
    code,
    errors,
    expander,
    form,
    frame,
    group_title,
    page_link,
    paragraph,
    problem,
    row,
    small,
    submit,
    text_area,
    text_input,
    titled_link,
    warn,
)

# Maximum number of threads to list.
SHOWN = 12
_LONGEST = 70
_OPEN = "open_thread"
_TYPED = "thread_typed"
_COMPLETED = "thread_completed"


def shown_thread() -> str:
    """Return the id of the open thread, or "" if there is none. A thread in the URL is opened first."""
    if (linked := links.arrived_value("thread")) is not None:
        session_state.update({_OPEN: linked, _COMPLETED: None})
    links.set_value("thread", opened_thread())
    return opened_thread()


def opened_thread() -> str:
    """Return the id of the thread open in this session, or "" if there is none."""
    return str(session_state.get(_OPEN, ""))


def close() -> None:
    """Close the open thread on the next rerun."""
    session_state[_OPEN] = ""


def short(title: str) -> str:
    """Shorten a title or question that has more than _LONGEST characters."""
    return title if len(title) <= _LONGEST else f"{title[:_LONGEST]}…"


def draw_links(most: int = SHOWN) -> None:
    """Draw links to the `most` threads with the latest answers. If there are none, draw nothing."""
    threads = workspace.threads.all()[:most]
    if not threads:
        return
    group_title("Written answers")
    for thread in threads:
        titled_link(
            "search.py",
            short(thread.title),
            "forum",
            thread=thread.id,
            help=plain(local(thread.at)),
            width="stretch",
        )


def draw(thread_id: str) -> None:
    """Show a thread's questions and answers, the answer being written, and the box for a follow-up question."""
    with errors():
        thread = workspace.threads.get(thread_id)
        with row(key="thread_bar"):
            paragraph(thread.title, "t-name", width="stretch")
            small("Keep as a note", "thread_keep", "note_add", _keep, thread, writes=True)
            small("Delete", "thread_delete", "delete", _delete, thread, writes=True)
            widgets.close("thread_close", "Close", close)
        if note := session_state.pop("thread_note", ""):
            st.success(t("Saved as a note, which waits for your approval on the Review page."), icon=":material/check:")
            page_link("notes.py", "Open the note", note=note)
        for turn in thread.turns:
            _turn(turn)
        _follow_up(thread)


def in_place(thread: Thread, question: str) -> None:
    """Draw a thread on the page of its first question, with the box for a follow-up question."""
    with errors():
        for turn in thread.turns:
            if turn.number == 1 and is_answer_for(question):
                draw_live()
            else:
                _turn(turn)
        _follow_up(thread)
        page_link("search.py", "Open the thread, or keep it as a note", "forum", thread=thread.id)


def _turn(turn: Turn) -> None:
    with frame(f"turn_{turn.number}", gap="xsmall"):
        if turn.number != 1:
            paragraph(turn.typed, "t-name")
        if turn.question != turn.typed:
            caption(t("Searched for: {question}", question=turn.question))
        _head(turn.model)
        _sentences(turn.sentences, {cited.number: cited.quote for cited in turn.citations})
        for cited in turn.citations:
            _draw_quotes(turn, cited)


def _draw_quotes(turn: Turn, cited: Cited) -> None:
    """Show a quote cited in an answer, with a link to its source.

    The quote is left out if it is shown below a reworded sentence. If the source no longer contains the quote, show
    the reason and any differences instead of the link.
    """
    place = workspace.threads.place(cited)
    if place.state in ("same", "moved"):
        quote = "" if cited.number in _reworded(turn.sentences) else cited.quote
        chunks = (item for item in workspace.chunks.all(cited.note_id) if item.start <= place.start < item.end)
        chunk = max(chunks, key=lambda item: place.end <= item.end, default=None)
        at = {"chunk": str(chunk.index), "at": f"{place.start}-{place.end}"} if chunk else {}
        _source(cited.number, place.title, quote, {"note": cited.note_id, "q": turn.question, **at})
        return
    draw_html(
        f'<div><b>[{cited.number}]</b> {html(place.title)} <span class="t-tag">{html(GONE[place.state])}</span></div>'
        f"{_quoted(cited.quote)}"
    )
    if place.pieces:
        with expander("What changed", "difference"):
            draw_html(history.words(NoteDifference(place.pieces, ())))


def _follow_up(thread: Thread) -> None:
    """Show the answer being written, and the box for a follow-up question.

    A follow-up question is first completed from the thread. The user can edit the completed question before asking it.
    """
    if not workspace.settings.llm.is_set_up or workspace.readonly:
        return
    running = workspace.jobs.running("answer")
    if is_answer_for(thread.id) and (running or len(thread.turns) <= session_state.get("thread_turns", 0)):
        draw_live()
    if running:
        return
    thread_id, completed = session_state.get(_COMPLETED) or ("", "")
    if not completed or thread_id != thread.id:
        with form("thread_form"):
            with container(horizontal=True, vertical_alignment="bottom"):
                typed = text_input("Ask a follow-up question", "thread_question", max_chars=1000).strip()
                pressed = submit("Continue", "thread_complete", "arrow_forward")
            if pressed and typed:
                with busy("Completing the question…"):
                    question = workspace.threads.complete(thread.id, typed)
                session_state.update({_TYPED: typed, _COMPLETED: (thread.id, question), "thread_asked": question})
                rerun()
        return
    asked = text_area(
        "This is the question that Tessera will search with. Edit it if you meant something else.", "thread_asked"
    ).strip()
    with row():
        go = button("Write an answer", "thread_write", "edit_note", type="primary", disabled=not asked)
        button("Back", "thread_back", "undo", session_state.update, {_COMPLETED: None})
    if go:
        session_state.update({_COMPLETED: None, "thread_turns": len(thread.turns)})
        begin_answer(thread.id, asked, thread.id, typed=session_state[_TYPED])


def _keep(thread: Thread) -> None:
    session_state["thread_note"] = workspace.threads.keep(thread.id).id


def _delete(thread: Thread) -> None:
    workspace.threads.delete_for_good(thread.id)
    close()


# The answer written by a language model. Each sentence has a mark that shows how closely it follows the notes.

# Seconds between updates of an answer being written.
_LOOK = 0.4
# Session key for the subject of the answer started in this tab: a question, or a thread's id.
_FOR = "written_for"


def begin_answer(
    subject: str,
    text: str,
    thread: str = "",
    *,
    typed: str = "",
    **options: Unpack[SearchOptions],
) -> None:
    """Start writing an answer to the question `text`, unless another answer is being written. Rerun the page.

    `subject` is the question or the id of the thread that the answer belongs to. For a follow-up question, `thread` is
    the id of its thread, and `typed` the question as the user typed it.
    """
    if workspace.threads.start(text, thread, typed=typed, **options):
        session_state[_FOR] = subject
    rerun()


def is_answer_for(subject: str) -> bool:
    """Return whether the newest answer was started in this tab and belongs to the given subject."""
    return session_state.get(_FOR) == subject == workspace.threads.latest_subject


def draw_live() -> None:
    """Show the newest answer, updating it while it is being written. Redraw the whole page when it is finished."""
    running = workspace.jobs.running("answer")

    @st.fragment(run_every=_LOOK if running else None)
    def part() -> None:
        if running and not workspace.jobs.running("answer"):
            rerun()
        job = workspace.jobs.find("answer")
        answer = workspace.threads.latest
        if job and job.error:
            problem(job.error)
        if running and not (answer and answer.written):
            caption(t("The language model is reading the hits…"), "hourglass_top")
        if answer:
            _answer(answer)
        if running:
            button("Stop", "stop_answer", "stop_circle", workspace.jobs.cancel, "answer")

    part()


def _answer(answer: Answer) -> None:
    writing = answer.writing
    if writing and writing.problem:
        warn(writing.problem)
    elif line := answer.explanation:
        caption(line, "help")
    if writing is None:
        return
    if answer.written:
        with frame("written", gap="xsmall"):
            _head(writing.model)
            _sentences(answer.written, {quote.number: quote.text for quote in answer.quotes})
            shown = _reworded(answer.written)
            for quote in answer.quotes:
                _source(
                    quote.number,
                    cards.place(quote),
                    quote.text if quote.number not in shown else "",
                    cards.address(quote, answer.query, (quote.start, quote.end)),
                )
            if writing.stopped:
                small_print("Stopped. The text written so far is kept.")
    if writing.ended:
        task, material = writing.sent
        with expander("What was sent", "outbox"):
            listed = elements((passage["place"] for passage in json.loads(material)["passages"]), "li")
            draw_html(
                f'<div class="t-small">{t_html("These passages, the question and the task were sent to the model:")}</div>'
                f'<ol class="t-small">{listed}</ol>'
            )
            code(f"{task}\n\n{material}", height=300)


def _head(model: str) -> None:
    caption(t("Written by {model}, checked against your notes", model=model), "edit_note")


def _sentences(written: Iterable[Sentence], quotes: Mapping[int, str]) -> None:
    """Draw sentences with their citations and marks.

    Below a reworded sentence, show the quote it is based on and the differences.
    """
    draw_html(f'<div class="t-answer t-written">{"".join(_sentence(sentence, quotes) for sentence in written)}</div>')


def _sentence(sentence: Sentence, quotes: Mapping[int, str]) -> str:
    numbers = "".join(f" <b>[{number}]</b>" for number in sentence.citations)
    tag = f'<span class="t-tag">{html(MARKS[sentence.mark])}</span>'
    if why := sentence.explanation:
        tag += f' <span class="t-small">{html(why)}</span>'
    text = rendered.mark(sentence.text, sentence.marks)
    below = ""
    if sentence.mark == "in_other_words":
        for number in sentence.citations:
            spans = sorted((start, end) for of, start, end in sentence.quote_marks if of == number)
            below += _quoted(quotes.get(number, ""), spans)
    return f'<p class="t-{sentence.mark}">{text}{numbers} {tag}</p>{below}'


def _reworded(written: Iterable[Sentence]) -> set[int]:
    """Return the numbers of the quotes shown below reworded sentences."""
    return {number for item in written if item.mark == "in_other_words" for number in item.citations}


def _source(number: int, place: str, quote: str, address: TextMap) -> None:
    """Draw a link to a quote's source, followed by the quote. `quote` is "" if it is already shown below a sentence."""
    titled_link("notes.py", f"[{number}] {place}", **address)
    if quote:
        draw_html(_quoted(quote))


def _quoted(quote: str, marks: Spans = ()) -> str:
    return f'<div class="t-cited t-small">“{rendered.render_text(quote, marks)}”</div>'
