"""Follow-up rounds of an exploratory search: its parts in other words, and titles of the best chunks."""

from collections.abc import Callable, Sequence
from itertools import chain, zip_longest

from core.messages import Message, message
from core.model import Chunk, Decomposition, NoteCard, SubQuery

MOST = 3
"""Maximum number of rounds."""

WHOLE, SYNONYM, LEAD = message("the whole question"), message("other words"), message("a title among the hits")
"""Reasons of the sub-queries that are not parts of the question."""

_PER_ROUND = 3


def follow_ups(
    decomposition: Decomposition,
    done: Sequence[SubQuery],
    tops: Sequence[Sequence[tuple[Chunk, NoteCard]]],
    variants: Callable[[str], Sequence[str]],
    number: int,
) -> list[SubQuery]:
    """Return the new sub-queries of the next round; `done` are those of earlier rounds.

    The second round has the parts in other words. Lists and summaries also follow the titles of the best
    chunks (`tops`, of each sub-query of the last round), which name the parts of a subject.
    """
    known = {sub_query.text.casefold() for sub_query in done}
    result: list[SubQuery] = []

    def ask(text: str, why: Message) -> None:
        if len(result) < _PER_ROUND and text.casefold() not in known:
            known.add(text.casefold())
            result.append(SubQuery(text, why))

    if number == 2:
        for part in decomposition.sub_queries:
            for variant in variants(part.text):
                ask(variant, SYNONYM)
    if decomposition.kind in ("list", "summary"):
        subject = decomposition.sub_queries[0].text
        for chunk, card in filter(None, chain.from_iterable(zip_longest(*tops))):
            title = chunk.section_title or card.title
            if title.casefold() not in subject.casefold():
                ask(f"{subject} {title}", LEAD)
    return result
