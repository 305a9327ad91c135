"""Size of the program, and what of it has no type: `python -m tests.size` fails above the limits of pyproject.toml."""

import ast
import sys
import tomllib
from collections.abc import Iterator

from tests.naming import CODE, ROOT

ADVICE = {
    "most_nodes": "nodes in their syntax trees. Delete what nothing uses, or say it more simply. A feature that is "
    "worth its size raises most_nodes in the commit that adds it",
    "most_any": "functions with Any in their parameters or results. Say what they hold: a dataclass, a TypedDict, a "
    "Protocol, a type variable, object",
    "most_any_dicts": "annotations with dict[str, Any]. A TypedDict or a dataclass names the keys; where any value "
    "will do, it is object",
}
"""What each limit counts in core, pages and app.py, and what to do above it."""


def count() -> dict[str, int]:
    """Return the figures that are limited, by the names of their limits."""
    figures = dict.fromkeys(ADVICE, 0)
    for file in CODE:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            annotations = [*annotations_of(node)]
            figures["most_nodes"] += 1
            figures["most_any"] += not isinstance(node, ast.AnnAssign) and any(map(has_any, annotations))
            figures["most_any_dicts"] += sum(
                "dict[str, Any]" in ast.unparse(item) or "AnyValues" in ast.unparse(item) for item in annotations
            )
    return figures


def annotations_of(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the annotations of the parameters and the result of a function, or that of a variable."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = node.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        yield from (item.annotation for item in parameters if item and item.annotation)
        yield from [node.returns] if node.returns else []
    elif isinstance(node, ast.AnnAssign):
        yield node.annotation


def has_any(annotation: ast.expr) -> bool:
    """Return whether an annotation says Any anywhere, also in one that is quoted."""
    return not {"Any", "AnyMap", "AnyValues"}.isdisjoint(
        word.id for part in _parts(annotation) for word in ast.walk(part) if isinstance(word, ast.Name)
    )


def _parts(annotation: ast.expr) -> Iterator[ast.expr]:
    """Yield an annotation and what its quoted parts say; texts that are no code are left out."""
    yield annotation
    for item in ast.walk(annotation):
        if isinstance(item, ast.Constant) and isinstance(item.value, str) and "Any" in item.value:
            try:
                yield ast.parse(item.value, mode="eval").body
            except SyntaxError:
                continue


def main() -> int:
    """Print the figures with their limits, and what to do above one; return how many are above."""
    limits = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["tessera"]
    figures = count()
    above = [name for name in ADVICE if figures[name] > limits[name]]
    for name, figure in figures.items():
        sys.stdout.write(f"{name} = {limits[name]:,}: {figure:,} now\n")
    for name in above:
        sys.stdout.write(f"core, pages and app.py have {figures[name]:,} {ADVICE[name]}.\n")
    return len(above)


if __name__ == "__main__":
    sys.exit(bool(main()))
