"""Documents: what the text of a note was converted from."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote

from core.base.encodings import EncodingOrigin as EncodingOrigin
from core.base.messages import Message

_SHOWN = {"pdf": "application/pdf"}
"""Kinds that a browser shows; it saves the others, which could hold scripts."""


@dataclass(frozen=True, slots=True)
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
        same = _shared(before, after)
        end = _shared(before[same:][::-1], after[same:][::-1])
        moved = len(after) - len(before)
        places = (at if at <= same else max(same, at + moved) if at >= len(before) - end else same for at in self.pages)
        return replace(self, pages=tuple(places))


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """The encoding of a note's file, by the user's name of it, and how it is known."""

    name: str
    known: EncodingOrigin

    @property
    def chosen(self) -> str:
        """The name where the user chose it, else ""."""
        return self.name if self.known == "chosen" else ""


@dataclass(frozen=True, slots=True)
class ReadAs:
    """An encoding in which a file can be read, by its name, and the first words that it gives."""

    encoding: str
    beginning: str


@dataclass(frozen=True, slots=True)
class ConverterCard:
    """A converter: the kinds it reads, whether what it needs is installed, and why one of a package can't be used."""

    name: str
    version: str
    kinds: tuple[str, ...]
    installed: bool
    problem: Message | None = None


def _shared(first: str, second: str) -> int:
    """Return how many characters two texts begin with that are the same."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (pair, other) in pairs if pair != other), min(len(first), len(second)))
