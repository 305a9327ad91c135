"""Why a correct passage is in no hit: each stage at which that happens, with real parts."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Unpack, get_args

import pytest

from core.base.errors import QueryError
from core.features.evaluation import runs
from core.indexing.models import Models
from core.model import Diagnosis, GoldSpan, KnowledgeBase, MissedAt, SearchOptions, SearchResult
from core.model.evaluation import MISSED
from core.query.synonyms import SynonymsFile
from core.reranking import Candidate, Reranker
from core.retrieval.engine import SearchEngine
from core.workspace import Workspace

pytestmark = pytest.mark.usefixtures("bundled")

NOTES = {
    "redis.md": "Redis keeps its data in memory and writes a log to disk, so that a restart loses little.",
    "memcached.md": "Memcached keeps its data in memory only and loses all of it with a restart.",
    "copy.md": "Memcached keeps its data in memory only and loses all of it with a restart!",
    "bread.md": "The dough rested for two hours at 24 degrees, then a night in the fridge.",
    "quartz.md": "Agates are banded chalcedony, a quartz of very small crystals.",
    "old.md": "---\nstatus: archived\n---\nWrite a store of our own that keeps its data in memory.",
}
BEDS = "# Beds\n\n" + "\n\n".join(
    f"## Bed {number}\n\n" + f"In bed {number} stand the word{number} beans. " * 25 for number in range(6)
)
BEANS = "In bed {n} stand the word{n} beans."


class Rewards:
    """A reranker that likes a word."""

    fingerprint = "rewards"
    reads_bits = False

    def __init__(self, word: str) -> None:
        self._word = word
        self.asked = 0

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        self.asked += 1
        return [float(self._word in candidate.text) for candidate in candidates]

    def warm(self) -> None:
        pass


def write(folder: Path) -> Path:
    folder.mkdir()
    for name, text in {**NOTES, "beds.md": BEDS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace that no test changes."""
    place = tmp_path_factory.mktemp("diagnosis")
    with Workspace(place / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(write(place / "vault")))
        yield workspace


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a workspace: the note of many chunks, and two others."""
    place = tmp_path_factory.mktemp("small")
    (place / "vault").mkdir()
    for name, text in {"beds.md": BEDS, "bread.md": NOTES["bread.md"], "quartz.md": NOTES["quartz.md"]}.items():
        (place / "vault" / name).write_text(text, encoding="utf-8")
    with Workspace(place / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(place / "vault"))
    return place / "workspace"


@pytest.fixture
def changing(small: Path, tmp_path: Path) -> Iterator[Workspace]:
    """A copy of that workspace."""
    with Workspace(shutil.copytree(small, tmp_path / "workspace")) as workspace:
        yield workspace


def gold(workspace: Workspace, name: str, quote: str = "") -> GoldSpan:
    """The first place of a quote in a note, or all of the note."""
    note = workspace.notes.get(workspace.notes.find(name).id)
    quote = quote or note.body.strip()
    start = note.body.index(quote)
    return GoldSpan(name, quote, start, start + len(quote), note.id)


def bed(workspace: Workspace, number: int) -> GoldSpan:
    return gold(workspace, "beds.md", BEANS.format(n=number))


class Judged(Models):
    """The workspace's models, but one reranker whatever its name."""

    def __init__(self, workspace: Workspace, reranker: Reranker | None) -> None:
        super().__init__(workspace.store, workspace.settings, workspace.jobs)
        self._own = reranker

    def reranker(self, base: KnowledgeBase, name: str, *, cached: bool = True) -> Reranker:
        return self._own or super().reranker(base, name, cached=cached)


def searching(workspace: Workspace, reranker: Reranker | None = None) -> SearchEngine:
    synonyms = SynonymsFile(workspace.store.folder, make=True)
    models = Judged(workspace, reranker)
    return SearchEngine(workspace.store, workspace.settings, models, synonyms)


def diagnose(
    workspace: Workspace,
    typed: str,
    *golds: GoldSpan,
    by: Reranker | None = None,
    **options: Unpack[SearchOptions],
) -> list[Diagnosis]:
    if by is None:
        options = {"reranker": "none", **options}
    with searching(workspace, by).explained(typed, options) as reasons:
        return runs.diagnose(workspace.store, reasons, list(enumerate(golds)))


def only(found: list[Diagnosis]) -> Diagnosis:
    assert [one.message for one in found] == [MISSED[one.stage] for one in found]
    (one,) = found
    return one


def chunk_of(workspace: Workspace, passage: GoldSpan) -> str:
    """The chunk that begins last of those that hold all of a passage."""
    chunks = workspace.chunks.all(passage.note_id)
    return [chunk.id for chunk in chunks if chunk.start <= passage.start and passage.end <= chunk.end][-1]


def everything(workspace: Workspace, typed: str, **options: Unpack[SearchOptions]) -> SearchResult:
    """All chunks as hits."""
    return workspace.search(typed, **{"reranker": "none", "limit": 100, **options})


def test_every_stage_has_its_sentence() -> None:
    assert set(MISSED) == set(get_args(MissedAt))


def test_a_passage_that_is_found_was_not_missed(filled: Workspace) -> None:
    assert diagnose(filled, "dough in the fridge", gold(filled, "bread.md")) == []


def test_of_two_passages_the_missed_one_is_told_by_its_number(filled: Workspace) -> None:
    golds = [gold(filled, "bread.md"), gold(filled, "quartz.md")]
    told = only(diagnose(filled, "dough in the fridge", *golds, limit=1))
    assert told.gold == 1
    assert told.chunk_id == chunk_of(filled, golds[1])
    assert told.share == 1


def test_one_search_answers_for_all_passages(filled: Workspace) -> None:
    reranker = Rewards("dough")
    golds = [gold(filled, name) for name in ("redis.md", "quartz.md", "old.md")]
    assert len(diagnose(filled, "dough in the fridge", *golds, by=reranker, limit=1)) == 3
    assert reranker.asked == 1


def test_gone_with_its_note(changing: Workspace) -> None:
    passage = gold(changing, "bread.md")
    changing.trash.put([passage.note_id])
    assert only(diagnose(changing, "dough in the fridge", passage)).stage == "gone"


def test_gone_where_its_note_was_changed(changing: Workspace) -> None:
    passage = gold(changing, "bread.md")
    flagged = GoldSpan(passage.path, "No such words.", passage.start, passage.start + 14, passage.note_id, flagged=True)
    assert only(diagnose(changing, "agates", flagged, limit=1)).stage == "gone"


def test_not_indexed_where_its_chunk_is_deleted(changing: Workspace) -> None:
    passage = bed(changing, 5)
    changing.chunks.delete(chunk_of(changing, passage))
    told = only(diagnose(changing, "word5 beans", passage))
    assert (told.stage, told.share, told.chunk_id) == ("not_indexed", 0, "")
    assert diagnose(changing, "word4 beans", bed(changing, 4)) == []


def test_not_indexed_where_something_else_is_written_over_it(changing: Workspace) -> None:
    passage = bed(changing, 5)
    changing.chunks.update(chunk_of(changing, passage), "Nothing but compost lies there.")
    assert only(diagnose(changing, "agates", passage, limit=1)).stage == "not_indexed"


def test_an_edit_that_leaves_most_of_it_still_holds_it(changing: Workspace) -> None:
    passage = bed(changing, 5)
    edited = changing.chunks.update(chunk_of(changing, passage), "In the bed 5 do stand the word5 beans, in rows.")
    told = only(diagnose(changing, "agates", passage, limit=1))
    assert told.stage == "limit"
    assert (told.chunk_id, told.share) == (edited, 1)


def test_a_hit_stands_for_its_place_whatever_was_written_there(changing: Workspace) -> None:
    passage = bed(changing, 5)
    changing.chunks.update(chunk_of(changing, passage), "Nothing but compost lies there.")
    assert diagnose(changing, "compost", passage, limit=1) == []


def over_two_chunks(workspace: Workspace) -> GoldSpan:
    """A passage of which two chunks hold just under half each, for the blank between them is in none."""
    first, second = (chunk for chunk in workspace.chunks.all(bed(workspace, 5).note_id) if "word5" in chunk.text)
    body = workspace.notes.get(first.note_id).body
    start, end = first.end - 30, second.start + 30
    assert second.start > first.end
    return GoldSpan("beds.md", body[start:end], start, end, first.note_id)


def test_cut_apart_where_no_chunk_holds_half(changing: Workspace) -> None:
    whole = next(chunk for chunk in changing.chunks.all(bed(changing, 5).note_id) if "word5" in chunk.text)
    at = whole.text.index(". ", len(whole.text) // 2) + 1
    changing.chunks.split(whole.id, at)
    passage = over_two_chunks(changing)
    told = only(diagnose(changing, "agates", passage, limit=1))
    assert told.stage == "cut_apart"
    assert 0.4 < told.share < 0.5
    first, second = (chunk for chunk in changing.chunks.all(passage.note_id) if "word5" in chunk.text)
    assert told.chunk_id in (first.id, second.id)
    ranks = {hit.chunk.id: hit.scores["vector"].rank for hit in everything(changing, "agates").hits}
    assert told.scores["vector"].rank == ranks[told.chunk_id]
    # Both halves among the hits are enough.
    assert diagnose(changing, "word5 beans", passage) == []


def test_half_of_it_in_one_chunk_is_not_cut_apart(changing: Workspace) -> None:
    whole = next(chunk for chunk in changing.chunks.all(bed(changing, 5).note_id) if "word5" in chunk.text)
    changing.chunks.split(whole.id, whole.text.index(". ", len(whole.text) // 2) + 1)
    first, second = (chunk for chunk in changing.chunks.all(whole.note_id) if "word5" in chunk.text)
    start, end = first.end - 20, second.start + 60
    body = changing.notes.get(whole.note_id).body
    passage = GoldSpan("beds.md", body[start:end], start, end, whole.note_id)
    told = only(diagnose(changing, "agates", passage, limit=1))
    assert told.stage == "limit"
    assert told.chunk_id == second.id
    assert told.share == pytest.approx(60 / len(passage.quote))


@pytest.mark.parametrize(
    ("typed", "name", "stage"),
    [
        ("data in memory path:bread", "redis.md", "filters"),
        ("a store of our own", "old.md", "filters"),
        ('"all of it with"', "redis.md", "phrase"),
        ("data in memory -disk", "redis.md", "excluded"),
    ],
)
def test_narrowed_away_before_anything_is_scored(filled: Workspace, typed: str, name: str, stage: MissedAt) -> None:
    passage = gold(filled, name)
    told = only(diagnose(filled, typed, passage))
    assert (told.stage, told.scores) == (stage, {})
    assert told.chunk_id == chunk_of(filled, passage)


@pytest.mark.parametrize(("typed", "stage"), [('"the word3 beans"', "phrase"), ("beans -word5", "excluded")])
def test_narrowed_away_is_its_chunk_not_its_note(filled: Workspace, typed: str, stage: MissedAt) -> None:
    passage = bed(filled, 5)
    assert passage.note_id in {hit.note.id for hit in filled.search(typed).hits}
    assert only(diagnose(filled, typed, passage)).stage == stage


def test_filtered_out_with_its_base(changing: Workspace, tmp_path: Path) -> None:
    passage = gold(changing, "quartz.md")
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "agates.md").write_text("Agates are found on beaches.")
    changing.imports.apply(changing.imports.plan_folder(tmp_path / "second"))
    assert only(diagnose(changing, "agates base:second", passage)).stage == "filters"


def test_pending_where_only_meaning_would_find_it(tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.bases.add("vault", embed_at_once=False)
        workspace.imports.apply(workspace.imports.plan_folder(write(tmp_path / "vault"), "vault"))
        passage = gold(workspace, "bread.md")
        told = only(diagnose(workspace, "loaves and baking", passage))
        assert (told.stage, told.scores) == ("pending", {})
        # Words find it before it is embedded, but are not asked here.
        assert diagnose(workspace, "dough in the fridge", passage) == []
        assert only(diagnose(workspace, "dough in the fridge", passage, mode="semantic")).stage == "pending"
        workspace.pending.embed("vault")
        assert diagnose(workspace, "loaves and baking", passage) == []


def test_beyond_the_pool_with_its_ranks_among_all(filled: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "dough that keeps its data in memory"
    passage = gold(filled, "redis.md")
    every = {hit.chunk.id: hit.scores for hit in everything(filled, typed).hits}
    monkeypatch.setattr(filled.settings.search, "pool", 1)
    told = only(diagnose(filled, typed, passage, limit=1))
    assert told.stage == "pool"
    assert told.scores == {stage: every[told.chunk_id][stage] for stage in ("vector", "keyword")}
    assert min(said.rank or 0 for said in told.scores.values()) > 1


def test_beyond_the_pool_its_ranks_are_among_what_passes_the_filters(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filled.settings.search, "pool", 1)
    passage = gold(filled, "quartz.md")
    wide = only(diagnose(filled, "data in memory", passage, limit=1))
    narrow = only(diagnose(filled, "data in memory path:redis.md,quartz.md", passage, limit=1))
    assert (narrow.stage, narrow.scores["vector"].rank) == ("pool", 2)
    assert (wide.scores["vector"].rank or 0) > 2


def test_of_a_note_beyond_the_pool_the_nearest_chunk_is_told(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filled.settings.search, "pool", 1)
    told = filled.searching.why_not("dough in the fridge word3", bed(filled, 3).note_id, limit=1, reranker="none")
    assert told.stage == "pool"
    assert told.chunk
    assert told.chunk.id == chunk_of(filled, bed(filled, 3))


def test_lost_in_fusion(filled: Workspace) -> None:
    typed = "how a bakery lets loaves rise before restart"
    by_words = everything(filled, typed, mode="keyword").hits[0]
    assert everything(filled, typed, mode="semantic").hits[0].note != by_words.note
    told = only(diagnose(filled, typed, gold(filled, by_words.note.path or ""), limit=1, semantic_weight=1.0))
    assert told.stage == "fusion"
    assert told.scores["keyword"].rank == 1
    assert (told.scores["fused"].rank or 0) > 1


def test_lost_to_a_note_that_holds_the_question_as_it_was_typed(filled: Workspace) -> None:
    passage = gold(filled, "bread.md")
    told = only(diagnose(filled, "chalcedony", passage, by=Rewards("dough"), rerank_weight=1.0, limit=1))
    assert told.stage == "literal"
    assert told.scores["final"].rank == 1
    assert (told.scores["literal"].rank or 0) > 1


def test_lost_in_reranking(filled: Workspace) -> None:
    typed, passage = "when a baker lets loaves wait overnight in the cold", gold(filled, "bread.md")
    told = only(diagnose(filled, typed, passage, by=Rewards("chalcedony"), rerank_weight=1.0, limit=1))
    assert told.stage == "reranking"
    assert told.scores["fused"].rank == 1
    assert (told.scores["final"].rank or 0) > 1
    assert diagnose(filled, typed, passage, by=Rewards("dough"), rerank_weight=1.0, limit=1) == []


def test_beyond_the_limit(filled: Workspace) -> None:
    told = only(diagnose(filled, "dough in the fridge", gold(filled, "quartz.md"), limit=1))
    assert told.stage == "limit"
    assert (told.scores["fused"].rank or 0) > 1


def test_below_the_threshold(filled: Workspace) -> None:
    told = only(diagnose(filled, "dough in the fridge", gold(filled, "quartz.md"), score_threshold=1.0))
    assert told.stage == "threshold"
    assert told.scores["vector"].score < 1


def test_a_copy_in_another_note_stands_for_it(filled: Workspace) -> None:
    hit = next(hit for hit in everything(filled, "memcached restart").hits if hit.copies)
    (copy,) = hit.copies
    told = only(diagnose(filled, "memcached restart", gold(filled, copy.note.path or "")))
    assert (told.stage, told.chunk_id) == ("duplicate", copy.chunk.id)


def test_a_comparison_is_asked_as_a_whole(filled: Workspace) -> None:
    told = only(diagnose(filled, "compare Redis and Memcached", gold(filled, "quartz.md"), limit=2))
    assert told.stage == "limit"


def test_what_cannot_be_asked_is_refused(filled: Workspace) -> None:
    with pytest.raises(QueryError):
        diagnose(filled, "memory priority:cache", gold(filled, "redis.md"))
