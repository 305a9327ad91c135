"""One base: its name, switches, splitting, model and search."""

from typing import cast

import streamlit as st

from core.model import BaseFields, BaseStatus, KnowledgeBase
from core.workspace import Workspace
from pages.ui.bases import arrival, cards, exporting, making, model, place, searching, splitting, trying, watched
from pages.ui.notes import deletion
from pages.ui.shared import jobs, pending, shell, widgets
from pages.ui.shared.safe import facts, html
from pages.ui.shared.text import t


def page(workspace: Workspace, status: BaseStatus) -> None:
    """Draw all settings of a base."""
    base = status.base
    place.back()
    st.html(f'<div class="t-title">{html(base.name)}</div>{facts(cards.figures(status))}')
    watched.problems(workspace, base)
    arrival.section(base)
    if base.wish:
        st.caption(t("Its archive names another model. Choose on the tab Model whether it is used."))
    names = [t("General"), t("Splitting"), t("Model"), t("Search"), t("Try it")]
    of_base, of_splitting, of_model, of_search, of_trial = st.tabs(names)
    with of_base:
        _general(workspace, status)
    with of_splitting, shell.errors():
        if base.plain:
            st.caption(t("Each line of the text files is a chunk. Blank lines are left out."))
        else:
            splitting.section(workspace, base)
    with of_model:
        model.section(workspace, status)
    with of_search:
        searching.section(workspace, base)
    with of_trial:
        trying.section(workspace, base)


def _general(workspace: Workspace, status: BaseStatus) -> None:
    base = status.base
    with st.columns([5, 6])[0]:
        _name(workspace, base)
        _switches(workspace, base)
        arrival.connection(workspace, base)
        with st.container(horizontal=True, vertical_alignment="center"):
            if status.pending:
                pending.embed_all(workspace, base, status.pending)
            address = {"base": base.name}
            st.page_link("notes.py", label=t("Open notes"), icon=":material/description:", query_params=address)
            exporting.popover(workspace, base)
            shut = workspace.readonly or jobs.importing(workspace)
            asks = {"on_click": deletion.ask, "args": ((), base.name)}
            widgets.small(t("Delete this base"), "delete_base", "delete", disabled=shut, **asks)


def _name(workspace: Workspace, base: KnowledgeBase) -> None:
    with st.form(f"names_{base.id}", border=False):
        name = st.text_input(t("Name"), base.name, key=f"name_{base.id}_{base.name}", max_chars=80)
        description = st.text_input(
            t("Description"), base.description, key=f"about_{base.id}", placeholder=t("What is it for?")
        )
        shut = workspace.readonly or jobs.importing(workspace) or workspace.jobs.running(*jobs.BASES, *jobs.EVALUATION)
        saved = widgets.submit(t("Save"), f"save_{base.id}", "check", disabled=shut)
    if not saved:
        return
    workspace.bases.update(base.name, description=description.strip())
    if name.strip() != base.name:
        workspace.bases.rename(base.name, name.strip())
        _renamed(base.name, name.strip())
    st.rerun()


def _renamed(old: str, new: str) -> None:
    """Let the choices of this session follow a base that has another name."""
    place.go(new)
    for key in ("notes_base", "eval_base", "cut_base"):
        if st.session_state.get(key) == old:
            st.session_state[key] = new
    if old in (chosen := st.session_state.get("search_bases", [])):
        st.session_state["search_bases"] = [new if name == old else name for name in chosen]


def _switches(workspace: Workspace, base: KnowledgeBase) -> None:
    if base.has_vectors:
        pending.at_once(workspace, base)
    for field, (label, about) in zip(
        ("write_files", "watch", "trusts_programs"), making.switch_texts()[1:], strict=True
    ):
        if base.plain and field == "write_files":
            continue
        on = bool(getattr(base, field))
        # Its state is in its key: a browser that still shows an older one would take it for a choice.
        key = f"{field}_{base.id}_{on}"

        def store(field: str = field, key: str = key) -> None:
            workspace.bases.update(base.name, **cast(BaseFields, {field: bool(st.session_state[key])}))

        st.toggle(label, value=on, key=key, help=about, on_change=shell.guarded(store), disabled=workspace.readonly)
