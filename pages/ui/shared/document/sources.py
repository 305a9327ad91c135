"""The targets of a note's links: other notes, files next to it, its own headings."""

import re
from dataclasses import dataclass
from typing import Protocol

from core.base.text import name_key


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A note that a link leads to."""

    id: str
    title: str
    beginning: str = ""
    """What is shown of the note before it is opened."""


@dataclass(frozen=True, slots=True)
class HeadingSource:
    """A heading of a note, with its id in the page."""

    level: int
    text: str
    id: str


class Sources(Protocol):
    """Resolves the links of a note."""

    @property
    def can_make(self) -> bool:
        """Whether a note that isn't there can be made."""

    @property
    def can_click(self) -> bool:
        """Whether tags can be clicked."""

    @property
    def can_tick(self) -> bool:
        """Whether the check boxes of tasks can be clicked."""

    @property
    def first_line(self) -> int:
        """The line of the note, counted from 0, with which the text begins that is drawn."""

    def note(self, target: str, *, relative: bool) -> SourceSpan | None:
        """Return the note of a link, `relative` for one in Markdown's own form; None if there is none."""

    def file(self, target: str) -> str | None:
        """Return the address of a picture or another file of the note's folder; None if there is none."""

    def text(self, note_id: str) -> "tuple[str, Sources]":
        """Return the text of another note, and where its links lead."""


def same(heading: str, name: str) -> bool:
    """Return whether a link names a heading, in Obsidian's way or as in an address."""
    return _plain(heading) == _plain(name) != ""


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", name_key(text)).split())
