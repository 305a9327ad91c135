"""Text -> Markdown: blocks of code and tables."""

import re
from collections.abc import Sequence


def code_block(text: str, language: str = "") -> str:
    """Return a text as a block of code, between fences that are longer than those in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of as many cells each, of one line each, as a table; the first row is its header."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
