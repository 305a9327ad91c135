"""Size of the program: `python -m tests.size` fails above `most_nodes` of pyproject.toml."""

import ast
import sys
import tomllib

from tests.naming import CODE, ROOT


def nodes() -> int:
    """Return the number of nodes in the syntax trees of core, pages and app.py."""
    return sum(1 for file in CODE for _ in ast.walk(ast.parse(file.read_text(encoding="utf-8"))))


def main() -> int:
    """Print what to do where the program is larger than it may be, and return by how many nodes it is."""
    most = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["tessera"]["most_nodes"]
    excess = max(0, nodes() - most)
    if excess:
        sys.stdout.write(
            f"core, pages and app.py have {most + excess:,} nodes, {excess:,} more than most_nodes in pyproject.toml.\n"
            "Delete what nothing uses, or say it more simply. A feature that is worth its size raises most_nodes in "
            "the commit that adds it.\n"
        )
    return excess


if __name__ == "__main__":
    sys.exit(bool(main()))
