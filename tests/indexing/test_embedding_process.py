"""Many notes are embedded by another process, which gives its memory back; few by this one."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from core import embedding
from core.base.errors import Cancelled, ModelError, UnknownChoice
from core.base.worker_process import ProcessEnded, WorkerProcess
from core.indexing import embed_queue, embedding_process
from core.indexing.embed_queue import EmbedQueue
from core.indexing.embedding_process import EmbeddingRequest, NoteEmbedder, NoteVectors
from core.workspace import Workspace
from tests.waiting import wait_until, within_patience

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process is killed by a signal")

_MANY = embedding_process.FEW + 1
_TEXTS = ["A backup is a copy.", "Restore it after a crash.", "备份是副本。"]


@pytest.fixture(autouse=True)
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerProcess]:
    """A process of the test's own, for a model that loads at once."""
    own = WorkerProcess("core.indexing.embedding_worker", idle=60)
    monkeypatch.setattr(embedding_process, "_PROCESS", own)
    monkeypatch.setattr(embedding_process, "_TORCH", ("tfidf",))
    monkeypatch.setattr(embedding_process, "FEW", 200)
    yield own
    own.close()


def _pid(process: WorkerProcess) -> int:
    assert process._running
    return process._running.pid


def _write_notes(folder: Path, count: int) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nThis is number {number} of them.\n")


def test_many_notes_get_the_vectors_of_their_embedder_from_another_process(
    process: WorkerProcess,
) -> None:
    tfidf = embedding.build("tfidf")
    vectors, _ = NoteEmbedder("tfidf", tfidf, size=_MANY).embed(_TEXTS)
    assert np.array_equal(vectors, tfidf.embed(_TEXTS, role="note"))
    pid = _pid(process)
    NoteEmbedder("tfidf", tfidf, size=_MANY).embed(_TEXTS)
    assert _pid(process) == pid != os.getpid()


def test_few_notes_are_embedded_here(process: WorkerProcess) -> None:
    tfidf = embedding.build("tfidf")
    assert np.array_equal(NoteEmbedder("tfidf", tfidf, size=0).embed(_TEXTS)[0], tfidf.embed(_TEXTS, role="note"))
    assert process._running is None


def test_an_import_of_many_chunks_uses_the_process_and_one_of_few_does_not(
    process: WorkerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "first.md").write_text("# First\n\nA backup.\n")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder, "b"))
        assert process._running is None
        _write_notes(folder, 20)
        report = workspace.imports.apply(workspace.imports.plan_folder(folder, "b"))
        assert (report.embedded_windows, report.waiting, report.problem) == (20, 0, None)
        assert _pid(process)


def test_the_process_takes_over_from_many_blocks_of_few_chunks(
    process: WorkerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setattr(embed_queue, "_BLOCK", 2)
    _write_notes(tmp_path / "notes", 20)
    with Workspace(tmp_path / "workspace") as workspace:
        with monkeypatch.context() as patch:
            patch.setattr(NoteEmbedder, "start", lambda _: None)
            workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "notes", "b"), embed=False)
        queue = EmbedQueue(workspace.store, workspace.models.embedder, workspace.bases.all())
        queue.embed()
        assert queue.chunks == 20
        assert _pid(process)


def test_a_process_that_is_there_gets_few_notes_too(process: WorkerProcess) -> None:
    tfidf, asked = embedding.build("tfidf"), []
    NoteEmbedder("tfidf", tfidf, size=_MANY).embed(_TEXTS)
    ask = process.ask
    process.ask = lambda request, seconds=None: asked.append(request) or ask(request, seconds)  # type: ignore[method-assign, func-returns-value]
    NoteEmbedder("tfidf", tfidf, size=1).embed(_TEXTS[:1])
    assert len(asked) == 1


def test_a_process_that_was_killed_gets_no_few_notes(process: WorkerProcess) -> None:
    tfidf = embedding.build("tfidf")
    NoteEmbedder("tfidf", tfidf, size=_MANY).embed(_TEXTS)
    assert process.is_running
    os.kill(_pid(process), signal.SIGKILL)
    wait_until(lambda: not process.is_running)
    assert len(NoteEmbedder("tfidf", tfidf, size=1).embed(_TEXTS[:1])[0]) == 1
    assert not process.is_running


def test_a_process_that_is_there_is_not_started_again(process: WorkerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    tfidf = embedding.build("tfidf")
    NoteEmbedder("tfidf", tfidf, size=_MANY).embed(_TEXTS)
    monkeypatch.setattr(embedding_process, "Thread", None)
    NoteEmbedder("tfidf", tfidf, size=1).start()


def test_a_large_import_starts_the_process_before_its_notes_are_cut(
    process: WorkerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    _write_notes(tmp_path / "notes", 30)
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "notes", "b"), embed=False)
        wait_until(lambda: process._running is not None)


def test_the_next_notes_are_embedded_while_those_before_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setattr(embedding_process, "_TORCH", ())
    sent, embed = list[Sequence[str]](), NoteEmbedder.embed
    second = threading.Event()

    def send(notes: NoteEmbedder, texts: Sequence[str]) -> NoteVectors:
        sent.append(texts)
        if len(sent) > 1:
            second.set()
        return embed(notes, texts)

    monkeypatch.setattr(NoteEmbedder, "embed", send)
    _write_notes(tmp_path / "notes", 40)
    with Workspace(tmp_path / "workspace") as workspace:
        add = workspace.store.vectors.add
        monkeypatch.setattr(workspace.store.vectors, "add", lambda *given: second.wait(30) and add(*given))
        report = workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "notes", "b"))
        assert second.is_set()
        assert (report.embedded_windows, report.waiting, sum(map(len, sent))) == (40, 0, 40)


@pytest.mark.parametrize(("kills", "lost"), [(1, 0), (9, 1)])
def test_a_text_alone_at_whose_reading_the_process_ends_is_read_once_more(
    process: WorkerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kills: int, lost: int
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    exchange, alone = process._exchange, []

    def killed(running: "subprocess.Popen[bytes]", request: EmbeddingRequest) -> object:
        if any("number 7" in str(text) for text in request.texts):
            alone.extend(request.texts if len(request.texts) == 1 else ())
            if len(alone) <= kills:
                running.kill()
                running.wait()
        return exchange(running, request)

    monkeypatch.setattr(process, "_exchange", killed)
    folder = tmp_path / "notes"
    _write_notes(folder, 20)
    with Workspace(tmp_path / "workspace") as workspace:
        report = workspace.imports.apply(workspace.imports.plan_folder(folder, "b"))
    assert (report.embedded_windows, report.refused, len(alone)) == (20 - lost, lost, 2)


def test_a_stop_of_embedding_leaves_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setattr(embedding_process, "_TORCH", ())
    _write_notes(tmp_path / "notes", 40)

    def stop(done: float, total: float, what: object) -> None:
        if done:
            raise Cancelled

    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "notes", "b"), embed=False)
        queue = EmbedQueue(workspace.store, workspace.models.embedder, workspace.bases.all())
        with pytest.raises(Cancelled) as stopped:
            queue.embed(stop)
        assert stopped.value.__traceback__  # which keeps what was drawn from when it was raised
        assert "embed" not in {thread.name for thread in threading.enumerate()}


def test_it_ends_when_nobody_asks(process: WorkerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_idle", 0.0)
    notes = NoteEmbedder("tfidf", embedding.build("tfidf"), size=_MANY)
    notes.embed(_TEXTS)
    wait_until(lambda: process._running is None)
    assert len(notes.embed(_TEXTS)[0]) == 3


def test_its_end_is_an_error_and_the_next_notes_get_another(process: WorkerProcess) -> None:
    notes = NoteEmbedder("tfidf", embedding.build("tfidf"), size=_MANY)
    notes.embed(_TEXTS)
    os.kill(_pid(process), signal.SIGKILL)
    with pytest.raises(ModelError, match="'tfidf' stopped while"):
        notes.embed(_TEXTS)
    assert len(notes.embed(_TEXTS)[0]) == 3


def test_closing_it_frees_who_waits_for_a_reply(process: WorkerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        process,
        "_start",
        lambda: subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(600)"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ),
    )
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(NoteEmbedder("tfidf", embedding.build("tfidf"), size=_MANY).embed, _TEXTS)
        wait_until(lambda: process._running is not None)
        process.close()
        with pytest.raises(ModelError, match="stopped while"):
            asked.result(30)


def test_once_closed_it_starts_no_other(process: WorkerProcess) -> None:
    process.close()
    with pytest.raises(ModelError, match="stopped while"):
        NoteEmbedder("tfidf", embedding.build("tfidf"), size=_MANY).embed(_TEXTS)
    assert process._running is None


def test_one_that_was_being_started_when_it_was_closed_is_not_waited_for(
    process: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    closing = Thread(target=process.close)
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]

    def start() -> subprocess.Popen[bytes]:
        closing.start()
        wait_until(lambda: process._is_closed)
        return subprocess.Popen(sleeper, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    monkeypatch.setattr(process, "_start", start)
    with pytest.raises(ProcessEnded):
        within_patience(lambda: process.ask("a request", 600))
    closing.join(30)
    assert process._running is None


def test_errors_of_the_model_come_from_the_process(process: WorkerProcess) -> None:
    with pytest.raises(UnknownChoice, match="nosuch"):
        process.ask(EmbeddingRequest("nosuch", "", _TEXTS, None))
    assert _pid(process)


def test_signals_to_the_group_of_processes_leave_it_to_its_parent(process: WorkerProcess) -> None:
    notes = NoteEmbedder("tfidf", embedding.build("tfidf"), size=_MANY)
    notes.embed(_TEXTS)
    pid = _pid(process)
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(pid, number)
    assert len(notes.embed(_TEXTS)[0]) == 3
    assert _pid(process) == pid


def test_it_works_from_a_folder_that_was_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert len(NoteEmbedder("tfidf", embedding.build("tfidf"), size=_MANY).embed(_TEXTS)[0]) == 3


FAILING = """
from core.base.worker_process import serve

class OfLibrary(Exception):
    def __init__(self, file, line):
        super().__init__(f"{file}: {line}")

serve(lambda request: (OfLibrary("model.bin", 3), True))
"""


def test_an_error_that_no_pickle_carries_comes_with_its_words(
    process: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", FAILING]
    monkeypatch.setattr(
        process, "_start", lambda: subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    )
    with pytest.raises(RuntimeError, match=r"OfLibrary: model\.bin: 3"):
        process.ask("a request")


ENDLESS = """
import os, sys, time
from core.base.worker_process import serve

def work(request):
    print(os.getpid(), file=sys.stderr, flush=True)
    time.sleep(86400)

serve(work)
"""
PARENT = """
import subprocess, sys
from core.base.worker_process import WorkerProcess

process = WorkerProcess("", idle=60)
command = [sys.executable, "-c", sys.argv[1]]
process._start = lambda: subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
process.ask("a request")
"""


def test_it_ends_with_a_parent_that_was_killed_while_it_works() -> None:
    command = [sys.executable, "-c", PARENT, ENDLESS]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as parent:
        assert parent.stderr
        pid = int(parent.stderr.readline())
        parent.kill()
        try:
            within_patience(parent.stderr.read)  # which both hold open
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise


def test_a_name_that_means_another_model_there_is_embedded_here(process: WorkerProcess) -> None:
    class Other:
        fingerprint = "other"

        def embed(self, texts: list[str], *, role: str) -> str:
            return f"{len(texts)} {role}"

    assert NoteEmbedder("tfidf", Other(), size=_MANY).embed(_TEXTS)[0] == "3 note"  # type: ignore[arg-type,comparison-overlap]
