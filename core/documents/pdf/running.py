"""What repeats at the edges of pages: running heads and page numbers, which are no part of the text."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from core.documents.pdf.lines import GlyphRun
from core.documents.pdf.reading import squeezed
from core.documents.pdf.styles import LARGER, View
from core.documents.pdf.tables import PageTable

_EDGE = 0.1
"""Share of a page's height, at its top and bottom, in which running heads stand."""
_NUMBER = re.compile(
    r"(?i)\W*(?:page|seite|第)?\s*(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:/|of|von|页，?\s*共)\s*\d{1,4})?\s*页?\W*"
)


_LONGEST = 120
"""Characters from which on a line is none of these."""


def drop_running(
    views: Sequence[View], pages: int, body: float, outline: Mapping[tuple[int, str], int]
) -> tuple[str, ...]:
    """Leave out lines near the edges of pages that are page numbers, or that are on many pages but for numbers.

    Return what those that are no numbers say, each once.
    """
    at_edges: defaultdict[tuple[str, bool], set[int]] = defaultdict(set)
    edges: list[tuple[list[GlyphRun | PageTable], GlyphRun, tuple[str, bool]]] = []
    for view, column, line in _at_edges(views):
        text = squeezed(line.text)
        is_title = line.size >= LARGER * body or (line.page, text) in outline
        key = text if is_title else re.sub(r"\d+", "#", text), line.y < view.height / 2
        at_edges[key].add(view.number)
        edges.append((column, line, key))
    many = max(2, 0.25 * pages) if pages > 2 else 2
    dropped: dict[tuple[str, bool], str] = {}
    for column, line, key in edges:
        is_number = _NUMBER.fullmatch(line.text) and len(line.text) < 20
        if is_number or (len(at_edges[key]) >= many and len(line.text) < _LONGEST):
            column.remove(line)
            if not is_number:
                dropped.setdefault(key, line.text)
    return tuple(dict.fromkeys(dropped.values()))


def _at_edges(views: Sequence[View]) -> Iterator[tuple[View, list[GlyphRun | PageTable], GlyphRun]]:
    for view in views:
        for column in view.columns:
            for line in column:
                if isinstance(line, GlyphRun) and not _EDGE * view.height < line.y < (1 - _EDGE) * view.height:
                    yield view, column, line
