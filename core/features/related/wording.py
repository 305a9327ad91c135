"""The words of notes: the key phrases of a text, and how much notes share."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.base.cache import Cache
from core.base.text import CJK, STOP_WORDS, keywords, simplify

LONGEST_PHRASE = 3, 10
"""Words of a phrase, and characters of one in a script without spaces."""
_PHRASES = 60
"""Phrases of a text at most, the most frequent ones."""
_SWALLOWED = 0.7
"""Share of the places of a shorter phrase that lie in a longer one, from which on it is only a part of that."""
_CJK_RUN = re.compile(f"[{CJK}]+")
_WORDS = re.compile(rf"(?:(?![{CJK}])\w)(?:(?![{CJK}])[\w+#'-])*")
_TAKEN = re.compile(
    r"(?s)```.*?(?:```|\Z)|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$|<[^<>\n]*>|\]\([^()\n]*\)|\{[^{}\n]*\}|[A-Za-z][A-Za-z0-9+.-]{0,20}://\S+|:\w+:"
)
_EDGE = frozenset(
    "的了是在和与及或也就都而但并且其之于以为被把将对从到由向给让使得着过吗呢吧啊我你他她它们这那哪每各某几"
    "不没有无未很更最又再还只才已所如何因此则若当要会能可应该需请下上中里外前后时个些种次本该等即做用来去说看想一"
)
"""Characters with which no phrase begins or ends."""
_PLAIN = STOP_WORDS | frozenset(
    "after also any because before been both each even every few first get got here however just let like made"
    " make many may more most much must need new next no now one only other out over own same see shall should"
    " since some still such take two until up upon us use used uses using very via want way well were yet you'll"
    " we'll let's it's isn't don't doesn't that's there's can't won't you're we're they're i'm we've you've i've"
    " aren't didn't wouldn't".split()
)

LONGEST = 20_000
"""Characters of a note that are compared; a text of a hundred such pages is compared by its beginning."""
_KNOWN = 4_000
"""Notes whose words stay in memory."""
_RUN = 6
"""Words of a piece of text that two notes share where one was copied from the other."""
_LEAST = 20
"""Pieces of a text that can be called copied."""
_SHOWN = 3
"""Phrases that two notes share, at most."""

Text = Callable[[str], tuple[Hashable, str]]
"""Returns of a note a value that changes with its text, and its title and text."""


def phrases(text: str) -> Counter[str]:
    """Return the key phrases of a text, in small letters, with the numbers of their places."""
    text = simplify(unicodedata.normalize("NFKC", _TAKEN.sub("\n", text))).lower().replace("’", "'")
    counts = Counter(_latin(text))
    for word in [word for word in counts if word.endswith("s") and word[:-1] in counts]:
        counts[word[:-1]] += counts.pop(word)
    counts.update(_chinese_phrases(text))
    return Counter(dict(_drop_parts(counts).most_common(_PHRASES)))


def size_of(phrase: str) -> float:
    """Return how much a phrase says by its length: its words, or half of its characters."""
    return len(phrase) / 2 if _CJK_RUN.match(phrase) else 1 + phrase.count(" ")


def _latin(text: str) -> Iterator[str]:
    """Yield the runs of words with a subject that are on one line without a sign between them, and their parts."""
    run: list[str] = []
    end = -1
    for match in _WORDS.finditer(text):
        word = match[0].rstrip("'-")
        if text[end : match.start()] not in (" ", "\n") or len(run) > 8:
            yield from _parts(run)
            run = []
        end = match.end()
        if word in _PLAIN or len(word) < 3 or "_" in word or not word[0].isalpha():
            yield from _parts(run)
            run = []
        else:
            run.append(word)
    yield from _parts(run)


def _parts(run: list[str]) -> Iterator[str]:
    for size in range(1, LONGEST_PHRASE[0] + 1):
        for at in range(len(run) - size + 1):
            yield " ".join(run[at : at + size])


def _chinese_phrases(text: str) -> Counter[str]:
    """Return the runs of Chinese characters that occur in a text at least twice."""
    runs = _CJK_RUN.findall(text)
    counts: Counter[str] = Counter()
    known: set[str] | None = None
    for size in range(2, LONGEST_PHRASE[1] + 1):
        grown = Counter(
            run[at : at + size]
            for run in runs
            for at in range(len(run) - size + 1)
            if known is None or run[at : at + size - 1] in known
        )
        known = {gram for gram, count in grown.items() if count > 1}
        if not known:
            break
        counts.update({gram: grown[gram] for gram in known})
    return Counter({gram: count for gram, count in counts.items() if gram[0] not in _EDGE and gram[-1] not in _EDGE})


def _drop_parts(counts: Counter[str]) -> Counter[str]:
    """Return the phrases that occur at least twice, without those that are mostly parts of a longer one."""
    often = {phrase: count for phrase, count in counts.items() if count > 1}
    inside: Counter[str] = Counter()
    for phrase, count in often.items():
        for part in set(_sub_phrases(phrase)):
            inside[part] = max(inside[part], count)
    return Counter({phrase: count for phrase, count in often.items() if inside[phrase] < _SWALLOWED * count})


def _sub_phrases(phrase: str) -> Iterable[str]:
    """Return the phrases that lie in a longer one."""
    words = phrase.split(" ")
    if len(words) > 1:
        return (
            " ".join(words[at:end])
            for at in range(len(words))
            for end in range(at + 1, len(words) + 1)
            if end - at < len(words)
        )
    if not _CJK_RUN.fullmatch(phrase):
        return ()
    size = len(phrase)
    return (phrase[at:end] for at in range(size) for end in range(at + 2, size + 1) if end - at < size)


@dataclass(frozen=True, slots=True)
class NoteWords:
    """How often each word and each key phrase occurs in a note, and the hashes of some words in a row."""

    counts: Mapping[str, int]
    phrases: Mapping[str, int]
    pieces: frozenset[int]


@dataclass(frozen=True, slots=True)
class Shared:
    """What two notes share: the cosine of their words, their key phrases, and the part of the shorter text."""

    cosine: float
    phrases: tuple[str, ...]
    copied: float


class Wording:
    """The words of notes, each note read once for each of its states."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._read: Cache[tuple[str, Hashable], NoteWords] = Cache(_KNOWN)

    def note_words(self, note_id: str) -> NoteWords:
        """Return the words of a note; raises NoteNotFound."""
        state, text = self._text(note_id)
        return self._read.get_or_compute((note_id, state), lambda: words_of(text[:LONGEST]))

    def compare(self, own: NoteWords, others: Mapping[str, NoteWords]) -> dict[str, Shared]:
        """Return what a note shares with others; a word weighs more, the fewer of them have it (tf-idf)."""
        group = [own, *others.values()]
        rarity = _rarity([words.counts for words in group])
        telling = _rarity([words.phrases for words in group])
        mine = _weigh_words(own, rarity)
        return {
            note_id: Shared(
                _cosine(mine, _weigh_words(other, rarity)), _phrases(own, other, telling), _copied(own, other)
            )
            for note_id, other in others.items()
        }


def words_of(text: str) -> NoteWords:
    """Return the words of a text."""
    words = keywords(text)
    runs = zip(*(words[at:] for at in range(_RUN)), strict=False)
    return NoteWords(Counter(words), phrases(text), frozenset(map(hash, runs)))


def _weigh_words(words: NoteWords, rarity: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of words, whose squares add up to 1."""
    weights = {word: (1 + math.log(count)) * rarity[word] for word, count in words.counts.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {word: weight / length for word, weight in weights.items()}


def _rarity(group: Sequence[Mapping[str, int]]) -> dict[str, float]:
    holders = Counter(word for counts in group for word in counts)
    return {word: math.log((len(group) + 1) / count) for word, count in holders.items()}


def _cosine(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum(weight * second[word] for word, weight in first.items() if word in second)


def _phrases(first: NoteWords, second: NoteWords, rarity: Mapping[str, float]) -> tuple[str, ...]:
    """Return the key phrases of both notes that say most about them; none that lies in another one."""
    weights = {
        phrase: math.sqrt(count * second.phrases[phrase] * size_of(phrase)) * rarity[phrase]
        for phrase, count in first.phrases.items()
        if phrase in second.phrases
    }
    chosen: list[str] = []
    for phrase in sorted(weights, key=lambda phrase: (-weights[phrase], phrase)):
        if len(chosen) < _SHOWN and not any(phrase in item or item in phrase for item in chosen):
            chosen.append(phrase)
    return tuple(chosen)


def _copied(first: NoteWords, second: NoteWords) -> float:
    fewer = min(len(first.pieces), len(second.pieces))
    return len(first.pieces & second.pieces) / fewer if fewer >= _LEAST else 0.0
