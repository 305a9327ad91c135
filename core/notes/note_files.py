"""Files of notes: checking, reading, exporting and opening them."""

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.base.call_log import log_call
from core.base.errors import SourceError
from core.model import NOTE_SUFFIXES, Note, NoteSummary, Revision
from core.notes import file_writing
from core.notes.writer import Writer
from core.store import Store


class Files:
    """The files of the notes in all bases."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store, self._writer = store, writer

    def is_writable(self, note: Note) -> bool:
        """Return whether a note has a file that Tessera is allowed to write."""
        return note.in_text_file and self.is_owned(note)

    def is_owned(self, note: Note | NoteSummary) -> bool:
        """Return whether a note has a file that is moved and deleted with the note."""
        return note.in_file and self._store.bases.by_id(note.base_id).write_files

    def text(self, note_id: str) -> str:
        """Return a note as the text of a file; raises NoteNotFound, and EditError for fields that a file can't hold."""
        return file_writing.text_of(self._store.notes.note(note_id))

    def export(self, note_id: str, place: Path) -> str:
        """Write `text` to a new file and return it; raises ConfigError if the path is taken."""
        text = self.text(note_id)
        file_writing.export(text, place)
        return text

    @log_call("note.sync")
    def read(self, note_id: str) -> Note:
        """Read a note's file again; if the file has changed, make a new version. Return the note."""
        with self._store.changing:
            self._store.database.check_writable()
            note = self._store.notes.note(note_id)
            if not file_writing.is_synced(note):
                read = replace(file_writing.read(note), change=Revision("sync", "sync"))
                self._writer.write(self._store.bases.by_id(note.base_id), [read])
                self._store.leave_pending()
        return self._store.notes.note(note_id)

    def give_back(self, note_id: str, names: Iterable[str]) -> Note:
        """Reset fields to the values in the note's file; return the note."""
        given = set(names)

        def change(note: Note) -> Note:
            own: dict[str, Any] = {name: value for name, value in note.overridden.items() if name in given}
            rest = {name: value for name, value in note.overridden.items() if name not in given}
            return replace(note, overridden=rest, **own)

        return self._writer.change(note_id, change, Revision("update", "person"))

    def open(self, note_id: str) -> None:
        """Open a note's file in its default program.

        Raises NoteNotFound, and SourceError if the file is missing or no program opens it.
        """
        note = self._store.notes.note(note_id)
        path = Path(note.source_ref) / str(note.path) if note.in_file else Path()
        if not (path.is_file() and path.name.lower().endswith(NOTE_SUFFIXES)):
            raise SourceError(str(path), "this file no longer exists.")
        try:
            if sys.platform == "win32":
                os.startfile(path)
            else:
                program, nothing = "open" if sys.platform == "darwin" else "xdg-open", subprocess.DEVNULL
                subprocess.Popen(
                    [program, str(path)], stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
                )
        except OSError as error:
            raise SourceError(str(path), "the system has no program that can open it.") from error
