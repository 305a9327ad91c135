"""Notes, their files and pictures, and the documents that notes are converted from."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Literal
from urllib.parse import quote

from core.base.codec import OWN_FIELDS, decode
from core.base.encodings import EncodingOrigin as EncodingOrigin
from core.base.frozen import TextMap, Texts, Values, frozen
from core.base.messages import Message, Messages, message, plural
from core.base.text import shared_length
from core.model.note_fields import FieldValues

# The kind of omission for text whose encoding was guessed. The text may be garbled, but nothing is missing.
GUESSED = "encoding"
OMISSION_KINDS: Mapping[str, Message] = {
    "page": plural("{n} page had no readable text", "{n} pages had no readable text"),
    "page_part": plural("some text on {n} page is missing", "some text on {n} pages is missing"),
    "text_box": plural("{n} text box was not read", "{n} text boxes were not read"),
    "comment": plural("{n} comment was not read", "{n} comments were not read"),
    "header": plural("{n} header or footer was not read", "{n} headers and footers were not read"),
    "note": plural("{n} footnote or speaker note was not read", "{n} footnotes or speaker notes were not read"),
    "chart": plural("{n} chart or diagram was not read", "{n} charts or diagrams were not read"),
    "hidden": plural("{n} hidden part was left out", "{n} hidden parts were left out"),
    "deletion": plural("{n} tracked deletion was left out", "{n} tracked deletions were left out"),
    "formula": plural("{n} formula has no stored value", "{n} formulas have no stored value"),
    "column": plural("{n} column of a table was left out", "{n} columns of a table were left out"),
    "menu": plural("{n} menu on the page was left out", "{n} menus on the page were left out"),
    "picture": plural("the text in {n} picture was not read", "the text in {n} pictures was not read"),
    "attachment": plural("{n} attached file was not read", "{n} attached files were not read"),
    "file": plural("{n} file mentioned in the text was not read", "{n} files mentioned in the text were not read"),
    "encrypted": plural("{n} encrypted passage was not read", "{n} encrypted passages were not read"),
    "field": plural("{n} property could not be read", "{n} properties could not be read"),
    "character": plural("{n} character could not be read", "{n} characters could not be read"),
    GUESSED: plural("the encoding of {n} file was guessed", "the encodings of {n} files were guessed"),
}
# Message for kinds added by a later version.
_OTHER = plural("{n} part was left out", "{n} parts were left out")
# Kinds whose locations can be page numbers.
_ON_PAGES = {"page", "page_part", "comment", "character"}
_PAGES = re.compile(r"[0-9]+(?:(?:, |–)[0-9]*)*…?")
# Maximum length, in characters, of the joined locations for one kind.
_LONGEST_PLACE = 200

# Kinds that browsers may display. Any other kind is downloaded because it could contain scripts.
_SHOWN = {"pdf": "application/pdf"}


@frozen
class Omission:
    """Parts of a file that are missing from the note.

    `kind` is a key of OMISSION_KINDS. `count` is the number of parts. `place` tells the user where the parts are (page
    numbers, a sheet, a line) and isn't translated.
    """

    SHOWN: ClassVar = ("explanation",)

    kind: str
    count: int = 1
    place: str = ""

    @property
    def explanation(self) -> Message:
        what = replace(OMISSION_KINDS.get(self.kind, _OTHER), fields={"n": self.count})
        fields = {"what": what, "place": self.place, "n": self.count}
        if not self.place:
            return what
        if self.kind == "field":
            return plural("{what}: line {place}", "{what}: lines {place}", **fields)
        if self.kind in _ON_PAGES and _PAGES.fullmatch(self.place):
            fields["n"] = 1 if self.place.isdecimal() else 2
            return plural("{what}: page {place}", "{what}: pages {place}", **fields)
        return message("{what}: {place}", **fields)


Omissions = tuple[Omission, ...]


@frozen
class IncompleteNote:
    """A note that is missing parts of its file. `path` is the file's path, or the note's title if it has no file."""

    note_id: str
    path: str
    left_out: Omissions


def summed(omissions: Iterable[Omission]) -> Omissions:
    """Add up omissions by kind, in OMISSION_KINDS order, keeping the first few locations of each kind."""
    counts = Counter[str]()
    places = defaultdict[str, dict[str, None]](dict)
    for item in omissions:
        counts[item.kind] += item.count
        if item.place:
            places[item.kind][item.place] = None
    order = [*OMISSION_KINDS, *(kind for kind in counts if kind not in OMISSION_KINDS)]
    joined = {kind: ", ".join(places[kind]) for kind in order if counts[kind]}
    return tuple(
        Omission(kind, counts[kind], place if len(place) <= _LONGEST_PLACE else f"{place[:_LONGEST_PLACE]}…")
        for kind, place in joined.items()
    )


def in_all(notes: Iterable[IncompleteNote]) -> Omissions:
    """Add up the notes' missing parts by kind, leaving out their locations."""
    return summed(replace(omission, place="") for note in notes for omission in note.left_out)


@frozen
class Document:
    """The source and converter of a converted note.

    `kind` is the file's suffix without the dot. `pages` are the offsets in the note's body where pages begin, or empty
    if the kind has no pages. `original` is the file's hash if the workspace stores a copy of the file, as it does for
    uploads and web pages, or "" for a file in a folder. `chosen` is the name of the converter if the user chose one.
    """

    kind: str
    converter: str
    pages: tuple[int, ...] = ()
    original: str = ""
    chosen: str = ""

    def page_at(self, offset: int) -> int:
        """Return the page at an offset in the body, counting from 1, or 0 if the kind has no pages."""
        return max(1, bisect_right(self.pages, offset)) if self.pages else 0

    def edited(self, before: str, after: str) -> "Document":
        """Return the document with its page offsets adjusted to an edit of the note's body."""
        same = shared_length(before, after)
        end = shared_length(before[same:][::-1], after[same:][::-1])
        moved = len(after) - len(before)
        places = (at if at <= same else max(same, at + moved) if at >= len(before) - end else same for at in self.pages)
        return replace(self, pages=tuple(places))


@frozen
class Original:
    """A converted note's source file, given as its `path` if it is in a folder, or as its `data` otherwise."""

    name: str
    kind: str
    path: str = ""
    data: bytes = b""

    @property
    def headers(self) -> TextMap:
        how = "inline" if self.kind in _SHOWN else "attachment"
        return {
            "Content-Type": _SHOWN.get(self.kind, "application/octet-stream"),
            "Content-Disposition": f"{how}; filename*=utf-8''{quote(self.name, safe='')}",
            "Cache-Control": "private, no-cache",
            "X-Content-Type-Options": "nosniff",
        }


@frozen
class TextEncoding:
    """The display name of a note file's encoding, and how the encoding was determined."""

    name: str
    known: EncodingOrigin

    @property
    def chosen(self) -> str:
        return self.name if self.known == "chosen" else ""


@frozen
class ReadAs:
    """An encoding that a file can be read in, and the beginning of the decoded text."""

    encoding: str
    beginning: str


@frozen
class ConverterCard:
    """A converter. `kinds` are the kinds of files that it reads.

    `installed` is True if its dependencies are installed. `problem` says why it can't be used, or is None.
    """

    name: str
    version: str
    kinds: Texts
    installed: bool
    problem: Message | None = None


NoteState = Literal["pending", "ready", "empty"]

NOTE_SUFFIXES = (".md", ".markdown", ".txt", ".text")

# Suffix of the files whose lines are chunks in a `lines` base. Letter case is ignored.
TEXT_SUFFIX = ".txt"

# Folders to skip. Names starting with a dot are skipped too.
SKIPPED_FOLDERS = frozenset({"node_modules", "__MACOSX"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoredNote(FieldValues):
    """The fields, source, times, version and warnings that `Note` and `NoteSummary` share.

    `path` has forward slashes and is relative to the folder `source_ref`, or to the base if the note was written in
    Tessera. `body_start` is the offset of the body in the decoded file, so `body_start + offset` is a position in the
    file.
    """

    path: str | None = None
    body_start: int = 0
    source: str = ""
    source_ref: str = ""
    source_url: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    version: int = 1
    warnings: Messages = ()
    document: Document | None = None

    @property
    def location(self) -> str:
        """The note's path, or "" if it has none."""
        return self.path or ""

    @property
    def in_file(self) -> bool:
        """Whether the note is a user's file outside the workspace."""
        return self.source == "folder"

    @property
    def folder(self) -> Path:
        return Path(self.source_ref)

    @property
    def file(self) -> Path:
        return self.folder / str(self.path)

    @property
    def in_text_file(self) -> bool:
        """Whether the note's text is the text of a user's file, rather than text converted from a document."""
        return self.in_file and self.document is None


@frozen
class Note(_StoredNote):
    """A note. `front` is the front matter of the note's file, and `body` is the text after the front matter.

    `generation` counts how often the note has been indexed. `front` is None if an earlier version of Tessera read the
    file. `overridden` maps the fields that the user changed in Tessera to the values in the file. A `plain` note isn't
    Markdown, and each of its lines is a chunk. `left_out` lists the parts of the file that are missing from the note.
    `encoding` is the file's encoding, or None for UTF-8.
    """

    id: str
    base_id: str
    body: str
    content_hash: str
    generation: int = 0
    links: Texts = ()
    front: str | None = ""
    overridden: Values = field(default_factory=dict)
    extra: Values = field(default_factory=dict)
    left_out: Omissions = ()
    plain: bool = False
    encoding: TextEncoding | None = None
    FIELD_TYPES: ClassVar = {"overridden": OWN_FIELDS}


@frozen
class NoteSummary(_StoredNote):
    """A note without its text, for lists and hits. `pending` counts the chunks that aren't embedded yet.

    `origin` is the source that the author gave as a file and line numbers.
    """

    id: str
    base_id: str
    base: str
    chunks: int
    strategy: str
    pending: int = 0
    aliases: Texts = ()
    origin: str = ""

    @property
    def is_paged(self) -> bool:
        """Whether the text has hard line breaks because it comes from a PDF or a plain text file."""
        return self.document.kind == "pdf" if self.document else (self.path or "").endswith(".txt")

    @property
    def state(self) -> NoteState:
        """The note's state. It is `empty` without chunks, `ready` once all chunks are embedded, or else `pending`."""
        if not self.chunks:
            return "empty"
        return "pending" if self.pending else "ready"


@frozen
class NoteLine:
    """A line of a note.

    `number` is the line number in the note's file, counting from 1. `source` is the note's path or title.
    """

    note_id: str
    source: str
    number: int
    text: str


@frozen
class Failed:
    """A file that couldn't be read, and the reason."""

    path: str
    error: Message

    @classmethod
    def from_dict(cls, data: Values) -> "Failed":
        """Load a failure from a stored report. Earlier versions stored only the English text."""
        return cls(str(data["path"]), decode(Message, data.get("message", data["error"])))


Failures = tuple[Failed, ...]


@frozen
class NotePicture:
    """A picture in a note. `target` is its name as written in the note. The picture comes before `start` in the body.

    Once the picture's file has been `looked` up, `place` is the file's path relative to the top of the note's folder,
    and `size` is in bytes. `place`, `mtime_ns`, `size` and `hash` are empty if there is no file. `text` is the
    recognized text. It is "" if the picture has no text, and None until the picture is read. `placed` is True if the
    note's chunks include that text.
    """

    target: str
    start: int = 0
    place: str = ""
    mtime_ns: int = 0
    size: int = 0
    hash: str = ""
    looked: bool = False
    placed: bool = False
    text: str | None = None

    @property
    def is_known(self) -> bool:
        return self.looked and (not self.hash or self.text is not None)


@frozen
class PictureFile:
    """A picture whose file must be looked up.

    The picture's name is relative to the note's `path` in the folder `source_ref`.
    """

    note_id: str
    source_ref: str
    path: str
    picture: NotePicture


@frozen
class ReadPicture:
    """The text that `reader` recognized in the picture with the given hash, or "" if the picture has no text."""

    hash: str
    text: str
    reader: str


@frozen
class ImageStatus:
    """The embedding status of picture files.

    `known` counts the embedded files, and `waiting` those still to embed. `failed` lists the files that the model can't
    embed.
    """

    known: int
    failed: Failures
    waiting: int


@frozen
class Attachment:
    """A file attached to a note. `place` is its path relative to the top of the note's folder.

    `type` is the media type of a picture, or "" for any other file.
    """

    path: Path
    place: str
    type: str
