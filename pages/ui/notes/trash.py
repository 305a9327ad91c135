"""Deleting notes and bases, and the trash for deleted notes."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from core.base.messages import message_table
from core.model import Trashed
from pages.ui.notes import opened
from pages.ui.notes.history import clear_undo, offer_undo
from pages.ui.shared.names import base_name, local
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, join_facts, sentences, small_print, t, t_plural, text_of
from pages.ui.shared.widgets import Dialog, caption, frame, more, row, small

# The trash, from which deleted notes can be restored or permanently deleted.

_SHOWN = 50
_DIALOG = Dialog("emptying")
BY = message_table(
    {
        "person": "deleted by you, {at}",
        "program": "deleted by a program, {at}",
        "pack": "deleted by a pack, {at}",
        "sync": "its file was missing during the update, {at}",
    }
)


def draw(base: str, text: str) -> None:
    """Draw the deleted notes whose title or path contains `text`. If `base` is "", include the notes from all bases."""
    st.caption(
        t_plural(
            "Deleted notes stay here for {n} day.",
            "Deleted notes stay here for {n} days.",
            n=workspace.trash.stays.days,
        )
    )
    if any(trashed_base.titles for trashed_base in workspace.archives.trash()):
        small_print("After a note is removed from the trash, you can restore it on the Bases page for one more week.")
    look = text.casefold()
    found = [
        trashed
        for trashed in workspace.trash.all(base or None)
        if look in trashed.version.title.casefold() or look in (trashed.path or "").casefold()
    ]
    if not found:
        small_print("There are no deleted notes here.")
    for trashed in found[:_SHOWN]:
        _row(trashed)
    more(len(found) - _SHOWN)
    if found:
        ids = [trashed.version.note_id for trashed in found]
        with row():
            _restoring(t_plural("Restore {n} note", "Restore all {n} notes", n=len(ids)), "trash_restore_all", ids)
            label = t_plural("Delete {n} note", "Delete {n} notes", n=len(ids)) if look else t("Empty the trash")
            small(label, "trash_empty", "delete_forever", _DIALOG.open, ids, writes=True)
    _dialog()


def gone(note_id: str) -> None:
    """Draw a message that a note no longer exists. If it is in the trash, offer to restore it."""
    trashed = next((trashed for trashed in workspace.trash.all() if trashed.version.note_id == note_id), None)
    st.info(t("This note is in the trash.") if trashed else t("This note no longer exists."), icon=":material/delete:")
    if trashed:
        _row(trashed)
        _dialog()


def _row(trashed: Trashed) -> None:
    base = base_name(workspace.bases.by_id(trashed.base_id).name)
    note_id = trashed.version.note_id
    with frame(f"trash_{note_id}"):
        st.markdown(f"**{plain(trashed.version.title)}**")
        about = text_of(BY[trashed.version.author], at=local(trashed.version.at))
        caption(join_facts([base, trashed.path, about]))
        with row():
            _restoring(t("Restore"), f"restore_{note_id}", [note_id])
            small("Delete for good", f"forget_{note_id}", "delete_forever", _DIALOG.open, [note_id], writes=True)


def _restoring(label: str, key: str, note_ids: Sequence[str]) -> None:
    def restore() -> None:
        workspace.trash.restore(note_ids)
        clear_undo()
        if len(note_ids) == 1:
            opened.choose(note_ids[0])

    small(label, key, "restore_from_trash", restore, writes=True)


def _dialog() -> None:
    note_ids = _DIALOG.subject
    if not note_ids:
        return

    def delete() -> None:
        workspace.trash.delete_for_good(note_ids)
        clear_undo()

    _DIALOG.confirm(
        t_plural("Delete {n} note for good", "Delete {n} notes for good", n=len(note_ids)),
        t("The text, its history and your edits to passages can't be restored afterwards. Files on disk are kept."),
        "forget",
        delete,
    )


# Maximum number of notes to name in the dialog. Any others are only counted.
NAMED = 5

DIALOG = Dialog("deleting")


def ask(note_ids: Sequence[str], base: str = "") -> None:
    """Open the dialog that asks to confirm the deletion of notes, or of a base if `base` is given.

    Use this in callbacks.
    """
    DIALOG.open((list(note_ids), base))


def dialog() -> None:
    """Draw the dialog that asks to confirm a deletion, if it is open."""
    note_ids, base = DIALOG.subject or ([], "")
    if base:
        _base(base)
    elif note_ids:
        _notes(note_ids)


def _base(base: str) -> None:
    if not workspace.bases.find(base):
        DIALOG.close()
        return

    notes = workspace.notes.counts(base).notes

    def delete() -> None:
        with busy("Deleting…"):
            workspace.bases.delete(base)
        opened.forget()

    DIALOG.confirm(
        plain(t_plural("Delete '{base}' with {n} note", "Delete '{base}' with {n} notes", n=notes, base=base)),
        t_plural(
            "The base is moved to the trash with its notes, their history, question sets and test runs. You can "
            "restore it on the Bases page for {n} day. Files on disk are kept.",
            "The base is moved to the trash with its notes, their history, question sets and test runs. You can "
            "restore it on the Bases page for {n} days. Files on disk are kept.",
            n=workspace.archives.trash_stays.days,
        ),
        "delete",
        delete,
    )


def _notes(note_ids: Sequence[str]) -> None:
    cards = [card for card in workspace.notes.all() if card.id in note_ids]
    if not cards:
        DIALOG.close()
        return

    def delete() -> None:
        before = opened.note_id()

        def restore() -> None:
            workspace.trash.restore([card.id for card in cards])
            if before in note_ids:
                opened.choose(before)

        with busy("Deleting…"):
            folders = workspace.trash.put(note_ids)
        opened.forget(note_ids)
        texts = [t_plural("{n} note was moved to the trash.", "{n} notes were moved to the trash.", n=len(cards))]
        texts += [
            t("The system has no trash for these files, so they were moved to {folder}.", folder=name)
            for name in sorted(map(str, folders))
        ]
        offer_undo(sentences(texts), restore)

    names = [f"- {plain(card.title)}{f' · {plain(card.path)}' if card.path else ''}" for card in cards[:NAMED]]
    if len(cards) > NAMED:
        names.append(f"- {t('and {n} more', n=len(cards) - NAMED)}")
    texts = [
        "\n".join(names),
        t_plural(
            "What you delete can be restored from the trash for {n} day, with its history and your edits to passages.",
            "What you delete can be restored from the trash for {n} days, with its history and your edits to passages.",
            n=workspace.trash.stays.days,
        ),
    ]
    if linking := {*workspace.notes.links().to(*(card.id for card in cards))}.difference(note_ids):
        texts.append(
            t_plural(
                "{n} other note links to what you're deleting.",
                "{n} other notes link to what you're deleting.",
                n=len(linking),
            )
        )
    files = Counter(workspace.files.is_owned(card) for card in cards if card.in_file)
    if moved := files[True]:
        texts.append(
            t_plural(
                "The file will be moved to the system's trash. Restoring the note recreates the file.",
                "The files will be moved to the system's trash. Restoring a note recreates its file.",
                n=moved,
            )
        )
    if files[False]:
        texts.append(t("Files that Tessera only reads stay on disk. Updates skip them until they change."))
    DIALOG.confirm(t_plural("Delete {n} note", "Delete {n} notes", n=len(cards)), "\n\n".join(texts), "delete", delete)
