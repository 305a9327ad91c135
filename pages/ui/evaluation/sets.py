"""Choosing, creating, renaming, deleting, importing and exporting a base's question sets."""

from collections.abc import Callable
from functools import partial
from pathlib import PurePath

import streamlit as st
from streamlit import query_params, rerun

from core.base.errors import TesseraError
from core.base.messages import ENGLISH, LANGUAGES, message, message_table, render
from core.base.text import CHINESE
from core.model import KnowledgeBase, QuestionSet, RunList
from pages.ui.evaluation import questions
from pages.ui.shared import jobs, links, welcome, widgets
from pages.ui.shared.names import base_names
from pages.ui.shared.safe import elements, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import join_facts, label_of, session_language, small_print, t, t_plural, text_of
from pages.ui.shared.widgets import Dialog, button, errors, form, popup, text_input

# Exporting a question set, and importing one. If a file is invalid, its errors are listed.


def export_questions(question_set: QuestionSet) -> None:
    """Draw a popup with a download button for each of a question set's export formats.

    Files are generated on demand.
    """
    with popup("Export", "download", f"export_{question_set.id}"):
        for kind, label, mime, table in (
            ("jsonl", t("JSON Lines"), "application/jsonl", False),
            ("csv", t("Table (CSV)"), "text/csv", True),
        ):
            widgets.download(
                label,
                partial(workspace.question_sets.export, question_set, table=table),
                f"{question_set.name}.{kind}",
                mime,
                f"export_{kind}",
                "download",
                type="tertiary",
            )


def import_questions(base: str) -> None:
    """Draw the dialog for importing questions from a file into a new or existing question set."""

    def content() -> None:
        small_print(
            "JSON Lines with id, question and gold (a list of path and quote), or a table with "
            "id, question, path and quote. Each quote is an exact excerpt that occurs only once "
            "in its note."
        )
        file = st.file_uploader(t("Questions file"), type=["jsonl", "csv", "tsv"], key="question_file")
        if file is None:
            return
        new = PurePath(file.name).stem.strip()[:LONGEST] or t("My questions")
        texts = {question_set.name: question_set.name for question_set in workspace.question_sets.all(base)}
        texts.setdefault(new, t("{set} (new)", set=new))
        name = widgets.select_or_type(
            "Import into",
            texts,
            new,
            f"import_into_{file.name}",
            help=t("Choose a question set, or type the name of a new one."),
        )
        if button("Import", "import_questions", "upload_file", type="primary", writes=True):
            try:
                added = workspace.question_sets.add_file(base, name, file.getvalue(), file.name)
            except TesseraError as error:
                st.error(
                    f"**{t('Nothing was imported. Correct the file, then import it again.')}**",
                    icon=":material/error:",
                )
                st.html(f'<div class="t-list">{elements(text_of(error).splitlines())}</div>')
                return
            toast_added(added)
            open_set(added)
            DIALOG.finish()

    DIALOG.draw(t("Import a file"), content, width="medium")


# Actions on a question set, each in a dialog.

# Maximum number of characters in a question set's name.
LONGEST = 80

# Path of the file with questions about the sample notes.
QUESTIONS = jobs.SAMPLES.parents[1] / "questions" / "sample.jsonl"
# Name of the sample question set.
SAMPLES = message("Sample questions")

# Dialog for actions on question sets. Its subject is the action's name, such as "rename".
DIALOG = Dialog("questions_dialog")


def menu(base: str, question_set: QuestionSet) -> None:
    """Draw the menu with the actions on question sets, which `dialogs` and `import_questions` carry out."""
    labels = message_table(
        {
            "new": "New question set",
            "import": "Import a file",
            "rename": "Rename",
            "delete": "Delete this question set",
        }
    )
    if base == jobs.SAMPLE:
        labels["samples"] = SAMPLES

    widgets.menu(
        "Question set", labels, f"set_menu_{question_set.id}", "more_horiz", DIALOG.open, disabled=workspace.readonly
    )


def dialogs(base: str, question_set: QuestionSet | None) -> None:
    """Draw the dialog for the action chosen in the menu, if any. The sample questions are opened without a dialog.

    `question_set` is None if the base has no question sets.
    """
    name = DIALOG.subject
    question_sets = workspace.question_sets
    if name == "samples":
        DIALOG.close()
        open_samples()
        rerun()
    elif name == "new":
        _name_dialog(name, "New question set", "Create", "", partial(question_sets.add, base))
    elif name == "rename" and question_set:
        _name_dialog(name, "Rename", "Rename", question_set.name, partial(question_sets.rename, question_set))
    elif name == "delete" and question_set:
        DIALOG.confirm(
            t("Delete this question set"),
            plain(
                t_plural(
                    "The question set '{set}' and its {n} question will be deleted. Its test runs are kept.",
                    "The question set '{set}' and its {n} questions will be deleted. Its test runs are kept.",
                    n=question_set.questions,
                    set=question_set.name,
                )
            ),
            "questions_delete",
            lambda: question_sets.delete_for_good(question_set),
        )


def _name_dialog(name: str, title: str, label: str, value: str, act: Callable[[str], QuestionSet]) -> None:
    def content() -> None:
        with form("set_name"):
            typed = text_input("Name", f"set_name_{name}", value, max_chars=LONGEST)
            if widgets.submit(label, "set_name_yes", type="primary"):
                with errors():
                    open_set(act(typed))
                    DIALOG.finish()

    DIALOG.draw(label_of(title), content)


def open_samples() -> None:
    """Open the sample question set, adding it first if it is missing."""
    known = {render(SAMPLES, language) for language in LANGUAGES}
    question_set = next((item for item in workspace.question_sets.all(jobs.SAMPLE) if item.name in known), None)
    if question_set is None:
        # Put the questions in the session's language first.
        foreign = session_language() == ENGLISH
        lines = QUESTIONS.read_text("utf-8").splitlines(keepends=True)
        lines.sort(key=lambda line: bool(CHINESE.search(line.partition('"kind"')[0])) == foreign)
        question_set = workspace.question_sets.add_file(
            jobs.SAMPLE, text_of(SAMPLES), "".join(lines).encode(), QUESTIONS.name
        )
        toast_added(question_set)
    open_set(question_set)


def open_set(question_set: QuestionSet) -> None:
    """Open a question set on the next rerun, by putting it into the URL."""
    query_params["set"] = question_set.name


def toast_added(question_set: QuestionSet) -> None:
    """Show a toast with the number of questions in a question set."""
    st.toast(
        plain(
            t_plural(
                "'{set}' now has {n} question",
                "'{set}' now has {n} questions",
                n=question_set.questions,
                set=question_set.name,
            )
        ),
        icon=":material/quiz:",
    )


def bar(base: KnowledgeBase) -> QuestionSet | None:
    """Draw the question set selector, and buttons for the actions on the chosen set.

    Return the chosen question set, or None if the base has none.
    """
    sets = workspace.question_sets.all(base.name)
    question_set = None
    if sets:
        with widgets.row("question_sets", vertical_alignment="bottom"):
            by_name = {question_set.name: question_set for question_set in sets}
            key = f"question_set_{base.id}"
            used = questions.last_used(base.name)
            links.begin_with("set", key, by_name, used.name if used else sets[0].name)
            question_set = by_name[widgets.select_hidden("Question set", by_name, key, width=360)]
            links.set_value("set", question_set.name)
            questions.use(question_set)
            menu(base.name, question_set)
            export_questions(question_set)
            draw_check(base)
        counts = (
            t_plural("{n} question", "{n} questions", n=question_set.questions),
            t("{n} suggested", n=question_set.suggested) if question_set.suggested else "",
            t("{n} with a passage that no longer exists", n=question_set.flagged) if question_set.flagged else "",
        )
        st.caption(join_facts(counts))
    else:
        _none(base.name)
        draw_check(base)
    if DIALOG.subject == "import":
        import_questions(base.name)
    else:
        dialogs(base.name, question_set)
    return question_set


def draw_check(base: KnowledgeBase) -> None:
    """Draw a popup for checking whether a base's notes can be found by searching.

    The check creates a question set from the notes and runs it.
    """
    with popup("Can my notes be found?", "manage_search", f"found_{base.id}"):
        small_print(
            "Creates questions from this base's notes (titles, headings, sentences with a word left out, "
            "definitions, names in code, link text). Tessera asks each question as usual and then again by meaning "
            "only. The missed questions show you which passages can't be found."
        )
        checks = workspace.findability
        if button(
            "Check now", f"check_{base.id}", "manage_search", type="primary", disabled=jobs.hindrance(*jobs.EVALUATION)
        ):
            check = partial(checks.check, base.name, language=session_language())
            jobs.start_job("evaluate", lambda progress: RunList.from_runs(check(progress)), base.name)
        st.toggle(
            t("Check after every import"),
            **widgets.bound(f"check_after_{base.id}", checks.enabled, checks.enable),
            disabled=workspace.readonly,
            help=t("Checks each base changed by an import, once its notes are indexed."),
        )


def _none(base: str) -> None:
    """Show an explanation of question sets, and buttons that create the base's first question set."""
    importing = jobs.is_importing(base)
    st.info(
        t("The notes are being imported. You can add questions about them when that is finished.")
        if importing
        else t(
            "This base has no questions yet. Write some, and mark the passage that answers each of them. Your "
            "questions then show how good the search is and how changes affect it."
        ),
        icon=":material/quiz:",
    )
    with st.container(horizontal=True, key="first_questions"):
        shut = {"writes": True, "disabled": importing}
        samples = base == jobs.SAMPLE
        if samples and button("Use the twenty sample questions", "sample_questions", "quiz", type="primary", **shut):
            with errors():
                open_samples()
                rerun()
        if button(
            "Suggest questions from my notes",
            "suggest_first",
            "auto_awesome",
            type="secondary" if samples else "primary",
            **shut,
        ):
            questions.start(_first(base))
            rerun()
        button("Import a file", "import_first", "upload_file", DIALOG.open, "import", **shut)
        if button("Write one myself", "type_first", "edit", **shut):
            _first(base)
            st.session_state["adding_question"] = True
            rerun()
    # The sample notes' questions demonstrate this page.
    if not samples and jobs.SAMPLE not in base_names():
        welcome.samples(type="tertiary")
    elif not samples and widgets.small("Try it with the sample notes", "to_samples", "play_arrow"):
        query_params["base"] = jobs.SAMPLE
        rerun()
    if importing:
        jobs.job_panel()


def _first(base: str) -> QuestionSet:
    """Create a base's first question set, and open its list of questions on the next rerun."""
    query_params["view"] = "questions"
    return workspace.question_sets.add(base, t("My questions"))
