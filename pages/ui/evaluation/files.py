"""Question sets as files: import with all that is wrong with one, and export."""

from pathlib import PurePath

import streamlit as st

from core.errors import QuestionSetError, TesseraError
from core.model import QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import setmenu
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import said, t, t_plural

KINDS = ("jsonl", "csv", "tsv")


def export(workspace: Workspace, kept: QuestionSet) -> None:
    """Draw the ways to save a set as a file, which is written when it is asked for."""
    question_sets = workspace.questions
    with st.popover(t("Export"), icon=":material/download:", key=f"export_{kept.id}"):
        for kind, label, mime, table in (
            ("jsonl", t("JSON lines"), "application/jsonl", False),
            ("csv", t("Table (CSV)"), "text/csv", True),
        ):
            st.download_button(
                label,
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

    @st.dialog(t("Import a file"), width="medium", on_dismiss=setmenu.close)
    def dialog() -> None:
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
        if st.button(
            t("Import"),
            key="import_questions",
            type="primary",
            icon=":material/upload_file:",
            disabled=workspace.readonly,
        ):
            try:
                added = workspace.questions.add_file(base, name, file.getvalue(), file.name)
            except TesseraError as error:
                _refused(error)
                return
            st.toast(
                plain(
                    t_plural(
                        "'{set}' has {n} question now",
                        "'{set}' has {n} questions now",
                        n=added.questions,
                        set=added.name,
                    )
                ),
                icon=":material/quiz:",
            )
            setmenu.open_set(added)
            setmenu.close()
            st.rerun()

    dialog()


def _into(workspace: Workspace, base: str, file: str) -> str:
    """Draw the choice of the set that the questions go into, and return its name; at first a new one like the file."""
    there = [one.name for one in workspace.questions.sets(base)]
    new = PurePath(file).stem.strip()[: setmenu.LONGEST] or t("My questions")
    names = [*there, *([] if new in there else [new])]
    labels = {name: name if name in there else t("{set} (new)", set=name) for name in names}
    return st.selectbox(
        t("Into the set"),
        names,
        index=names.index(new),
        format_func=lambda name: labels.get(name, name),
        key=f"import_into_{file}",
        accept_new_options=True,
        help=t("Choose a set, or type the name of a new one."),
    )


def _refused(error: TesseraError) -> None:
    """Say why nothing was imported: line by line, where it is a matter of lines."""
    st.error(
        f"**{t('Nothing was imported. Correct this in the file, then import it again.')}**", icon=":material/error:"
    )
    if not isinstance(error, QuestionSetError):
        st.html(f'<div class="t-list">{html(said(error))}</div>')
        return
    rows = [(error.line, error.reason), *error.others]
    told = [f"<tr><td>{_line(line)}</td><td>{html(said(reason))}</td></tr>" for line, reason in rows]
    more = f'<div class="t-dim">{html(t("and {n} more", n=error.unlisted))}</div>' if error.unlisted else ""
    st.html(f'<div class="t-list"><table class="t-table">{"".join(told)}</table>{more}</div>')


def _line(line: int) -> str:
    return html(t("line {n}", n=line)) if line else ""
