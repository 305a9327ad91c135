"""The import of an exported base, or of a folder of notes that then live here."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeGuard, TypeVar

import streamlit as st

from core.base.errors import ArchiveError
from core.model import Restored
from core.workspace import Workspace
from pages.ui.bases import arrival
from pages.ui.shared import jobs, shell, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, t_plural, text_of

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
                t("Folder on this machine"): lambda: _here(workspace),
            }
        )


def _file(workspace: Workspace) -> None:
    with st.form("import_file", border=False):
        about = t("A zip, JSON or YAML file that Tessera exported, or a zip of Markdown notes")
        upload = st.file_uploader(about, type=TYPES, key="import_base_file")
        name = _name("import_file_name", t("The name it has"))
        if _submitted("import_file") and _given(upload, t("Choose a file first.")):
            data = upload.getvalue()
            _made(workspace, lambda: workspace.archives.restore_data(data, upload.name, name))


def _folder(workspace: Workspace) -> None:
    with st.form("import_folder", border=False):
        about = t("A folder of Markdown notes, for instance one that Tessera exported")
        uploads = st.file_uploader(about, ["md", "markdown", "txt"], "directory", key="import_base_folder")
        name = _name("import_folder_name", t("Name of the new base"))
        if (
            _submitted("import_folder")
            and _given(uploads, t("Choose a folder first."))
            and _given(name, t("Give a name first."))
        ):
            files = [(upload.name.lstrip("/"), upload.getvalue()) for upload in uploads]
            _made(workspace, lambda: workspace.archives.restore_files(_below(files), name))


def _here(workspace: Workspace) -> None:
    with st.form("import_here", border=False):
        about = t("Path of a folder or of a file")
        path = st.text_input(about, key="import_place", placeholder="~/Documents/notes").strip()
        name = _name("import_here_name", t("The name it has"))
        if _submitted("import_here") and _given(path, t("Give the path of a folder first.")):
            _made(workspace, lambda: workspace.archives.restore(Path(path), name))


def _name(key: str, placeholder: str) -> str:
    return st.text_input(t("Name"), key=key, max_chars=80, placeholder=placeholder).strip()


def _submitted(form: str) -> bool:
    return widgets.submit(t("Import"), f"{form}_yes", "upload", type="primary")


def _given(value: Value | None, missing: str) -> TypeGuard[Value]:
    if not value:
        st.error(missing)
    return bool(value)


def _below(files: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Return the files by their paths below the folder that holds them all."""
    tops = {name.partition("/")[0] for name, _ in files}
    if len(tops) == 1 and all("/" in name for name, _ in files):
        return [(name.partition("/")[2], data) for name, data in files]
    return files


def _made(workspace: Workspace, restore: Callable[[], Restored]) -> None:
    with shell.errors():
        try:
            with st.spinner(t("Importing…")):
                restored = restore()
        except ArchiveError as error:
            _mistakes(error)
            return
        workspace.start_indexing()
        arrival.opened(restored)
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
