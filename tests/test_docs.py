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
from core.model import NOTE_FIELDS
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
    assert len(each) == 9
    assert [recipe for recipe in each if not re.search(r"`tests/[\w/]+\.py`", recipe)] == []


def test_the_map_names_every_package_with_what_it_is_for() -> None:
    rows = dict(map_of_core.packages())
    assert {"core", "core/retrieval", "core/features/answers", "pages/ui/search"} <= {*rows}
    assert [name for name, doc in rows.items() if not doc] == []
    assert dict(map_of_core.modules("core/base"))["core/base/text.py"].startswith("Helpers for lines")


ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    *sorted(ROOT.glob("docs/**/*.md")),
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")),
]
_PATH = re.compile(
    r"(?:`(?P<within>[.\w]+)` in )?`(?P<path>(?:core|pages|tests|docs|benchmarks)/[\w./-]+)(?:::(?P<name>[.\w]+))?`"
)
_MODULE = re.compile(r"`(?:python -m )?(?P<module>(?:core|pages|tests|benchmarks)(?:\.[a-z]\w*)+)\b")
_PLACEHOLDER = re.compile(r"/[A-Z]+\b")


def missing(text: str, folder: Path = ROOT) -> list[str]:
    """Return the files, names in files, modules and links that a document names and that aren't there."""
    lacking = []
    for match in _PATH.finditer(text):
        path, name = match["path"], match["name"] or match["within"]
        if _PLACEHOLDER.search(path):
            continue
        place = ROOT / path
        if not place.exists():
            lacking.append(path)
        elif name and place.is_file():
            code = place.read_text(encoding="utf-8")
            lacking += [f"{path}::{part}" for part in name.split(".") if not re.search(rf"\b{part}\b", code)]
    for match in _MODULE.finditer(text):
        *above, last = match["module"].split(".")
        place = ROOT.joinpath(*above, last)
        inside = [file for file in (place.parent / "__init__.py", place.parent.with_suffix(".py")) if file.is_file()]
        is_named = any(re.search(rf"\b{last}\b", file.read_text(encoding="utf-8")) for file in inside)
        if not (place.is_dir() or place.with_suffix(".py").is_file() or is_named):
            lacking.append(match["module"])
    prose = re.sub(r"```.*?```|`[^`\n]+`", "", text, flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", prose)
    return lacking + [link for link in links if not (folder / link).exists()]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: file.stem)
def test_whatever_a_document_names_is_there(document: Path) -> None:
    assert missing(document.read_text(encoding="utf-8"), document.parent) == []


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("See `core/base/text.py` and `core/base`.", []),
        ("See `core/base/lost.py` and `pages/lost`.", ["core/base/lost.py", "pages/lost"]),
        ("`find_quote` in `core/base/text.py`, `core/base/text.py::find_quote`", []),
        ("`lost_name` in `core/base/text.py`", ["core/base/text.py::lost_name"]),
        ("`core/base/text.py::find_quote`, `core/base/text.py::lost_name`", ["core/base/text.py::lost_name"]),
        ("`python -m core.map core/base`, `core.Embedder`, `core.lost`", ["core.lost"]),
        ("[guide](docs/guide.md#notes) [no](docs/lost.md) `[no](a.jpg)`", ["docs/lost.md"]),
        ("`tests/features/NAME`", []),
    ],
)
def test_what_is_missing_is_found(text: str, lacking: list[str]) -> None:
    assert missing(text) == lacking


DECISIONS = ROOT / "docs" / "decisions"
HOLDING = {path.name: path.read_text(encoding="utf-8") for path in sorted(DECISIONS.glob("0*.md"))}
SUPERSEDED = {path.name: path.read_text(encoding="utf-8") for path in sorted(DECISIONS.glob("superseded/*.md"))}
PLACES = (
    "*.md",
    *(f"{folder}/**/*.py" for folder in ("benchmarks", "core", "pages", "tests")),
    "docs/*.md",
    "docs/decisions/*.md",
)


def wrong_mentions(text: str) -> list[str]:
    """Return links to decisions, and mentions by number, of none that holds; a link to one in `superseded` says so."""
    numbers = {str(int(name[:4])) for name in HOLDING}
    names = re.findall(r"(?<!superseded/)\b(00\d\d-[\w-]+\.md)", text)
    superseded = re.findall(r"superseded/(00\d\d-[\w-]+\.md)", text)
    labelled = re.findall(r"\[(\d+)\]\((?:decisions/)?00(\d\d)-", text)
    return [
        *(name for name in names if name not in HOLDING),
        *(name for name in superseded if name not in SUPERSEDED),
        *(f"[{label}] {number}" for label, number in labelled if int(label) != int(number)),
        *(f"decision {number}" for number in re.findall(r"\bdecision (\d+)\b", text, re.I) if number not in numbers),
    ]


def test_every_decision_that_is_named_holds_or_is_said_to_be_superseded() -> None:
    files = [path for place in PLACES for path in ROOT.glob(place) if path != Path(__file__)]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}
    wrong = {name: wrong_mentions(text) for name, text in texts.items() if "ecision" in text}
    assert len(wrong) >= 60
    assert {name: mentions for name, mentions in wrong.items() if mentions} == {}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[7](decisions/0007-another-embedder.md), decision 7", []),
        ("[8](superseded/0008-filters-first.md)", []),
        ("docs/decisions/0008-filters-first.md", ["0008-filters-first.md"]),
        ("superseded/0007-another-embedder.md", ["0007-another-embedder.md"]),
        ("[5](0007-another-embedder.md)", ["[5] 07"]),
        ("Decision 8", ["decision 8"]),
        ("decision 99", ["decision 99"]),
    ],
)
def test_wrong_mentions_of_decisions_are_found(text: str, wrong: list[str]) -> None:
    assert wrong_mentions(text) == wrong


@pytest.mark.parametrize("name", HOLDING)
def test_a_decision_that_holds_has_its_number_and_its_parts(name: str) -> None:
    title, *lines = HOLDING[name].splitlines()
    parts = [line for line in lines if line.startswith("## ")]
    allowed = ["## Context", "## Decision", "## Why not …", "## Consequences"]
    assert title.startswith(f"# {int(name[:4])}. ")
    assert parts == [part for part in allowed if part in parts]
    assert {*allowed} - {*parts} <= {"## Why not …"}
    links = re.findall(r"\]\(([^)#]+)", HOLDING[name])
    assert [link for link in links if not (DECISIONS / link).is_file()] == []


def test_the_list_has_every_decision_and_few_hold() -> None:
    assert len(HOLDING) <= 40
    assert {*HOLDING}.isdisjoint(SUPERSEDED)
    listed = (DECISIONS / "README.md").read_text(encoding="utf-8")
    titles = {name: text.splitlines()[0].partition(". ")[2] for name, text in (HOLDING | SUPERSEDED).items()}
    rows = [f"| {int(name[:4])} | [{titles[name]}]({name}) |" for name in HOLDING]
    rows += [f"| {int(name[:4])} | [{titles[name]}](superseded/{name}) | [" for name in SUPERSEDED]
    assert [row for row in rows if row not in listed] == []


@pytest.mark.parametrize("name", SUPERSEDED)
def test_a_superseded_decision_is_three_lines_that_name_what_holds(name: str) -> None:
    title, by, reason = SUPERSEDED[name].splitlines()
    target = re.fullmatch(r"\*Superseded by \[.+\]\(([^)#]+)[^)]*\)\.\*", by)
    assert title.startswith(f"# {int(name[:4])}. ")
    assert target is not None
    assert reason.endswith(".")
    assert all((DECISIONS / "superseded" / path).is_file() for path in re.findall(r"\]\(([^)#]+)", by + reason))
    assert wrong_mentions(by.replace("../", "")) == []


@pytest.mark.parametrize("document", ["docs/assistants.md", "docs/library.md"])
def test_lists_of_the_fields_of_a_note_are_complete(document: str) -> None:
    lists = [re.findall(r"`(\w+)`", part) for part in (ROOT / document).read_text(encoding="utf-8").split("\n\n")]
    listed = max(lists, key=lambda names: len(NOTE_FIELDS.keys() & {*names}))
    assert {name for name, field in NOTE_FIELDS.items() if field.by_programs} <= {*listed}
