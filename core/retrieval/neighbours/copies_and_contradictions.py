"""Pairs of notes that are copies, or that have the same sentence with different numbers."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import combinations

from core.base.errors import NoteNotFound
from core.base.frozen import frozen
from core.base.text import digest, fold
from core.model import NotePair
from core.notes.texts import blank_hidden
from core.retrieval.highlights import sentences
from core.retrieval.ranking import newer_notes
from core.store import Store
from core.store.remembered import PerNote

# Sentences with numbers, compared without the numbers: two notes with the same sentence may contradict each other.

LONGEST = 300
"""Maximum length of a sentence, in characters."""
LEAST_WORDS, LEAST_CHARACTERS = 4, 10
"""Minimum number of words, or of Chinese, Japanese or Korean characters, in a sentence in addition to the number."""

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_PLACED = re.compile(
    r"(?i)\d{4}[-/.年]\d{1,2}|\d{1,2}:\d{2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|月"
    r"|\b(?:chapter|figure|listing|page|section|step|table|version)\s+\d|[图表第]\s*\d",
)
"""Dates, times and numbers of chapters, pages and the like, whose difference isn't a contradiction."""
_PREFIX = re.compile(r"^(?:[-*+>#\s]|\d+[.)]\s)+")
_WIDE = re.compile(r"[㐀-鿿぀-ヿ가-힯]")


@frozen
class Claims:
    """The hash of a note's text, empty for a very short text, and the sentences with numbers in it.

    `numbers` maps a sentence without its numbers to the numbers and the sentence.
    """

    text: bytes
    numbers: Mapping[str, tuple[str, str]]


def extract_claims(body: str, visible: str) -> Claims:
    """Return the claims in a note's text, without sentences that the note itself repeats with different numbers.

    `visible` is the text with blanks for hidden parts, from which the sentences are taken.
    """
    folded = " ".join(fold(body).split())
    numbers: dict[str, tuple[str, str]] = {}
    twice = set()
    for start, end in sentences(visible):
        sentence = _PREFIX.sub("", visible[start:end])
        if len(sentence) > LONGEST or not (values := _NUMBER.findall(sentence)) or _PLACED.search(sentence):
            continue
        rest = " ".join(_NUMBER.sub("#", fold(sentence)).split()).rstrip(".。!！")
        words = [word for word in rest.split() if word.strip("#")]
        if len(words) < LEAST_WORDS and len(_WIDE.findall(rest)) < LEAST_CHARACTERS:
            continue
        claim = " ".join(values), sentence
        if numbers.setdefault(rest, claim)[0] != claim[0]:
            twice.add(rest)
    return Claims(
        digest(folded) if len(folded) >= LEAST_CHARACTERS else b"",
        {rest: claim for rest, claim in numbers.items() if rest not in twice},
    )


SEVERAL = 3
"""Maximum number of notes with the same sentence; a sentence in more notes comes from a template."""


class Likeness:
    """Finds similar pairs of active notes, of which neither supersedes the other. Thread-safe.

    A note is read again only if it changed.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._claims = PerNote(self._read)

    @property
    def is_read(self) -> bool:
        """Whether all notes are read in their current state, which makes finding pairs quick."""
        return self._claims.has_all(self._states())

    def read(self) -> None:
        """Read the new and changed notes."""
        self._claims.get(self._states())

    def copies(self) -> Iterator[NotePair]:
        """Yield pairs of notes with the same text: the first such note, with each of the others."""
        first: dict[bytes, str] = {}
        for note_id, claim in self._claims.get(self._states()).items():
            if claim.text and (before := first.setdefault(claim.text, note_id)) != note_id:
                yield from self._unsettled(NotePair(before, note_id))

    def contradictions(self, among: Collection[str] | None = None) -> Iterator[NotePair]:
        """Yield pairs of notes that have the same sentence with different numbers, each with the first such sentence.

        With `among`, only these notes are read and compared.
        """
        known = self._claims.get(self._states(), among)
        sayers: dict[str, list[str]] = defaultdict(list)
        for note_id, item in known.items():
            for rest in item.numbers:
                sayers[rest].append(note_id)
        seen: set[tuple[str, str]] = set()
        for rest, notes in sayers.items():
            if not 2 <= len(notes) <= SEVERAL:
                continue
            for first, second in combinations(notes, 2):
                (number, sentence), (other, another) = known[first].numbers[rest], known[second].numbers[rest]
                if number != other and (first, second) not in seen:
                    seen.add((first, second))
                    yield from self._unsettled(NotePair(first, second, (sentence, another)))

    def contradictions_of(self, note_id: str, among: Iterable[str]) -> Iterator[NotePair]:
        """Yield the contradictions of a note to others, the note and its sentence first."""
        for pair in self.contradictions({note_id, *among}):
            if pair.first == note_id:
                yield pair
            elif pair.second == note_id:
                yield NotePair(note_id, pair.first, pair.quotes[::-1])

    def _unsettled(self, pair: NotePair) -> Iterator[NotePair]:
        """Yield a pair unless one of the notes supersedes the other, which settles the matter."""
        newer = newer_notes(self._store)
        if pair.second not in newer.get(pair.first, ()) and pair.first not in newer.get(pair.second, ()):
            yield pair

    def _states(self) -> Mapping[str, int]:
        return self._store.remembered.get("active states", partial(self._store.note_vectors.states, active=True))

    def _read(self, note_ids: Iterable[str]) -> Iterator[tuple[str, Claims]]:
        for note_id in note_ids:
            with suppress(NoteNotFound):  # deleted in the meantime
                note = self._store.notes.note(note_id)
                yield note_id, extract_claims(note.body, blank_hidden(note, self._store.chunks.hidden(note_id)).body)
