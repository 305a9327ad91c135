"""Notes related to a note, and accepting the links that they suggest."""

import re
from collections.abc import Iterable, Sequence

from core.base.call_log import log_bases, log_call
from core.base.errors import EditError
from core.base.messages import Message, message
from core.base.text import keywords
from core.features.related import hints
from core.features.related.concepts import Concepts
from core.features.related.hints import Mention, NoteHints, Unreached
from core.features.related.suggestions import places, tags
from core.model import Hit, LinkSuggestion, Note, NoteSummary, Related, RelatedNote
from core.notes.collection import Notes
from core.notes.links import NoteLinks
from core.notes.texts import NoteTexts
from core.notes.uses import Uses
from core.retrieval.neighbours.service import Neighbour, Neighbours
from core.store import Store
from core.store.note_rows import NoteNames

_SHOWN, _COPIES, _LINKS = 8, 5, 10
"""Maximum number of related notes, copies and links."""
COPIED = 0.5
"""Minimum share of the shorter text that is in both notes, for them to be possible copies."""
_COMMON = 0.05
"""Share of all passages above which a name that they contain is a common word; a name in up to _FEW passages never is.
"""
_FEW = 20
_WORD = re.compile(r"\w+")
_BREAK = re.compile(r"\n[ \t]*\n|\A|\Z")
_PARAGRAPH, _SHORTEST = 40, 8
"""Number of last words of a paragraph to search for, and their minimum total length in characters."""
_PASSAGES = 5
"""Maximum number of passages near a paragraph."""
_OWN = 10
"""Number of additional hits to request, because some are from the note itself, or several from one note."""
_NEAR = 0.5
"""Minimum cosine of notes that are called close in meaning."""
LEAST = 0.5
"""Minimum score of a related note."""


class RelatedNotes:
    """The related notes of each note and their suggestions, computed on request and never stored."""

    def __init__(
        self,
        store: Store,
        notes: Notes,
        texts: NoteTexts,
        neighbours: Neighbours,
        uses: Uses,
        unreached: Unreached | None,
    ) -> None:
        self._store = store
        self._notes = notes
        self._texts = texts
        self._neighbours = neighbours
        self._hints = NoteHints(store, neighbours, uses, unreached)
        self.concepts = Concepts(store, neighbours, notes.links)

    @log_call("note.related")
    def of(self, note_id: str) -> Related:
        """Return the related notes, suggestions and hints for a note; raises NoteNotFound."""
        note, links = self._texts.without_hidden(note_id), self._notes.links()
        base = self._store.bases.by_id(note.base_id)
        log_bases([base])
        found = self._neighbours.nearest_to(note, links, note.tags)
        cards = self._store.notes.cards_of(neighbour.note_id for neighbour in found)
        neighbours = [neighbour for neighbour in found if neighbour.note_id in cards]
        voting = [neighbour for neighbour in neighbours if neighbour.shared.copied < COPIED]
        copies = [neighbour for neighbour in neighbours if neighbour.shared.copied >= COPIED][:_COPIES]
        near = [
            neighbour for neighbour in voting if neighbour.score >= LEAST or neighbour.links_here or neighbour.linked
        ][:_SHOWN]
        targets = links.resolve(note, note.links)
        return Related(
            notes=tuple(RelatedNote(cards[neighbour.note_id], tuple(_reasons(neighbour))) for neighbour in near),
            copies=tuple(RelatedNote(cards[copy.note_id], (_copied(copy),)) for copy in copies),
            tags=tuple(tags(note, voting, cards)),
            places=tuple(places(note, base.name, voting, cards)),
            links=tuple(self._links(note, links, {neighbour.note_id for neighbour in near})),
            hints=tuple(self._hints.all(note, targets, cards)),
            writable=not self._store.readonly and not (note.in_file and (note.document or not base.write_files)),
        )

    def close(self, note_id: str, limit: int) -> list[NoteSummary]:
        """Return the notes similar in meaning, or none if the vectors in memory are outdated: a page must not wait."""
        if not self._neighbours.meaning.is_read:
            return []
        cosines = self._neighbours.meaning.cosines(note_id)
        answering = self._store.note_vectors.answering()
        near = [other for other, cosine in cosines.items() if cosine >= _NEAR and other in answering][:limit]
        cards = self._store.notes.cards_of(near)
        return [cards[other] for other in near if other in cards]

    def link(self, note_id: str, other: str, *, expected_version: int | None = None) -> Note:
        """Replace the first mention of another note with a link to it, and return the changed note.

        Raises EditError if there is no mention, and the errors of `Notes.update`.
        """
        return self._notes.update(note_id, body=self.linked(note_id, other), expected_version=expected_version)

    def linked(self, note_id: str, other: str) -> str:
        """Return a note's text with a link instead of the first mention of another note; raises EditError."""
        note, links = self._store.notes.note(note_id), self._notes.links()
        shown = self._texts.without_hidden(note_id)
        places = self._mentions(shown, links, [links.names[other]] if other in links.names else [])
        text = hints.link(shown, places[0], links) if places else ""
        if not text:
            raise EditError("The note no longer mentions the other one. Look at its suggestions again.")
        return note.body[: places[0].start] + text + note.body[places[0].end :]

    def passages(self, text: str, at: int, *, without: str = "") -> list[Hit]:
        """Return passages similar to the paragraph at a position in a text, one from each note except `without`.

        Raises ModelError.
        """
        words = _WORD.findall(_paragraph(text, at))[-_PARAGRAPH:]
        if len("".join(words)) < _SHORTEST:
            return []
        passages = self._neighbours.passages(words, _PASSAGES + _OWN)
        return [hit for hit in passages if hit.note.id != without][:_PASSAGES]

    def _mentions(self, note: Note, links: NoteLinks, names: Iterable[NoteNames]) -> list[Mention]:
        linked = [link.note_id for link in links.resolve(note, note.links)]
        return [] if note.plain else hints.mentions(note, names, linked)

    def _links(self, note: Note, links: NoteLinks, near: set[str]) -> list[LinkSuggestion]:
        """Return suggested links for a note, first those to related notes; common words aren't linked."""
        found = self._mentions(note, links, links.names.values())
        answering = self._store.note_vectors.answering()
        cards = self._store.notes.cards_of(mention.note_id for mention in found if mention.note_id in answering)
        common = self._common(note, found)
        suggested = []
        for mention in sorted(found, key=lambda mention: (mention.note_id not in near, mention.start)):
            card = cards.get(mention.note_id)
            if card is None or mention in common:
                continue
            if text := hints.link(note, mention, links):
                why = (
                    message("The text mentions it, and it is related")
                    if mention.note_id in near
                    else message("The text mentions it")
                )
                suggested.append(
                    LinkSuggestion(card, note.body[mention.start : mention.end], mention.start, mention.end, text, why)
                )
        return suggested[:_LINKS]

    def _common(self, note: Note, found: Sequence[Mention]) -> set[Mention]:
        """Return the mentions that are a single common word; for Chinese, all parts must be common."""
        texts = {mention: note.body[mention.start : mention.end] for mention in found}
        words = {mention: keywords(text) for mention, text in texts.items() if not any(map(str.isspace, text))}
        counts = self._store.words.counts([*{word for item in words.values() for word in item}])
        most = max(_FEW, _COMMON * self._store.chunks.count_all())
        return {
            mention for mention, item in words.items() if min((counts.get(word, 0) for word in item), default=0) > most
        }


def _reasons(neighbour: Neighbour) -> Iterable[Message]:
    """Yield the reasons why a note is related, the most obvious first."""
    if neighbour.linked:
        yield message("This note links to it")
    if neighbour.links_here:
        yield message("It links to this note")
    if neighbour.tags:
        yield message("Both have {tags}", tags=[f"#{tag}" for tag in neighbour.tags])
    if phrases := neighbour.shared.phrases:
        yield message("Both mention {phrases}", phrases=[*phrases])
    if not (neighbour.linked or neighbour.links_here or neighbour.tags or phrases) or (neighbour.cosine or 0) >= _NEAR:
        yield message("Close in meaning")


def _copied(neighbour: Neighbour) -> Message:
    if neighbour.shared.copied >= 1:
        return message("All the text of the shorter note is in both")
    share = f"{round(100 * neighbour.shared.copied)} %"
    return message("About {share} of the shorter note's text is in both", share=share)


def _paragraph(text: str, at: int) -> str:
    """Return the paragraph at a position, or the one before if the position is between two."""
    ends, last = [match.end() for match in _BREAK.finditer(text)], len(text.rstrip())
    start = max((end for end in ends if end <= at and end < last), default=0)
    if not text[start:at].strip() and start:
        start = max((end for end in ends if end < start), default=0)
    following = _BREAK.search(text, start + 1)
    return text[start : following.start() if following else len(text)]
