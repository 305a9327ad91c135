"""The index of words: phrases as they stand, words in any form, and the best by BM25."""

import random
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import core.store.words
from core.base.errors import NotesDamaged
from core.base.text import CJK, fold, query_keywords
from core.model import Chunk, ChunkingOptions, KnowledgeBase, Note
from core.store import Store
from core.store.note_to_index import NoteToIndex
from tests.growth import assert_grows_linearly

PIECES = (
    "Cache",
    "cache-aside",
    "RefCell",
    "refcell",
    "foo_bar",
    "Straße",
    "STRASSE",
    "İstanbul",
    "café",
    "cafe",
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
    "->",
    "－＞",
    "...",
    "…",
    "⑴",
    "(",
    "\u0301",
    "𝐚𝐛𝐜",
    "K",
)
GAPS = (" ", "\n", "  \n\n", ", ", "", "\u3000", '"')


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "ws")
    yield store
    store.close()


def base_in(store: Store, name: str = "notes") -> KnowledgeBase:
    return store.bases.add(
        name, embedder="fake", fingerprint="f", dimension=2, chunking=ChunkingOptions(), embed_at_once=False
    )


def put(
    store: Store, base: KnowledgeBase, note_id: str, *texts: str, title: str = "", body: str = "", **fields: object
) -> list[int]:
    """Write a note with these chunks and return their numbers."""
    note = Note(note_id, base.id, body, "h", generation=1, title=title)
    chunks = [
        Chunk(f"{note_id}:{index}", note_id, index, 0, 0, 0, text, "line", **fields)  # type: ignore[arg-type]
        for index, text in enumerate(texts)
    ]
    cutting = NoteToIndex(note, chunks, [()] * len(chunks), "lines", "test")
    store.notes.put(cutting)
    store.chunks.put(cutting)
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
        ("->", "比 −＞ 和 -＞", True),
        ("->", "比 － >", False),
        ("->", "不 -≯ 是", False),
        ("- -", "一 -\n- 二", True),
        ("...", "等…", True),
        ("，", "一，二", True),
        ("，", "一,二", True),
        ("（", "⑴", True),
        ("exit code", "“exit code” is", True),
        ("exit code", "“exit codé” is", False),
        ("exit code", "“exit code\u0301” is", False),
        ("office", "“oﬃce”", True),
        ("k", "300 K", True),
        ("cat", "the 𝐜𝐚𝐭 —", True),
        ("cat", "—cat𝐬", False),
        ("__", "的 __init__", False),
        ("__", "的 __ 是", True),
    ],
)
def test_a_phrase_is_held_as_it_stands(store: Store, phrase: str, text: str, held: bool) -> None:
    rowids = put(store, base_in(store), "n", text, "nothing of it 别的")
    assert store.words.find_phrase(phrase) == (set(rowids[:1]) if held else set())


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
        ("cache", "\u0301Cache", True),
        ("cache", "x\u0301Cache", False),
    ],
)
def test_a_word_is_held_in_any_form(store: Store, term: str, text: str, held: bool) -> None:
    rowids = put(store, base_in(store), "n", text, "nothing of it 别的")
    assert store.words.find_term(term) == (set(rowids[:1]) if held else set())


def test_titles_and_headings_hold_phrases_too(store: Store) -> None:
    base = base_in(store)
    titled = put(store, base, "n1", "one", title="Exit codes")
    below = put(store, base, "n2", "two", sections=("Codes",), breadcrumb=("Exit", "On exit codes"))
    put(store, base, "n3", "codes", sections=("Exit",))
    assert store.words.find_phrase("exit codes") == {*titled, *below}
    assert store.words.find_phrase("exit codes", np.array(below)) == set(below)
    assert store.words.find_term("exits", np.array(titled)) == set(titled)


def test_a_deleted_chunk_says_nothing(store: Store) -> None:
    put(store, base_in(store), "n", "gone -> 消失", state="deleted")
    assert store.words.find_phrase("gone") == store.words.find_phrase("->") == store.words.find_term("消失") == set()
    assert store.words.rank(["gone"], 5) == {}
    assert store.chunks.rowids().tolist() == store.chunks.rowids_of("n") == []


@settings(max_examples=30, derandomize=True)
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
        assert store.words.find_phrase(phrase) == held, phrase
    store.close()


@settings(max_examples=30, derandomize=True)
@given(
    st.lists(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), max_size=12), min_size=1, max_size=8),
    st.lists(st.lists(st.sampled_from((*PIECES, *GAPS)), min_size=1, max_size=3).map("".join), min_size=1, max_size=8),
    st.data(),
)
def test_no_note_with_a_line_that_holds_a_text_is_missed(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[tuple[str, str]]], parts: list[str], data: st.DataObject
) -> None:
    store = Store(tmp_path_factory.mktemp("words"))
    base = base_in(store)
    said = {str(number): "".join(piece + gap for piece, gap in text) for number, text in enumerate(texts)}
    for note_id, body in said.items():
        put(store, base, note_id, body=body)
    body = data.draw(st.sampled_from([*said.values()]))
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(body))] * 2)))
    for part in (*parts, body[start:end]):
        held = {note_id for note_id, body in said.items() if fold(part) in fold(body)}
        assert held <= {note.id for note in store.notes.notes_with_text(base, part)}, part
    assert [*store.notes.notes_with_text(base, "nowhere")] == []
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


WORDS = st.sampled_from(["alpha", "beta", "betas", "gamma", "delta", "缓存", "雪崩", "of", "C++"])
SAID = st.lists(WORDS, max_size=30).map(" ".join)


def scored(store: Store, words: list[str]) -> dict[int, float]:
    """The chunks as FTS5 itself scores them, best first."""
    rows = store.database.connection.execute(
        "SELECT rowid, -bm25(words, 3.0, 2.0, 1.0) AS score FROM words WHERE words MATCH ? ORDER BY score DESC, rowid",
        (" OR ".join(f'"{word}"' for word in words),),
    )
    return {row[0]: row[1] for row in rows}


@settings(max_examples=60, derandomize=True)
@given(
    st.lists(st.tuples(SAID, st.sampled_from(["", "alpha", "gamma gamma"])), min_size=1, max_size=25),
    st.sampled_from(["", "beta of 缓存"]),
    st.lists(WORDS, min_size=1, max_size=4),
    st.integers(1, 12),
    st.sets(st.integers(0, 24)) | st.none(),
    st.booleans(),
)
def test_the_best_by_words_are_those_that_fts5_scores_highest(
    tmp_path_factory: pytest.TempPathFactory,
    said: list[tuple[str, str]],
    title: str,
    asked: list[str],
    count: int,
    chosen: set[int] | None,
    of_base: bool,
) -> None:
    store = Store(tmp_path_factory.mktemp("words"))
    base, other = base_in(store), base_in(store, "other")
    own = [
        put(store, base, f"n{number}", text, title=title if number % 2 else "", sections=(heading,))[0]
        for number, (text, heading) in enumerate(said)
    ]
    numbers = [*own, *put(store, other, "m", *(text for text, _ in said[:5]))]
    words = query_keywords(" ".join(asked))
    allowed = None
    if chosen is not None:
        allowed = np.array(sorted(numbers[number] for number in chosen if number < len(numbers)), np.int64)
    passing = {
        rowid: score
        for rowid, score in scored(store, words).items()
        if (allowed is None or rowid in allowed) and (not of_base or rowid in own)
    }
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(core.store.words, "_MARGIN", 2)
        found = store.words.rank(words, count, base_ids=[base.id] if of_base else None, allowed=allowed)
    assert list(found) == list(passing)[:count]
    assert list(found.values()) == pytest.approx(list(passing.values())[:count], rel=1e-9)
    some = numbers[::2]
    every = store.words.rank(words, len(numbers), allowed=np.array(some, np.int64))
    assert every == pytest.approx({rowid: score for rowid, score in scored(store, words).items() if rowid in some})
    held = store.words.matched_words(words, numbers)
    assert {rowid for rowid, found_words in held.items() if found_words} == scored(store, words).keys()
    for word in words:
        assert {rowid for rowid, found_words in held.items() if word in found_words} == scored(store, [word]).keys()
    store.close()


def test_scores_follow_every_change_of_the_index(store: Store) -> None:
    base = base_in(store)
    put(store, base, "a", "alpha", "beta beta", "gamma " * 300)
    for change in (
        lambda: put(store, base, "b", "alpha beta delta"),
        lambda: put(store, base, "a", "alpha " * 200, "beta"),
        lambda: store.notes.delete(["b"]),
        lambda: store.bases.delete(base),
    ):
        before = store.words.rank(["alpha", "beta"], 9)
        assert before == pytest.approx(scored(store, ["alpha", "beta"]))
        change()
        assert store.words.rank(["alpha", "beta"], 9) != before
    assert store.words.rank(["alpha", "beta"], 9) == {}


def test_what_a_snapshot_sees_is_scored_while_another_thread_writes(store: Store) -> None:
    base = base_in(store)
    put(store, base, "a", "alpha", "beta")
    with store.database.read():
        before = store.words.rank(["alpha"], 9)
        writer = threading.Thread(target=put, args=(store, base, "b", "alpha", "alpha beta"))
        writer.start()
        writer.join()
        reader = threading.Thread(target=store.words.rank, args=(["alpha", "beta"], 9))
        reader.start()
        reader.join()
        assert store.words.rank(["alpha"], 9) == before
        assert store.words.rank(["beta"], 9).keys() == {2}
    assert len(store.words.rank(["alpha"], 9)) == 3


def test_lengths_of_chunks_are_those_that_fts5_counts(store: Store) -> None:
    base = base_in(store)
    chosen = random.Random(4)
    for number in range(60):
        texts = [" ".join(chosen.choices(PIECES, k=chosen.choice((0, 1, 9, 127, 128, 300)))) for _ in range(5)]
        put(store, base, f"n{number}", *texts, title=chosen.choice(("", "缓存雪崩", "cache " * 130)))
    with store.database.read() as connection:
        rowids, lengths = core.store.words._lengths(connection)
        counted = connection.execute("SELECT doc, count(*) FROM occurrences GROUP BY doc")
        assert dict(zip(rowids.tolist(), lengths.tolist(), strict=True)) == {
            **dict.fromkeys(rowids.tolist(), 0.0),
            **dict(map(tuple, counted)),
        }
    words = query_keywords(" ".join(PIECES))
    assert store.words.rank(words, 400) == pytest.approx(scored(store, words), rel=1e-9)


def test_lengths_in_another_format_are_damage(store: Store) -> None:
    put(store, base_in(store), "a", "alpha beta", "alpha")
    with store.database.write() as connection:
        connection.execute("UPDATE words_docsize SET sz = x'0102' WHERE id = 1")
    with pytest.raises(NotesDamaged):
        store.words.rank(["alpha"], 9)


def test_threads_stem_words_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.store.words, "_CACHED_STEMS", 20)
    words = [f"caches{number}" for number in range(60)] + ["running", "缓存"]
    asked = [words[at:] + words[:at] for at in range(0, 60, 6)]
    with ThreadPoolExecutor(8) as pool:
        found = [*pool.map(store.words.stems, asked)]
    assert all(stems == store.words.stems(words) for stems in found)
    assert store.words.stems(["running", "缓存", "("]) == {"running": "run", "缓存": "缓存", "(": ""}


def test_few_counts_are_kept_and_all_are_scored(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.store.words, "_CACHED", 3)
    put(store, base_in(store), "a", "alpha beta gamma", "alpha beta", "alpha")
    for words in (["alpha", "beta"], ["gamma", "alpha"], ["beta", "gamma", "alpha"]):
        assert store.words.rank(words, 9) == pytest.approx(scored(store, words))


def test_a_scan_for_signs_reads_the_properties_of_a_note_once(tmp_path: Path) -> None:
    with ExitStack() as stores:

        def prepare(chunks: int) -> Callable[[], object]:
            store = stores.enter_context(closing(Store(tmp_path / f"{chunks}")))
            rowids = put(store, base_in(store), "n", *["one -> two"] * chunks)
            with store.database.write() as connection:
                connection.execute("INSERT INTO properties VALUES ('n', 'sign', '§')")
                connection.execute("UPDATE chunks SET state = 'deleted' WHERE rowid < ?", (rowids[chunks // 2],))

            def scan() -> None:
                assert store.words.find_phrase("->") == set(rowids[chunks // 2 :])
                assert store.words.find_phrase("§") == {rowids[chunks // 2]}

            return scan

        assert_grows_linearly(prepare, 4000)
