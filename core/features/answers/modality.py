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


def exchanged(said: Sequence[Clause], found: Sequence[Clause]) -> int:
    """Return 1 where the two sides of a comparison are exchanged: *A is faster than B*, *B is faster than A*."""
    ours, theirs = _sides(said, "than"), _sides(found, "than")
    if not ours or not theirs:
        return 0
    (first, second), (third, fourth) = ours, theirs
    both = (first & second) | (third & fourth)
    return int(bool(first & fourth - both) and bool(second & third - both))


def _sides(found: Sequence[Clause], *kinds: str) -> Pair | None:
    """Return the words on both sides of the first word of some kinds, in their order in time for one of order."""
    for clause in found:
        for kind, start, end in clause.marks:
            if kind not in kinds:
                continue
            part = [word for item in found if item.part == clause.part for word in item.words]
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


def _kept(ours: Pair, theirs: Pair) -> int:
    """Return above 0 where two pairs have the same order, below where they have the other one, 0 if it isn't known."""
    (first, second), (third, fourth) = ours, theirs
    same = len(first & third) + len(second & fourth)
    return same - len(first & fourth) - len(second & third)


def order(said: Sequence[Clause], found: Sequence[Clause], alike: bool) -> bool:
    """Whether what is first is first in both, as *before*, *after* and *then* say."""
    for kinds in (("before", "after", "then"), ("row",)):
        ours, theirs = _sides(said, *kinds), _sides(found, *kinds)
        if ours and theirs and (kept := _kept(ours, theirs)):
            return kept > 0
    item, other = ({kind for clause in side for kind in clause.kinds} & {"before", "after"} for side in (said, found))
    return not item or not other or bool(item & other)


def limits(said: Sequence[Clause], found: Sequence[Clause]) -> int | None:
    """Return how many limits are told from their other side: *over 5* for *up to 5*; None for another limit."""
    count = 0
    numbers = {number for clause in found for number in clause.numbers}
    if any(not clause.limits.keys() <= numbers for clause in said):
        return None
    for value in {number for clause in said for number in clause.numbers} & numbers:
        ours, theirs = (
            {item for clause in side for kind in clause.limits.get(value, ()) for item in _LIMIT[kind]}
            for side in (said, found)
        )
        if ours & theirs or not (ours or theirs):
            continue
        if not {_BEYOND[our] for our in ours} & theirs:
            return None
        count += 1
    return count


def amount(said: Sequence[Clause], found: Sequence[Clause]) -> bool:
    """Whether one claim says *all* where the other says *some*."""
    ours, theirs = ({kind for clause in side for kind in clause.kinds} for side in (said, found))
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


def modal(said: Sequence[Clause], found: Sequence[Clause], alike: bool) -> bool:
    """Whether what must, should or may be is so in both; a claim without such a word agrees with *must* and *can*."""
    every = {item for clause in found for item in _modals(clause)}
    without = any(clause.spared and clause.odd for clause in said)
    own = {item for clause in said for item in _modals(clause)}
    if not own:
        limited = any(clause.kinds & {"some", "often"} for clause in said)
        return not (every & {"maybe", "may"} and not limited) and ("optional" not in every or without)
    for clause in said:
        near = nearest(clause, found) if alike else []
        theirs = {item for quoted in near for item in _modals(quoted)} or every
        if not all(_allows(item, theirs, without, found) for item in _modals(clause)):
            return False
    return alike or len(every - {"forbid"}) < 2 or every <= own


def _allows(modal: str, theirs: set[str], without: bool, found: Sequence[Clause]) -> bool:
    """Whether one modality follows from those of the quotes."""
    if modal in theirs:
        return True
    spared = any(clause.spared and clause.odd for clause in found)
    match modal:
        case "optional":
            return spared and theirs <= {"can"}
        case "maybe" | "may":
            return bool(theirs & {"maybe", "may", "can"}) or any("some" in clause.kinds for clause in found)
        case "can":
            return not theirs or bool(theirs & {"can", "may", "maybe"}) or "optional" in theirs
        case "must" | "forbid":
            return theirs <= {"forbid", "must"} or (
                modal == "forbid" and theirs == {"can"} and any("except" in clause.kinds for clause in found)
            )
        case _:
            return not theirs


def marks(found: Sequence[Clause]) -> Iterator[str]:
    """Yield the modality of clauses, word for word, and their order where more than one word says it."""
    order = [kind for clause in found for kind, _, _ in clause.marks if kind in ("before", "after")]
    yield from order if len(order) > 1 else ()
    for clause in found:
        yield from _modals(clause)


def nearest(clause: Clause, found: Sequence[Clause]) -> list[Clause]:
    """Return the clauses that have most words of one, none where none has any."""
    best = max((len(clause.keys & item.keys) for item in found), default=0)
    return [item for item in found if best and len(clause.keys & item.keys) == best]
