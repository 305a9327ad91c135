"""Properties of every strategy over Markdown made up at random."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from core.chunking import CHUNKERS, build
from core.markdown.outline import Block, parse, walk
from core.model import Chunk, ChunkingOptions
from tests.chunking.fakes import chunks_of, words

OPTIONS = ChunkingOptions(short_doc_threshold=10, chunk_size=16, chunk_overlap=5, max_single_chunk_size=32)

_INLINE = st.sampled_from(
    [
        *("word", "另一句。", "End. ", "[a b](http://x.y/z)", "`c d`", "[[note#part|shown]]", "$x+y$", "**b**"),
        *("👩\u200d👩\u200d👧", "，", " ", "#", "|", "~", "-", "^id", "%%c%%", "<b>", "é", "\t", "مرحبا "),
    ]
)
_TEXT = st.lists(_INLINE, min_size=1, max_size=12).map("".join)
_LINES = st.lists(_TEXT, min_size=1, max_size=8)
_BLOCK = st.one_of(
    st.builds(lambda level, text: f"{'#' * level} {text}", st.integers(1, 7), _TEXT),
    st.builds(lambda text, mark: f"{text}\n{mark}", _TEXT, st.sampled_from(["===", "---"])),
    _LINES.map("\n".join),
    st.builds(lambda mark, lines: "\n".join([mark + "py", *lines, mark]), st.sampled_from(["```", "~~~~"]), _LINES),
    _LINES.map(lambda lines: "```\n" + "\n".join(lines)),
    _LINES.map(lambda lines: "\n".join(f"    {line}" for line in lines)),
    _LINES.map(lambda lines: "| a | b |\n|---|---|\n" + "\n".join(f"| {line} | x |" for line in lines)),
    _LINES.map(lambda lines: "\n".join(f"- {line}" for line in lines)),
    _LINES.map(lambda lines: "1. " + "\n\n   ".join(lines)),
    _LINES.map(lambda lines: "\n".join(f"> {line}" for line in lines)),
    _LINES.map(lambda lines: "> [!tip]\n" + "\n".join(f"> {line}" for line in lines)),
    _LINES.map(lambda lines: "$$\n" + "\n".join(lines) + "\n$$"),
    _LINES.map(lambda lines: "%%\n" + "\n".join(lines) + "\n%%"),
    _LINES.map(lambda lines: "<div>\n" + "\n".join(lines) + "\n</div>"),
    _LINES.map(lambda lines: "<details>\n<summary>s</summary>\n\n" + "\n\n".join(lines) + "\n\n</details>"),
    st.sampled_from(
        ["---", "***", "", " ", "\\", "[^1]: note\n\n    more", "[ref]: http://x.y", "<details>", "</details>"]
    ),
)
MARKDOWN = st.builds(
    lambda blocks, gaps, ending: "".join(b + g for b, g in zip(blocks, gaps, strict=False)).replace("\n", ending),
    st.lists(_BLOCK, min_size=1, max_size=14),
    st.lists(st.sampled_from(["\n\n", "\n", "\n\n\n", "\n \n"]), min_size=14, max_size=14),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
)
BODIES = st.one_of(MARKDOWN, MARKDOWN, st.text(max_size=300), st.text(alphabet="a #`|>-[]()\n\r。$%*", max_size=200))


def _stays_in_its_section(text: str) -> bool:
    """Whether a text says something, opens no fence and no heading, which would go on with the next sections."""
    return bool(text.strip()) and not text.lstrip().startswith(("~~~", "#"))


many = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def chunked(strategy: str, body: str, **changes: int) -> list[Chunk]:
    return chunks_of(build(replace(OPTIONS, strategy=strategy, **changes)), body)


def check_slices(body: str, chunks: list[Chunk]) -> None:
    covered = bytearray(len(body))
    for chunk in chunks:
        assert body[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip()
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    assert not [at for at, flag in enumerate(covered) if not flag and not body[at].isspace()]
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def small_blocks(body: str, limit: int, *more: str) -> list[Block]:
    """Return the blocks under the limit; the headings and the summary of details above count, and the beginning of a
    callout or details inside it.
    """
    starts = words(body)[:, 0]
    kinds = ("fence", "code", "table", "html", "math", "comment", *more)

    def size(start: int, end: int) -> int:
        return int(((starts >= start) & (starts < end)).sum())

    def small(blocks: Sequence[Block], room: int, titled: int | None = None, inside: str = "") -> Iterator[Block]:
        for number, block in enumerate(blocks):
            titled = block.start if titled is None else titled
            opening = inside == "details" and number == 0  # is cut where the block below it can't be
            if block.kind in kinds and not opening and size(titled, block.end) <= room:
                yield block
            lead = size(block.start, block.start + len(block.lead))
            yield from small(block.children, room - lead, titled, block.kind)
            titled = titled if opening or block.kind == "heading" else None

    return list(small(parse(body).blocks, limit))


@many
@given(BODIES)
def test_the_outline_leaves_nothing_visible_out(body: str) -> None:
    position = 0
    for block in parse(body).blocks:
        assert not body[position : block.start].strip()
        assert block.start < block.end or not body[block.start : block.end].strip()
        position = block.end
    assert not body[position:].strip()


@many
@given(BODIES)
def test_children_stay_inside_their_parents_in_order(body: str) -> None:
    for block in walk(parse(body).blocks):
        position = block.start
        for child in block.children:
            assert position <= child.start <= child.end <= block.end
            position = child.end


@many
@given(BODIES)
def test_markdown_chunks_are_slices_within_the_limit_without_overlap(body: str) -> None:
    chunks = chunked("markdown", body)
    check_slices(body, chunks)
    assert all(chunk.token_count <= 32 and chunk.overlap_tokens == 0 for chunk in chunks)
    assert all(before.end <= after.start for before, after in pairwise(chunks))


@many
@given(BODIES)
def test_recursive_chunks_are_slices_within_the_limit_that_share_what_they_say(body: str) -> None:
    chunks = chunked("recursive", body)
    check_slices(body, chunks)
    starts = words(body)[:, 0]
    for before, chunk in zip([None, *chunks], chunks, strict=False):
        assert chunk.token_count <= 32
        assert chunk.overlap_tokens <= 5
        end = before.end if before else 0
        assert chunk.overlap_tokens == ((starts >= chunk.start) & (starts < end)).sum()


@many
@given(BODIES, st.sampled_from(["markdown", "recursive"]))
@example("# word\n\n<details>\n<summary>s</summary>\n\n\t另一句。[a b](http://x.y/z)\n\n</details>\n\n", "markdown")
@example("# 另一句。\n\n<details>\n<summary>s</summary>\n\nword[a b](http://x.y/z)\n\n</details>\n\n", "markdown")
@example("# word\n\n> 另一句。另一句。\n> -\n\n```py\n[a b](http://x.y/z)\n```\n\n", "recursive")
@example("> [!tip]\n> %%c%%**b**worda b  %%c%%**b**word。%%c%%\n\nend\n", "markdown")
@example(
    "# word另一句。[a b](http://x.y/z)\n\n"
    "<details>\n<summary>s</summary>\n\nword\n\nword\n\nword[a b](http://x.y/z)\n\n</details>\n\n",
    "markdown",
)
def test_a_block_under_the_limit_is_never_cut_inside(body: str, strategy: str) -> None:
    chunks = chunked(strategy, body)
    edges = {edge for chunk in chunks for edge in (chunk.start, chunk.end)}
    for block in small_blocks(body, 32, *(["details"] if strategy == "markdown" else [])):
        assert not [edge for edge in edges if block.start < edge < block.end], block


@many
@given(BODIES, st.sampled_from(sorted(CHUNKERS)))
def test_a_note_s_chunks_are_the_same_every_time(body: str, strategy: str) -> None:
    assert chunked(strategy, body) == chunked(strategy, body)


def _sections(chance: Random) -> Iterator[str]:
    """Yield headings of all levels and blocks of all sizes around the target and the limit."""
    for _ in range(chance.randint(1, 8)):
        yield "#" * chance.randint(1, 6) + " " + " ".join(chance.choices(["Alpha", "Beta"], k=chance.randint(1, 6)))
        size = chance.choice([0, 0, 3, 20, 60, 110, 118, 125, 200, 400])
        prose = " ".join("word." if at % 9 == 8 else "word" for at in range(size))
        table = "\n".join(["| a | b |", "|---|---|", *["| x | y |"] * (size // 5)])
        fence = "\n".join(["```", *["code a"] * (size // 2), "```"])
        yield chance.choice([prose, prose, table, fence, "- item one two\n" * (size // 4)]) if size else ""


@pytest.mark.parametrize("strategy", ["markdown", "recursive", "auto"])
def test_a_heading_is_in_a_chunk_with_the_text_below_it(strategy: str) -> None:
    for seed in range(150):
        body = "\n\n".join(_sections(Random(seed)))
        outline = parse(body)
        levels = {heading.start: heading.level for heading in outline.headings}
        chunks = chunked(strategy, body, chunk_size=64, max_single_chunk_size=128, chunk_overlap=10)
        assert max(chunk.token_count for chunk in chunks) <= 128
        for chunk in chunks:
            inside = [block.start for block in outline.blocks if block.start < chunk.end and chunk.start < block.end]
            below = next((block.start for block in outline.blocks if block.start >= chunk.end), None)
            if below is not None and all(start in levels for start in inside):
                # A section without text stays alone before a section of a higher level.
                assert levels.get(below, 9) < levels[inside[-1]], (seed, chunk.text)


@many
@given(BODIES)
def test_lines_are_the_note_s_different_lines(body: str) -> None:
    chunks = chunked("lines", body, max_single_chunk_size=10_000)
    lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert [chunk.text.strip() for chunk in chunks] == list(
        dict.fromkeys(line.strip() for line in lines if line.strip())
    )


@many
@given(st.lists(_TEXT.filter(_stays_in_its_section), min_size=3, max_size=12), st.data())
def test_an_edit_changes_only_the_chunks_around_it(texts: list[str], data: st.DataObject) -> None:
    sections = [f"## Section {index}\n\n{text} {'word ' * 6}\n\n" for index, text in enumerate(texts)]
    edited = data.draw(st.integers(0, len(sections) - 1))
    changed = [*sections]
    changed[edited] = f"## Section {edited}\n\nAnother text of its own.\n\n"
    before = {chunk.id for chunk in chunked("markdown", "".join(sections), max_single_chunk_size=500)}
    after = chunked("markdown", "".join(changed), max_single_chunk_size=500)
    new = [chunk.section_title for chunk in after if chunk.id not in before]
    assert set(new) <= {f"Section {edited}"}


@many
@given(BODIES)
def test_chunks_above_an_edited_section_keep_their_ids(body: str) -> None:
    before = chunked("markdown", body + "\n\n## Last\n\nfirst words of the last section\n")
    after = chunked("markdown", body + "\n\n## Last\n\nother words of the last section\n")
    # An unclosed fence or an open list at the end of the body would hold the heading.
    assume(before[-1].section_title == "Last" or before[-1].text.startswith("## Last"))
    above, still = ([chunk.id for chunk in chunks if chunk.end <= len(body)] for chunks in (before, after))
    assert above == still
