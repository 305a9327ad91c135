"""An import is searched by words at once, and by meaning as its chunks are embedded."""

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import embedding
from core.base.errors import Cancelled, EmbeddingMismatch, ModelError
from core.embedding.tokens import TYPICAL
from core.model import ChunkingOptions, Matrix, Mode, NoteSummary, Role, SyncReport
from core.workspace import Workspace
from tests.fakes import WordTokens
from tests.waiting import wait_until

NOTES = 40


class Watched(WordTokens):
    """An embedder that calls `before` ahead of each batch of notes."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Callable[[], object] = lambda: None

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        if texts[0] in TYPICAL:  # for the centre of the token bits
            return super().embed(texts, role="query")
        if role == "note":
            self.before()
        return super().embed(texts, role=role)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Watched:
    model = Watched()
    monkeypatch.setitem(embedding.EMBEDDERS._built, "watched", model)
    monkeypatch.setenv("TESSERA_EMBEDDER", "watched")
    monkeypatch.setattr("core.indexing.embed_queue._BLOCK", 8)
    return model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    for number in range(NOTES):
        write(folder, number, f"number{number} says {'w' * (number % 7 + 1)}")
    return folder


@pytest.fixture
def workspace(tmp_path: Path, model: Watched) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


def write(folder: Path, number: int, text: str) -> None:
    """Write a note; those with lower numbers are newer."""
    head = f"---\nupdated: 2026-01-{28 - number // 2:02}T{12 - number % 2:02}:00:00Z\n---\n"
    (folder / f"{number}.md").write_text(head + text)


def synced(workspace: Workspace, folder: Path, **more: Any) -> SyncReport:
    return workspace.imports.apply(workspace.imports.plan_folder(folder), **more)


def card(workspace: Workspace, number: int) -> NoteSummary:
    return workspace.notes.find(f"{number}.md")


def found(workspace: Workspace, text: str, mode: Mode = "keyword") -> list[str | None]:
    return [hit.note.path for hit in workspace.search(text, mode=mode, limit=NOTES).hits]


def waiting(workspace: Workspace) -> int:
    return workspace.status().bases[0].waiting


def whole(workspace: Workspace) -> bool:
    """Whether the index holds the windows of the database and no others."""
    base = workspace.bases.get("vault")
    return workspace.store.index.ids(base) == {key for ids, _ in workspace.store.chunks.windows(base) for key in ids}


def stop_at(share: float) -> Callable[..., None]:
    def progress(done: float, total: float, what: object) -> None:
        if done / total > share:
            raise Cancelled

    return progress


def test_words_find_every_note_before_the_first_is_embedded(
    workspace: Workspace, folder: Path, model: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.indexing.embed_queue._COUNTING", math.inf)  # each report counts
    states: list[tuple[int, int]] = []
    messages: list[str] = []
    model.before = lambda: states.append((len(found(workspace, "says")), len(found(workspace, "says", "semantic"))))
    report = synced(workspace, folder, progress=lambda done, total, what: messages.append(str(what)))
    assert states[0] == (NOTES, 0)
    assert [words for words, _ in states] == [NOTES] * len(states)
    assert 0 < states[len(states) // 2][1] < NOTES
    assert (report.added, report.waiting, report.embedded_windows) == (NOTES, 0, NOTES)
    assert "16 of 40 notes can be searched by keyword, 0 by meaning" in messages
    assert "40 of 40 notes can be searched by keyword, 16 by meaning" in messages
    assert whole(workspace)


def test_the_newest_notes_come_first_and_before_them_those_that_a_person_opens(
    workspace: Workspace, folder: Path, model: Watched
) -> None:
    def open_one() -> None:
        if len(model.embedded) == 8:
            workspace.notes.get(card(workspace, 39).id)

    model.before = open_one
    synced(workspace, folder)
    numbers = [int(text.split("number")[1].split()[0]) for text in model.embedded]
    assert {*numbers[:8]} == {*range(8)}
    assert 39 in numbers[16:18]
    assert len(numbers) == NOTES


def test_the_last_changed_notes_come_first_then_short_ones_then_long_ones(
    workspace: Workspace, folder: Path, model: Watched
) -> None:
    workspace.bases.add("vault", chunking=ChunkingOptions(strategy="lines"))
    for number in (3, 22, 25):
        write(folder, number, "\n\n".join(f"number{number} says {part}" for part in "abc"))
    synced(workspace, folder)
    numbers = [*dict.fromkeys(int(text.split("number")[1].split()[0]) for text in model.embedded)]
    assert {*numbers[:20]} == {*range(20)}
    assert {*numbers[20:38]} == {*range(20, NOTES)} - {22, 25}
    assert numbers[38:] == [22, 25]


def test_progress_is_that_of_the_text_so_that_long_notes_are_no_surprise(
    workspace: Workspace, folder: Path, model: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.indexing.embed_queue._COUNTING", math.inf)  # each report counts
    workspace.bases.add("vault", chunking=ChunkingOptions(strategy="lines"))
    for number in (22, 25):
        write(folder, number, "\n\n".join(f"number{number} says {part * 2_000}" for part in "abc"))
    shares: dict[int, float] = {}
    synced(workspace, folder, progress=lambda done, total, what: shares.update({len(model.embedded): done / total}))
    assert shares[NOTES - 2] < 0.4
    assert [*shares.values()] == sorted(shares.values())
    assert shares[NOTES + 4] == 1


def beside(model: Watched, after: int, work: Callable[[], object], joins: Callable[[], bool]) -> list[int]:
    """Do work in a thread once so many texts are embedded; return how many were when it had ended.

    What embeds waits until `joins` says that the work waits for it.
    """
    ends: list[int] = []
    thread = threading.Thread(target=lambda: (work(), ends.append(len(model.embedded))))

    def before() -> None:
        if len(model.embedded) >= after and not thread.ident:
            thread.start()
            wait_until(joins)

    model.before = before
    return ends


@pytest.mark.parametrize("base", ["vault", "other"])
@pytest.mark.parametrize("door", ["note", "import"])
def test_one_line_beside_an_import_is_stored_at_once_and_indexed_next(
    workspace: Workspace, folder: Path, model: Watched, tmp_path: Path, door: str, base: str
) -> None:
    (one := tmp_path / "one").mkdir()
    write(one, NOTES, "a heron line")
    states: list[tuple[int, int]] = []

    def work() -> None:
        if door == "note":
            workspace.notes.add(base, "a heron line")
        else:
            workspace.imports.apply(workspace.imports.plan_folder(one, base))
        states.append((len(found(workspace, "heron")), len(found(workspace, "heron line", "semantic")[:1])))

    waits = lambda: workspace.store.pending.turn.urgent and len(found(workspace, "heron")) == 1  # noqa: E731
    ends = beside(model, 8, work, waits)
    report = synced(workspace, folder)
    wait_until(lambda: bool(ends))
    place = next(number for number, text in enumerate(model.embedded) if "heron" in text)
    assert place <= 16
    assert states == [(1, 1)]
    assert (report.added, report.waiting, report.indexed) == (NOTES, 0, NOTES)


def test_two_imports_of_one_folder_at_a_time_store_each_note_once(
    workspace: Workspace, folder: Path, model: Watched
) -> None:
    plans = [workspace.imports.plan_folder(folder) for _ in range(3)]
    with ThreadPoolExecutor() as threads:
        reports = [*threads.map(workspace.imports.apply, plans)]
    assert sorted(report.added for report in reports) == [0, 0, NOTES]
    assert len(model.embedded) == NOTES
    assert {len(workspace.versions.all(card.id)) for card in workspace.notes.all()} == {1}


def test_who_stops_while_another_thread_embeds_leaves_the_turn_to_others(
    workspace: Workspace, folder: Path, model: Watched
) -> None:
    synced(workspace, folder, embed=False)
    stopped: list[bool] = []

    def stop() -> None:
        with suppress(Cancelled):
            workspace.pending.embed("vault", progress=stop_at(-1))
        stopped.append(True)

    ends = beside(model, 8, stop, lambda: bool(stopped))
    assert workspace.pending.embed_rest() == NOTES
    wait_until(lambda: bool(ends))
    assert not workspace.store.pending.turn.lock.locked()


def test_stopped_it_keeps_what_was_done_and_the_next_import_goes_on(
    workspace: Workspace, folder: Path, model: Watched
) -> None:
    stopped = synced(workspace, folder, progress=stop_at(0.5))
    assert stopped.added == NOTES
    assert 0 < stopped.waiting == waiting(workspace) < NOTES
    assert len(found(workspace, "says", "semantic")) == NOTES - stopped.waiting == stopped.embedded_windows
    assert whole(workspace)
    again = synced(workspace, folder)
    assert (again.unchanged, again.waiting, again.embedded_windows) == (NOTES, 0, stopped.waiting)
    assert len(model.embedded) == NOTES


def test_stopped_while_it_writes_it_removes_nothing(
    workspace: Workspace, folder: Path, model: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(workspace, folder)
    (folder / "0.md").unlink()
    for number in range(NOTES, NOTES + 8):
        (folder / f"{number}.md").write_text(f"number{number} says")
    monkeypatch.setattr("core.indexing.indexer._WRITTEN", 2)
    stopped = synced(workspace, folder, progress=stop_at(0.02))
    assert (stopped.removed, found(workspace, "number0")) == (0, ["0.md"])
    assert 0 < stopped.added < 8
    assert stopped.waiting == stopped.added
    completed = synced(workspace, folder)
    assert (completed.added, completed.removed, completed.waiting) == (8 - stopped.added, 1, 0)


def test_an_embedder_that_fails_leaves_notes_that_words_find(
    workspace: Workspace, folder: Path, model: Watched
) -> None:
    def fail() -> None:
        raise ModelError("The model is out of memory. Close other programs.")

    model.before = fail
    report = synced(workspace, folder)
    assert (report.added, report.waiting, report.failed) == (NOTES, NOTES, ())
    assert str(report.problem) == "The model is out of memory. Close other programs."
    assert found(workspace, "number7") == ["7.md"]
    model.before = lambda: None
    assert workspace.pending.any()
    assert workspace.pending.embed_rest() == NOTES
    assert not workspace.pending.any()
    assert len(found(workspace, "says", "semantic")) == NOTES


def test_a_changed_note_keeps_the_vectors_of_what_did_not_change(
    workspace: Workspace, folder: Path, model: Watched
) -> None:
    workspace.bases.add("vault")
    workspace.chunks.rechunk("vault", options=ChunkingOptions(strategy="lines"))
    write(folder, 7, "first line stays\nsecond line stays")
    synced(workspace, folder)
    write(folder, 7, "first line stays\nsecond line is another")
    model.before = lambda: states.append(found(workspace, "another") + found(workspace, "first line", "semantic")[:1])
    states: list[list[str | None]] = []
    model.embedded.clear()
    synced(workspace, folder)
    assert states == [["7.md", "7.md"]]
    assert model.embedded == ["7\nsecond line is another"]


def test_what_waits_is_ranked_by_its_words(workspace: Workspace, folder: Path, model: Watched) -> None:
    write(folder, 39, "number39 is about herons and only herons")
    write(folder, 0, "herons")
    stopped = synced(workspace, folder, progress=stop_at(0.5))
    assert stopped.waiting
    read = len(model.embedded)
    result = workspace.search("herons", reranker="late-interaction")
    assert {hit.note.path for hit in result.hits[:2]} == {"0.md", "39.md"}
    assert result.notices == ("unfinished",)
    near = workspace.search("herons", reranker="late-interaction", score_threshold=0.999)
    assert [hit.note.path for hit in near.hits] == ["39.md"]
    assert len(model.embedded) == read
    why = workspace.searching.why_not("somewhere", card(workspace, 38).id)
    assert why.stage == "pending"
    workspace.pending.embed_rest()
    assert workspace.search("herons", reranker="late-interaction").notices == ()


def test_a_chunk_that_a_person_changes_meanwhile_is_embedded_as_it_is_then(
    workspace: Workspace, folder: Path, model: Watched
) -> None:
    changed: list[str] = []

    def change() -> None:
        if len(model.embedded) == 8 and not changed:
            changed.append("")
            for number in (8, 39):
                workspace.chunks.update(workspace.chunks.all(card(workspace, number).id)[0].id, f"mine {number}")

    model.before = change
    synced(workspace, folder)
    assert waiting(workspace) == 0
    assert sorted(found(workspace, "mine")) == ["39.md", "8.md"]
    assert whole(workspace)


def test_two_threads_embed_nothing_twice(workspace: Workspace, folder: Path, model: Watched) -> None:
    synced(workspace, folder, embed=False)
    assert waiting(workspace) == NOTES
    with ThreadPoolExecutor() as threads:
        embedded = [*threads.map(lambda _: workspace.pending.embed_rest(), range(2))]
    assert sum(embedded) == NOTES == len(model.embedded)


@pytest.mark.parametrize(("rows", "numbers", "reason"), [
    (-1, 0, "returned 7 results for 8 texts"),
    (1, 0, "returned 9 results for 8 texts"),
    (0, -1, "returned {short} numbers per text instead of {due}"),
    (0, 1, "returned {long} numbers per text instead of {due}"),
])  # fmt: skip
def test_a_model_that_answers_with_other_counts_is_told_with_them(
    workspace: Workspace,
    model: Watched,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows: int,
    numbers: int,
    reason: str,
) -> None:
    def embed_notes(embedder: Watched, texts: Sequence[str], centre: object) -> tuple[Matrix, None]:
        vectors = np.ones((len(texts) + rows, model.dimension + numbers), dtype=np.float32)
        return vectors, None

    synced(workspace, folder, embed=False)
    monkeypatch.setattr("core.indexing.embedding_process.embed_notes", embed_notes)
    due = model.dimension
    with pytest.raises((ModelError, EmbeddingMismatch), match=reason.format(short=due - 1, long=due + 1, due=due)):
        workspace.pending.embed("vault")
    assert workspace.pending.count("vault") == NOTES
