"""Whether a sentence claims what its quotes claim: negation, modality, comparison and order agree.

A sentence with all the words of a quote may say its opposite. Each is read as clauses with classes of words
(`claims.py`), so that a sentence may be in another language. In one language the sentence is compared with the clauses
that have its words, and with those that are quoted where it is nearly a copy of them or has other words. What can't be
kept apart is refused.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.features.answers.claims import Clause, clauses, is_chinese, normalise
from core.features.answers.units import units_of

Pair = tuple[set[str], set[str]]
"""Words on both sides of another."""

_MODAL = ("must", "should", "can", "may", "maybe", "optional")
_LIMIT = {
    "least": {"least"},
    "most": {"most"},
    "more": {"more"},
    "less": {"less"},
    "above": {"least", "more"},
    "below": {"most", "less"},
}
_BEYOND = {"most": "more", "more": "most", "least": "less", "less": "least"}
"""The limit that a number is within where it isn't within another."""

Span = tuple[int, int]

_ENDS = ".!?。！？ "
_COPY_SHARE = 0.8
"""Share of the words of both, of which a sentence has those of its quotes in about their form."""
_LETTERS = 0.9
"""Such a share of which it is a copy but for a few words."""
_COVERED_SHARE = 0.7
"""Share of the words of a sentence that its quotes have where it is compared with the clauses of these words alone."""


def count_exchanged_sides(claim: Sequence[Clause], source: Sequence[Clause]) -> int:
    """Return 1 where the two sides of a comparison are exchanged: *A is faster than B*, *B is faster than A*."""
    ours, theirs = _sides(claim, "than"), _sides(source, "than")
    if not ours or not theirs:
        return 0
    (first, second), (third, fourth) = ours, theirs
    both = (first & second) | (third & fourth)
    return int(bool(first & fourth - both) and bool(second & third - both))


def _sides(source: Sequence[Clause], *kinds: str) -> Pair | None:
    """Return the words on both sides of the first word of some kinds, in their order in time for one of order."""
    for clause in source:
        for kind, start, end in clause.marks:
            if kind not in kinds:
                continue
            part = [word for item in source if item.part == clause.part for word in item.words]
            left, right = {key for key, at in part if at < start}, {key for key, at in part if at >= end}
            own = {key for key, at in clause.words if at >= end}, {key for key, at in clause.words if at < start}
            if kind in ("than", "then", "row"):
                return left, right
            chinese = any(not key.isascii() for key, _ in clause.words)
            argument = own[1] if chinese else own[0]
            if not argument or argument == {key for key, _ in part}:  # no comma ends it
                continue
            rest = {key for key, _ in part} - argument
            return (rest, argument) if kind == "before" else (argument, rest)
    return None


def _compare_order(ours: Pair, theirs: Pair) -> int:
    """Return above 0 where two pairs have the same order, below where they have the other one, 0 if it isn't known."""
    (first, second), (third, fourth) = ours, theirs
    same = len(first & third) + len(second & fourth)
    return same - len(first & fourth) - len(second & third)


def order_agrees(claim: Sequence[Clause], source: Sequence[Clause], same_language: bool) -> bool:
    """Whether what is first is first in both, as *before*, *after* and *then* say."""
    for kinds in (("before", "after", "then"), ("row",)):
        ours, theirs = _sides(claim, *kinds), _sides(source, *kinds)
        if ours and theirs and (agreement := _compare_order(ours, theirs)):
            return agreement > 0
    item, other = ({kind for clause in side for kind in clause.kinds} & {"before", "after"} for side in (claim, source))
    return not item or not other or bool(item & other)


def count_crossed_limits(claim: Sequence[Clause], source: Sequence[Clause]) -> int | None:
    """Return how many limits are given from their other side: *over 5* for *up to 5*; None for another limit."""
    count = 0
    numbers = {number for clause in source for number in clause.numbers}
    if any(not clause.limits.keys() <= numbers for clause in claim):
        return None
    for value in {number for clause in claim for number in clause.numbers} & numbers:
        ours, theirs = (
            {item for clause in side for kind in clause.limits.get(value, ()) for item in _LIMIT[kind]}
            for side in (claim, source)
        )
        if ours & theirs or not (ours or theirs):
            continue
        if not {_BEYOND[our] for our in ours} & theirs:
            return None
        count += 1
    return count


def amount_agrees(claim: Sequence[Clause], source: Sequence[Clause]) -> bool:
    """Whether one claim says *all* where the other says *some*."""
    ours, theirs = ({kind for clause in side for kind in clause.kinds} for side in (claim, source))
    if "all" in ours and theirs & {"some", "often"} and "all" not in theirs:
        return False
    if ours & {"some", "often"} and "all" in theirs and not theirs & {"some", "often"}:
        return False
    return "some" not in theirs or "some" in ours or "maybe" in ours


def _modals(clause: Clause) -> list[str]:
    """Return the modality of a clause, word for word; `forbid` is a negated *must* or *can*."""
    if "optional" in clause.kinds:
        return ["optional"]
    negations = [mark for mark in clause.marks if mark[0] == "not"]
    found = ["forbid" for kind, _, _ in clause.marks if kind in ("cannot", "forbidden")]
    for kind, start, end in clause.marks:
        if kind in ("must", "can", "may"):
            near = any(min(abs(start - last), abs(first - end)) <= 1 for _, first, last in negations)
            found.append("forbid" if near else kind)
        elif kind in _MODAL:
            found.append(kind)
    if "forbid" in found or "not" not in clause.kinds:
        return found
    return ["forbid" if kind in ("must", "can", "may") else kind for kind in found]


def modality_agrees(claim: Sequence[Clause], source: Sequence[Clause], same_language: bool) -> bool:
    """Whether what must, should or may be is so in both; a claim without such a word agrees with *must* and *can*."""
    every = {item for clause in source for item in _modals(clause)}
    without = any(clause.spared and clause.odd for clause in claim)
    own = {item for clause in claim for item in _modals(clause)}
    if not own:
        limited = any(clause.kinds & {"some", "often"} for clause in claim)
        return not (every & {"maybe", "may"} and not limited) and ("optional" not in every or without)
    for clause in claim:
        closest = nearest_clauses(clause, source) if same_language else []
        theirs = {item for quote in closest for item in _modals(quote)} or every
        if not all(_allows(item, theirs, without, source) for item in _modals(clause)):
            return False
    return same_language or len(every - {"forbid"}) < 2 or every <= own


def _allows(modal: str, theirs: set[str], without: bool, source: Sequence[Clause]) -> bool:
    """Whether one modality follows from those of the quotes."""
    if modal in theirs:
        return True
    spared = any(clause.spared and clause.odd for clause in source)
    match modal:
        case "optional":
            return spared and theirs <= {"can"}
        case "maybe" | "may":
            return bool(theirs & {"maybe", "may", "can"}) or any("some" in clause.kinds for clause in source)
        case "can":
            return not theirs or bool(theirs & {"can", "may", "maybe"}) or "optional" in theirs
        case "must" | "forbid":
            return theirs <= {"forbid", "must"} or (
                modal == "forbid" and theirs == {"can"} and any("except" in clause.kinds for clause in source)
            )
        case _:
            return not theirs


def list_modalities(source: Sequence[Clause]) -> Iterator[str]:
    """Yield the modality of clauses, word for word, and their order where more than one word says it."""
    order = [kind for clause in source for kind, _, _ in clause.marks if kind in ("before", "after")]
    yield from order if len(order) > 1 else ()
    for clause in source:
        yield from _modals(clause)


def nearest_clauses(clause: Clause, source: Sequence[Clause]) -> list[Clause]:
    """Return the clauses that have most words of one, none where none has any."""
    best = max((len(clause.keys & item.keys) for item in source), default=0)
    return [item for item in source if best and len(clause.keys & item.keys) == best]


@dataclass(frozen=True, slots=True)
class Quoted:
    """The clauses of the sentences around a quote, and which of them it holds a part of."""

    text: str
    clauses: Sequence[Clause]
    touched: Sequence[bool]

    @classmethod
    def from_passage(cls, passage: str, start: int, end: int) -> "Quoted":
        before, quote, after = _surrounding_sentences(passage, start, end)
        before, text = normalise(before), normalise(before + quote + after)
        first, last = len(before), len(normalise(before + quote))
        found = clauses(text)
        return cls(text, found, [clause.start < last and clause.end > first for clause in found])

    def holds(self, sentence: str) -> bool:
        """Whether one sentence of the text, or several, are a sentence letter for letter."""
        sentence = sentence.strip(_ENDS)
        before, found, after = self.text.partition(sentence or " ")
        return bool(sentence and found) and before.rstrip()[-1:] in _ENDS and after.lstrip()[:1] in _ENDS


def agrees(sentence: str, passages: Iterable[tuple[str, Span]]) -> bool:
    """Whether a sentence claims what its quotes claim, each a passage and the place of the quote in it."""
    text = normalise(sentence)
    claim = clauses(text)
    quoted = [Quoted.from_passage(passage, *span) for passage, span in passages]
    if any(item.holds(text) for item in quoted):
        return True
    source = [clause for item in quoted for clause in item.clauses]
    for number, item in enumerate(quoted):
        for clause in item.clauses:
            clause.part += number * len(source)
    touched = [clause for item in quoted for clause, touches in zip(item.clauses, item.touched, strict=True) if touches]
    if any(is_chinese(item.text) == is_chinese(text) for item in quoted):
        _cancel(claim, source)
        words = {key for clause in claim for key in clause.keys}
        selection, coverage = _select_clauses(words, source)
        if coverage < _COVERED_SHARE or _share(claim, touched) >= _COPY_SHARE:
            selection += [clause for clause in touched if clause not in selection]
        return bool(selection) and _claims_agree(claim, selection, touched, True)
    return _claims_agree(claim, touched, touched, False)


def _cancel(claim: Sequence[Clause], source: Sequence[Clause]) -> None:
    """Take words such as *unknown*, which both have, for no negations."""
    common = {item for clause in claim for item in clause.prefixed} & {
        item for clause in source for item in clause.prefixed
    }
    for clause in (*claim, *source):
        clause.negated -= sum(item in common for item in clause.prefixed)


def _surrounding_sentences(passage: str, start: int, end: int) -> tuple[str, str, str]:
    """Return a quote with what its sentences have before and after it; a list's lead-in is a part of its items."""
    units = [unit for unit in units_of(passage) if unit.start < end and unit.end > start]
    first, last = min([start, *(unit.start for unit in units)]), max([end, *(unit.end for unit in units)])
    line = passage.rfind("\n", 0, start) + 1
    if not units:
        first, last = line, end
    lead = units[0].lead if units else None
    lead_in = (
        passage[slice(*lead)].rstrip() + " " if lead and passage[slice(*lead)].rstrip().endswith((":", "：")) else ""
    )
    return lead_in + passage[first:start], passage[start:end], passage[end:last]


def _select_clauses(words: set[str], source: Sequence[Clause]) -> tuple[list[Clause], float]:
    """Return the fewest clauses, about, that have the words of a sentence, and the share of these that they have."""
    rest, selection = set(words), list[Clause]()
    while True:
        best = max((len(rest & (clause.keys | clause.topic)) for clause in source), default=0)
        if not best:
            break
        ties = [clause for clause in source if len(rest & (clause.keys | clause.topic)) == best]
        most = max(len(words & clause.keys) for clause in ties)
        ties = [clause for clause in ties if len(words & clause.keys) == most]
        selection += ties
        rest -= {key for clause in ties for key in clause.keys | clause.topic}
    parts = {clause.part for clause in selection}
    selection += [
        clause for clause in source if "except" in clause.kinds and clause.part in parts and clause not in selection
    ]
    return selection, 1 - len(rest) / len(words) if words else 0


def _claims_agree(
    claim: Sequence[Clause], source: Sequence[Clause], quote: Sequence[Clause], same_language: bool
) -> bool:
    """Whether two claims agree; `same_language`: they are in one language, so that their words can be compared.

    `quote` are the clauses of the quotes themselves, of which a sentence may nearly be a copy too.
    """
    flips = 0 if not same_language and _poles_agree(claim, source) else _negations(claim, source, same_language)
    if flips is None:
        return False
    beyond = count_crossed_limits(claim, source)
    if beyond is None:
        return False
    opposed = 0 if not same_language and _poles_agree(claim, source) else _count_opposites(claim, source)
    flips += beyond + opposed + (same_language and count_exchanged_sides(claim, source))
    return (
        flips % 2 == 0
        and modality_agrees(claim, source, same_language)
        and amount_agrees(claim, source)
        and (flips > 0 or not same_language or (_copies_faithfully(claim, source) and _copies_faithfully(claim, quote)))
        and order_agrees(claim, source, same_language)
        and (beyond > 0 or _exclusivity_agrees(claim, source, same_language))
    )


def _negations(claim: Sequence[Clause], source: Sequence[Clause], same_language: bool) -> int | None:
    """Return how many negations one claim has more than the other, 0 or 1, None where they can't be compared."""
    no, not_found = ([clause for clause in side if clause.odd] for side in (claim, source))
    other = any("otherwise" in clause.kinds for clause in source)
    if other and not any("otherwise" in clause.kinds for clause in claim):
        asides = [clause for clause in claim if clause.aside]
        if any(
            not clause.odd and not clause.spared for clause in asides
        ):  # if what is to be done is done, its opposite follows
            return None
        no = [clause for clause in no if not clause.aside]
    ends = [[clause.odd for clause in side if "otherwise" in clause.kinds] for side in (claim, source)]
    if all(ends) and ends[0] != ends[1]:
        return None
    if same_language:
        if no and not_found and not _negates_same_clauses(claim, no, source, not_found):
            return None
        if any(clause.aside for clause in no) and any(clause.aside for clause in not_found):
            no, not_found = ([clause for clause in side if not clause.aside] for side in (no, not_found))
        return int(bool(no) != bool(not_found))
    if _negated_parts(claim, no) != _negated_parts(source, not_found):
        return None
    flips = [
        any(clause.aside is aside for clause in no) != any(clause.aside is aside for clause in not_found)
        for aside in (False, True)
    ]
    return None if all(flips) else int(any(flips))


def _negates_same_clauses(
    claim: Sequence[Clause], no: Sequence[Clause], source: Sequence[Clause], not_found: Sequence[Clause]
) -> bool:
    """Whether the same clauses are negated on both sides, as far as their words show it."""
    parts = {clause.part for clause in no}
    even = {key for clause in source if clause not in not_found for key in clause.keys}
    odd = {key for clause in not_found for key in clause.keys}
    for clause in claim:
        closest = nearest_clauses(clause, source)
        if not closest:
            continue
        if clause in no and not any(item in not_found for item in closest) and not clause.keys & odd - even:
            return False
        if clause.part not in parts and all(item in not_found for item in closest) and not clause.keys & even - odd:
            return False
        if clause.aside and not clause.odd and all(item.odd and item.aside for item in closest):
            return False
    return True


def _negated_parts(source: Sequence[Clause], odd: Sequence[Clause]) -> list[bool]:
    """Return which parts are negated, where a text has several."""
    parts = sorted({clause.part for clause in source})
    row = [any(clause.part == part for clause in odd) for part in parts]
    return row if len(set(row)) > 1 else []


def _count_opposites(claim: Sequence[Clause], source: Sequence[Clause]) -> int:
    """Return how many words of one claim have their opposite in the other."""
    count = 0
    for name in {name for clause in claim for name, _ in clause.opposites}:
        ours = [(clause, pole) for clause in claim for opposite, pole in clause.opposites if opposite == name]
        theirs = [(clause, pole) for clause in source for opposite, pole in clause.opposites if opposite == name]
        poles = [pole for _, pole in theirs]
        if not poles:
            continue
        if len(set(poles)) == 1:
            count += any(pole not in poles for _, pole in ours)
            continue
        for clause, pole in ours:
            closest = nearest_clauses(clause, [their for their, _ in theirs])
            count += bool(closest) and all((name, pole) not in item.opposites for item in closest)
    return count


def _poles_agree(claim: Sequence[Clause], source: Sequence[Clause]) -> bool:
    """Whether all that is negated is a word of an opposite, and both have the same one: *not by itself*, *by hand*."""
    ours, theirs = (
        {(name, pole ^ clause.odd) for clause in side for name, pole in clause.opposites} for side in (claim, source)
    )
    common = {name for name, _ in ours} & {name for name, _ in theirs}
    held = all(any(name in common for name, _ in clause.opposites) for clause in (*claim, *source) if clause.odd)
    ours, theirs = ({item for item in side if item[0] in common} for side in (ours, theirs))
    return bool(common) and held and ours == theirs


def _exclusivity_agrees(claim: Sequence[Clause], source: Sequence[Clause], same_language: bool) -> bool:
    """Whether both say *only*, as *not without* does, or one names what the other excepts."""
    ours, theirs = (any("only" in clause.kinds or clause.unless for clause in side) for side in (claim, source))
    if ours == theirs:
        return True
    if any(clause.unless for clause in source):
        words = {key for clause in claim for key in clause.keys}
        return same_language and any(clause.unless & words for clause in source)
    other = source if ours else claim
    return any(clause.kinds & {"except", "just"} for clause in other)


def _copies_faithfully(claim: Sequence[Clause], source: Sequence[Clause]) -> bool:
    """Whether a sentence with the words of its quotes has as many negations, and no other modality or *only*."""
    share = _share(claim, source)
    if share < _COPY_SHARE or any(clause.kinds & {"except", "otherwise"} for clause in source):
        return True
    counter, other = (Counter(list_modalities(side)) for side in (claim, source))
    if counter - other and other - counter:
        return False
    odd = [sum(clause.odd for clause in side) for side in (claim, source)]
    return odd[0] == odd[1] or (share < _LETTERS and len(claim) != len(source))


def _share(claim: Sequence[Clause], source: Sequence[Clause]) -> float:
    """Return the share of the words of two claims that both have."""
    ours, theirs = ({key for clause in side for key in clause.keys} for side in (claim, source))
    return len(ours & theirs) / max(1, len(ours | theirs))
