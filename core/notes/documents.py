"""The documents that notes were converted from, and files that couldn't be read.

Original files can be read and converted again.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from core.base.call_log import log_call
from core.base.encodings import ENCODINGS, display_encoding, normalize_encoding
from core.base.errors import EditError, ModelError, SourceError, UnknownChoice
from core.base.frozen import AnyValues, attributes
from core.documents import CONVERTERS
from core.documents.converting import converters_for
from core.documents.kinds import MAX_BYTES, installed
from core.indexing.bases import Bases
from core.intake import folder, notefile, webpage
from core.intake.encoding import readings
from core.intake.folder import content_hash
from core.intake.notefile import is_text, parse_note
from core.intake.webpage import WebPage
from core.markdown.outline import Outline
from core.model import (
    NOTE_FIELDS,
    ConverterCard,
    Document,
    Failed,
    IncompleteNote,
    Note,
    Original,
    ReadAs,
    Revision,
    TextEncoding,
)
from core.notes import file_writing
from core.notes.attachments import is_inside
from core.notes.file_writing import chosen_in
from core.notes.writer import Writer
from core.settings.preferences import Preferences
from core.store import Store
from core.store.note_to_index import NoteToIndex

_WEB = "web_pages"
# Note attributes replaced when a document is converted again. The title and fields are kept.
_TEXTS = ("front", "body", "body_start", "links", "document", "warnings", "left_out", "encoding")
# Note attributes kept when a file is read in another encoding.
_KEPT = "id base_id generation version path source source_ref source_url".split()


@dataclass
class Documents:
    """The documents in a workspace.

    Methods that take a note raise NoteNotFound, and EditError if the note wasn't converted from a document.
    """

    converters_of = staticmethod(converters_for)

    _store: Store
    _preferences: Preferences
    _bases: Bases
    _writer: Writer

    def __post_init__(self) -> None:
        self._notes = self._store.notes

    @property
    def asks_web(self) -> bool:
        """Whether the user allows the Notes page to fetch web pages."""
        return self._preferences.get(_WEB) == "on"

    def let_ask_web(self, let: bool) -> None:
        """Store whether the Notes page is allowed to fetch web pages."""
        self._preferences.set(_WEB, "on" if let else "off")

    @staticmethod
    def converters() -> list[ConverterCard]:
        """Return all converters, including those whose packages can't be loaded."""
        cards = []
        for name in CONVERTERS:
            try:
                made = CONVERTERS.build(name)
                cards.append(ConverterCard(name, made.version, tuple(made.kinds.split()), installed(name)))
            except ModelError as error:
                cards.append(ConverterCard(name, "", (), False, error.message))
        return cards

    @staticmethod
    def page(address: str) -> WebPage:
        """Fetch a web page from a public address. Raises SourceError."""
        return webpage.fetch(address)

    def unread(self, base: str) -> list[Failed]:
        """Return the files that the base's last update couldn't read, with the reasons. Raises UnknownChoice."""
        return self._store.documents.unread(self._bases.get(base))

    def incomplete(self, base: str) -> list[IncompleteNote]:
        """Return the notes in a base that are missing parts of their files. Raises UnknownChoice."""
        return self._store.documents.incomplete(self._bases.get(base))

    def original(self, note_id: str) -> Original:
        """Return the file that a note was converted from.

        Raises SourceError if the file is gone, or is outside the folder that the note's base was synced with.
        """
        note, document = self._read(note_id)
        name = Path(note.path or f"{note.title}.{document.kind}").name
        if not document.original:
            path = note.file
            if note.in_file and self._store.bases.is_synced(note.base_id, note.source_ref):
                with suppress(OSError, RuntimeError, ValueError):  # RuntimeError: a symlink loop
                    if is_inside(path, note.folder, MAX_BYTES):
                        return Original(name, document.kind, path=str(path.resolve()))
            raise SourceError(str(path), "This file no longer exists.")
        if (data := self._store.documents.original(document.original)) is None:
            raise SourceError(name, "This file no longer exists.")
        return Original(name, document.kind, data=data)

    def save_original(self, note_id: str, place: Path) -> Original:
        """Copy the file that a note was converted from to the path `place`, and return the copy.

        Raises SourceError if the file is gone, and ConfigError if the path is taken.
        """
        original = self.original(note_id)
        data = original.data or folder.read(Path(original.path).parent, Path(original.path).name)
        return replace(original, path=str(file_writing.export(data, place)))

    @log_call("document.convert")
    def convert(self, note_id: str, converter: str = "") -> Note:
        """Convert a note's document again, with another converter or the default one, and return the note.

        No new version is created if the text is unchanged. Edits to chunks whose text is unchanged are kept. Raises
        SourceError if the document can't be converted, and UnknownChoice if the converter is unknown.
        """
        self._store.check_writable()
        note, document = self._read(note_id)
        original = self.original(note_id)
        path = str(note.path or original.name)
        data = original.data
        stamp = self._notes.indexed_as(note_id)
        if original.path:
            state = Path(original.path).stat()
            data = folder.read(note.folder, path)
            stamp |= {"mtime_ns": state.st_mtime_ns, "size": state.st_size, "stamp": ""}
        made, outline = notefile.read(
            data, path, document=replace(document, chosen=converter), encoding=chosen_in(note)
        )
        with self._store.changing:
            now = self._notes.note(note_id)
            made = replace(now, **attributes(made, _TEXTS), content_hash=content_hash(data))
            alike = replace(made, document=now.document, content_hash=now.content_hash)
            if alike == now and made.document and made.document.pages == (now.document and now.document.pages):
                self._notes.describe(made)
                self._notes.touch([(note_id, stamp["mtime_ns"], stamp["size"], stamp["stamp"])])
                return self._notes.note(note_id)
            self._write(made, outline, stamp)
        self._writer.index([note_id], embed=True)
        return self._notes.note(note_id)

    def _write(self, note: Note, outline: Outline, stamp: AnyValues) -> None:
        """Write a note that was read again. `stamp` holds values for NoteToIndex, such as the file's `mtime_ns`."""
        self._writer.write(
            self._store.base(note.base_id),
            [NoteToIndex(note, change=Revision("sync", "sync"), outline=outline, **stamp)],
        )

    @staticmethod
    def has_encoding(note: Note) -> bool:
        """Return whether a note's file is a text file, so that its encoding can be chosen."""
        return bool(note.source_ref and note.path) and (note.document is None or is_text(note.document.kind))

    def encodings(self, note_id: str) -> list[ReadAs]:
        """Return the encodings in which a note's file can be read, most likely first.

        Raises the same errors as `read_as`.
        """
        note = self._notes.note(note_id)
        return readings(self._bytes(note), note.location)

    @log_call("document.read_as")
    def read_as(self, note_id: str, encoding: str = "") -> Note:
        """Read a note's file in an encoding, now and at each update. If `encoding` is "", the encoding is detected.

        Edits to chunks whose text is unchanged are kept. Raises UnknownChoice if the encoding is unknown, EditError if
        the note has no text file or the file doesn't fit the encoding, and SourceError if the file can't be read.
        """
        self._store.check_writable()
        if encoding and not normalize_encoding(encoding):
            raise UnknownChoice("encoding", encoding, list(ENCODINGS.values()))
        chosen = display_encoding(normalize_encoding(encoding)) if encoding else ""
        note = self._notes.note(note_id)
        data = self._bytes(note)
        made, outline = notefile.read(data, note.location, plain=note.plain, document=note.document, encoding=chosen)
        if chosen and made.encoding != TextEncoding(chosen, "chosen"):
            raise EditError(
                "'{path}' can't be read as {encoding}. Choose another encoding.", path=note.path, encoding=chosen
            )
        with self._store.changing:
            now = self._notes.note(note_id)
            kept = attributes(now, _KEPT)
            if not now.in_file:  # keep what was set in Tessera (for notes in files, it is in `overridden`)
                read = parse_note((now.front or "") + now.body, now.location, plain=now.plain).note
                kept |= {name: value for name in NOTE_FIELDS if (value := getattr(now, name)) != getattr(read, name)}
            made = replace(made, **kept, content_hash=content_hash(data), updated_at=made.updated_at or now.updated_at)
            self._write(made, outline, self._notes.indexed_as(note_id))
        self._writer.index([note_id], embed=True)
        return self._notes.note(note_id)

    def _bytes(self, note: Note) -> bytes:
        """Return the bytes of a note's file. For uploaded text, return the bytes that were uploaded."""
        if not self.has_encoding(note):
            raise EditError("'{title}' has no text file to choose an encoding for.", title=note.title)
        if note.document and note.document.original:
            return self.original(note.id).data
        if note.in_file:
            return folder.read(note.folder, note.location)
        read_in = normalize_encoding(note.encoding.name) if note.encoding else "utf-8"
        try:
            return ((note.front or "") + note.body).encode(read_in)
        except UnicodeEncodeError as error:
            raise EditError(
                "'{title}' has been edited since its file was read. Upload the file again.", title=note.title
            ) from error

    def _read(self, note_id: str) -> tuple[Note, Document]:
        note = self._notes.note(note_id)
        if note.document is None:
            raise EditError("'{title}' wasn't converted from a document.", title=note.title)
        return note, note.document
