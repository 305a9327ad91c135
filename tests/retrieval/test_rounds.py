"""What an exploratory search asks next."""

from collections.abc import Sequence
from datetime import UTC, datetime

from core.model import Chunk, Decomposition, NoteSummary, SubQuery
from core.retrieval.engine import LEAD, SYNONYM, follow_ups

COMPARISON = Decomposition("comparison", (SubQuery("redis speed", "side"), SubQuery("memcached speed", "side")))
SUMMARY = Decomposition("summary", (SubQuery("caching", "subject"),))


def found(section: str, title: str = "A note") -> tuple[Chunk, NoteSummary]:
    chunk = Chunk("n:1", "n", 0, 1, 0, 4, "text", "markdown_section", section_title=section)
    card = NoteSummary("n", "b", "base", 1, "", path="a.md", updated_at=datetime.now(UTC), title=title)
    return chunk, card


def told(
    decomposition: Decomposition,
    tops: Sequence[Sequence[tuple[Chunk, NoteSummary]]],
    number: int,
    asked: Sequence[SubQuery] = (),
) -> list[tuple[str, str]]:
    def variants(text: str) -> list[str]:
        return [text.replace("redis", "valkey")] if "redis" in text else []

    parts = follow_ups(decomposition, [*decomposition.sub_queries, *asked], tops, variants, number)
    return [(part.text, part.why) for part in parts]


def test_the_second_round_asks_the_parts_in_other_words() -> None:
    assert told(COMPARISON, [], 2) == [("valkey speed", SYNONYM)]
    assert told(COMPARISON, [], 3) == []


def test_a_summary_follows_the_titles_it_found_turn_by_turn() -> None:
    tops = [[found("Eviction"), found("")], [found("Warm-up"), found("Caching")]]
    assert told(SUMMARY, tops, 2) == [
        ("caching Eviction", LEAD),
        ("caching Warm-up", LEAD),
        ("caching A note", LEAD),
    ]


def test_nothing_is_asked_twice() -> None:
    assert told(SUMMARY, [[found("Eviction")]], 3, [SubQuery("Caching eviction", LEAD)]) == []


def test_a_comparison_follows_no_titles() -> None:
    assert told(COMPARISON, [[found("Eviction")]], 3) == []
