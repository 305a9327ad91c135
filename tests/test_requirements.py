"""The table of requirements names designs, places and tests that are there, and tests that the suite runs."""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from textwrap import indent

import pytest

from core.doors.registry import OPERATIONS
from tests.doors.faces import FROZEN

ROOT = Path(__file__).parents[1]
TABLE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
DESIGNS = re.findall(r"^\| (\S+) \| [^|]+ \|$", TABLE.partition("\n*Where*")[0], re.MULTILINE)[1:]
ROW = re.compile(r"^\| (.*) \| (.*) \| (.*) \| (.*) \|$", re.MULTILINE)
FIRST = "| 000 | Hits are ordered. | `search.find` | `tests/test_library.py::test_every_example_runs` |"


def faults(row: str) -> Iterator[str]:
    """Yield what is wrong with a row of the table."""
    design, requirement, where, tests = ROW.fullmatch(row).groups()  # type: ignore[union-attr]
    if design not in DESIGNS or not requirement.endswith((".", ".*")):
        yield f"no requirement of a design: {row}"
    for column, is_there in ((where, _is_place), (tests, _is_run)):
        names = re.findall("`([^`]+)`", column)
        if not names or ", ".join(f"`{name}`" for name in names) != column:
            yield f"no list of names: {column!r}"
        yield from (name for name in names if not is_there(name))


def _is_place(name: str) -> bool:
    """Return whether a name is an operation, a page, a tool or a path of the older designs."""
    return name in OPERATIONS or name in _tools() or name in _paths() or _is_page(name)


def _is_page(name: str) -> bool:
    return re.fullmatch(r"pages/\w+\.py", name) is not None and (ROOT / name).is_file()


@cache
def _tools() -> set[str]:
    return {tool["name"] for tool in json.loads((FROZEN / "tools.json").read_text(encoding="utf-8"))["tools"]}


@cache
def _paths() -> set[str]:
    paths = json.loads((FROZEN / "openapi.json").read_text(encoding="utf-8"))["paths"]
    return {f"{method.upper()} /api{path}" for path, methods in paths.items() for method in methods}


def _is_run(node: str) -> bool:
    """Return whether the suite collects a test and does not skip it everywhere, or it is a benchmark with a command."""
    path, _, name = node.partition("::")
    if re.fullmatch(r"benchmarks/\w+\.py", path) and (ROOT / path).is_file():
        return not name and 'if __name__ == "__main__":' in (ROOT / path).read_text(encoding="utf-8")
    if not re.fullmatch(r"tests/(\w+/)*test_\w+\.py", path) or not (ROOT / path).is_file():
        return False
    return name in _tests((ROOT / path).read_text(encoding="utf-8"))


@cache
def _tests(source: str) -> set[str]:
    """Return the tests that pytest collects and runs from the source of a module, as they are called in it."""
    return {*_running(ast.parse(source).body)}


def _running(body: Sequence[ast.stmt]) -> Iterator[str]:
    if any(_skips(node) for node in body):
        return
    last = {node.name: node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for name, node in last.items():
        if any(_takes_out(mark) for mark in node.decorator_list):
            continue
        if isinstance(node, ast.ClassDef) and name.startswith("Test"):
            yield from (f"{name}::{inner}" for inner in _running(node.body))
        elif isinstance(node, ast.FunctionDef) and name.startswith("test_") and not any(map(_skips, node.body)):
            yield name


def _skips(node: ast.stmt) -> bool:
    """Return whether a statement skips what it is in, whatever holds."""
    match node:
        case ast.Assign(targets=[ast.Name("pytestmark")], value=value):
            return any(_takes_out(mark) for mark in (value.elts if isinstance(value, ast.List) else [value]))
        case ast.Expr(value=ast.Call(func=function)):
            return ast.unparse(function) in ("pytest.skip", "pytest.xfail", "pytest.fail")
    return False


def _takes_out(mark: ast.expr) -> bool:
    called, condition = (mark.func, mark.args[:1]) if isinstance(mark, ast.Call) else (mark, [])
    name = ast.unparse(called)
    always = name == "pytest.mark.skipif" and all(isinstance(one, ast.Constant) for one in condition)
    return always or name in ("pytest.mark.skip", "pytest.mark.xfail")


def test_each_requirement_has_a_place_and_tests_that_are_run() -> None:
    rows = [row[0] for row in ROW.finditer(TABLE)][1:]
    assert [wrong for row in rows for wrong in faults(row)] == []
    assert {row.split(" | ")[0].strip("| ") for row in rows} == {*DESIGNS}
    assert len({row.split(" | ")[1] for row in rows}) == len(rows)
    decisions = re.findall(r"\]\((decisions/[^)]+)\)", TABLE)
    assert [name for name in decisions if not (ROOT / "docs" / name).is_file()] == []


def test_the_suite_runs_all_tests() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.findall(r"/pytest -m (\"not browser\"|browser) -n", makefile) == ['"not browser"', "browser"]
    assert {"make test", "make browser"} <= {*(ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()}


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("000", "005"),
        ("Hits are ordered.", ""),
        ("`search.find`", ""),
        ("search.find", "search.lose"),
        ("search.find", "pages/nothing.py"),
        ("search.find", "GET /api/nothing"),
        ("`tests/test_library.py::test_every_example_runs`", ""),
        ("tests/test_library.py", "tests/test_nothing.py"),
        ("tests/test_library.py", "docs/library.md"),
        ("::test_every_example_runs", ""),
        ("test_every_example_runs", "test_nothing"),
        ("tests/test_library.py::test_every_example_runs", "benchmarks/nothing.py"),
        ("tests/test_library.py::", "benchmarks/speed.py::"),
        ("tests/test_library.py::test_every_example_runs", "benchmarks/__init__.py"),
    ],
)
def test_a_row_that_lacks_something_is_named(good: str, bad: str) -> None:
    assert [*faults(FIRST)] == []
    assert [*faults(FIRST.replace("tests/test_library.py::test_every_example_runs", "benchmarks/speed.py"))] == []
    assert [*faults(FIRST.replace(good, bad))] != []


@pytest.mark.parametrize(
    ("source", "runs"),
    [
        ("def test_it(): pass", True),
        ("@pytest.mark.browser\n@pytest.mark.skipif(os.name != 'posix', reason='x')\ndef test_it(): pass", True),
        ("@pytest.mark.parametrize('one', [1])\ndef test_it(one): pass", True),
        ("def test_it():\n    if windows:\n        pytest.skip('x')", True),
        ("def it(): pass", False),
        ("class It:\n    def test_it(self): pass", False),
        ("def other():\n    def test_it(): pass", False),
        ("@pytest.mark.skip(reason='x')\ndef test_it(): pass", False),
        ("@pytest.mark.xfail\ndef test_it(): pass", False),
        ("@pytest.mark.skipif(True, reason='x')\ndef test_it(): pass", False),
        ("def test_it():\n    pytest.skip('x')", False),
        ("pytestmark = [pytest.mark.skip]\ndef test_it(): pass", False),
        ("pytest.skip('x', allow_module_level=True)\ndef test_it(): pass", False),
        ("def test_it(): pass\n@pytest.mark.skip\ndef test_it(): pass", False),
    ],
)
def test_a_test_that_is_never_run_holds_nothing(source: str, runs: bool) -> None:
    assert _tests(source) == ({"test_it"} if runs else set())
    assert _tests(f"class TestAll:\n{indent(source, '    ')}") == ({"TestAll::test_it"} if runs else set())
    assert _tests(f"@pytest.mark.skip\nclass TestAll:\n{indent(source, '    ')}") == set()
