"""Content of an Excel sheet other than cells: comments, texts, charts, files within it."""

import posixpath
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from core.documents.office import charts
from core.documents.office.drawn import shapes, text_of
from core.documents.office.package import Package, found, local, number_of, relation_id, resolve_alternatives, value
from core.model import Omission

_NOTICE = "[Threaded comment]"
"""How Excel begins a comment of the older kind beside one of the newer kind with the same text."""
_MARGINS = {f"{which}{kind}": kind.lower() for which in ("odd", "even", "first") for kind in ("Header", "Footer")}
_CODE = re.compile(r'&(?:&|"[^"]*"|\d+|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|.)')
"""Codes for fonts, pages and dates in the texts of margins (ECMA-376, 18.3.1.46); && is the sign itself."""
_SIGNS = {"&&": "&", **dict.fromkeys(("&L", "&C", "&R"), "\0")}
_FILES = ("oleObject", "package")


class SheetExtras:
    """Content of a workbook's sheets other than cells, and what was left out."""

    def __init__(self, data: bytes) -> None:
        self._package = Package(data)
        self._people = {
            value(element, "id"): value(element, "displayName")
            for part in self._package.related(self._package.main(), "person")
            if (root := self._package.optional(part)) is not None
            for element in found(root, "person")
        }
        self.left_out: list[Omission] = []

    def tables(self, sheet: str) -> Iterator[tuple[str, list[list[str]]]]:
        """Yield the charts on a sheet, whose part has a name, with their titles."""
        for chart in self._charts(sheet):
            if chart.rows or chart.title:
                yield chart.title, chart.rows

    def texts(self, sheet: str) -> Iterator[str]:
        """Yield the texts in boxes on a sheet."""
        for root in self._roots(sheet, "drawing"):
            resolve_alternatives(root)
            for shape in shapes(root):
                if local(shape.element) == "sp":
                    yield from text_of(shape.element)
        for chart in self._charts(sheet):
            yield from chart.texts

    def margins(self, sheet: str) -> dict[str, dict[str, None]]:
        """Return the texts at the head and at the foot of the printed pages of a sheet, each once."""
        margins: dict[str, dict[str, None]] = {}
        root = self._package.optional(sheet)
        for margin in () if root is None else found(root, *_MARGINS):
            text = _CODE.sub(lambda code: _SIGNS.get(code[0], ""), margin.text or "")
            texts = (" ".join(part.split()) for part in text.split("\0"))
            margins.setdefault(_MARGINS[local(margin)], {}).update(
                (text, None) for text in texts if any(map(str.isalpha, text))
            )
        return {kind: texts for kind, texts in margins.items() if texts}

    def comments(self, sheet: str) -> Iterator[tuple[str, str, list[str]]]:
        """Yield the author, the cell and the paragraphs of each comment on a sheet."""
        for root in self._roots(sheet, "comments"):
            authors = ["".join(element.itertext()) for element in found(root, "author")]
            for element in found(root, "comment"):
                text = "".join(part.text or "" for part in found(element, "t"))
                number = number_of(value(element, "authorId"), len(authors))
                author = authors[number] if number < len(authors) else ""
                if not text.startswith(_NOTICE):
                    yield author, value(element, "ref"), text.splitlines()
        for root in self._roots(sheet, "threadedComment"):
            for element in found(root, "threadedComment"):
                text = "".join(part.text or "" for part in found(element, "text"))
                yield self._people.get(value(element, "personId"), ""), value(element, "ref"), text.splitlines()

    def name_files(self, sheet: str, title: str) -> None:
        """Name the files within a sheet."""
        for kind in _FILES:
            for part in self._package.related(sheet, kind):
                self.left_out.append(Omission("attachment", 1, f"{title}: {posixpath.basename(part)}"))

    def _charts(self, sheet: str) -> Iterator[charts.Chart]:
        for drawing in self._package.related(sheet, "drawing"):
            root, relations = self._package.optional(drawing), self._package.relations(drawing)
            for element in () if root is None else found(root, "chart", "relIds"):
                relation = relations.get(relation_id(element))
                if relation is not None:
                    yield charts.read_chart(self._package, relation.target)

    def _roots(self, sheet: str, kind: str) -> Iterator[Element]:
        read = (self._package.optional(part) for part in self._package.related(sheet, kind))
        return (root for root in read if root is not None)
