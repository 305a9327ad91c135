"""Keyword tokens: what is indexed, and what a question looks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import keywords, query_keywords


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Cargo.lock files", ["cargo", "lock", "files"]),
        ("缓存穿透", ["缓", "存", "穿", "透", "缓存", "存穿", "穿透"]),
        ("Redis缓存", ["redis", "缓", "存", "缓存"]),
        ("RefCell<T>", ["refcell", "ref", "cell", "t"]),
        ("max_pool_2d", ["max_pool_2d", "max", "pool", "d"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("rand 0.8.5 and v1.2", ["rand", "0.8.5", "and", "v1.2"]),
        ("C++ and C#, not a # heading", ["c++", "and", "c#", "not", "a", "heading"]),
        ("ＲＥＤＩＳ　１２", ["redis", "12"]),
        ("Café naïve", ["cafe", "naive"]),
        ("データベース", ["デ", "ー", "タ", "ベ", "ー", "ス", "デー", "ータ", "タベ", "ベー", "ース"]),
        ("__init__ ___ !!! 🦀", ["init"]),
        ("", []),
    ],
)
def test_the_words_of_a_note(text: str, words: list[str]) -> None:
    assert keywords(text) == words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How do I use a RefCell?", ["use", "refcell", "ref", "cell"]),
        ("缓存", ["缓存"]),
        ("存", ["存"]),
        ("the", ["the"]),
        ('"NEAR(" OR * foo AND', ["near", "foo"]),
        ("same same SAME", ["same"]),
    ],
)
def test_the_words_of_a_question(question: str, words: list[str]) -> None:
    assert query_keywords(question) == words


def test_a_long_question_looks_for_a_bounded_number_of_words() -> None:
    assert len(query_keywords(" ".join(f"word{number}" for number in range(10_000)))) == 64


@given(st.text(max_size=200))
def test_every_word_of_a_question_is_a_word_of_the_same_text(text: str) -> None:
    assert set(query_keywords(text)) <= set(keywords(text))


@given(st.text(max_size=200))
def test_words_hold_nothing_that_keyword_search_would_take_for_an_operator(text: str) -> None:
    assert not any(set(word) & set('"*():^ \t\n-') for word in keywords(text))
