"""Text folders: lines of files as chunks, each embedded once, synced by themselves, counted at a server's own door."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import embedding
from core.base.errors import ConfigError
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.intake import imports
from core.model import SearchResult
from core.providers import connection
from core.workspace import Workspace
from tests.model_server import ModelServer
from tests.waiting import ManualTime, wait_until

ON = "[knowledge]\nenabled = true\n"
LATER = 2_000_000_000


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the base `faq`, in the folder that the program is started from."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    (tmp_path / "tessera.toml").write_text(ON)
    folder = tmp_path / "knowledge" / "faq" / "texts"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def workspace(texts: Path) -> Iterator[Workspace]:
    with Workspace(Path("workspace")) as workspace:
        yield workspace


def ask(workspace: Workspace, question: str, **options: str) -> SearchResult:
    return workspace.search(question, reranker="none", filters=workspace.searching.filters(bases=["faq"]), **options)  # type: ignore[arg-type]


def places(workspace: Workspace, question: str) -> list[tuple[str | None, int]]:
    """The file and line of the best hit and of its copies."""
    best = ask(workspace, question, mode="keyword").hits[0]
    return [(best.note.path, best.chunk.line), *((copy.note.path, copy.chunk.line) for copy in best.copies)]


def test_exports_are_not_looked_for_where_a_text_file_changed(
    workspace: Workspace, texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (texts / "a.txt").write_text("one\ntwo")
    workspace.text_folders.scan()
    (texts / "a.txt").write_text("one\nthree")
    looked = list[Path]()
    monkeypatch.setattr(imports, "importer_of", looked.append)
    plan = workspace.imports.plan_changes(texts, workspace.bases.get("faq"), ["a.txt"])
    assert ([match.file.path for match in plan.changed], looked) == (["a.txt"], [])


def test_each_line_is_a_chunk_with_the_number_it_has_in_its_file(workspace: Workspace, texts: Path) -> None:
    (texts / "a.txt").write_bytes(
        b"\xef\xbb\xbf# no heading\r\n\r\n---\r\nkind: [x]\r\n---\r\n[[Elsewhere]] #tag\r\nlast"
    )
    (texts / "b.md").write_text("Not a text file.")
    (texts / "below").mkdir()
    (texts / "below" / "c.txt").write_text("Not in the folder itself.")
    (scanned,) = workspace.text_folders.scan()
    assert (scanned.base, scanned.made, scanned.problem) == ("faq", True, None)
    assert scanned.report is not None
    assert (scanned.report.added, scanned.report.chunks) == (1, 6)
    (card,) = workspace.notes.all()
    note = workspace.notes.get(card.id)
    assert (note.path, note.tags, note.links, note.extra, note.body_start) == ("a.txt", (), (), {}, 0)
    chunks = workspace.chunks.all(note.id)
    assert [(chunk.line, chunk.text) for chunk in chunks] == [
        (1, "# no heading"),
        (3, "---"),
        (4, "kind: [x]"),
        (5, "---"),
        (6, "[[Elsewhere]] #tag"),
        (7, "last"),
    ]
    assert all(note.body[chunk.start : chunk.end] == chunk.text and not chunk.section for chunk in chunks)
    assert [(line.source, line.number) for line in workspace.texts.lines("faq", "ELSEWHERE")] == [("a.txt", 6)]


def test_equal_lines_are_embedded_once_and_found_at_every_place(workspace: Workspace, texts: Path) -> None:
    fake = EMBEDDERS.build("words")
    (texts / "a.txt").write_text("shared words here\nother text\nshared words here\n")
    (texts / "b.txt").write_text("\nshared words here\n")
    workspace.text_folders.scan()
    assert Counter(fake.embedded)["shared words here"] == 1  # type: ignore[attr-defined]
    assert places(workspace, "shared") == [("a.txt", 1), ("a.txt", 3), ("b.txt", 2)]
    (texts / "a.txt").write_text("other text\n")
    workspace.text_folders.scan()
    assert places(workspace, "shared") == [("b.txt", 2)]
    assert workspace.store.database.value("SELECT count(*) FROM vectors") == 2
    (texts / "b.txt").unlink()
    workspace.text_folders.scan()
    assert not ask(workspace, "shared", mode="keyword").hits
    assert Counter(fake.embedded)["shared words here"] == 1  # type: ignore[attr-defined]


def test_lines_that_differ_in_a_number_are_hits_of_their_own(workspace: Workspace, texts: Path) -> None:
    (texts / "a.txt").write_text("the price of the small yellow garden table model 4711 is 20\n")
    (texts / "b.txt").write_text("the price of the small yellow garden table model 4712 is 20\n")
    workspace.text_folders.scan()
    assert {hit.note.path for hit in ask(workspace, "price table").hits} == {"a.txt", "b.txt"}


def test_a_folder_becomes_a_base_by_itself_and_is_synced(workspace: Workspace, texts: Path) -> None:
    (texts / "a.txt").write_text("one\n")
    (texts.parents[1] / "empty").mkdir()
    elsewhere = texts.parents[2] / "elsewhere"
    (elsewhere / "texts").mkdir(parents=True)
    (texts.parents[1] / "linked").symlink_to(elsewhere)
    workspace.bases.add("notes")
    (texts.parents[1] / "notes" / "texts").mkdir(parents=True)
    workspace.watching.look()
    assert workspace.watching.made == ["faq"]
    assert [base.name for base in workspace.bases.all()] == ["faq", "notes"]
    assert list(workspace.watching.refused) == ["notes"]
    base = workspace.bases.get("faq")
    assert (base.kind, base.watch, base.write_files, workspace.notes.all()[0].path) == ("lines", True, False, "a.txt")
    for number in range(6):
        (texts / f"{number}.txt").write_text(f"file {number}\n")
    workspace.watching.look()
    assert len(workspace.notes.all()) == 7
    for number in range(6):
        (texts / f"{number}.txt").unlink()
    workspace.watching.look()
    assert len(workspace.notes.all()) == 7
    (seen,) = workspace.watching.folders(base)
    assert seen.removals == 6
    workspace.bases.update("faq", watch=False)
    (texts / "new.txt").write_text("new\n")
    workspace.watching.look()
    assert "new.txt" not in {card.path for card in workspace.notes.all()}


def test_without_auto_scan_nothing_is_made_and_without_auto_embed_chunks_wait(
    workspace: Workspace, texts: Path
) -> None:
    (texts / "a.txt").write_text("one\n")
    workspace.settings.knowledge.auto_scan = False
    workspace.watching.look()
    assert workspace.bases.all() == []
    workspace.settings.knowledge.auto_embed = False
    workspace.text_folders.scan()
    assert (workspace.pending.count("faq"), workspace.pending.any()) == (1, False)
    workspace.settings.knowledge.auto_embed = True
    workspace.text_folders.scan()
    assert workspace.pending.count("faq") == 0
    workspace.settings.knowledge.enabled = False
    with pytest.raises(ConfigError, match=r"enabled = true in the \[knowledge\] section"):
        workspace.text_folders.scan()


def test_what_waits_is_embedded_once_auto_embed_is_switched_on(workspace: Workspace, texts: Path) -> None:
    (texts / "a.txt").write_text("one\n")
    workspace.settings.knowledge.auto_embed = False
    workspace.watching.look()
    assert workspace.pending.count("faq") == 1
    workspace.settings.knowledge.auto_embed = True
    workspace.watching.look()
    workspace.jobs.wait("embed", 30)
    assert workspace.pending.count("faq") == 0


def test_the_number_of_hits_of_such_bases_is_a_setting(workspace: Workspace, texts: Path) -> None:
    (texts / "a.txt").write_text("".join(f"line {number}\n" for number in range(12)))
    workspace.text_folders.scan()
    assert len(ask(workspace, "line").hits) == 5
    workspace.settings.knowledge.default_top_k = 7
    assert len(ask(workspace, "line").hits) == 7
    assert workspace.bases.search_settings(workspace.bases.get("faq")).limit == 7
    assert workspace.bases.search_settings().limit == 10
    with pytest.raises(ConfigError, match="only reads"):
        workspace.bases.update("faq", write_files=True)


def test_changed_settings_hold_while_the_program_runs(workspace: Workspace, texts: Path) -> None:
    file = Path("tessera.toml")
    file.write_text(
        f'{ON}default_top_k = 3\n[embeddings]\nbase_url = "http://localhost:9/v1"\nqueue_interval_seconds = 2\n'
    )
    workspace.start_watching()
    wait_until(lambda: workspace.settings.embeddings.queue_interval_seconds == 2)
    assert workspace.settings.knowledge.default_top_k == 3
    file.write_text(f"{ON}default_top_k = 1000\n")
    wait_until(lambda: workspace.status().settings_problem)
    assert "default_top_k" in str(workspace.status().settings_problem)
    assert workspace.settings.knowledge.default_top_k == 3
    file.write_text(f"{ON}default_top_k = 4\n")
    wait_until(lambda: workspace.status().settings_problem is None)
    assert workspace.settings.knowledge.default_top_k == 4


# the requests that an embeddings server gets


@pytest.fixture
def server(texts: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer() as server:
        monkeypatch.setenv("TESSERA_EMBEDDER", "openai_compatible")
        settings = (
            f'{ON}[embeddings]\nbase_url = "{server.url}"\nmodel = "m"\nqueue_interval_seconds = 0.3\ndimensions = 0\n'
        )
        Path("tessera.toml").write_text(settings)
        EMBEDDERS.forget("openai_compatible")
        yield server
        EMBEDDERS.forget("openai_compatible")


def of_lines(server: ModelServer) -> list[list[str]]:
    """The texts of the requests for lines; others are about the model itself."""
    inputs = [request.body["input"] for request in server.requests]
    return [texts for texts in inputs if texts[0].startswith("line")]


def lines(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(count))


def test_lines_go_to_a_server_in_full_batches_an_interval_apart(
    server: ModelServer, texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "time", clock := ManualTime())
    (texts / "a.txt").write_text(lines(130))
    with Workspace(Path("workspace")) as workspace:
        workspace.text_folders.scan()
    assert [len(batch) for batch in of_lines(server)] == [64, 64, 2]
    assert clock.slept == pytest.approx([0.3] * (len(server.requests) - 1))
    assert not any("dimensions" in request.body for request in server.requests)


def test_a_changed_line_of_a_thousand_is_one_text(server: ModelServer, texts: Path) -> None:
    settings = Path("tessera.toml")
    settings.write_text(settings.read_text().replace("enabled = true", "enabled = true\nembed_batch_size = 500"))
    (texts / "a.txt").write_text(lines(1000))
    with Workspace(Path("workspace")) as workspace:
        workspace.text_folders.scan()
        assert [len(batch) for batch in of_lines(server)] == [500, 500]
        server.requests.clear()
        (texts / "a.txt").write_text(lines(1000).replace("line 500\n", "line five hundred\n"))
        workspace.text_folders.scan()
        assert [request.body["input"] for request in server.requests] == [["line five hundred"]]
        server.requests.clear()
        os.utime(texts / "a.txt", (LATER, LATER))
        workspace.text_folders.scan()
        assert server.requests == []


def test_killed_between_batches_nothing_but_the_batch_in_flight_is_embedded_twice(
    server: ModelServer, texts: Path
) -> None:
    (texts / "a.txt").write_text(lines(330))
    scan = "from core.doors.cli import main; main(['base', 'scan', '--workspace', 'workspace'])"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", scan], env=environment)
    wait_until(lambda: len(of_lines(server)) >= 3)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with Workspace(Path("workspace")) as workspace:
        workspace.text_folders.scan()
        assert workspace.pending.count("faq") == 0
    times = Counter(text for batch in of_lines(server) for text in batch)
    assert len(times) == 330
    assert sum(times.values()) - 330 <= 64


def test_a_changed_line_sends_its_text_alone(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as server:
        (texts.parents[2] / "tessera.toml").write_text(
            f'embedder = "openai_compatible:once"\n{ON}[embeddings]\nbase_url = "{server.url}"\ndimensions = 16\n'
        )
        monkeypatch.delenv("TESSERA_EMBEDDER")

        def sent(*lines: str) -> list[str]:
            before = len(server.requests)
            (texts / "a.txt").write_text("".join(f"{line}\n" for line in lines))
            embedding.EMBEDDERS.forget("openai_compatible")
            with Workspace(texts.parents[2] / "lines") as opened:
                opened.text_folders.scan()
            return [text for request in server.requests[before:] for text in request.body["input"]]

        assert len(sent("one")) > 48, "the model is calibrated"
        assert sent("one", "two") == ["two"]
        assert sorted(sent("one", "two", "three", "four")) == ["four", "three"]
        assert sent("one", "two", "three", "five") == ["five"]
