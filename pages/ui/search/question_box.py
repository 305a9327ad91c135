"""The box for a question, and the page before a person asks one."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import streamlit as st

from core.base.errors import EmbeddingMismatch, ModelError, ProviderError, QueryError
from core.base.messages import message
from core.model import SearchOptions
from core.workspace import Workspace
from pages.ui.search import history, options, threads
from pages.ui.shared import examples, links, shell, widgets
from pages.ui.shared.safe import html, marked, plain
from pages.ui.shared.text import t, text_of


def row(workspace: Workspace, bases: list[str]) -> tuple[str | None, SearchOptions]:
    """Draw the box, the history and the options; return the question, None without one, and the options."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="ask_row"):
        text = _question()
        history.button(workspace, text or "")
        chosen = options.button(workspace, bases)
        with st.popover(t("Search tips"), icon=":material/help:", key="search_tips"):
            _tips()
    options.panel(workspace, bases)
    if text is not None and st.session_state.get("as_typed") == text:
        chosen["as_typed"] = True
    return text, chosen


def put(text: str) -> None:
    """Ask a question from the next run on; for callbacks."""
    st.session_state["q"] = st.session_state["asked"] = text.strip()
    threads.close()


def without(text: str, start: int, end: int) -> str:
    """Return a question without a part of it; a space separates the rest."""
    return f"{text[:start].rstrip()} {text[end:].lstrip()}".strip()


def _question() -> str | None:
    """Draw the box and return the question, which comes from the address or from typing."""
    if (linked := links.arrived("q")) is not None:
        put(linked)
        history.DIALOG.close()
        st.session_state.update(new_question=linked.strip(), draft="")
    about = t("Ask a question or type a few words")
    icon = ":material/search:"
    widgets.text_box(about, "q", icon=icon, live="200ms", on_change=_typed, persist_state="session")
    question: str = st.session_state.get("asked", "")
    if not question:
        links.say("q", "")
    return question or None


def _typed() -> None:
    text = st.session_state["q"].strip()
    st.session_state.update(asked=text, new_question=text, typing=True)
    threads.close()


def is_typing() -> bool:
    """Return once whether the question was just typed, so that the person may still be typing."""
    return bool(st.session_state.pop("typing", False))


def is_first(what: str, text: str) -> bool:
    """Return whether something of a question is drawn for the first time since another question."""
    drawn: dict[str, str] = st.session_state.setdefault("drawn_of", {})
    before, drawn[what] = drawn.get(what), text
    return before != text


def remember(workspace: Workspace, text: str) -> None:
    """Record an answered question if it is new, in place of its beginning that was recorded while it was typed."""
    if st.session_state.pop("new_question", "") != text:
        return
    draft: str = st.session_state.get("draft", "")
    past = {search.query: search for search in workspace.searches.all()}
    if draft and draft != text and (text.startswith(draft) or draft.startswith(text)) and draft in past:
        workspace.searches.delete_for_good(draft)
    workspace.searches.add(text)
    st.session_state["draft"] = "" if text in past else text


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
    """Draw that there are no notes, and the ways to get some."""
    st.html(
        f'<div class="t-empty"><b>{html(t("There is nothing to search yet"))}</b>'
        f"<span>{html(t('Import a folder of notes, or try it with samples.'))}</span></div>"
    )
    if widgets.button(t("Get notes"), "get_notes", "folder_open", type="primary"):
        st.switch_page("home.py")


def start(workspace: Workspace) -> None:
    """Draw what a person can do before the first question: ask again, or try one."""
    left, right = st.columns(2, gap="large")
    past = workspace.searches.all(RECENT)
    with left, st.container(key="recent", gap="xxsmall"):
        st.html(f'<div class="t-caption">{html(t("Recent questions"))}</div>')
        for search in past:
            icon = ":material/bookmark:" if search.name else ":material/history:"
            _ask_again(search.name or search.query, search.query, icon)
        if not past:
            st.caption(t("Your recent questions appear here."))
        threads.listed(workspace, RECENT)
    with right, st.container(key="examples", gap="xxsmall"):
        st.html(f'<div class="t-caption">{html(t("For example"))}</div>')
        for label, text in examples.questions(workspace).items():
            _ask_again(label, text, ":material/arrow_outward:")
    st.html(
        f'<div class="t-keys">{html(t("Press / anywhere to search, the arrows to choose a hit, Enter to open it."))}</div>'
    )


def _tips() -> None:
    """Draw the forms of a question, each with its meaning."""
    rows = "".join(
        f"<tr><td><code>{html(text_of(form))}</code></td><td>{html(text_of(more))}</td></tr>" for form, more in FORMS
    )
    st.html(f'<table class="t-table t-forms">{rows}</table>')


def _ask_again(label: str, question: str, icon: str) -> None:
    st.page_link("search.py", label=plain(label), icon=icon, query_params={"q": question}, width="stretch")


RECENT = 5
"""Questions that the empty page offers of each kind."""

FORMS = (
    (message('"exact phrase"'), message("exactly these words")),
    (message("-word"), message("without this word")),
    (message("tag:rust"), message("the note's tag; also type:, category:, project:, scope:, status:")),
    (message("priority:>=2"), message("important notes; also priority:1..3, status:expired")),
    (message("in:backup"), message("in the title or path")),
    (message("section:install"), message("in a heading")),
    (message("path:work/"), message("below a folder")),
    (message("has:code"), message("with code")),
    (message("like:photo.png"), message("pictures like this one; has:image whiteboard for those that show one")),
    (message("author:Kim"), message("a property of the note; has:author for any")),
    (message("last 30 days"), message("changed then; also after:2026-01-31, before:2026")),
    (message("zip vs tar"), message("is broken down and asked part by part")),
)
"""The syntax of a question: an example of each form, and its meaning."""
