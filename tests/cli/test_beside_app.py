"""The command line beside the open app: what must be written is written by the app, as if it were written here."""

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
import uvicorn
from starlette.applications import Starlette

from core.base.errors import Cancelled
from core.base.registry import Entry
from core.doors import cli
from core.doors.remote import calls, client
from core.embedding import EMBEDDERS
from core.model import Matrix, Role
from core.operations import bases, chunks, notes
from core.workspace import Workspace
from tests import model_server, samples
from tests.fakes import WordTokens
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
OWN = {"id", "key", "seconds", "created_at", "updated_at", "deleted_at", "ended_at", "estimated_minutes", "synced_at"}
"""Fields that differ between two workspaces."""
MODEL = {"TESSERA_EMBEDDER": "openai_compatible:m"}
Run = Callable[..., Any]


class Slow(WordTokens):
    """An embedder that takes a while for each text."""

    fingerprint = "slow"

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        time.sleep(0.005 * len(texts))
        return super().embed(texts, role=role)


class SlowServer(model_server.ModelServer):
    """A server that takes a while for each request, as long as `hurries` isn't set."""

    hurries = False

    def serve(self, handler: model_server.Handler, request: model_server.Request) -> None:
        self.stopped.wait(0 if self.hurries else 0.5)
        super().serve(handler, request)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowServer]:
    """The model of the processes of a test; nothing else of them takes long."""
    with SlowServer() as running:
        values = {"EMBEDDINGS__BASE_URL": running.url, "INDEX__KIND": "none", "SEARCH__RERANKER": "none"}
        for name, value in values.items():
            monkeypatch.setenv(f"TESSERA_{name}", value)
        yield running


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordTokens"))
    monkeypatch.setitem(EMBEDDERS, "slow", Entry("tests.cli.test_beside_app:Slow"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return samples.write(tmp_path / "vault")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace that a server of this process has open, with the routes that the app has."""
    with Workspace(tmp_path / "workspace") as workspace, _serving(calls.Calls(lambda: workspace)) as address:
        workspace.access.open(address)
        yield workspace


@contextmanager
def _serving(at: calls.Calls) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=at.routes), log_level="error", lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as place:
        thread = threading.Thread(target=server.run, args=([place],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{place.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command; return its JSON, or for a failure (status, stderr)."""

    def run(*arguments: object, workspace: str = "workspace") -> Any:
        code = 0
        try:
            cli.main([*map(str, arguments), "--workspace", str(tmp_path / workspace), "--json"])
        except SystemExit as end:
            code = int(end.code or 0)
        printed = capsys.readouterr()
        return (code, printed.err) if code else json.loads(printed.out)

    return run


def test_commands_print_what_they_print_without_an_app(
    run: Run, opened: Workspace, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = [{"path": "backups.md", "quote": "Count the rows of the\nlargest table"}]
    (tmp_path / "questions.jsonl").write_text(json.dumps({"question": "how to check a restore", "gold": gold}))
    pack = tmp_path / "herons"
    (pack / "notes").mkdir(parents=True)
    (pack / "notes" / "heron.md").write_text("# Heron\n\nIt stands still.\n")
    (pack / "pack.toml").write_text('name = "herons"\nversion = "1.0"\nlanguage = "en"\ndescription = "Birds."\n')
    monkeypatch.chdir(tmp_path)
    commands = [
        ("import", "vault"),
        ("import", "vault", "--base", "vault"),
        ("index",),
        ("note", "new", "diary", "--body", "A heron stood in the reeds.", "--title", "Heron", "--tag", "birds"),
        ("note", "edit", "Heron", "--body", "Two herons stood in the reeds."),
        ("note", "set", "Heron", "--status", "archived", "--add-tag", "reeds"),
        ("note", "revert", "Heron", "1"),
        ("note", "delete", "Heron"),
        ("note", "restore", "Heron"),
        ("note", "archive", "Heron"),
        ("base", "new", "empty", "--chunk-size", "300", "--limit", "4"),
        ("base", "set", "vault", "--strategy", "recursive", "--chunk-size", "256", "--chunk-overlap", "50", "--yes"),
        ("rechunk", "--base", "vault", "--strategy", "auto"),
        ("base", "rename", "empty", "hollow"),
        ("base", "delete", "hollow", "--yes"),
        ("base", "empty-trash", "--yes"),
        ("models", "tokens", "vault", "on"),
        ("models", "switch", "vault", "slow", "--yes"),
        ("evaluate", "questions.jsonl", "--base", "vault", "--save", "mine", "--compare", "mode=keyword"),
        ("export", "diary", "--to", "diary.zip"),
        ("restore", "diary.zip", "--base", "again"),
        ("packs", "install", "herons"),
        ("packs", "remove", "herons"),
        ("rebuild",),
        ("import", str(tmp_path / "nowhere")),
        ("note", "set", "Nobody", "--status", "archived"),
    ]
    for command in commands:
        beside = run(*command)
        if command[0] == "export":
            (tmp_path / "diary.zip").unlink()
        alone = run(*command, workspace="other")
        assert _shared(beside) == _shared(alone), command
    assert opened.notes.all(text="Heron")


def _shared(value: Any) -> Any:
    """Return what doesn't differ between two workspaces."""
    if isinstance(value, dict):
        return {name: _shared(item) for name, item in value.items() if name not in OWN}
    return [*map(_shared, value)] if isinstance(value, (list, tuple)) else value


def test_stdin_the_editor_and_the_language_are_those_of_the_terminal(
    opened: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--workspace", str(tmp_path / "workspace")]
    monkeypatch.setenv("TESSERA_LANGUAGE", "zh_CN")
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO("# 苍鹭\n\n一只苍鹭。\n".encode())))
    with pytest.raises(SystemExit, match="0"):
        cli.main(["note", "new", "日记", *place])
    assert "已保存" in capsys.readouterr().out
    assert [card.title for card in opened.notes.all()] == ["苍鹭"]
    monkeypatch.setenv("TESSERA_LANGUAGE", "en")
    monkeypatch.setenv("VISUAL", "sed -i s/一/两/")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    with pytest.raises(SystemExit, match="0"):
        cli.main(["note", "edit", "苍鹭", *place])
    assert "is now version 2" in capsys.readouterr().out
    assert "两只苍鹭" in opened.notes.get(opened.notes.all()[0].id).body


def test_other_settings_of_the_app_are_named(
    run: Run, opened: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "slow")
    with pytest.raises(SystemExit, match="0"):
        cli.main(["base", "new", "mine", "--workspace", str(tmp_path / "workspace")])
    assert "settings differ from those here: embedder." in capsys.readouterr().err
    assert opened.bases.get("mine").embedder == "words"


def _many(folder: Path, count: int = 30, sections: int = 6) -> Path:
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.md").write_text(samples.long_note(sections).replace("word", f"{folder.name}{number}word"))
    return folder


@pytest.fixture
def slow(opened: Workspace, tmp_path: Path) -> Workspace:
    """The same, with a base that takes seconds to import."""
    opened.bases.add("many", embedder="slow")
    _many(tmp_path / "many")
    return opened


def test_progress_arrives_and_an_interruption_stops_the_work(slow: Workspace, tmp_path: Path) -> None:
    remote = client.connect_running(tmp_path / "workspace")
    assert remote is not None
    steps: list[float] = []

    def progress(done: float, total: float, what: object) -> None:
        steps.append(done / total)
        if slow.jobs.running("import") and done / total > 0.1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        remote.run(bases.import_, {"folder": tmp_path / "many", "base": "many"}, progress)
    assert steps == sorted(steps)
    assert len(steps) > 1
    slow.jobs.wait("import")
    assert slow.pending.count("many") > 0
    assert remote.run(chunks.rebuild, {}).windows > 0
    assert slow.pending.count("many") == 0, "what the import left is indexed then"


def test_who_cancels_on_a_page_stops_the_command(run: Run, slow: Workspace, tmp_path: Path) -> None:
    def cancel() -> None:
        wait_until(lambda: (job := slow.jobs.find("import")) and job.share > 0.1)
        slow.jobs.cancel("import")

    thread = threading.Thread(target=cancel)
    thread.start()
    status, error = run("import", tmp_path / "many", "--base", "many")
    thread.join()
    assert (status, json.loads(error)["error"]) == (1, str(Cancelled()))
    assert slow.jobs.find("import") is None


def test_long_work_is_done_one_at_a_time(
    run: Run, opened: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", folder)
    monkeypatch.setattr(calls, "_PATIENCE", 0.3)
    ends = threading.Event()
    opened.jobs.start("import", lambda progress: ends.wait())
    status, error = run("rechunk", "--base", "vault", "--chunk-size", "300")
    assert (status, "busy with another long job" in error) == (1, True)
    assert run("note", "new", "diary", "--body", "Written meanwhile.")["title"]
    ends.set()
    assert run("rechunk", "--base", "vault", "--chunk-size", "300")["notes"] == 3


def test_operations_are_run_with_the_token_and_with_arguments_of_their_types(opened: Workspace) -> None:
    known = opened.access.run
    assert known is not None

    def answer(token: str, body: bytes, operation: str = "base.new") -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            with urlopen(Request(f"{known.address}/remote/{operation}", body, headers)) as answer:
                return int(answer.status), answer.read().decode()
        except HTTPError as error:
            return error.code, ""

    call = b'{"name": "theirs"}'
    assert [answer(token, call)[0] for token in ("", "wrong", opened.access.token)] == [403, 403, 403]
    assert not opened.bases.all()
    assert [answer(known.token, call, name)[0] for name in ("base.none", "base", "__class__")] == [404] * 3
    for body in (b"", b"no JSON", b"[" * 100_000, b"\x80\x04"):
        assert answer(known.token, body)[0] == 400
    for body in (b"5", b"[]", b'{"name": 5}', b'{"other": ""}', b'{"name": "a", "chunking": {"x": 1}}', b"{}"):
        status, lines = answer(known.token, body)
        assert (status, "can't be used" in lines) == (200, True), body
    assert not opened.bases.all()
    assert answer(known.token, call)[0] == 200
    assert [base.name for base in opened.bases.all()] == ["theirs"]


def test_nothing_of_a_call_is_read_without_the_token_and_no_more_than_a_call_has(
    opened: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "MOST_BYTES", 2000)
    known = opened.access.run
    assert known is not None

    def status(token: str, length: int, body: bytes) -> int:
        """Send the head of a call and a part of its body, and return the status that comes before the rest."""
        connection = HTTPConnection(known.address.removeprefix("http://"), timeout=20)
        connection.putrequest("POST", "/remote/base.new")
        for name, value in (("Authorization", f"Bearer {token}"), ("Content-Length", str(length))):
            connection.putheader(name, value)
        connection.endheaders(body)
        status = connection.getresponse().status
        connection.close()
        return status

    assert status("wrong", 10**9, b"") == 403
    assert status(known.token, 10**9, b"N" * 2001) == 413
    call = b'{"name": "theirs"}'
    assert status(known.token, len(call), call) == 200


def test_a_stranger_at_the_address_of_the_app_learns_nothing(run: Run, tmp_path: Path) -> None:
    heard: list[str] = []

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(f"{self.requestline} {self.headers}")
            body = b'{"proof": "guessed", "version": "0.1.0"}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with Workspace(tmp_path / "workspace") as workspace, HTTPServer(("127.0.0.1", 0), Stranger) as server:
        threading.Thread(target=server.serve_forever).start()
        workspace.access.open(f"http://127.0.0.1:{server.server_port}")
        status, error = run("note", "new", "diary", "--body", "Mine.")
        server.shutdown()
        known = workspace.access.run
    assert (status, "is in use by another Tessera" in error) == (1, True)
    assert len(heard) == 1
    assert known is not None
    assert known.token not in heard[0]


def test_another_version_of_the_app_is_named(run: Run, opened: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "version", lambda _: "9.9")
    status, error = run("note", "new", "diary", "--body", "Mine.")
    assert (status, "this command is Tessera 9.9. Restart the app." in error) == (1, True)


@contextmanager
def _app(place: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """The app itself, as after its first page: the workspace is open."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "core.doors.cli",
        "app",
        "--no-browser",
        "--port",
        str(port),
        "--workspace",
        str(place),
    ]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | MODEL, **quiet)  # type: ignore[call-overload]
    try:
        wait_until(lambda: (place / "run.json").exists() or _answers(port))
        yield process
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    try:
        urlopen(f"http://127.0.0.1:{port}/api/v1/none", timeout=30)
    except HTTPError:
        return True
    except URLError:
        return False
    return False


def _begun(place: Path, folder: Path) -> tuple["subprocess.Popen[bytes]", int]:
    """Start an import in a terminal, and return it with the terminal's end once it is under way."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "core.doors.cli", "import", str(folder), "--workspace", str(place)]
    environment = os.environ | MODEL
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=theirs, stderr=theirs, stdin=theirs)
    os.close(theirs)
    try:
        _until(ours, r"\d+% .*\d+ of 300 notes")
    except AssertionError:
        process.kill()
        process.wait()
        raise
    return process, ours


def _until(terminal: int, pattern: str = "") -> str:
    """Return what a terminal shows up to a pattern, else to its end."""
    shown = ""
    while not (pattern and re.search(pattern, shown)):
        try:
            shown += os.read(terminal, 4096).decode("utf-8", "replace")
        except OSError:
            break
    assert not pattern or re.search(pattern, shown), shown
    return shown


def test_beside_the_app_itself_either_may_be_stopped_or_killed(run: Run, server: SlowServer, tmp_path: Path) -> None:
    place = tmp_path / "workspace"
    first, second, third = (_many(tmp_path / name, 300, 1) for name in ("first", "second", "third"))
    with _app(place) as app:
        command, terminal = _begun(place, first)
        command.send_signal(signal.SIGINT)
        assert "Stopped. Everything done so far was kept. To continue: tessera import" in _until(terminal)
        assert command.wait(60) == 130
        command, terminal = _begun(place, first)
        command.kill()
        command.wait()
        server.hurries = True
        assert run("base", "set", "first", "--strategy", "none", "--yes")["name"] == "first"
        assert app.poll() is None
        server.hurries = False
        command, terminal = _begun(place, second)
        app.terminate()  # the app doesn't wait for the end of the import
        assert "The app closed before the command finished" in _until(terminal)
        assert command.wait(60) == 1
        app.wait(60)
        assert not (place / "run.json").exists()
    with _app(place) as app:
        command, terminal = _begun(place, third)
        app.kill()
        assert "The app closed before the command finished" in _until(terminal)
        assert command.wait(60) == 1
    assert (place / "run.json").exists()
    assert run("note", "new", "diary", "--body", "The lock is free.")["title"]


def test_a_command_beside_the_import_of_another_is_done_by_that_one(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "slow")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    many, written = _many(tmp_path / "many", 8, 2), list[Any]()

    def write() -> None:
        wait_until(lambda: client.connect_running(tmp_path / "workspace"))
        if remote := client.connect_running(tmp_path / "workspace"):
            written.append(remote.run(notes.new, {"base": "diary", "body": "One line of herons."}))

    thread = threading.Thread(target=write)
    thread.start()
    report = run("import", many)
    thread.join()
    assert (report["added"], report["waiting"]) == (8, 0)
    with Workspace(tmp_path / "workspace") as workspace:
        assert [hit.note.id for hit in workspace.search("herons", bases=["diary"]).hits] == [written[0].id]
    assert client.connect_running(tmp_path / "workspace") is None


def test_an_import_needs_no_address(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no address")

    monkeypatch.setattr(socket, "create_server", refuse)
    assert run("import", folder)["added"] == 3
