"""The line on which a question is asked, and the page before there is one."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import EmbeddingMismatch, ModelError, ProviderError, QueryError
from core.workspace import SearchOptions, Workspace
from pages.ui import links, past, searchoptions
from pages.ui.safe import html, marked, plain
from pages.ui.sentences import said
from pages.ui.text import t


def row(workspace: Workspace, bases: list[str]) -> tuple[str | None, SearchOptions]:
    """Draw the box, the history and the options; return what is asked, None where nothing is, and how."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="ask_row"):
        text = _question()
        past.popover(workspace, text or "")
        return text, searchoptions.popover(workspace, bases)


def put(text: str) -> None:
    """Ask a question from the next run on; for callbacks."""
    st.session_state["q"] = st.session_state["asked"] = text.strip()


def without(text: str, start: int, end: int) -> str:
    """Return a question without a part of it; what stood around that is kept apart by a space."""
    return f"{text[:start].rstrip()} {text[end:].lstrip()}".strip()


def _question() -> str | None:
    """Draw the box; the address's question is asked at once."""
    if (linked := links.arrived("q")) is not None:
        put(linked)
        st.session_state["new_question"] = linked.strip()
    with st.form("ask", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input(
            t("search.box"), key="q", placeholder=t("search.box"), label_visibility="collapsed", persist_state="session"
        )
        if st.form_submit_button(t("search.go"), type="primary", icon=":material/search:"):
            st.session_state["asked"] = st.session_state["new_question"] = typed.strip()
            if not typed.strip():
                return ""
    asked: str = st.session_state.get("asked", "")
    links.say("q", asked)
    return asked or None


def remember(workspace: Workspace, text: str) -> None:
    """Record a question that was just typed or came by a link, and has been answered."""
    if st.session_state.pop("new_question", "") == text:
        workspace.remember(text)


@contextmanager
def problems(text: str, options: SearchOptions) -> Iterator[None]:
    """Show what is wrong with a question where it stands in it, or with a model, and offer to go on without it."""
    try:
        yield
    except QueryError as error:
        if error.at is None:
            raise
        st.error(plain(said(error)), icon=":material/error:")
        _misplaced(text, *error.at)
    except (EmbeddingMismatch, ModelError, ProviderError) as error:
        if options["mode"] == "keyword":
            raise
        st.error(plain(said(error)), icon=":material/error:")
        st.button(
            t("search.by_keyword"),
            key="by_keyword",
            icon=":material/match_word:",
            on_click=searchoptions.choose,
            args=("mode", "keyword"),
        )


def _misplaced(text: str, start: int, end: int) -> None:
    st.html(f'<div class="t-asked">{marked(text, [(start, end)], css="t-wrong")}</div>')
    if text[:start].endswith((":", "：")):
        start = max(map(text[:start].rfind, " 　")) + 1  # a field's name means nothing without its value
    if rest := without(text, start, end):
        st.button(t("search.leave_out"), key="leave_out", icon=":material/backspace:", on_click=put, args=(rest,))


def nothing_yet() -> None:
    """Say that there are no notes, and where they come from."""
    st.info(t("search.nothing"), icon=":material/search_off:")
    with st.container(horizontal=True):
        st.page_link("app.py", label=t("home.try"), icon=":material/play_arrow:")
        st.page_link("pages/1_notes.py", label=t("home.import"), icon=":material/folder_open:")


def examples(samples: bool) -> None:
    """Say what can be asked and how; with the sample notes, offer questions that they answer."""
    st.caption(t("search.start"))
    if samples:
        with st.container(horizontal=True, vertical_alignment="center", key="examples"):
            st.caption(t("search.try"), width="content")
            for number in (1, 2, 3):
                text = t(f"search.example.{number}")
                st.page_link("pages/3_search.py", label=text, icon=":material/arrow_outward:", query_params={"q": text})
    forms = [(t(f"language.{name}.form"), t(f"language.{name}")) for name in LANGUAGE]
    rows = "".join(f"<tr><td><code>{html(form)}</code></td><td>{html(more)}</td></tr>" for form, more in forms)
    st.html(f'<table class="t-table t-forms">{rows}</table>')


LANGUAGE = ("phrase", "without", "tag", "in", "section", "path", "code", "time", "compare")
"""What the search box understands, each with an example of its form."""
