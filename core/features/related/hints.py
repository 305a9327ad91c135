"""Hints on a note: reasons why it is hard to find or to trust, and mentions of other notes without a link."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from core.base.blobs import Span
from core.base.datetimes import utc_now
from core.base.frozen import frozen
from core.base.messages import message, plural
from core.base.text import CJK, find_words
from core.markdown import parser
from core.markdown.body import BodyMetadata, look_into
from core.model import Hint, Note, day_of, lapses
from core.notes.links import NoteLink, NoteLinks
from core.notes.texts import first_words
from core.notes.uses import Uses
from core.retrieval.neighbours.service import Neighbours
from core.retrieval.ranking import newer_notes
from core.store import Store
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

LONG = 3_000
"""Minimum number of words of a note that is hard to find without headings; a Chinese character counts as half a word.
"""
_OWN_TITLE = 300
"""Minimum length of a text in characters for its first words not to count as a title."""
_NAMED = 5
"""Maximum number of links to name."""
_UNNAMED = re.compile(r"(?i)(?:untitled|new note|new document|note|未命名|新建.*|无标题.*)?[\s\d._-]*")
_LATIN = re.compile(rf"(?:(?![{CJK}])\w)+")
_LONG_AGO, _OTHERS = timedelta(days=30), 20
"""Minimum time since the last change, and number of other notes found since then, before a note counts as unfound."""
Unreached = Callable[[str, str], datetime | None]
"""Returns the time of a base's last check if the check didn't find a note; takes both ids."""


@frozen
class Mention:
    """A span in a note's text that is the name of another note."""

    note_id: str
    start: int
    end: int


def mentions(note: Note, names: Iterable[NoteNames], linked: Iterable[str | None]) -> list[Mention]:
    """Return the first mention of each other note that a note names without linking to it, in order.

    If names overlap, the longest is used.
    """
    text = _prose(note)
    without = {note.id, *linked}
    words = set(re.findall(r"\w+", text))
    longest: dict[int, Mention] = {}
    for named in names:
        if named.id in without:
            continue
        names_of_note = (named.title, *named.aliases)
        # A text may have composed or decomposed accents.
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
    """Return the lower-case text of a note, with NULs in place of parts without names, so that positions stay valid."""
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
    """Return the first span in a text where a name occurs as whole words, None if it doesn't."""
    name = name.strip().lower()
    wide = bool(_WIDE.search(name))
    if len(name) < (_SHORT_WIDE if wide else _SHORT) or not re.search(r"[^\W\d_]", name):
        return None
    if not wide and not words.issuperset(re.findall(r"\w+", name)):
        return None
    at = find_words(name, text)
    return (at, at + len(name)) if at >= 0 else None


class NoteHints:
    """Finds the hints on a note. `unreached` is None without the feature of evaluation."""

    def __init__(self, store: Store, neighbours: Neighbours, uses: Uses, unreached: Unreached | None) -> None:
        self._store = store
        self._neighbours = neighbours
        self._uses = uses
        self._unreached = unreached or (lambda base_id, note_id: None)

    def all(self, note: Note, links: Iterable[NoteLink], near: Iterable[str]) -> Iterator[Hint]:
        """Yield the hints on a note, the most important first; `near` are its nearest notes."""
        yield from self._outdated(note)
        yield from self._contradictions(note, near)
        yield from self._unfindable(note)
        dead = [link.target for link in links if link.note_id is None]
        if dead:
            names = [*dead[:_NAMED], *(["…"] if len(dead) > _NAMED else [])]
            yield Hint(
                "dead_links",
                plural(
                    "{n} link doesn't lead to a note: {names}",
                    "{n} links don't lead to a note: {names}",
                    n=len(dead),
                    names=names,
                ),
                message("Correct the names, or write the missing notes."),
            )
        if not note.plain:
            yield from _unclear(note)

    def _outdated(self, note: Note) -> Iterator[Hint]:
        if note.expires_at and lapses(note.expires_at) <= utc_now():
            yield Hint(
                "outdated",
                message("It expired on {day}.", day=day_of(note.expires_at)),
                message("Archive it, or give it a later expiry date."),
            )
        for card in self._store.notes.cards_of(newer_notes(self._store).get(note.id, ())).values():
            yield Hint(
                "outdated",
                message("'{title}' says that it replaces this note.", title=card.title),
                message("Archive this note, or correct the other one."),
                other=card,
            )

    def _contradictions(self, note: Note, near: Iterable[str]) -> Iterator[Hint]:
        pairs = [*self._neighbours.likeness.contradictions_of(note.id, near)]
        cards = self._store.notes.cards_of(pair.second for pair in pairs)
        for pair in pairs:
            if card := cards.get(pair.second):
                about = message("'{title}' says the same thing with a different number.", title=card.title)
                remedy = message("Check which one is right, and correct the other.")
                yield Hint("contradiction", about, remedy, pair.quotes, card)

    def _unfindable(self, note: Note) -> Iterator[Hint]:
        # What the last check of the base says holds for a note that wasn't changed since.
        at, since = self._unreached(note.base_id, note.id), note.updated_at
        if at and since and since <= at:
            yield Hint(
                "unreached",
                message("The last check of the base couldn't find it by its own words."),
                message("Other notes match its words better. Give it a title that says what it is about."),
            )
        elif since and self._is_unfound(note, since):
            yield Hint(
                "unfound",
                message("No search has found it since {day}.", day=since.date().isoformat()),
                message(
                    "Say in its title and first lines what people would search for. Archive it if nobody needs it."
                ),
            )

    def _is_unfound(self, note: Note, since: datetime) -> bool:
        """Return whether a note changed long ago, and no search has found it since while others were found."""
        if not self._uses.enabled or utc_now() - since < _LONG_AGO:
            return False
        figures = self._store.uses.figures(note.id)
        return not figures.found and not figures.used and self._store.uses.found_since(since) >= _OTHERS


def _unclear(note: Note) -> Iterator[Hint]:
    inside = look_into(note.body[:LONGEST], note.path or "note.md")
    if _is_untitled(note, inside):
        yield Hint(
            "untitled",
            message("It has no title of its own."),
            message("Give it a title that says what it is about: titles count most when you search."),
        )
    if inside.outline.headings:
        return
    words = len(_LATIN.findall(note.body)) + len(_WIDE.findall(note.body)) // 2
    if words >= LONG:
        yield Hint(
            "headless",
            message("About {n} words here have no heading.", n=words // 100 * 100),
            message("Add headings: a text can also be found by the words in its heading."),
        )


def _is_untitled(note: Note, inside: BodyMetadata) -> bool:
    """Whether a note's title is meaningless, or only the first words of a longer text."""
    if inside.title:
        return False
    if _UNNAMED.fullmatch(note.title):
        return True
    is_derived = note.title == first_words(note.body) and len(note.body) >= _OWN_TITLE
    return is_derived and (note.source_ref == "" or PurePosixPath(note.path or "").stem != note.title)
