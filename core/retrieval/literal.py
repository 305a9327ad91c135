"""Gains of chunks in which a question stands as it was typed: as their heading, as a run of words, by a rare word.

Every gain has a gate, because without one questions in a person's own words lose 4 points of MRR (a folder of 173
English notes with 58 questions); behind the gates `benchmarks.quality` is no worse: MRR@10 0.617 without, 0.623 with.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, pairwise

from core.model import Chunk, NoteCard, Rowids
from core.text import CJK, STOP_WORDS, fold, keywords

Holders = Callable[[Sequence[str]], Sequence[Rowids]]
"""Returns for each word the chunks that hold it."""

_HEADING, _RUN, _RARE = 2.0, 1.5, 1.0
"""Gains, on a scale where the scores before range from 0 to 1."""

_LEAST_HEADING = 0.75
"""Least share of common words at which a question is a heading."""
_LESS = 0.02
"""What each heading counts less than the one before: a note's title, its section's with it, the section's alone."""
_LEAST_RUN, _LEAST_WORDS = 0.6, 4
"""Least share of a question that is a run, and least number of words of such a question."""
_RUNS_IN = 12
"""Number of chunks that are read for runs: the best by words, as one with a run holds its words."""
_FEW_HOLDERS = 3
"""Most chunks that hold a rare word."""
_FEW_WORDS = 3
"""Most words of a question in which any rare word counts; in a longer one only identifiers do."""

_LATIN = re.compile(rf"(?:(?![{CJK}])\w)+")
_RUN_OF_CJK = re.compile(f"[{CJK}]+")
_UNIT = re.compile(rf"[{CJK}]|{_LATIN.pattern}")
_IDENTIFIER = re.compile(r"(?=\w*(?:[a-z][A-Z]|_|\d))[A-Za-z_]\w+", re.ASCII)
_FRAME = re.compile(
    "什么时候|为什么|是什么|什么|怎么样|怎样|怎么|如何|哪里|哪些|哪个|是否|可以|能否|能不能|请问|解释一下|解释|说明|介绍|一下|"
    "一个|关于|有关|提到过|提到|我们|这个|那个|需要|应该|例子|使用|实现|缺点|优点|作用|请"
)
"""What a Chinese question says around its subject."""
_JOINING = frozenset("的了是在吗呢么什怎哪吧啊和与及或把被用有我你它过举记")
"""Characters that join Chinese words: a pair with one of them is mostly no word."""


def gains(
    text: str,
    by_words: Iterable[int],
    chunks: Mapping[int, Chunk],
    cards: Mapping[str, NoteCard],
    holders: Holders,
) -> dict[int, float]:
    """Return what each of some chunks gains for a question; `by_words` are chunks, the best by words first."""
    gained: Counter[int] = Counter()
    gained.update(_headings(text, {rowid: (cards[chunk.note_id].title, chunk) for rowid, chunk in chunks.items()}))
    gained.update(_runs(text, {rowid: chunks[rowid] for rowid in islice(by_words, _RUNS_IN) if rowid in chunks}))
    for word, rowids in zip(words := _words(text), holders(words), strict=True):
        if len(rowids) <= _FEW_HOLDERS:
            held = {rowid: word in fold(chunks[rowid].text) for rowid in rowids.tolist() if rowid in chunks}
            gained.update({rowid: _RARE if in_text else _RARE / 2 for rowid, in_text in held.items()})
    return dict(gained)


def _headings(text: str, chunks: Mapping[int, tuple[str, Chunk]]) -> dict[int, float]:
    """Return the gains of the chunks whose heading is the question."""
    question = Counter(keywords(text))
    if not question:
        return {}
    shares = {rowid: _alike(question, title, chunk) for rowid, (title, chunk) in chunks.items()}
    least = max(_LEAST_HEADING, max(shares.values(), default=0) - 1.5 * _LESS)
    return {rowid: _HEADING * share for rowid, share in shares.items() if share >= least}


def _alike(question: Counter[str], title: str, chunk: Chunk) -> float:
    """Return the share of common words of a question and the most similar heading of a chunk (Jaccard)."""
    own, path = chunk.section_title, (*chunk.parent_sections, chunk.section_title)
    headings = (_heading((title,)), _heading((title, own)), _heading((own,)), _heading((title, *path)))
    return max(
        (question & heading).total() / (question | heading).total() - _LESS * place
        for place, heading in enumerate(headings)
    )


@lru_cache(4096)
def _heading(names: tuple[str, ...]) -> Counter[str]:
    return Counter(word for name in names for word in keywords(name))


def _runs(text: str, chunks: Mapping[int, Chunk]) -> dict[int, float]:
    """Return the gains of the chunks that hold most of the question in its order, without a gap."""
    question = _UNIT.findall(fold(text))
    if len(question) < _LEAST_WORDS:
        return {}
    shares = {rowid: _longest(question, chunk.text) / len(question) for rowid, chunk in chunks.items()}
    return {rowid: _RUN * share for rowid, share in shares.items() if share >= _LEAST_RUN}


def _longest(question: Sequence[str], text: str) -> int:
    """Return the number of words of the longest part of a question that a text holds."""
    within, longest = f" {' '.join(_UNIT.findall(fold(text)))} ", 0
    for at in range(len(question)):
        while at + longest < len(question) and f" {' '.join(question[at : at + longest + 1])} " in within:
            longest += 1
    return longest


def _words(text: str) -> list[str]:
    """Return the words of a question that count if they are rare: identifiers, and all words of a short one."""
    folded = fold(text)
    latin = [word for word in _LATIN.findall(folded) if word not in STOP_WORDS]
    parts = [part for run in _RUN_OF_CJK.findall(folded) for part in _FRAME.split(run)]
    if len(latin) + sum((len(part) + 1) // 2 for part in parts) > _FEW_WORDS:
        return [fold(word) for word in _IDENTIFIER.findall(text)]
    return [*latin, *(pair for part in parts for pair in _pairs(part))]


def _pairs(part: str) -> Iterator[str]:
    return (one + other for one, other in pairwise(part) if not {one, other} & _JOINING)
