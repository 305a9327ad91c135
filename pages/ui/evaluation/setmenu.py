"""The actions on a question set, each in its dialog."""

import json
import re
from collections.abc import Callable
from functools import partial

import streamlit as st

from core.base.messages import ENGLISH, LANGUAGES, message, render
from core.base.text import CJK
from core.model import QuestionSet
from core.workspace import Workspace
from pages.ui.shared import jobs, shell, widgets
from pages.ui.shared.dialogs import Dialog
from pages.ui.shared.safe import plain
from pages.ui.shared.text import session_language, t, t_plural, text_of

LONGEST = 80
"""Characters of a set's name."""

QUESTIONS = jobs.SAMPLES.parents[1] / "questions" / "sample.jsonl"
"""The questions on the sample notes."""
SAMPLES = message("Sample questions")
"""The name of their set."""

DIALOG = Dialog("questions_dialog")
"""The dialog of a set, opened with the name of an action."""


def menu(workspace: Workspace, base: str, question_set: QuestionSet) -> None:
    """Draw the menu of a set."""
    labels = {"new": t("New set"), "import": t("Import a file"), "rename": t("Rename"), "delete": t("Delete this set")}
    if base == jobs.SAMPLE:
        labels["samples"] = text_of(SAMPLES)

    def chosen() -> None:
        if name := st.session_state[key]:
            DIALOG.open(name)

    key = f"set_menu_{question_set.id}"
    widgets.menu(t("Set"), labels, key, "more_horiz", on_click=chosen, disabled=workspace.readonly)


def dialogs(workspace: Workspace, base: str, question_set: QuestionSet | None) -> None:
    """Draw the open dialog if it names or deletes a set."""
    name, question_sets = DIALOG.subject, workspace.question_sets
    if name == "samples":
        DIALOG.close()
        open_samples(workspace)
        st.rerun()
    elif name == "new":
        _name_dialog(name, t("New set"), t("Create"), "", partial(question_sets.add, base))
    elif name == "rename" and question_set:
        rename = partial(question_sets.rename, question_set)
        _name_dialog(name, t("Rename"), t("Rename"), question_set.name, rename)
    elif name == "delete" and question_set:
        text = t_plural(
            "The set '{set}' with its {n} question is deleted. Its runs stay.",
            "The set '{set}' with its {n} questions is deleted. Its runs stay.",
            n=question_set.questions,
            set=question_set.name,
        )
        confirm(DIALOG, t("Delete this set"), text, lambda: question_sets.delete_for_good(question_set))


def _name_dialog(name: str, title: str, label: str, value: str, act: Callable[[str], QuestionSet]) -> None:
    def content() -> None:
        with st.form("set_name", border=False):
            typed = st.text_input(t("Name"), value=value, key=f"set_name_{name}", max_chars=LONGEST)
            if widgets.submit(label, "set_name_yes", type="primary"):
                with shell.errors():
                    open_set(act(typed))
                    DIALOG.close()
                    st.rerun()

    DIALOG.draw(title, content)


def open_samples(workspace: Workspace) -> None:
    """Choose the questions on the sample notes, and add them first if no set of that name is there."""
    known = {render(SAMPLES, language) for language in LANGUAGES}
    question_set = next((item for item in workspace.question_sets.all(jobs.SAMPLE) if item.name in known), None)
    if question_set is None:
        name = text_of(SAMPLES)
        question_set = workspace.question_sets.add_file(jobs.SAMPLE, name, _sample_questions(), QUESTIONS.name)
        toast_added(question_set)
    open_set(question_set)


def _sample_questions() -> bytes:
    """Return the file of the questions, those in the language of the session first."""
    foreign = session_language() == ENGLISH

    def is_foreign(line: str) -> bool:
        return bool(re.search(f"[{CJK}]", json.loads(line)["question"])) == foreign

    lines = QUESTIONS.read_text("utf-8").splitlines(keepends=True)
    return "".join(sorted(lines, key=is_foreign)).encode()


def open_set(question_set: QuestionSet) -> None:
    """Choose a set for the next run, as a link does."""
    st.query_params["set"] = question_set.name


def confirm(dialog: Dialog, title: str, text: str, act: Callable[[], object]) -> None:
    """Ask in a dialog whether to delete questions."""
    dialog.confirm(title, plain(text), "questions_delete", act)


def toast_added(question_set: QuestionSet) -> None:
    """Say how many questions a set has now."""
    text = t_plural(
        "'{set}' has {n} question now", "'{set}' has {n} questions now", n=question_set.questions, set=question_set.name
    )
    st.toast(plain(text), icon=":material/quiz:")
