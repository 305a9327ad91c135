"""A base that was restored from an archive: the permissions that it lacks here, and a folder to connect to it."""

from pathlib import Path

import streamlit as st

from core.model import FOREIGN, KnowledgeBase, Restored
from core.workspace import Workspace
from pages.ui.bases import place
from pages.ui.shared import jobs, shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.switches import SWITCHES
from pages.ui.shared.text import t, text_of

_RESTORED, _FOREIGN = "restored_base", "restored_foreign"


def open_restored(restored: Restored, *, trashed: bool = False) -> None:
    """Open a restored base in the next run, with the permissions that its archive names."""
    st.session_state[_RESTORED] = restored
    st.session_state[_FOREIGN] = trashed and not restored.own
    place.go(restored.base.name)


def section(base: KnowledgeBase) -> None:
    """Draw the permissions that a base lacks after its restoration, and where the user grants them."""
    restored: Restored | None = st.session_state.get(_RESTORED)
    if restored is None or restored.base.id != base.id:
        return
    if st.session_state.get(_FOREIGN):
        st.warning(text_of(FOREIGN), icon=":material/shield:")
    off = [map(text_of, SWITCHES[name]) for name in restored.powers.switches if not getattr(base, name)]
    lines = [f"- **{plain(label)}** — {plain(about)}" for label, about in off]
    if restored.powers.folders:
        folders = ", ".join(map(plain, restored.powers.folders))
        lines.append(
            "- "
            + t("Its notes were files in {folders}. They live in Tessera now; connect a folder below.", folders=folders)
        )
    if restored.powers.reranker:
        name = plain(restored.powers.reranker)
        lines.append("- " + t("Its re-check was {name}. Choose one on the tab Search.", name=name))
    if not lines:
        return
    head = t(
        "An imported base brings its notes, but no permissions. What was on where it comes from is off here "
        "until you turn it on:"
    )
    st.info("\n".join([head, "", *lines]), icon=":material/shield:")


def connection(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw the form that connects a folder to a base; what would change is shown before anything does."""
    with st.expander(t("Connect a folder"), icon=":material/create_new_folder:", key=f"connect_{base.id}"):
        st.caption(
            t(
                "Notes whose files lie in the folder at the same paths become those of the files, with their history. "
                "Other files are imported. What differs is shown first, and nothing is written into the folder."
            )
        )
        with st.form(f"connect_form_{base.id}", border=False):
            path = st.text_input(t("Path of a folder"), key=f"connect_path_{base.id}", placeholder="~/Documents/notes")
            shut = jobs.shut(workspace)
            if not widgets.submit(t("Look at the changes"), f"connect_yes_{base.id}", "difference", disabled=shut):
                return
        if not path.strip():
            st.error(t("Give the path of a folder first."))
            return
        with shell.errors():
            with st.spinner(t("Reading the folder…")):
                st.session_state["plan"] = workspace.notes.plan_connection(Path(path.strip()), base.name)
            workspace.jobs.forget("import")
            st.switch_page("notes.py")
