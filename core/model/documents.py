"""Documents: what the text of a note was converted from, and the parts that it leaves out."""

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
"""The kind of a text whose encoding is a guess: it may be garbled, and lacks nothing."""
OMISSION_KINDS: Mapping[str, Message] = {
    "page": plural("{n} page gave no text", "{n} pages gave no text"),
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
    "menu": plural("{n} menu of the page was left out", "{n} menus of the page were left out"),
    "picture": plural("the text in {n} picture was not read", "the text in {n} pictures was not read"),
    "attachment": plural("{n} attached file was not read", "{n} attached files were not read"),
    "file": plural("{n} file that the text names was not read", "{n} files that the text names were not read"),
    "encrypted": plural("{n} encrypted passage was not read", "{n} encrypted passages were not read"),
    "field": plural("{n} property could not be read", "{n} properties could not be read"),
    "character": plural("{n} character could not be read", "{n} characters could not be read"),
    GUESSED: plural("the encoding of {n} file is a guess", "the encodings of {n} files are guesses"),
}
_OTHER = plural("{n} part was left out", "{n} parts were left out")
"""The message of a kind that only a later version knows."""
_ON_PAGES = {"page", "page_part", "comment", "character"}
"""Kinds whose places may be numbers of pages."""
_PAGES = re.compile(r"[0-9]+(?:(?:, |–)[0-9]*)*…?")
_LONGEST_PLACE = 200
"""Characters of the places of all omissions of a kind."""

_SHOWN = {"pdf": "application/pdf"}
"""Kinds that a browser shows; it saves the others, which could hold scripts."""


@frozen
class Omission:
    """Parts of a file that are not in the text of its note.

    `kind` is a key of the table of kinds. `count` is the number of parts. `place` is where the user finds them (page
    numbers, a sheet, a line); it isn't translated.
    """

    SHOWN: ClassVar = ("explanation",)

    kind: str
    count: int = 1
    place: str = ""

    @property
    def explanation(self) -> Message:
        """The omission as a sentence's part: what was left out, how often, and where."""
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
    """A note whose text lacks parts of its file; `path` is that of the file, or the title of a note without one."""

    note_id: str
    path: str
    left_out: tuple[Omission, ...]


def summed(omissions: Iterable[Omission]) -> tuple[Omission, ...]:
    """Return one omission of each kind, in the order of the kinds, with all counts and the first places."""
    counts: defaultdict[str, int] = defaultdict(int)
    places: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for item in omissions:
        counts[item.kind] += item.count
        if item.place:
            places[item.kind][item.place] = None
    order = [*OMISSION_KINDS, *(kind for kind in counts if kind not in OMISSION_KINDS)]
    return tuple(Omission(kind, counts[kind], _shortened(", ".join(places[kind]))) for kind in order if counts[kind])


def in_all(notes: Iterable[IncompleteNote]) -> tuple[Omission, ...]:
    """Return how many parts of each kind notes lack, without their places."""
    return summed(replace(omission, place="") for note in notes for omission in note.left_out)


def _shortened(place: str) -> str:
    return place if len(place) <= _LONGEST_PLACE else f"{place[:_LONGEST_PLACE]}…"


@frozen
class Document:
    """What a note's text was converted from, and by what.

    `kind` is the suffix of its file, without the dot. `pages` are the places in the note's body where pages begin; a
    kind without pages has none. `original` is the hash of the file, where the workspace holds it: of an upload or a
    page of the web; a file of a folder stays there. `chosen` is the name of a converter that the user chose.
    """

    kind: str
    converter: str
    pages: tuple[int, ...] = ()
    original: str = ""
    chosen: str = ""

    def page_at(self, offset: int) -> int:
        """Return the page of an offset of the body, from 1; 0 for a kind without pages."""
        return max(1, bisect_right(self.pages, offset)) if self.pages else 0

    def edited(self, before: str, after: str) -> "Document":
        """Return the document of a body that was edited: pages after the edit begin where their text is now."""
        same = shared_length(before, after)
        end = shared_length(before[same:][::-1], after[same:][::-1])
        moved = len(after) - len(before)
        places = (at if at <= same else max(same, at + moved) if at >= len(before) - end else same for at in self.pages)
        return replace(self, pages=tuple(places))


@frozen
class Original:
    """The file that a note's text was converted from: its `path` where it lies in a folder, else its `data`."""

    name: str
    kind: str
    path: str = ""
    data: bytes = b""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of its response over HTTP."""
        how = "inline" if self.kind in _SHOWN else "attachment"
        return {
            "Content-Type": _SHOWN.get(self.kind, "application/octet-stream"),
            "Content-Disposition": f"{how}; filename*=utf-8''{quote(self.name, safe='')}",
            "Cache-Control": "private, no-cache",
            "X-Content-Type-Options": "nosniff",
        }


@frozen
class TextEncoding:
    """The encoding of a note's file, by the user's name of it, and how it is known."""

    name: str
    known: EncodingOrigin

    @property
    def chosen(self) -> str:
        """The name where the user chose it, else ""."""
        return self.name if self.known == "chosen" else ""


@frozen
class ReadAs:
    """An encoding in which a file can be read, by its name, and the first words that it gives."""

    encoding: str
    beginning: str


@frozen
class ConverterCard:
    """A converter: the kinds it reads, whether what it needs is installed, and why one of a package can't be used."""

    name: str
    version: str
    kinds: tuple[str, ...]
    installed: bool
    problem: Message | None = None


def shared_length(first: str, second: str) -> int:
    """Return how many characters two texts begin with that are the same."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (pair, other) in pairs if pair != other), min(len(first), len(second)))
