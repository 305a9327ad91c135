"""The docs name what there is: every command, setting and choice."""

import re
from pathlib import Path
from typing import Any

import pytest
import typer.main

from core import map as map_of_core
from core.chunking import CHUNKERS
from core.doors import cli
from core.embedding import EMBEDDERS
from core.reranking import RERANKERS
from core.settings.config import Settings
from core.settings.sections import (
    KEYS,
    ChunkingSettings,
    EmbeddingsSettings,
    KnowledgeSettings,
    LlmSettings,
    RerankSettings,
    SearchSection,
)

SECTIONS = (
    Settings,
    SearchSection,
    ChunkingSettings,
    EmbeddingsSettings,
    KnowledgeSettings,
    RerankSettings,
    LlmSettings,
)

COMMANDS: Any = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]
GUIDE = (Path(__file__).parents[1] / "docs" / "guide.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [name for name, command in COMMANDS.items() if not hasattr(command, "commands")])
def test_every_command_is_in_the_guide(command: str) -> None:
    assert f"`tessera {command}" in GUIDE


@pytest.mark.parametrize("command", COMMANDS["models"].commands)
def test_every_command_for_models_is_in_the_guide(command: str) -> None:
    assert f"`tessera models {command}" in GUIDE


@pytest.mark.parametrize("command", COMMANDS["packs"].commands)
def test_every_command_for_packs_is_in_the_guide(command: str) -> None:
    assert f"`tessera packs {command}" in GUIDE


@pytest.mark.parametrize("command", COMMANDS["base"].commands)
def test_every_command_for_bases_is_in_the_guide(command: str) -> None:
    assert f"`tessera base {command}" in GUIDE


@pytest.mark.parametrize("command", COMMANDS["note"].commands)
def test_every_command_for_notes_is_in_the_guide(command: str) -> None:
    assert f"`tessera note {command}" in GUIDE


@pytest.mark.parametrize("choice", [*CHUNKERS, *EMBEDDERS, *RERANKERS])
def test_every_choice_is_in_the_guide(choice: str) -> None:
    assert f"`{choice}`" in GUIDE


@pytest.mark.parametrize(
    "key",
    sorted(
        {name for section in SECTIONS for name in section.model_fields}
        | {f"--{name.replace('_', '-')}" for name in ChunkingSettings.model_fields}
    ),
)
def test_every_setting_is_in_the_guide(key: str) -> None:
    assert key in GUIDE or f"--{key.replace('_', '-')}" in GUIDE


@pytest.mark.parametrize("key", KEYS.values())
def test_every_variable_for_a_key_is_in_the_guide(key: str) -> None:
    assert f"`{key}`" in GUIDE


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_what_the_readme_points_to_is_there(name: str) -> None:
    root = Path(__file__).parents[1]
    text = (root / name).read_text(encoding="utf-8")
    places = re.findall(r"""(?:\]\(|src="|srcset=")([^)"#]+)""", text)
    assert {"docs/guide.md", "docs/architecture.md", "SECURITY.md", "CHANGELOG.md"} <= {*places}
    assert [place for place in places if not (root / place).exists()] == []


def test_every_promise_names_tests_that_are_there() -> None:
    root = Path(__file__).parents[1]
    rows = re.findall(
        r"^\| .+ \| .+ \| (`tests/.+) \|$", (root / "SECURITY.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(rows) == 20
    assert all((root / path).is_file() for row in rows for path in re.findall("`([^`]+)`", row))


def test_every_file_that_contributing_names_is_there() -> None:
    root = Path(__file__).parents[1]
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {name for name in re.findall(r"`((?:core|pages|tests|docs)/[\w/.]+)`", text) if "NAME" not in name}
    assert len(named) >= 15
    assert sorted(name for name in named if not (root / name).exists()) == []


def test_every_recipe_names_the_test_that_holds_it() -> None:
    root = Path(__file__).parents[1]
    recipes = (root / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Recipes")[2].partition("## ")[0]
    each = re.split(r"\n\n(?=\*\*)", recipes.strip())
    assert len(each) == 8
    assert [recipe for recipe in each if not re.search(r"`tests/[\w/]+\.py`", recipe)] == []


def test_the_map_names_every_package_with_what_it_is_for() -> None:
    rows = dict(map_of_core.packages())
    assert {"core", "core/retrieval", "core/features/answers", "pages/ui/search"} <= {*rows}
    assert [name for name, doc in rows.items() if not doc] == []
    assert dict(map_of_core.modules("core/base"))["core/base/text.py"].startswith("Texts: lines")
