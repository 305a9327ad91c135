"""What every strategy promises, run over the whole table."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from core.base.errors import ConfigError, SourceError, UnknownChoice
from core.chunking import CHUNKERS, Chunker, build, cut
from core.model import Chunk, ChunkingOptions
from tests.chunking.fakes import chunks_of, note, words
from tests.growth import assert_linear

SMALL = ChunkingOptions(short_doc_threshold=30, chunk_size=24, chunk_overlap=6, max_single_chunk_size=48)

RICH = """\
Before any heading, [a link. With a full stop](https://example.org/a%20b "and. a title") stays whole.

# 机器学习 Machine learning

第一句话在这里。第二句话更长一些，有逗号！第三句话？"引用的话。"最后一句；完。

## Code

```python title="x"
# not a heading

def f(x):
    return x + 1
```

    indented = 1

    more = 2

## Table

| name | what |
|------|------|
| a \\| b | `x | y` |
| second | row with words |

- first item line with words
  and its second line

  ```
  nested
  ```
- second item

> [!note] Callout
> with text.

$$
a^2 + b^2

= c^2
$$

<details>
<summary>More</summary>

Folded text

1. with an item

</details>

Text with 👩‍👩‍👧‍👦 family and 🇨🇳 flag, e\u0301 accents, مرحبا بالعالم.[^1] ^block-id

[^1]: A footnote.
"""

BODIES = {
    "one word": "word",
    "english": "One sentence is here. Another one follows it! And a third? " * 12,
    "chinese": "这是第一句话。这是第二句话，比较长！第三句？" * 20,
    "chinese without a stop": "汉字" * 300,
    "emoji": "👩‍👩‍👧‍👦👍🏽é " * 60,
    "emoji without a space": "👩‍👩‍👧‍👦👍🏽" * 60,
    "rich": RICH,
    "crlf": RICH.replace("\n", "\r\n"),
    "cr": RICH.replace("\n", "\r"),
    "no newline at the end": RICH.rstrip("\n"),
    "blank lines around": "\n\n \n  indented text\n\n\n\t\n",
    "one endless line": "x" * 50_000,
    "one endless line of words": "word and " * 5_000,
    "nul and lone surrogate": "a\0b \ud800 c\u2028d\x0be\x85f " * 40,
    "many headings": "".join(f"{'#' * (1 + i % 7)} Heading {i}\n\nText {i}.\n\n" for i in range(60)),
    "heading alone": "# Title",
    "unclosed fence": "## A\n\n```\n" + "line of code\n" * 80,
    "equal paragraphs": "The same paragraph again.\n\n" * 30,
    "bidirectional": "שלום עולם. זה משפט ארוך יותר. " * 20,
}


@pytest.fixture(params=CHUNKERS)
def strategy(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def chunker(strategy: str) -> Chunker:
    return build(replace(SMALL, strategy=strategy))


@pytest.fixture(params=BODIES)
def body(request: pytest.FixtureRequest) -> str:
    return BODIES[request.param]


def uncovered(body: str, chunks: list[Chunk]) -> str:
    """Return the visible characters that no chunk holds."""
    missing, position = "", 0
    for chunk in chunks:
        missing += body[position : max(position, chunk.start)]
        position = max(position, chunk.end)
    return "".join((missing + body[position:]).split())


def test_offsets_slice_the_text_back(chunker: Chunker, body: str) -> None:
    for chunk in chunks_of(chunker, body):
        assert body[chunk.start : chunk.end] == chunk.text


def test_chunks_are_in_reading_order(chunker: Chunker, body: str) -> None:
    chunks = chunks_of(chunker, body)
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert {chunk.total for chunk in chunks} == {len(chunks)}
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end


def test_every_visible_character_is_in_a_chunk(chunker: Chunker, strategy: str, body: str) -> None:
    chunks = chunks_of(chunker, body)
    if strategy == "lines":
        kept = "".join("".join(chunk.text.split()) for chunk in chunks)
        assert all("".join(line.split()) in kept for line in re.split(r"\r\n|\r|\n", body))
    else:
        assert uncovered(body, chunks) == ""


def test_chunks_have_no_blank_edges(chunker: Chunker, body: str) -> None:
    for chunk in chunks_of(chunker, body):
        assert chunk.text == chunk.text.rstrip()
        assert chunk.text.splitlines()[0].strip()


def test_the_same_note_gives_the_same_chunks(chunker: Chunker, body: str) -> None:
    first = chunks_of(chunker, body)
    assert chunks_of(chunker, body) == first
    assert len({chunk.id for chunk in first}) == len(first)


def test_no_chunk_is_over_the_limit(chunker: Chunker, strategy: str, body: str) -> None:
    chunks = chunks_of(chunker, body)
    if strategy == "none":
        assert len(chunks) == 1
    else:
        assert max(chunk.token_count for chunk in chunks) <= SMALL.max_single_chunk_size


def test_token_counts_are_the_tokenizer_s(chunker: Chunker, body: str) -> None:
    starts = words(body)[:, 0]
    for chunk in chunks_of(chunker, body):
        inside = (starts >= chunk.start) & (starts < chunk.end)
        assert chunk.token_count == inside.sum()


@pytest.mark.parametrize("blank", ["", " ", "\n\n", "\r\n \t\r\n", "\u3000\n"])
def test_a_blank_body_has_no_chunks(chunker: Chunker, blank: str) -> None:
    assert chunks_of(chunker, blank) == []


def test_ids_carry_the_note(chunker: Chunker) -> None:
    one, other = chunks_of(chunker, RICH, "one"), chunks_of(chunker, RICH, "other")
    assert all(chunk.id.startswith("one:") and chunk.note_id == "one" for chunk in one)
    assert not {chunk.id for chunk in one} & {chunk.id for chunk in other}


def test_cut_gives_the_strategy_s_own_chunks_with_a_reason(chunker: Chunker, strategy: str) -> None:
    result = cut(note(RICH), replace(SMALL, strategy=strategy), words)
    assert list(result.chunks) == chunks_of(chunker, RICH)
    assert str(result.reasons[0]).startswith(f"{result.strategy}: ")
    assert result.profile.tokens == len(words(RICH))


@pytest.mark.parametrize(
    ("strategy", "change", "told"),
    [
        ("markdown", {"chunk_size": 0}, r"\(chunk_size\) is 0"),
        ("markdown", {"chunk_size": 49}, "largest chunk"),
        ("markdown", {"max_single_chunk_size": 0}, r"\(max_single_chunk_size\) is 0"),
        ("recursive", {"chunk_overlap": 24}, "must be between 0 and 23"),
        ("recursive", {"chunk_overlap": -1}, r"\(chunk_overlap\) is -1"),
        ("recursive", {"chunk_size": -5}, r"\(chunk_size\) is -5"),
        ("lines", {"max_single_chunk_size": -1}, "at least 1"),
        ("auto", {"short_doc_threshold": 0}, r"\(short_doc_threshold\) is 0"),
        ("auto", {"min_headings_for_md_aware": 0}, r"\(min_headings_for_md_aware\) is 0"),
        ("auto", {"chunk_overlap": 99}, r"\(chunk_overlap\) is 99"),
    ],
)
def test_a_bad_option_is_named_with_its_range(strategy: str, change: dict[str, int], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        build(replace(SMALL, strategy=strategy, **change))


def test_an_unknown_strategy_lists_the_choices() -> None:
    with pytest.raises(UnknownChoice, match="Did you mean 'markdown'"):
        build(ChunkingOptions(strategy="markdow"))


def test_a_note_too_large_to_parse_is_refused_by_its_name() -> None:
    with pytest.raises(SourceError, match="A note: This note has more than 500,000 lines"):
        cut(note("a\n" * 500_001), SMALL, words)


@pytest.mark.parametrize("strategy", ["markdown", "recursive", "lines"])
@pytest.mark.parametrize(
    "text",
    [
        *("a", "[a](b", "`a", "中", "[", "a\u0301", "\u200b ", "<a ", "$a", "> ", "- a\n", "|a\n|-\n", "a\ufe0f\n\n"),
        "<details>\n\n",
    ],
)
def test_hostile_text_takes_time_in_proportion(strategy: str, text: str) -> None:
    chunker = build(replace(SMALL, strategy=strategy))
    assert_linear(lambda text: chunks_of(chunker, text), text * 4_000 + " end")
