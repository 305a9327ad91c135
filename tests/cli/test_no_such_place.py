"""A place that no system has, too long or in the home of an unknown user, is a mistake of what was typed."""

from pathlib import Path

import pytest

from core.doors import cli

PLACES = ["~no-one", "~no-one/x", "x" * 300, "/" + "x" * 300]
COMMANDS = [
    "models path sentence:{}",
    "models path onnx:{}",
    "models path cross-encoder:{}",
    "models test cross-encoder:{}",
    "chunks README.md --embedder sentence:{}",
    "base new birds --embedder sentence:{}",
    "packs install {}",
    "backup restore {} --yes",
    "import {}",
    "restore {}",
    "settings import {}",
    "mcp --print-config --settings {}/tessera.toml",
    "status --workspace {}",
    "import . --workspace {}",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_place_that_is_none_is_named(
    command: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_WORKSPACE", str(tmp_path / "workspace"))
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "README.md").write_text("# Read me\n")
    monkeypatch.chdir(tmp_path / "here")
    status: object = 0
    try:
        cli.main(command.format(place).split())
    except SystemExit as end:
        status = end.code
    told = capsys.readouterr().err
    assert status == (0 if "import . --workspace ~" in f"{command} --".format(place) else 1), told
    assert not status or told.startswith("tessera: "), told


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("command", ["packs list", "models list", "status --log", "status --report", "backup list"])
def test_what_needs_no_workspace_is_shown(
    command: str, place: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with pytest.raises(SystemExit, match="0"):
        cli.main([*command.split(), "--workspace", place])
    assert capsys.readouterr().out
