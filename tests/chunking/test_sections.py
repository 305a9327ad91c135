"""A chunk's section is that of its own text; it carries the titles of all sections that its text is in."""

from collections.abc import Callable
from typing import Any

import pytest

from core.chunking import build
from core.chunking.describe import Sections
from core.markdown.outline import parse
from core.model import Chunk, ChunkingOptions
from tests.chunking.fakes import chunks_of
from tests.growth import assert_grows_linearly

LONG = "word " * 40
GUIDE = f"# Guide\n\n## Installation\n\n{LONG}\n\n## Usage\n\n{LONG}\n"
SIZES: dict[str, Any] = {"chunk_size": 512, "max_single_chunk_size": 1500}


def cut(body: str, strategy: str = "markdown", **sizes: int) -> list[Chunk]:
    return chunks_of(build(ChunkingOptions(strategy=strategy, **(SIZES | sizes))), body)


def test_the_title_of_a_note_is_no_section_of_its_first_chapter() -> None:
    first, second = cut(GUIDE)
    assert (first.section_title, first.parent_sections, first.hierarchy_level) == ("Installation", ("Guide",), 2)
    assert (second.section_title, second.parent_sections, second.hierarchy_level) == ("Usage", ("Guide",), 2)
    assert (first.sections, second.sections) == (("Guide", "Installation"), ("Usage",))
    assert (first.breadcrumb, second.breadcrumb) == (("Guide",), ("Guide", "Usage"))
    assert first.titles == ("Guide", "Installation")


@pytest.mark.parametrize("introduction", ["In short.", "RAG系统的分块，先看要求，再看参数。", "```\nrun\n```"])
def test_an_introduction_that_was_merged_forward_renames_nothing(introduction: str) -> None:
    first, _ = cut(GUIDE.replace("## Installation", f"{introduction}\n\n## Installation"))
    assert (first.section, first.hierarchy_level) == (("Guide", "Installation"), 2)
    assert first.sections == ("Guide", "Installation")


def test_an_introduction_that_is_a_chunk_keeps_its_section() -> None:
    first, second, _ = cut(GUIDE.replace("## Installation", f"{LONG}\n\n## Installation"))
    assert (first.section, first.hierarchy_level, first.sections) == (("Guide",), 1, ("Guide",))
    assert second.section == ("Guide", "Installation")


def test_merged_sections_carry_all_their_titles() -> None:
    (merged,) = cut(f"# Guide\n\n## One\n\nfew\n\n### Two\n\nfew\n\n## Three\n\n{LONG}\n\n#### Four\n\n{LONG}")
    assert merged.section == ("Guide", "Three")
    assert merged.sections == ("Guide", "One", "Two", "Three", "Four")


@pytest.mark.parametrize("strategy", ["none", "recursive", "auto"])
def test_a_whole_note_is_its_title_s_with_all_chapters(strategy: str) -> None:
    (whole,) = cut(GUIDE, strategy)
    assert (whole.section, whole.hierarchy_level) == (("Guide",), 1)
    assert whole.sections == ("Guide", "Installation", "Usage")
    (single,) = cut(GUIDE.partition("## Usage")[0], strategy)
    assert single.section == ("Guide", "Installation")


def test_a_chunk_over_the_end_of_a_section_is_of_the_one_in_which_it_starts() -> None:
    _, second, *_ = cut(f"# Guide\n\n## One\n\n{LONG * 4}\n\n## Two\n\n{LONG}", "recursive", chunk_size=120)
    assert (second.section, second.sections, second.breadcrumb) == (("Guide", "One"), ("One",), ("Guide", "One"))
    last = Sections(body := f"# Guide\n\n## One\n\n{LONG}\n\n## Two\n\n{LONG}", parse(body).headings)
    found = last.for_slice(body.index("word"), len(body), "recursive_character")
    assert (found.section_title, found.parent_sections, found.sections) == ("One", ("Guide",), ("One", "Two"))


def test_text_before_the_first_heading_and_empty_titles() -> None:
    first, second = cut(f"{LONG}\n\n#\n\n## One\n\n{LONG}")
    assert (first.section, first.hierarchy_level, first.sections, first.breadcrumb) == ((), 0, (), ())
    assert (second.section, second.hierarchy_level, second.sections) == (("One",), 2, ("One",))


@pytest.mark.parametrize("line", ["# a\n\n", "###### a\n\nb\n\n", "# \n\n", "a\n=\n\n"])
def test_many_headings_take_linear_time(line: str) -> None:
    def prepare(lines: int) -> Callable[[], object]:
        headings = parse(body := line * lines).headings
        return lambda: Sections(body, headings).for_slice(0, len(body), "markdown_section")

    assert_grows_linearly(prepare, 20_000)
