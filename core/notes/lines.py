"""The lines of notes that hold a text, numbered as in the notes' files."""

import re
from collections.abc import Iterator

from core.model import Line, Note
from core.store.phrases import may_hold
from core.text import LINE_END, fold

_END = re.compile(LINE_END)


def holding(note: Note, text: str) -> Iterator[Line]:
    """Yield the lines of a note that hold a text, whatever its case, width, or Chinese script, in their order."""
    wanted = fold(text)
    before = len(_END.findall(note.front or ""))
    for number, line in enumerate(_END.split(note.body), start=before + 1):
        if may_hold(line, wanted) and wanted in fold(line):
            yield Line(note.id, note.path or note.title, number, line)
