"""The layers hold, modules are short, and starting costs nothing that the first page doesn't need."""

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from dataclasses import is_dataclass
from functools import partial
from graphlib import TopologicalSorter
from pathlib import Path
from types import FunctionType, MethodType

import grimp

from core.workspace import Workspace

ROOT = Path(__file__).parents[1]
LAYERS, *FORBIDDEN = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
    "contracts"
]
LINES = [line.split(" | ") for line in LAYERS["layers"]]
"""The packages of core from the highest layer to the lowest."""


def sources() -> list[Path]:
    return [ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]


def test_the_layers_hold() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_plan_and_the_diagram_show_the_layers() -> None:
    plan = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("    core/\n")[2].partition("    data/")[0]
    rows = [re.split(r"\s{2,}", line.strip())[0] for line in plan.splitlines() if re.match(r" {6}\S", line)]
    assert [[f"core.{name.replace('/', '.')}" for name in row.split(" | ")] for row in rows] == LINES

    diagram = re.search(r"```mermaid\n(.*?)```", (ROOT / "docs/architecture.md").read_text(encoding="utf-8"), re.DOTALL)
    assert diagram is not None
    boxes = dict.fromkeys(re.findall(r'\["(core/[^":]+)', diagram[1]))
    assert [box.replace("/", ".").split(" | ") for box in boxes] == LINES
    inner = [pair for pair in re.findall(r"(\w+)(?:\[[^]]*])? --> (?=(\w+))", diagram[1]) if pair[0] != "pages"]
    assert [lower for _, lower in inner] == [upper for upper, _ in inner[1:]] + ["base"], "a chain without gaps"


def test_every_package_has_a_layer() -> None:
    packages = {f"core.{file.parent.name}" for file in ROOT.glob("core/*/__init__.py")} - {"core.doors"}
    packages |= {f"core.doors.{file.parent.name}" for file in ROOT.glob("core/doors/*/__init__.py")}
    assert packages == {name for line in LINES for name in line} - {"core.doors.registry"}


def test_only_operations_name_what_is_above_them() -> None:
    """The layers leave out what is imported for type checkers only."""
    graph = grimp.build_graph("core", "pages", cache_dir=None)
    at_run_time = grimp.build_graph("core", "pages", cache_dir=None, exclude_type_checking_imports=True)

    def height(module: str) -> int:
        return next((-n for n, line in enumerate(LINES) if f"{module}.".startswith(tuple(f"{x}." for x in line))), 1)

    def forbidden(module: str, other: str) -> bool:
        return any(
            f"{module}.".startswith(tuple(f"{name}." for name in contract["source_modules"]))
            and f"{other}.".startswith(tuple(f"{name}." for name in contract["forbidden_modules"]))
            for contract in FORBIDDEN
        )

    named = {
        (module, other)
        for module in graph.modules
        for other in graph.find_modules_directly_imported_by(module)
        - at_run_time.find_modules_directly_imported_by(module)
        if height(other) > height(module) or forbidden(module, other)
    }
    operations = re.compile(r"core\.operations\.[\w.]+|core\.features\.\w+\.operations")
    assert {other for _, other in named} == {"core.workspace"}
    assert [module for module, _ in named if not operations.fullmatch(module)] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph("core", "pages", cache_dir=None)
    TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()


def test_features_do_not_know_each_other() -> None:
    graph = grimp.build_graph("core", cache_dir=None)

    def feature(module: str) -> str:
        return module.split(".")[2] if module.startswith("core.features.") else ""

    crossing = [
        f"{module} -> {other}"
        for module in graph.modules
        if feature(module)
        for other in graph.find_modules_directly_imported_by(module)
        if feature(other) not in ("", feature(module))
    ]
    assert sorted(crossing) == []


def test_starting_imports_no_model_and_no_index() -> None:
    code = (
        "import sys; import core.workspace, core.doors.cli; "
        "print(sorted({name.partition('.')[0] for name in sys.modules} "
        "& {'torch', 'chromadb', 'sentence_transformers', 'transformers', 'pandas', 'streamlit', 'langchain_core', "
        "'keyring'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_module_has_more_than_600_lines() -> None:
    for file in sources():
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 600, file


def test_no_part_of_a_workspace_has_more_than_twenty_methods(tmp_path: Path) -> None:
    """What a person has to read of a part stays short, and parts don't inherit each other's methods."""

    def methods(part: object) -> set[str]:
        own = [kind for kind in type(part).__mro__ if kind.__module__.startswith("core.")]
        defined = {name for kind in own for name, value in vars(kind).items() if _is_method(value)}
        return {name for name in defined | {*vars(part)} if name[0] != "_" and _is_method(getattr(part, name))}

    with Workspace(tmp_path / "workspace") as workspace:
        names = [name for name in dir(workspace) if name[0] != "_" and not _is_method(getattr(workspace, name))]
        parts = [part for part in (workspace, *(getattr(workspace, name) for name in names)) if _is_part(part)]
        assert {"Notes", "Imports", "Trash", "Renames", "DraftTable"} <= {type(part).__name__ for part in parts}
        for part in parts:
            assert len(methods(part)) <= 20, (type(part).__name__, sorted(methods(part)))
            bases = {kind.__module__.split(".")[1] for kind in type(part).__mro__[1:] if _is_part_class(kind)}
            assert bases <= {"base", "settings", "store", "workspace"}, type(part)


def test_no_act_on_notes_waits_for_its_caller_to_read_on(tmp_path: Path) -> None:
    """A generator that writes does a part of its work, or none, where its caller drops it."""
    with Workspace(tmp_path / "workspace") as workspace:
        parts = (
            workspace.notes,
            workspace.imports,
            workspace.files,
            workspace.attachments,
            workspace.versions,
            workspace.renames,
            workspace.trash,
            workspace.proposals,
            workspace.drafts,
            workspace.bases,
            workspace.chunks,
            workspace.pending,
            workspace.switches,
        )
        for part in parts:
            for name, act in inspect.getmembers(part, callable):
                if name[0] != "_":
                    assert not inspect.isgeneratorfunction(inspect.unwrap(act)), (type(part).__name__, name)


def _is_method(value: object) -> bool:
    return isinstance(value, (FunctionType, MethodType, staticmethod, classmethod, partial))


def _is_part_class(kind: type) -> bool:
    return kind.__module__.startswith("core.")


def _is_part(part: object) -> bool:
    is_value = is_dataclass(part) and type(part).__dataclass_params__.frozen
    return _is_part_class(type(part)) and not is_value


def test_no_python_text_holds_javascript() -> None:
    """Scripts are files beside their modules: oxlint reads those, and a browser runs them in tests."""
    script = re.compile(r"=>\s*[{(]|\bfunction\s*\w*\s*\(|\baddEventListener\b|\bdocument\.\w+\(|<script\b")
    for file in sources():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not script.search(node.value), f"{file}, line {node.lineno}"


def test_no_page_lets_notes_bring_html_of_their_own() -> None:
    scripts = [file for file in (ROOT / "pages").rglob("*.js") if file.parent.name != "codemirror"]
    assert scripts
    for page in [ROOT / "app.py", *(ROOT / "pages").rglob("*.py"), *scripts]:
        text = page.read_text(encoding="utf-8")
        assert "unsafe_allow" not in text, page
        assert "innerHTML" not in text, page
