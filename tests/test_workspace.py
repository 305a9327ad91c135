"""From a folder to an answer, with the real model, the real database and the real index."""

import json
import os
import shutil
import threading
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from core.base.errors import (
    ConfigError,
    IndexAway,
    NoteNotFound,
    QueryError,
    SourceError,
    StoreError,
    SyncRefused,
    UnknownChoice,
)
from core.intake.imports import Imports
from core.markdown import outline
from core.markdown.parser import Parsed
from core.model import ChunkingOptions, Filters, Pipeline, SearchResult, SyncReport
from core.query.parser import filters_of
from core.workspace import Workspace
from tests import samples

pytestmark = pytest.mark.usefixtures("bundled")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return samples.write(tmp_path / "vault")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


def synced(workspace: Workspace, folder: Path, **given: bool) -> SyncReport:
    return workspace.imports.apply(workspace.imports.plan_folder(folder), **given)


def paths(result: SearchResult) -> list[str | None]:
    return [hit.note.path for hit in result.hits]


def test_a_folder_answers_by_meaning_and_by_word_in_both_languages(workspace: Workspace, folder: Path) -> None:
    report = synced(workspace, folder)
    assert (report.added, report.failed) == (3, ())
    assert report.chunks == report.embedded_windows == 3
    assert paths(workspace.search("how do I get my database back after a crash"))[0] == "backups.md"
    assert paths(workspace.search("为什么所有请求一下子都打到数据库"))[0] == "缓存/雪崩.md"
    assert paths(workspace.search("baking a loaf", mode="semantic"))[0] == "kitchen/bread.txt"
    assert paths(workspace.search("pg_restore", mode="keyword")) == ["backups.md"]
    assert paths(workspace.search("雪崩", mode="keyword")) == ["缓存/雪崩.md"]


def test_every_hit_says_what_each_stage_thought_of_it(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    result = workspace.search("restore a backup")
    assert result.mode == "hybrid"
    first = result.hits[0]
    assert list(first.scores) == ["vector", "keyword", "fused", "rerank", "final", "literal"]
    assert {said.rank for said in first.scores.values()} == {1}
    assert first.strength == first.scores["literal"].score
    assert first.scores["vector"].score < first.score < 1
    assert result.reranker == "late-interaction"
    bread = next(hit for hit in result.hits if hit.note.path == "kitchen/bread.txt")
    assert bread.scores["keyword"].rank is None
    assert bread.scores["keyword"].score == 0
    assert bread.scores["vector"].score < first.scores["vector"].score
    assert set(workspace.search("restore", mode="keyword").hits[0].scores) == {"keyword", "literal"}


def test_reranking_can_be_left_out_and_is_by_default_in_one_stage_alone(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    plain = workspace.search("restore a backup", reranker="none")
    assert (plain.reranker, list(plain.hits[0].scores)) == ("", ["vector", "keyword", "fused", "literal"])
    assert [hit.strength for hit in plain.hits] == [hit.scores["literal"].score for hit in plain.hits]
    assert workspace.search("restore a backup", mode="semantic").reranker == ""
    assert workspace.search("restore", mode="keyword", reranker="late-interaction").reranker == "late-interaction"
    with pytest.raises(UnknownChoice, match="no model for reranking 'late'"):
        workspace.search("restore", reranker="late")


def test_what_was_not_judged_comes_behind_what_was(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    fused = workspace.search("restore a backup", reranker="none")
    judged = workspace.search("restore a backup", rerank_pool=1, rerank_weight=1.0)
    assert paths(judged) == paths(fused)
    assert ["rerank" in hit.scores for hit in judged.hits] == [True, False, False]


def test_a_reranker_that_fails_is_told_and_the_order_stays(
    workspace: Workspace, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(workspace, folder)
    plain = workspace.search("restore a backup", reranker="none")
    monkeypatch.setattr(workspace.settings.search, "reranker", f"cross-encoder:{tmp_path / 'nothing'}")
    failed = workspace.search("restore a backup")
    assert paths(failed) == paths(plain)
    assert failed.reranker == ""
    assert "nothing" in str(failed.rerank_problem)
    assert list(failed.hits[0].scores) == ["vector", "keyword", "fused", "literal"]


def test_token_bits_are_kept_with_every_window(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    status = workspace.status().bases[0]
    assert status.with_bits == status.windows == 3
    tokens = sum(chunk.token_count for card in workspace.notes.all() for chunk in workspace.chunks.all(card.id))
    assert 48 * tokens <= status.bit_bytes <= 48 * 2 * tokens
    kept = workspace.search("restore a backup")
    workspace.bases.keep_tokens("vault", False)
    assert workspace.status().bases[0].bit_bytes == 0
    made = workspace.search("restore a backup")
    assert (kept.notices, made.notices) == ((), ("tokens_missing",))
    assert paths(made) == paths(kept)
    assert workspace.bases.keep_tokens("vault", True) == 3


def test_a_limit_beyond_the_pool_is_filled(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    for mode in ("semantic", "hybrid"):
        assert len(workspace.search("a backup", mode=mode, limit=3, pool=1).hits) == 3


def test_front_matter_is_metadata_and_offsets_count_it(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    hit = workspace.search("缓存雪崩").hits[0]
    assert hit.note.title == "缓存雪崩"
    assert set(hit.note.tags) == {"redis", "缓存"}
    assert hit.note.updated_at == datetime(2026, 3, 1, tzinfo=UTC)
    start = hit.note.body_start + hit.passage.start
    assert samples.CACHE[start : start + len(hit.passage.text)] == hit.passage.text


def test_only_what_changed_is_embedded_again(workspace: Workspace, folder: Path) -> None:
    long = folder / "long.md"
    long.write_text(samples.long_note(20))
    synced(workspace, folder)
    again = synced(workspace, folder)
    assert (again.unchanged, again.added, again.changed, again.embedded_windows) == (4, 0, 0, 0)
    before = {chunk.id for note in workspace.notes.all() for chunk in workspace.chunks.all(note.id)}
    long.write_text(samples.long_note(20).replace("word7 of this", "word7 of this entirely new"))
    edited = synced(workspace, folder)
    assert (edited.changed, edited.unchanged) == (1, 3)
    assert 1 <= edited.embedded_windows <= 3
    after = {chunk.id for note in workspace.notes.all() for chunk in workspace.chunks.all(note.id)}
    assert len(before - after) <= 3
    assert len(before & after) > 10
    long.rename(folder / "other.md")
    renamed = synced(workspace, folder)
    assert (renamed.renamed, renamed.added, renamed.removed, renamed.embedded_windows) == (1, 0, 0, 0)
    assert paths(workspace.search("word7", mode="keyword"))[0] == "other.md"
    os.utime(folder / "other.md", (1, 1))
    assert synced(workspace, folder).unchanged == 4


def test_a_file_named_title_follows_the_file(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    (folder / "kitchen/bread.txt").rename(folder / "kitchen/sourdough.txt")
    synced(workspace, folder)
    (hit,) = workspace.search("sourdough", mode="keyword").hits
    assert hit.note.title == "sourdough"
    assert not workspace.search("bread", mode="keyword").hits


def test_files_that_changed_names_with_each_other(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    one, other = folder / "backups.md", folder / "kitchen/bread.txt"
    (folder / "x").mkdir()
    one.rename(folder / "x/a.md")
    other.rename(folder / "x/backups.txt")
    report = synced(workspace, folder)
    assert (report.renamed, report.embedded_windows) == (2, 0)


def test_removed_files_take_their_notes_along(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    (folder / "backups.md").unlink()
    assert synced(workspace, folder).removed == 1
    assert "backups.md" not in paths(workspace.search("pg_restore a backup"))


def test_a_sync_that_would_remove_much_asks_first(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nText {number}.")
    synced(workspace, folder)
    for number in range(3):
        (folder / f"{number}.md").unlink()
    with pytest.raises(SyncRefused, match="3 of 6"):
        synced(workspace, folder)
    assert len(workspace.notes.all()) == 6
    assert synced(workspace, folder, confirmed=True).removed == 3
    shutil.rmtree(folder)
    with pytest.raises(SourceError, match="doesn't exist"):
        synced(workspace, folder)
    assert len(workspace.notes.all()) == 3


def test_bad_files_are_told_and_cost_nothing(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    synced(workspace, folder)
    (folder / "picture.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    (folder / "empty.md").write_bytes(b"")
    (folder / "bad-yaml.md").write_text("---\ntags: [a, b\n---\n\nStill a note about herons.\n")
    outside = tmp_path / "secret.md"
    outside.write_text("not yours")
    (folder / "link.md").symlink_to(outside)
    with (folder / "huge.md").open("wb") as file:
        file.truncate(50_000_000)
    (folder / "backups.md").write_bytes(b"")
    report = synced(workspace, folder)
    assert {failed.path for failed in report.failed} == {"picture.md", "link.md", "huge.md"}
    assert [one.path for one in report.not_downloaded] == ["backups.md"]
    assert report.added == 1
    (hit,) = workspace.search("herons", mode="keyword").hits
    assert hit.note.warnings
    assert paths(workspace.search("pg_restore", mode="keyword")) == ["backups.md"]


def test_one_file_never_stops_an_import(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    outline_of = outline.build_outline

    def broken(parsed: Parsed) -> outline.Outline:
        if "heron" in parsed.body:
            raise AttributeError("a fault of a library")
        return outline_of(parsed)

    monkeypatch.setattr(outline, "build_outline", broken)
    (folder / "b.md").write_text("A heron stands in the river.\n")
    os.utime(folder / "backups.md", (1e12, 1e12))
    report = synced(workspace, folder)
    assert report.added == 3
    (failed,) = report.failed
    assert (failed.path, str(failed.error)) == (
        "b.md",
        "This file could not be read because of an unexpected error (AttributeError), so it was skipped. See the log "
        "for details.",
    )
    assert "a fault of a library" in caplog.text
    with pytest.raises(SourceError, match="AttributeError"):
        workspace.imports.preview(folder / "b.md", ChunkingOptions(), "bundled")


def test_uploads_and_archives(workspace: Workspace) -> None:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("zipped/notes.md", "# Zipped\n\nA note about lighthouses.")
    files = [("vault/sub/a.md", b"# A\n\nA note about herons."), ("more.zip", archive.getvalue())]
    plan = workspace.imports.plan_upload(files, "uploads")
    assert workspace.notes.all() == []
    assert workspace.imports.apply(plan).added == 2
    assert not plan.folder.exists()
    assert {card.path for card in workspace.notes.all()} == {"vault/sub/a.md", "zipped/notes.md"}
    again = workspace.imports.apply(
        workspace.imports.plan_upload([("vault/sub/a.md", b"# A\n\nA note about geese.")], "uploads")
    )
    assert (again.changed, again.removed) == (1, 0)
    broken = workspace.imports.apply(workspace.imports.plan_upload([("scan.pdf", b"%PDF")], "uploads"))
    assert (broken.added, [failed.path for failed in broken.failed]) == (0, ["scan.pdf"])


@pytest.mark.parametrize("name", ["../../x.md", "/etc/x.md", "C:\\x.md", "a\\..\\..\\x.md", ""])
def test_names_that_lead_out_are_refused(workspace: Workspace, name: str, tmp_path: Path) -> None:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(zipfile.ZipInfo(name), "x")
    for files in ([(name, b"x")], [("a.zip", archive.getvalue())]):
        with pytest.raises(SourceError):
            workspace.imports.plan_upload(files, "uploads")
    assert workspace.bases.all() == []
    assert not list(tmp_path.rglob("x.md"))


def test_filters(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    search = workspace.search
    assert paths(search("night", filters=filters_of(tags=["redis"]))) == ["缓存/雪崩.md"]
    assert paths(search("night", filters=filters_of(path="kitchen/"))) == ["kitchen/bread.txt"]
    assert paths(search("night", filters=filters_of(path="*.md", before="2026-04-01"))) == ["缓存/雪崩.md"]
    assert paths(search("night", filters=filters_of(after="2100-01-01"))) == []
    with pytest.raises(UnknownChoice, match="Choices: vault"):
        search("night", filters=Filters(bases=("valut",)))


def test_a_hit_is_widened_as_far_as_its_note_goes(workspace: Workspace, folder: Path) -> None:
    text = samples.long_note(20)
    (folder / "long.md").write_text(text)
    synced(workspace, folder)
    chunks = workspace.chunks.all(workspace.search("word7", mode="keyword").hits[0].note.id)
    hit = workspace.search("word7", mode="keyword", expansion_size=1).hits[0]
    index = hit.chunk.index
    assert (hit.passage.start, hit.passage.end) == (chunks[index - 1].start, chunks[index + 1].end)
    assert hit.passage.text == text[hit.passage.start : hit.passage.end]
    first = workspace.search("word0", mode="keyword", expansion_size=3).hits[0]
    assert first.passage.start == chunks[0].start


@pytest.mark.parametrize("text", ["", "  \n", "status:x", "x" * 10_001, "half \ud800"])
def test_questions_that_can_not_be_asked(workspace: Workspace, text: str) -> None:
    with pytest.raises(QueryError):
        workspace.search(text)


def test_half_a_character_is_told_in_a_base_and_a_folder(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="an incomplete character"):
        workspace.bases.add("caf\udce9")
    base = workspace.bases.add("base")
    for store in (lambda text: workspace.question_sets.add(base.name, text), workspace.searches.add):
        with pytest.raises(StoreError, match="An incomplete character after 'caf'"):
            store("caf\udce9")
    folder = samples.write(tmp_path / "caf\udce9")
    with pytest.raises(SourceError, match="isn't valid text"):
        workspace.imports.plan_folder(folder, "base")


@pytest.mark.parametrize("text", ['say "', "NEAR(a b)", "a* OR", "缓" * 10_000, "word " * 2000, "🦀", "\x00a"])
def test_strange_questions_are_answered(workspace: Workspace, folder: Path, text: str) -> None:
    synced(workspace, folder)
    assert isinstance(workspace.search(text), SearchResult)


def test_options_out_of_range(workspace: Workspace) -> None:
    for limit in (0, -1):
        with pytest.raises(QueryError, match="number of hits"):
            workspace.search("x", limit=limit)
    with pytest.raises(QueryError, match="neighbouring passages"):
        workspace.search("x", expansion_size=4)
    with pytest.raises(UnknownChoice, match="auto, hybrid, keyword, semantic"):
        workspace.search("x", mode="fuzzy")  # type: ignore[arg-type]


def test_a_workspace_in_the_notes_folder_is_no_note(tmp_path: Path) -> None:
    folder = samples.write(tmp_path / "vault")
    with Workspace(folder / "workspace") as workspace:
        (folder / "workspace" / "x.md").write_text("inside")
        assert synced(workspace, folder).added == 3
        with pytest.raises(SourceError, match="inside"):
            workspace.imports.plan_folder(folder / "workspace")


def test_deleting_notes_and_bases(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    card = next(card for card in workspace.notes.all() if card.path == "backups.md")
    workspace.trash.put([card.id])
    with pytest.raises(NoteNotFound):
        workspace.notes.get(card.id)
    assert "backups.md" not in paths(workspace.search("pg_restore"))
    workspace.bases.delete_for_good("vault")
    assert workspace.bases.all() == []
    assert workspace.search("anything").hits == ()
    assert (folder / "backups.md").exists()


def test_searching_goes_on_during_an_import(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    synced(workspace, folder)
    more = tmp_path / "more"
    more.mkdir()
    for number in range(2):
        (more / f"{number}.md").write_text(samples.long_note(4).replace("word", f"note{number}word"))
    started = threading.Event()

    def work(progress):  # type: ignore[no-untyped-def]
        def told(done: float, total: float, what: str) -> None:
            progress(done, total, what)
            started.set()

        return workspace.imports.apply(workspace.imports.plan_folder(more), progress=told)

    workspace.jobs.start("import", work)
    started.wait(30)
    while workspace.jobs.running("import"):
        assert paths(workspace.search("pg_restore", filters=Filters(bases=("vault",))))[0] == "backups.md"
        threading.Event().wait(0.05)  # searches without a pause would take the processor from the import
    job = workspace.jobs.wait("import")
    assert job is not None
    assert job.result.added == 2


def test_a_reader_beside_the_writer(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    with Workspace(workspace.store.folder, readonly=True) as reader:
        for question in ("restore a backup", "缓存"):
            written, read = workspace.search(question).hits, reader.search(question).hits
            assert [hit.chunk.id for hit in written] == [hit.chunk.id for hit in read]


def test_questions_with_known_answers(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    synced(workspace, folder)
    file = tmp_path / "questions.jsonl"
    known = [
        ("数据库为什么突然扛不住", "缓存/雪崩.md", "请求全部落到数据库上"),
        ("how warm was the dough", "kitchen/bread.txt", "24 degrees"),
    ]
    lines = [
        {"id": str(number), "question": question, "gold": [{"path": path, "quote": quote}]}
        for number, (question, path, quote) in enumerate(known)
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    asked = workspace.question_sets.read("vault", file.read_bytes(), file.name)
    ((run, _),) = workspace.runs.measure("vault", asked, [Pipeline()])
    assert run.metrics["hit@1"] == run.metrics["mrr@10"] == 1.0


def test_a_preview_is_what_an_import_stores(workspace: Workspace, folder: Path) -> None:
    (folder / "long.md").write_text(samples.long_note(20))
    synced(workspace, folder)
    _, cut = Imports.preview(folder / "long.md", ChunkingOptions(), "bundled")
    card = next(card for card in workspace.notes.all() if card.path == "long.md")
    stored = workspace.chunks.all(card.id)
    assert [(chunk.start, chunk.end, chunk.text) for chunk in cut.chunks] == [
        (chunk.start, chunk.end, chunk.text) for chunk in stored
    ]
    assert card.strategy == cut.strategy == "markdown"


def test_a_search_has_an_index_that_was_away_tried_again(workspace: Workspace, folder: Path) -> None:
    synced(workspace, folder)
    workspace.store.index._fault(IndexAway("away"))  # type: ignore[union-attr]
    assert workspace.search("backups").hits
    workspace.jobs.wait("heal", 30)
    assert workspace.store.index.ready
    assert workspace.status().index_problem is None
