"""Find pairs of notes with identical text, and pairs that contain the same sentence with different numbers."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import combinations

from core.base.errors import NoteNotFound
from core.base.frozen import Pair, Texts, frozen
from core.base.text import digest, fold, keywords, query_keywords
from core.model import NotePair
from core.notes.texts import blank_hidden
from core.retrieval.highlights import sentences
from core.retrieval.ranking import newer_notes
from core.store import Store
from core.store.remembered import PerNote

# Sentences that contain numbers. If two notes' sentences differ only in the numbers, the notes may contradict each
# other.

# Maximum sentence length in characters.
LONGEST = 300
# Minimum number of words in a sentence, not counting numbers, or of Chinese, Japanese or Korean characters.
LEAST_WORDS = 4
LEAST_CHARACTERS = 6
# Minimum number of characters in a text that can be a copy.
_LEAST_TEXT = 10

# A number in figures or words, or the place of one in "every year".
_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
_VALUES = {word: str(number) for words in (_WORDS, "一二三四五六七八九十") for number, word in enumerate(words, 1)}
_VALUES |= {"": "1", "once": "1", "twice": "2", "两": "2", "兩": "2"}
_NUMBER = re.compile(
    rf"\d+(?:[.,:/-]\d+)*|\b(?:{'|'.join(_WORDS)}|once|twice)\b"
    r"|(?:(?<=every )|(?<=each ))(?=(?:year|month|week|day)\b)"
    r"|[一二两兩三四五六七八九十百半]+(?=[年月周天日次倍度元])|(?<=每)(?=[年月周天日])"
)
# A number's place and a unit of time, whose plural depends on the number.
_PERIOD = re.compile(r"# ?(year|month|week|day)s?\b")
# Dates, times, and numbers of chapters, pages and the like. Different values of these aren't contradictions.
_PLACED = re.compile(
    r"(?i)\d{4}[-/.年]\d{1,2}|\d{1,2}:\d{2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|(?<![每个])月"
    rf"|\b(?:chapter|figure|listing|page|section|step|table|version)\s+(?:\d|{'|'.join(_WORDS)})"
    r"|[图表第]\s*[\d一二两三四五六七八九十百]",
)
# A date that is fixed at the end of a sentence, or a time of every day. Different values are contradictions.
_FIXED = re.compile(
    r"(?i)(?:定[为在]|改[为到]|推迟到|截止|到期|\bdeadline|\bdue\b)[^\d]{0,40}\d[\d\s年月日号/.-]*\W*$"
    r"|(?:\b(?:opens|closes|starts|begins|ends|runs|leaves|daily)\b|每[天日周晚早]|[开关]门)[^\d]{0,20}\d{1,2}:\d\d"
)
_PREFIX = re.compile(r"^(?:[-*+>#\s]|\d+[.)]\s)+")
_WIDE = re.compile(r"[㐀-鿿぀-ヿ가-힯]")


@frozen
class Claims:
    """A note's text hash, and the sentences in the note that contain numbers.

    `text` is the hash, or empty if the text is very short. `numbers` maps each sentence, with the numbers masked, to
    its numbers and its original text.
    """

    text: bytes
    numbers: Mapping[str, Pair]


def numbers_in(text: str) -> list[str]:
    """Return the numbers in a text. Numbers in words are converted to figures."""
    return [_VALUES.get(number, number) for number in _NUMBER.findall(_plain(text))]


def _plain(text: str) -> str:
    return re.sub("[*`]", "", fold(text))


def extract_claims(body: str, visible: str) -> Claims:
    """Return a note's claims. Leave out sentences that the note itself repeats with different numbers.

    `body` is hashed. Sentences are taken from `visible`, which is `body` with its hidden parts blanked out.
    """
    folded = " ".join(fold(body).split())
    numbers: dict[str, Pair] = {}
    twice = set()
    for start, end in sentences(visible):
        sentence = _PREFIX.sub("", visible[start:end])
        if (
            len(sentence) > LONGEST
            or not (values := numbers_in(sentence))
            or (_PLACED.search(sentence) and not _FIXED.search(sentence))
        ):
            continue
        masked = _PERIOD.sub(r"# \1", _NUMBER.sub("#", _plain(sentence)))
        rest = " ".join(masked.split()).rstrip(".。!！")
        words = [word for word in rest.split() if word.strip("#")]
        if len(words) < LEAST_WORDS and len(_WIDE.findall(rest)) < LEAST_CHARACTERS:
            continue
        claim = " ".join(values), sentence
        if numbers.setdefault(rest, claim)[0] != claim[0]:
            twice.add(rest)
    return Claims(
        digest(folded) if len(folded) >= _LEAST_TEXT else b"",
        {rest: claim for rest, claim in numbers.items() if rest not in twice},
    )


# Maximum number of notes that share a sentence. A sentence found in more notes probably comes from a template.
SEVERAL = 3
# Number of occurrences from which a word in a note's title counts as the note's subject.
_REPEATED = 3


class Likeness:
    """Finds copies and contradictions among active notes. Thread-safe.

    Pairs in which one note supersedes the other are left out. Notes are reread only if they have changed.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._claims = PerNote(self._read)

    @property
    def is_read(self) -> bool:
        """Whether all notes have been read in their current state, so that finding pairs is quick."""
        return self._claims.has_all(self._states())

    def read(self) -> None:
        """Read the new and changed notes."""
        self._claims.get(self._states())

    def copies(self) -> Iterator[NotePair]:
        """Yield pairs of notes with the same text. The first note with a given text is paired with each later one."""
        first: dict[bytes, str] = {}
        for note_id, claim in self._claims.get(self._states()).items():
            if claim.text and (before := first.setdefault(claim.text, note_id)) != note_id:
                yield from self._unsettled(NotePair(before, note_id))

    def contradictions(self, among: Collection[str] | None = None) -> Iterator[NotePair]:
        """Yield pairs of notes that contain the same sentence with different numbers.

        Each pair quotes all such sentences. If `among` is given, only those notes are read and compared.
        """
        if among is None:  # the Review page lists them at every click
            yield from self._store.remembered.get("contradictions", lambda: [*self._find(None)])
        else:
            yield from self._find(among)

    def _find(self, among: Collection[str] | None) -> Iterator[NotePair]:
        said = defaultdict(list)
        for note_id, item in self._claims.get(self._states(), among).items():
            for rest, claim in item.numbers.items():
                said[rest].append((note_id, *claim))
        pairs = defaultdict[Pair, Texts](tuple)
        for notes in said.values():
            both = combinations(notes, 2) if len(notes) <= SEVERAL else ()
            for (first, number, sentence), (second, other, another) in both:
                if number != other:
                    pairs[first, second] += sentence, another
        for (first, second), quotes in pairs.items():
            with suppress(NoteNotFound):  # deleted in the meantime
                if not self._differ_in_subject(first, second):
                    yield from self._unsettled(NotePair(first, second, quotes))

    def contradictions_of(self, note_id: str, among: Iterable[str]) -> Iterator[NotePair]:
        """Yield a note's contradictions with the notes in `among`. In each pair, the given note comes first."""
        for pair in self.contradictions({note_id, *among}):
            yield from (own for own in (pair, pair.reversed) if own.first == note_id)

    def _differ_in_subject(self, *pair: str) -> bool:
        """Return whether two notes' titles have words in common, but each names a subject of its own, like two recipes.

        A note repeats its own subject, and the other note never mentions it.
        """
        notes = list(map(self._store.notes.note, pair))
        titles = [{*query_keywords(note.title)} for note in notes]
        if titles[0].isdisjoint(titles[1]):
            return False
        texts = [Counter(keywords(note.body)) for note in notes]
        return all(
            any(text[word] >= _REPEATED and word not in other for word in title)
            for title, text, other in zip(titles, texts, reversed(texts), strict=True)
        )

    def _unsettled(self, pair: NotePair) -> Iterator[NotePair]:
        """Yield a pair of notes unless one note supersedes the other, which resolves any contradiction."""
        newer = newer_notes(self._store)
        if pair.second not in newer.get(pair.first, ()) and pair.first not in newer.get(pair.second, ()):
            yield pair

    def _states(self) -> Mapping[str, int]:
        return self._store.remembered.get("active states", partial(self._store.note_vectors.states, active=True))

    def _read(self, note_ids: Iterable[str]) -> Iterator[tuple[str, Claims]]:
        for note_id in note_ids:
            with suppress(NoteNotFound):  # deleted in the meantime
                note = self._store.notes.note(note_id)
                # The numbers in a note from a log are those of one run.
                visible = (
                    ""
                    if note.source.endswith("_learning")
                    else blank_hidden(note, self._store.chunks.hidden(note_id)).body
                )
                yield note_id, extract_claims(note.body, visible)
