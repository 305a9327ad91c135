"""The outline against its specification in tests/chunking/fixtures, its offsets and its bounds."""

from bisect import bisect_right

import pytest

from core.base.errors import SourceError
from core.markdown.outline import MAX_LEAD, MAX_NESTING, Block, Outline, parse, walk
from tests.chunking.specification import Case, cases
from tests.growth import assert_linear


def drawn(body: str) -> str:
    """Draw an outline: kind and lines of every block, children indented, headings with their title."""
    outline = parse(body)
    headings = {heading.start: heading for heading in outline.headings}
    ends = [at for at, _ in enumerate(body) if body[at] == "\n" or (body[at] == "\r" and body[at + 1 :][:1] != "\n")]

    def line(offset: int) -> int:
        return bisect_right(ends, offset - 1) + 1

    def draw(block: Block, depth: int) -> str:
        first, last = line(block.start), line(block.end - 1)
        text = "  " * depth + f"{block.kind} {first}" + (f"-{last}" if last > first else "")
        if block.kind == "heading":
            heading = headings[block.start]
            text += f" = {heading.level} {heading.title}".rstrip() + (" (nested)" if heading.nested else "")
        if block.lead:
            text += " lead " + " ⏎ ".join(block.lead.splitlines())
        return "\n".join([text, *(draw(child, depth + 1) for child in block.children)])

    return "".join(draw(block, 0) + "\n" for block in outline.blocks)


@pytest.mark.parametrize("case", cases("outline.md"), ids=lambda case: case.title)
def test_outline_follows_its_specification(case: Case) -> None:
    assert drawn(case.body) == case.expected


@pytest.mark.parametrize("case", cases("titles.md"), ids=lambda case: case.title)
def test_titles_are_what_is_seen(case: Case) -> None:
    titles = [heading.title for heading in parse(case.body).headings]
    assert "".join(f"{title}\n" for title in titles) == case.expected


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_offsets_are_of_the_original_whatever_ends_its_lines(ending: str) -> None:
    body = "# One\0\n\ntext\n\n```py\nx\n```\n\nTwo\n===\n".replace("\n", ending)
    outline = parse(body)
    assert [body[h.start : h.end] for h in outline.headings] == ["# One\0", f"Two{ending}==="]
    assert [body[b.start : b.end] for b in outline.blocks][2] == f"```py{ending}x{ending}```"


def test_other_separators_of_unicode_end_no_line() -> None:
    body = "a\u2028# b\x0b# c\x85# d\n# e"
    assert [heading.title for heading in parse(body).headings] == ["e"]


def test_an_empty_body_has_no_outline() -> None:
    assert parse("") == Outline((), ())
    assert parse(" \n\n").blocks == ()


def test_a_lead_too_long_to_repeat_is_left_out() -> None:
    wide = "|a" * MAX_LEAD + "\n" + "|-" * MAX_LEAD + "\n" + "|b\n"
    table = parse(wide).blocks[0]
    assert (table.kind, table.lead) == ("table", "")


def test_a_title_is_bounded() -> None:
    assert [len(heading.title) for heading in parse("# " + "a" * 100_000).headings] == [1000]
    assert [len(heading.title) for heading in parse("# " + "a" * 500).headings] == [500]


def test_nesting_is_bounded_and_nothing_is_lost() -> None:
    body = ">" * 10_000 + " deep\n\nafter"
    outline = parse(body)
    depth, block = 0, outline.blocks[0]
    while block.children:
        depth, block = depth + 1, block.children[0]
    assert 10 < depth <= 60
    assert body[outline.blocks[0].start : outline.blocks[0].end].endswith("deep")
    assert body[outline.blocks[1].start :] == "after"


def test_details_are_nested_only_so_deep() -> None:
    body = "<details>\n\n" * 5_000 + "deep\n\n" + "</details>\n\n" * 5_000 + "after"
    outline = parse(body)
    depth, blocks = 0, outline.blocks
    while inner := [block for block in blocks if block.kind == "details"]:
        depth, blocks = depth + 1, inner[0].children
    assert depth == MAX_NESTING
    assert [block.kind for block in outline.blocks] == ["details", "paragraph"]
    assert sum(1 for _ in walk(outline.blocks)) == 10_000 + 2 + depth


def test_details_in_quotes_count_as_deep_as_they_are() -> None:
    marks = "> " * (MAX_NESTING - 1)
    body = f"{marks}<details>\n{marks}\n{marks}<details>\n{marks}\n" + f"{marks}</details>\n{marks}\n" * 2
    assert sum(block.kind == "details" for block in walk(parse(body).blocks)) == 1


def test_admonitions_take_linear_time() -> None:
    assert_linear(parse, '!!! note "a"\n    b\n' * 2_000)
    assert_linear(parse, "!!! note" + " a" * 50_000 + "!\n    b\n")


def test_nine_thousand_quotes_in_a_line_are_one_block_of_text() -> None:
    (block,) = parse("> " * 9_000 + "a\n").blocks
    assert sum(1 for _ in walk([block])) <= MAX_NESTING


def test_too_many_lines_are_refused() -> None:
    with pytest.raises(SourceError, match=r"log\.md: This note has more than 500,000 lines. Split"):
        parse("a\n" * 500_001, "log.md")


@pytest.mark.parametrize(
    "text",
    [
        *("# " + "[" * 900, "# " + "*a " * 300, "# " + "`" * 400 + " ``" * 150, "# " + "[a](b" * 180),
        *("# " + "![[" * 300, "# " + "<a" * 400, "$$ x\n", "%% x\n", "> " * 20 + "a\n", "- " * 20 + "a\n"),
        *("[a\n", "|a\n|-\n", "<details>\n\n", "</details>\n<details>\na\n\n", "<details>" * 200),
    ],
    ids=lambda text: text[:8].strip(),
)
def test_hostile_text_takes_time_in_proportion(text: str) -> None:
    assert_linear(parse, (text + "\n") * 240)


def test_all_blocks_are_walked_parents_first() -> None:
    kinds = [block.kind for block in walk(parse("- a\n\n  > b\n").blocks)]
    assert kinds == ["list", "item", "paragraph", "quote", "paragraph"]
