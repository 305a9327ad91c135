"""Which strategy fits which note, and what is said about it."""

import pytest

from core.chunking import cut
from core.model import ChunkingOptions, Cut
from tests.chunking.fakes import note, words

OPTIONS = ChunkingOptions(short_doc_threshold=50, chunk_size=64, chunk_overlap=8, max_single_chunk_size=200)
SENTENCE = "One sentence of eight words stands right here. "


def adapted(body: str) -> Cut:
    return cut(note(body), OPTIONS, words)


def test_a_short_note_stays_whole() -> None:
    result = adapted("# Title\n\n## A\n\ntext\n\n## B\n\ntext")
    assert result.strategy == "none"
    assert [chunk.kind for chunk in result.chunks] == ["full_document"]
    assert str(result.reasons[0]) == "none: The note has 10 tokens, fewer than 50, so it stays whole."


def test_a_note_with_sections_is_cut_by_them() -> None:
    result = adapted("".join(f"## Part {index}\n\n{SENTENCE * 3}\n\n" for index in range(4)))
    assert result.strategy == "markdown"
    assert [chunk.section_title for chunk in result.chunks] == ["Part 0", "Part 1", "Part 2", "Part 3"]
    assert (
        str(result.reasons[0])
        == "markdown: The note has 4 headings (## or ###), enough to split it by headings (at least 2)."
    )
    assert [str(reason).split(":")[0] for reason in result.reasons] == ["markdown", "none", "recursive"]


def test_a_long_note_without_sections_is_cut_by_size() -> None:
    result = adapted("# Title\n\n" + SENTENCE * 40)
    assert result.strategy == "recursive"
    assert len(result.chunks) > 4
    assert "markdown: The note has 0 headings (## or ###) but needs at least 2" in str(result.reasons[2])


@pytest.mark.parametrize("heading", ["> ## A", "- ## A", "```\n## A\n```", "#### A", "# A"])
def test_only_headings_of_level_2_and_3_that_begin_sections_count(heading: str) -> None:
    assert adapted(f"{heading}\n\n{SENTENCE * 10}\n\n" * 3).strategy == "recursive"


def test_most_chunks_tiny_is_noticed() -> None:
    # What follows a section of a higher level is neither its sibling nor its child.
    body = f"# Title\n\n{SENTENCE * 2}\n\n### x\n\n## y\n\n" * 6
    options = ChunkingOptions(short_doc_threshold=50, chunk_size=160, chunk_overlap=8, max_single_chunk_size=200)
    result = cut(note(body), options, words)
    assert result.strategy == "recursive"
    assert any("chunks would have fewer than 10 tokens" in str(reason) for reason in result.reasons)


def test_one_chunk_nearly_the_whole_note_is_noticed() -> None:
    result = adapted(f"## A\n\n{SENTENCE * 20}\n\n## B\n\nFew words but enough.\n")
    assert result.strategy == "recursive"
    assert any("one chunk would have" in str(reason) and "of the note's" in str(reason) for reason in result.reasons)


def test_a_result_that_no_strategy_betters_is_kept_and_says_so() -> None:
    result = adapted("```\n" + "code " * 150 + "\n```\n")
    assert result.strategy == "recursive"
    assert "no other strategy left to try" in str(result.reasons[0])


def test_a_fixed_strategy_says_it_was_asked_for() -> None:
    result = cut(note("text"), ChunkingOptions(strategy="lines"), words)
    assert [*map(str, result.reasons)] == ["lines: Chosen in the settings."]


def test_the_profile_counts_what_the_choice_is_made_from() -> None:
    body = "# A\n\n## B\n\n### C\n\n> ## quoted\n\n```\ncode\n```\n\n| a |\n|---|\n| b |\n"
    profile = adapted(body).profile
    assert profile.characters == len(body)
    assert profile.tokens == len(words(body))
    assert profile.headings == (1, 1, 1, 0, 0, 0)
    assert profile.code_share == len("```\ncode\n```") / len(body)
    assert profile.table_share == len("| a |\n|---|\n| b |") / len(body)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Plain English words.", "en"),
        ("Ein Satz mit Umlauten: äöü.", "en"),
        ("这是中文句子。", "zh"),
        ("这是一个关于 Python 的中文句子。", "zh"),
        ("使用 asyncio 的 event loop 来运行", "mixed"),
        ("English words with 两个 of them Chinese", "mixed"),
        ("English with `code` inside a line", "en"),
        ("```\nx = 1\ny = 2\n```\n\nShort.", "code"),
        ("```\nx\n```\n\nA long explanation in English of what it does.", "en"),
        ("```\n# 中文注释\n```\n\nA long explanation in English of what it does.", "en"),
        ("    indented = code\n", "code"),
        ("123 + 456", "en"),
    ],
)
def test_language(text: str, language: str) -> None:
    (chunk,) = cut(note(text), ChunkingOptions(strategy="none"), words).chunks
    assert chunk.language == language


@pytest.mark.parametrize(
    ("text", "has_code"),
    [("```\nx\n```", True), ("- a\n\n  ```\n  x\n  ```", True), ("    x", True), ("`x`", False), ("a", False)],
)
def test_has_code(text: str, has_code: bool) -> None:
    (chunk,) = cut(note(text), ChunkingOptions(strategy="none"), words).chunks
    assert chunk.has_code is has_code
