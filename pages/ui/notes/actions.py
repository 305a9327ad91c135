"""The actions on the open note, and on the notes that are marked in the list."""

from collections.abc import Sequence

import streamlit as st

from core.model import Note
from core.workspace import Workspace
from pages.ui.notes import changing, composer, deletion, history, opened, outside, several
from pages.ui.shared import jobs, names, shell, widgets
from pages.ui.shared.text import t, t_plural


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
        outside.obsidian(note, t("Open in Obsidian"))


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
                on_click=several.DIALOG.open,
                args=(note_ids,),
            )
            archive = shell.guarded(several.archive)
            widgets.button(
                t("Archive"), "archive_notes", "archive", disabled=shut, on_click=archive, args=(workspace, note_ids)
            )
            label = t_plural("Delete {n} note", "Delete {n} notes", n=len(note_ids))
            widgets.button(label, "delete_notes", "delete", disabled=shut, on_click=deletion.ask, args=(note_ids,))
        if base:
            label = t("Delete this base")
            widgets.small(label, "delete_base", "delete", disabled=shut, on_click=deletion.ask, args=((), base))
    deletion.dialog(workspace)
    several.dialog(workspace)


def _menu(workspace: Workspace, note: Note) -> None:
    """Draw the menu of rare actions on a note."""
    key = f"note_menu_{note.id}"

    @shell.guarded
    def chosen() -> None:
        match st.session_state[key]:
            case "rename" | "move" | "export" | "read_as":
                changing.DIALOG.open((note.id, st.session_state[key]))
            case "copy":
                opened.choose(workspace.notes.copy(note.id, embed=False).id)
                workspace.start_indexing()
            case "history":
                history.DIALOG.open(note.id)
            case "archive":
                several.archive(workspace, [note.id])
            case "restore":
                workspace.notes.restore([note.id])
            case "delete":
                deletion.ask([note.id])
            case "open":
                workspace.notes.open_file(note.id)
            case converter:
                workspace.documents.convert(note.id, converter.removeprefix("convert "))

    texts = {"history": t("History"), "export": t("Save as a file…")}
    if note.in_file and outside.is_here():
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
    changing.dialog(workspace)
