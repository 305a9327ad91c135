"""Whether two claims agree in comparison, order, quantity and modality: at least, before, all, must."""

from collections.abc import Iterator, Sequence

from core.features.answers.claims import Clause

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
