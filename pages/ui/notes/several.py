"""The dialog that sets fields of several notes at once; a field without a choice stays as it is in each note."""

from collections.abc import Sequence

import streamlit as st

from core.model import NOTE_FIELDS, fields_of
from core.workspace import Workspace
from pages.ui.notes import notefields, undo
from pages.ui.shared import shell, widgets
from pages.ui.shared.dialogs import Dialog
from pages.ui.shared.text import labels, t, t_plural, text_of

FIELDS_DIALOG = Dialog("setting")
"""The dialog, opened with the ids of the notes."""
WORDS = fields_of("word")
OTHERS = fields_of("number", "status", "day")


def archive_notes(workspace: Workspace, note_ids: Sequence[str]) -> None:
    """Archive notes, and offer to undo it; for callbacks."""
    active = [card.id for card in workspace.notes.all() if card.id in set(note_ids) and card.status != "archived"]
    workspace.notes.archive(active)
    text = t_plural("{n} note is archived.", "{n} notes are archived.", n=len(active))
    undo.offer_undo(text, lambda: workspace.notes.restore(active))


def draw_fields_dialog(workspace: Workspace) -> None:
    """Draw the dialog if it is open."""
    if note_ids := FIELDS_DIALOG.subject:
        title = t_plural("Set fields of {n} note", "Set fields of {n} notes", n=len(note_ids))
        FIELDS_DIALOG.draw(title, lambda: _fields(workspace, note_ids))


def _fields(workspace: Workspace, note_ids: Sequence[str]) -> None:
    cards = workspace.notes.all()
    tags, theirs = list(workspace.notes.tags()), {tag for card in cards if card.id in note_ids for tag in card.tags}
    leave = t("Leave as it is")
    add = notefields.words(st, t("Add tags"), "several_add", tags)
    remove = st.multiselect(t("Remove tags"), sorted(theirs), key="several_remove", placeholder="")
    values: dict[str, object] = {}
    for at in range(0, len(WORDS), 2):
        for column, name in zip(st.columns(2), WORDS[at : at + 2], strict=False):
            label, words = text_of(NOTE_FIELDS[name].title), sorted({getattr(card, name) for card in cards} - {""})
            values[name] = notefields.word(column, label, f"several_{name}", words, placeholder=leave)
    for column, name in zip(st.columns(len(OTHERS)), OTHERS, strict=True):
        key = f"several_{name}"
        match NOTE_FIELDS[name].kind:
            case "status":
                label = text_of(NOTE_FIELDS[name].title)
                values[name] = widgets.select(label, {"": leave, **labels(notefields.STATUSES)}, key, column)
            case "number":
                values[name] = notefields.number(column, name, key, placeholder=leave)
            case _:
                day = notefields.day(column, name, key)
                values[name] = day and day.isoformat()
    chosen = {name: value for name, value in values.items() if value not in (None, "")}
    if widgets.button(
        t("Set"), "several_set", "check", type="primary", disabled=workspace.readonly or not (add or remove or chosen)
    ):
        with shell.errors():
            if add or remove:
                workspace.notes.tag(note_ids, add=add, remove=remove)
            if chosen:
                workspace.notes.set_fields(note_ids, **chosen)  # type: ignore[arg-type]
            FIELDS_DIALOG.close()
            st.rerun()
