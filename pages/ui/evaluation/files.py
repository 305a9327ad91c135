"""Question sets as files: export, and import with a list of the errors in a file."""

from functools import partial
from pathlib import PurePath

import streamlit as st

from core.base.errors import QuestionSetError, TesseraError
from core.model import QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import setmenu
from pages.ui.shared import widgets
from pages.ui.shared.safe import html
from pages.ui.shared.text import t, text_of

KINDS = ("jsonl", "csv", "tsv")


def export_questions(workspace: Workspace, question_set: QuestionSet) -> None:
    """Draw the ways to save a set as a file, which is written on demand."""
    with st.popover(t("Export"), icon=":material/download:", key=f"export_{question_set.id}"):
        for kind, label, mime, table in (
            ("jsonl", t("JSON lines"), "application/jsonl", False),
            ("csv", t("Table (CSV)"), "text/csv", True),
        ):
            data = partial(workspace.question_sets.export, question_set, table=table)
            file = f"{question_set.name}.{kind}"
            widgets.download(label, data, file, mime, f"export_{kind}", "download", type="tertiary")


def import_questions(workspace: Workspace, base: str) -> None:
    """Draw the import of a file, into a set of the base or a new one."""

    def content() -> None:
        st.caption(
            t(
                "JSON lines with id, question and gold (a list of path and quote), or a table with id, question, path "
                "and quote. Each quote is a piece of its note that stands there once."
            )
        )
        file = st.file_uploader(t("File of questions"), type=list(KINDS), key="question_file")
        if file is None:
            return
        name = _into(workspace, base, file.name)
        shut = workspace.readonly
        if widgets.button(t("Import"), "import_questions", "upload_file", type="primary", disabled=shut):
            try:
                added = workspace.question_sets.add_file(base, name, file.getvalue(), file.name)
            except TesseraError as error:
                _refused(error)
                return
            setmenu.toast_added(added)
            setmenu.open_set(added)
            setmenu.DIALOG.close()
            st.rerun()

    setmenu.DIALOG.draw(t("Import a file"), content, width="medium")


def _into(workspace: Workspace, base: str, file: str) -> str:
    """Draw the choice of the set for the questions, and return its name; at first a new set, named like the file."""
    there = [question_set.name for question_set in workspace.question_sets.all(base)]
    new = PurePath(file).stem.strip()[: setmenu.LONGEST] or t("My questions")
    texts = {name: name for name in there}
    texts.setdefault(new, t("{set} (new)", set=new))
    about = t("Choose a set, or type the name of a new one.")
    return widgets.select_or_type(t("Into the set"), texts, new, f"import_into_{file}", help=about)


def _refused(error: TesseraError) -> None:
    """Draw the reason why nothing was imported, line by line if the error has lines."""
    title = t("Nothing was imported. Correct this in the file, then import it again.")
    st.error(f"**{title}**", icon=":material/error:")
    if not isinstance(error, QuestionSetError):
        st.html(f'<div class="t-list">{html(text_of(error))}</div>')
        return
    rows = [(error.line, error.reason), *error.others]
    cells = [
        f"<tr><td>{html(t('line {n}', n=line)) if line else ''}</td><td>{html(text_of(reason))}</td></tr>"
        for line, reason in rows
    ]
    more = f'<div class="t-dim">{html(t("and {n} more", n=error.unlisted))}</div>' if error.unlisted else ""
    st.html(f'<div class="t-list"><table class="t-table">{"".join(cells)}</table>{more}</div>')
