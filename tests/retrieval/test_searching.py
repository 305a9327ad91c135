"""From a typed question to hits and reasons: the query language, levels, context, feedback, with real parts."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.app_paths import provide_file
from core.base.errors import ConfigError, NoteNotFound, QueryError, UnknownChoice
from core.model import STAGES, CallerContext, DroppedCandidate, SearchOptions, SearchResult, SearchSettings
from core.query.decomposition import SIDE, WHOLE
from core.query.parser import filters_of
from core.retrieval.engine import LEAD, SYNONYM
from core.workspace import Workspace
from tests import samples
from tests.model_server import Answer, ModelServer

pytestmark = pytest.mark.usefixtures("bundled")

REDIS = """---
title: Redis
tags: [cache, database]
type: guide
status: active
updated: 2026-05-01
---

# Redis

Redis keeps its data in memory and writes a log to disk, so that a restart loses little. See [[Memcached]].
"""

MEMCACHED = """---
title: Memcached
tags: [cache]
type: reference
updated: 2026-01-15
---

# Memcached

Memcached keeps its data in memory only and loses all of it with a restart. It uses several threads.
"""

OLD = """---
title: Old ideas
status: archived
updated: 2020-01-01
---

# Old ideas

Write a cache of our own that keeps its data in memory.
"""

COPIED = MEMCACHED.replace("title: Memcached", "title: A copy from the web")

LONG = "# Gardening\n\n" + "\n\n".join(
    f"## Bed {number}\n\n" + f"In bed {number} stand the word{number} beans. " * 40 for number in range(8)
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = samples.write(tmp_path_factory.mktemp("searching") / "vault")
    for name, text in {"redis.md": REDIS, "memcached.md": MEMCACHED, "old.md": OLD, "garden.md": LONG}.items():
        (folder / name).write_text(text)
    (folder / "clippings").mkdir()
    (folder / "clippings" / "copy.md").write_text(COPIED)
    return folder


@pytest.fixture(scope="module")
def filled(place: Path) -> Iterator[Workspace]:
    with Workspace(place.with_name("workspace")) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(place))
        yield workspace


def paths(result: SearchResult) -> list[str | None]:
    return [hit.note.path for hit in result.hits]


def test_a_phrase_must_stand_in_the_chunk_as_it_is(filled: Workspace) -> None:
    assert paths(filled.search('"loses all of it"')) == ["memcached.md"]
    result = filled.search('cache "in   MEMORY and"')
    assert paths(result) == ["redis.md"]
    assert result.classified.level == "focused"


def test_a_phrase_that_stands_nowhere_is_told_and_the_nearest_are_shown(filled: Workspace) -> None:
    result = filled.search('"memory loses never"')
    assert "phrase_not_found" in result.notices
    assert {"redis.md", "memcached.md"} <= set(paths(result))


def test_a_boosted_phrase_raises_what_holds_it_and_keeps_the_rest(filled: Workspace) -> None:
    result = filled.search('restart "several threads"', phrase="boost", reranker="none")
    assert paths(result)[0] in ("memcached.md", "clippings/copy.md")
    assert "redis.md" in paths(result)
    assert result.hits[0].scores["boosted"].rank == 1


def test_an_excluded_word_takes_its_chunks_out(filled: Workspace) -> None:
    assert "memcached.md" not in paths(filled.search("data in memory -threads"))
    assert "redis.md" in paths(filled.search("data in memory -threads"))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("memory tag:database", {"redis.md"}),
        ("memory type:reference,guide -tag:database -path:clippings/", {"memcached.md"}),
        ("memory in:memc", {"memcached.md"}),
        ("memory status:archived", {"old.md"}),
        ("memory path:clippings/", {"clippings/copy.md"}),
        ("memory after:2026-03-01 before:2026-06-01 type:guide", {"redis.md"}),
        ("beans section:bed", {"garden.md"}),
        ("内存 标签：database", {"redis.md"}),
    ],
)
def test_fields_narrow_the_search(filled: Workspace, typed: str, expected: set[str]) -> None:
    assert set(paths(filled.search(typed))) == expected


def test_archived_notes_answer_only_when_asked_for(filled: Workspace) -> None:
    assert "old.md" not in paths(filled.search("a cache of our own", limit=20))
    assert paths(filled.search("a cache of our own status:archived")) == ["old.md"]


def test_filters_alone_list_the_notes_changed_last(filled: Workspace) -> None:
    result = filled.search("tag:cache")
    assert paths(result) == ["redis.md", "memcached.md"] or paths(result)[0] == "redis.md"
    assert result.mode == "listed"
    assert "listed" in result.notices
    assert len({hit.note.id for hit in result.hits}) == len(result.hits)


def test_what_cannot_be_asked_points_at_its_place(filled: Workspace) -> None:
    with pytest.raises(QueryError, match="priority") as raised:
        filled.search("memory priority:cache")
    assert raised.value.at is not None
    assert "memory priority:cache"[slice(*raised.value.at)] == "cache"
    with pytest.raises(QueryError):
        filled.search("   ")
    with pytest.raises(UnknownChoice, match="kind of search"):
        filled.search("memory", level="clever")  # type: ignore[arg-type]
    with pytest.raises(UnknownChoice, match="combination"):
        filled.search("memory", fusion="sum")  # type: ignore[arg-type]


def test_near_copies_in_other_notes_are_one_hit(filled: Workspace) -> None:
    result = filled.search("memory several threads", reranker="none")
    first = next(hit for hit in result.hits if hit.copies)
    assert {first.note.path, first.copies[0].note.path} == {"memcached.md", "clippings/copy.md"}
    assert len(set(paths(result)) & {"memcached.md", "clippings/copy.md"}) == 1


def test_a_comparison_is_taken_apart_and_both_sides_have_their_share(filled: Workspace) -> None:
    result = filled.search("compare Redis and Memcached: what is lost with a restart", limit=2)
    assert result.classified.level == "exploratory"
    assert "Redis" in str(result.classified.reason)
    assert [part.text for part in result.asked if part.round == 1][-1] == result.understood.text
    assert {part.why for part in result.asked if part.round == 1} == {SIDE, WHOLE}
    assert {path for path in paths(result) if path != "clippings/copy.md"} <= {"redis.md", "memcached.md"}
    assert len({hit.note.title for hit in result.hits}) == 2
    assert all(hit.asked for hit in result.hits)
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)


def test_a_summary_goes_on_in_rounds_while_there_is_something_new(filled: Workspace) -> None:
    result = filled.search("summarise everything about beans")
    assert result.classified.level == "exploratory"
    rounds = [part.round for part in result.asked]
    assert rounds == sorted(rounds)
    assert 1 < max(rounds) <= 3
    assert LEAD in {part.why for part in result.asked}
    last = [part for part in result.asked if part.round == max(rounds)]
    assert max(rounds) == 3 or not any(part.new for part in last)


def test_the_level_can_be_chosen(filled: Workspace) -> None:
    assert not filled.search("Redis vs Memcached", level="simple").asked
    result = filled.search("memory", level="exploratory")
    assert result.asked
    assert result.hits


def test_filters_hold_for_every_part_of_a_comparison(filled: Workspace) -> None:
    result = filled.search("Redis vs Memcached restart tag:database")
    assert set(paths(result)) == {"redis.md"}
    assert result.asked


def test_a_language_model_takes_apart_where_one_is_set_up(
    place: Path, filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = json.dumps(["what does Redis keep", "what does Memcached keep"])
    answer = Answer({"choices": [{"message": {"content": told}}]})
    with ModelServer(answer, Answer({"error": "down"}, status=400), Answer({"error": "down"}, status=400)) as server:
        monkeypatch.setenv("TESSERA_LLM__BASE_URL", server.url)
        monkeypatch.setenv("TESSERA_LLM__MODEL", "small")
        monkeypatch.setenv("TESSERA_LLM__RETRIES", "0")
        with Workspace(place.with_name("workspace"), readonly=True) as workspace:
            result = workspace.search("compare Redis and Memcached")
            assert [one.by for one in result.decompositions] == ["small", "rules"]
            assert result.asked[0].text == "what does Redis keep"
            result = workspace.search("compare Redis and Memcached now")
            assert [one.by for one in result.decompositions] == ["rules"]
            assert result.decompose_problem
            assert result.hits


def test_what_was_considered_and_lost_is_told(filled: Workspace) -> None:
    result = filled.search("data in memory", limit=1, explain=True)
    assert len(result.hits) == 1
    assert "memory" in result.hits[0].matched
    lost = {one.hit.note.path: one for one in result.lost}
    assert {"redis.md", "memcached.md", "clippings/copy.md"} - {result.hits[0].note.path} <= set(lost)
    assert all(
        isinstance(one, DroppedCandidate) and one.stage in ("limit", "fusion", "reranking", "duplicate")
        for one in result.lost
    )
    assert not filled.search("data in memory", limit=1).lost


def test_a_threshold_drops_what_is_far_away(filled: Workspace) -> None:
    every = filled.search("data in memory", mode="semantic", limit=20)
    cosines = sorted((hit.scores["vector"].score for hit in every.hits), reverse=True)
    some = filled.search("data in memory", mode="semantic", limit=20, score_threshold=cosines[1] - 1e-6)
    assert len(some.hits) == 2
    told = filled.search("data in memory", limit=20, score_threshold=cosines[1] - 1e-6, explain=True)
    assert "threshold" in {one.stage for one in told.lost}
    assert filled.search("data in memory", score_threshold=1.0).hits == ()


@pytest.mark.parametrize(
    ("typed", "name", "stage"),
    [
        ("data in memory", "redis.md", None),
        ("data in memory tag:kitchen", "redis.md", "filters"),
        ('"several threads"', "redis.md", "phrase"),
        ("data in memory -disk", "redis.md", "excluded"),
        ("a cache of our own", "old.md", "filters"),
    ],
)
def test_why_a_note_is_not_there(filled: Workspace, typed: str, name: str, stage: str | None) -> None:
    told = filled.searching.why_not(typed, filled.notes.find(name).id)
    assert told.stage == stage
    assert told.message


def test_why_not_tells_the_rank_among_all_of_what_was_no_candidate(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filled.settings.search, "pool", 1)
    told = filled.searching.why_not("dough in the fridge", filled.notes.find("redis.md").id, limit=1)
    assert told.stage == "pool"
    assert (told.scores["vector"].rank or 0) > 1
    with pytest.raises(NoteNotFound):
        filled.searching.why_not("dough", "nowhere")


def test_a_result_is_kept_until_something_changes(place: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(place, "vault"))
        first = workspace.search("data in memory")
        again = workspace.search("data in memory")
        assert not first.cached
        assert again.cached
        assert again.hits == first.hits
        assert not workspace.search("data in memory", limit=3).cached
        workspace.searches.add("data in memory")
        workspace.uses.judge("data in memory", first.hits[0].note.id, first.hits[0].chunk.id, "helpful")
        assert workspace.search("data in memory").cached
        workspace.trash.put([first.hits[0].note.id])
        fresh = workspace.search("data in memory")
        assert not fresh.cached
        assert first.hits[0].note.path not in paths(fresh)


def test_a_base_has_search_settings_of_its_own(place: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(place, "vault"))
        options: SearchOptions = {"filters": filters_of(bases=["vault"])}
        workspace.bases.update("vault", search=SearchSettings(limit=2, semantic_weight=1.0))
        result = workspace.search("keeps data in memory", reranker="none", **options)
        assert len(result.hits) == 2
        meaning = workspace.search("keeps data in memory", mode="semantic", limit=2, **options)
        assert paths(result) == paths(meaning)
        assert len(workspace.search("keeps data in memory", limit=3, **options).hits) == 3
        assert len(workspace.search("keeps data in memory").hits) == 2  # there is no other base
        workspace.bases.add("other")
        assert len(workspace.search("keeps data in memory").hits) > 2  # all bases: the settings' own
        with pytest.raises(ConfigError, match="weight of meaning"):
            workspace.bases.update("vault", search=SearchSettings(semantic_weight=1.5))


def test_a_base_has_any_part_of_its_own_and_its_reranker_is_that_of_hybrid_search(place: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(place, "vault"))
        own = SearchSettings(mode="keyword", level="focused", expansion_size=1, reranker="late-interaction")
        workspace.bases.update("vault", search=own)
        result = workspace.search("keeps data in memory")
        assert (result.mode, result.classified.level, result.reranker) == ("keyword", "focused", "")
        assert (result.settings.expansion_size, result.settings.reranker) == (1, "none")
        assert workspace.search("keeps data in memory", mode="auto").settings.reranker == "late-interaction"
        assert workspace.search("keeps data in memory", reranker="late-interaction").settings.mode == "keyword"


def test_feedback_and_past_searches_stay(filled: Workspace) -> None:
    hit = filled.search("data in memory").hits[0]
    filled.uses.judge("data in memory", hit.note.id, hit.chunk.id, "harmful")
    filled.uses.judge("data in memory", hit.note.id, hit.chunk.id, "helpful")
    assert [(one.verdict, one.chunk_id) for one in filled.uses.judged(query="data in memory")] == [
        ("helpful", hit.chunk.id)
    ]
    assert [one.note_id for one in filled.uses.judged()] == [hit.note.id]
    filled.uses.judge("data in memory", hit.note.id, hit.chunk.id, None)
    assert not filled.uses.judged(query="data in memory")
    filled.searches.add("first")
    filled.searches.add("second")
    filled.searches.add("first")
    assert [(one.query, one.times) for one in filled.searches.all()] == [("first", 2), ("second", 1)]
    filled.searches.save("second", " Mine ")
    assert [(one.query, one.name) for one in filled.searches.all()] == [("second", "Mine"), ("first", "")]
    filled.searches.delete_for_good("first")
    assert [one.query for one in filled.searches.all()] == ["second"]


def test_a_context_has_numbered_citations_within_its_budget(filled: Workspace) -> None:
    built = filled.context("data in memory", budget=200)
    assert built.text.startswith("[1] ")
    assert built.tokens <= 200
    assert built.left_out > 0
    assert [one.number for one in built.citations] == list(range(1, len(built.citations) + 1))
    first = built.citations[0]
    assert first.note.path in built.text
    assert filled.notes.get(first.note.id).body[first.start : first.end].strip() in built.text
    assert filled.context("data in memory", budget=12).tokens <= 12
    with pytest.raises(QueryError, match="budget"):
        filled.context("data in memory", budget=0)


def test_neighbouring_hits_stand_together_in_a_context_each_under_its_own_section(filled: Workspace) -> None:
    built = filled.context("beans in the bed", filters=filters_of(path="garden.md"), budget=4000, limit=8)
    assert [one.section[-1] for one in built.citations[1:]] == [f"Bed {number}" for number in range(1, 8)]
    assert built.text.count("## Bed 3") == 1


def test_synonyms_of_the_person_are_asked_too(filled: Workspace) -> None:
    file = provide_file(filled.store.folder, "synonyms.txt", make=False)
    assert file.parent == filled.store.folder
    built_in = file.read_text(encoding="utf-8")
    try:
        file.write_text("memcached, zwischenspeicher\n", encoding="utf-8")
        result = filled.search("Redis vs zwischenspeicher")
        assert SYNONYM in {part.why for part in result.asked}
        assert "Memcached".casefold() in " ".join(part.text for part in result.asked).casefold()
    finally:
        file.write_text(built_in, encoding="utf-8")


def test_links_raise_what_is_linked_with_the_best(filled: Workspace) -> None:
    filters = filters_of(terms=["-path:clippings/"])
    plain = filled.search("Redis log to disk", reranker="none", limit=20, filters=filters)
    linked = filled.search("Redis log to disk", reranker="none", limit=20, filters=filters, link_weight=0.2)
    assert "boosted" not in plain.hits[0].scores
    before = {hit.note.path: hit.scores["fused"].score for hit in linked.hits}
    after = {hit.note.path: hit.scores["boosted"].score for hit in linked.hits}
    assert paths(linked)[0] == "redis.md"
    assert {path for path in after if after[path] > before[path]} == {"memcached.md"}


def test_ranks_can_be_combined_in_place_of_scores(filled: Workspace) -> None:
    result = filled.search("restart loses memory", fusion="reciprocal", reranker="none", limit=20)
    for hit in result.hits:
        ranks = [hit.scores[stage].rank for stage in ("vector", "keyword")]
        assert hit.scores["fused"].score == pytest.approx(sum(1 / (60 + rank) for rank in ranks if rank))


def test_facets_count_hits_and_their_terms_narrow(filled: Workspace) -> None:
    result = filled.search("data in memory", limit=20)
    facets = {(facet.field, facet.value): facet for facet in result.facets}
    assert facets["tag", "database"].hits == 1
    narrowed = filled.search(f"data in memory {facets['tag', 'database'].term}")
    assert set(paths(narrowed)) == {"redis.md"}
    month = facets["month", "2026-05"]
    assert set(paths(filled.search(f"data in memory {month.term}"))) == {"redis.md"}
    folder = facets["folder", "clippings"]
    assert set(paths(filled.search(f"data in memory {folder.term}"))) == {"clippings/copy.md"}


def test_the_early_answer_and_the_last_one_parse_and_collect_once(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = filled.searching
    early = engine.prepare("what keeps its data in memory here", {"reranker": "none"})
    first = engine.answer(early)
    monkeypatch.setattr("core.retrieval.requests.parse", lambda *_, **__: pytest.fail("parsed again"))
    monkeypatch.setattr(filled.store, "nearest", lambda *_: pytest.fail("collected again"))
    last = engine.answer(engine.prepare(early.typed, {}, like=early))
    assert (first.reranker, last.reranker) == ("", "late-interaction")
    assert {hit.chunk.id for hit in first.hits} & {hit.chunk.id for hit in last.hits}
    assert last.hits[0].scores["vector"] in [hit.scores["vector"] for hit in first.hits]


def test_each_score_of_a_stage_has_a_name_for_people_in_the_order_of_the_stages(place: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(place, "vault"))
        workspace.notes.update(workspace.notes.find("redis.md").id, priority=3)
        caller, weights = CallerContext(tags=("cache",)), {"priority_weight": 0.2, "feedback_weight": 0.2}
        options: SearchOptions = {"phrase": "boost", "caller": caller, **weights}  # type: ignore[typeddict-item]
        question = 'cache notes "keeps its data in memory"'
        first = workspace.search(question, **options).hits[0]
        workspace.uses.judge(question, first.note.id, first.chunk.id, "helpful")
        scores = workspace.search(question, **options).hits[0].scores
        assert [*scores, "clicks"] == list(STAGES), "clicks order the hits last"
