"""The text of a note without the chunks that the user hid, whole or by its lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.base.text import LINE_END, fold
from core.model import Note, NoteLine
from core.store.phrases import may_hold

_END = re.compile(LINE_END)
_TEXT = re.compile(r"\S")
_GAP = " … "
"""The sign of a hidden part in a line."""

Hidden = Sequence[tuple[int, int]]
"""Parts of a note's body that answer nothing, in their order."""


def visible_text(note: Note, hidden: Hidden) -> str:
    """Return the body of a note without what is hidden."""
    return "\n\n".join(_parts(note.body, 0, len(note.body), hidden))


def blank_hidden(note: Note, hidden: Hidden) -> Note:
    """Return a note with blanks for what is hidden, so that everything else keeps its place."""
    body = note.body
    for start, end in hidden:
        body = f"{body[:start]}{_TEXT.sub(' ', body[start:end])}{body[end:]}"
    return replace(note, body=body)


def find_lines(note: Note, text: str, hidden: Hidden = ()) -> Iterator[NoteLine]:
    """Yield the lines of a note that hold a text, whatever its case, width, or Chinese script, in their order."""
    wanted = fold(text)
    before = len(_END.findall(note.front or ""))
    start = 0
    for number, line in enumerate(_END.split(note.body), start=before + 1):
        if may_hold(line, wanted):
            parts = _parts(note.body, start, start + len(line), hidden)
            if any(wanted in fold(part) for part in parts):
                yield NoteLine(note.id, note.path or note.title, number, _GAP.join(parts))
        start += len(line)
        start += 2 if note.body.startswith("\r\n", start) else 1


def _parts(body: str, start: int, end: int, hidden: Hidden) -> list[str]:
    """Return the parts of a slice that aren't hidden."""
    parts = []
    for first, last in (*hidden, (end, end)):
        if start < min(first, end):
            parts.append(body[start : min(first, end)])
        start = max(start, last)
    return parts
