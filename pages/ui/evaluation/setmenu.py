"""What can be done with a question set: each in a dialog of its own."""

from collections.abc import Callable

import streamlit as st

from core.model import QuestionSet
from core.workspace import Workspace
from pages.ui.shared import shell
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural

LONGEST = 80
"""Characters of a set's name."""

_ASKED = "questions_dialog"


def menu(workspace: Workspace, kept: QuestionSet) -> None:
    """Draw the menu of a set."""
    labels = {
        "new": t("New set"),
        "import": t("Import a file"),
        "rename": t("Rename"),
        "delete": t("Delete this set"),
    }

    def chosen() -> None:
        if name := st.session_state[key]:
            ask(name)

    key = f"set_menu_{kept.id}"
    st.menu_button(
        t("Set"),
        list(labels),
        format_func=labels.__getitem__,
        key=key,
        icon=":material/more_horiz:",
        on_click=chosen,
        disabled=workspace.readonly,
    )


def ask(name: str) -> None:
    """Open a dialog in the next run; for callbacks."""
    st.session_state[_ASKED] = name


def close() -> None:
    """Close the dialog that is open."""
    st.session_state.pop(_ASKED, None)


def asked() -> str:
    """Return the dialog that was asked for, empty where none was."""
    return str(st.session_state.get(_ASKED, ""))


def dialogs(workspace: Workspace, base: str, kept: QuestionSet | None) -> None:
    """Draw the dialog that was asked for, where it is about a set's name or its end."""
    if asked() == "new":
        _named("new", t("New set"), t("Create"), "", lambda name: workspace.questions.add_set(base, name))
    elif asked() == "rename" and kept:
        _named(
            "rename",
            t("Rename"),
            t("Rename"),
            kept.name,
            lambda name: workspace.questions.rename_set(kept, name),
        )
    elif asked() == "delete" and kept:
        confirmed(
            t("Delete this set"),
            t_plural(
                "The set '{set}' with its {n} question is deleted. Its runs stay.",
                "The set '{set}' with its {n} questions is deleted. Its runs stay.",
                n=kept.questions,
                set=kept.name,
            ),
            lambda: workspace.questions.delete_set(kept),
            closed=close,
        )


def _named(name: str, title: str, label: str, value: str, act: Callable[[str], QuestionSet]) -> None:
    @st.dialog(title, on_dismiss=close)
    def dialog() -> None:
        with st.form("set_name", border=False):
            typed = st.text_input(t("Name"), value=value, key=f"set_name_{name}", max_chars=LONGEST)
            if st.form_submit_button(label, key="set_name_yes", type="primary"):
                with shell.errors():
                    open_set(act(typed))
                    close()
                    st.rerun()

    dialog()


def open_set(kept: QuestionSet) -> None:
    """Let a set be the chosen one in the next run: as if a link had been followed."""
    st.query_params["set"] = kept.name


def confirmed(title: str, more: str, act: Callable[[], object], *, closed: Callable[[], None]) -> None:
    """Ask for the second yes to a deletion in a dialog, and delete."""

    @st.dialog(title, on_dismiss=closed)
    def dialog() -> None:
        st.write(plain(more))
        with st.container(horizontal=True):
            if st.button(t("Delete"), key="questions_delete_yes", type="primary", icon=":material/delete:"):
                with shell.errors():
                    act()
                    closed()
                    st.rerun()
            if st.button(t("Keep"), key="questions_delete_no"):
                closed()
                st.rerun()

    dialog()
