"""What the text of a passage holds: a table, a task, a picture, a link."""

import re
from itertools import pairwise

_RULE = " \t>|:-"
"""All signs of the line below a table's header."""
_IMAGE = re.compile(
    r"!\[\[(?:[^\]\n!]|!(?!\[\[))++\]\]"
    r"|!\[(?:[^\]\n!]|!(?!\[))*+\](?:\((?:[^)\]\n]|\](?!\())++\)|\[[^\]\n]*+\])"
)
"""No part goes beyond the sign that begins the same part of another picture, so that no sign is read many times."""
_LINK = re.compile(
    r"(?<!!)\[\[[^\[\]\n]{1,500}\]\]|(?<!!)\[[^\[\]\n]{1,500}\]\([^)\s]|\b[a-z]{3,10}://\w", re.IGNORECASE
)
_TASK = re.compile(r"^[ \t>]*([-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]", re.MULTILINE)


def has_table(text: str) -> bool:
    """Return whether there is a table: a line with cells, and the line of dashes below it."""
    lines = text.split("\n")
    return any(
        "|" in header and "|" in line and "-" in line and not line.strip(_RULE) for header, line in pairwise(lines)
    )


def has_task(text: str) -> bool:
    """Return whether there is an item of a list with a box to tick."""
    return _TASK.search(text) is not None


def has_image(text: str) -> bool:
    """Return whether there is a picture, as Markdown or Obsidian writes it."""
    return _IMAGE.search(text) is not None


def has_link(text: str) -> bool:
    """Return whether there is a link to a note, a file or a page, not for a picture."""
    return _LINK.search(text) is not None
