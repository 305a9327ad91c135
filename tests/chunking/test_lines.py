"""One line, one chunk."""

from core.chunking.strategies import LineChunker
from core.model import ChunkingOptions
from tests.chunking.fakes import chunks_of


def texts(body: str, limit: int = 1500) -> list[str]:
    return [chunk.text for chunk in chunks_of(LineChunker(ChunkingOptions(max_single_chunk_size=limit)), body)]


def test_blank_lines_are_skipped() -> None:
    assert texts("a\n\n \t\nb\r\n\r\nc\rd") == ["a", "b", "c", "d"]


def test_a_line_seen_before_is_stored_once() -> None:
    assert texts("same\nother\n  same  \nsame\n") == ["same", "other"]


def test_indentation_stays() -> None:
    assert texts("  two spaces   \n\ttab") == ["  two spaces", "\ttab"]


def test_a_line_over_the_limit_is_cut_at_sentence_ends_then_between_words() -> None:
    assert texts("One two three. Four five six. Seven eight nine ten eleven twelve", 4) == [
        "One two three.",
        "Four five six.",
        "Seven eight nine ten",
        "eleven twelve",
    ]


def test_a_chinese_line_is_cut_at_its_sentence_ends() -> None:
    assert texts("第一句话。第二句话！第三句？", 6) == ["第一句话。", "第二句话！", "第三句？"]


def test_lines_know_their_section() -> None:
    chunks = chunks_of(LineChunker(ChunkingOptions()), "before\n# A\nunder a\n## B\nunder b")
    assert [chunk.section for chunk in chunks] == [(), ("A",), ("A",), ("A", "B"), ("A", "B")]
