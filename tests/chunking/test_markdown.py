"""MarkdownAware against its specification, and what a fixture can't show."""

import pytest

from core.chunking import build
from core.model import ChunkingOptions
from tests.chunking.fakes import chunks_of
from tests.chunking.specification import Case, cases, cut, drawn


@pytest.mark.parametrize("case", cases("markdown.md"), ids=lambda case: case.title)
def test_markdown_follows_its_specification(case: Case) -> None:
    assert drawn(cut(case, "markdown")) == case.expected


def test_equal_sections_get_different_ids_and_keep_them() -> None:
    section = "## Same\n\nThe same words in every one of them.\n\n"
    chunker = build(ChunkingOptions(strategy="markdown", chunk_size=32))
    three = [chunk.id for chunk in chunks_of(chunker, section * 3)]
    four = [chunk.id for chunk in chunks_of(chunker, section * 4)]
    assert len(set(four)) == 4
    assert four[:3] == three


def test_a_code_block_over_the_limit_repeats_its_info_line_in_every_part() -> None:
    body = "## Code\n\n```python\n" + "value = compute(1)\n" * 40 + "```\n"
    chunks = chunks_of(build(ChunkingOptions(strategy="markdown", chunk_size=30, max_single_chunk_size=40)), body)
    assert len(chunks) > 3
    assert [chunk.lead for chunk in chunks] == ["", *["```python"] * (len(chunks) - 1)]
    assert all(line in ("value = compute(1)", "```") for chunk in chunks[1:] for line in chunk.text.splitlines())
    assert chunks[-1].text.endswith("value = compute(1)\n```")


def test_a_table_over_the_limit_is_cut_between_rows_with_its_header() -> None:
    rows = [f"| row {index} | some words here |" for index in range(40)]
    body = "| name | what |\n|------|------|\n" + "\n".join(rows) + "\n"
    chunks = chunks_of(build(ChunkingOptions(strategy="markdown", chunk_size=40, max_single_chunk_size=60)), body)
    assert chunks[0].text.startswith("| name | what |\n|------|------|\n| row 0 ")
    assert {chunk.lead for chunk in chunks[1:]} == {"| name | what |\n|------|------|"}
    assert [line for chunk in chunks for line in chunk.text.splitlines()][2:] == rows


def folded(paragraphs: list[str], closing: str = "</details>") -> str:
    around = [f"Words number {index} before or behind it." for index in range(24)]
    inside = ["<details>\n<summary>Why so</summary>", *paragraphs, closing]
    return "\n\n".join(["## A", *around[:12], *inside, *around[12:], "## B", "The last section."])


def test_an_edit_in_details_changes_only_chunks_of_theirs_from_there_on() -> None:
    paragraphs = [f"Paragraph {index} has some words." for index in range(24)]
    edited = [*paragraphs[:12], "Paragraph 12 has other words, and more of them.", *paragraphs[13:]]
    chunker = build(ChunkingOptions(strategy="markdown", chunk_size=30, max_single_chunk_size=60))
    before, after = chunks_of(chunker, folded(paragraphs)), chunks_of(chunker, folded(edited))
    kept = {chunk.id for chunk in after}
    changed = [chunk.text for chunk in before if chunk.id not in kept]
    assert changed
    assert not [text for text in changed if "number" in text or "Paragraph 6 " in text or "last" in text]


def test_details_never_closed_change_nothing_behind_them() -> None:
    paragraphs = [f"Paragraph {index} has some words." for index in range(24)]
    chunker = build(ChunkingOptions(strategy="markdown", chunk_size=30, max_single_chunk_size=60))
    unclosed = chunks_of(chunker, folded(paragraphs, closing="No end."))
    assert {chunk.lead for chunk in unclosed} == {""}
    assert unclosed[-1].section == ("B",)


def test_a_link_is_not_cut_where_a_sentence_ends_in_it() -> None:
    link = "[see. the manual. for more](https://example.org/a.b?c=d. 'a title. of it')"
    body = f"Some words before it {link} and after. " * 20
    for strategy in ("markdown", "recursive"):
        options = ChunkingOptions(strategy=strategy, chunk_size=60, chunk_overlap=10, max_single_chunk_size=70)
        chunks = chunks_of(build(options), body)
        assert len(chunks) > 5
        assert all(chunk.text.count("[see") == chunk.text.count("of it')") for chunk in chunks)
