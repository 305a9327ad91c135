"""Hints on a note: reasons why it is hard to find or to trust, and mentions of other notes without a link."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath

from core.base.blobs import Span
from core.base.datetimes import utc_now
from core.base.frozen import frozen
from core.base.messages import message, plural
from core.base.text import CJK
from core.markdown import parser
from core.markdown.body import BodyMetadata, look_into
from core.model import Hint, Note, NotePair, NoteSummary, day_of, lapses
from core.notes.links import NoteLink, NoteLinks
from core.notes.naming import first_words
from core.store.note_rows import NoteNames

LONGEST = 200_000
"""Maximum number of a note's characters to search for names."""
_SHORT, _SHORT_WIDE = 4, 2
"""Minimum length of a name in characters, and of a name with Chinese, Japanese or Korean characters."""
_TAKEN = re.compile(
    r"(?s)(?P<ticks>(?<!`)`+(?!`)).{0,500}?(?<!`)(?P=ticks)(?!`)|!?\[\[.{0,500}?\]\]|!?\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])?|<[^<>]*>"
    r"|[A-Za-z][A-Za-z0-9+.-]{0,20}://\S+|\$[^$\n]+\$|%%.{0,500}?%%",
)
"""Parts of a text in which names aren't searched for: code, links, HTML, URLs, formulas, comments."""
_WIDE = re.compile(f"[{CJK}]")
_UNLINKABLE = re.compile(r"[\[\]|#^\n]")
_WORD = re.compile(r"\w")

LONG = 3_000
"""Number of words from which a note without headings is hard to find; a Chinese character counts as half a word."""
_OWN_TITLE = 300
"""Length in characters from which the first words of a text don't count as its title."""
_NAMED = 5
"""Maximum number of links to name."""
_UNNAMED = re.compile(r"(?i)(?:untitled|new note|new document|note|未命名|新建.*|无标题.*)?[\s\d._-]*")
_LATIN = re.compile(rf"(?:(?![{CJK}])\w)+")
Contradictions = Callable[[Collection[str]], Iterable[NotePair]]
"""Returns the pairs among some notes that have the same sentence with different numbers."""


@frozen
class Mention:
    """A span in a note's text that is the name of another note."""

    note_id: str
    start: int
    end: int


def mentions(note: Note, names: Iterable[NoteNames], linked: Iterable[str | None]) -> list[Mention]:
    """Return the first mention of each other note that a note names without linking to it, in order.

    Of overlapping names, the longer one is taken.
    """
    text = _prose(note)
    without = {note.id, *linked}
    words = set(re.findall(r"\w+", text))
    longest: dict[int, Mention] = {}
    for named in names:
        if named.id in without:
            continue
        names_of_note = (named.title, *named.aliases)
        # A text may have letters and their marks as one character, or apart.
        forms = {unicodedata.normalize(form, name) for name in names_of_note for form in ("NFC", "NFD")}
        if places := [place for name in forms if (place := _place(name, text, words))]:
            start, end = min(places)
            if start not in longest or longest[start].end < end:
                longest[start] = Mention(named.id, start, end)
    chosen: list[Mention] = []
    for item in sorted(longest.values(), key=lambda mention: mention.start):
        if not chosen or item.start >= chosen[-1].end:
            chosen.append(item)
    return chosen


def link(note: Note, mention: Mention, links: NoteLinks) -> str:
    """Return the link to replace a mention, "" if no name leads to its note."""
    text, other = note.body[mention.start : mention.end], links.names[mention.note_id]
    for target in (text, other.title, *other.aliases, other.path or ""):
        if target and not _UNLINKABLE.search(target) and links.target(note, target) == other.id:
            return f"[[{target}]]" if target == text else f"[[{target}|{text}]]"
    return ""


def _prose(note: Note) -> str:
    """Return the lower-case text of a note with the same positions, and NULs instead of parts without names."""
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


def _place(name: str, text: str, words: set[str]) -> Span | None:
    """Return the first span in a text where a name occurs as whole words, None without one."""
    name = name.strip().lower()
    wide = bool(_WIDE.search(name))
    if len(name) < (_SHORT_WIDE if wide else _SHORT) or not re.search(r"[^\W\d_]", name):
        return None
    if not wide and not words.issuperset(re.findall(r"\w+", name)):
        return None
    at = text.find(name)
    while at >= 0 and (_cuts(text, at) or _cuts(text, at + len(name))):
        at = text.find(name, at + 1)
    return (at, at + len(name)) if at >= 0 else None


def _cuts(text: str, at: int) -> bool:
    """Whether a position is inside a word of a script that separates words by spaces."""
    around = text[max(0, at - 1) : at + 1]
    return len(around) == 2 and bool(_WORD.match(around[0]) and _WORD.match(around[1])) and not _WIDE.search(around)


@frozen
class NoteContext:
    """Data about a note from elsewhere: its links, its neighbours, and the notes that supersede each note (`newer`).

    `cards` returns the summaries of notes, and `shown` the text of a note without hidden chunks. `unreached`: the last
    check of its base didn't find the note in its present state. `unfound` is the time since which no search found it.
    """

    links: Collection[NoteLink]
    neighbours: Collection[str]
    newer: Mapping[str, Collection[str]]
    cards: Callable[[Collection[str]], Mapping[str, NoteSummary]]
    shown: Callable[[str], str]
    contradictions: Contradictions
    unreached: bool = False
    unfound: datetime | None = None


def hints(note: Note, known: NoteContext) -> Iterator[Hint]:
    """Yield the hints on a note, the most important first."""
    yield from _outdated(note, known)
    yield from _contradictions(note, known)
    if known.unreached:
        about = message("The last check of its base couldn't find it with its own words.")
        yield Hint(
            "unreached",
            about,
            message("Other notes are closer to its words. Give it a title that says what it is about."),
        )
    elif known.unfound:
        yield Hint(
            "unfound",
            message("No search has found it since {day}.", day=known.unfound.date().isoformat()),
            message("Say in its title and first lines what people would search for. Archive it if nobody needs it."),
        )
    dead = [link.target for link in known.links if link.note_id is None]
    if dead:
        names = [*dead[:_NAMED], *(["…"] if len(dead) > _NAMED else [])]
        yield Hint(
            "dead_links",
            plural(
                "{n} link leads to no note: {names}", "{n} links lead to no note: {names}", n=len(dead), names=names
            ),
            message("Correct the names, or write the notes that are missing."),
        )
    if note.plain:
        return
    inside = look_into(note.body[:LONGEST], note.path or "note.md")
    if _is_untitled(note, inside):
        yield Hint(
            "untitled",
            message("It has no title of its own."),
            message("Give it a title that says what it is about: titles weigh most when you search."),
        )
    if inside.outline.headings:
        return
    words = len(_LATIN.findall(note.body)) + len(_WIDE.findall(note.body)) // 2
    if words >= LONG:
        yield Hint(
            "headless",
            message("About {n} words here have no heading.", n=words // 100 * 100),
            message("Divide it with headings: the text below one is also found by the words of the heading."),
        )


def _outdated(note: Note, known: NoteContext) -> Iterator[Hint]:
    if note.expires_at and lapses(note.expires_at) <= utc_now():
        yield Hint(
            "outdated",
            message("It expired on {day}.", day=day_of(note.expires_at)),
            message("Archive it, or give it a later day on which it expires."),
        )
    for card in known.cards([*known.newer.get(note.id, ())]).values():
        yield Hint(
            "outdated",
            message("'{title}' says that it replaces this note.", title=card.title),
            message("Archive this note, or change that in the other one."),
            other=card,
        )


def _contradictions(note: Note, known: NoteContext) -> Iterator[Hint]:
    for pair in known.contradictions({note.id, *known.neighbours}):
        if note.id not in (pair.first, pair.second):
            continue
        other = pair.second if pair.first == note.id else pair.first
        if other in known.newer.get(note.id, ()) or note.id in known.newer.get(other, ()):
            continue  # which of them holds is settled
        if card := known.cards([other]).get(other):
            quotes = pair.quotes if pair.first == note.id else pair.quotes[::-1]
            if quotes[1] not in known.shown(other) or quotes[0] not in known.shown(note.id):
                continue
            about = message("'{title}' says the same with a different number.", title=card.title)
            yield Hint(
                "contradiction", about, message("Check which one is right, and correct the other."), quotes, card
            )


def _is_untitled(note: Note, inside: BodyMetadata) -> bool:
    """Whether a note's title is meaningless, or only the first words of a longer text."""
    if inside.title:
        return False
    if _UNNAMED.fullmatch(note.title):
        return True
    is_derived = note.title == first_words(note.body) and len(note.body) >= _OWN_TITLE
    return is_derived and (note.source_ref == "" or PurePosixPath(note.path or "").stem != note.title)
