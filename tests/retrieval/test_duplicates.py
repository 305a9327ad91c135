"""The same text twice: which candidates stand for which."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model import Chunk
from core.retrieval.ranking import ALIKE, group_duplicates
from core.workspace import Workspace

TEXT = "Give every key a random lifetime, so that they do not all end at the same moment. "


def chunk(note: str, start: int, text: str) -> Chunk:
    return Chunk(f"{note}:{start}", note, start, 9, start, start + len(text), text, "recursive_character")


def told(chunks: dict[int, Chunk], count: int = 10) -> list[tuple[int, list[int], list[int]]]:
    return [(group.best, group.joined, group.copies) for group in group_duplicates(list(chunks), chunks, count)]


def test_overlapping_chunks_of_a_note_are_one_hit() -> None:
    assert told({1: chunk("a", 0, "x" * 100), 2: chunk("a", 80, "y" * 100), 3: chunk("a", 180, "z" * 100)}) == [
        (1, [2], []),
        (3, [], []),
    ]


def test_what_overlaps_only_a_joined_chunk_stays_a_hit() -> None:
    assert told({1: chunk("a", 0, "x" * 100), 2: chunk("a", 90, "y" * 100), 3: chunk("a", 180, "z" * 100)}) == [
        (1, [2], []),
        (3, [], []),
    ]


def test_nearly_the_same_text_in_another_note_is_a_copy() -> None:
    text = TEXT * 6
    assert told({1: chunk("a", 0, text), 2: chunk("b", 0, text.replace("random", "random ") + "So!")}) == [(1, [], [2])]


def test_a_text_with_other_numbers_is_no_copy() -> None:
    text = TEXT * 6 + "It costs 12,000 euros."
    assert told({1: chunk("a", 0, text), 2: chunk("b", 0, text.replace("12", "14"))}) == [(1, [], []), (2, [], [])]
    assert told({1: chunk("a", 0, text), 2: chunk("b", 0, text.replace("costs", "cost"))}) == [(1, [], [2])]


def test_a_copy_with_another_figure_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")
    with Workspace(tmp_path) as workspace:
        workspace.bases.add("plans")
        plan = "# Report\n\nThe garden has four beds, two paths and a shed with tools. We water it daily. " * 2
        for budget in ("12,000", "14,000"):
            workspace.notes.add("plans", f"{plan}The budget is {budget} euros.\n")
        hits = workspace.search("budget of the garden").hits
        assert sorted(hit.chunk.text.split()[-2] for hit in hits) == ["12,000", "14,000"]
        assert not any(hit.copies for hit in hits)


def test_what_overlaps_a_hit_but_would_be_none_is_dropped() -> None:
    chunks = {1: chunk("a", 0, "x" * 100), 2: chunk("b", 0, "y" * 100), 3: chunk("a", 80, "z" * 100)}
    assert [(group.best, group.joined, group.dropped) for group in group_duplicates(list(chunks), chunks, 2)] == [
        (1, [], [3]),
        (2, [], []),
    ]


def test_other_text_of_the_same_length_is_no_copy() -> None:
    assert told({1: chunk("a", 0, TEXT * 6), 2: chunk("b", 0, TEXT[::-1] * 6)}) == [(1, [], []), (2, [], [])]


def test_the_same_text_twice_in_one_note_is_two_places() -> None:
    assert told({1: chunk("a", 0, TEXT), 2: chunk("a", 500, TEXT)}) == [(1, [], []), (2, [], [])]


def test_groups_end_with_the_limit_but_repeats_of_the_kept_are_still_told() -> None:
    chunks = {1: chunk("a", 0, "one"), 2: chunk("b", 0, "another text"), 3: chunk("c", 0, "one")}
    assert told(chunks, 1) == [(1, [], [3])]


def pieces(text: str) -> set[str]:
    text = " ".join(text.split())
    return {text[at : at + 4] for at in range(max(1, len(text) - 3))}


def numbers(text: str) -> list[str]:
    return "".join(one if one.isdecimal() else " " for one in text).split()


@given(
    st.text("ab 缓存\n", max_size=8) | st.just(TEXT * 4) | st.text(min_size=40, max_size=200),
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from(["", "x", " ", "🚀", "存 "])), max_size=12),
)
def test_a_copy_shares_nine_tenths_of_the_pieces_and_all_numbers(text: str, edits: list[tuple[float, str]]) -> None:
    other = text
    for share, written in edits:
        at = int(share * len(other))
        other = other[:at] + written + other[at + 1 :]
    lengths = sorted((len(text), len(other)))
    share = len(pieces(text) & pieces(other)) / len(pieces(text) | pieces(other))
    alike = share >= ALIKE and lengths[0] >= ALIKE * lengths[1] and numbers(text) == numbers(other)
    found = told({1: chunk("a", 0, text), 2: chunk("b", 0, other)})
    assert found == ([(1, [], [2])] if alike else [(1, [], []), (2, [], [])])
