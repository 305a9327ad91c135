"""What is drawn on a slide or a sheet (DrawingML) -> blocks: texts with their lists, tables, charts, diagrams."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from core.documents.office import blocks, charts
from core.documents.office.blocks import SPACE, Blocks, Inlines, Item
from core.documents.office.labels import numeral
from core.documents.office.package import Package, first, found, local, number_of, relation_id, value
from core.documents.office.runs import Look, joined
from core.model import Omission

_NUMERALS = {"alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I", "circleNum": "①", "ea1": "chineseCounting"}
_FORMS = {"ParenBoth": "({})", "ParenR": "{})", "Plain": "{}", "Minus": "- {} -"}
_ON = ("1", "true")
_BULLETED = ("body", "obj", "")
"""Kinds of placeholders whose paragraphs are items of a list, unless they say otherwise."""


@dataclass(frozen=True, slots=True)
class SlideShape:
    """Something drawn; `placeholder` is its part on the slide (`title`, `body`), None for what is none."""

    element: Element
    placeholder: str | None


def shapes(tree: Element) -> Iterator[SlideShape]:
    """Yield the shapes below an element, also in groups."""
    for child in tree:
        kind = local(child)
        if kind in ("sp", "graphicFrame", "pic", "cxnSp"):
            mark = next((ph for nv in child if local(nv).startswith("nv") for ph in found(nv, "ph")), None)
            yield SlideShape(child, None if mark is None else mark.get("type", ""))
        elif kind in ("grpSp", "spTree", "twoCellAnchor", "oneCellAnchor", "absoluteAnchor", "wsDr", "cSld"):
            yield from shapes(child)


class Drawn:
    """What a part of a package has drawn."""

    def __init__(self, package: Package, part: str, left_out: list[Omission]) -> None:
        self._package, self._left_out = package, left_out
        self._relations = package.relations(part)

    def blocks(self, shape: SlideShape) -> Blocks:
        """Return the blocks of a shape."""
        element, kind = shape.element, local(shape.element)
        if kind == "graphicFrame":
            return self._framed(element)
        if kind == "pic":
            return blocks.paras([next((value(child, "descr") for child in found(element, "cNvPr")), "")])
        body = first(element, "txBody")
        return [] if body is None else self.texts(body, bulleted=shape.placeholder in _BULLETED)

    def texts(self, body: Element, *, bulleted: bool = False) -> Blocks:
        """Return the paragraphs of a text, which are items of a list where they say so or are `bulleted`."""
        counts: dict[int, tuple[str, int]] = {}
        made: Blocks = []
        items: list[Item] = []
        for read in (self._paragraph(element, counts, bulleted) for element in body if local(element) == "p"):
            if isinstance(read, Item):
                items.append(read)
            elif read:
                made += [*blocks.listed(items), blocks.para(read)]
                items = []
        return made + blocks.listed(items)

    def line(self, paragraphs: Iterable[Element]) -> Inlines:
        """Return paragraphs as one line."""
        made: Inlines = []
        for content in filter(None, map(self._inlines, paragraphs)):
            made += [SPACE, *content] if made else content
        return made

    def _framed(self, frame: Element) -> Blocks:
        made: Blocks = []
        for child in found(frame, "tbl", "chart", "relIds", "oleObj"):
            kind = local(child)
            relation = self._relations.get(relation_id(child))
            name = relation.target if relation else ""
            if kind == "tbl":
                rows = [
                    [self.line(found(cell, "p")) for cell in row if local(cell) == "tc"] for row in found(child, "tr")
                ]
                made += [blocks.table(rows)] if any(map(any, rows)) else []
            elif kind == "oleObj":
                self._left_out.append(Omission("attachment", 1, posixpath.basename(name) or child.get("name", "")))
            elif drawn := charts.read_chart(self._package, name).blocks:
                made += drawn
            elif name:
                self._left_out.append(Omission("chart", 1, posixpath.basename(name)))
        return made

    def _paragraph(self, p: Element, counts: dict[int, tuple[str, int]], bulleted: bool) -> Item | Inlines:
        content = self._inlines(p)
        properties = first(p, "pPr")
        depth = number_of(value(properties, "lvl"))
        numbered = first(properties, "buAutoNum")
        if not content:
            return []
        for deeper in [count for count in counts if count > depth or (count == depth and numbered is None)]:
            del counts[deeper]
        if numbered is not None:
            kind = value(numbered, "type")
            last, before = counts.get(depth, ("", 0))
            number = before + 1 if last == kind else number_of(value(numbered, "startAt"), 1)
            counts[depth] = (kind, number)
            return Item(depth, _label(kind, number), content)
        marks = (
            [local(element) for element in properties if local(element).startswith("bu")]
            if properties is not None
            else []
        )
        if "buNone" in marks or not (bulleted or {"buChar", "buBlip"} & set(marks)):
            return content
        return Item(depth, "", content)

    def _inlines(self, p: Element) -> Inlines:
        """Return the runs of a paragraph, with their links."""
        return joined(
            [(self._look(element), _signs(element)) for element in p if local(element) not in ("pPr", "endParaRPr")]
        )

    def _look(self, run: Element) -> Look:
        properties = first(run, "rPr")
        link = first(properties, "hlinkClick")
        relation = None if link is None else self._relations.get(relation_id(link))
        address = relation.target if relation and relation.is_outside else ""
        raised = value(properties, "baseline")
        side = 0 if raised in ("", "0", "0%") else -1 if raised.startswith("-") else 1
        return Look(value(properties, "b") in _ON, value(properties, "i") in _ON, side, address)


def text_of(element: Element) -> list[str]:
    """Return the texts of the paragraphs below an element."""
    texts = ["".join(_signs(child) for child in p) for p in found(element, "p")]
    return [" ".join(text.split()) for text in texts if text.strip()]


def _signs(run: Element) -> str:
    name = local(run)
    return "\n" if name == "br" else "".join(element.text or "" for element in found(run, "t"))


def _label(kind: str, number: int) -> str:
    written = next((sign for name, sign in _NUMERALS.items() if kind.startswith(name)), "1")
    form = next((form for name, form in _FORMS.items() if kind.endswith(name)), "{}.")
    return form.format(numeral(number, written))
