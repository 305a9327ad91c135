"""Lists the packages and modules in core and pages, with the first lines of their docstrings.

`python -m core.map` prints the packages, and `python -m core.map core/retrieval` the modules in one of them.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_FOLDERS = ("core", "pages")


def packages() -> Iterator[tuple[str, str]]:
    """Yield each package, as a path relative to the checkout's root, with the first line of its docstring."""
    for folder in _FOLDERS:
        for file in sorted((_ROOT / folder).rglob("__init__.py")):
            yield file.parent.relative_to(_ROOT).as_posix(), first_line(file)


def modules(package: str) -> Iterator[tuple[str, str]]:
    """Yield each module in a package with the first line of its docstring."""
    for file in sorted((_ROOT / package).glob("*.py")):
        yield file.relative_to(_ROOT).as_posix(), first_line(file)


def first_line(file: Path) -> str:
    """Return the first line of a module's docstring, or "" if it has none."""
    doc = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    return doc.partition("\n")[0] if doc else ""


def main(chosen: list[str]) -> None:
    """Print the packages, or the modules in the given packages."""
    rows = [*packages()] if not chosen else [row for package in chosen for row in modules(package.rstrip("/"))]
    width = max((len(name) for name, _ in rows), default=0)
    sys.stdout.writelines(f"{name:{width}}  {doc}\n" for name, doc in rows)


if __name__ == "__main__":
    main(sys.argv[1:])
