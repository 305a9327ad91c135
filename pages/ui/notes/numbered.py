"""A plain text with line numbers; no Markdown in it is rendered."""

import re

from core.text import LINE_END
from pages.ui.shared.safe import html

LINES = 2_000
CHARACTERS = 100_000
"""Most lines and characters that are drawn at once."""
BEFORE = 8
"""Lines above the wanted one."""


def lines(body: str, at: int) -> tuple[str, int]:
    """Return the lines of a text around line `at`, 0 for the beginning, as HTML, and the number of their characters."""
    every = re.split(LINE_END, body)
    first = max(1, at - BEFORE)
    rows, size = [], 0
    for number, line in enumerate(every[first - 1 : first - 1 + LINES], start=first):
        shown = line[: CHARACTERS - size]
        size += len(shown) + 1
        rows.append(f"<div{' class=on' if number == at else ''}><i>{number:,}</i><span>{html(shown)}</span></div>")
        if size >= CHARACTERS:
            break
    return f'<div class="t-numbered">{"".join(rows)}</div>', min(size, len(body))
