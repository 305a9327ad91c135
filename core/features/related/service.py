"""Find the notes related to a given note, suggest improvements to the note, and add accepted links."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from posixpath import dirname
from typing import TypeVar

from core.base.blobs import Span
from core.base.call_log import log_bases, log_call
from core.base.datetimes import utc_now
from core.base.errors import EditError
from core.base.frozen import frozen
from core.base.messages import Message, message, plural
from core.base.text import CHINESE, CJK, find_words, fold, keywords
from core.features.related.concepts import Concepts
from core.markdown import parser
from core.markdown.body import look_into
from core.model import (
    Hint,
    Hit,
    LinkSuggestion,
    Note,
    NoteSummary,
    PlaceSuggestion,
    Related,
    RelatedNote,
    TagSuggestion,
    day_of,
    lapses,
)
from core.notes.collection import Notes
from core.notes.links import NoteLink, NoteLinks
from core.notes.texts import NoteTexts, first_words
from core.notes.uses import Uses
from core.retrieval.neighbours.service import Neighbour, Neighbours
from core.retrieval.ranking import newer_notes
from core.store import Store
from core.store.note_rows import NoteNames

# Number of nearest notes counted in the reason for a suggestion.
NEAREST = 10
_TAGS = 5
_PLACES = 3
# Exponent applied to a neighbour's score to weight its vote. Of the values 1 to 6, this one predicts the most chapters
# (see benchmarks/related.py).
_STEEP = 3
# Minimum number of nearest notes that must share a tag or folder for it to be suggested.
_LEAST_NOTES = 2
# Minimum share of the votes for a suggested tag or folder.
_LEAST_SHARE = 0.2
# Minimum share of the votes for the first suggested folder. With a smaller share, no folder is suggested.
_LEAD = 0.5

# Notes, keyed by id.
Cards = Mapping[str, NoteSummary]
Label = TypeVar("Label")


def votes(neighbours: Sequence[Neighbour], labels: Mapping[str, Iterable[Label]]) -> dict[Label, tuple[float, int]]:
    """Return the neighbours' labels, those with the most votes first. The votes of nearer notes carry more weight.

    Each label is mapped to its share of the votes, from 0 to 1, and the number of nearest notes that have the label.
    """
    voters = [
        (max(neighbour.score, 0.0) ** _STEEP, labels[neighbour.note_id])
        for neighbour in neighbours
        if neighbour.note_id in labels
    ]
    weights = defaultdict[Label, float](float)
    for weight, theirs in voters:
        for label in theirs:
            weights[label] += weight
    every = sum(weight for weight, _ in voters) or 1.0
    nearest = Counter(label for _, theirs in voters[:NEAREST] for label in theirs)
    ranked = sorted(weights, key=lambda label: (-weights[label], str(label)))
    return {label: (weights[label] / every, nearest[label]) for label in ranked}


def tags(note: Note, neighbours: Sequence[Neighbour], cards: Cards) -> list[TagSuggestion]:
    """Return tags to suggest for a note, taken from its nearest notes."""
    own = {tag.casefold() for tag in note.tags}
    text = fold(f"{note.title}\n{note.body}")
    suggested = []
    for tag, (share, notes) in votes(neighbours, {note_id: card.tags for note_id, card in cards.items()}).items():
        named = len(tag) > 1 and fold(tag) in text
        if tag.casefold() in own or notes < _LEAST_NOTES or (share < _LEAST_SHARE and not named):
            continue
        reason = plural(
            "{n} of the most similar notes has this tag", "{n} of the most similar notes have this tag", n=notes
        )
        suggested.append(
            TagSuggestion(tag, message("{have}, and the text mentions it", have=reason) if named else reason)
        )
    return suggested[:_TAGS]


def places(note: Note, base: str, neighbours: Sequence[Neighbour], cards: Cards) -> list[PlaceSuggestion]:
    """Return folders to suggest for a note, or an empty list unless most of its nearest notes are in another folder."""
    here = base, dirname(note.location)
    shares = votes(neighbours, {item: [(card.base, dirname(card.location))] for item, card in cards.items()})
    suggested = list[PlaceSuggestion]()
    for place, (share, notes) in shares.items():
        if place == here or notes < _LEAST_NOTES or len(suggested) == _PLACES:
            break
        if share < (_LEAST_SHARE if suggested else _LEAD):
            break
        reason = plural(
            "{n} of the {all} most similar notes is in that location, and {here} in the current one",
            "{n} of the {all} most similar notes are in that location, and {here} in the current one",
            n=notes,
            all=min(NEAREST, len(neighbours)),
            here=shares.get(here, (0.0, 0))[1],
        )
        suggested.append(PlaceSuggestion(*place, reason, movable=place[0] == base and not note.source_ref))
    return suggested


# Number of characters at the start of a note that are searched for names.
LONGEST = 200_000
# Minimum length of a name in characters: in general, and with Chinese, Japanese or Korean characters.
_SHORT = 4
_SHORT_CHINESE = 2
# Markup that isn't searched for names: code, links, HTML, URLs, formulas and comments.
_TAKEN = re.compile(
    r"(?s)(?P<ticks>(?<!`)`+(?!`)).{0,500}?(?<!`)(?P=ticks)(?!`)|!?\[\[.{0,500}?\]\]|!?\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])?|<[^<>]*>"
    r"|[A-Za-z][A-Za-z0-9+.-]{0,20}://\S+|\$[^$\n]+\$|%%.{0,500}?%%",
)

# Number of words at which a note needs headings to be easy to find. A Chinese character counts as half a word.
LONG = 3_000
# Length in characters at which a note needs a title other than its first words.
_OWN_TITLE = 300
# Maximum number of dead links listed by name in a hint.
_NAMED = 5
_UNNAMED = re.compile(r"(?i)(?:untitled|new note|new document|note|未命名|新建.*|无标题.*)?[\s\d._-]*")
# A note counts as unfound if it hasn't changed for this long and this many other notes were found in that time.
_LONG_AGO = timedelta(days=30)
_OTHERS = 20
# A function that takes a base's id and a note's id.
#
# If the base's last check didn't find the note, the function returns the time of the check. Otherwise, it returns None.
Unreached = Callable[[str, str], datetime | None]


Hints = Iterator[Hint]


@frozen
class Mention:
    """A span of a note's text that names another note."""

    note_id: str
    start: int
    end: int
    text: str


def mentions(note: Note, names: Iterable[NoteNames], linked: Iterable[str | None]) -> list[Mention]:
    """Return the first mention of each note that `note` names but doesn't link to, in order.

    If names overlap, the longest one wins.
    """
    text = _prose(note)
    without = {note.id, *linked}
    words = set(re.findall(r"\w+", text))
    found = []
    for named in names:
        if named.id in without:
            continue
        # Accents in the text may be composed or decomposed.
        forms = {unicodedata.normalize(form, name) for name in (named.title, *named.aliases) for form in ("NFC", "NFD")}
        if places := [place for name in forms if (place := _place(name, text, words))]:
            start, end = min(places)
            found.append(Mention(named.id, start, end, note.body[start:end]))
    chosen = list[Mention]()
    for item in sorted(found, key=lambda mention: (mention.start, -mention.end)):
        if not chosen or item.start >= chosen[-1].end:
            chosen.append(item)
    return chosen


def link(note: Note, mention: Mention, links: NoteLinks) -> str:
    """Return the wiki link to replace a mention with, or "" if no name resolves to the mentioned note."""
    text = mention.text
    other = links.names[mention.note_id]
    for target in (text, other.title, *other.aliases, other.location):
        if target and not re.search(r"[\[\]|#^\n]", target) and links.target(note, target) == other.id:
            return f"[[{target}]]" if target == text else f"[[{target}|{text}]]"
    return ""


def _prose(note: Note) -> str:
    """Return a note's text in lower case. NULs replace the parts not searched for names, so that offsets stay valid."""
    body = note.body[:LONGEST]
    parsed = parser.parse(body, note.path or "note.md")
    lowered = body.lower()
    body = lowered if len(lowered) == len(body) else body
    pieces = []
    reached = 0
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
    """Return the first span where a name occurs as whole words, or None if it doesn't occur."""
    name = name.strip().lower()
    wide = bool(CHINESE.search(name))
    if len(name) < (_SHORT_CHINESE if wide else _SHORT) or not re.search(r"[^\W\d_]", name):
        return None
    at = find_words(name, text) if wide or words.issuperset(re.findall(r"\w+", name)) else -1
    return (at, at + len(name)) if at >= 0 else None


def _unclear(note: Note) -> Hints:
    inside = look_into(note.body[:LONGEST], note.path or "note.md")
    # The title is meaningless, or just the first words of a longer text.
    is_derived = note.title == first_words(note.body) and len(note.body) >= _OWN_TITLE
    is_named = note.source_ref != "" and PurePosixPath(note.location).stem == note.title
    if not inside.title and (_UNNAMED.fullmatch(note.title) or (is_derived and not is_named)):
        yield Hint(
            "untitled",
            message("This note has no title of its own."),
            message("Give the note a title that says what it is about, because titles count most in a search."),
        )
    words = len(re.findall(rf"(?:(?![{CJK}])\w)+", note.body)) + len(CHINESE.findall(note.body)) // 2
    if words >= LONG and not inside.outline.headings:
        yield Hint(
            "headless",
            message("About {n} words in a row have no heading.", n=words // 100 * 100),
            message("Add headings. The words in a heading help to find the text below it."),
        )


# Maximum number of related notes, copies and links.
_SHOWN = 8
_COPIES = 5
_LINKS = 10
# Minimum share of the shorter note's text that two notes must have in common to count as possible copies.
COPIED = 0.5
# A name is a common word if it occurs in more than this share of all passages, and in more than _FEW of them.
_COMMON = 0.05
_FEW = 20
# Number of words at the end of a paragraph to search for, and the minimum total length of these words in characters.
_PARAGRAPH = 40
_SHORTEST = 8
# Maximum number of passages to return for a paragraph.
_PASSAGES = 5
# Number of extra hits to request, because the note itself and repeated hits from one note are dropped.
_OWN = 10
# Minimum cosine similarity for notes to count as close in meaning.
_NEAR = 0.5
# Minimum score of a related note.
LEAST = 0.5


@dataclass(eq=False)
class RelatedNotes:
    """Finds related notes, suggestions and hints for a note. The results are computed on request and never stored.

    `unreached` is None if the evaluation feature isn't installed.
    """

    _store: Store
    _notes: Notes
    _texts: NoteTexts
    _neighbours: Neighbours
    _uses: Uses
    _unreached: Unreached | None

    def __post_init__(self) -> None:
        self.concepts = Concepts(self._store, self._neighbours, self._notes.links)

    @log_call("note.related")
    def of(self, note_id: str) -> Related:
        """Return a note's related notes, suggestions and hints. Raises NoteNotFound."""
        note = self._texts.without_hidden(note_id)
        links = self._notes.links()
        base = self._store.base(note.base_id)
        log_bases([base])
        found = self._neighbours.nearest_to(note, links, note.tags)
        cards = self._store.notes.cards_of(neighbour.note_id for neighbour in found)
        copies, voting = (
            [item for item in found if item.note_id in cards and (item.shared.copied >= COPIED) is copied]
            for copied in (True, False)
        )
        near = [
            neighbour for neighbour in voting if neighbour.score >= LEAST or neighbour.links_here or neighbour.linked
        ][:_SHOWN]
        return Related(
            notes=tuple(RelatedNote(cards[neighbour.note_id], tuple(_reasons(neighbour))) for neighbour in near),
            copies=tuple(RelatedNote(cards[copy.note_id], (_copied(copy),)) for copy in copies[:_COPIES]),
            tags=tuple(tags(note, voting, cards)),
            places=tuple(places(note, base.name, voting, cards)),
            links=tuple(self._links(note, links, {neighbour.note_id for neighbour in near})),
            hints=tuple(self._all_hints(note, links.resolve(note, note.links), cards)),
            writable=not self._store.readonly and not (note.in_file and (note.document or not base.write_files)),
        )

    def close(self, note_id: str, limit: int) -> list[NoteSummary]:
        """Return up to `limit` notes that are similar in meaning to a note, most similar first.

        The list is empty if the vectors in memory are outdated, because a page must not wait for new ones.
        """
        if not self._neighbours.meaning.is_read:
            return []
        answering = self._store.note_vectors.answering()
        near = [
            other
            for other, cosine in self._neighbours.meaning.cosines(note_id).items()
            if cosine >= _NEAR and other in answering
        ][:limit]
        cards = self._store.notes.cards_of(near)
        return [cards[other] for other in near if other in cards]

    def link(self, note_id: str, other: str, *, expected_version: int | None = None) -> Note:
        """Turn the first mention of another note into a link, and return the changed note.

        Raises EditError if there is no mention, and the same errors as `Notes.update`.
        """
        return self._notes.update(note_id, body=self.linked(note_id, other), expected_version=expected_version)

    def linked(self, note_id: str, other: str) -> str:
        """Return a note's text with the first mention of another note turned into a link.

        Raises EditError if there is no mention.
        """
        note = self._store.note(note_id)
        links = self._notes.links()
        shown = self._texts.without_hidden(note_id)
        places = self._mentions(shown, links, [links.names[other]] if other in links.names else [])
        text = link(shown, places[0], links) if places else ""
        if not text:
            raise EditError("This note no longer mentions the other note. Look at the suggestions for this note again.")
        return note.body[: places[0].start] + text + note.body[places[0].end :]

    def passages(self, text: str, at: int, *, without: str = "") -> list[Hit]:
        """Return passages similar to the paragraph at the offset `at`. Raises ModelError.

        The passages come from different notes. None of them comes from the note with the id `without`.
        """
        paragraphs = [*re.finditer(r"(?s)\S.*?(?=\n[ \t]*\n|\Z)", text)]
        # If the offset is between paragraphs, take the preceding one.
        before = [match for match in paragraphs if match.start() < at] or paragraphs[:1]
        words = re.findall(r"\w+", before[-1][0])[-_PARAGRAPH:] if before else []
        if len("".join(words)) < _SHORTEST:
            return []
        return [hit for hit in self._neighbours.passages(words, _PASSAGES + _OWN) if hit.note.id != without][:_PASSAGES]

    def _all_hints(self, note: Note, links: Iterable[NoteLink], near: Iterable[str]) -> Hints:
        """Yield the hints for a note, most important first. `near` are the ids of its nearest notes."""
        if note.expires_at and lapses(note.expires_at) <= utc_now():
            yield Hint(
                "outdated",
                message("This note expired on {day}.", day=day_of(note.expires_at)),
                message("Archive the note, or give it a later expiry date."),
            )
        for newer in self._store.notes.cards_of(newer_notes(self._store).get(note.id, ())).values():
            yield Hint(
                "outdated",
                message("'{title}' says that it replaces this note.", title=newer.title),
                message("Archive this note, or correct the other one."),
                other=newer,
            )
        pairs = [*self._neighbours.likeness.contradictions_of(note.id, near)]
        cards = self._store.notes.cards_of(pair.second for pair in pairs)
        for pair in pairs:
            if card := cards.get(pair.second):
                yield Hint(
                    "contradiction",
                    message("'{title}' says the same thing with a different number.", title=card.title),
                    message("Check which number is right, and correct the other one."),
                    pair.quotes,
                    card,
                )
        yield from self._unfindable(note)
        if dead := [link.target for link in links if link.note_id is None]:
            yield Hint(
                "dead_links",
                plural(
                    "{n} link doesn't lead to a note: {names}",
                    "{n} links don't lead to a note: {names}",
                    n=len(dead),
                    names=[*dead[:_NAMED], *(["…"] if len(dead) > _NAMED else [])],
                ),
                message("Correct the names, or write the missing notes."),
            )
        if not note.plain:
            yield from _unclear(note)

    def _unfindable(self, note: Note) -> Hints:
        # The base's last check is still valid if the note hasn't changed since.
        at = self._unreached(note.base_id, note.id) if self._unreached else None
        since = note.updated_at
        if at and since and since <= at:
            yield Hint(
                "unreached",
                message("The last check of the base couldn't find this note by its own words."),
                message(
                    "Other notes match this note's own words better. Give this note a title that says what it is about."
                ),
            )
        elif since and self._uses.enabled and utc_now() - since >= _LONG_AGO:
            figures = self._store.uses.figures(note.id)
            if not figures.found and not figures.used and self._store.uses.found_since(since) >= _OTHERS:
                yield Hint(
                    "unfound",
                    message("No search has found this note since {day}.", day=since.date().isoformat()),
                    message(
                        "In the title and the first lines, use the words that people would search for. If nobody "
                        "needs the note, archive it."
                    ),
                )

    def _mentions(self, note: Note, links: NoteLinks, names: Iterable[NoteNames]) -> list[Mention]:
        return [] if note.plain else mentions(note, names, [link.note_id for link in links.resolve(note, note.links)])

    def _links(self, note: Note, links: NoteLinks, near: set[str]) -> list[LinkSuggestion]:
        """Return links to suggest for a note. Links to related notes come first. Common words aren't linked."""
        found = self._mentions(note, links, links.names.values())
        answering = self._store.note_vectors.answering()
        cards = self._store.notes.cards_of(mention.note_id for mention in found if mention.note_id in answering)
        common = self._common(found)
        suggested = []
        for mention in sorted(found, key=lambda mention: (mention.note_id not in near, mention.start)):
            card = cards.get(mention.note_id)
            if card and mention not in common and (text := link(note, mention, links)):
                why = (
                    message("The text mentions that note, and the two have related content")
                    if mention.note_id in near
                    else message("The text mentions that note")
                )
                suggested.append(LinkSuggestion(card, mention.text, mention.start, mention.end, text, why))
        return suggested[:_LINKS]

    def _common(self, found: Sequence[Mention]) -> set[Mention]:
        """Return the mentions that are a single common word. In Chinese, every part of the word must be common."""
        words = {mention: keywords(mention.text) for mention in found if not any(map(str.isspace, mention.text))}
        counts = self._store.words.counts([*{word for item in words.values() for word in item}])
        most = max(_FEW, _COMMON * self._store.chunks.count_all())
        return {
            mention for mention, item in words.items() if min((counts.get(word, 0) for word in item), default=0) > most
        }


def _reasons(neighbour: Neighbour) -> Iterable[Message]:
    """Yield the reasons why a note is related, the most obvious one first."""
    if neighbour.linked:
        yield message("This note links to that one")
    if neighbour.links_here:
        yield message("That note links to this one")
    if neighbour.tags:
        yield message("Both have {tags}", tags=[f"#{tag}" for tag in neighbour.tags])
    if phrases := neighbour.shared.phrases:
        yield message("Both mention {phrases}", phrases=[*phrases])
    if not (neighbour.linked or neighbour.links_here or neighbour.tags or phrases) or (neighbour.cosine or 0) >= _NEAR:
        yield message("Close in meaning")


def _copied(neighbour: Neighbour) -> Message:
    if neighbour.shared.copied >= 1:
        return message("The longer note contains all the text of the shorter one")
    return message(
        "The two notes have about {share} of the shorter note's text in common",
        share=f"{round(100 * neighbour.shared.copied)} %",
    )
