"""Question sets are rows of their base: whole or not there, and beside what a search finds."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import ConfigError, QuestionSetError, UnknownChoice, WorkspaceLocked
from core.model import ChunkingOptions, Gold, GoldSpan, KnowledgeBase, Note, Question, QuestionSet
from core.store import Store
from core.store import migrations as schema
from core.store.note_to_index import NoteToIndex

BODY = "Cats purr when they are content. Dogs bark at strangers."
CATS = GoldSpan("a.md", "Cats purr when they are content.", 0, 32, "n1")
DOGS = GoldSpan("a.md", "Dogs bark at strangers.", 33, 56, "n1")
Q1 = Question("q1", "why do cats purr?", (CATS,), kind="short", note="from Ann")
Q2 = Question("q2", "猫和狗?", (CATS, DOGS), any=False)
Q3 = Question("q3", "do fish talk?", (), kind="negative")
S1 = Question("s1", "What are dogs?", (DOGS,), suggested=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "ws")
    yield store
    store.close()


@pytest.fixture
def base(store: Store) -> KnowledgeBase:
    return make(store, "notes")


@pytest.fixture
def kept(store: Store, base: KnowledgeBase) -> QuestionSet:
    return store.questions.add_set(base, "mine", [Q1, Q2, Q3, S1])


def make(store: Store, name: str) -> KnowledgeBase:
    return store.bases.add(
        name, embedder="fake", fingerprint="fake", dimension=4, chunking=ChunkingOptions(strategy="none")
    )


def put(store: Store, base: KnowledgeBase, note_id: str, body: str = BODY, **fields: object) -> Note:
    note = Note(note_id, base.id, body, "hash", title="Title", path="a.md")
    note = replace(note, **fields)  # type: ignore[arg-type]
    cutting = NoteToIndex(note, [], [], "none", "test")
    store.notes.put(cutting)
    store.chunks.put(cutting)
    return note


def test_a_set_gives_back_what_was_put_in(store: Store, base: KnowledgeBase, kept: QuestionSet) -> None:
    assert store.questions.for_set(kept) == [Q1, Q2, Q3, S1]
    assert store.questions.question(kept, "q2") == Q2
    assert store.questions.question(kept, "q2").spans == (CATS, DOGS)
    assert (kept.name, kept.base_id, kept.questions, kept.suggested, kept.flagged) == ("mine", base.id, 4, 1, 0)
    assert store.questions.sets(base) == [kept] == [store.questions.named(base, "mine")]


def test_sets_have_their_names_in_their_base(store: Store, base: KnowledgeBase, kept: QuestionSet) -> None:
    other = store.questions.add_set(make(store, "work"), "mine")
    assert other.id != kept.id
    second = store.questions.add_set(base, " zoo ")
    assert [one.name for one in store.questions.sets(base)] == ["mine", "zoo"]
    with pytest.raises(ConfigError, match=r"There is already a question set 'mine'\."):
        store.questions.add_set(base, "mine ")
    with pytest.raises(ConfigError, match="already"):
        store.questions.rename_set(second, "mine")
    with pytest.raises(ConfigError, match="has no name"):
        store.questions.add_set(base, "  ")
    with pytest.raises(UnknownChoice, match=r"no question set 'mini'\. Did you mean 'mine'"):
        store.questions.named(base, "mini")
    renamed = store.questions.rename_set(kept, "ours")
    assert store.questions.rename_set(renamed, "ours") == renamed
    assert store.questions.for_set(store.questions.named(base, "ours")) == [Q1, Q2, Q3, S1]


def test_a_set_goes_with_its_questions_and_a_base_with_its_sets(
    store: Store, base: KnowledgeBase, kept: QuestionSet
) -> None:
    store.questions.add_set(base, "second", [Q1])
    store.questions.delete_set(kept)
    assert [one.name for one in store.questions.sets(base)] == ["second"]
    with pytest.raises(QuestionSetError, match="mine: this question set was deleted"):
        store.questions.add(kept, [Q1])
    store.bases.delete(base)
    connection = store.database.connection
    for table in ("question_sets", "questions", "golds"):
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0


def test_questions_are_added_all_or_none(store: Store, base: KnowledgeBase, kept: QuestionSet) -> None:
    version = store.database.version()
    fresh = [replace(Q1, id="q9"), replace(Q1, id="q1", line=7)]
    with pytest.raises(QuestionSetError, match=r"mine, line 7: the id 'q1' is already in the question set\.") as caught:
        store.questions.add(kept, fresh)
    assert caught.value.line == 7
    with pytest.raises(QuestionSetError, match="in any note"):
        store.questions.add_set(base, "files", [Question("q1", "x", (Gold("a.md", "Cats"),))])
    with pytest.raises(QuestionSetError, match="mine: a question has no text"):
        store.questions.add(kept, [replace(Q1, id="q9", text=" ")])
    assert store.questions.for_set(kept) == [Q1, Q2, Q3, S1]
    assert [one.name for one in store.questions.sets(base)] == ["mine"]
    assert store.database.version() == version


def test_a_question_without_an_id_gets_the_next_free_one(store: Store, base: KnowledgeBase) -> None:
    kept = store.questions.add_set(base, "typed")
    typed = [replace(Q1, id=""), replace(Q2, id="q-003"), replace(Q3, id="")]
    assert [one.id for one in store.questions.add(kept, typed)] == ["q-001", "q-003", "q-004"]
    assert store.questions.delete(kept, ["q-001", "none"]) == 1
    assert [one.id for one in store.questions.add(kept, [replace(Q1, id="")])] == ["q-005"]
    assert [one.id for one in store.questions.for_set(kept)] == ["q-003", "q-004", "q-005"]


def test_an_edited_question_keeps_its_place(store: Store, kept: QuestionSet) -> None:
    edited = replace(Q1, text="why?", gold=(DOGS,), note="", any=False)
    store.questions.edit(kept, "q1", edited)
    named = replace(Q2, id="pets")
    store.questions.edit(kept, "q2", named)
    assert store.questions.for_set(kept) == [edited, named, Q3, S1]
    with pytest.raises(QuestionSetError, match="the id 'q3' is already"):
        store.questions.edit(kept, "q1", replace(Q1, id="q3"))
    with pytest.raises(QuestionSetError, match="mine: there is no question 'q2'"):
        store.questions.edit(kept, "q2", Q2)
    with pytest.raises(QuestionSetError, match="no text"):
        store.questions.edit(kept, "pets", replace(named, text=""))
    assert store.questions.for_set(kept) == [edited, named, Q3, S1]


def test_suggestions_are_accepted_or_rejected_and_others_stay(store: Store, kept: QuestionSet) -> None:
    store.questions.add(kept, [replace(S1, id="s2"), replace(S1, id="s3")])
    assert store.questions.accept(kept, ["s1", "q1"]) == 1
    assert store.questions.reject(kept, ["s1", "s2", "q2"]) == 1
    assert store.questions.for_set(kept) == [Q1, Q2, Q3, replace(S1, suggested=False), replace(S1, id="s3")]


def test_right_passages_come_and_go(store: Store, kept: QuestionSet) -> None:
    store.questions.add_gold(kept, "q1", DOGS)
    store.questions.add_gold(kept, "q1", DOGS)
    assert store.questions.question(kept, "q1").gold == (CATS, DOGS)
    store.questions.remove_gold(kept, "q1", CATS)
    store.questions.remove_gold(kept, "q1", CATS)
    assert store.questions.question(kept, "q1").gold == (DOGS,)
    store.questions.add_gold(kept, "q1", CATS)
    assert store.questions.question(kept, "q1").gold == (DOGS, CATS)
    assert store.questions.question(kept, "q2") == Q2
    with pytest.raises(QuestionSetError, match="no question 'none'"):
        store.questions.add_gold(kept, "none", CATS)


def test_a_deleted_note_flags_its_right_passages(store: Store, base: KnowledgeBase, kept: QuestionSet) -> None:
    note = put(store, base, "n1")
    put(store, base, "n2", path="b.md")
    put(store, base, "n1", body="changed", generation=1)
    assert store.questions.named(base, "mine").flagged == 0, "writing a note anew is no deletion"
    store.notes.delete(["n2"])
    store.notes.delete([note.id])
    assert store.questions.question(kept, "q2").gold == (replace(CATS, flagged=True), replace(DOGS, flagged=True))
    assert store.questions.named(base, "mine").flagged == 3


def test_right_passages_move_by_their_own_row(store: Store, base: KnowledgeBase) -> None:
    first, second = replace(DOGS, start=0, end=23), replace(DOGS, start=30, end=53)
    kept = store.questions.add_set(base, "moved", [Question("q", "x", (first, second))])
    keys = list(store.questions.golds(kept))
    now = [second, replace(DOGS, start=60, end=83)]
    gone = replace(CATS, quote="something else")
    store.questions.move_golds([(keys[0], first, now[0]), (keys[1], second, now[1]), (keys[1], gone, CATS)])
    assert store.questions.question(kept, "q").gold == tuple(now)


def test_notes_are_named_by_path_else_title(store: Store, base: KnowledgeBase) -> None:
    put(store, base, "n1")
    put(store, base, "n2", path=None, title="Loose")
    put(store, base, "n3", path="a.md", source_ref="/other")
    put(store, make(store, "work"), "n4", path="b.md")
    assert store.questions.note_ids(base.id) == {"a.md": ["n1", "n3"], "Loose": ["n2"]}


def test_what_a_search_finds_is_left_as_it_is(store: Store, base: KnowledgeBase) -> None:
    version = store.database.version()
    kept = store.questions.add_set(base, "mine", [Q1, S1])
    store.questions.accept(kept, ["s1"])
    store.questions.add_gold(kept, "q1", DOGS)
    store.questions.delete_set(kept)
    assert store.database.version() == version


def test_a_reader_sees_sets_and_writes_none(store: Store, base: KnowledgeBase, kept: QuestionSet) -> None:
    reader = Store(store.folder, readonly=True)
    assert reader.questions.for_set(kept) == [Q1, Q2, Q3, S1]
    with pytest.raises(WorkspaceLocked):
        reader.questions.delete_set(kept)
    reader.close()


def test_a_workspace_without_sets_gets_their_tables(tmp_path: Path) -> None:
    number = next(n for n, step in enumerate(schema.MIGRATIONS) if isinstance(step, str) and "question_sets" in step)
    connection = sqlite3.connect(tmp_path / "notes.db", isolation_level=None)
    for step in schema.MIGRATIONS[:number]:
        connection.executescript(step) if isinstance(step, str) else step(connection)
    connection.execute(f"PRAGMA user_version = {number}")
    connection.close()
    store = Store(tmp_path)
    assert schema.schema_version(store.database.connection) == len(schema.MIGRATIONS)
    assert store.questions.add_set(make(store, "notes"), "mine", [Q1]).questions == 1
    store.close()
