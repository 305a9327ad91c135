"""The box for a question, and the page before a person asks one."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import streamlit as st

from core.errors import EmbeddingMismatch, ModelError, ProviderError, QueryError
from core.messages import message
from core.model import SearchOptions
from core.workspace import Workspace
from pages.ui.search import history, options
from pages.ui.shared import examples as sample_questions
from pages.ui.shared import links, shell, widgets
from pages.ui.shared.safe import html, marked
from pages.ui.shared.text import t, text_of


def row(workspace: Workspace, bases: list[str]) -> tuple[str | None, SearchOptions]:
    """Draw the box, the history and the options; return the question, None without one, and the options."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="ask_row"):
        text = _question()
        history.popover(workspace, text or "")
        chosen = options.popover(workspace, bases)
    if text is not None and st.session_state.get("as_typed") == text:
        chosen["as_typed"] = True
    return text, chosen


def put(text: str) -> None:
    """Ask a question from the next run on; for callbacks."""
    st.session_state["q"] = st.session_state["asked"] = text.strip()


def without(text: str, start: int, end: int) -> str:
    """Return a question without a part of it; a space separates the rest."""
    return f"{text[:start].rstrip()} {text[end:].lstrip()}".strip()


def _question() -> str | None:
    """Draw the box and return the question; one in the address is asked at once."""
    if (linked := links.arrived("q")) is not None:
        put(linked)
        st.session_state["new_question"] = linked.strip()
    with st.form("ask", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        typed = widgets.text_box(t("Ask a question or type a few words"), "q", persist_state="session")
        if st.form_submit_button(t("Search"), type="primary", icon=":material/search:"):
            st.session_state["asked"] = st.session_state["new_question"] = typed.strip()
            if not typed.strip():
                return ""
    question: str = st.session_state.get("asked", "")
    links.say("q", question)
    return question or None


def remember(workspace: Workspace, text: str) -> None:
    """Record a question that was just typed or came by a link, and has been answered."""
    if st.session_state.pop("new_question", "") == text:
        workspace.history.remember(text)


@contextmanager
def problems(text: str) -> Iterator[None]:
    """Show the place of an error in a question, or the error of a model, and offer a search without it."""
    try:
        yield
    except QueryError as error:
        if error.at is None:
            raise
        shell.problem(error)
        _misplaced(text, *error.at, field=str(error.message.fields.get("nearest", "")))
    except (EmbeddingMismatch, ModelError, ProviderError) as error:
        if st.session_state["mode"] == "keyword":
            raise
        shell.problem(error)
        by_words = partial(options.choose, "mode", "keyword")
        widgets.button(t("Search by words"), "by_keyword", "match_word", on_click=by_words)


def _misplaced(text: str, start: int, end: int, field: str) -> None:
    st.html(f'<div class="t-asked">{marked(text, [(start, end)], css="t-wrong")}</div>')
    with st.container(horizontal=True):
        if field:
            mended = f"{text[:start]}{field}:{text[start:end].partition(':')[2]}{text[end:]}"
            about = t("Use {field}", field=f"{field}:")
            widgets.button(about, "use_field", "spellcheck", type="primary", on_click=put, args=(mended,))
        if text[:start].endswith((":", "：")):
            start = max(map(text[:start].rfind, " ")) + 1  # a field's name means nothing without its value
        if rest := without(text, start, end):
            widgets.button(t("Search without it"), "leave_out", "backspace", on_click=put, args=(rest,))


def nothing_yet() -> None:
    """Say that there are no notes, and link to the ways to get some."""
    st.info(t("There is nothing to search yet."), icon=":material/search_off:")
    widgets.import_links()


def examples(samples: bool) -> None:
    """Draw the forms of a question; with the sample notes, also questions that they answer."""
    st.caption(t("Ask in your own words, in Chinese or English; the words needn't be those of the note."))
    if samples:
        sample_questions.links()
    rows = "".join(
        f"<tr><td><code>{html(text_of(form))}</code></td><td>{html(text_of(more))}</td></tr>" for form, more in FORMS
    )
    st.html(f'<table class="t-table t-forms">{rows}</table>')


FORMS = (
    (message('"exact phrase"'), message("stands in the text as it is")),
    (message("-word"), message("without this word")),
    (message("tag:rust"), message("the note's tag; also type:, category:, project:, status:")),
    (message("in:backup"), message("in the title or path")),
    (message("section:install"), message("in a heading")),
    (message("path:work/"), message("below a folder")),
    (message("has:code"), message("with code")),
    (message("last 30 days"), message("changed then; also after:2026-01-31, before:2026")),
    (message("zip vs tar"), message("is broken down and asked part by part")),
)
"""The syntax of a question: an example of each form, and its meaning."""
