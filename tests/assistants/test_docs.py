"""docs/assistants.md and `tessera mcp --print-config`: every example runs as written."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from core.doors.assistants import server
from core.doors.cli import main
from core.settings import access as assistant_config
from core.settings.access import AccessTokens
from core.workspace import Workspace
from tests.assistants.conftest import by_http, by_stdio, connected

PAGE = (Path(__file__).parents[2] / "docs" / "assistants.md").read_text(encoding="utf-8")
NOTES = dict(re.findall(r"`(\w+\.md)`:\n\n```markdown\n(.*?)```", PAGE, re.DOTALL))
SECTIONS = re.findall(r"^### (`.+?`.*?)\n(.*?)(?=^##)", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """The base of the page."""
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")
    monkeypatch.setenv("TESSERA_SEARCH__USE_CLICKS", "true")
    kitchen = tmp_path / "kitchen"
    kitchen.mkdir()
    for name, text in NOTES.items():
        (kitchen / name).write_text(text, encoding="utf-8")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.bases.add("kitchen", embedder="tfidf", keep_tokens=False)
        workspace.learning.enable(True)
        workspace.imports.apply(workspace.imports.plan_folder(kitchen, "kitchen"))
        yield workspace


def test_every_call_answers_as_written(workspace: Workspace) -> None:
    called = []
    for title, text in SECTIONS:
        arguments, *answers = re.findall(r"```(?:json|text)\n(.*?)```", text, re.DOTALL)
        tool = re.findall("`(.+?)`", title)[0]
        result: Any = server.run(lambda: workspace, tool, json.loads(arguments))
        assert not result.is_error, result.content[0].text
        called.append(tool)
        if answers and tool == "knowledge_context":
            assert result.content[0].text.strip() == answers[0].strip()
        elif answers:
            assert steady(json.loads(result.content[0].text)) == steady(json.loads(answers[0]))
    assert len(NOTES) == 2
    seconds = ("note_list", "note_update", "note_move", "note_difference", "note_take_back", "note_forget_clicks")
    assert called == [tool for tool in server.TOOLS if tool not in seconds]


def steady(value: Any) -> Any:
    """An answer without what no two runs or models share: ids and scores."""
    if isinstance(value, list):
        return [*map(steady, value)]
    if not isinstance(value, dict):
        return value
    return {name: bool(item) if name in ("id", "relevance", "score") else item for name, item in value.items()}


def test_the_configurations_are_those_that_are_printed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(assistant_config, "_command", lambda: ["/path/to/tessera"])
    made = [
        *assistant_config.by_stdio(Path("/path/to/workspace")),
        *assistant_config.by_http("http://127.0.0.1:8501", "TOKEN"),
    ]
    shown = {snippet.text for snippet in made if snippet.text in PAGE}
    assert [(one.program, one.way) for one in made if one.text not in shown] == [("VS Code", "http")]
    (tmp_path / "tessera.toml").touch()
    with_settings = assistant_config.by_stdio(Path("/path/to/workspace"))[1].text
    assert with_settings.endswith(f"--settings {tmp_path / 'tessera.toml'}")


def test_what_is_printed_connects(shared: tuple[Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    folder, url = shared
    with suppress(SystemExit):
        main(["mcp", "--print-config", "--workspace", str(folder), "--json"])
    printed = {(one["program"], one["way"]): one["text"] for one in json.loads(capsys.readouterr().out)["snippets"]}
    assert {program for program, _ in printed} == {"Claude Desktop", "Claude Code", "Cursor", "VS Code"}
    own = json.loads(printed["Claude Desktop", "stdio"])["mcpServers"]["tessera"]
    with connected(by_stdio(own["command"], *own["args"])) as assistant:
        assert "kitchen" in assistant.items("knowledge_list")
    of_app = json.loads(printed["VS Code", "http"])["servers"]["tessera"]
    assert of_app["headers"] == {"Authorization": f"Bearer {AccessTokens(folder).token}"}
    assert of_app["url"].endswith("/mcp")
    with connected(by_http(f"{url}/mcp", AccessTokens(folder).token)) as assistant:
        assert "kitchen" in assistant.items("knowledge_list")


def test_people_are_told_where_each_belongs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with suppress(SystemExit):
        main(["mcp", "--print-config", "--workspace", str(tmp_path / "none")])
    printed = capsys.readouterr().out
    assert "claude_desktop_config.json" in printed
    assert "Claude Code · in a terminal" in printed
    assert "Bearer" not in printed  # there is no workspace, hence no token
    assert not (tmp_path / "none").exists()


def test_settings_are_a_file_of_that_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["mcp", "--settings", str(tmp_path / "other.toml"), "--workspace", str(tmp_path)])
    assert "isn't a file named tessera.toml" in capsys.readouterr().err
