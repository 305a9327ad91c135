"""No test compares a clock: a busy machine would fail it, and a fast one would pass slow code."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CLOCKS = {"perf_counter", "monotonic", "process_time", "thread_time", "time"}
CLOCKS |= {f"{name}_ns" for name in CLOCKS}
MAY_READ = {"growth.py", "waiting.py"}
"""Growth is shown by the ratio of two sizes, and a state is waited for; tests call these modules."""


def clock_lines(code: str) -> list[int]:
    """Return the lines of a module that read a clock of the module `time`."""
    nodes = [*ast.walk(ast.parse(code))]
    imports = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    modules = {alias.asname or alias.name for alias in imports if alias.name == "time"}
    lines = [
        node.lineno
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module == "time" and CLOCKS & {a.name for a in node.names}
    ]
    lines += [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in modules
        and node.attr in CLOCKS
    ]
    return sorted(lines)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("import time\nbegan = time.perf_counter()\nassert time.perf_counter() - began < 2", [2, 3]),
        ("import time as t\nt.time_ns()", [2]),
        ("def f():\n    import time\n    time.process_time()", [3]),
        ("from time import sleep, monotonic", [1]),
        ("import time\ntime.sleep(1)\nclock.monotonic()", []),
    ],
)
def test_a_clock_is_recognised(code: str, lines: list[int]) -> None:
    assert clock_lines(code) == lines


MAY_IMPORT = re.compile(r"import\b.*\btime\b|from time")
"""A text that this isn't in needs no parsing."""


def test_only_the_helpers_read_a_clock() -> None:
    files = [file for file in TESTS.rglob("*.py") if file.relative_to(TESTS).as_posix() not in MAY_READ]
    assert len(files) > 300
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    assert [
        f"{file}:{line}" for file, text in texts.items() if MAY_IMPORT.search(text) for line in clock_lines(text)
    ] == []
