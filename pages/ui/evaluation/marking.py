"""Right passages by a click: a hit becomes one of its question, in a question set of its base."""

from collections.abc import Callable

import streamlit as st

from core.model import GoldSpan, Hit, QuestionSet
from core.workspace import Workspace
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

_MARKED = "marked"
BASE = "eval_base"
"""The base that is evaluated."""


class Marks:
    """The right hits of a question by the question sets of their bases; read once, and after a change."""

    def __init__(self, workspace: Workspace, text: str) -> None:
        self._workspace = workspace
        self._text = text
        self._read: dict[str, tuple[QuestionSet | None, tuple[GoldSpan, ...]]] = {}

    def button(self, hit: Hit) -> None:
        """Draw the mark of a hit; a click sets it, a second click removes it."""
        question_set, golds = self._find_marks(hit)
        name = question_set.name if question_set else t("My questions")
        marked = any(gold.is_within(hit) for gold in golds)
        about = t(
            "Keeps it as a right answer to this question in the set '{set}'; a second click takes that back.", set=name
        )
        toggle(self._workspace, hit, marked=marked, about=about, act=lambda: self._toggle(hit))
        chunk_id, into = st.session_state.get(_MARKED, ("", ""))
        if chunk_id == hit.chunk.id:
            del st.session_state[_MARKED]
            st.toast(plain(t("Added to '{set}'", set=into)), icon=":material/check_circle:")

    def _find_marks(self, hit: Hit) -> tuple[QuestionSet | None, tuple[GoldSpan, ...]]:
        base = hit.note.base
        if base not in self._read:
            question_set = last_used(self._workspace, base)
            golds = self._workspace.questions.marked(question_set, self._text) if question_set else ()
            self._read[base] = question_set, golds
        return self._read[base]

    def _toggle(self, hit: Hit) -> None:
        questions = self._workspace.questions
        question_set, golds = self._find_marks(hit)
        self._read.clear()
        if question_set is not None and any(gold.is_within(hit) for gold in golds):
            questions.unmark(question_set, self._text, hit)
            return
        if question_set is None:
            question_set = self._workspace.question_sets.add(hit.note.base, t("My questions"))
        questions.mark(question_set, self._text, hit)
        use(self._workspace, question_set)
        st.session_state[BASE] = hit.note.base  # the page Evaluation begins with it
        # What a callback draws takes the place of the page's first elements.
        st.session_state[_MARKED] = hit.chunk.id, question_set.name


def toggle(workspace: Workspace, hit: Hit, *, marked: bool, about: str, act: Callable[[], None]) -> None:
    """Draw the button that adds a hit's passage to the right ones, or removes it; `about` is its tooltip."""
    added = hit.chunk.start == hit.chunk.end
    key = f"mark_{hit.chunk.id}"
    if added:
        about = t("You added this chunk yourself. A right passage must stand in the note's own text.")
    widgets.button(
        t("Right passage"),
        key,
        "check_circle" if marked else "radio_button_unchecked",
        type="primary" if marked else "secondary",
        help=plain(about),
        on_click=shell.guarded(act, key),
        disabled=workspace.readonly or added,
    )
    shell.problem_of(key)


def last_used(workspace: Workspace, base: str) -> QuestionSet | None:
    """Return the question set of a base that was used last, else its first one, None without any."""
    sets = workspace.question_sets.all(base)
    used = workspace.preferences.get(_preference(sets[0].base_id)) if sets else ""
    return next((question_set for question_set in sets if question_set.id == used), sets[0] if sets else None)


def use(workspace: Workspace, question_set: QuestionSet) -> None:
    """Remember a question set as the one of its base that was used last."""
    if workspace.preferences.get(_preference(question_set.base_id)) != question_set.id:
        workspace.preferences.set(_preference(question_set.base_id), question_set.id)


def _preference(base_id: str) -> str:
    return f"question_set_{base_id}"
