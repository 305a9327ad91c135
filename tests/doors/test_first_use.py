"""The first use of a workspace: the first note by a program, the model, what a server prints."""

import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from core import embedding
from core.base.errors import ConfigError
from core.doors import cli
from core.doors.assistants import server, stdio
from core.doors.remote.calls import Calls
from core.settings.config import settings
from core.workspace import Workspace
from tests import samples
from tests.assistants.conftest import connected as by_client
from tests.doors.programs import Doors


@pytest.fixture(autouse=True)
def _without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"EMBEDDER": "tfidf", "INDEX__KIND": "none", "SEARCH__RERANKER": "none"}.items():
        monkeypatch.setenv(f"TESSERA_{name}", value)


@pytest.mark.parametrize("door", ["tool", "http"])
def test_the_first_note_of_a_program_makes_its_base_and_waits_there(tmp_path: Path, door: str) -> None:
    with Workspace(tmp_path) as workspace:
        workspace.set_program_access(True)
        doors = Doors(workspace)
        if door == "tool":
            doors.tool("note_add", text="Leek soup.", base="work")
        else:
            doors.http("POST", "/v1/notes", json={"base": "work", "body": "Leek soup."})
        (note,) = workspace.notes.all()
        assert (note.base, note.status) == ("work", "pending")
        other: Any = server.run(lambda: workspace, "note_add", {"text": "More.", "base": "wrok"})
        assert other.is_error, "among other bases a name is a mistake"


@pytest.mark.parametrize(
    ("model", "chosen"), [("nomic-embed-text", "openai_compatible"), ("", "bundled")], ids=["set up", "half"]
)
def test_auto_takes_the_server_that_is_set_up(monkeypatch: pytest.MonkeyPatch, model: str, chosen: str) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDINGS__BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TESSERA_EMBEDDINGS__MODEL", model)
    assert embedding.resolve("auto") == chosen
    assert not model or embedding.resolve("auto") == chosen


def test_a_section_of_models_is_refused_with_the_name_of_the_right_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tessera.toml").write_text('[models]\nbase_url = "http://localhost:11434/v1"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"\[embeddings\].* tessera settings import FILE"):
        settings()


MODELS = {
    "one section": 'base_url = "http://localhost:11434/v1"\nmodel = "bge-m3"\napi_key = "sk-1234"',
    "names": 'embedding_url = "http://localhost:11434/v1"\nembedding_model = "bge-m3"\nembedding_api_key = "sk-1234"',
    "a section each": '[models.embedding]\nurl = "http://localhost:11434/v1"\nname = "bge-m3"\napi_key = "sk-1234"',
}


@pytest.mark.parametrize("models", MODELS.values(), ids=MODELS)
def test_the_settings_of_another_file_are_taken_over(
    models: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("config.toml")
    file.write_text(f"[knowledge]\nenabled = true\ndefault_top_k = 700\n\n[models]\n{models}\n", encoding="utf-8")
    Path("tessera.toml").write_text("# mine\n[search]\nlimit = 7\n", encoding="utf-8")
    with suppress(SystemExit):
        cli.main(["settings", "import", str(file)])
    printed = capsys.readouterr().out
    assert "embeddings.base_url" in printed
    assert "knowledge.default_top_k: " in printed
    assert "TESSERA_EMBEDDINGS_API_KEY" in printed
    now = settings()
    assert (now.embeddings.base_url, now.embeddings.model) == ("http://localhost:11434/v1", "bge-m3")
    assert (now.knowledge.enabled, now.knowledge.default_top_k, now.search.limit) == (True, 5, 7)
    text = Path("tessera.toml").read_text(encoding="utf-8")
    assert text.startswith("# mine")
    assert "sk-1234" not in text + printed


@pytest.mark.parametrize("section", ["embeddings.office", "embeddings.servers.office"])
def test_a_server_with_a_name_is_taken_over_without_its_key(
    section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = f'[{section}]\nmodel = "bge-m3"\napi_key = "sk-1234"\ncolour = 1\nbase_url = "http://localhost:11434/v1"\n'
    Path("config.toml").write_text(text, encoding="utf-8")
    with suppress(SystemExit):
        cli.main(["settings", "import", "config.toml"])
    printed = capsys.readouterr().out
    assert printed.splitlines() == [
        "taken: embeddings.office.model, embeddings.office.base_url",
        "left:",
        f"  {section}.api_key: keys aren't kept in files. Set TESSERA_EMBEDDINGS_OFFICE_API_KEY",
        f"  {section}.colour: there is no such setting",
    ]
    server = settings().embeddings.servers["office"]
    assert (server.base_url, server.model) == ("http://localhost:11434/v1", "bge-m3")
    assert "sk-1234" not in Path("tessera.toml").read_text(encoding="utf-8") + printed


@pytest.mark.parametrize("text", [None, "", "[[[", "colour = 1", "[models]\napi_key = 'x'", "\0"])
def test_a_file_without_settings_changes_none(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("config.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        cli.main(["settings", "import", "config.toml"])
    assert ended.value.code == 1
    assert "config.toml" in capsys.readouterr().err
    assert not Path("tessera.toml").exists()


def test_a_server_prints_its_bases_with_their_folders_and_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(uvicorn, "run", lambda *_, **__: None)
    monkeypatch.setattr(Calls, "close_at_signals", lambda _: None)

    def run(*command: str) -> Any:
        with suppress(SystemExit):
            cli.main([*command, "--workspace", str(tmp_path / "workspace")])
        return capsys.readouterr()

    assert "There are no bases yet." in run("serve").err
    run("import", str(samples.write(tmp_path / "vault")))
    printed = run("serve", "--json")
    for part in ("vault  By meaning and keyword      3", "  tfidf  ", str(tmp_path / "vault")):
        assert part in printed.err
    assert printed.out.count("\n") == 1, "scripts read one line"


def test_answers_say_that_text_folders_are_still_scanned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on, started = threading.Event(), threading.Event()

    def scan(_: stdio.WriteCalls, progress: Any) -> list[Any]:
        progress(3, 12, "3 of 12 files")
        started.set()
        goes_on.wait(60)
        return []

    monkeypatch.setattr(stdio.WriteCalls, "scan", scan)
    reading = stdio._Reading(tmp_path)
    with by_client(server.make(reading.workspace, reading.calls, reading.remark)) as assistant:
        reading.workspace()
        assert started.wait(60)
        listed = assistant.call("knowledge_list")
        assert "3 of 12 files" in listed.content[-1].text
        goes_on.set()
        reading.scan.join()
        assert len(assistant.call("knowledge_list").content) == 1
    reading.close()
