"""Names that an engineer of the field doesn't expect: `python -m tests.naming` lists them and fails above the limits.

A class name stands once in core and pages. Functions say what they do, not *of* what they are; what a loop goes over
has the name of the thing, not *one*, *each* or *some*. Words for places (WORDS) that aren't meant as
places stay rare in names, docstrings, comments and documents; texts of the screen are ids of translations.
"""

import ast
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMELESS = {"one", "each", "some"}
WORDS = re.compile(r"\b(?:behind|stands?|beside|told)\b")
LIMITS = {"class": 0, "of": 2, "nameless": 5}
"""`uses.of` and `related.of` are verbs of the library that programs call."""
WORD_LIMIT = 10
"""Occurrences of one of WORDS in the code, and in the documents."""
CODE = sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py"), ROOT / "app.py"])
DOCUMENTS = [*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def names() -> Iterator[tuple[str, str, int, str]]:
    """Yield each name that breaks a rule: the rule, its file and line, and the name."""
    classes = defaultdict(list)
    for file in CODE:
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


def words() -> Iterator[tuple[str, str, int, str]]:
    """Yield each of WORDS in the same way, its rule named by the word and where it is."""
    for file in CODE:
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        docstrings = {
            node.lineno for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        with tokenize.open(file) as source:
            for token in tokenize.generate_tokens(source.readline):
                line, text = token.start[0], token.string
                if (token.type == tokenize.STRING and line in docstrings) or token.type in _NAMING:
                    yield from _matches("code", file, line, text.replace("_", " "))
    for file in DOCUMENTS:
        yield from _matches("documents", file, 1, file.read_text(encoding="utf-8"))


_NAMING = (tokenize.NAME, tokenize.COMMENT)


def _matches(part: str, file: Path, line: int, text: str) -> Iterator[tuple[str, str, int, str]]:
    for match in WORDS.finditer(text):
        place = file.relative_to(ROOT).as_posix()
        yield f"{match[0]} in {part}", place, line + text.count("\n", 0, match.start()), match[0]


def main() -> int:
    """Print the names that break a rule more often than it allows, and return how many they are."""
    broken = defaultdict(list)
    for rule, place, line, name in chain(names(), words()):
        broken[rule].append(f"{place}:{line}: {name} ({rule})")
    excess = [line for rule, lines in broken.items() if len(lines) > LIMITS.get(rule, WORD_LIMIT) for line in lines]
    sys.stdout.writelines(f"{line}\n" for line in excess)
    return len(excess)


if __name__ == "__main__":
    sys.exit(bool(main()))
