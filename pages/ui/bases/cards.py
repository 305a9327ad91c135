"""All bases as cards with their figures."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeGuard, TypeVar

import streamlit as st

from core.base.errors import ArchiveError
from core.model import BASE_KINDS, BaseStatus, KnowledgeBase, Restored, embedder_name
from core.workspace import Workspace
from pages.ui.bases import arrival, trash
from pages.ui.notes import deletion
from pages.ui.shared import empty, jobs, shell, widgets
from pages.ui.shared.safe import facts, html, plain
from pages.ui.shared.text import t, t_plural, text_of

# The import of an exported base, or of a folder of notes that then live here.

TYPES = ["zip", "json", "yaml", "yml"]

Value = TypeVar("Value")


def section(workspace: Workspace) -> None:
    """Draw the ways to import a base; what is wrong with a file is listed whole."""
    if jobs.shut(workspace):
        return
    with st.expander(t("Import a base"), icon=":material/upload:", key="import_a_base"):
        st.caption(
            t(
                "It becomes a base of its own, and its notes live in Tessera. To keep the files of a folder in step "
                "with a base, import them on the page Notes."
            )
        )
        widgets.tabs(
            {
                t("A file"): lambda: _file(workspace),
                t("A folder of Markdown"): lambda: _folder(workspace),
                t("Folder on this machine"): lambda: _import_here(workspace),
            }
        )


def _file(workspace: Workspace) -> None:
    with st.form("import_file", border=False):
        about = t("A zip, JSON or YAML file that Tessera exported, or a zip of Markdown notes")
        upload = st.file_uploader(about, type=TYPES, key="import_base_file")
        name = _name("import_file_name", t("The name it has"))
        if _submitted("import_file") and _require(upload, t("Choose a file first.")):
            data = upload.getvalue()
            _restore(workspace, lambda: workspace.archives.restore_data(data, upload.name, name))


def _folder(workspace: Workspace) -> None:
    with st.form("import_folder", border=False):
        about = t("A folder of Markdown notes, for instance one that Tessera exported")
        uploads = st.file_uploader(about, ["md", "markdown", "txt"], "directory", key="import_base_folder")
        name = _name("import_folder_name", t("Name of the new base"))
        if (
            _submitted("import_folder")
            and _require(uploads, t("Choose a folder first."))
            and _require(name, t("Give a name first."))
        ):
            files = [(upload.name.lstrip("/"), upload.getvalue()) for upload in uploads]
            _restore(workspace, lambda: workspace.archives.restore_files(_below(files), name))


def _import_here(workspace: Workspace) -> None:
    with st.form("import_here", border=False):
        about = t("Path of a folder or of a file")
        path = st.text_input(about, key="import_place", placeholder="~/Documents/notes").strip()
        name = _name("import_here_name", t("The name it has"))
        if _submitted("import_here") and _require(path, t("Give the path of a folder first.")):
            _restore(workspace, lambda: workspace.archives.restore(Path(path), name))


def _name(key: str, placeholder: str) -> str:
    return st.text_input(t("Name"), key=key, max_chars=80, placeholder=placeholder).strip()


def _submitted(form: str) -> bool:
    return widgets.submit(t("Import"), f"{form}_yes", "upload", type="primary")


def _require(value: Value | None, missing: str) -> TypeGuard[Value]:
    if not value:
        st.error(missing)
    return bool(value)


def _below(files: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Return the files by their paths below the folder that holds them all."""
    tops = {name.partition("/")[0] for name, _ in files}
    if len(tops) == 1 and all("/" in name for name, _ in files):
        return [(name.partition("/")[2], data) for name, data in files]
    return files


def _restore(workspace: Workspace, restore: Callable[[], Restored]) -> None:
    with shell.errors():
        try:
            with st.spinner(t("Importing…")):
                restored = restore()
        except ArchiveError as error:
            _mistakes(error)
            return
        workspace.start_indexing()
        arrival.open_restored(restored)
        st.rerun()


def _mistakes(error: ArchiveError) -> None:
    """Draw every mistake of a file with its place."""
    count = t_plural(
        "{path} has {n} mistake, and nothing of it was imported. Correct it, then import it again.",
        "{path} has {n} mistakes, and nothing of it was imported. Correct them, then import it again.",
        n=len(error.mistakes),
        path=error.path,
    )
    st.error(plain(count), icon=":material/error:")
    rows = "".join(f"<div><b>{html(text_of(where))}</b>: {html(text_of(why))}</div>" for where, why in error.mistakes)
    st.html(f'<div class="t-list">{rows}</div>')


COLUMNS = 2
FOLDERS = 3


def page(workspace: Workspace) -> None:
    """Draw a card for every base, and the button that makes another."""
    status = workspace.status()
    about = t("A base is a collection of notes with its own model, splitting and search. A note is in one base.")
    st.html(f'<p class="t-lead">{html(about)}</p>')
    widgets.button(
        t("New base"), "new_base", "add", disabled=workspace.readonly, on_click=arrival.go, args=(arrival.NEW,)
    )
    arrival.text_folders(workspace)
    if not status.bases:
        empty.no_notes(workspace, t("There is no base yet. Make one, or import notes: that makes one too."))
    for column, base in widgets.in_columns(status.bases, COLUMNS):
        with column.container(border=True, height="stretch", key=f"card_{base.base.id}"):
            _card(workspace, base)
    section(workspace)
    trash.draw_trash(workspace)


def _card(workspace: Workspace, status: BaseStatus) -> None:
    base = status.base
    about = f'<div class="t-small">{html(base.description)}</div>' if base.description else ""
    st.html(
        f'<div class="t-name">{html(base.name)}</div>{about}{facts(figures(status))}{arrival.state(workspace, status)}'
    )
    arrival.problems(workspace, base)
    _folders(workspace, status)
    with st.container(horizontal=True, vertical_alignment="center", gap="xxsmall"):
        add = {"on_click": partial(arrival.go, base.name, adding=True), "disabled": jobs.shut(workspace)}
        widgets.button(t("Add notes"), f"add_{base.id}", "note_add", **add)
        widgets.small(t("Settings"), f"open_{base.id}", "tune", on_click=arrival.go, args=(base.name,))
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
                arrival.sync(workspace, base, folder)
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
