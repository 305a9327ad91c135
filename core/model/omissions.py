"""The parts of a file that are left out of the text of its note."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
