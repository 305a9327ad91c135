"""Writing of Markdown: blocks of code, callouts and tables."""

import re
from collections.abc import Iterable, Sequence


def code_block(text: str, language: str = "") -> str:
    """Return a text as a code block, between fences longer than any in the text."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def callout(kind: str, title: str, lines: Iterable[str]) -> str:
    """Return a callout as Obsidian writes it: a quote whose first line has its kind and a title."""
    return "\n".join(f"> {line}".rstrip() for line in (f"[!{kind}] {title}", *lines))


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of equal length, with one line per cell, as a table; the first row is the header."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
