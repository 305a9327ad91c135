"""Charts and diagrams of Office documents -> their title, series and values as a table; their words."""

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from core.documents.office import blocks
from core.documents.office.blocks import Blocks
from core.documents.office.package import Package, first, found, local, number_of, value

_MOST_POINTS = 20_000
_LONG_NUMBER = re.compile(r"\A-?\d+\.\d{13,40}(?:E[+-]?\d{1,3})?\Z")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as its title, a table of its series, and its other texts; a diagram has texts only."""

    title: str = ""
    rows: list[list[str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def blocks(self) -> Blocks:
        """The chart as blocks, none for an empty one."""
        made: Blocks = [blocks.para([{"t": "Strong", "c": blocks.inlines(self.title)}])] if self.title else []
        if self.rows:
            made.append(blocks.table([[blocks.inlines(cell) for cell in row] for row in self.rows]))
        return made + blocks.paras(self.texts)


def read_chart(package: Package, name: str) -> Chart:
    """Return a chart or the data of a diagram, which is a part of a package; an empty one where it can't be read."""
    root = package.optional(name)
    if root is None:
        return Chart()
    if local(root) == "dataModel":
        return _diagram(root)
    return _extended(root) if any(found(root, "chartData")) else _chart(root)


def _chart(root: Element) -> Chart:
    """Return a chart with its series (ECMA-376, 21.2)."""
    named = next(found(root, "chart"), root)
    series = list(found(root, "ser"))
    categories: dict[int, str] = {}
    columns: list[tuple[str, dict[int, str]]] = []
    for number, child in enumerate(series, 1):
        own = _points(first(child, "cat")) or _points(first(child, "xVal"))
        if not categories:
            categories = own
        elif own != categories:
            columns.append(("", own))
        name = " ".join(_points(first(child, "tx")).values()) or _words(first(child, "tx")) or str(number)
        columns.append((name, _points(first(child, "val")) or _points(first(child, "yVal"))))
        if sizes := _points(first(child, "bubbleSize")):
            columns.append((name, sizes))
    said = {
        element for part in (first(named, "title"), *(first(one, "tx") for one in series)) for element in _all(part)
    }
    others = [_words(element) for element in found(root, "rich") if element not in said]
    return Chart(_words(first(named, "title")), _rows(categories, columns), [*dict.fromkeys(filter(None, others))])


def _extended(root: Element) -> Chart:
    """Return a chart of the kinds of 2016 (`cx`): its data by dimensions."""
    columns, categories = list[dict[int, str]](), dict[int, str]()
    for data in found(root, "data"):
        for dimension in data:
            points = {
                at: " ".join((element.text or "").split())
                for level in dimension
                if local(level) == "lvl"
                for place, element in enumerate(level)
                if (at := number_of(value(element, "idx") or str(place), -1)) >= 0
            }
            if local(dimension) == "strDim":
                categories |= points
            elif local(dimension) == "numDim":
                columns.append(points)
    names = [" ".join((element.text or "").split()) for tx in found(root, "tx") for element in found(tx, "v")]
    titles = [text for text in map(_words, found(root, "title")) if text]
    named = [(names[at] if at < len(names) else "", points) for at, points in enumerate(columns)]
    return Chart("".join(titles[:1]), _rows(categories, named), titles[1:])


def _diagram(root: Element) -> Chart:
    """Return the words of a diagram (SmartArt), each of its points as a text."""
    texts = [_words(point) for point in found(root, "pt") if value(point, "type") in ("", "node", "asst")]
    return Chart(texts=[text for text in texts if text])


def _rows(categories: dict[int, str], columns: list[tuple[str, dict[int, str]]]) -> list[list[str]]:
    places = sorted({*categories, *(at for _, points in columns for at in points)})[:_MOST_POINTS]
    if not places:
        return []
    head = ["", *(name for name, _ in columns)]
    return [head, *([categories.get(at, ""), *(points.get(at, "") for _, points in columns)] for at in places)]


def _points(element: Element | None) -> dict[int, str]:
    """Return the values of a reference by their places; values of several levels are joined, the outer ones first."""
    joined: dict[int, str] = {}
    if element is None:
        return joined
    for point in found(element, "pt"):
        at, stored = number_of(value(point, "idx"), -1), first(point, "v")
        if at >= 0 and stored is not None and stored.text:
            text = _LONG_NUMBER.sub(_rounded, stored.text)
            joined[at] = f"{text} {joined[at]}" if at in joined else text
    if not joined and (alone := first(element, "v")) is not None and alone.text:
        joined[0] = alone.text
    return joined


def _rounded(number: re.Match[str]) -> str:
    """Return a number in the 15 digits that Office shows: 4.4000000000000004 is 4.4."""
    return f"{float(number[0]):.15g}"


def _words(element: Element | None) -> str:
    if element is None:
        return ""
    parts = ["".join(child.text or "" for child in found(p, "t")) for p in found(element, "p")]
    return " ".join(" ".join(parts).split()) or " ".join(v.text or "" for v in found(element, "v"))


def _all(element: Element | None) -> list[Element]:
    return [] if element is None else list(element.iter())
