"""The docs name what there is: every command, setting and choice."""

from pathlib import Path

import pytest

from core import cli
from core.chunking import CHUNKERS
from core.config import ChunkingSettings, SearchSettings, Settings
from core.embedding import EMBEDDERS

GUIDE = (Path(__file__).parents[1] / "docs" / "guide.md").read_text(encoding="utf-8")
README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "command", [command.name or command.callback.__name__ for command in cli.app.registered_commands]
)  # type: ignore[union-attr]
def test_every_command_is_in_the_guide(command: str) -> None:
    assert f"`tessera {command}" in GUIDE


@pytest.mark.parametrize("choice", [*CHUNKERS, "bundled", "sentence"])
def test_every_choice_is_in_the_guide(choice: str) -> None:
    assert choice in GUIDE
    assert set(EMBEDDERS) == {"bundled", "sentence"}


@pytest.mark.parametrize(
    "key",
    sorted(
        {*Settings.model_fields, *SearchSettings.model_fields, *ChunkingSettings.model_fields}
        | {f"--{name.replace('_', '-')}" for name in ChunkingSettings.model_fields}
    ),
)
def test_every_setting_is_in_the_guide(key: str) -> None:
    assert key in GUIDE or f"--{key.replace('_', '-')}" in GUIDE


def test_what_the_readme_points_to_is_there() -> None:
    for path in ("docs/guide.md", "docs/architecture.md", "docs/decisions", "CHANGELOG.md", ".ci/constraints.txt"):
        assert path in README
        assert (Path(__file__).parents[1] / path).exists()
