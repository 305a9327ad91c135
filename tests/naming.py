"""Names that an engineer of the field doesn't expect: `python -m tests.naming` lists them and fails above the limits.

A class name stands once in core and pages. Functions say what they do, not *of* what they are; what a loop goes over
has the name of the thing, not *one*, *each* or *some*.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMELESS = {"one", "each", "some"}
LIMITS = {"class": 0, "of": 2, "nameless": 5}
"""`uses.of` and `related.of` are verbs of the library that programs call."""


def found() -> Iterator[tuple[str, str, int, str]]:
    """Yield each name that breaks a rule: the rule, its file and line, and the name."""
    classes = defaultdict(list)
    for file in sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py"), ROOT / "app.py"]):
        place = file.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                classes[node.name].append((place, node.lineno))
            elif isinstance(node, ast.FunctionDef) and f"{node.name.lstrip('_')}_".startswith("of_"):
                yield "of", place, node.lineno, node.name
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in NAMELESS:
                yield "nameless", place, node.lineno, node.id
            elif isinstance(node, ast.arg) and node.arg in NAMELESS:
                yield "nameless", place, node.lineno, node.arg
    for name, places in classes.items():
        for place, line in places[1:]:
            yield "class", place, line, name


def main() -> int:
    """Print the names that break a rule more often than it allows, and return how many they are."""
    broken = defaultdict(list)
    for rule, place, line, name in found():
        broken[rule].append(f"{place}:{line}: {name} ({rule})")
    lines = [line for rule, names in broken.items() if len(names) > LIMITS[rule] for line in names]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return len(lines)


if __name__ == "__main__":
    sys.exit(bool(main()))
