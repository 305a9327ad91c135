"""The guarantees of a knowledge store, each over at least 100 examples, with real SQLite and real Chroma."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import embedding
from core.model import Mode, SearchResult
from core.workspace import Workspace

examples = settings(max_examples=40, derandomize=True, suppress_health_check=list(HealthCheck), database=None)

MODES: tuple[Mode, ...] = ("semantic", "keyword", "hybrid")
BASES = ("alpha", "beta", "gamma")
CATEGORIES = ("", "troubleshooting", "配置")
TAGS = ("lag", "disk", "网络", "cache")
WORDS = "queue broker message offset replica leader timeout 消息 积压 重启 磁盘 副本 延迟 quiet river lantern".split()

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=40).map(" ".join)
tags = st.lists(st.sampled_from(TAGS), max_size=3, unique=True)
fields = st.fixed_dictionaries(
    {
        "title": texts.map(lambda text: text[:60].strip()),
        "category": st.sampled_from(CATEGORIES),
        "tags": tags,
        "type": st.sampled_from(["", "business_rule"]),
        "project": st.sampled_from(["", "shop"]),
        "scope": st.sampled_from(["", "team"]),
        "priority": st.integers(-9, 9),
    }
)


def bodies(most: int) -> st.SearchStrategy[str]:
    """Return Markdown of up to eight blocks, each a text repeated at most so often."""
    heads = st.sampled_from(["", "## Part\n\n", "- ", "> ", "    "])
    return st.lists(st.tuples(heads, texts, st.integers(1, most)), min_size=1, max_size=8).map(
        lambda parts: "\n\n".join(head + " ".join([text] * times) for head, text, times in parts)
    )


long_texts, shorter_texts = bodies(90), bodies(9)
numbers = count()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """One workspace for all examples: each begins without notes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        with Workspace(tmp_path_factory.mktemp("properties")) as workspace:
            yield workspace


def marker() -> str:
    """Return a word that no other note holds."""
    return "zz" + "".join(chr(ord("a") + int(digit)) for digit in f"{next(numbers):08d}")


def search(workspace: Workspace, text: str, **options: Any) -> SearchResult:
    return workspace.search(text, **{"as_typed": True, "limit": 100, "reranker": "none", **options})


def forget(workspace: Workspace) -> None:
    """Delete all notes; an example that failed leaves some."""
    ids = [card.id for card in workspace.notes.all()]
    workspace.trash.put(ids)
    workspace.trash.delete_for_good(ids)


@examples
@given(given=st.lists(st.tuples(st.sampled_from(BASES), texts), min_size=1, max_size=4))
def test_a_collection_holds_the_notes_of_its_base_only(workspace: Workspace, given: list[tuple[str, str]]) -> None:
    """Feature: rag-knowledge-base, Property 1"""
    forget(workspace)
    notes = [workspace.notes.add(base, text) for base, text in given]
    for base in workspace.bases.all():
        own = {card.id for card in workspace.notes.all() if card.base == base.name}
        assert own == {note.id for note, (name, _) in zip(notes, given, strict=True) if name == base.name}
        entries = set(workspace.store.chunks.entries([*own]))
        assert workspace.store.index.ids(base) == entries
        assert bool(entries) == bool(own)
    for base in {name for name, _ in given}:
        for mode in MODES:
            assert {hit.note.base for hit in search(workspace, given[0][1], bases=[base], mode=mode).hits} <= {base}


@examples
@given(body=long_texts)
def test_long_text_is_cut_and_no_chunk_is_over_the_size(workspace: Workspace, body: str) -> None:
    """Feature: rag-knowledge-base, Property 2"""
    forget(workspace)
    note = workspace.notes.add("alpha", body, embed=False)
    chunks = workspace.chunks.all(note.id)
    most = workspace.bases.get("alpha").chunking.max_single_chunk_size
    tokens = embedding.build("tfidf").tokens
    assert all(len(tokens(chunk.text)) <= most for chunk in chunks)
    assert all(chunk.token_count <= most for chunk in chunks)
    assert len(chunks) > 1 or len(tokens(body)) <= most
    covered = {at for chunk in chunks for at in range(chunk.start, chunk.end)}
    assert all(at in covered or character.isspace() for at, character in enumerate(body))


@examples
@given(body=shorter_texts, fields=fields)
def test_every_chunk_tells_the_whole_metadata_of_its_note(
    workspace: Workspace, body: str, fields: dict[str, Any]
) -> None:
    """Feature: rag-knowledge-base, Property 3"""
    forget(workspace)
    word = marker()
    note = workspace.notes.add("beta", body, **fields | {"title": f"{word} {fields['title']}".strip()})
    hits = search(workspace, word, bases=["beta"], mode="keyword").hits
    indexes = {index for hit in hits for index in (hit.chunk.index, *hit.joined)}
    assert indexes == {chunk.index for chunk in workspace.chunks.all(note.id)}
    for hit in hits:
        assert hit.chunk.note_id == hit.note.id == note.id
        assert (hit.note.base, hit.note.base_id, hit.note.path) == ("beta", note.base_id, note.path)
        names = "title category type project scope priority status source version created_at updated_at".split()
        assert [getattr(hit.note, name) for name in names] == [getattr(note, name) for name in names]
        assert set(hit.note.tags) == set(fields["tags"])
        assert {name: getattr(note, name) for name in ("category", "type", "project", "scope", "priority")}.items() <= (
            fields.items()
        )


@examples
@given(
    items=st.lists(st.tuples(st.sampled_from(BASES), fields), min_size=1, max_size=8),
    bases=st.lists(st.sampled_from(BASES), max_size=2, unique=True),
    category=st.sampled_from([None, *CATEGORIES[1:]]),
    any_tags=tags,
    all_tags=tags,
    mode=st.sampled_from(MODES),
)
def test_filters_hold_for_every_hit_and_leave_nothing_else_out(
    workspace: Workspace,
    items: list[tuple[str, dict[str, Any]]],
    bases: list[str],
    category: str | None,
    any_tags: list[str],
    all_tags: list[str],
    mode: Mode,
) -> None:
    """Feature: rag-knowledge-base, Property 4"""
    forget(workspace)
    for base in BASES:
        if base not in {one.name for one in workspace.bases.all()}:
            workspace.bases.add(base)
    ids: dict[str, int] = {}
    for base in BASES:
        numbers = [number for number, (name, _) in enumerate(items) if name == base]
        rows = [{"body": f"lanterns {marker()} {number}", **items[number][1]} for number in numbers]
        ids |= dict(zip(workspace.notes.add_many(base, rows).note_ids if rows else [], numbers, strict=True))
    result = search(
        workspace, "lanterns", bases=bases, category=category, any_tags=any_tags, all_tags=all_tags, mode=mode
    )
    passing = {
        note_id
        for note_id, (base, own) in ((note_id, items[number]) for note_id, number in ids.items())
        if (not bases or base in bases)
        and (category is None or own["category"] == category)
        and (not any_tags or {*any_tags} & {*own["tags"]})
        and {*all_tags} <= {*own["tags"]}
    }
    hits = {hit.note.id for hit in result.hits} | {copy.note.id for hit in result.hits for copy in hit.copies}
    assert hits == passing


@examples
@given(texts=st.lists(shorter_texts, min_size=1, max_size=3), question=texts, mode=st.sampled_from(MODES))
def test_hits_descend_by_score(workspace: Workspace, texts: list[str], question: str, mode: Mode) -> None:
    """Feature: rag-knowledge-base, Property 5"""
    forget(workspace)
    workspace.notes.add_many("gamma", [{"body": body} for body in texts])
    hits = search(workspace, question, bases=["gamma"], mode=mode).hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


@examples
@given(fields=fields, before=texts, after=texts, mode=st.sampled_from(MODES))
def test_a_note_is_found_by_title_and_text_when_add_returns(
    workspace: Workspace, fields: dict[str, Any], before: str, after: str, mode: Mode
) -> None:
    """Feature: rag-knowledge-base, Property 6"""
    forget(workspace)
    in_title, in_text = marker(), marker()
    note = workspace.notes.add("alpha", f"{before} {in_text} {after}", **fields | {"title": f"Title {in_title}"})
    for word in (in_title, in_text):
        assert search(workspace, word, mode=mode).hits[0].note.id == note.id
    assert note.id in {hit.note.id for hit in search(workspace, f"{before} {in_text}", mode=mode).hits}


@examples
@given(before=shorter_texts, after=texts, mode=st.sampled_from(MODES))
def test_after_an_update_the_new_text_is_found_and_never_the_old(
    workspace: Workspace, before: str, after: str, mode: Mode
) -> None:
    """Feature: rag-knowledge-base, Property 7"""
    forget(workspace)
    old, new = marker(), marker()
    note = workspace.notes.add("beta", f"{before}\n\n{old}")
    workspace.notes.update(note.id, body=f"{after}\n\n{new}", expected_version=1)
    assert search(workspace, new, mode=mode).hits[0].note.id == note.id
    hits = search(workspace, old, mode=mode).hits
    assert not [hit for hit in hits if old in hit.chunk.text or old in hit.passage.text]
    assert search(workspace, old, mode="keyword").hits == ()
    required = search(workspace, f'"{old}"', phrase="require", mode=mode)
    assert not required.hits or "phrase_not_found" in required.notices


@examples
@given(body=shorter_texts, fields=fields, mode=st.sampled_from(MODES))
def test_after_a_deletion_nothing_of_the_note_is_found(
    workspace: Workspace, body: str, fields: dict[str, Any], mode: Mode
) -> None:
    """Feature: rag-knowledge-base, Property 8"""
    forget(workspace)
    word = marker()
    rows = [{"body": f"Another note that stays. {body[:200]}"}, {"body": f"{word} {body}", **fields}]
    other, note = workspace.notes.add_many("gamma", rows).note_ids
    entries = set(workspace.store.chunks.entries([note]))
    workspace.trash.put(note)
    for question in (word, body[:120], fields["title"], f"category:{fields['category'] or 'x'}"):
        assert note not in {hit.note.id for hit in search(workspace, question or "x", mode=mode).hits}
    left = set(workspace.store.chunks.entries([other]))
    assert not workspace.store.index.ids(workspace.bases.get("gamma")) & (entries - left)
