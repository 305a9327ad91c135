"""The question box, the question history, the search options, and the page shown before the first question."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import cast

import streamlit as st
from streamlit import columns, container, session_state
from streamlit import html as draw_html

from core.base.errors import EmbeddingMismatch, ModelError, ProviderError, QueryError
from core.base.frozen import TextMap, TextValues, Values
from core.base.messages import message
from core.model import CompleteSettings, KnowledgeBase, PastSearch, SearchOptions
from pages.ui.search import threads
from pages.ui.shared import knobs, links, welcome, widgets
from pages.ui.shared.knobs import AS_SET
from pages.ui.shared.names import local
from pages.ui.shared.safe import html, marked, plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t, t_plural, text_of
from pages.ui.shared.widgets import (
    Dialog,
    begin_with,
    button,
    close,
    expander,
    frame,
    group_title,
    paragraph,
    popup,
    problem,
    select,
    small,
    text_box,
    text_input,
    titled_link,
    toggled,
    toggling,
)

# The question history, with saved questions under their names, and recent questions.

SHOWN = 12


DIALOG = Dialog("past")


def _draw_history(text: str | None) -> None:
    past = workspace.searches.all()
    saved = [search for search in past if search.name]
    last = [search for search in past if not search.name]
    if text and all(search.query != text for search in saved):

        def save() -> None:
            if name := session_state["past_name"].strip():
                workspace.searches.save(text, name)
                session_state["past_name"] = ""

        with container(horizontal=True, vertical_alignment="bottom"):
            shut = workspace.readonly
            text_input(
                "Save this question as", "past_name", placeholder=threads.short(text), max_chars=80, disabled=shut
            )
            button("Save", "past_save", "bookmark_add", save, disabled=shut)
    _draw_searches(t("Saved"), saved)
    _draw_searches(t("Recent questions"), last[:SHOWN])
    if not past:
        small_print("Your recent questions appear here.")
    with container(gap="xxsmall", key="past_answers"):
        threads.draw_links()


def _draw_searches(title: str, searches: Sequence[PastSearch]) -> None:
    if not searches:
        return
    with container(gap="xxsmall", key=f"past_rows_{bool(searches[0].name)}"):
        st.caption(title)
        for number, search in enumerate(searches):
            about = t_plural(
                "{query} ({at}, asked {n} time)",
                "{query} ({at}, asked {n} times)",
                query=search.query,
                at=local(search.at),
                n=search.times,
            )
            with widgets.row(gap="small"):
                _ask_again(search.name or threads.short(search.query), search.query, _icon(search), plain(about))
                close(
                    f"forget_{bool(search.name)}_{number}",
                    "Delete it",
                    workspace.searches.delete_for_good,
                    search.query,
                    writes=True,
                )


def row(bases: list[str]) -> tuple[str | None, SearchOptions]:
    """Draw the question box, and buttons for the history, the options and search tips.

    Return the question, or None if there is none, and the chosen options.
    """
    with container(horizontal=True, vertical_alignment="bottom", key="ask_row"):
        text = _question()
        with container(width="content"):
            DIALOG.draw_with_button(
                t("History"), "past_open", "history", (text, threads.opened_thread()), partial(_draw_history, text)
            )
        chosen = options_button(bases)
        with popup("Search tips", "help", "search_tips"):
            rows = "".join(f"<tr><td><code>{html(form)}</code></td><td>{html(more)}</td></tr>" for form, more in FORMS)
            draw_html(f'<table class="t-table t-forms">{rows}</table>')
    draw_options(bases)
    if text is not None and session_state.get("as_typed") == text:
        chosen["as_typed"] = True
    return text, chosen


def put(text: str, earlier: str = "") -> None:
    """Ask a question on the next rerun. Use this in callbacks.

    `earlier` has the questions that led to this question, one per line.
    """
    session_state["q"] = session_state["asked"] = text.strip()
    session_state[_EARLIER] = earlier
    threads.close()


def draw_earlier(text: str) -> TextMap:
    """Draw links to the earlier questions that led to this one, oldest first. Return the URL parameters of this one."""
    earlier = str(session_state.get(_EARLIER, "")).splitlines()[-_MOST_EARLIER:]
    for number, question in enumerate(earlier):
        titled_link(
            "search.py", threads.short(question), "arrow_back", **{"q": question, _EARLIER: "\n".join(earlier[:number])}
        )
    return {"q": text, _EARLIER: "\n".join(earlier)}


def draw_follow_up(text: str, options: SearchOptions) -> None:
    """Draw the box for a follow-up question. `options` are those of the search for `text`."""

    def ask() -> None:
        if typed := session_state["follow_up"].strip():
            put(
                workspace.answers.complete(typed, text, **options), f"{session_state.get(_EARLIER, '')}\n{text}".strip()
            )
            session_state.update(new_question=session_state["q"], follow_up="")

    text_box("Ask a follow-up", "follow_up", icon=":material/subdirectory_arrow_right:", on_change=ask, max_chars=1000)


def without_term(text: str, start: int, end: int) -> str:
    """Return a question with the part from `start` to `end` removed."""
    return f"{text[:start].rstrip()} {text[end:].lstrip()}".strip()


def _question() -> str | None:
    """Draw the question box. Return the question, which may come from the URL, or None if there is none."""
    if (linked := links.arrived_value("q")) is not None:
        put(linked, st.query_params.get(_EARLIER, ""))
        DIALOG.close()
        session_state.update(new_question=linked.strip(), draft="")
    text_box(
        "Ask a question or type a few words",
        "q",
        icon=":material/search:",
        live="200ms",
        on_change=_take_question,
        persist_state="session",
    )
    question: str = session_state.get("asked", "")
    if not question:
        links.set_values({"q": "", _EARLIER: ""})
    return question or None


def _take_question() -> None:
    text = session_state["q"].strip()
    session_state.update({"asked": text, "new_question": text, "typing": True, _EARLIER: ""})
    threads.close()


def is_typing() -> bool:
    """Return whether the user has just typed the question and may still be typing.

    This is True only once for each question.
    """
    return bool(session_state.pop("typing", False))


def is_first(what: str, text: str) -> bool:
    """Return whether the question `text` differs from the one in the previous call with the same `what`."""
    drawn: TextValues = session_state.setdefault("drawn_of", {})
    before = drawn.get(what)
    drawn[what] = text
    return before != text


def remember(text: str) -> None:
    """Add a new question to the history, replacing any unfinished version that was added while the user was typing."""
    if session_state.pop("new_question", "") != text:
        return
    draft: str = session_state.get("draft", "")
    past = {search.query: search for search in workspace.searches.all()}
    if draft and draft != text and (text.startswith(draft) or draft.startswith(text)) and draft in past:
        workspace.searches.delete_for_good(draft)
    workspace.searches.add(text)
    session_state["draft"] = "" if text in past else text


@contextmanager
def problems(text: str) -> Iterator[None]:
    """Show an error in the question or from a model, with a button for a search that avoids it.

    Raises any other error, and a QueryError without a position.
    """
    try:
        yield
    except QueryError as error:
        if error.at is None:
            raise
        problem(error)
        start, end = error.at
        draw_html(f'<div class="t-asked">{marked(text, [(start, end)], css="t-wrong")}</div>')
        if text[:start].endswith((":", "：")):
            start = text[:start].rfind(" ") + 1  # remove the field name as well, which means nothing without a value
        if rest := without_term(text, start, end):
            button("Search without this", "leave_out", "backspace", put, rest)
    except (EmbeddingMismatch, ModelError, ProviderError) as error:
        if session_state["mode"] == "keyword":
            raise
        problem(error)
        button("Search by keyword", "by_keyword", "match_word", choose_option, "mode", "keyword")


def draw_fields(text: str, colons: Iterable[tuple[str, str]]) -> None:
    """Draw a button that corrects each field name that the user may have misspelled.

    An unknown name before a colon is searched for as text. `colons` has each such name with the most similar field, or
    "" if no field is similar.
    """
    for name, meant in colons:
        if meant:
            field = f"{meant}:"
            small(t("Use {field}", field=field), f"use_{name}", "spellcheck", put, text.replace(f"{name}:", field))


def draw_start() -> None:
    """Draw a message that there are no notes to search yet, and a button for adding some."""
    draw_html(
        f'<div class="t-empty"><b>{t_html("There is nothing to search yet")}</b>'
        f"<span>{t_html('Import a folder of notes, or try Tessera with sample notes.')}</span></div>"
    )
    if button("Add notes", "get_notes", "folder_open", type="primary"):
        st.switch_page("home.py")


def start() -> None:
    """Show recent questions, recent threads, and example questions, for as long as nothing has been asked."""
    left, right = columns(2, gap="large")
    past = workspace.searches.all(RECENT)
    with left, container(key="recent", gap="xxsmall"):
        group_title("Recent questions")
        for search in past:
            _ask_again(search.name or search.query, search.query, _icon(search))
        if not past:
            small_print("Your recent questions appear here.")
        threads.draw_links(RECENT)
    if examples := welcome.questions():
        with right, container(key="examples", gap="xxsmall"):
            group_title("For example")
            for text in examples:
                _ask_again(text, text, "arrow_outward")
    paragraph(t("Press / anywhere to search, the arrow keys to choose a hit, and Enter to open it."), "t-keys")


def _icon(search: PastSearch) -> str:
    return "bookmark" if search.name else "history"


def _ask_again(label: str, question: str, icon: str, about: str = "") -> None:
    titled_link("search.py", label, icon, q=question, width="stretch", help=about)


# Query parameter with the earlier questions, and their maximum number. It is limited because any site can link here.
_EARLIER = "earlier"
_MOST_EARLIER = 8
# Number of recent questions, and of recent threads, to show before the first question.
RECENT = 5

# Examples of the query syntax, each with its meaning.
FORMS = (
    (message('"exact phrase"'), message("exactly these words")),
    (message("-word"), message("without this word")),
    (message("tag:rust"), message("the note's tag; also type:, category:, project:, scope:, status:")),
    (message("priority:>=2"), message("important notes; also priority:1..3, status:expired")),
    (message("in:backup"), message("in the title or path")),
    (message("section:install"), message("in a heading")),
    (message("path:work/"), message("in a folder")),
    (message("has:code"), message("with code")),
    (
        message("like:photo.png"),
        message("pictures like this one; to find pictures by what they show, write has:image whiteboard"),
    ),
    (message("author:Kim"), message("a property of the note; has:author finds notes with any author")),
    (message("last 30 days"), message("changed in that period; also after:2026-01-31, before:2026")),
    (message("zip vs tar"), message("is broken down into smaller questions, which are searched for one by one")),
)


# The search options. They default to the base's values, or to the values in the settings.

FILTERS = ("search_bases", "search_tags")
OPTIONS_OPEN = "options_open"
# Options with a widget.
#
# Until the user chooses a value, the widget shows the base's value or, by default, the value in the settings.
DRAWN = ("mode", *(name for column in knobs.OF_SEARCHES for name in column))


def options_button(bases: list[str]) -> SearchOptions:
    """Draw the button that opens and closes the options. Return the chosen options, with None for those not chosen."""
    usual = _set_up(bases)
    changed = sum(session_state[name] != knobs.value(usual, name) for name in session_state["own_options"])
    changed += session_state["reranker"] != AS_SET
    label = t("Options · {n}", n=changed) if changed else t("Options")
    button(label, "options", "tune", toggling(OPTIONS_OPEN))
    chosen: Values = {name: session_state[name] if name in session_state["own_options"] else None for name in DRAWN}
    chosen["reranker"] = None if session_state["reranker"] == AS_SET else session_state["reranker"]
    of_bases, tags = (session_state[key] for key in FILTERS)
    chosen["filters"] = workspace.searching.filters(bases=of_bases, tags=tags)
    return cast(SearchOptions, chosen)


def draw_options(bases: list[str]) -> None:
    """Draw the options if they are open. Changing an option reruns the search."""
    if OPTIONS_OPEN not in toggled():
        return
    texts = (
        (t("Knowledge bases"), t("All"), bases),
        (t("With all of these tags"), t("Any"), list(workspace.vocabulary.tags())),
    )
    with frame("options_body"):
        _draw_option("mode", offered=knobs.WAYS)
        for column, (label, none, there), key in zip(columns(2, gap="medium"), texts, FILTERS, strict=True):
            column.multiselect(label, there, key=key, placeholder=none, persist_state="session")
        with expander("Advanced", "", "advanced_options"):
            rerankers = knobs.value_labels("reranker", _chosen_base())
            begin_with("reranker", rerankers, AS_SET)
            select(
                "Rerank the best hits",
                rerankers,
                "reranker",
                help=text_of(knobs.HELPS["reranker"]),
                persist_state="session",
            )
            for column, names in zip(columns(2, gap="medium"), knobs.OF_SEARCHES, strict=True):
                with column:
                    for name in names:
                        _draw_option(name)
        if session_state["own_options"] or session_state["reranker"] != AS_SET:
            small("Reset to the defaults", "reset_options", "undo", reset_options)


def _draw_option(name: str, offered: Sequence[str] = ()) -> None:
    """Draw the widget for an option. If `offered` is given, only these values are offered."""
    knobs.draw(
        name,
        key=name,
        label=t("Weight of reranking") if name == "rerank_weight" else "",
        offered=offered,
        on_change=_mark_own,
        args=(name,),
        persist_state="session",
    )


def _mark_own(name: str) -> None:
    session_state["own_options"] = session_state["own_options"] | {name}


def reset_options() -> None:
    """Reset all options except the filters to their defaults. Use this in callbacks."""
    session_state.update(reranker=AS_SET, own_options=frozenset())


def choose_option(name: str, value: object) -> None:
    """Set an option as if the user had chosen the value. Use this in callbacks."""
    session_state[name] = value
    _mark_own(name)


def _set_up(bases: list[str]) -> CompleteSettings:
    """Set every option to a valid value in the session state, and return the default search settings.

    These are the settings of the chosen base. If no base or several bases are chosen, they are the global settings.
    """
    session_state.setdefault("own_options", frozenset())
    session_state.setdefault("reranker", AS_SET)
    of_bases, tags = (session_state.setdefault(key, []) for key in FILTERS)
    session_state[FILTERS[0]] = [name for name in of_bases if name in bases]
    if tags:
        present = workspace.vocabulary.tags()
        session_state[FILTERS[1]] = [name for name in tags if name in present]
    usual = workspace.bases.search_settings(_chosen_base())
    for name in DRAWN:
        if name not in session_state["own_options"]:
            session_state[name] = knobs.value(usual, name)
    return usual


def _chosen_base() -> KnowledgeBase | None:
    """Return the base chosen in the options, or None if no base or several bases are chosen."""
    chosen = session_state[FILTERS[0]]
    return workspace.bases.get(chosen[0]) if len(chosen) == 1 else None


def drop_filter(key: str, name: str) -> None:
    """Remove a filter that was set in the options. Use this in callbacks."""
    session_state[key] = [other for other in session_state[key] if other != name]
