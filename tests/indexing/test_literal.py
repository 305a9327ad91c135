"""Literal bases: notes are split into sections and found by words; no model is loaded, no vector written."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import ConfigError, UnknownChoice
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.model import ChunkingOptions, Pipeline
from core.workspace import Workspace
from tests import samples
from tests.fakes import Unread


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workspace with the base `literal`; what its base names as its model must not be used."""
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    monkeypatch.setitem(EMBEDDERS._built, "bundled", Unread())
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.bases.add("literal", kind="literal", description="By words")
        yield workspace


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return samples.write(tmp_path / "vault")


def imported(workspace: Workspace, vault: Path) -> None:
    report = workspace.imports.apply(workspace.imports.plan_folder(vault, "literal"))
    assert (report.added, report.waiting, report.embedded_windows, report.failed) == (3, 0, 0, ())


def is_whole(workspace: Workspace) -> None:
    """Nothing of the base waits for a model, and nothing came out of one."""
    status = workspace.bases.status(workspace.bases.get("literal"))
    assert status.notes
    assert (status.windows, status.pending, status.waiting) == (0, 0, 0)
    assert workspace.store.database.value("SELECT count(*) FROM vectors") == 0


def test_it_is_split_by_headings_and_has_no_model(workspace: Workspace) -> None:
    made = workspace.bases.get("literal")
    assert (made.kind, made.embedder, made.has_vectors) == ("literal", "bundled", False)
    assert made.chunking == ChunkingOptions(strategy="markdown")
    with pytest.raises(ConfigError, match="has no model"):
        workspace.bases.add("other", kind="literal", embedder="words")
    with pytest.raises(UnknownChoice, match="Did you mean 'literal'"):
        workspace.bases.add("other", kind="litteral")  # type: ignore[arg-type]


def test_its_notes_are_imported_written_edited_and_split_again_without_a_model(
    workspace: Workspace, vault: Path
) -> None:
    imported(workspace, vault)
    (vault / "backups.md").write_text(samples.BACKUPS.replace("every night", "every hour"))
    assert workspace.imports.apply(workspace.imports.plan_folder(vault, "literal")).changed == 1
    note = workspace.notes.add("literal", "# Tea\n\nGreen tea at 80 degrees.", title="Tea")
    is_whole(workspace)
    chunks = workspace.chunks
    (chunk,) = chunks.all(note.id)
    edited = chunks.update(chunk.id, "Black tea at 95 degrees.")
    assert workspace.search("black tea", bases="literal").hits[0].chunk.id == edited
    first, second = chunks.split(edited, 9)
    chunks.restore(chunks.delete(first))
    assert chunks.add(note.id, "Oolong in between.", after=second)
    chunks.rechunk("literal", options=ChunkingOptions(strategy="recursive"))
    assert workspace.pending.embed("literal") == 0
    assert not workspace.pending.any()
    assert workspace.rebuild() == 0
    assert workspace.bases.chunking_cost("literal", ChunkingOptions()).to_embed == 0
    workspace.trash.put(note.id)
    assert not workspace.search("black tea", bases="literal").hits
    is_whole(workspace)


def test_it_comes_back_from_an_export_and_from_the_trash(workspace: Workspace, vault: Path) -> None:
    imported(workspace, vault)
    for form in ("zip", "json", "yaml"):
        data = workspace.archives.exported("literal", form)
        back = workspace.archives.restore_data(data, f"base.{form}", f"from {form}").base
        assert (back.kind, back.chunking.strategy) == ("literal", "markdown")
        assert workspace.bases.status(back).pending == 0
        assert workspace.search("restore", bases=back.name).hits
    workspace.bases.delete("literal")
    (deleted,) = workspace.archives.trash()
    workspace.archives.restore_deleted(deleted.key)
    is_whole(workspace)


def test_it_is_searched_beside_a_base_with_a_model(workspace: Workspace, vault: Path, tmp_path: Path) -> None:
    imported(workspace, vault)
    (other := tmp_path / "other").mkdir()
    (other / "meaning.md").write_text("# Restores\n\nA restore that nobody tried is none.")
    workspace.imports.apply(workspace.imports.plan_folder(other, "meaning"))
    result = workspace.search("restore database", reranker="none")
    scores = {(hit.note.base, hit.note.path): hit.scores for hit in result.hits}
    assert (result.mode, result.choice) == ("hybrid", None)
    assert scores["meaning", "meaning.md"]["vector"].score > 0
    assert "vector" not in scores["literal", "backups.md"]
    assert scores["literal", "backups.md"]["keyword"].rank == 1
    assert workspace.search("restore", mode="semantic").hits[0].note.base == "meaning"
    alone = workspace.search("restore", mode="semantic", reranker="late-interaction", bases="literal")
    assert (alone.mode, alone.reranker, alone.notices) == ("keyword", "", ())


def test_its_evaluation_asks_no_model(workspace: Workspace, vault: Path) -> None:
    imported(workspace, vault)
    questions = workspace.questions
    hit = workspace.search("restore an empty database", bases="literal").hits[0]
    assert hit.note.path == "backups.md"
    questions.mark(own := workspace.question_sets.add("literal", "own"), "restore an empty database", hit)
    smaller = Pipeline(chunking=ChunkingOptions(strategy="recursive", chunk_size=256))
    runs = workspace.runs.run(own, [Pipeline(), smaller])
    assert [run.metrics["mrr@10"] for run in runs] == [1.0, 1.0]
    assert runs[0].settings["mode"] == "keyword"
    with pytest.raises(ConfigError, match="only by keyword"):
        workspace.runs.run(own, [Pipeline(embedder="words")])


def test_a_model_makes_it_a_base_that_is_searched_by_meaning(workspace: Workspace, vault: Path) -> None:
    imported(workspace, vault)
    assert workspace.switches.cost("literal", "words").to_embed > 0
    workspace.switches.begin("literal", "words")
    base = workspace.switches.run("literal")
    assert (base.kind, base.embedder) == ("vector", "words")
    status = workspace.bases.status(base)
    assert status.windows >= status.chunks
    assert status.pending == 0
    assert workspace.search("restore", bases="literal", reranker="none").mode == "hybrid"


def test_nothing_is_loaded_for_it_when_the_app_starts(workspace: Workspace, vault: Path) -> None:
    imported(workspace, vault)
    workspace.models.start_warming()
    warmed = workspace.jobs.wait("warm", 30)
    assert warmed
    assert warmed.state == "done"
    assert workspace.models.loaded
