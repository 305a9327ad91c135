"""Where the words of a question stand in a text."""

from collections.abc import Mapping, Sequence

import pytest

from core.retrieval.highlights import words_in
from pages.ui.shared import cards

Spans = Sequence[tuple[int, int]]


def find(text: str, words: Sequence[str]) -> Spans:
    def stems(forms: Sequence[str]) -> Mapping[str, str]:
        return {form: form for form in forms}

    return words_in(text, words, stems)[0]


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("A RefCell and a cell; excellent", ["cell"], ["Cell", "cell"]),
        ("RefCell", ["refcell", "ref", "cell"], ["RefCell"]),
        ("什么是缓存穿透呢", ["缓存", "存穿", "穿透"], ["缓存穿透"]),
        ("the cat", ["dog"], []),
        ("C++ and c", ["c++"], ["C++"]),
    ],
)
def test_words_are_marked_where_keyword_search_finds_them(text: str, words: list[str], found: list[str]) -> None:
    assert [text[start:end] for start, end in find(text, words)] == found


def test_an_excerpt_is_where_most_words_are() -> None:
    text = "start. " * 200 + "here the needle and the needle again. " + "end. " * 200
    spans = find(text, ["needle"])
    start, end = cards.best_excerpt(text, spans)
    assert "needle and the needle" in text[start:end]
    assert end - start <= cards.EXCERPT
    assert cards.best_excerpt("short", []) == (0, 5)


def test_simplified_words_mark_traditional_text_in_its_place() -> None:
    assert find("把數據庫放進緩存", ["数据", "缓存"]) == ((1, 3), (6, 8))
