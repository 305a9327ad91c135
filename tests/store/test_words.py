"""The index of words: phrases as they stand, words in any form, and the best by BM25."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import core.store.words
from core.model import Chunk, ChunkingOptions, KnowledgeBase, Note
from core.store import Store
from core.store.chunks import Cutting
from core.text import CJK, fold, query_keywords

PIECES = ("Cache", "cache-aside", "RefCell", "refcell", "foo_bar", "Straße", "STRASSE", "İstanbul", "café", "cafe")
PIECES += (
    "Node 18",
    "3.11",
    "C++",
    "ＡＢＣ",
    "abc",
    "to be",
    "the",
    "缓存",
    "缓存雪崩",
    "雪崩",
    "臺灣",
    "台湾",
    "です",
    "—",
    "🚀",
)
GAPS = (" ", "\n", "  \n\n", ", ", "", "\u3000", '"')


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "ws")
    yield store
    store.close()


def base_in(store: Store, name: str = "notes") -> KnowledgeBase:
    return store.notes.add_base(
        name, embedder="fake", fingerprint="f", dimension=2, chunking=ChunkingOptions(), embed_at_once=False
    )


def put(store: Store, base: KnowledgeBase, note_id: str, *texts: str, title: str = "", **fields: object) -> list[int]:
    """Write a note with these chunks and return their numbers."""
    note = Note(note_id, base.id, title, "", "h", generation=1)
    chunks = [
        Chunk(f"{note_id}:{index}", note_id, index, 0, 0, 0, text, "line", **fields)  # type: ignore[arg-type]
        for index, text in enumerate(texts)
    ]
    store.chunks.put([Cutting(note, chunks, [()] * len(chunks), "lines", "test")])
    rows = store.database.connection.execute('SELECT rowid FROM chunks WHERE note_id = ? ORDER BY "index"', (note_id,))
    return [row[0] for row in rows]


@pytest.mark.parametrize(
    ("phrase", "text", "held"),
    [
        ("cat", "concatenate", False),
        ("cat", "the Cat, again", True),
        ("cache", "cache-aside", True),
        ("cache aside", "cache-aside", False),
        ("exit code", "its exit\n  code is 1", True),
        ("exit code", "exit the code", False),
        ("code exit", "exit code", False),
        ("缓存", "用缓存的人", True),
        ("缓存雪崩", "缓存 雪崩", False),
        ("存雪", "缓存雪崩", True),
        ("哈哈哈", "哈哈", False),
        ("redis", "用redis缓存", True),
        ("redis缓存", "用Redis缓存", True),
        ("記憶體", "记忆体", True),
        ("ＡＰＩ", "the api", True),
        ("RefCell", "a refcell", True),
        ("cell", "RefCell", False),
        ("foo", "foo_bar", False),
        ("to be", "not to be", True),
        ("naive", "naïve", False),
        ("->", "a -> b", True),
        ("🚀", "start 🚀 now", True),
        ("3.11", "python 3.11", True),
        ("", "anything", False),
    ],
)
def test_a_phrase_is_held_as_it_stands(store: Store, phrase: str, text: str, held: bool) -> None:
    rowids = put(store, base_in(store), "n", text, "nothing of it 别的")
    assert store.chunks.containing(phrase) == (set(rowids[:1]) if held else set())


@pytest.mark.parametrize(
    ("term", "text", "held"),
    [
        ("Caches", "one cache", True),
        ("cafe", "café", True),
        ("cache", "concatenate", False),
        ("cell", "RefCell", True),
        ("refcell", "a cell", False),
        ("RefCell", "a cell", False),
        ("缓", "缓存", True),
        ("缓存", "用缓存的人", True),
        ("缓存雪崩", "缓存和雪崩", False),
        ("哈哈哈", "哈哈", False),
        ("cache-aside", "aside of the cache", False),
        ("cache-aside", "the Cache-Aside pattern", True),
        ("exit codes", "exit code", False),
        ("the", "the end", True),
    ],
)
def test_a_word_is_held_in_any_form(store: Store, term: str, text: str, held: bool) -> None:
    rowids = put(store, base_in(store), "n", text, "nothing of it 别的")
    assert store.chunks.holding(term) == (set(rowids[:1]) if held else set())


def test_titles_and_headings_hold_phrases_too(store: Store) -> None:
    base = base_in(store)
    titled = put(store, base, "n1", "one", title="Exit codes")
    below = put(store, base, "n2", "two", section_title="Codes", parent_sections=("Exit", "On exit codes"))
    put(store, base, "n3", "codes", section_title="Exit")
    assert store.chunks.containing("exit codes") == {*titled, *below}
    assert store.chunks.containing("exit codes", np.array(below)) == set(below)
    assert store.chunks.holding("exits", np.array(titled)) == set(titled)


def test_a_deleted_chunk_says_nothing(store: Store) -> None:
    put(store, base_in(store), "n", "gone -> 消失", state="deleted")
    assert store.chunks.containing("gone") == store.chunks.containing("->") == store.chunks.holding("消失") == set()
    assert store.chunks.matching_words(["gone"], 5) == {}
    assert store.chunks.rowids().tolist() == store.chunks.rowids_of("n") == []


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), max_size=12), min_size=1, max_size=8),
    st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map(" ".join), min_size=1, max_size=8),
)
def test_narrowing_by_words_loses_no_phrase(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[tuple[str, str]]], phrases: list[str]
) -> None:
    store = Store(tmp_path_factory.mktemp("words"))
    said = ["".join(piece + gap for piece, gap in text) for text in texts]
    rowids = put(store, base_in(store), "n", *said)
    for phrase in phrases:
        held = {rowid for rowid, text in zip(rowids, said, strict=True) if _holds(text, phrase)}
        assert store.chunks.containing(phrase) == held, phrase
    store.close()


def _holds(text: str, phrase: str) -> bool:
    def latin(character: str) -> bool:
        return bool(re.match(rf"(?![{CJK}])\w", character))

    text, phrase = (" ".join(fold(given).split()) for given in (text, phrase))
    return any(
        not (latin(phrase[0]) and at and latin(text[at - 1]))
        and not (latin(phrase[-1]) and latin(text[at + len(phrase) : at + len(phrase) + 1] or " "))
        for at in range(len(text))
        if text.startswith(phrase, at)
    )


WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "缓存", "雪崩", "of"])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(WORDS, max_size=30).map(" ".join), min_size=1, max_size=25),
    st.lists(WORDS, min_size=1, max_size=4),
    st.integers(1, 12),
    st.sets(st.integers(0, 24)),
    st.booleans(),
    st.booleans(),
)
def test_the_best_by_words_are_those_of_scoring_every_chunk(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    asked: list[str],
    count: int,
    chosen: set[int],
    of_base: bool,
    many: bool,
) -> None:
    store = Store(tmp_path_factory.mktemp("words"))
    base, other = base_in(store), base_in(store, "other")
    numbers = [*put(store, base, "n", *texts), *put(store, other, "m", *texts[:5])]
    words = query_keywords(" ".join(asked))
    every = store.database.connection.execute(
        "SELECT rowid, -bm25(words, 3.0, 2.0, 1.0) FROM words WHERE words MATCH ?",
        (" OR ".join(f'"{word}"' for word in words),),
    )
    allowed = np.array(sorted(numbers[number] for number in chosen if number < len(numbers)), np.int64)
    scores = {
        rowid: score for rowid, score in every if rowid in allowed and (not of_base or rowid in numbers[: len(texts)])
    }
    best = dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:count])
    with pytest.MonkeyPatch.context() as patched:
        # Where many are allowed, the best of all are looked through.
        patched.setattr(core.store.words, "_NAMED", 1e-9 if many else 0.25)
        patched.setattr(core.store.words, "_MARGIN", 2)
        found = store.chunks.matching_words(words, count, base_ids=[base.id] if of_base else None, allowed=allowed)
    assert list(found) == list(best)
    assert list(found.values()) == pytest.approx(list(best.values()))
    held = store.chunks.matched(words, numbers)
    for rowid, text in zip(numbers, texts, strict=False):
        assert set(held.get(rowid, ())) == {word for word in words if word in text.split()}
    store.close()
