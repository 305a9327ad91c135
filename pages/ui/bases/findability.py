"""Can the notes of a base be found? A check of it, and a change of its search settings tried on the check's questions."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.model import PROBE_KINDS, BaseCheck, CheckDiff, Findability, KnowledgeBase, Progress, SearchSettings
from core.workspace import Workspace
from pages.ui.shared import jobs, names, widgets
from pages.ui.shared.safe import facts, html, plain
from pages.ui.shared.text import sentences, t, t_plural, text_of

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
    with st.container(horizontal=True, vertical_alignment="center"):
        shut = workspace.readonly or workspace.jobs.running(JOB)
        if widgets.button(t("Check now"), f"check_{base.id}", "manage_search", type="primary", disabled=shut):
            jobs.start(workspace, JOB, partial(_check, workspace, base.name), base.name)
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


def _check(workspace: Workspace, base: str, progress: Progress) -> Findability:
    return workspace.findability.check(base, progress)


def _result(workspace: Workspace, last: Findability) -> None:
    check = last.check
    st.html(
        facts(
            [
                t("{share} ranked first", share=f"{check.first:.0%}"),
                t("{share} in the first ten", share=f"{check.reached:.0%}"),
                t_plural("{n} question", "{n} questions", n=len(check.results)),
                names.local(check.at),
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
    if not workspace.findability.is_current(last.base):
        st.caption(t("The notes changed since. Check again to see how it is now."))
    if last.since:
        _since(last.since)
    if check.findings:
        st.html(f'<div class="t-caption">{html(t("View these notes"))}</div>')
        _notes([(finding.note_id, finding.title, text_of(finding.message)) for finding in check.findings])
    else:
        st.success(t("Every note is found by a question."), icon=":material/check_circle:")
    with st.expander(t("Details"), key="findability_details"):
        _kinds(check)


def _since(since: CheckDiff) -> None:
    losing = any(
        comparison.settled and comparison.difference < 0 for comparison in (since.comparison, since.by_meaning)
    )
    draw, icon = (st.warning, "trending_down") if losing else (st.info, "history")
    draw(
        plain(sentences([text_of(since.message), t("Last check: {at}.", at=names.local(since.at))])),
        icon=f":material/{icon}:",
    )
    if since.vanished:
        label = t_plural("{n} item was deleted since then", "{n} items were deleted since then", n=len(since.vanished))
        with st.expander(label, key="findability_gone"):
            _lines([text_of(vanished.message) for vanished in since.vanished])
    if since.lost:
        label = t_plural(
            "{n} question no longer reaches its note", "{n} questions no longer reach their note", n=len(since.lost)
        )
        with st.expander(label, key="findability_lost"):
            _lines([probe_result.text for probe_result in since.lost])


def _notes(notes: Sequence[tuple[str, str, str]]) -> None:
    for note_id, title, why in notes[:_SHOWN]:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            query = {"note": note_id}
            st.page_link("notes.py", label=plain(title), icon=":material/description:", query_params=query)
            st.caption(plain(why), width="content")
    if len(notes) > _SHOWN:
        st.caption(t("and {n} more", n=len(notes) - _SHOWN))


def _lines(lines: Sequence[str]) -> None:
    st.html("".join(f"<div>{html(line)}</div>" for line in lines[:_SHOWN]))
    if len(lines) > _SHOWN:
        st.caption(t("and {n} more", n=len(lines) - _SHOWN))


def _kinds(check: BaseCheck) -> None:
    """Draw how many questions of each kind come first."""
    rows = [
        {"kind": text_of(PROBE_KINDS[kind]), "questions": every, "first": first / every}
        for kind, (every, first) in check.by_kind.items()
    ]
    columns = {
        "kind": st.column_config.TextColumn(t("Made from"), width=200),
        "questions": widgets.count_column(t("Questions"), width=100),
        "first": st.column_config.ProgressColumn(
            t("Ranked first"), format="percent", min_value=0.0, max_value=1.0, width=150
        ),
    }
    widgets.table(rows, columns, "findability_kinds", most=300)
    if check.first_by_meaning is not None:
        st.caption(t("{share} ranked first by meaning alone.", share=f"{check.first_by_meaning:.0%}"))


# a change of settings


def wish(base: KnowledgeBase, search: SearchSettings) -> None:
    """Let a change of a base's search settings be tried in the next run, before it is made; for callbacks."""
    st.session_state[_key(base)] = search


def trial_settings(base: KnowledgeBase) -> SearchSettings | None:
    """Return the search settings that are tried, None where none are."""
    wished: SearchSettings | None = st.session_state.get(_key(base))
    return wished


def guard(workspace: Workspace, base: KnowledgeBase) -> None:
    """Make the change of settings that was wished; one that loses more than chance explains is shown first."""
    search = trial_settings(base)
    if search is None:
        return
    key = f"{_key(base)}_loses"
    if st.session_state.get(key, (None,))[0] != search:
        with st.spinner(t("Trying the change on questions of the last check…")):
            trial = workspace.findability.try_settings(base.name, search)
        st.session_state[key] = search, trial
    trial = st.session_state[key][1]

    def settle(change: Callable[[], object] | None = None) -> None:
        st.session_state.pop(_key(base), None)
        st.session_state.pop(key, None)
        if change:
            change()

    def take() -> None:
        settle(lambda: workspace.bases.update(base.name, search=search))

    if trial is None or not trial.loses:
        take()
        st.rerun()
    counts = t_plural(
        "With this change {n} of {of} questions leads to its note later, or not at all: more than chance explains.",
        "With this change {n} of {of} questions lead to their note later, or not at all: more than chance explains.",
        n=trial.comparison.losses,
        of=trial.comparison.questions,
    )
    st.warning(plain(counts), icon=":material/trending_down:")
    with st.container(horizontal=True):
        widgets.button(t("Keep the old model"), f"keep_{base.id}", "undo", type="primary", on_click=settle)
        widgets.button(t("Change it anyway"), f"take_{base.id}", "check", on_click=take)
    with st.expander(t("These questions"), key="trial_lost"):
        _lines([item.text for item in trial.lost])


def _key(base: KnowledgeBase) -> str:
    return f"wished_search_{base.id}"
