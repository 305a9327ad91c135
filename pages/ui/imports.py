"""Bringing notes in: where from, what would change, the yes."""

from pathlib import Path

import streamlit as st

from core.workspace import SyncPlan, Workspace
from pages.ui import plans, shell, work
from pages.ui.safe import plain
from pages.ui.text import t

TYPES = ["md", "markdown", "txt"]


def section(workspace: Workspace, bases: list[str]) -> None:
    """Draw the ways to import, or the plan that waits for its yes."""
    plan: SyncPlan | None = st.session_state.get("plan")
    if plan is not None:
        _decide(workspace, plan)
        return
    if workspace.readonly or work.importing(workspace):
        return
    with st.expander(t("import"), expanded=not bases, icon=":material/sync:"):
        folder, upload_folder, files = st.tabs(
            [t("import.folder"), t("import.upload_folder"), t("import.upload_files")]
        )
        with folder:
            _by_path(workspace)
            _again(workspace)
        with upload_folder:
            _by_upload(workspace, "directory")
        with files:
            _by_upload(workspace, "files")


def _by_path(workspace: Workspace) -> None:
    with st.form("by_path", border=False):
        path = st.text_input(
            t("import.path"), key="import_path", help=t("import.path.help"), placeholder="~/Documents/notes"
        )
        name = st.text_input(t("import.base"), key="import_base", placeholder=t("import.base.default"))
        asked = st.form_submit_button(t("import.look"), type="primary")
    if asked and not path.strip():
        st.error(t("import.no_path"))
    elif asked:
        _look(workspace, path.strip(), name.strip() or None)


def _again(workspace: Workspace) -> None:
    """Offer the folders that were synced before."""
    known = [
        (base.name, folder)
        for base in workspace.bases()
        for folder, _ in workspace.folders(base)
        if Path(folder).is_absolute()
    ]
    for number, (name, folder) in enumerate(known):
        label = f"{t('import.again')}: {plain(name)} · {plain(folder)}"
        if st.button(label, key=f"again_{number}", type="tertiary", icon=":material/sync:"):
            _look(workspace, folder, name)


def _look(workspace: Workspace, path: str, base: str | None) -> None:
    with shell.errors(), st.spinner(t("import.looking")):
        _propose(workspace, workspace.plan_folder(Path(path), base))


def _by_upload(workspace: Workspace, kind: str) -> None:
    count = st.session_state.setdefault("uploads", 0)
    with st.container(key=f"by_{kind}"):
        files = st.file_uploader(
            t("import.upload_folder" if kind == "directory" else "import.upload_files"),
            type=TYPES if kind == "directory" else [*TYPES, "zip"],
            accept_multiple_files="directory" if kind == "directory" else True,
            key=f"upload_{kind}_{count}",
            on_change="ignore",
            label_visibility="collapsed",
        )
        st.caption(t("import.slow"))
        name = st.text_input(t("import.base"), value=t("import.base.uploads"), key=f"upload_base_{kind}")
        if st.button(t("import.look"), key=f"look_{kind}", type="primary"):
            if not files:
                st.error(t("import.choose"))
                return
            with shell.errors(), st.spinner(t("import.looking")):
                pairs = ((file.name, file.getvalue()) for file in files)
                plan = workspace.plan_upload(pairs, name.strip())
                st.session_state["uploads"] = count + 1
                _propose(workspace, plan)


def _propose(workspace: Workspace, plan: SyncPlan) -> None:
    st.session_state["plan"] = plan
    workspace.jobs.forget("import")
    st.rerun()


def _decide(workspace: Workspace, plan: SyncPlan) -> None:
    """Show a plan and take the yes; one that removes much asks for a second one."""
    with st.container(border=True, key="plan"):
        st.subheader(plain(t("plan", base=plan.base)))
        plans.show(plan)
        confirmed = True
        if plan.needs_confirmation:
            st.warning(t("plan.confirm", n=len(plan.removed), known=plan.known), icon=":material/warning:")
            confirmed = st.checkbox(t("plan.confirm.yes", n=len(plan.removed)), key="plan_confirmed")
        if plan.is_empty:
            st.caption(t("plan.empty"))
        with st.container(horizontal=True):
            if st.button(
                t("plan.apply"),
                key="plan_apply",
                type="primary",
                icon=":material/check:",
                disabled=plan.is_empty or not confirmed or workspace.readonly,
            ):
                if work.start_import(workspace, plan, confirmed=confirmed):
                    del st.session_state["plan"]
                    st.rerun()
                st.error(t("work.busy"))
            if st.button(t("close" if plan.is_empty else "cancel"), key="plan_discard"):
                workspace.discard(plan)
                del st.session_state["plan"]
                st.rerun()
