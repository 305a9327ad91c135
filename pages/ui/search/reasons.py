"""Why a hit is there, in a sentence made of its ranks."""

from collections.abc import Sequence

from core.base.messages import message
from core.model import Hit
from pages.ui.shared.text import t, text_of

WAYS = {"vector": message("by meaning ({place})"), "keyword": message("by words ({place})")}
"""The stages that find a hit."""
RANKED = {"fused": message("both combined put it {place}"), "final": message("the re-check put it {place}")}
"""The stages that give every hit a place."""
RAISED = {
    "boosted": message("a phrase or a link put it {place}"),
    "priority": message("the priority of its note put it {place}"),
    "context": message("your context put it {place}"),
    "literal": message("your exact words in it put it {place}"),
    "feedback": message("your verdicts put it {place}"),
    "clicks": message("what you opened, copied or cited before put it {place}"),
}
"""The stages that raise some hits above others."""
PASSED = message("others rose above it, which makes it {place}")
ORDINALS = {1: message("{n}st"), 2: message("{n}nd"), 3: message("{n}rd")}
OTHERS = message("{n}th")


def sentence(hit: Hit) -> str:
    """Return what found a hit and what moved it to its place, empty for a hit of a list; the re-check is always named."""
    ranks = {stage: score.rank for stage, score in hit.scores.items() if score.rank}
    ways = sorted((way for way in WAYS if way in ranks), key=ranks.__getitem__)
    if not ways:
        return ""
    clauses = [t("Found {ways}", ways=joined([text_of(WAYS[way], place=_place(ranks[way])) for way in ways]))]
    before = ranks[ways[0]]
    skipped = "fused" if "final" in ranks or len(ways) == 1 else ""
    for stage, rank in ranks.items():
        if stage in RANKED and stage != skipped:
            clauses.append(text_of(RANKED[stage], place=_place(rank)))
        elif stage in RAISED and rank != before:
            clauses.append(text_of(RAISED[stage] if rank < before else PASSED, place=_place(rank)))
        before = rank
    return t("; ").join(clauses) + t(".")


def joined(texts: Sequence[str]) -> str:
    """Return texts as a list whose last two are joined by "and"."""
    *others, last = texts
    return t("{first} and {last}", first=others, last=last) if others else last


def _place(rank: int) -> str:
    ending = 0 if rank % 100 in (11, 12, 13) else rank % 10
    return text_of(ORDINALS.get(ending, OTHERS), n=rank)
