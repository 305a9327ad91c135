"""Gains of chunks that contain a question as typed: as their heading, as a run of words, or by a rare word.

Every gain has a condition, because without one questions in the user's own words lose 4 points of MRR (a folder of 173
English notes with 58 questions). With the conditions, MRR@10 of `benchmarks.quality` rises from 0.617 to 0.634.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate, islice, pairwise

from core.base.text import CJK, STOP_WORDS, fold, keywords
from core.model import Chunk, Rowids
from core.retrieval.fusion import Cards, ChunkMap
from core.store.top_k import Scores

Holders = Callable[[Sequence[str]], Sequence[Rowids]]
"""Returns the chunks that contain each word."""

_HEADING, _RUN, _RARE = 2.0, 1.5, 1.1
"""Gains for a heading, a run and a rare word. Other scores range from 0 to 1, so each gain outweighs them."""
TITLE = 10.0
"""Gain of a note's first chunk if the question is exactly the note's title; outweighs all other gains together."""
SECTION = 5.0
"""Gain of a section's first chunk if the question is exactly the section's title, in a note with another title."""

_LEAST_HEADING = 0.75
"""Minimum share of common words for a question to match a heading."""
_LESS = 0.02
"""Decrease of the gain from one kind of heading to the next: note title, note and section title, section title."""
_LEAST_RUN, _LEAST_WORDS = 0.6, 4
"""Minimum share of a question, by weight, that a run must cover, and minimum number of words in the question."""
_RUNS_IN = 12
"""Number of chunks to search for runs: the best by words, because a chunk with a run contains its words."""
_FEW_HOLDERS = 3
"""Maximum number of chunks that contain a rare word."""
_FEW_WORDS = 3
"""Maximum number of words in a question for any rare word to count; in longer questions only identifiers count."""

_LATIN = re.compile(rf"[vV]?\d+(?:\.\d+)+|(?:(?![{CJK}])\w)+")
_RUN_OF_CJK = re.compile(f"[{CJK}]+")
_UNIT = re.compile(rf"[{CJK}]|{_LATIN.pattern}")
_IDENTIFIER = re.compile(r"(?=\w*(?:[a-z][A-Z]|_|\d))[A-Za-z_]\w+", re.ASCII)
_FRAME = re.compile(
    "什么时候|为什么|是什么|什么|怎么样|怎样|怎么|如何|哪里|哪些|哪个|是否|可以|能否|能不能|请问|解释一下|解释|说明|介绍|一下|"
    "一个|关于|有关|提到过|提到|我们|这个|那个|需要|应该|例子|使用|实现|缺点|优点|作用|请"
)
"""Words around the subject of a Chinese question."""
_JOINING = frozenset("的了是在吗呢么什怎哪吧啊和与及或把被用有我你它过举记")
"""Characters that join Chinese words: pairs with one of them usually aren't words."""


def gains(
    text: str,
    by_words: Iterable[int],
    chunks: ChunkMap,
    cards: Cards,
    holders: Holders,
) -> Scores:
    """Return the gain of each chunk for a question; `by_words` are chunks ordered by keyword score, best first."""
    gained: Counter[int] = Counter()
    gained.update(_headings(text, {rowid: (cards[chunk.note_id].title, chunk) for rowid, chunk in chunks.items()}))
    gained.update(_runs(text, {rowid: chunks[rowid] for rowid in islice(by_words, _RUNS_IN) if rowid in chunks}))
    for word, rowids in zip(words := _words(text), holders(words), strict=True):
        if len(rowids) <= _FEW_HOLDERS:
            held = {rowid: word in fold(chunks[rowid].text) for rowid in rowids.tolist() if rowid in chunks}
            gained.update({rowid: _RARE if in_text else _RARE / 2 for rowid, in_text in held.items()})
    return dict(gained)


def first_of_sections(titles: Iterable[str], chunks: ChunkMap) -> list[int]:
    """Return the first chunk of each note that has a section with one of these titles."""
    wanted = {_normalise_title(title) for title in titles} - {""}
    own = [rowid for rowid, chunk in chunks.items() if wanted.intersection(map(_normalise_title, chunk.sections))]
    first: dict[str, int] = {}
    for rowid in sorted(own, key=lambda rowid: chunks[rowid].start):
        first.setdefault(chunks[rowid].note_id, rowid)
    return [*first.values()]


def _normalise_title(title: str) -> str:
    """Return a title for comparison, regardless of case, width and spacing."""
    return " ".join(fold(title).split())


def _headings(text: str, chunks: Mapping[int, tuple[str, Chunk]]) -> Scores:
    """Return the gains of chunks with a heading that matches the question."""
    question = Counter(keywords(text))
    alike = cache(lambda *names: _word_overlap(question, _heading(names)))
    shares: Scores = {}
    for rowid, (title, chunk) in chunks.items():
        shares[rowid] = max(
            alike(*names) - _LESS * place
            for own in chunk.sections or ("",)
            for place, names in enumerate(((title,), (title, own), (own,), (title, *chunk.parent_sections, own)))
        )
    least = max(_LEAST_HEADING, max(shares.values(), default=0) - 1.5 * _LESS)
    return {rowid: _HEADING * share for rowid, share in shares.items() if share >= least}


def _word_overlap(question: Counter[str], heading: Counter[str]) -> float:
    """Return the word overlap of a question and a heading (Jaccard), 0 if their lengths differ too much."""
    shorter, longer = sorted((question.total(), heading.total()))
    if not shorter or shorter < _LEAST_HEADING * longer:
        return 0.0
    both = sum(min(count, question[word]) for word, count in heading.items())
    return both / (shorter + longer - both)


@lru_cache(4096)
def _heading(names: tuple[str, ...]) -> Counter[str]:
    return Counter(word for name in names for word in keywords(name))


def _runs(text: str, chunks: ChunkMap) -> Scores:
    """Return the gains of chunks that contain most of the question as one run of words."""
    question = _UNIT.findall(fold(text))
    if len(question) < _LEAST_WORDS:
        return {}
    # A run of this length contains the middle of the question; searching for that first takes a tenth of the time.
    ends = [*accumulate(map(_weight, question))]
    first, last = (bisect_right(ends, share * ends[-1]) for share in (1 - _LEAST_RUN, _LEAST_RUN))
    middle = re.compile(r"\W*".join(map(re.escape, question[first : last + 1])))
    folded = {rowid: fold(chunk.text) for rowid, chunk in chunks.items()}
    shares = {rowid: _heaviest_run(question, text) / ends[-1] for rowid, text in folded.items() if middle.search(text)}
    return {rowid: _RUN * share for rowid, share in shares.items() if share >= _LEAST_RUN}


def _heaviest_run(question: Sequence[str], text: str) -> int:
    """Return the weight of the heaviest run of question words in a folded text."""
    within, heaviest, end = f" {' '.join(_UNIT.findall(text))} ", 0, 0
    for start in range(len(question)):
        while end < len(question) and f" {' '.join(question[start : end + 1])} " in within:
            end += 1
        heaviest = max(heaviest, sum(map(_weight, question[start:end])))
        end = max(end, start + 1)
    return heaviest


def _weight(unit: str) -> int:
    """Return the weight of a word in a run: its number of letters, 2 for a Chinese character."""
    return len(unit) if unit.isascii() else 2


def _words(text: str) -> list[str]:
    """Return the words that count if they are rare: a question's identifiers, or all words of a short question."""
    folded = fold(text)
    latin = [word for word in _LATIN.findall(folded) if word not in STOP_WORDS]
    parts = [part for run in _RUN_OF_CJK.findall(folded) for part in _FRAME.split(run)]
    if len(latin) + sum((len(part) + 1) // 2 for part in parts) > _FEW_WORDS:
        return [fold(word) for word in _IDENTIFIER.findall(text)]
    pairs = [pair for part in parts for pair in pairwise(part)]
    return [*latin, *(pair + other for pair, other in pairs if not {pair, other} & _JOINING)]
