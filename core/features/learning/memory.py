"""What was learnt before: a fact is known by its key, or by the words of its key where it is said otherwise."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.base.text import keywords
from core.features.learning.rules import RULES
from core.model import Fact, LearntFact

_NEAR = 0.8
"""Share of words that two keys have in common, from which on they are the same fact."""
_FEWEST = 5
"""Words that a key has at least, to be compared by them."""
_OPPOSITES = frozenset(
    "not no never without don won isn cannot enable disable enabled disabled on off true false yes start"
    " stop up down before"
    " after more less increase decrease allow deny add remove 不 没 无 未 非 禁 开 关 启 停 前 后 增 减".split()
)
"""Words that make another fact of a sentence."""
_BY_KEY = frozenset(name for name, rule in RULES.items() if rule.by_key)
_VALUE = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class _Key:
    words: frozenset[str]
    fact: LearntFact

    @property
    def values(self) -> frozenset[str]:
        return frozenset(word for word in self.words if _VALUE.search(word))


@dataclass(frozen=True, slots=True)
class Sorting:
    """Facts by what is remembered of them: the new ones, how many are known, how many a person rejected."""

    fresh: Sequence[Fact]
    known: int
    rejected: int


class Memory:
    """The facts that were suggested or rejected before; facts of now are added to them."""

    def __init__(self, facts: Iterable[LearntFact]) -> None:
        self._facts: dict[tuple[str, str], LearntFact] = {}
        self._near: dict[str, list[_Key]] = defaultdict(list)
        for fact in facts:
            self.add(fact)

    def add(self, fact: LearntFact) -> None:
        self._facts[fact.rule, fact.key] = fact
        if fact.rule not in _BY_KEY:
            self._near[fact.rule].append(_Key(frozenset(keywords(fact.key)), fact))

    def sort(self, facts: Iterable[Fact]) -> Sorting:
        """Part facts into new and remembered ones; the new ones are remembered from then on."""
        fresh: list[Fact] = []
        known = rejected = 0
        for fact in facts:
            before = self.find(fact)
            if before is None:
                fresh.append(fact)
                self.add(LearntFact(fact.rule, fact.key, ""))
            elif before.rejected:
                rejected += 1
            else:
                known += 1
        return Sorting(fresh, known, rejected)

    def find(self, fact: Fact) -> LearntFact | None:
        """Return the same fact of before, the nearest by words where none is equal; None for a new one."""
        if known := self._facts.get((fact.rule, fact.key)):
            return known
        if fact.rule in _BY_KEY:
            return None
        words = frozenset(keywords(fact.key))
        values = frozenset(word for word in words if _VALUE.search(word))
        if len(words) < _FEWEST:
            return None
        near = [(_shared(words, key.words), key) for key in self._near[fact.rule] if key.values == values]
        best = max(near, key=lambda item: item[0], default=(0.0, None))
        return best[1].fact if best[1] and best[0] >= _NEAR and not (words ^ best[1].words) & _OPPOSITES else None


def _shared(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / max(1, len(first | second))
