"""RecursiveCharacter against its specification, and what a fixture can't show."""

from itertools import pairwise
from typing import Any

import pytest
from langchain_text_splitters import character

from core.chunking.strategies import RecursiveCharacter
from core.model import ChunkingOptions
from tests.chunking.fakes import chunks_of, words
from tests.chunking.specification import Case, cases, cut, drawn


@pytest.mark.parametrize("case", cases("recursive.md"), ids=lambda case: case.title)
def test_recursive_follows_its_specification(case: Case) -> None:
    assert drawn(cut(case, "recursive")) == case.expected


def test_what_is_shared_is_the_end_of_the_chunk_before() -> None:
    body = "One sentence is here. Another one follows it! And a third? " * 12
    chunks = chunks_of(RecursiveCharacter(ChunkingOptions(chunk_size=40, chunk_overlap=10)), body)
    assert len(chunks) > 3
    for before, chunk in pairwise(chunks):
        shared = body[chunk.start : before.end]
        assert 5 <= chunk.overlap_tokens == len(words(shared)) <= 10
        assert before.text.endswith(shared)
        assert chunk.text.startswith(shared)


def test_the_text_may_hold_the_characters_that_mark_tokens() -> None:
    body = "\ue000 and \ue001 and \ue002 are private. " * 30
    chunks = chunks_of(RecursiveCharacter(ChunkingOptions(chunk_size=20, chunk_overlap=0)), body)
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(body.split())


def test_a_text_of_tiny_pieces_is_split_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    split, most = character._split_text_with_regex, 0

    def counted(*given: Any, **options: Any) -> list[str]:
        nonlocal most
        pieces = split(*given, **options)
        most = max(most, len(pieces))
        return pieces

    monkeypatch.setattr(character, "_split_text_with_regex", counted)
    assert chunks_of(RecursiveCharacter(ChunkingOptions()), "x " * 150_000)[-1].end == 299_999
    assert 0 < most < 120_000
