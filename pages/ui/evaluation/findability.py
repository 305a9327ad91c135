"""Can the notes of a base be found? The questions that they give are asked, and the notes that none reaches are named."""

from functools import partial

import streamlit as st

from core.model import CheckDiff, KnowledgeBase, NoteCheck
from core.workspace import Workspace
from pages.ui.evaluation import comparison
from pages.ui.shared import jobs, names, widgets
from pages.ui.shared.safe import facts, html, plain
from pages.ui.shared.text import sentences, session_language, t, t_plural, text_of

JOB = "findable"
_SHOWN = 30
"""Notes of a list."""


def section(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw the button that checks a base, and its last check."""
    about = t(
        "Asks the base questions made from its own notes: titles, headings, sentences with a gap, "
        "definitions, names in code, texts of links. It lists the notes that no question finds, and why. "
        "Takes at most a minute."
    )
    st.html(f'<div class="t-dim t-about">{html(about)}</div>')
    with widgets.row():
        shut = workspace.readonly or workspace.jobs.running(JOB)
        if widgets.button(t("Check now"), f"check_{base.id}", "manage_search", type="primary", disabled=shut):
            jobs.start(
                workspace, JOB, partial(workspace.findability.check, base.name, language=session_language()), base.name
            )
        st.toggle(
            t("After every import"),
            **widgets.bound(
                f"check_after_{base.id}", workspace.findability.after_import, workspace.findability.check_after_import
            ),
            disabled=workspace.readonly,
            help=t("Checks each base that an import changed, once its notes are indexed."),
        )
    jobs.panel(workspace, (JOB,), base.name)
    last = workspace.findability.last(base.name)
    if last is not None:
        _result(workspace, last)


def _result(workspace: Workspace, check: NoteCheck) -> None:
    def show_questions() -> None:
        comparison.compare(workspace, check.run.set_id, [check.run.id])
        st.query_params["set"] = check.run.set_name
        st.session_state["eval_view"] = "compare"

    st.html(
        facts(
            [
                t("{share} ranked first", share=f"{check.ranks.share(1):.0%}"),
                t("{share} in the first ten", share=f"{check.ranks.share():.0%}"),
                t_plural("{n} question", "{n} questions", n=check.run.asked),
                names.local(check.run.started_at),
            ]
        )
    )
    if check.left_out:
        text = t_plural(
            "There was no time for {n} question: only a part of each note's questions was tried.",
            "There was no time for {n} questions: only a part of each note's questions was tried.",
            n=check.left_out,
        )
        st.caption(text)
    if not workspace.findability.is_current(check.base):
        st.caption(t("The notes changed since. Check again to see how it is now."))
    if check.since:
        _since(check.since)
    if check.findings:
        widgets.heading(t("View these notes"))
        for finding in check.findings[:_SHOWN]:
            with widgets.row():
                widgets.note_link(finding.note_id, finding.title)
                st.caption(plain(finding.message), width="content")
        widgets.more(len(check.findings) - _SHOWN)
    else:
        st.success(t("Every note is found by a question."), icon=":material/check_circle:")
    if check.first_by_meaning is not None:
        st.caption(t("{share} ranked first by meaning alone.", share=f"{check.first_by_meaning:.0%}"))
    widgets.small(t("Question by question"), "check_questions", "quiz", on_click=show_questions)


def _since(since: CheckDiff) -> None:
    losing = any(change.settled and change.difference < 0 for change in (since.comparison, since.by_meaning))
    draw, icon = (st.warning, "trending_down") if losing else (st.info, "history")
    draw(
        plain(sentences([text_of(since.message), t("Last check: {at}.", at=names.local(since.at))])),
        icon=f":material/{icon}:",
    )
    if since.vanished:
        label = t_plural("{n} item was deleted since then", "{n} items were deleted since then", n=len(since.vanished))
        with st.expander(label, key="findability_gone"):
            widgets.lines([text_of(vanished.message) for vanished in since.vanished])
    if since.lost:
        label = t_plural(
            "{n} question no longer reaches its note", "{n} questions no longer reach their note", n=len(since.lost)
        )
        with st.expander(label, key="findability_lost"):
            widgets.lines(since.lost)
