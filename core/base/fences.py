"""Fenced code in Markdown, read line by line. A text may begin or end within a fence."""

import re
from collections.abc import Iterator

# Pattern for a line that opens or closes a fence, which may be in a quote or a list item.
FENCE = re.compile(
    r"(?<![^\n])[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*+"
    r"(?P<opening>(?P<marks>`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})[ \t]*(?P<info>[^\n]*))"
)


def open_fence(text: str, fence: str = "") -> str:
    """Return the opening line of the fence in which a text ends, or "" if it doesn't end in one.

    `fence` is the opening line of the fence in which the text begins.
    """
    for line in FENCE.finditer(text):
        if not fence:
            fence = line["opening"].strip()
        elif line["marks"].startswith(_marks(fence)) and not line["info"].strip():
            fence = ""
    return fence


def complete_fences(text: str, fence: str) -> str:
    """Open the fence in which a text begins, close the one in which it ends, and return the result."""
    whole = f"{fence}\n{text}" if fence else text
    end = open_fence(text, fence)
    return f"{whole}\n{_marks(end)}" if end else whole


def split_fences(text: str, fence: str) -> Iterator[tuple[bool, int, int]]:
    """Yield whether each part of a text is inside a fence, and the part's start and end.

    Lines that open or close a fence belong to no part. `fence` is the opening line of the fence in which the text
    begins.
    """
    start = end = 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        after = open_fence(line, fence)
        if bool(after) != bool(fence):
            yield bool(fence), start, end
            start = end + len(line)
        end += len(line)
        fence = after
    yield bool(fence), start, end


def outdent_closing(text: str, fence: str) -> str:
    """Return a text that begins in a fence, with spaces after the closing line in place of its indentation.

    Directly below the opening line, a parser would read a closing line indented by four columns as code.
    """
    _, _, start = next(split_fences(text, fence))
    return text[:start] + re.sub(r"[ \t>]*(.*)", lambda line: line[1].ljust(len(line[0])), text[start:], count=1)


def _marks(fence: str) -> str:
    return fence[: len(fence) - len(fence.lstrip(fence[0]))]
