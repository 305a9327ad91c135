"""Filters: the chunks that pass, and the nearest among them, are those that reading every note gives."""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import core.store
from core.base.text import fold
from core.markdown.inline import tag_key, with_parents
from core.markdown.parts import has_diagram, has_image, has_link
from core.model import Chunk, ChunkingOptions, Condition, Filters, KnowledgeBase, Matrix, Note
from core.store import Store
from core.store.index import exact_search
from core.store.migrations import v20_files
from core.store.note_to_index import NoteToIndex
from tests.growth import assert_linear

DIMENSION = 12
BASES = ("one", "two", "另一个")
TAGS = ("Rust", "rust", "数据库", "Ärger", "#hash", "c++", "rust/Async", "数据库/缓存/雪崩")
TYPES = ("", "project_config", "Business_Rule", "ÜBUNG")
STATUSES = ("active", "active", "pending", "archived")
PATHS = (None, "a/x.md", "a[1]/y.md", "a/b/Ünit.md", "笔记/缓存.md", "*.md")
TITLES = ("Error handling", "缓存", "ÄRGER", 'a "quoted" title', "")
SECTIONS = ((), ("Setup",), ("Setup", "On Linux"), ('"x", "y"',), ("缓存", "雪崩"), ("ÖFFNEN\\n",))
START = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime.now(UTC)
TODAY = NOW.astimezone().date()
EXPIRIES = (
    *(None, None, NOW - timedelta(seconds=1), NOW + timedelta(days=1), NOW - timedelta(days=400)),
    *(datetime(day.year, day.month, day.day, tzinfo=UTC) for day in (TODAY, TODAY - timedelta(days=1))),
)
"""Moments, and bare dates: today's lasts to the end of the day."""
VALUES = {
    "tag": (*TAGS, "RUST", "#rust", "ärger", "hash", "rus", "数据库/缓存"),
    "type": (*TYPES, "Project_Config", "übung", "project"),
    "category": (*TYPES, "PROJECT_CONFIG"),
    "project": (*TYPES, "business_rule"),
    "scope": (*TYPES, "business_rule"),
    "status": ("active", "Pending", "ARCHIVED", "lost", "expired"),
    "priority": ("0..0", "1..", "..1", "2..3", "-1..-1", "3..1"),
    "in": ("error", "ünit", "a/", "缓", "ärg", "%", "*"),
    "path": ("a/", "a[1]/", "*.md", "*/x.md", "A/", "笔记/*", "a/b/Ünit.m?", "*.md"),
    "section": ("set", "on linux", "雪崩", '", "', "x", "öff", "setup\non", "\\"),
    "has": ("code", "Code", "tables"),
}

Row = tuple[int, Chunk, Note, str]
"""A chunk's number, the chunk, its note and the name of its base."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(tmp_path_factory.mktemp("filters") / "ws")
    chance, numbers = random.Random(3), np.random.default_rng(3)
    for name in BASES:
        base = store.bases.add(
            name, embedder="fake", fingerprint="random", dimension=DIMENSION, chunking=ChunkingOptions()
        )
        store.index.build(base)
        store.put(base, [_cutting(store, base, number, chance, numbers) for number in range(30)])
    yield store
    store.close()


def _cutting(
    store: Store, base: KnowledgeBase, number: int, chance: random.Random, numbers: np.random.Generator
) -> NoteToIndex:
    path = chance.choice(PATHS)
    note = Note(
        id=f"{base.id}-{number}",
        base_id=base.id,
        title=chance.choice(TITLES),
        body="text",
        content_hash="h",
        generation=1,
        path=path and f"{number}{path}" if chance.random() < 0.5 else None,
        tags=tuple(chance.sample(TAGS, chance.randrange(3))),
        type=chance.choice(TYPES),
        category=chance.choice(TYPES),
        project=chance.choice(TYPES),
        scope=chance.choice(TYPES),
        priority=chance.choice((0, 0, -1, 1, 2, 3)),
        expires_at=chance.choice(EXPIRIES),
        status=chance.choice(STATUSES),  # type: ignore[arg-type]
        updated_at=chance.choice([None, START + timedelta(days=chance.randrange(9), milliseconds=chance.randrange(2))]),
    )
    chunks, vectors = [], []
    for index in range(chance.randrange(1, 6)):
        section = chance.choice(SECTIONS)
        chunks.append(
            Chunk(
                id=f"{note.id}:{index}",
                note_id=note.id,
                index=index,
                total=0,
                start=0,
                end=4,
                text="text",
                kind="markdown_section",
                sections=section[-1:],
                breadcrumb=section,
                has_code=chance.random() < 0.5,
                state="deleted" if chance.random() < 0.1 else "pending",
            )
        )
        most = 0 if chunks[-1].state == "deleted" else 3
        windows = numbers.normal(size=(min(most, chance.choice([0, 1, 1, 3])), DIMENSION)).astype(np.float32)
        windows /= np.linalg.norm(windows, axis=1, keepdims=True)
        keys = [f"{note.id}:{index}:{row}".encode() for row in range(len(windows))]
        store.vectors.add("random", keys, windows)
        ids = store.vectors.ids("random", keys)
        vectors.append([ids[key] for key in keys])
    return NoteToIndex(note, chunks, vectors, "test", "test")


@pytest.fixture(scope="module")
def rows(store: Store) -> list[Row]:
    names = {base.id: base.name for base in store.bases.all()}
    found = []
    for note_id in sorted(store.notes.ids()):
        note = store.notes.note(note_id)
        numbers = store.database.connection.execute(
            'SELECT rowid FROM chunks WHERE note_id = ? ORDER BY "index"', (note_id,)
        )
        for (rowid,), chunk in zip(numbers, store.chunks.for_note(note_id), strict=True):
            found.append((rowid, chunk, note, names[note.base_id]))
    return found


def _holds(condition: Condition, chunk: Chunk, note: Note) -> bool:
    """What a condition says, in Python."""

    def one(value: str) -> bool:
        match condition.field:
            case "tag":
                return tag_key(value) in {tag_key(each) for tag in note.tags for each in with_parents(tag)}
            case "type" | "category" | "project" | "scope":
                return fold(value) == fold(getattr(note, condition.field))
            case "status":
                return fold(value) == ("expired" if note.expired else note.status)
            case "priority":
                least, _, most = value.partition("..")
                return int(least or -99) <= note.priority <= int(most or 99)
            case "in":
                return fold(value) in fold(note.title) or fold(value) in fold(note.path or "")
            case "path":
                return note.path is not None and _fits(fold(note.path), fold(value))
            case "section":
                return any(fold(value) in fold(title) for title in chunk.titles)
            case "has":
                return fold(value) == "code" and chunk.has_code

    return any(map(one, condition.values)) != condition.negated


def _fits(path: str, value: str) -> bool:
    return fnmatchcase(path, value) if set(value) & set("*?") else path.startswith(value)


def _of_chunks(condition: Condition) -> bool:
    names_code = "code" in map(fold, condition.values)  # "tables" is a property, which no note has
    return condition.field == "section" or (condition.field == "has" and names_code)


def _note_passes(filters: Filters, note: Note, base: str, *, listed: bool = False) -> bool:
    conditions = [condition for condition in filters.conditions if not _of_chunks(condition)]
    by_status = any(condition.field == "status" for condition in conditions)
    by_expiry = any(
        condition.field == "status" and not condition.negated and "expired" in condition.values
        for condition in conditions
    )
    any_chunk = Chunk("", "", 0, 0, 0, 0, "", "line")
    return (
        (not filters.bases or base in filters.bases)
        and (listed or by_status or note.status == "active")
        and (listed or by_expiry or not note.expired)
        and all(_holds(condition, any_chunk, note) for condition in conditions)
        and (filters.after is None or (note.updated_at is not None and note.updated_at >= filters.after))
        and (filters.before is None or (note.updated_at is not None and note.updated_at < filters.before))
    )


def _chunk_passes(filters: Filters, chunk: Chunk, note: Note) -> bool:
    conditions = [condition for condition in filters.conditions if _of_chunks(condition)]
    return chunk.state != "deleted" and all(_holds(condition, chunk, note) for condition in conditions)


def _expected(rows: Sequence[Row], filters: Filters) -> set[int]:
    return {
        rowid
        for rowid, chunk, note, base in rows
        if _note_passes(filters, note, base) and _chunk_passes(filters, chunk, note)
    }


CONDITIONS = st.sampled_from(sorted(VALUES)).flatmap(
    lambda field: st.builds(
        Condition, st.just(field), st.lists(st.sampled_from(VALUES[field]), max_size=2).map(tuple), st.booleans()
    )
)
TIMES = st.none() | st.integers(0, 9).map(lambda day: START + timedelta(days=day))
FILTERS = st.builds(
    Filters,
    st.lists(st.sampled_from((*BASES, "nowhere")), max_size=2).map(tuple),
    st.lists(CONDITIONS, max_size=3).map(tuple),
    TIMES,
    TIMES,
)
QUERIES = st.integers(0, 1000).map(lambda seed: _unit(np.random.default_rng(seed).normal(size=DIMENSION)))


def _unit(vector: Matrix) -> Matrix:
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


@settings(max_examples=100)
@given(FILTERS)
def test_the_chunks_that_pass_are_those_that_reading_every_note_gives(
    store: Store, rows: list[Row], filters: Filters
) -> None:
    allowed = store.chunks.allowed(filters)
    assert allowed is not None, "some notes are not active"
    assert allowed.dtype == np.int64
    assert allowed.tolist() == sorted(_expected(rows, filters))
    listed = {
        note.id
        for _, chunk, note, base in rows
        if _note_passes(filters, note, base, listed=True)
        and (not any(map(_of_chunks, filters.conditions)) or _chunk_passes(filters, chunk, note))
    }
    assert {card.id for card in store.notes.cards(filters)} == listed


@pytest.mark.parametrize("way", ["in memory", "index or few chunks", "index"])
def test_the_nearest_are_those_of_scoring_every_vector(
    store: Store, rows: list[Row], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way != "in memory":
        monkeypatch.setattr(exact_search, "BUDGET", 0)
        monkeypatch.setattr(store, "exact_search", exact_search.ExactSearch(store.database))
    if way == "index":
        monkeypatch.setattr(core.store, "_WINDOWS", 0.02)
    vectors = {rowid: _vectors(store, rowid) for rowid, *_ in rows}
    bases = {base.name: base for base in store.bases.all()}

    @settings(max_examples=100)
    @given(FILTERS, QUERIES, st.sampled_from(BASES), st.integers(1, 20))
    def check(filters: Filters, query: Matrix, name: str, count: int) -> None:
        allowed = store.chunks.allowed(filters)
        passing = _expected(rows, filters)
        scores = {
            rowid: max((vectors[rowid] @ query).tolist())
            for rowid, _, _, base in rows
            if rowid in passing and base == name and len(vectors[rowid])
        }
        best = sorted(scores, key=lambda rowid: -scores[rowid])[:count]
        found = store.nearest(bases[name], query, count, allowed)
        assert not store.index.problem
        assert list(found) == best
        assert list(found.values()) == pytest.approx([scores[rowid] for rowid in best], abs=1e-5)

    check()


def _vectors(store: Store, rowid: int) -> Matrix:
    blobs = store.database.connection.execute(
        "SELECT vectors.vector FROM windows JOIN vectors ON vectors.id = windows.vector WHERE chunk = ?", (rowid,)
    )
    return np.array([np.frombuffer(blob, "<f4") for (blob,) in blobs]).reshape(-1, DIMENSION)


def test_nothing_is_listed_where_nothing_is_filtered(tmp_path: Path) -> None:
    store = Store(tmp_path / "ws")
    for name in BASES:
        store.bases.add(name, embedder="fake", fingerprint="f", dimension=2, chunking=ChunkingOptions())
    assert store.chunks.allowed(Filters()) is store.chunks.allowed(Filters(bases=BASES)) is None
    nothing = store.chunks.allowed(Filters(bases=BASES[:2]))
    assert nothing is not None
    assert nothing.dtype == np.int64
    assert nothing.size == 0
    store.close()


def _newest_first(note: Note) -> tuple[float, int, str]:
    changed = note.updated_at or datetime.min.replace(tzinfo=UTC)
    return -changed.timestamp(), -note.priority, note.id


def test_the_newest_come_by_their_notes_each_with_its_first_chunk_that_passes(store: Store, rows: list[Row]) -> None:
    bases = store.bases.all()[:2]
    allowed = store.chunks.allowed(Filters(conditions=(Condition("has", ("code",)),)))
    assert allowed is not None

    def first(passing: set[int]) -> list[int]:
        found: dict[str, Row] = {}
        for row in rows:
            if row[0] in passing and row[3] in {base.name for base in bases} and row[1].state != "deleted":
                found.setdefault(row[2].id, row)
        ordered = sorted(found.values(), key=lambda row: _newest_first(row[2]))
        return [row[0] for row in ordered]

    assert store.chunks.newest(bases, 20) == first({row[0] for row in rows})[:20]
    assert store.chunks.newest(bases, 20, allowed) == first(set(allowed.tolist()))[:20]
    assert store.chunks.newest(bases, 20, allowed[:0]) == []


@pytest.mark.parametrize(
    ("text", "diagram", "link", "only"),
    [
        ("```mermaid\na-->b\n```", True, False, True),
        ("> ~~~ {.plantuml}\n> a -> b\n> ~~~", True, False, True),
        ("```mermaid\na-->b\n```\n\n```python\nx\n```", True, False, False),
        ("```python\nmermaid = 1\n```", False, False, False),
        ("![[plan.excalidraw]]", True, False, False),
        ("See [[Plan|the plan]].", False, True, False),
        ("[a](b.md) and ![c](d.png)", False, True, False),
        ("![c](d.png) ![[e.png]]", False, False, False),
        ("![cat](https://example.org/a.png)", False, False, False),
        ("[![cat](https://example.org/a.png)](b.md)", False, True, False),
        ("https://example.org", False, True, False),
    ],
)
def test_diagrams_and_links_of_a_text(text: str, diagram: bool, link: bool, only: bool) -> None:
    assert (has_diagram(text), has_link(text), v20_files._holds_only_diagrams(text)) == (diagram, link, only)


@pytest.mark.parametrize(
    ("text", "image"),
    [
        ("See ![[board.png]].", True),
        ("![[a ![[board.png]]", True),
        ("![a plan!](board.png)", True),
        ("![](board.png 'A title')", True),
        ("![a ![b](board.png)", True),
        ("![x](a[1].png)", True),
        ("![a][b] and ![c][]", True),
        ("[[board.png]] [a](b.png) ![]() ![[]]", False),
        ("![a\nb](c.png) ![[a\nb]]", False),
        ("[![](", False),
    ],
)
def test_pictures_of_a_text(text: str, image: bool) -> None:
    assert has_image(text) == image


@pytest.mark.parametrize("unit", ["![[", "![", "![](", "![a][", "![[!", "![[a]", "![a](b](", "]("])
def test_pictures_are_looked_for_in_linear_time(unit: str) -> None:
    assert_linear(has_image, unit * 40_000)
