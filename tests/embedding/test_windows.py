"""Chunk -> windows: all text is covered, every window fits, and cuts fall at line ends and spaces."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import ConfigError
from core.embedding import Embedder
from core.embedding.windows import BREADCRUMB_TOKENS, MOST_ROWS, breadcrumb, windows_of
from core.model import Chunk, Spans, Window
from tests.fakes import WordLengths
from tests.growth import assert_linear


class Letters(WordLengths):
    """One token per character, and an input of 60 tokens."""

    input_tokens = 60

    def tokens(self, text: str) -> Spans:
        return np.array([(at, at + 1) for at in range(len(text))], dtype=np.int32).reshape(-1, 2)


def chunk(text: str, *, section: str = "", parents: tuple[str, ...] = (), lead: str = "") -> Chunk:
    return Chunk(
        id="c",
        note_id="n",
        index=0,
        total=1,
        start=0,
        end=len(text),
        text=text,
        kind="markdown_section",
        breadcrumb=(*parents, section) if section else parents,
        lead=lead,
    )


def windows(piece: Chunk, title: str, embedder: Embedder) -> list[Window]:
    return windows_of([piece], title, embedder)


def bodies(cut, head: str) -> list[str]:
    assert all(window.text.startswith(head) for window in cut)
    return [window.text[len(head) :] for window in cut]


def test_a_short_chunk_is_one_window_under_its_breadcrumb():
    (window,) = windows(chunk("Run it.\n", section="Restore", parents=("Backups",)), "Server", WordLengths())
    assert window.text == "Server > Backups > Restore\nRun it.\n"
    assert (window.chunk_id, window.index) == ("c", 0)


@pytest.mark.parametrize(
    ("title", "section", "line"),
    [
        ("Server", (), "Server"),
        ("Server", ("Server", "Setup"), "Server > Setup"),
        ("server ", ("Server",), "Server"),
        ("Server", ("Setup", "Server"), "Server > Setup > Server"),
        ("", ("Setup",), "Setup"),
        ("", (), ""),
        ("two\nlines", ("  wide   gap",), "two lines > wide gap"),
    ],
)
def test_breadcrumb(title, section, line):
    assert breadcrumb(title, section) == line


def test_without_title_and_section_a_window_is_its_text():
    assert windows(chunk("Text."), "", WordLengths())[0].text == "Text."


def test_every_window_repeats_the_lead():
    rows = "".join(f"| {number} | x |\n" for number in range(20))
    made = windows(chunk(rows, lead="| n | v |\n|---|---|\n"), "T", WordLengths())
    cut = [window for window in made if window.row is None]
    assert len(cut) > 1
    assert "".join(bodies(cut, "T\n| n | v |\n|---|---|\n")) == rows


def test_a_long_chunk_is_cut_evenly_at_line_ends():
    lines = "".join(f"line {number} has six words here\n" for number in range(30))
    embedder = WordLengths()
    cut = windows(chunk(lines), "", embedder)
    sizes = [len(embedder.tokens(window.text)) for window in cut]
    assert "".join(window.text for window in cut) == lines
    assert all(window.text.endswith("\n") for window in cut)
    assert max(sizes) <= embedder.input_tokens
    assert max(sizes) - min(sizes) <= 6
    assert [window.index for window in cut] == list(range(len(cut)))


def test_without_lines_the_cut_is_at_a_space_and_without_spaces_anywhere():
    cut = windows(chunk("word " * 50), "", Letters())
    assert all(window.text.startswith("word") for window in cut)
    cut = windows(chunk("x" * 500), "", Letters())
    assert "".join(window.text for window in cut) == "x" * 500
    assert max(len(window.text) for window in cut) <= 60


def test_a_character_is_never_cut():
    family = "👩\u200d👩\u200d👧"
    for text in (family * 60, "e\u0301" * 100, "👍🏽" * 100, "☺\ufe0f" * 100):
        cut = windows(chunk(text), "", Letters())
        assert "".join(window.text for window in cut) == text
        assert not any(re.match("[\u200d\u0301\ufe0f\U0001f3fb-\U0001f3ff]", window.text) for window in cut)
        assert not any(window.text.endswith("\u200d") for window in cut)


def test_an_endless_breadcrumb_and_lead_leave_room():
    long = "name " * 1000
    text = "word " * 200
    embedder = WordLengths()
    cut = windows(chunk(text, section=long, parents=(long,), lead=long), long, embedder)
    assert all(len(embedder.tokens(window.text)) <= embedder.input_tokens for window in cut)
    assert sum(window.text.count("word") for window in cut) == 200
    head = cut[0].text.partition("\n")[0]
    assert head.startswith("name name")
    assert "…" in head
    assert len(embedder.tokens(head)) <= min(BREADCRUMB_TOKENS, embedder.input_tokens // 4)


def test_the_size_of_windows_can_be_smaller():
    text = "word " * 100
    embedder = Letters()
    whole = windows(chunk(text), "", embedder)
    embedder.input_tokens = 32
    cut = windows(chunk(text), "", embedder)
    assert max(len(window.text) for window in cut) <= 32
    assert len(cut) > len(whole)
    embedder.input_tokens = 10
    with pytest.raises(ConfigError, match="at least 32"):
        windows(chunk(text), "", embedder)


def test_blank_text_is_a_window():
    assert [window.text for window in windows(chunk(" \n"), "T", WordLengths())] == ["T\n \n"]


def test_chunks_of_a_note_in_order():
    chunks = [chunk("one"), chunk("two", section="S")]
    assert [window.text for window in windows_of(chunks, "T", WordLengths())] == ["T\none", "T > S\ntwo"]


@settings(max_examples=150)
@given(
    st.text(alphabet=st.sampled_from("ab 中。\n\t🚀\u0301\u200d|#`"), max_size=600),
    st.sampled_from([Letters(), WordLengths()]),
)
def test_nothing_is_lost_and_everything_fits(text, embedder):
    cut = windows(chunk(text, section="S"), "T", embedder)
    assert "".join(bodies(cut, "T > S\n")) == text
    assert cut == windows(chunk(text, section="S"), "T", embedder)
    assert all(len(embedder.tokens(window.text)) <= embedder.input_tokens for window in cut)


@pytest.mark.parametrize(
    "text",
    [
        "数据库备份与恢复的步骤，" * 400,
        "How to restore a backup. " * 300,
        "- item 项目 🚀\n" * 300,
        "👩\u200d👩\u200d👧" * 500,
        "𠀀" * 3000,
        "x" * 5000,
    ],
    ids=["zh", "en", "list", "emoji", "unknown", "x"],
)
def test_windows_of_the_bundled_model_fit_its_input(bundled, text):
    cut = windows(chunk(text, section="Setup", parents=("恢复",)), "Server", bundled)
    assert "".join(bodies(cut, "Server > 恢复 > Setup\n")) == text
    tokenizer = bundled._tokenizer
    sizes = [len(tokenizer.encode("passage: " + window.text).ids) for window in cut]
    assert max(sizes) <= 512
    assert min(sizes) >= 512 / 4 or len(cut) == 1


def test_a_megabyte_in_one_chunk_takes_seconds(bundled):
    text = "How to restore a backup 数据库。\n" * 40_000
    cut = windows(chunk(text), "T", bundled)
    assert sum(len(window.text) - len("T\n") for window in cut) == len(text)
    assert_linear(lambda text: windows(chunk(text), "T", bundled), text)


def test_chunks_of_one_text_are_cut_once() -> None:
    """A file of one repeated word has thousands of equal chunks."""
    asked: list[str] = []

    class Asked(Letters):
        def tokens(self, text: str) -> Spans:
            asked.append(text)
            return super().tokens(text)

    many = windows_of([chunk("word " * 40)] * 500, "Title", Asked())
    assert len(asked) < 20
    assert [window.text for window in many] == [window.text for window in many[: len(many) // 500]] * 500


TABLE = "Before.\n\n| Action | Keys |\n|---|---|\n| Delete the line | K |\n| Copy the line | D |\n\nBehind.\n"


def test_each_row_of_a_table_has_a_window_behind_those_of_the_text() -> None:
    piece = chunk(TABLE, section="Keys")
    whole, *rows = windows(piece, "Editor", WordLengths())
    assert whole.text == f"Editor > Keys\n{TABLE}"
    assert [(row.index, row.text) for row in rows] == [
        (1, "Editor > Keys\nDelete the line: K"),
        (2, "Editor > Keys\nCopy the line: D"),
    ]
    places = [piece.text[slice(*row.row)] for row in rows if row.row]
    assert places == ["| Delete the line | K |", "| Copy the line | D |"]


def test_rows_are_bounded_and_those_that_do_not_fit_have_no_window() -> None:
    many = "| a | b |\n|---|---|\n" + "".join(f"| row {number} | x |\n" for number in range(MOST_ROWS + 9))
    assert sum(window.row is not None for window in windows(chunk(many), "", WordLengths())) == MOST_ROWS
    long = f"| a | b |\n|---|---|\n| {'x' * 61} | y |\n| z | y |\n"
    assert [window.text for window in windows(chunk(long), "", Letters()) if window.row] == ["z: y"]


def test_a_plain_line_has_no_rows() -> None:
    assert len(windows(replace(chunk(TABLE), line=3), "", WordLengths())) == 1
