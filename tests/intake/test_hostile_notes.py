"""Notes that repeat pieces of markup are read and cut in linear time, alone and in pairs; zips of many members too."""

import io
import os
import random
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.chunking import cut
from core.intake.notefile import read
from core.intake.upload import unzip_from
from core.model import ChunkingOptions, Note
from tests.chunking.fakes import note, words
from tests.growth import assert_grows_linearly, assert_linear

PIECES = (
    *(
        "<a ",
        "<!--",
        "</",
        "<b>",
        "[",
        "![](",
        "[[",
        "](",
        "[a](b '",
        "[x]: y\n",
        "[^a]: b\n",
        "|",
        "| a | b |\n",
        "> ",
    ),
    *("- ", "- \n", "1. a\n", "`", "``` ", "~~~\n", "*a **a ", "_", "~~", "==", "&#", "&amp;", "\\", "$", "$$\n", "%%"),
    *(
        "#a ",
        "# a\n",
        "a\n=\n",
        "---\n",
        "{{",
        "http://a.b ",
        "a@b.c ",
        "<details>\n\n",
        "a",
        "中",
        "\u200b ",
        "\t",
        "\r",
    ),
    *(": ", "a: ", "- a:\n", "{a: ", "&a ", "*a ", "!!a ", '"', "' ", "? ", "| \n", "  a:\n"),
)
"""What Markdown, HTML and YAML open, close and nest."""
CHARACTERS = 8_000
"""An eighth of it is still cut into several chunks; a note that fits in one costs less for each character."""
PAIRS = int(os.environ.get("TEXTS", "30"))
OPTIONS = ChunkingOptions(chunk_size=32, chunk_overlap=8, max_single_chunk_size=64)


def texts(seed: int = 5) -> Iterator[str]:
    """Yield notes of one piece, and of two at random, in the body and in the front matter in turn."""
    chance = random.Random(seed)
    pairs = ((chance.sample(PIECES, 2), chance.choice((1, 1, 5))) for _ in range(PAIRS))
    for number, piece in enumerate([*PIECES, *(one * times + other for (one, other), times in pairs)]):
        text = piece * (CHARACTERS // len(piece))
        yield f"---\na: {text}\n---\nbody" if number % 2 else text


def read_and_cut(data: bytes) -> Note:
    parsed, _ = read(data, "n.md")
    hostile = replace(note(parsed.body, "n.md"), front=parsed.front)
    cut(hostile, OPTIONS, words)
    return hostile


def test_notes_of_repeated_pieces_take_time_in_proportion() -> None:
    for text in texts():
        try:
            assert_linear(read_and_cut, text.encode("utf-8"))
        except AssertionError as error:
            raise AssertionError(f"{text[:40]!r}: {error}") from None


@pytest.mark.parametrize("member", [lambda n: f"{n}.md", lambda n: f"{n}/" * 8 + "a.md", lambda n: f"{n}.exe"])
def test_zips_of_many_members_take_time_in_proportion(member: Callable[[int], str], tmp_path: Path) -> None:
    def prepare(size: int) -> Callable[[], object]:
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as made:
            for number in range(size):
                made.writestr(member(number), b"")
        return lambda: unzip_from(data, tmp_path / str(size), name="the archive")

    assert_grows_linearly(prepare, 400)
