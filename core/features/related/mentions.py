"""Where the text of a note names another note without a link."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.base.text import CJK
from core.markdown import parser
from core.model import Note
from core.notes.links import NoteLinks
from core.store.note_rows import NoteNames

LONGEST = 200_000
"""Characters of a note in which names are looked for: each beginning of a link or code is looked at once."""
_SHORT, _SHORT_WIDE = 4, 2
"""Least characters of a name, and of one in a script without spaces."""
_TAKEN = re.compile(
    r"(?P<ticks>(?<!`)`+(?!`)).{0,500}?(?<!`)(?P=ticks)(?!`)|!?\[\[.{0,500}?\]\]|!?\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])?|<[^<>]*>"
    r"|[A-Za-z][A-Za-z0-9+.-]{0,20}://\S+|\$[^$\n]+\$|%%.{0,500}?%%",
    re.DOTALL,
)
"""What holds no name: code, links, HTML, addresses, formulas, comments."""
_WIDE = re.compile(f"[{CJK}]")
_UNLINKABLE = re.compile(r"[\[\]|#^\n]")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of a note's text that is a name of another note."""

    note_id: str
    start: int
    end: int


def mentions(note: Note, names: Iterable[NoteNames], linked: Iterable[str | None]) -> list[Mention]:
    """Return the first place of each other note that a text names and doesn't link to, in their order.

    Where one name lies in another, the longer one is meant.
    """
    text = _prose(note)
    without = {note.id, *linked}
    words = set(re.findall(r"\w+", text))
    longest: dict[int, Mention] = {}
    for named in names:
        if named.id in without:
            continue
        places = [place for name in _forms(named) if (place := _place(name, text, words)) is not None]
        if places:
            start, end = min(places)
            if start not in longest or longest[start].end < end:
                longest[start] = Mention(named.id, start, end)
    chosen: list[Mention] = []
    for item in sorted(longest.values(), key=lambda mention: mention.start):
        if not chosen or item.start >= chosen[-1].end:
            chosen.append(item)
    return chosen


def _forms(named: NoteNames) -> set[str]:
    """Return the names of a note, with letters and marks as one character and apart: a text may have either."""
    names = (named.title, *named.aliases)
    return {unicodedata.normalize(form, name) for name in names for form in ("NFC", "NFD")}


def link(note: Note, mention: Mention, links: NoteLinks) -> str:
    """Return the link that takes the place of a mention, "" where no name leads to its note."""
    text, other = note.body[mention.start : mention.end], links.names[mention.note_id]
    for target in (text, other.title, *other.aliases, other.path or ""):
        if target and not _UNLINKABLE.search(target) and links.target(note, target) == other.id:
            return f"[[{target}]]" if target == text else f"[[{target}|{text}]]"
    return ""


def _prose(note: Note) -> str:
    """Return the text of a note in small letters, each in its place, with blanks for all that holds no name."""
    body = note.body[:LONGEST]
    parsed = parser.parse(body, note.path or "note.md")
    lowered = body.lower()
    body = lowered if len(lowered) == len(body) else body
    pieces, reached = [], 0
    for token in parsed.tokens:
        if token.type != "paragraph_open":
            continue
        start, end = parsed.span(token)
        if start < reached:
            continue
        pieces += ["\0" * (start - reached), _TAKEN.sub(lambda taken: "\0" * len(taken[0]), body[start:end])]
        reached = end
    return "".join(pieces)


def _place(name: str, text: str, words: set[str]) -> tuple[int, int] | None:
    """Return where a name first occurs in a text as whole words."""
    name = name.strip().lower()
    wide = bool(_WIDE.search(name))
    if len(name) < (_SHORT_WIDE if wide else _SHORT) or not re.search(r"[^\W\d_]", name):
        return None
    if not wide and not words.issuperset(re.findall(r"\w+", name)):
        return None
    return next(_find_whole_words(name, text), None)


def _find_whole_words(name: str, text: str) -> Iterator[tuple[int, int]]:
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not (_cuts(text, at) or _cuts(text, end)):
            yield at, end
        at = text.find(name, at + 1)


def _cuts(text: str, at: int) -> bool:
    """Whether a place is inside a word of a script with spaces."""
    around = text[max(0, at - 1) : at + 1]
    return len(around) == 2 and bool(_WORD.match(around[0]) and _WORD.match(around[1])) and not _WIDE.search(around)
