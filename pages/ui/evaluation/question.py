"""One question to see and change: its text, its kind, and its right passages."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import streamlit as st

from core.model import QUESTION_KINDS, Question, QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import passages
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import html
from pages.ui.shared.text import t, text_of

LONGEST = 20_000
"""Characters that can be typed for a question."""


def kind_name(kind: str) -> str:
    """Return the name of a kind of question on the screen; the user's own kind is its name."""
    return text_of(QUESTION_KINDS.get(kind, kind))


def kind_filter(kinds: Iterable[str], key: str, place: Any = st, **more: Any) -> str:
    """Draw the choice of a kind and return it, empty for all."""
    texts = {"": t("All kinds"), **{kind: kind_name(kind) for kind in kinds}}
    widgets.begin_with(key, texts, "")
    return widgets.select(t("Kind"), texts, key, place, label_visibility="collapsed", **more)


def draw(workspace: Workspace, base: str, question_set: QuestionSet, question: Question, kinds: Sequence[str]) -> None:
    """Draw the form of a question, its right passages, and the search for another."""
    key = f"{crc32(repr((question_set.id, question.id)).encode('utf-8', 'surrogatepass')):08x}"
    if question.suggested:
        _suggested(workspace, question_set, question)
    _form(workspace, question_set, question, kinds, key)
    passages.draw_passages(workspace, question_set, question, key)
    passages.find(workspace, base, question_set, question, key)


def new(
    workspace: Workspace, question_set: QuestionSet, kinds: Sequence[str], *, cancelled: Callable[[], None]
) -> Question | None:
    """Draw the form of a new question, and return the question when it is added."""
    with st.form("new_question", border=True), shell.errors():
        st.html(f'<div class="t-name">{html(t("New question"))}</div>')
        text = st.text_area(t("Question"), key="new_question_text", height=100, max_chars=LONGEST)
        kind = _kind("", kinds, "new_question_kind")
        st.caption(t("Next you choose its right passage. Without one it counts as a question your notes don't answer."))
        with st.container(horizontal=True):
            added = widgets.submit(t("Add"), "new_question_yes", type="primary", disabled=workspace.readonly)
            st.form_submit_button(t("Cancel"), key="new_question_no", on_click=cancelled)
        if added:
            return workspace.questions.add(question_set, [Question("", (text or "").strip(), (), kind=kind)])[0]
    return None


def _suggested(workspace: Workspace, question_set: QuestionSet, question: Question) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="suggested_question"):
        st.caption(t("Suggested: runs don't ask it until you accept it."), width="stretch")
        if widgets.button(t("Accept"), "accept_one", "check", type="primary", disabled=workspace.readonly):
            workspace.questions.accept(question_set, [question.id])
            st.rerun()
        if widgets.button(t("Reject"), "reject_one", "close", disabled=workspace.readonly):
            workspace.questions.reject(question_set, [question.id])
            st.rerun()


def _form(workspace: Workspace, question_set: QuestionSet, question: Question, kinds: Sequence[str], key: str) -> None:
    """Draw the form of a question; a change by others replaces the typed text."""
    # Another stored question is another widget, which begins with its text.
    stored = crc32(
        repr((question.text, question.kind, question.note, question.any, question.answer)).encode(
            "utf-8", "surrogatepass"
        )
    )
    key = f"{key}_{stored:08x}"
    with st.form(f"question_{key}", border=False), shell.errors():
        text = st.text_area(t("Question"), value=question.text, key=f"question_text_{key}", height=100)
        answer = st.text_area(
            t("Wished answer"),
            value=question.answer,
            key=f"question_answer_{key}",
            height=70,
            max_chars=LONGEST,
            help=t("If you write one, runs count how many of its figures and names the answer holds."),
        )
        left, right = st.columns(2)
        with left:
            kind = _kind(question.kind, kinds, f"question_kind_{key}")
        note = right.text_input(t("Remark"), value=question.note, key=f"question_note_{key}")
        needed = st.toggle(
            t("All of its passages are needed"),
            value=not question.any,
            key=f"question_all_{key}",
            help=t("Off: one of its right passages is enough. On: it is answered only when all of them are found."),
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            shut = workspace.readonly
            saved = widgets.submit(t("Save"), f"save_question_{key}", type="primary", disabled=shut)
            st.caption(t("Ctrl+Enter in the text saves too."))
        if saved:
            text, note, answer = ((typed or "").strip() for typed in (text, note, answer))
            changed = replace(question, text=text, kind=kind, note=note, any=not needed, answer=answer)
            workspace.questions.update(question_set, question.id, changed)
            st.toast(t("Saved"), icon=":material/check:")
            st.rerun()


def _kind(now: str, kinds: Sequence[str], key: str) -> str:
    """Draw the choice of a kind, a new one included, and return it."""
    labels = {"": t("No kind"), **{name: kind_name(name) for name in (now, *kinds) if name}}
    return widgets.select_or_type(t("Kind"), labels, now, key)
