"""What an exploratory search asks next: other words for its parts, and what the best chunks are about."""

from collections.abc import Callable, Sequence

from core.model import Chunk, Decomposition, NoteCard, SubQuery

MOST = 3
"""Rounds of an exploratory search."""

WHOLE, SYNONYM, LEAD = "whole", "synonym", "lead"
"""Why a sub-query is asked beyond the parts of the question: all of it, other words, a title that was found."""

_PER_ROUND = 3


def follow_ups(
    decomposition: Decomposition,
    asked: Sequence[SubQuery],
    tops: Sequence[Sequence[tuple[Chunk, NoteCard]]],
    variants: Callable[[str], Sequence[str]],
    number: int,
) -> list[SubQuery]:
    """Return the sub-queries of the next round, none where there is nothing new to ask.

    The second round asks the parts in other words. Lists and summaries follow the titles of the best
    chunks too (`tops`, of each sub-query of the last round): what a subject consists of stands there.
    """
    known = {sub_query.text.casefold() for sub_query in asked}
    found: list[SubQuery] = []

    def ask(text: str, why: str) -> None:
        if len(found) < _PER_ROUND and text.casefold() not in known:
            known.add(text.casefold())
            found.append(SubQuery(text, why))

    if number == 2:
        for part in decomposition.sub_queries:
            for variant in variants(part.text):
                ask(variant, SYNONYM)
    if decomposition.kind in ("list", "summary"):
        subject = decomposition.sub_queries[0].text
        for place in range(max(map(len, tops), default=0)):
            for best in tops:
                if place < len(best):
                    chunk, card = best[place]
                    title = chunk.section_title or card.title
                    if title.casefold() not in subject.casefold():
                        ask(f"{subject} {title}", LEAD)
    return found
