"""Vaults and graphs through the command line."""

import json
from pathlib import Path

import pytest

from core.doors import cli
from tests.importers.test_importers import LOGSEQ, vault

pytestmark = pytest.mark.usefixtures("bundled")
NOTE = "---\nrating: 4\ndone: true\n---\n# Rose\n\n![[gone.png]]\n"


def ran(capsys: pytest.CaptureFixture[str], workspace: Path, *arguments: object) -> str:
    with pytest.raises(SystemExit) as end:
        cli.main([*map(str, arguments), "--workspace", str(workspace)])
    assert not end.value.code
    return capsys.readouterr().out


def test_the_plan_of_a_command_names_the_program_and_what_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = vault(tmp_path / "graph", {**LOGSEQ, ".tesseraignore": "pages/a*\n", "pages/a.md": "a", "pages/ab.md": "b"})
    lines = ran(capsys, tmp_path / "ws", "import", graph, "--dry-run").splitlines()
    assert lines[:2] == [
        "Read as Logseq notes.",
        "2 added, 0 changed, 0 renamed, 0 removed, 0 unchanged, 0 failed",
    ]
    assert "  left out (2): pages/a.md, pages/ab.md: This is excluded by .tesseraignore." in lines


def test_a_note_says_its_properties_and_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = vault(tmp_path / "vault", {"rose.md": NOTE})
    ran(capsys, tmp_path / "ws", "import", folder)
    lines = ran(capsys, tmp_path / "ws", "note", "show", "Rose").splitlines()
    assert {"  rating: 4", "  done: ☑", "  missing attachments: gone.png"} <= {*lines}
    shown = json.loads(ran(capsys, tmp_path / "ws", "note", "show", "Rose", "--json"))
    assert (shown["missing_attachments"], shown["properties"]) == (["gone.png"], {"rating": 4, "done": True})
