"""Proof of a written sentence by its quotes: word for word, in other words, or not at all."""

from collections.abc import Container, Iterator, Sequence
from difflib import SequenceMatcher

from core.base.blobs import Span
from core.base.frozen import frozen
from core.features.answers import figures
from core.features.answers.wording import Source, WordToken, is_copy, tokens, turns

_NEAR = 0.6
"""Minimum share of equal words for comparing two sentences word by word."""
_FUNCTION_WORDS = frozenset(
    "a an the of to in on at by for with and is be been was it its 的 了 是 在 和 与 会 也 就".split()
)


@frozen
class Verdict:
    """Result of comparing a sentence with its sources: figures and names that they lack, and whether it is a copy.

    `ours` and `theirs` are the spans that differ, in the sentence and in each of its sources.
    """

    missing: tuple[str, ...]
    copied: bool
    ours: tuple[Span, ...] = ()
    theirs: tuple[tuple[Span, ...], ...] = ()


def judge(
    sentence: str,
    sources: Sequence[tuple[Source, str]],
    passages: Sequence[str],
    known: Container[str] = (),
) -> Verdict:
    """Compare a sentence with its sources, which are pairs of a note's sentence and the titles above it.

    `passages` and `known` are those of `figures.find_missing`.
    """
    if any(is_copy(sentence, source, place) for source, place in sources):
        return Verdict((), True)
    quotes = [f"{place}\n{source.before}\n{source.text}" for source, place in sources]
    missing = figures.find_missing(sentence, quotes, passages, known)
    texts = [source.text for source, _ in sources]
    ours = [*_differing(sentence, quotes)]
    theirs = [[*_differing(text, [sentence])] for text in texts]
    for text, places in zip(texts, theirs, strict=True):
        first, second = tokens(sentence), tokens(text)
        matcher = SequenceMatcher(None, [token.key for token in first], [token.key for token in second], autojunk=False)
        if matcher.real_quick_ratio() < _NEAR or matcher.ratio() < _NEAR:
            continue
        same, equal = figures.agreeing(sentence, quotes), figures.agreeing(text, [sentence])
        for kind, start, end, begin, stop in matcher.get_opcodes():
            if kind != "equal":
                ours += _places(first[start:end], same)
                places += _places(second[begin:stop], equal)
    return Verdict(missing, False, _joined(ours, sentence), tuple(map(_joined, theirs, texts)))


def _differing(text: str, others: Sequence[str]) -> Iterator[Span]:
    """Yield the spans of figures, names and kinds of words of TURNING in a text that the other texts lack."""
    yield from figures.differing(text, others)
    said = {kind for other in others for kind in turns(other)}
    for kind, spans in turns(text).items():
        yield from spans if kind not in said else ()


def _places(found: Sequence[WordToken], same: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans of words, except function words, punctuation, and words in the spans `same`."""
    for token in found:
        if any(start <= token.start < end for start, end in same):
            continue
        if token.key not in _FUNCTION_WORDS and any(map(str.isalnum, token.key)):
            yield token.start, token.end


def _joined(spans: Sequence[Span], text: str) -> tuple[Span, ...]:
    """Return sorted spans, joined where only white space separates them."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(joined)
