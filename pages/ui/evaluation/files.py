"""Question sets as files: import with all that is wrong with one, and export."""

from pathlib import PurePath

import streamlit as st

from core.errors import QuestionSetError, TesseraError
from core.model import QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import setmenu
from pages.ui.safe import html, plain
from pages.ui.sentences import said
from pages.ui.text import t

KINDS = ("jsonl", "csv", "tsv")


def export(workspace: Workspace, kept: QuestionSet) -> None:
    """Draw the ways to save a set as a file, which is written when it is asked for."""
    question_sets = workspace.question_sets
    with st.popover(t("questions.export"), icon=":material/download:", key=f"export_{kept.id}"):
        for kind, mime, table in (("jsonl", "application/jsonl", False), ("csv", "text/csv", True)):
            st.download_button(
                t(f"questions.export.{kind}"),
                lambda table=table: question_sets.export(kept, table=table),
                f"{kept.name}.{kind}",
                mime,
                key=f"export_{kind}",
                icon=":material/download:",
                on_click="ignore",
                type="tertiary",
            )


def importing(workspace: Workspace, base: str) -> None:
    """Draw the import of a file, into a set there is or a new one."""

    @st.dialog(t("questions.import"), width="medium", on_dismiss=setmenu.close)
    def dialog() -> None:
        st.caption(t("questions.import.more"))
        file = st.file_uploader(t("questions.import.file"), type=list(KINDS), key="question_file")
        if file is None:
            return
        name = _into(workspace, base, file.name)
        if st.button(
            t("questions.import.yes"),
            key="import_questions",
            type="primary",
            icon=":material/upload_file:",
            disabled=workspace.readonly,
        ):
            try:
                added = workspace.question_sets.add_file(base, name, file.getvalue(), file.name)
            except TesseraError as error:
                _refused(error)
                return
            st.toast(plain(t("questions.imported", n=added.questions, set=added.name)), icon=":material/quiz:")
            setmenu.open_set(added)
            setmenu.close()
            st.rerun()

    dialog()


def _into(workspace: Workspace, base: str, file: str) -> str:
    """Draw the choice of the set that the questions go into, and return its name; at first a new one like the file."""
    there = [one.name for one in workspace.question_sets.sets(base)]
    new = PurePath(file).stem.strip()[: setmenu.LONGEST] or t("questions.mine")
    names = [*there, *([] if new in there else [new])]
    labels = {name: name if name in there else t("questions.import.new", set=name) for name in names}
    return st.selectbox(
        t("questions.import.into"),
        names,
        index=names.index(new),
        format_func=lambda name: labels.get(name, name),
        key=f"import_into_{file}",
        accept_new_options=True,
        help=t("questions.import.into.help"),
    )


def _refused(error: TesseraError) -> None:
    """Say why nothing was imported: line by line, where it is a matter of lines."""
    st.error(f"**{t('questions.import.refused')}**", icon=":material/error:")
    if not isinstance(error, QuestionSetError):
        st.html(f'<div class="t-list">{html(said(error))}</div>')
        return
    rows = [(error.line, error.reason), *error.others]
    told = [f"<tr><td>{_line(line)}</td><td>{html(said(reason))}</td></tr>" for line, reason in rows]
    more = f'<div class="t-dim">{html(t("more", n=error.unlisted))}</div>' if error.unlisted else ""
    st.html(f'<div class="t-list"><table class="t-table">{"".join(told)}</table>{more}</div>')


def _line(line: int) -> str:
    return html(t("questions.line", n=line)) if line else ""
