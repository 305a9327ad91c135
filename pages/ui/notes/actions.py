"""The actions on the open note, and on the notes that are marked in the list."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import streamlit as st

from core.model import Note
from core.workspace import Workspace
from pages.ui.notes import composer, deletion, history, offers, opened, several, undo
from pages.ui.shared import jobs, names, shell, widgets
from pages.ui.shared.component import component
from pages.ui.shared.dialogs import Dialog
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural

# The dialogs that rename a note, move it into another folder, save it as a file, and read its file otherwise.

DIALOG = Dialog("changing_note")
"""One of the dialogs, opened with the id of a note and what is done to it: rename, move, export or read_as."""


def draw_change_dialog(workspace: Workspace) -> None:
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
                undo.offer_undo(plain(text), lambda: workspace.notes.move(note.id, before))
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


# A note's file in another program: in Obsidian by an obsidian:// address, or in the system's editor.

_LOOPBACK = ("127.0.0.1", "::1", "localhost")

OBSIDIAN = component("obsidian", __file__, "<button type='button'></button>")


def obsidian(note: Note, label: str) -> None:
    """Draw the button that opens a note's file in Obsidian."""
    address = f"obsidian://open?path={quote(str(Path(note.source_ref) / str(note.path)), safe='')}"
    with st.container(key="obsidian", width="content"):
        OBSIDIAN(key=f"obsidian_{note.id}", data={"label": label, "address": address})


def is_here() -> bool:
    """Return whether the browser runs on the machine of the app, so that the user sees programs that open there."""
    return st.context.ip_address is None and st.get_option("server.address") in _LOOPBACK


def new(workspace: Workspace) -> None:
    """Draw the button for a new note, which goes into the current base and folder."""
    begin = {"on_click": shell.guarded(composer.begin_here), "args": (workspace,), "disabled": workspace.readonly}
    widgets.button(t("New note"), "new_note", "edit_square", **begin)


def actions(workspace: Workspace, note: Note) -> None:
    """Draw the actions on an open note."""
    edit, shut = shell.guarded(composer.edit), workspace.readonly
    widgets.button(t("Edit"), "edit_note", "edit", on_click=edit, args=(workspace, note.id), disabled=shut)
    _menu(workspace, note)


def ways(note: Note) -> None:
    """Draw the ways from an open note to its chunks and into another program."""
    widgets.chunk_link(note.id, None, t("See its chunks"))
    if note.in_file:
        obsidian(note, t("Open in Obsidian"))


def marked(workspace: Workspace, note_ids: Sequence[str], base: str) -> None:
    """Draw the actions on the notes that are marked in the list, and on the base that it shows."""
    shut = jobs.shut(workspace)
    with st.container(horizontal=True, key="marked_actions"):
        if note_ids:
            widgets.button(
                t("Set fields…"),
                "set_fields",
                "edit_note",
                disabled=shut,
                on_click=several.FIELDS_DIALOG.open,
                args=(note_ids,),
            )
            archive = shell.guarded(several.archive_notes)
            widgets.button(
                t("Archive"), "archive_notes", "archive", disabled=shut, on_click=archive, args=(workspace, note_ids)
            )
            label = t_plural("Delete {n} note", "Delete {n} notes", n=len(note_ids))
            widgets.button(label, "delete_notes", "delete", disabled=shut, on_click=deletion.ask, args=(note_ids,))
        if base:
            label = t("Delete this base")
            widgets.small(label, "delete_base", "delete", disabled=shut, on_click=deletion.ask, args=((), base))
    deletion.dialog(workspace)
    several.draw_fields_dialog(workspace)


def _menu(workspace: Workspace, note: Note) -> None:
    """Draw the menu of rare actions on a note."""
    key = f"note_menu_{note.id}"

    @shell.guarded
    def chosen() -> None:
        match st.session_state[key]:
            case "rename" | "move" | "export" | "read_as":
                DIALOG.open((note.id, st.session_state[key]))
            case "copy":
                opened.choose(workspace.notes.copy(note.id, embed=False).id)
                workspace.start_indexing()
            case "history":
                history.DIALOG.open(note.id)
            case "archive":
                several.archive_notes(workspace, [note.id])
            case "restore":
                workspace.notes.restore([note.id])
            case "delete":
                deletion.ask([note.id])
            case "open":
                workspace.notes.open_file(note.id)
            case converter:
                workspace.documents.convert(note.id, converter.removeprefix("convert "))

    texts = {"history": t("History"), "export": t("Save as a file…")}
    if note.in_file and is_here():
        texts["open"] = t("Open in the system's editor")
    if not jobs.shut(workspace):
        texts |= {"rename": t("Rename…"), "copy": t("Duplicate")}
        if not note.source_ref:
            texts["move"] = t("Move…")
        archived = note.status == "archived"
        texts |= {"restore": t("Make active again")} if archived else {"archive": t("Archive this note")}
        texts["delete"] = t("Delete this note")
        for name in workspace.documents.converters_of(note.document.kind) if note.document else ():
            texts[f"convert {name}"] = t("Convert again: {how}", how=names.converter(name))
        if workspace.documents.has_encoding(note):
            texts["read_as"] = t("Read as…")
    widgets.menu(t("More"), texts, key, "more_horiz", on_click=chosen)
    history.dialog(workspace)
    draw_change_dialog(workspace)
