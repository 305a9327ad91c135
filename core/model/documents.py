"""Documents: sources of converted notes, and the parts that conversion leaves out."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import ClassVar
from urllib.parse import quote

from core.base.encodings import EncodingOrigin as EncodingOrigin
from core.base.frozen import frozen
from core.base.messages import Message, message, plural

GUESSED = "encoding"
"""Kind for a text whose encoding was guessed: it may be garbled, but nothing is missing."""
OMISSION_KINDS: Mapping[str, Message] = {
    "page": plural("{n} page had no readable text", "{n} pages had no readable text"),
    "page_part": plural("text of {n} page is missing", "text of {n} pages is missing"),
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
_OTHER = plural("{n} part was left out", "{n} parts were left out")
"""Message for kinds that only later versions define."""
_ON_PAGES = {"page", "page_part", "comment", "character"}
"""Kinds whose places can be page numbers."""
_PAGES = re.compile(r"[0-9]+(?:(?:, |–)[0-9]*)*…?")
_LONGEST_PLACE = 200
"""Maximum length in characters of the joined places of one kind."""

_SHOWN = {"pdf": "application/pdf"}
"""Kinds that browsers display; others are downloaded, because they could contain scripts."""


@frozen
class Omission:
    """Parts of a file that are missing in its note.

    `kind` is a key of OMISSION_KINDS. `count` is the number of parts. `place` tells the user where they are (page
    numbers, a sheet, a line); it isn't translated.
    """

    SHOWN: ClassVar = ("explanation",)

    kind: str
    count: int = 1
    place: str = ""

    @property
    def explanation(self) -> Message:
        """A phrase for the omission: kind, count and place."""
        what = replace(OMISSION_KINDS.get(self.kind, _OTHER), fields={"n": self.count})
        if not self.place:
            return what
        text = self._with_place()
        return replace(text, fields={**text.fields, "what": what, "place": self.place})

    def _with_place(self) -> Message:
        if self.kind == "field":
            return plural("{what}: line {place}", "{what}: lines {place}", n=self.count)
        if self.kind in _ON_PAGES and _PAGES.fullmatch(self.place):
            return plural("{what}: page {place}", "{what}: pages {place}", n=1 if self.place.isdecimal() else 2)
        return message("{what}: {place}")


@frozen
class IncompleteNote:
    """A note that lacks parts of its file; `path` is the file's path, or the title if the note has no file."""

    note_id: str
    path: str
    left_out: tuple[Omission, ...]


def summed(omissions: Iterable[Omission]) -> tuple[Omission, ...]:
    """Sum up omissions by kind, in the order of OMISSION_KINDS, with the first places of each kind."""
    counts: defaultdict[str, int] = defaultdict(int)
    places: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for item in omissions:
        counts[item.kind] += item.count
        if item.place:
            places[item.kind][item.place] = None
    order = [*OMISSION_KINDS, *(kind for kind in counts if kind not in OMISSION_KINDS)]
    return tuple(Omission(kind, counts[kind], _shortened(", ".join(places[kind]))) for kind in order if counts[kind])


def in_all(notes: Iterable[IncompleteNote]) -> tuple[Omission, ...]:
    """Count the missing parts of notes by kind, without places."""
    return summed(replace(omission, place="") for note in notes for omission in note.left_out)


def _shortened(place: str) -> str:
    return place if len(place) <= _LONGEST_PLACE else f"{place[:_LONGEST_PLACE]}…"


@frozen
class Document:
    """Source and converter of a converted note.

    `kind` is the file's suffix without the dot. `pages` are the offsets in the note's body where pages begin; empty for
    a kind without pages. `original` is the hash of the file if the workspace stores it, as it does for uploads and web
    pages; files in folders stay there. `chosen` is the name of a converter that the user chose.
    """

    kind: str
    converter: str
    pages: tuple[int, ...] = ()
    original: str = ""
    chosen: str = ""

    def page_at(self, offset: int) -> int:
        """Return the page at an offset of the body, from 1; 0 for a kind without pages."""
        return max(1, bisect_right(self.pages, offset)) if self.pages else 0

    def edited(self, before: str, after: str) -> "Document":
        """Return the document after an edit of the body, with the starts of later pages moved."""
        same = shared_length(before, after)
        end = shared_length(before[same:][::-1], after[same:][::-1])
        moved = len(after) - len(before)
        places = (at if at <= same else max(same, at + moved) if at >= len(before) - end else same for at in self.pages)
        return replace(self, pages=tuple(places))


@frozen
class Original:
    """The source file of a converted note: its `path` if it is in a folder, else its `data`."""

    name: str
    kind: str
    path: str = ""
    data: bytes = b""

    @property
    def headers(self) -> Mapping[str, str]:
        """HTTP headers of the response with the file."""
        how = "inline" if self.kind in _SHOWN else "attachment"
        return {
            "Content-Type": _SHOWN.get(self.kind, "application/octet-stream"),
            "Content-Disposition": f"{how}; filename*=utf-8''{quote(self.name, safe='')}",
            "Cache-Control": "private, no-cache",
            "X-Content-Type-Options": "nosniff",
        }


@frozen
class TextEncoding:
    """The encoding of a note's file, by its display name, and how it was determined."""

    name: str
    known: EncodingOrigin

    @property
    def chosen(self) -> str:
        """The encoding's name if the user chose it, else ""."""
        return self.name if self.known == "chosen" else ""


@frozen
class ReadAs:
    """An encoding in which a file can be read, and the beginning of the decoded text."""

    encoding: str
    beginning: str


@frozen
class ConverterCard:
    """A converter: the kinds that it reads, whether its requirements are installed, and why it can't be used."""

    name: str
    version: str
    kinds: tuple[str, ...]
    installed: bool
    problem: Message | None = None


def shared_length(first: str, second: str) -> int:
    """Return the length of the common prefix of two texts."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (pair, other) in pairs if pair != other), min(len(first), len(second)))
