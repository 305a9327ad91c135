"""Actions on the open note and on selected notes, with their dialogs."""

import posixpath
from collections.abc import Sequence
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import quote

import streamlit as st
from streamlit import session_state

from core.base.errors import EditError
from core.base.frozen import Values
from core.model import NOTE_FIELDS, KnowledgeBase, Note, Renaming, fields_of
from pages.ui.notes import composer, history, note_fields, opened, session, trash
from pages.ui.notes.files import note_page
from pages.ui.notes.history import offer_undo
from pages.ui.notes.places import base_of
from pages.ui.shared import names, shell
from pages.ui.shared.jobs import is_shut
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import sentences, small_print, t, t_plural, text_of, with_label
from pages.ui.shared.widgets import (
    Dialog,
    button,
    caption,
    chunk_link,
    close,
    component,
    download,
    errors,
    form,
    in_columns,
    menu,
    more,
    row,
    select,
    select_in,
    select_or_type,
    small,
    submit,
    text_input,
)

# The dialog for setting fields on several notes at once. Fields left empty stay unchanged.

# Dialog for setting fields on notes. Its subject is the notes' ids.
FIELDS_DIALOG = Dialog("setting")
WORDS = fields_of("word")
OTHERS = fields_of("number", "status", "day")


def archive_notes(note_ids: Sequence[str]) -> None:
    """Archive those of the notes that aren't archived yet, and offer to undo this. Use this in callbacks."""
    active = [card.id for card in workspace.notes.cards_of(note_ids).values() if card.status != "archived"]
    workspace.notes.archive(active)
    offer_undo(
        t_plural("{n} note was archived.", "{n} notes were archived.", n=len(active)),
        lambda: workspace.trash.restore(active),
    )


def draw_dialogs() -> None:
    """Draw the open dialog for an action on notes, if any."""
    trash.dialog()
    if DIALOG.subject:
        note_id, what = DIALOG.subject
        title, draw = {
            "rename": (t("Rename the note"), _rename),
            "export": (t("Save the note as a file"), _export),
            "read_as": (t("Read the file in another encoding"), _read_as),
        }[what]
        DIALOG.draw(title, partial(draw, workspace.notes.get(note_id)))
    if note_ids := FIELDS_DIALOG.subject:
        FIELDS_DIALOG.draw(
            t_plural("Set fields of {n} note", "Set fields of {n} notes", n=len(note_ids)),
            lambda: _fields(note_ids),
        )
    if moving := MOVE_DIALOG.subject:
        MOVE_DIALOG.draw(t_plural("Move {n} note", "Move {n} notes", n=len(moving)), lambda: _move(moving))


def _fields(note_ids: Sequence[str]) -> None:
    cards = workspace.notes.all()
    theirs = {tag for card in cards if card.id in note_ids for tag in card.tags}
    leave = t("Leave as it is")
    add = note_fields.words_box(st, t("Add tags"), "several_add", list(workspace.vocabulary.tags()))
    remove = st.multiselect(t("Remove tags"), sorted(theirs), key="several_remove", placeholder="")
    values: Values = {}
    for column, name in in_columns(WORDS, 2):
        label = text_of(NOTE_FIELDS[name].title)
        values[name] = note_fields.word_box(
            column, label, f"several_{name}", sorted({getattr(card, name) for card in cards} - {""}), placeholder=leave
        )
    for column, name in zip(st.columns(len(OTHERS)), OTHERS, strict=True):
        key = f"several_{name}"
        label = text_of(NOTE_FIELDS[name].title)
        match NOTE_FIELDS[name].kind:
            case "status":
                values[name] = select_in(column, label, {"": leave, **note_fields.STATUSES}, key)
            case "number":
                values[name] = note_fields.number_box(column, label, key, placeholder=leave)
            case _:
                day = note_fields.day_box(column, label, key)
                values[name] = day and day.isoformat()
    chosen = {name: value for name, value in values.items() if value not in (None, "")}
    why = "" if add or remove or chosen else t("First choose a value or tag above.")
    if button("Set fields", "several_set", "check", type="primary", writes=True, disabled=why):
        with errors():
            if add or remove:
                workspace.notes.tag(note_ids, add=add, remove=remove)
            if chosen:
                workspace.notes.set_fields(note_ids, **chosen)  # type: ignore[arg-type]
            FIELDS_DIALOG.finish()


# The dialogs for renaming, moving and exporting notes, and for changing the encoding of a note's file.

# Dialog for an action on one note. Its subject is the note's id and "rename", "export" or "read_as".
DIALOG = Dialog("changing_note")
# Dialog for moving notes. Its subject is the notes' ids.
MOVE_DIALOG = Dialog("moving")
# Preference that says whether renaming a note also renames its file: "on" or "off".
_FILES = "rename_files"
_RAW = "raw"
# Maximum number of notes to list that link to a renamed note.
_SHOWN = 8


def _rename(note: Note) -> None:
    with form("rename_note"):
        title = text_input("Title", f"rename_{note.id}", note.title).strip()
        file = note.in_file
        if workspace.files.is_writable(note):
            file = st.checkbox(
                t("Rename the file too"), workspace.preferences.get(_FILES) != "off", key=f"rename_file_{note.id}"
            )
        linking = workspace.renames.plan(note.id, note.title).linking
        if linking:
            st.caption(
                t_plural(
                    "Links in {n} note will be updated too:", "Links in {n} notes will be updated too:", n=len(linking)
                )
            )
            st.markdown("\n".join(f"- {plain(note.title)}" for note in linking[:_SHOWN]))
            more(len(linking) - _SHOWN)
        if submit("Rename", "rename_yes", "check", type="primary", writes=True):
            with errors():
                if workspace.files.is_writable(note):
                    workspace.preferences.set(_FILES, "on" if file else "off")
                if title and title != note.title:
                    done = workspace.renames.rename(note.id, title, file=file, expected_version=note.version)
                    _offer_undo([done], t("'{before}' was renamed to '{title}'.", before=note.title, title=title))
                DIALOG.finish()


def draw_retitled(note: Note) -> None:
    """If a note's title was changed in the editor, offer to rename its file and to update links to it."""
    note_id, before = session_state.get(composer.RETITLED, ("", ""))
    if note_id != note.id or workspace.readonly:
        return
    plan = workspace.renames.plan(note.id, note.title, title_before=before)
    is_file = workspace.files.is_writable(note) and plan.path != note.path
    n = len(plan.linking)
    if note.title == before or not (is_file or n):
        _forget_title()
        return

    def follow() -> None:
        done = workspace.renames.rename(note.id, note.title, title_before=before, expected_version=note.version)
        _forget_title()
        _offer_undo([done], t("'{before}' was renamed to '{title}'.", before=before, title=note.title))

    texts = [
        t_plural("{n} note links to the old title.", "{n} notes link to the old title.", n=n) if n else "",
        t("The file is still called '{name}'.", name=PurePosixPath(note.path or "").name) if is_file else "",
    ]
    label = t("Rename file and update links") if is_file and n else t("Rename file") if is_file else t("Update links")
    with row("retitled"):
        caption(sentences(texts), width="content")
        small(label, "retitled_yes", "check", follow)
        close("retitled_no", "Leave as is", _forget_title)


def _forget_title() -> None:
    session_state.pop(composer.RETITLED, None)


def _offer_undo(done: Sequence[Renaming], text: str) -> None:
    """Show the result of renaming or moving notes, with a button that undoes the change.

    `text` says what was done. Any links that couldn't be updated are listed.
    """
    linking = [link for renaming in done for link in renaming.linking]
    changed = len({link.id for link in linking if link.refusal is None})
    texts = [
        text,
        t_plural("Links in {n} note were updated.", "Links in {n} notes were updated.", n=changed) if changed else "",
    ]
    texts += [
        t("Links in '{title}' were not changed: {why}", title=link.title, why=link.refusal)
        for link in linking
        if link.refusal
    ]

    offer_undo(sentences(texts), partial(workspace.renames.undo, *done))


def _move(note_ids: Sequence[str]) -> None:
    first = workspace.notes.get(note_ids[0])
    base = base_of(first)
    before = str(PurePosixPath(first.path or "").parent).removeprefix(".")
    folders = {"": t("the top level"), **{folder: folder for folder in session.load_offers().folders[base]}}
    folders.setdefault(before, before)
    folder = select_or_type("Folder", folders, before, f"move_{'_'.join(note_ids)}")
    if button("Move", "move_yes", "drive_file_move", type="primary", writes=True):
        with errors():
            _move_into(note_ids, folder)
            MOVE_DIALOG.finish()


def _move_into(note_ids: Sequence[str], folder: str) -> None:
    """Move notes into a folder of their base, or to its top level if `folder` is "". Offer to undo the move."""
    done = workspace.renames.move(note_ids, folder)
    if moved := [renaming for renaming in done if renaming.path != renaming.path_before]:
        text = t("The note is now at '{path}'.", path=moved[0].path)
        if len(moved) > 1:
            text = t("{n} notes are now in '{folder}'.", n=len(moved), folder=folder or t("the top level"))
        _offer_undo(moved, text)


def drop(note_ids: Sequence[str], base: str, folder: str) -> None:
    """Move dragged notes into a folder of their base.

    `base` is the target base, or "" for the notes' own base. Raises EditError if a note is in another base.
    """
    if base and any(card.base != base for card in workspace.notes.cards_of(note_ids).values()):
        raise EditError("Notes can only be moved within their own base.")
    _move_into(note_ids, folder)


def _export(note: Note) -> None:
    path = PurePosixPath(note.path or "note.md")
    name = path.with_suffix(".txt" if note.plain else ".md").name
    page = path.with_suffix(".html").name
    with errors():
        small_print("Saves the text and fields as Markdown, without pictures and attachments.")
        download(
            plain(name),
            workspace.files.text(note.id).encode("utf-8", "replace"),
            name,
            "text/markdown",
            "export_note",
            "download",
            type="primary",
        )
        small_print(
            "Saves the note as it looks here, as a single web page that includes its pictures, for printing or sharing."
        )
        download(plain(page), note_page(note), page, "text/html", "export_page", "description")


def _read_as(note: Note) -> None:
    small_print(
        "If characters look wrong, the file was read in the wrong encoding. Choose the encoding that shows the "
        "first words correctly. Later updates of the file use this encoding too."
    )
    with errors():
        chosen = select(
            "Encoding",
            {"": t("Automatic")}
            | {
                read_as.encoding: with_label(read_as.encoding, read_as.beginning)
                for read_as in workspace.documents.encodings(note.id)
            },
            f"encoding_{note.id}",
        )
        if button("Read again", "read_as_yes", "check", type="primary", writes=True):
            workspace.documents.read_as(note.id, chosen)
            DIALOG.finish()


# Opening a note's file in another program: Obsidian (by an obsidian:// URL) or the system's editor.

_LOOPBACK = ("127.0.0.1", "::1", "localhost")

OBSIDIAN = component("obsidian", __file__, "<button type='button'></button>")


def is_here() -> bool:
    """Return whether the browser runs on the same machine as the app.

    Only then can the user see a program opened by the app.
    """
    return st.context.ip_address is None and st.get_option("server.address") in _LOOPBACK


def is_raw() -> bool:
    """Return whether notes are shown as raw Markdown."""
    return bool(session_state.get(_RAW))


def actions(note: Note) -> None:
    """Draw the edit button and the menu of an open note."""
    button("Edit", "edit_note", "edit", composer.edit, note.id, help="Key: E", writes=True)
    note_id = note.id

    def choose(action: str) -> None:
        match action:
            case "rename" | "export" | "read_as":
                DIALOG.open((note_id, action))
            case "move":
                MOVE_DIALOG.open([note_id])
            case "copy":
                copy = copy_note(note)
                opened.choose(copy.id)
                text = t("The copy is at '{path}'.", path=copy.path)
                offer_undo(text, partial(workspace.trash.take_back, copy.id))
            case "history":
                history.DIALOG.open(note_id)
            case "pin":
                shell.toggle_pin(note_id)
                if note_id in shell.pinned_notes():
                    text = t("'{title}' is now listed first on Home and under Ctrl+O.", title=plain(note.title))
                    st.toast(text, icon=":material/keep:")
            case "view":
                session_state[_RAW] = not is_raw()
            case "archive":
                archive_notes([note_id])
            case "restore":
                workspace.trash.restore([note_id])
            case "delete":
                trash.ask([note_id])
            case "open":
                workspace.files.open(note_id)
            case converter:
                workspace.documents.convert(note_id, converter.removeprefix("convert "))

    texts = {
        "pin": t("Unpin") if note_id in shell.pinned_notes() else t("Pin"),
        "history": t("History"),
        "view": t("Show the formatted text") if is_raw() else t("Show the raw text"),
        "export": t("Save as a file…"),
    }
    if note.in_file and is_here():
        texts["open"] = t("Open in the system's editor")
    if not is_shut():
        texts |= {"rename": t("Rename…"), "copy": t("Duplicate"), "move": t("Move…")}
        if note.status == "archived":
            texts["restore"] = t("Make active again")
        else:
            texts["archive"] = t("Archive this note")
        texts["delete"] = t("Delete this note")
        for name in workspace.documents.converters_of(note.document.kind) if note.document else ():
            texts[f"convert {name}"] = t("Convert again: {how}", how=names.converter(name))
        if workspace.documents.has_encoding(note):
            texts["read_as"] = t("Change the encoding…")
    menu("More", texts, f"note_menu_{note_id}", "more_horiz", choose)
    history.dialog()


def ways(note: Note) -> None:
    """Draw the links that open a note on the Chunks page and, if it is a file, in Obsidian."""
    chunk_link(note.id, None, t("How it is split"))
    if note.in_file:
        address = f"obsidian://open?path={quote(str(note.file), safe='')}"
        with st.container(key="obsidian", width="content"):
            OBSIDIAN(key=f"obsidian_{note.id}", data={"label": t("Open in Obsidian"), "address": address})


def marked(note_ids: Sequence[str]) -> None:
    """Draw the buttons for the actions on the notes selected in the list."""
    shut = is_shut() or ("" if note_ids else t("First tick the boxes to the left of the notes."))
    label = t_plural("Delete {n} note", "Delete {n} notes", n=len(note_ids)) if note_ids else t("Delete")
    with row("marked_actions"):  # always drawn, so that the table doesn't move when a first note is selected
        button("Set fields…", "set_fields", "edit_note", FIELDS_DIALOG.open, note_ids, disabled=shut)
        button("Move…", "move_notes", "drive_file_move", MOVE_DIALOG.open, note_ids, disabled=shut)
        button("Archive", "archive_notes", "archive", archive_notes, note_ids, disabled=shut)
        button(label, "delete_notes", "delete", trash.ask, note_ids, disabled=shut)


def copy_note(note: Note) -> Note:
    """Copy a note into the same folder, with a title that no note has yet. Return the copy."""
    return workspace.notes.copy(note.id, title=_copy_title(note), embed=False)


def fixed_base(note: Note) -> KnowledgeBase | None:
    """Return a note's base if the note is a file that Tessera doesn't change, or None if its text can be edited."""
    fixed = note.in_file and not workspace.files.is_writable(note)
    return workspace.bases.by_id(note.base_id) if fixed else None


def begin_copy(note: Note, *, caret: int, back: str) -> None:
    """Open a copy of a note in the editor. It is saved once the user changes it, and then replaces the note.

    The note is archived at that time, unless it has changed since the copy was made.

    `caret` and `back` are as in `composer.edit`.
    """
    composer.begin(
        base_of(note),
        folder=posixpath.dirname(note.location),
        body=note.body,
        fields=session.fields_of(note) | {"title": _copy_title(note)},
        caret=caret,
        back=back,
        copy_of=note.id,
        copied_version=note.version,
    )


def _copy_title(note: Note) -> str:
    """Return a title for a copy of a note, numbered if another note already has it."""
    taken = {card.title for card in workspace.notes.all()}
    name = title = t("{title} (copy)", title=note.title)
    number = 1
    while title in taken:
        number += 1
        title = f"{name} {number}"
    return title
