"""Write Markdown code blocks, callouts and tables."""

import re
from collections.abc import Iterable, Sequence


def code_block(text: str, language: str = "") -> str:
    """Return `text` as a code block whose fences are longer than any sequence of backticks in the text."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def callout(kind: str, title: str, lines: Iterable[str]) -> str:
    """Return a callout in Obsidian's syntax: a quote whose first line gives its kind and title."""
    return "\n".join(f"> {line}".rstrip() for line in (f"[!{kind}] {title}", *lines))


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of equal length as a table. The first row is the header, and each cell is a single line."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
