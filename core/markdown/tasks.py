"""The check boxes of task lists."""

import re

from core.base.text import line_starts

_BOX = re.compile(r"(?:[-*+][ \t]|\d{1,9}[.)][ \t]|[ \t>])*\[(.)\][ \t]")
_MARK = re.compile(r"[-*+][ \t]|\d[.)][ \t]")


def toggled(body: str, line: int) -> str | None:
    """Return a text in which the check box of a line, counted from 0, is clicked; None where the line has no box."""
    starts = line_starts(body)
    box = _BOX.match(body, starts[line]) if 0 <= line < len(starts) else None
    if not box or not _MARK.search(body, starts[line], box.start(1)):
        return None
    return body[: box.start(1)] + ("x" if box[1] == " " else " ") + body[box.end(1) :]
