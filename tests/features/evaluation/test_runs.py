"""Question sets and their runs, from the workspace down to what is stored."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import (
    Cancelled,
    ConfigError,
    ProviderError,
    QuestionSetError,
    RunNotFound,
    TesseraError,
    UnknownChoice,
    WorkspaceLocked,
)
from core.features.evaluation.runs import RunTable
from core.model import (
    DEFAULTS,
    OPEN,
    ChunkingOptions,
    Pipeline,
    Prepared,
    Question,
    QuestionSet,
    SearchResult,
    SearchSettings,
)
from core.retrieval.engine import SearchEngine
from core.workspace import Workspace
from tests import samples

pytestmark = pytest.mark.usefixtures("bundled")

ASKED = {
    "how do I check a restored database": ("backups.md", "Count the rows of the\nlargest table"),
    "请求一起落到数据库怎么办": ("缓存/雪崩.md", "给过期时间加上随机值"),
    "how long does dough rest": ("kitchen/bread.txt", "The dough rested for two hours"),
}
PLAIN, BY_WORDS = Pipeline(), Pipeline("by words", search=SearchSettings(mode="keyword"))
SECTIONS = Pipeline("sections", chunking=ChunkingOptions(strategy="markdown"))


def file_of(asked: dict[str, tuple[str, str]]) -> bytes:
    lines = [
        {"id": f"q{number}", "question": text, "gold": [{"path": path, "quote": quote}]}
        for number, (text, (path, quote)) in enumerate(asked.items())
    ]
    return "\n".join(json.dumps(line) for line in lines).encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return samples.write(tmp_path / "vault")


@pytest.fixture
def workspace(tmp_path: Path, folder: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        yield workspace


@pytest.fixture
def kept(workspace: Workspace) -> QuestionSet:
    return workspace.question_sets.add_file("vault", "mine", file_of(ASKED), "mine.jsonl")


def test_a_set_is_asked_in_several_ways_and_what_each_brought_is_kept(workspace: Workspace, kept: QuestionSet) -> None:
    runs = workspace.runs.run(kept, [PLAIN, BY_WORDS])
    assert [run.pipeline for run in runs] == [PLAIN, BY_WORDS]
    assert {run.id for run in workspace.runs.all("vault")} == {run.id for run in runs}
    by_meaning, by_words = runs
    assert by_meaning.metrics["hit@1"] == 1.0
    assert (by_meaning.questions, by_meaning.asked) == (3, 3)
    assert by_meaning.ended_at is not None
    results = workspace.runs.results(by_meaning.id)
    assert [(one.question, one.found_rank, one.diagnoses) for one in results] == [(text, 1, ()) for text in ASKED]
    assert all(one.took_ms > 0 and one.hits[0].nearness for one in results)
    assert by_words.settings["mode"] == "keyword"
    assert by_meaning.settings["semantic_weight"] == DEFAULTS.semantic_weight
    assert by_meaning.settings["embedder"] == "bundled"


def test_a_second_run_measures_searches_and_not_what_was_kept_of_them(workspace: Workspace, kept: QuestionSet) -> None:
    first, second = (workspace.runs.run(kept, [PLAIN])[0] for _ in range(2))
    assert first.metrics["hit@1"] == second.metrics["hit@1"]
    assert second.metrics["p50_ms"] > 1  # a kept result takes a fraction of one


def test_other_chunks_are_made_beside_the_base(workspace: Workspace, kept: QuestionSet, folder: Path) -> None:
    before = [workspace.chunks.all(card.id) for card in workspace.notes.all()]
    version = workspace.store.database.version()
    heard: list[float] = []
    _, run = workspace.runs.run(kept, [PLAIN, SECTIONS], lambda done, total, what: heard.append(done / total))
    assert heard == sorted(heard)
    assert [workspace.chunks.all(card.id) for card in workspace.notes.all()] == before
    assert workspace.store.database.version() == version
    assert run.metrics["hit@1"] == 1.0
    restoring = workspace.runs.results(run.id)[0].hits[0]
    assert workspace.notes.get(restoring.note_id).body[restoring.start : restoring.end].startswith("## Restoring")
    assert run.settings["strategy"] == "markdown"
    # What was made is taken up again, and follows the notes.
    (folder / "backups.md").write_text(samples.BACKUPS.replace("## Restoring", "## Getting it back"))
    workspace.imports.apply(workspace.imports.plan_folder(folder))
    (again,) = workspace.runs.run(kept, [SECTIONS])
    moved = workspace.runs.results(again.id)[0].hits[0]
    assert workspace.notes.get(moved.note_id).body[moved.start : moved.end].startswith("## Getting it back")
    assert len(list(workspace.runs.scratch.folder.iterdir())) == 1
    assert workspace.runs.scratch.bytes() > 0
    workspace.runs.scratch.drop()
    assert workspace.runs.scratch.bytes() == 0


def test_a_note_deleted_since_is_not_found_beside_the_base_either(
    workspace: Workspace, kept: QuestionSet, folder: Path
) -> None:
    workspace.runs.run(kept, [SECTIONS])
    (folder / "kitchen/bread.txt").unlink()
    workspace.imports.apply(workspace.imports.plan_folder(folder), confirmed=True)
    (run,) = workspace.runs.run(kept, [SECTIONS])
    hits = {hit.path for result in workspace.runs.results(run.id) for hit in result.hits}
    assert hits == {"backups.md", "缓存/雪崩.md"}
    assert run.questions == 2  # the question on bread has lost its passage


def test_edits_hold_beside_the_base(workspace: Workspace, kept: QuestionSet) -> None:
    card = next(card for card in workspace.notes.all() if card.path == "kitchen/bread.txt")
    workspace.chunks.update(workspace.chunks.all(card.id)[0].id, "Sourdough needs a xylophone.")
    asked = [replace(workspace.questions.all(kept)[2], text="xylophone")]
    ((_, results),) = workspace.runs.measure("vault", asked, [replace(SECTIONS, search=SearchSettings(mode="keyword"))])
    assert [hit.path for hit in results[0].hits] == ["kitchen/bread.txt"]


def test_a_stopped_run_goes_on_where_it_was(workspace: Workspace, kept: QuestionSet) -> None:
    def stop(done: float, total: float, what: str) -> None:
        if done >= 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        workspace.runs.run(kept, [replace(PLAIN)], lambda done, total, what: stop(done * 3, total, what))
    (stopped,) = workspace.runs.all("vault")
    assert (stopped.asked, stopped.questions, stopped.ended_at) == (2, 3, None)
    run = workspace.runs.resume(stopped.id)
    assert (run.id, run.asked, run.metrics["hit@1"]) == (stopped.id, 3, 1.0)
    assert run.ended_at is not None


def test_a_stopped_run_of_other_notes_is_given_up(workspace: Workspace, kept: QuestionSet, folder: Path) -> None:
    def stop(done: float, total: float, what: str) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        workspace.runs.run(kept, [PLAIN], stop)
    (stopped,) = workspace.runs.all("vault")
    (folder / "new.md").write_text("Another note.")
    workspace.imports.apply(workspace.imports.plan_folder(folder))
    with pytest.raises(ConfigError, match="changed since"):
        workspace.runs.resume(stopped.id)


def test_a_missed_passage_is_diagnosed(workspace: Workspace) -> None:
    asked = {"rows of the largest table": ("kitchen/bread.txt", "The dough rested for two hours")}
    workspace.question_sets.add_file("vault", "unanswered", file_of(asked), "unanswered.jsonl")
    kept = workspace.question_sets.get("vault", "unanswered")
    (run,) = workspace.runs.run(kept, [replace(BY_WORDS, search=replace(BY_WORDS.search, limit=1))])
    missed = [one for one in workspace.runs.results(run.id) if one.found_rank is None]
    assert missed
    assert all(len(one.diagnoses) == len(one.golds) and one.diagnoses[0].message for one in missed)


def test_a_run_of_a_base_that_is_deleted_meanwhile_ends_with_a_reason(workspace: Workspace, kept: QuestionSet) -> None:
    def delete(done: float, total: float, what: str) -> None:
        if workspace.bases.all():
            workspace.bases.delete_for_good("vault")

    with pytest.raises(TesseraError, match=r"vault|may have been deleted"):
        workspace.runs.run(kept, [PLAIN], delete)
    assert RunTable(workspace.store.database).results("any") == {}
    with pytest.raises(UnknownChoice):
        workspace.runs.all("vault")
    with pytest.raises(RunNotFound):
        RunTable(workspace.store.database).run("any")


def defining(folder: Path) -> Path:
    """Add notes that define something."""
    for name in ("Ownership", "Borrowing"):
        text = f"# {name}\n\n**{name}** is a set of rules that govern how a program manages its memory.\n"
        (folder / f"{name}.md").write_text(text)
    return folder


def test_an_empty_set_and_one_of_suggestions_say_what_to_do(workspace: Workspace, folder: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(defining(folder)))
    empty = workspace.question_sets.add("vault", "empty")
    with pytest.raises(QuestionSetError, match="no questions to ask"):
        workspace.runs.run(empty, [PLAIN])
    assert workspace.questions.suggest(empty, 3)
    with pytest.raises(QuestionSetError, match="accept suggested ones"):
        workspace.runs.run(empty, [PLAIN])
    suggested = workspace.questions.all(empty)
    assert workspace.questions.accept(empty, [one.id for one in suggested]) == len(suggested)
    assert workspace.runs.run(empty, [PLAIN])[0].asked == len(suggested)


def test_suggesting_again_brings_others_or_none(workspace: Workspace, folder: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(defining(folder)))
    kept = workspace.question_sets.add("vault", "some")
    first = workspace.questions.suggest(kept, 1)
    second = workspace.questions.suggest(kept, 1)
    assert len(first) == len(second) == 1
    assert {one.text for one in first}.isdisjoint(one.text for one in second)


def test_a_hit_becomes_a_right_passage_and_no_longer(workspace: Workspace) -> None:
    kept = workspace.question_sets.add("vault", "clicked")
    first, second = workspace.search("restore a backup", reranker="none").hits[:2]
    workspace.questions.mark(kept, " restore a backup ", first)
    question = workspace.questions.mark(kept, "restore a backup", second)
    assert [gold.note_id for gold in question.spans] == [first.note.id, second.note.id]
    workspace.questions.unmark(kept, "restore a backup", second)
    (left,) = workspace.questions.all(kept)
    assert [gold.note_id for gold in left.spans] == [first.note.id]
    assert workspace.runs.run(kept, [PLAIN])[0].metrics["hit@1"] == 1.0


def test_a_marked_passage_can_be_narrowed_to_the_sentence_that_answers(workspace: Workspace) -> None:
    kept = workspace.question_sets.add("vault", "clicked")
    hit = workspace.search("how long does dough rest", reranker="none").hits[0]
    question = workspace.questions.mark(kept, "how long does dough rest", hit)
    whole = question.spans[0]
    workspace.questions.narrow_passage(kept, question.id, whole, " rested for\ntwo hours ")
    ((part,),) = (one.spans for one in workspace.questions.all(kept))
    assert part.quote == "rested for two hours"
    assert workspace.notes.get(part.note_id).body[part.start : part.end] == part.quote
    with pytest.raises(QuestionSetError, match="isn't in the passage"):
        workspace.questions.narrow_passage(kept, question.id, part, "crust dark")


def test_questions_that_no_search_can_be_asked_are_listed_before_any_is(
    workspace: Workspace, kept: QuestionSet
) -> None:
    workspace.questions.add(kept, [Question("day", "x after:someday", ()), Question("none", "x has:what", ())])
    with pytest.raises(QuestionSetError, match="question 'day'") as caught:
        workspace.runs.run(kept, [PLAIN])
    assert "question 'none'" in str(caught.value)
    assert workspace.runs.all("vault") == []


def test_a_set_comes_back_from_its_file(workspace: Workspace, kept: QuestionSet) -> None:
    before = [(one.id, one.text, one.spans) for one in workspace.questions.all(kept)]
    for table, name in ((False, "back.jsonl"), (True, "back.csv")):
        again = workspace.question_sets.add_file("vault", name, workspace.question_sets.export(kept, table=table), name)
        assert [(one.id, one.text, one.spans) for one in workspace.questions.all(again)] == before
    with pytest.raises(QuestionSetError, match="already in the question set"):
        workspace.question_sets.add_file("vault", "mine", file_of(ASKED), "mine.jsonl")


def test_runs_outlive_their_set_and_go_with_their_base(workspace: Workspace, kept: QuestionSet) -> None:
    (run,) = workspace.runs.run(kept, [PLAIN])
    workspace.question_sets.delete_for_good(kept)
    assert [one.set_name for one in workspace.runs.all("vault")] == ["mine"]
    workspace.runs.delete_for_good([run.id])
    assert workspace.runs.all("vault") == []
    with pytest.raises(RunNotFound):
        workspace.runs.results(run.id)


def test_a_workspace_that_is_only_read_measures_but_keeps_nothing(
    workspace: Workspace, kept: QuestionSet, tmp_path: Path
) -> None:
    with Workspace(tmp_path / "workspace", readonly=True) as reader:
        asked = reader.questions.all(kept)
        ((run, _),) = reader.runs.measure("vault", asked, [PLAIN])
        assert run.metrics["hit@1"] == 1.0
        with pytest.raises(WorkspaceLocked):
            reader.runs.run(kept, [PLAIN])


def test_a_negative_question_counts_in_no_rank(workspace: Workspace, kept: QuestionSet) -> None:
    workspace.questions.add(kept, [Question("", "who won the world cup", ())])
    (run,) = workspace.runs.run(kept, [PLAIN])
    assert run.metrics["hit@1"] == 1.0
    assert workspace.runs.results(run.id)[-1].negative


def test_a_base_can_have_a_reranker_of_its_own(workspace: Workspace, kept: QuestionSet) -> None:
    workspace.bases.update("vault", search=SearchSettings(reranker="none"))
    assert workspace.search("restore a backup").reranker == ""
    (run,) = workspace.runs.run(kept, [PLAIN])
    assert run.settings["reranker"] == "none"
    workspace.bases.update("vault", search=SearchSettings())
    assert workspace.search("restore a backup").reranker == "late-interaction"
    with pytest.raises(UnknownChoice):
        workspace.bases.update("vault", search=SearchSettings(reranker="magic"))


def test_what_was_asked_before_an_error_stays_with_its_figures(
    workspace: Workspace, kept: QuestionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = SearchEngine.answer

    def failing(engine: SearchEngine, prepared: Prepared) -> SearchResult:
        if prepared.typed == list(ASKED)[2]:
            raise ProviderError("The server is down.")
        return answer(engine, prepared)

    monkeypatch.setattr(SearchEngine, "answer", failing)
    with pytest.raises(ProviderError):
        workspace.runs.run(kept, [PLAIN])
    (stopped,) = workspace.runs.all("vault")
    assert (stopped.asked, stopped.metrics["hit@1"], stopped.ended_at) == (2, 1.0, None)
    monkeypatch.undo()
    ended = workspace.runs.resume(stopped.id)
    assert ended.asked == 3
    assert workspace.runs.resume(stopped.id) == ended


def test_a_stopped_run_is_given_up_when_a_question_was_changed(workspace: Workspace, kept: QuestionSet) -> None:
    def stop(done: float, total: float, what: str) -> None:
        if what == list(ASKED)[1]:
            raise Cancelled

    with pytest.raises(Cancelled):
        workspace.runs.run(kept, [PLAIN], stop)
    (stopped,) = workspace.runs.all("vault")
    assert stopped.asked == 1
    first = workspace.questions.all(kept)[0]
    workspace.questions.update(kept, first.id, replace(first, text="something else"))
    with pytest.raises(ConfigError, match="changed since"):
        workspace.runs.resume(stopped.id)


@pytest.mark.parametrize(
    "pipeline",
    [
        Pipeline(search=SearchSettings(reranker="magic")),
        Pipeline(embedder="magic"),
        Pipeline(search=SearchSettings(mode="magic")),  # type: ignore[arg-type]
    ],
)
def test_a_pipeline_that_can_not_be_is_told_before_anything_is_asked(
    workspace: Workspace, kept: QuestionSet, pipeline: Pipeline
) -> None:
    with pytest.raises(UnknownChoice, match="magic"):
        workspace.runs.run(kept, [PLAIN, pipeline])
    assert workspace.runs.all("vault") == []


def test_places_beside_a_base_are_left_but_for_the_latest(
    workspace: Workspace, kept: QuestionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.indexing.base_copies.KEPT", 1)
    scratch, base = workspace.runs.scratch, workspace.bases.get("vault")
    with scratch.opened(base, ChunkingOptions(strategy="markdown"), base.embedder) as first:
        with scratch.opened(base, ChunkingOptions(strategy="lines"), base.embedder) as second:
            assert second.folder.exists()
            assert first.folder.exists(), "somebody uses it"
        with scratch.opened(base, ChunkingOptions(strategy="none"), base.embedder) as third:
            assert {place.name for place in scratch.folder.iterdir()} == {first.folder.name, third.folder.name}


def test_adopting_what_can_not_be_changes_nothing(workspace: Workspace) -> None:
    with pytest.raises(UnknownChoice):
        workspace.bases.adopt(
            "vault", Pipeline(search=SearchSettings(semantic_weight=0.1), chunking=ChunkingOptions(strategy="magic"))
        )
    assert workspace.bases.get("vault").search == OPEN
    workspace.bases.adopt(
        "vault",
        Pipeline(
            search=SearchSettings(semantic_weight=0.1, reranker="none"), chunking=ChunkingOptions(strategy="none")
        ),
    )
    adopted = workspace.bases.get("vault")
    assert (adopted.search, adopted.chunking.strategy) == (SearchSettings(semantic_weight=0.1, reranker="none"), "none")


def test_a_question_without_passages_is_not_unmarked_away(workspace: Workspace) -> None:
    kept = workspace.question_sets.add("vault", "clicked")
    workspace.questions.add(kept, [Question("", "restore a backup", ())])
    workspace.questions.unmark(kept, "restore a backup", workspace.search("restore a backup").hits[0])
    assert len(workspace.questions.all(kept)) == 1
