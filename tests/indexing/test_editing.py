"""A person's work on chunks, from the workspace down to what a search answers."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from core import embedding
from core.base.errors import (
    Cancelled,
    ChunkNotFound,
    ConfigError,
    EditError,
    NoteNotFound,
    SourceError,
    UnknownChoice,
    WorkspaceLocked,
)
from core.doors import cli
from core.model import Chunk, ChunkingOptions, NoteSummary, SyncReport
from core.workspace import Workspace
from tests.fakes import WordLengths

LINES = ChunkingOptions(strategy="lines")
WHOLE = ChunkingOptions(strategy="none")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> WordLengths:
    fake = WordLengths()
    monkeypatch.setitem(embedding.EMBEDDERS._built, "fake", fake)
    monkeypatch.setenv("TESSERA_EMBEDDER", "fake")
    return fake


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    for name in "abcde":
        (folder / f"{name}.md").write_text("".join(f"{name}{number} line of the note\n" for number in range(6)))
    return folder


@pytest.fixture
def workspace(tmp_path: Path, model: WordLengths, folder: Path) -> Iterator[Workspace]:
    """Five notes of six lines, each line a chunk."""
    with Workspace(tmp_path / "workspace") as workspace:
        synced(workspace, folder)
        workspace.chunks.rechunk("vault", options=LINES)
        model.embedded.clear()
        yield workspace


def synced(workspace: Workspace, folder: Path) -> SyncReport:
    return workspace.imports.apply(workspace.imports.plan_folder(folder), confirmed=True)


def card(workspace: Workspace, name: str = "a") -> NoteSummary:
    return next(card for card in workspace.notes.all() if card.path == f"{name}.md")


def chunks(workspace: Workspace, name: str = "a") -> list[Chunk]:
    return workspace.chunks.all(card(workspace, name).id)


def shown(workspace: Workspace, name: str = "a") -> list[str]:
    """The first word of each chunk: edited ones with a star, deleted ones with a minus."""
    return [
        ("-" if chunk.state == "deleted" else "") + ("*" if chunk.edited else "") + chunk.text.split()[0]
        for chunk in chunks(workspace, name)
    ]


def found(workspace: Workspace, question: str, mode: str = "keyword") -> list[str]:
    return [hit.chunk.text for hit in workspace.search(question, mode=mode, limit=50).hits]


# acts


def test_a_search_sees_the_edited_text_and_not_the_old(workspace: Workspace, model: WordLengths) -> None:
    name = workspace.chunks.update(chunks(workspace)[1].id, "herons instead")
    assert model.embedded == ["a\nherons instead"]
    assert found(workspace, "herons") == ["herons instead"]
    assert found(workspace, "a1") == []
    assert "herons instead" in found(workspace, "herons instead", "semantic")
    assert not any(text.startswith("a1 ") for text in found(workspace, "line of the note", "semantic"))
    (hit,) = workspace.search("herons", mode="keyword").hits
    assert (hit.chunk.id, hit.chunk.edited, hit.chunk.index, hit.chunk.state) == (name, True, 1, "embedded")
    assert hit.passage.text == "herons instead"
    assert workspace.notes.get(hit.note.id).body[hit.chunk.start : hit.chunk.end] == "a1 line of the note"


def test_the_context_of_a_hit_shows_the_note_as_it_was_edited(workspace: Workspace) -> None:
    workspace.chunks.update(chunks(workspace)[1].id, "herons instead")
    workspace.chunks.delete(chunks(workspace)[3].id)
    workspace.chunks.add(card(workspace).id, "geese added", after=chunks(workspace)[4].id)

    def context(question: str, size: int) -> str:
        return workspace.search(question, mode="keyword", expansion_size=size).hits[0].passage.text

    assert context("a2", 1) == "herons instead\na2 line of the note\n\na4 line of the note"
    assert context("geese", 1) == "a4 line of the note\n\ngeese added\n\na5 line of the note"
    assert context("a0", 1) == "a0 line of the note\nherons instead"
    assert context("b1", 1) == "b0 line of the note\nb1 line of the note\nb2 line of the note"
    workspace.chunks.delete(chunks(workspace, "c")[1].id)
    assert context("c0", 1) == "c0 line of the note\n\nc2 line of the note"


@pytest.mark.usefixtures("any_size")
def test_the_context_doubles_no_text_that_chunks_share(workspace: Workspace, folder: Path) -> None:
    (folder / "f.md").write_text(" ".join(f"Sentence {number} stands here." for number in range(12)))
    synced(workspace, folder)
    workspace.chunks.rechunk("vault", options=ChunkingOptions(strategy="recursive", chunk_size=12, chunk_overlap=4))
    cut = chunks(workspace, "f")
    assert cut[2].start < cut[1].end
    workspace.chunks.update(cut[0].id, "Mine.")
    (hit,) = workspace.search("mine", mode="keyword", expansion_size=2).hits
    body = workspace.notes.get(hit.note.id).body
    assert hit.passage.text == "Mine. " + body[cut[0].end : cut[2].end].lstrip()


def test_a_deleted_chunk_answers_nothing_until_it_is_restored(workspace: Workspace, model: WordLengths) -> None:
    for delete in (chunks(workspace)[1].id, workspace.chunks.update(chunks(workspace)[3].id, "herons")):
        name = workspace.chunks.delete(delete)
        (chunk,) = (chunk for chunk in chunks(workspace) if chunk.state == "deleted")
        word = chunk.text.split()[0]
        assert chunk.id == name
        assert found(workspace, word) == []
        assert chunk.text not in found(workspace, chunk.text, "semantic")
        assert card(workspace).state == "ready"
        workspace.chunks.restore(name)
        assert found(workspace, word) == [chunk.text]
    assert workspace.store.chunks.count(workspace.bases.get("vault")).windows == 30


def test_an_addition_after_an_addition_returns_its_own_id(workspace: Workspace) -> None:
    first = workspace.chunks.add(card(workspace).id, "first addition")
    second = workspace.chunks.add(card(workspace).id, "second addition", after=first)
    texts = {chunk.id: chunk.text for chunk in chunks(workspace)}
    assert (texts[first], texts[second]) == ("first addition", "second addition")


def test_acts_change_their_note_only_and_embed_only_new_texts(workspace: Workspace, model: WordLengths) -> None:
    before = {name: chunks(workspace, name) for name in "bcde"}
    workspace.chunks.merge(chunks(workspace)[0].id)
    workspace.chunks.split(chunks(workspace)[1].id, 8)
    workspace.chunks.add(card(workspace).id, "added")
    assert shown(workspace) == ["*a0", "*a2", "*of", "a3", "a4", "a5", "*added"]
    texts = ["a\na0 line of the note\na1 line of the note", "a\na2 line", "a\nof the note", "a\nadded"]
    assert sorted(model.embedded) == sorted(texts)
    assert {name: chunks(workspace, name) for name in "bcde"} == before


def test_an_act_that_fails_changes_nothing(
    workspace: Workspace, model: WordLengths, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, edits = chunks(workspace), workspace.chunks.edits()

    def failing(texts: object, *, role: str) -> object:
        raise SourceError("model", "is gone")

    monkeypatch.setattr(model, "embed", failing)
    with pytest.raises(SourceError):
        workspace.chunks.update(before[0].id, "new words")
    assert (chunks(workspace), workspace.chunks.edits()) == (before, edits)


def test_a_text_too_large_to_be_cut_is_refused(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.markdown.parser.MAX_LINES", 50)
    with pytest.raises(SourceError, match="line"):
        workspace.chunks.update(chunks(workspace)[0].id, "x\n" * 60)
    assert workspace.chunks.edits() == []


def test_an_edited_file_costs_no_second_look(workspace: Workspace, folder: Path) -> None:
    workspace.chunks.update(chunks(workspace)[1].id, "mine")
    plan = workspace.imports.plan_folder(folder)
    assert plan.is_empty
    assert len(plan.unchanged) + len(plan.touched) == 5


@pytest.mark.parametrize(
    "act",
    [
        lambda workspace, chunk: workspace.chunks.update(chunk.id, "x"),
        lambda workspace, chunk: workspace.chunks.merge(chunk.id),
        lambda workspace, chunk: workspace.chunks.delete(chunk.id),
        lambda workspace, chunk: workspace.chunks.add(chunk.note_id, "x"),
        lambda workspace, chunk: workspace.chunks.resolve("x", "drop"),
        lambda workspace, chunk: workspace.chunks.rechunk("vault"),
        lambda workspace, chunk: workspace.chunks.rechunk(note_ids=[chunk.note_id], options=WHOLE),
        lambda workspace, chunk: workspace.pending.embed("vault"),
        lambda workspace, chunk: workspace.bases.update("vault", embed_at_once=False),
    ],
)
def test_a_workspace_open_for_reading_refuses(workspace: Workspace, act: Callable[[Workspace, Chunk], object]) -> None:
    with Workspace(workspace.store.folder, readonly=True) as reader:
        with pytest.raises(WorkspaceLocked):
            act(reader, chunks(reader)[0])
        assert not reader.status().index_problem


def test_what_is_not_there(workspace: Workspace) -> None:
    other = chunks(workspace, "b")[0].id
    with pytest.raises(ChunkNotFound, match="Look up the chunk"):
        workspace.chunks.update("nothing", "x")
    with pytest.raises(ChunkNotFound):
        workspace.pending.embed(chunk_ids=["nothing"])
    with pytest.raises(ChunkNotFound):
        workspace.chunks.add(card(workspace).id, "x", after=other)
    with pytest.raises(NoteNotFound):
        workspace.chunks.add("nothing", "x")
    with pytest.raises(NoteNotFound):
        workspace.chunks.rechunk(note_ids=["nothing"])
    with pytest.raises(EditError, match="no edit 'nothing'"):
        workspace.chunks.resolve("nothing", "drop")
    with pytest.raises(UnknownChoice, match="drop, keep"):
        workspace.chunks.resolve("nothing", "burn")  # type: ignore[arg-type]
    workspace.chunks.update(other, "mine")
    with pytest.raises(EditError, match="still matches"):
        workspace.chunks.resolve(workspace.chunks.edits()[0].id, "drop")
    with pytest.raises(EditError, match="empty"):
        workspace.chunks.update(chunks(workspace)[0].id, "  ")


# what edits survive


def ten_edits(workspace: Workspace) -> None:
    for name in "abcde":
        workspace.chunks.update(chunks(workspace, name)[0].id, f"mine-{name} edited")
    workspace.chunks.merge(chunks(workspace, "a")[2].id)
    workspace.chunks.split(chunks(workspace, "b")[2].id, 8)
    workspace.chunks.delete(chunks(workspace, "c")[3].id)
    workspace.chunks.add(card(workspace, "d").id, "added-d here", after=chunks(workspace, "d")[2].id)


EDITED = {
    "a": ["*mine-a", "a1", "*a2", "a4", "a5"],
    "b": ["*mine-b", "b1", "*b2", "*of", "b3", "b4", "b5"],
    "c": ["*mine-c", "c1", "c2", "-c3", "c4", "c5"],
    "d": ["*mine-d", "d1", "d2", "*added-d", "d3", "d4", "d5"],
    "e": ["*mine-e", "e1", "e2", "e3", "e4", "e5"],
}


def test_ten_edits_over_five_notes_survive(workspace: Workspace, folder: Path, model: WordLengths) -> None:
    ten_edits(workspace)
    assert len(workspace.chunks.edits()) == 10
    assert {name: shown(workspace, name) for name in "abcde"} == EDITED
    # other parameters
    report = workspace.chunks.rechunk("vault", options=WHOLE)
    assert (report.notes, report.flagged, report.failed) == (5, 0, ())
    assert shown(workspace, "c") == ["*mine-c", "c1", "-c3", "c4"]
    assert shown(workspace, "b") == ["*mine-b", "b1", "*b2", "*of", "b3"]
    assert found(workspace, "c3") == []
    workspace.chunks.rechunk("vault", options=LINES)
    assert {name: shown(workspace, name) for name in "abcde"} == EDITED
    # a changed file whose anchors are as they were
    for name in "abcde":
        file = folder / f"{name}.md"
        file.write_text("A new first line\n" + file.read_text().replace("5 line", "5 changed line"))
    report = synced(workspace, folder)
    assert (report.changed, report.edits_flagged) == (5, 0)
    assert {name: shown(workspace, name) for name in "abcde"} == {name: ["A", *texts] for name, texts in EDITED.items()}
    # a renamed file
    (folder / "a.md").rename(folder / "f.md")
    synced(workspace, folder)
    assert shown(workspace, "f") == ["A", *EDITED["a"]]
    # a restart and a rebuild
    before = workspace.chunks.all(card(workspace, "d").id)
    workspace.close()
    shutil.rmtree(workspace.store.folder / "chroma")
    with Workspace(workspace.store.folder) as again:
        assert again.rebuild() == sum(
            chunk.state == "embedded" for note in again.notes.all() for chunk in again.chunks.all(note.id)
        )
        assert again.chunks.all(card(again, "d").id) == before
        assert found(again, "mine-e edited", "semantic")
        assert found(again, "added") == ["added-d here"]
        assert again.chunks.flagged() == []


def test_edits_whose_text_is_gone_are_flagged_and_wait_for_a_decision(workspace: Workspace, folder: Path) -> None:
    ten_edits(workspace)
    for name in "abcde":
        (folder / f"{name}.md").write_text("Everything was written anew\n")
    assert synced(workspace, folder).edits_flagged == 10
    assert len(workspace.chunks.edits()) == len(workspace.chunks.flagged()) == 10
    assert all(shown(workspace, name) == ["Everything"] for name in "abcde")
    assert {waiting.note.path for waiting in workspace.chunks.flagged() if waiting.note} == {
        f"{name}.md" for name in "abcde"
    }
    by_text = {waiting.edit.text: waiting.edit.id for waiting in workspace.chunks.flagged()}
    workspace.chunks.resolve(by_text["mine-a edited"], "keep")
    workspace.chunks.resolve(by_text["mine-b edited"], "drop")
    assert shown(workspace, "a") == ["Everything", "*mine-a"]
    assert found(workspace, "mine-a") == ["mine-a edited"]
    assert (len(workspace.chunks.edits()), len(workspace.chunks.flagged())) == (9, 8)
    # the text comes back
    (folder / "d.md").write_text("".join(f"d{number} line of the note\n" for number in range(6)))
    synced(workspace, folder)
    assert shown(workspace, "d") == EDITED["d"]
    assert len(workspace.chunks.flagged()) == 6


def test_a_removed_file_s_edits_wait_for_it_and_a_deleted_note_s_go_with_the_trash(
    workspace: Workspace, folder: Path
) -> None:
    ten_edits(workspace)
    text = (folder / "a.md").read_text()
    (folder / "a.md").unlink()
    report = synced(workspace, folder)
    assert (report.removed, report.edits_kept, report.edits_flagged) == (1, 2, 0)
    waiting = workspace.chunks.flagged()
    assert [(item.edit.kind, item.note) for item in waiting] == [("text", None), ("merge", None)]
    with pytest.raises(NoteNotFound):
        workspace.chunks.resolve(waiting[0].edit.id, "keep")
    workspace.chunks.resolve(waiting[1].edit.id, "drop")
    (folder / "a.md").write_text(text)
    synced(workspace, folder)
    assert shown(workspace, "a") == ["*mine-a", "a1", "a2", "a3", "a4", "a5"]
    assert workspace.chunks.flagged() == []
    workspace.trash.put([card(workspace, "a").id])
    (folder / "a.md").write_text(text + "\n")
    synced(workspace, folder)
    assert shown(workspace, "a") == ["*mine-a", "a1", "a2", "a3", "a4", "a5"]
    note_id = card(workspace, "a").id
    workspace.trash.put([note_id])
    workspace.trash.delete_for_good([note_id])
    synced(workspace, folder)
    assert "a.md" not in {other.path for other in workspace.notes.all()}
    (folder / "a.md").write_text(text + "\n\n")
    synced(workspace, folder)
    assert shown(workspace, "a") == ["a0", "a1", "a2", "a3", "a4", "a5"]
    workspace.bases.delete_for_good("vault")
    assert workspace.chunks.edits() == []


def test_an_edit_made_while_an_import_runs_is_not_lost(workspace: Workspace, folder: Path) -> None:
    for name in "abcde":
        (folder / f"{name}.md").write_text("New first line\n" + (folder / f"{name}.md").read_text())
    asked: list[str] = []
    steps = count()

    def meanwhile(done: float, total: float, what: object) -> None:
        if next(steps) == 3:
            asked.append(workspace.chunks.update(chunks(workspace)[3].id, "mine, meanwhile"))

    workspace.imports.apply(workspace.imports.plan_folder(folder), progress=meanwhile)
    assert asked
    assert shown(workspace) == ["New", "a0", "a1", "a2", "*mine,", "a4", "a5"]
    assert found(workspace, "meanwhile") == ["mine, meanwhile"]
    base = workspace.bases.get("vault")
    expected = {key for ids, _ in workspace.store.chunks.windows(base) for key in ids}
    assert workspace.store.index.ids(base) == expected


# cutting anew


def test_rechunking_a_base_keeps_its_options_and_embeds_only_new_texts(
    workspace: Workspace, folder: Path, model: WordLengths
) -> None:
    assert workspace.bases.get("vault").chunking == LINES
    again = workspace.chunks.rechunk("vault", options=LINES)
    assert (again.notes, again.unchanged, again.embedded_windows) == (0, 5, 0)
    forced = workspace.chunks.rechunk("vault")
    assert (forced.notes, forced.chunks, forced.embedded_windows) == (5, 30, 0)
    whole = workspace.chunks.rechunk("vault", options=WHOLE)
    assert (whole.notes, whole.chunks) == (5, 5)
    assert whole.embedded_windows == len(set(model.embedded))
    (folder / "f.md").write_text("f0 line\nf1 line\n")
    synced(workspace, folder)
    assert shown(workspace, "f") == ["f0"]
    for wrong in (ChunkingOptions(strategy="magic"), ChunkingOptions(strategy="recursive", chunk_size=0)):
        with pytest.raises(ConfigError):
            workspace.chunks.rechunk("vault", options=wrong)
    assert workspace.bases.get("vault").chunking == WHOLE


@pytest.mark.usefixtures("any_size")
def test_a_note_may_be_cut_in_its_own_way(workspace: Workspace, folder: Path) -> None:
    assert workspace.chunks.rechunk(note_ids=[card(workspace).id], options=WHOLE).chunks == 1
    assert (shown(workspace), len(shown(workspace, "b"))) == (["a0"], 6)
    workspace.chunks.update(chunks(workspace)[0].id, "mine")
    workspace.chunks.restore(chunks(workspace)[0].id)
    (folder / "a.md").write_text("other\nlines\n")
    synced(workspace, folder)
    assert shown(workspace) == ["other"]
    tiny = ChunkingOptions(strategy="recursive", chunk_size=5, chunk_overlap=0)
    report = workspace.chunks.rechunk("vault", options=tiny)
    assert (report.notes, report.unchanged) == (4, 1)
    assert shown(workspace) == ["other"]
    workspace.chunks.rechunk("vault", options=LINES)
    assert shown(workspace) == ["other"]
    workspace.chunks.rechunk(note_ids=[card(workspace).id], options=LINES)
    assert shown(workspace) == ["other", "lines"]
    workspace.chunks.rechunk("vault", options=WHOLE)
    assert shown(workspace) == ["other"]


def test_a_stopped_rechunking_is_completed_by_the_next(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.indexing.indexer._GROUP", 1)

    def stop(done: float, total: float, what: str) -> None:
        if what == "c":
            raise Cancelled

    with pytest.raises(Cancelled):
        workspace.chunks.rechunk("vault", options=WHOLE, progress=stop)
    assert [len(shown(workspace, name)) for name in "abcde"] == [1, 1, 6, 6, 6]
    assert workspace.chunks.rechunk("vault", options=WHOLE).notes == 3


def test_a_preview_shows_the_edits(workspace: Workspace) -> None:
    workspace.chunks.update(chunks(workspace)[1].id, "mine")
    note = workspace.notes.get(card(workspace).id)
    cut = workspace.chunks.cut(note, WHOLE, "fake")
    assert [chunk.text.split()[0] for chunk in cut.chunks] == ["a0", "mine", "a2"]
    assert shown(workspace) == ["a0", "*mine", "a2", "a3", "a4", "a5"]


# states


def test_a_base_that_embeds_when_told(workspace: Workspace, folder: Path, model: WordLengths) -> None:
    workspace.bases.update("vault", embed_at_once=False)
    assert not workspace.bases.get("vault").embed_at_once
    (folder / "f.md").write_text("f0 herons\nf1 geese\n")
    synced(workspace, folder)
    assert model.embedded == []
    assert [chunk.state for chunk in chunks(workspace, "f")] == ["pending", "pending"]
    assert (card(workspace, "f").state, card(workspace, "f").pending, card(workspace, "a").state) == (
        "pending",
        2,
        "ready",
    )
    assert workspace.status().bases[0].pending == 2
    assert found(workspace, "herons") == ["f0 herons"]
    assert found(workspace, "herons", "hybrid")[0] == "f0 herons"
    assert not any("herons" in text for text in found(workspace, "f0 herons", "semantic"))
    assert workspace.pending.embed(chunk_ids=[chunks(workspace, "f")[0].id]) == 1
    assert model.embedded == ["f\nf0 herons"]
    assert [chunk.state for chunk in chunks(workspace, "f")] == ["embedded", "pending"]
    assert "f0 herons" in found(workspace, "f0 herons", "semantic")
    assert workspace.pending.embed(note_ids=[card(workspace, "f").id]) == 1
    assert workspace.pending.embed(note_ids=[card(workspace, "f").id]) == 0
    assert card(workspace, "f").state == "ready"


def test_only_what_changed_becomes_pending_again(workspace: Workspace, folder: Path, model: WordLengths) -> None:
    workspace.bases.update("vault", embed_at_once=False)
    workspace.chunks.update(chunks(workspace)[1].id, "mine")
    workspace.chunks.delete(chunks(workspace)[2].id)
    (folder / "b.md").write_text((folder / "b.md").read_text() + "b6 new line\n")
    synced(workspace, folder)
    expected = ["embedded", "pending", "deleted", "embedded", "embedded", "embedded"]
    assert [chunk.state for chunk in chunks(workspace)] == expected
    assert [chunk.state for chunk in chunks(workspace, "b")] == ["embedded"] * 6 + ["pending"]
    assert model.embedded == []
    assert workspace.pending.embed("vault") == 2
    assert sorted(model.embedded) == ["a\nmine", "b\nb6 new line"]
    workspace.chunks.update(chunks(workspace)[1].id, "mine again")
    assert chunks(workspace)[1].state == "pending"
    workspace.bases.update("vault", embed_at_once=True)
    assert chunks(workspace)[1].state == "pending"
    workspace.chunks.rechunk("vault")
    assert card(workspace).state == "ready"


@pytest.mark.usefixtures("any_size")
def test_the_command_line_cuts_a_base_anew(
    workspace: Workspace, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--workspace", str(workspace.store.folder), "--json"]
    workspace.chunks.update(chunks(workspace)[1].id, "mine")
    workspace.close()

    def run(*arguments: str) -> dict[str, object]:
        with pytest.raises(SystemExit, match="0"):
            cli.main([*arguments, *where])
        return json.loads(capsys.readouterr().out)

    with pytest.raises(SystemExit, match="1"):
        cli.main(["rechunk", "--base", "vault", "--strategy", "recursive", "--chunk-size", "5", *where])
    assert "chunk_overlap) is 100" in capsys.readouterr().err
    sizes = ["--chunk-size", "5", "--chunk-overlap", "0"]
    report = run("rechunk", "--base", "vault", "--strategy", "recursive", *sizes)
    assert (report["notes"], report["unchanged"], report["flagged"], report["failed"]) == (5, 0, 0, [])
    assert run("rechunk", "--base", "vault", *sizes)["unchanged"] == 5
    assert run("rechunk", "--base", "vault")["notes"] == 5
    (hit,) = run("search", "mine", "--mode", "keyword")["hits"]
    assert (hit["edited"], hit["text"]) == (True, "mine")
    assert run("status")["bases"][0]["pending"] == 0
    (folder / "a.md").unlink()
    assert run("import", str(folder))["edits_kept"] == 1


def test_a_base_can_be_made_before_its_notes(workspace: Workspace, folder: Path, model: WordLengths) -> None:
    workspace.bases.add("slow", embed_at_once=False)
    workspace.imports.apply(workspace.imports.plan_folder(folder, "slow"))
    assert model.embedded == []
    assert workspace.pending.embed("slow") == 5
    with pytest.raises(ConfigError, match="slow"):
        workspace.bases.add("slow")


def test_chunks_are_edited_while_another_base_is_imported(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    started, go = threading.Event(), threading.Event()

    def progress(done: float, total: float, what: object) -> None:
        started.set()
        assert go.wait(30)

    note = card(workspace)
    with ThreadPoolExecutor() as elsewhere:
        running = elsewhere.submit(workspace.imports.apply, workspace.imports.plan_folder(other), progress=progress)
        try:
            assert started.wait(30)
            workspace.chunks.update(workspace.chunks.all(note.id)[0].id, "the quick zanzibar fox")
            workspace.chunks.delete(workspace.chunks.all(note.id)[1].id)
            go.set()
            for _ in range(3):
                workspace.chunks.merge(workspace.chunks.all(note.id)[2].id)
        finally:
            go.set()
        assert running.result(30).added == 5
    edited = workspace.chunks.all(note.id)
    assert [chunk.state for chunk in edited] == ["embedded", "deleted", "embedded"]
    assert [chunk.text.count("line") for chunk in edited] == [0, 1, 4]
    assert [hit.chunk.id for hit in workspace.search("zanzibar", mode="keyword").hits] == [edited[0].id]
    for base in workspace.bases.all():
        windows = {key for ids, _ in workspace.store.chunks.windows(base) for key in ids}
        assert workspace.store.index.ids(base) == windows


def test_edits_are_given_back_as_they_were_unless_others_came_after(workspace: Workspace) -> None:
    note_id, before = card(workspace).id, chunks(workspace)
    workspace.chunks.update(before[0].id, "other words")
    first = workspace.chunks.edits(note_id)
    workspace.chunks.merge(before[1].id, before[2].id)
    second = workspace.chunks.edits(note_id)
    with pytest.raises(EditError):
        workspace.chunks.revert(note_id, [], expected=first)
    workspace.chunks.revert(note_id, first, expected=second)
    assert workspace.chunks.edits(note_id) == first
    workspace.chunks.revert(note_id, [], expected=first)
    assert [chunk.text for chunk in chunks(workspace)] == [chunk.text for chunk in before]
