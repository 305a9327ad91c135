"""The dialogs that rename a note, move it into another folder, save it as a file, and read its file otherwise."""

from pathlib import PurePosixPath

import streamlit as st

from core.model import Note
from core.workspace import Workspace
from pages.ui.notes import offers, undo
from pages.ui.shared import shell, widgets
from pages.ui.shared.dialogs import Dialog
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

DIALOG = Dialog("changing_note")
"""One of the dialogs, opened with the id of a note and what is done to it: rename, move, export or read_as."""


def dialog(workspace: Workspace) -> None:
    """Draw the dialog if it is open."""
    if not DIALOG.subject:
        return
    note_id, what = DIALOG.subject
    note = workspace.notes.get(note_id)
    titles = {
        "rename": t("Rename the note"),
        "move": t("Move the note"),
        "export": t("Save the note as a file"),
        "read_as": t("Read the file in another encoding"),
    }
    draw = {"rename": _rename, "move": _move, "export": _export, "read_as": _read_as}[what]
    DIALOG.draw(titles[what], lambda: draw(workspace, note))


def _rename(workspace: Workspace, note: Note) -> None:
    with st.form("rename_note", border=False):
        title = st.text_input(t("Title"), note.title, key=f"rename_{note.id}").strip()
        if widgets.submit(t("Rename"), "rename_yes", "check", type="primary", disabled=workspace.readonly):
            with shell.errors():
                if title and title != note.title:
                    expected = note.version
                    workspace.notes.update(note.id, title=title, expected_version=expected, author="person")
                _done()


def _move(workspace: Workspace, note: Note) -> None:
    base = workspace.bases.by_id(note.base_id).name
    top, before = t("the top of the base"), str(PurePosixPath(note.path or "").parent).removeprefix(".")
    folders = {"": top, **{folder: folder for folder in offers.load_offers(workspace).folders[base]}}
    folders.setdefault(before, before)
    folder = widgets.select_or_type(t("Folder"), folders, before, f"move_{note.id}")
    if widgets.button(t("Move"), "move_yes", "drive_file_move", type="primary", disabled=workspace.readonly):
        with shell.errors():
            moved = workspace.notes.move(note.id, folder, expected_version=note.version)
            if moved.path != note.path:
                text = t("The note is at '{path}' now.", path=moved.path or "")
                undo.offer(plain(text), lambda: workspace.notes.move(note.id, before))
            _done()


def _export(workspace: Workspace, note: Note) -> None:
    st.caption(t("The text with its fields, as Markdown. Pictures and other files beside it are left out."))
    name = PurePosixPath(note.path or "note.md").with_suffix(".txt" if note.plain else ".md").name
    with shell.errors():
        text = workspace.notes.file_text(note.id).encode("utf-8", "replace")
        widgets.download(plain(name), text, name, "text/markdown", "export_note", "download", type="primary")


def _read_as(workspace: Workspace, note: Note) -> None:
    st.caption(
        t(
            "Letters look wrong where a file is read in another encoding than it was written in. Choose the one with which you "
            "can read its first words; later updates of the file use it too."
        )
    )
    with shell.errors():
        found = workspace.documents.encodings(note.id)
        texts = {"": t("Automatic")} | {
            read_as.encoding: f"{read_as.encoding}: {read_as.beginning}" for read_as in found
        }
        chosen = widgets.select(t("Encoding"), texts, f"encoding_{note.id}")
        if widgets.button(t("Read again"), "read_as_yes", "check", type="primary", disabled=workspace.readonly):
            workspace.documents.read_as(note.id, chosen)
            _done()


def _done() -> None:
    DIALOG.close()
    st.rerun()
