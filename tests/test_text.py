"""Lines, and keyword tokens: what is indexed, and what a question looks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.text import fold, keywords, line_starts, query_keywords, simplify, with_newlines
from core.chunking import reading
from core.markdown import parser


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Cargo.lock files", ["cargo", "lock", "files"]),
        ("缓存穿透", ["缓", "存", "穿", "透", "缓存", "存穿", "穿透"]),
        ("Redis缓存", ["redis", "缓", "存", "缓存"]),
        ("RefCell<T>", ["refcell", "ref", "cell", "t"]),
        ("max_pool_2d", ["max_pool_2d", "max", "pool"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("rand 0.8.5 and v1.2", ["rand", "0.8.5", "and", "v1.2"]),
        ("C++ and C#, not a # heading", ["c++", "and", "c#", "not", "a", "heading"]),
        ("ＲＥＤＩＳ　１２", ["redis", "12"]),
        ("Café naïve", ["cafe", "naive"]),
        ("データベース", ["デ", "ー", "タ", "ベ", "ー", "ス", "デー", "ータ", "タベ", "ベー", "ース"]),
        ("數據庫", ["数", "据", "库", "数据", "据库"]),
        ("臺灣衞生", ["台", "湾", "卫", "生", "台湾", "湾卫", "卫生"]),
        ("東京タワー", ["东", "京", "タ", "ワ", "ー", "东京", "京タ", "タワ", "ワー"]),
        ("K8s部署", ["k8s", "部", "署", "部署"]),
        ("延迟50ms，占用1.5GB", ["延", "迟", "延迟", "50ms", "占", "用", "占用", "1.5", "gb"]),
        ("__init__ ___ !!! 🦀", ["init", "🦀"]),
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
        ("緩存穿透", ["缓存", "存穿", "穿透"]),
        ("缓存，穿透 雪崩", ["缓存", "穿透", "雪崩"]),
        ("為什麼 緩存", ["缓存"]),
        ("ＲＥＤＩＳ緩存", ["redis", "缓存"]),
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


@pytest.mark.parametrize(
    ("traditional", "expected"),
    [
        ("數據庫", "数据库"),
        ("為什麼", "为什么"),
        ("爲什麽", "为什么"),
        ("頭髮", "头发"),
        ("髮廊", "发廊"),
        ("裡面 裏面", "里面 里面"),
        ("隨著", "随着"),
        ("衞生", "卫生"),
        ("软件什么", "软件什么"),
        ("データ ベース", "データ ベース"),
    ],
)
def test_traditional_characters_become_simplified_ones(traditional: str, expected: str) -> None:
    assert simplify(traditional) == expected


def test_every_character_stays_in_its_place_and_is_folded_once_and_for_all() -> None:
    characters = "".join(chr(code) for code in range(0x30000) if not 0xD800 <= code < 0xE000)
    once = simplify(characters)
    assert len(once) == len(characters)
    assert simplify(once) == once
    changed = [(before, after) for before, after in zip(characters, once, strict=True) if before != after]
    assert len(changed) > 3000
    assert all("㐀" <= before <= "\u9fff" for before, _ in changed)


@given(st.text(max_size=50), st.text(max_size=50))
def test_a_part_of_a_text_becomes_that_part(left: str, right: str) -> None:
    assert simplify(left) + simplify(right) == simplify(left + right)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("數據庫", "数据库"),
        ("ＲＥＤＩＳ 緩存", "redis 缓存"),
        ("Straße", "STRASSE"),
        ("Ｃａｆé", "cafe\u0301"),
        ("㍿", "株式会社"),
    ],
)
def test_two_spellings_fold_to_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_folding_keeps_words_apart() -> None:
    assert len({fold(word) for word in ("cafe", "café", "数据 库", "数据库")}) == 4


@given(
    st.lists(st.sampled_from(["a", "# b", "\n", "\r", "\r\n", *"\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"])).map("".join)
)
def test_a_line_ends_at_the_same_place_for_every_reader(text: str) -> None:
    starts = line_starts(text)
    assert starts == line_starts(with_newlines(text))
    assert len(with_newlines(text)) == len(text)
    assert starts[1:] == reading.line_starts(text, 0, len(text))
    parsed = parser.parse(text)
    assert list(parsed.lines) == ([*starts, len(text)] if text else [0])
    assert all(parsed.span(token)[0] in starts for token in parsed.tokens if token.map)
