"""All bases as cards with their figures."""

import re
from functools import partial
from pathlib import Path

import streamlit as st

from core.model import BASE_KINDS, BaseStatus, KnowledgeBase, embedder_name
from core.workspace import Workspace
from pages.ui.bases import importing, place, trash, watched
from pages.ui.notes import deletion
from pages.ui.shared import empty, jobs, widgets
from pages.ui.shared.safe import facts, html
from pages.ui.shared.text import t, t_plural, text_of

COLUMNS = 2
FOLDERS = 3


def page(workspace: Workspace) -> None:
    """Draw a card for every base, and the button that makes another."""
    status = workspace.status()
    about = t("A base is a collection of notes with its own model, splitting and search. A note is in one base.")
    st.html(f'<p class="t-lead">{html(about)}</p>')
    widgets.button(t("New base"), "new_base", "add", disabled=workspace.readonly, on_click=place.go, args=(place.NEW,))
    watched.text_folders(workspace)
    if not status.bases:
        empty.no_notes(workspace, t("There is no base yet. Make one, or import notes: that makes one too."))
    for column, base in widgets.in_columns(status.bases, COLUMNS):
        with column.container(border=True, height="stretch", key=f"card_{base.base.id}"):
            _card(workspace, base)
    importing.section(workspace)
    trash.section(workspace)


def _card(workspace: Workspace, status: BaseStatus) -> None:
    base = status.base
    about = f'<div class="t-small">{html(base.description)}</div>' if base.description else ""
    st.html(
        f'<div class="t-name">{html(base.name)}</div>{about}{facts(figures(status))}{watched.state(workspace, status)}'
    )
    watched.problems(workspace, base)
    _folders(workspace, status)
    with st.container(horizontal=True, vertical_alignment="center", gap="xxsmall"):
        add = {"on_click": partial(place.go, base.name, adding=True), "disabled": jobs.shut(workspace)}
        widgets.button(t("Add notes"), f"add_{base.id}", "note_add", **add)
        widgets.small(t("Settings"), f"open_{base.id}", "tune", on_click=place.go, args=(base.name,))
        widgets.base_link(base.name)
        export(workspace, base)
        shut = jobs.shut(workspace)
        asks = {"on_click": deletion.ask, "args": ((), base.name), "help": t("Move this base to the trash")}
        widgets.small("", f"delete_{base.id}", "delete", disabled=shut, **asks)


def figures(status: BaseStatus) -> list[str]:
    """Return the size of a base, its model, and what is not indexed yet."""
    waiting = t_plural(
        "{n} passage not yet found by meaning", "{n} passages not yet found by meaning", n=status.pending
    )
    return [
        t_plural("{n} note", "{n} notes", n=status.notes),
        t_plural("{n} passage", "{n} passages", n=status.chunks),
        t("Text files, line by line") if status.base.plain else "",
        t("Model: {name}", name=embedder_name(status.base.embedder))
        if status.base.has_vectors
        else text_of(BASE_KINDS[status.base.kind]),
        waiting if status.pending else "",
        t_plural("{n} passage the model refuses", "{n} passages the model refuses", n=status.refused)
        if status.refused
        else "",
    ]


def _folders(workspace: Workspace, status: BaseStatus) -> None:
    """Draw the folders of a base, each with the button that syncs it."""
    base, folders = status.base, [path for path, _ in status.folders if Path(path).is_absolute()]
    for number, folder in enumerate(folders[:FOLDERS]):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"folder_{base.id}_{number}"):
            st.html(f'<div class="t-small t-dim t-where">{html(folder)}</div>')
            if widgets.small(t("Update now"), f"sync_{base.id}_{number}", "sync", disabled=jobs.shut(workspace)):
                watched.sync(workspace, base, folder)
    widgets.more(len(folders) - FOLDERS)


def export(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw a button for each form of an export."""
    forms = {
        "zip": (t("Everything, with the history (zip)"), "application/zip", ".zip", "folder_zip"),
        "markdown": (t("Markdown files (zip)"), "application/zip", " Markdown.zip", "description"),
        "json": (t("Notes and fields (JSON)"), "application/json", ".json", "data_object"),
        "yaml": (t("Notes and fields (YAML)"), "application/yaml", ".yaml", "data_object"),
    }
    name = re.sub(r'[\\/:*?"<>|\x00-\x1f]', "-", base.name)
    with st.popover(t("Export"), icon=":material/download:", key=f"export_{base.id}"):
        for form, (label, mime, end, icon) in forms.items():
            written = partial(workspace.archives.exported, base.name, form)
            key = f"export_{base.id}_{form}"
            widgets.download(label, written, f"{name}{end}", mime, key, icon, type="tertiary")
        st.caption(t("The first one holds everything in the base; the others hold its notes as they are now."))
