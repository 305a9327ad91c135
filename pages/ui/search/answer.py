"""Run a search and show the parsed question, the answer, the hits, and the reasons why notes aren't among the hits."""

import time
from collections import Counter
from contextlib import nullcontext
from functools import partial
from typing import get_args

import streamlit as st
from streamlit import container, session_state
from streamlit import html as draw_html
from streamlit.delta_generator import DeltaGenerator

from core.base.errors import QueryError, UnknownChoice
from core.base.frozen import TextValues
from core.base.messages import Message, message_table, plural
from core.model import (
    LOST,
    NOT_NARROWING,
    NOTICES,
    Filters,
    LostAt,
    NoteSummary,
    Notice,
    Prepared,
    SearchOptions,
    SearchResult,
    Thread,
)
from pages.ui.search import hits, question_box, quotes, threads, understood
from pages.ui.shared import cards, links
from pages.ui.shared.jobs import redraw_after
from pages.ui.shared.knobs import NO_RERANKER, QUICK, value_label
from pages.ui.shared.names import search_mode
from pages.ui.shared.safe import facts, html, plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, join_facts, small_print, t, t_plural, text_of
from pages.ui.shared.widgets import (
    Dialog,
    begin_with,
    caption,
    chunk_link,
    code,
    copy_button,
    download,
    on_demand,
    row,
    select,
    small,
    text_input,
)

# Candidates that were dropped, and the reason why a given note isn't a hit.

# Maximum number of dropped candidates to show per search stage.
SHOWN = 15
# Maximum number of notes to list. If there are more, the user has to type part of the name first.
LISTED = 300


def _draw_dropped(prepared: Prepared, options: SearchOptions) -> None:
    result = workspace.searching.answer(
        workspace.searching.prepare(prepared.typed, options | {"explain": True, "wait": False}, like=prepared)
    )
    if not result.lost:
        small_print("Every passage that was considered is among the hits.")
        return
    marks = partial(workspace.searching.marks, question=result.understood.text)
    several = len({hit.note.base_id for hit in result.hits}) > 1
    counted = Counter(item.stage for item in result.lost)
    small_print(
        "Passages that were considered but aren't among the hits, grouped by the step at which they dropped out."
    )
    for stage in filter(counted.__getitem__, get_args(LostAt)):
        rows = ""
        for hit in sorted((item.hit for item in result.lost if item.stage == stage), key=lambda hit: hit.rank)[:SHOWN]:
            place = f"{hit.note.base} › {cards.place(hit)}" if several else cards.place(hit)
            rows += (
                f'<div class="t-fell"><div><span class="t-dim">{hit.rank}</span> {html(place)}</div>'
                f"{cards.lines(hit.note, hit.chunk, marks(hit.chunk.text))}{cards.stages(hit.scores)}</div>"
            )
        if counted[stage] > SHOWN:
            rows += f'<div class="t-dim t-small">{t_html("and {n} more", n=counted[stage] - SHOWN)}</div>'
        draw_html(
            f'<div class="t-lost"><div class="t-lost-head"><b>{html(LOST[stage])}</b> '
            f'<span class="t-dim">{counted[stage]:,}</span></div>{rows}</div>'
        )


def why_not(text: str, options: SearchOptions) -> None:
    """Draw a collapsed note selector, and the reason why the chosen note isn't among the hits."""

    def draw() -> None:
        card = _note()
        if not card:
            return
        why = workspace.searching.why_not(text, card.id, **options)
        stage = text_of(LOST[why.stage]) if why.stage else t("This note is among the hits")
        draw_html(
            f'<div class="t-reason chosen"><b>{html(stage)}</b>{html(why.message)}</div>{cards.stages(why.scores)}'
        )
        if why.chunk:
            place = " › ".join([why.note.title, *cards.section(why.note, why.chunk)])
            excerpt = cards.lines(why.note, why.chunk, workspace.searching.marks(why.chunk.text, text))
            draw_html(f'<div class="t-fell"><div>{html(place)}</div>{excerpt}</div>')
            chunk_link(why.note.id, why.chunk.index)

    on_demand("Why not this note?", "why_not_box", "contact_support", draw)


def _note() -> NoteSummary | None:
    notes = workspace.notes.all()
    if len(notes) > LISTED:
        typed = text_input("Part of the note's title or path", "why_not_part", icon=":material/filter_alt:").strip()
        if not typed:
            return None
        notes = workspace.notes.all(text=typed)[:LISTED]
    texts = {card.id: f"{card.title} · {card.path}" if card.path else card.title for card in notes}
    begin_with("why_not_note", texts, None)
    chosen = select("The note", texts, "why_not_note", index=None, placeholder=t("Choose the note you expected"))
    return next((card for card in notes if card.id == chosen), None)


# The answer written by a language model, with its thread, or the button that requests the answer.


def section(text: str, options: SearchOptions) -> None:
    """Show the answer written by a language model, or the button that requests it.

    Show nothing if no language model is set up or the workspace is read-only.
    """
    if workspace.readonly or not workspace.settings.llm.is_set_up:
        return
    if thread := _thread(text):
        threads.in_place(thread, text)
        return
    own = threads.is_answer_for(text)
    busy = workspace.jobs.running("answer")
    if own:  # the answer is being written or has failed
        threads.draw_live()
    label = t("Try again") if own else t("Write an answer")
    if not (own and busy) and small(
        label,
        "write_answer",
        "edit_note",
        help=(
            t("Another answer is being written.")
            if busy
            else t("Your language model writes the answer from these hits.")
        ),
        disabled=busy,
    ):
        threads.begin_answer(text, text, **options)


def _thread(text: str) -> Thread | None:
    """Return the thread that began with an answer written to this question in this session, or None."""
    known: TextValues = session_state.setdefault("thread_of_question", {})
    latest = workspace.threads.latest_thread
    if latest and threads.is_answer_for(text) and not workspace.jobs.running("answer"):
        known[text] = latest
    if text not in known:
        return None
    try:
        return workspace.threads.get(known[text])
    except UnknownChoice:  # the thread was deleted
        del known[text]
        return None


# Notices that say which model is missing. They replace the general notice in a search result.
ABOUT_MODELS = message_table(
    {
        "model_failed": "The model can't be used, so these hits were found by keyword only.",
        "reranker_loading": (
            "The model for reranking is still loading, so the hits are in their initial order. The hits will "
            "refresh when the model is ready."
        ),
    }
)


# Seconds without typing before a language model chooses among the hits, in addition to the text box's own delay.
PAUSE = 1.5
# Seconds between checks on whether the user is still typing.
SLICE = 0.05
_LOADING = ("warm", "warm_reranker", "warm_images")
_INDEXING = ("import", "embed")
# Notices of searches that may find more later.
_INCOMPLETE = {"model_loading", "model_away", "index_damaged", "pictures_loading", "unfinished", "no_notes"}
CONTEXT = Dialog("context_of")
BUDGETS = (500, 1000, 2000, 4000, 8000, 16_000)


def draw(text: str, options: SearchOptions, *, several: bool) -> None:
    """Run the search for a question and draw the result. If the full search is slow, draw preliminary hits first."""
    now = options | {"wait": False}
    # Use separate containers, so that elements that come and go don't move those below.
    with row(key="earlier_questions"):
        address = question_box.draw_earlier(text)
    top = row(key="chips")
    with container(key="answer_sides"):
        narrowing, hit_side = st.columns([2, 9], gap="medium")
    before = hit_side.empty()
    answer = hit_side.empty()
    question = (text, repr(sorted(options.items(), key=lambda item: item[0])))
    try:
        prepared = workspace.searching.prepare(text, now)
    except QueryError:
        links.set_values(address)
        raise
    chooses = prepared.asks_model
    slow = (chooses or prepared.query.settings.reranker not in QUICK) and session_state.get("reranked") != question
    waiting = None
    early = _at_once(prepared, now) if slow else None
    if early:
        with top:
            understood.chips(text, early)
            waiting = st.empty()
        doing = t("The language model is choosing…") if chooses else t("Reranking the best hits…")
        waiting.caption(f":material/hourglass_top: {_count(early)} · {doing}")
        answer.empty()
        with before.container():
            hits.draw_preliminary(early, base=several)
    if question_box.is_typing() and chooses:
        pause = st.empty()
        for _ in range(round(PAUSE / SLICE)):
            time.sleep(SLICE)
            pause.empty()  # the run ends here if the user has typed more
    links.set_values(address)
    with nullcontext() if early else busy("Searching…"):
        workspace.start_healing()
        result = hits.search_wider(prepared, now)
    if "model_loading" not in result.notices:
        session_state["reranked"] = question
        if question_box.is_first("hits", text):
            workspace.uses.found(result, options.get("filters"))
    question_box.remember(text)
    _mark(text, result, options)
    if not early:
        with top:
            understood.chips(text, result)
    fields = understood.collect_facets(result, now) if result.hits and result.confident else {}
    before.empty()
    if waiting:
        waiting.empty()
    with narrowing:
        understood.drawer(result, fields)
    with answer.container():
        _summary(prepared, result, top, narrow=bool(fields))
        _hits(prepared, result, options, several=several)


def _mark(text: str, result: SearchResult, options: SearchOptions) -> None:
    """Record whether the page says that no note answers a question, unless the search leaves out notes or isn't complete.

    A question that was unanswered stays so until it is answered for certain.
    """
    narrowed = options["filters"] != Filters() or any(
        term.kind not in NOT_NARROWING for term in result.understood.terms
    )
    if narrowed or result.pictures or {*result.notices} & _INCOMPLETE or not question_box.is_first("marked", text):
        return
    answer = workspace.answers.to_question(result)
    if answer is None or answer.denied or answer.is_sure:
        workspace.searches.mark([text], unanswered=answer is not None and answer.denied)


def _at_once(prepared: Prepared, options: SearchOptions) -> SearchResult | None:
    """Return the result of a search without reranking, or None if no hit is close or the question is invalid."""
    first = options | {"reranker": NO_RERANKER, "choose": False}
    try:
        result = workspace.searching.answer(workspace.searching.prepare(prepared.typed, first, like=prepared))
    except QueryError:
        return None
    return result if result.hits and result.confident else None


def _hits(prepared: Prepared, result: SearchResult, options: SearchOptions, *, several: bool) -> None:
    text = prepared.typed
    understood.section(result)
    hits.draw_pictures(result)
    if result.hits:
        first = container()
        answer = quotes.box(result)
        if not (answer.quotes if answer else result.confident):
            understood.offer_expired(text, result)
        if answer and answer.may_be_written:
            with first:
                section(text, options)
        if answer and answer.quotes and not _thread(text):
            question_box.draw_follow_up(text, options)
        hits.draw_hits(text, result, base=several, answer=answer)
        if result.confident:
            hits.more_button(result)
    elif result.pictures:
        return
    else:
        understood.draw_suggestions(text, result)
        understood.offer_expired(text, result)
    options = options | {"limit": result.settings.limit}
    on_demand("Also considered", "lost_box", "filter_list_off", lambda: _draw_dropped(prepared, options))
    why_not(text, options)


def _count(result: SearchResult) -> str:
    count = t(
        "{hits} in {notes}",
        hits=t_plural("{n} hit", "{n} hits", n=len(result.hits)),
        notes=t_plural("{n} note", "{n} notes", n=len({hit.note.id for hit in result.hits})),
    )
    count = f"{count} · {search_mode(result)}"
    if not result.pictures:
        return count
    seen = t_plural("{n} picture", "{n} pictures", n=len(result.pictures))
    return f"{seen} · {count}" if result.hits else seen


def _summary(prepared: Prepared, result: SearchResult, top: DeltaGenerator, *, narrow: bool) -> None:
    """Show the number of hits, how they were found and sorted, the actions on all hits, and the notices."""
    # If the query is a question, the answer box already shows whether the notes answer it.
    close = not result.hits or result.confident or workspace.answers.asks(result)
    about = [
        t(
            "{level}: {reason}",
            level=value_label("level", result.classified.level),
            reason=result.classified.reason,
        ),
        t("{ms} ms", ms=round(result.took_ms)),
        t("reranked: {name}", name=value_label("reranker", result.reranker)) if result.reranker else "",
        t("cached") if result.cached else "",
    ]
    with top:
        st.caption(
            plain(_count(result))
            if close or result.pictures
            else f":material/search_off: {plain(t('Nothing similar was found. The closest hits:'))}",
            width="stretch",
            help=plain(join_facts(about)),
        )
        if result.hits:
            st.caption(t("Legend"), width="content", help=cards.legend(parts=bool(result.asked)))
        if narrow:
            small("Filters", "facets_toggle", "filter_list", understood.toggle)
        if result.hits and close:  # the passages found, as text to paste into an assistant's prompt
            CONTEXT.draw_with_button(
                t("For an assistant"),
                "context_open",
                "content_copy",
                prepared.typed,
                partial(_passages, prepared),
                type="tertiary",
                help="The passages and their sources as one block of text to paste into a prompt",
            )
    if result.rerank_problem:
        st.warning(
            f"**{t('The hits are in their initial order.')}** {plain(result.rerank_problem)}",
            icon=":material/warning:",
        )
    hits.draw_choice(result)
    for word, nearest in result.spelled.items():
        with row(key=f"spelled_{word}"):
            caption(
                t("No note contains '{word}', so '{nearest}' was searched for as well.", word=word, nearest=nearest),
                "spellcheck",
                width="content",
            )
            small(
                "Search for exactly this", f"as_typed_{word}", "undo", session_state.update, {"as_typed": result.query}
            )
    for notice in result.notices if result.hits or "pictures_loading" in result.notices else ():
        st.info(text_of(_notice(result, notice)), icon=":material/info:")
    question_box.draw_fields(result.query, result.understood.colons)
    if {"model_loading", "pictures_loading"} & {*result.notices} and not any(
        job.state == "failed" for job in map(workspace.jobs.find, _LOADING) if job
    ):
        redraw_after(*_LOADING)


def _notice(result: SearchResult, notice: Notice) -> Message:
    """Return a notice's text. It says how long indexing will take, if known, or which model is loading or failed."""
    # The estimated seconds until indexing ends. There are none if they are unknown or nothing is being indexed.
    left = [job.left for job in map(workspace.jobs.find, _INDEXING) if job and job.state == "running" and job.left]
    if notice == "unfinished" and left:
        return plural(
            "Some notes are not indexed yet and can be found only by keyword. Answers will improve in about "
            "{n} minute.",
            (
                "Some notes are not indexed yet and can be found only by keyword. Answers will improve in "
                "about {n} minutes."
            ),
            n=max(1, round(max(left) / 60)),
        )
    if notice != "model_loading":
        return NOTICES[notice]
    if result.mode in ("semantic", "hybrid"):
        return ABOUT_MODELS["reranker_loading"]
    warm = workspace.jobs.find("warm")
    return ABOUT_MODELS["model_failed"] if warm and warm.state == "failed" else NOTICES[notice]


def _passages(prepared: Prepared) -> None:
    default = workspace.settings.search.context_tokens
    session_state.setdefault("context_budget", default)
    budget = st.select_slider(
        t("Length limit"),
        sorted({*BUDGETS, default}),
        format_func="{:,}".format,
        key="context_budget",
        persist_state="session",
    )
    context = workspace.searching.context(prepared, budget)
    texts = [
        t("{n} of {budget} tokens", n=context.tokens, budget=context.budget),
        t_plural("{n} passage", "{n} passages", n=len(context.citations)),
        t_plural("{n} left out (not enough space)", "{n} left out (not enough space)", n=context.left_out)
        if context.left_out
        else "",
    ]
    draw_html(facts(texts))

    def copied() -> None:
        workspace.clicks.note("cite", prepared.typed, [(citation.note.id, "") for citation in context.citations])

    def downloaded() -> None:
        workspace.uses.cited(prepared.typed, context)
        copied()

    with row():
        copy_button("Copy for an assistant", context.text, "context_copy", copied if workspace.clicks.enabled else None)
        download(
            t("Download"),
            context.text,
            "context.md",
            "text/markdown",
            "context_download",
            "download",
            disabled=not context.text,
            on_click=downloaded,
        )
    code(context.text, height=min(420, 80 + 24 * context.text.count("\n")))
