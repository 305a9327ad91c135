"""The numbers and letters that Word shows before paragraphs, where Markdown or pandoc would show others.

`1.` and `1)` of plain lists stay lists; each other label (`a)`, `i)`, `2(b)`, `1.1`, and of headings) becomes text.
"""

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement

from core.documents.office.labels import numeral
from core.documents.office.package import Package, beside, first, found, local, number_of, text_run, value

_LEVELS = 9
_MOST_DIGITS = 6
_PLAIN = re.compile(r"%(\d)[.)]")
_PLACE = re.compile(r"%(\d)")
_OUTLINE = re.compile(r"(?i)heading ?\d")


@dataclass(slots=True)
class _ListLevel:
    format: str = "decimal"
    text: str = ""
    start: int = 1
    restart: int = -1


@dataclass(slots=True)
class _List:
    """A list as its document defines it; the lists of one definition go on counting, unless they start anew."""

    abstract: str
    levels: dict[int, _ListLevel]
    starts: dict[int, int] = field(default_factory=dict)


def write_labels(package: Package, main: str, document: Element) -> dict[str, Element]:
    """Write labels into the paragraphs of a document; return the other parts that changed for it."""
    name = next(iter(package.related(main, "numbering")), "")
    root = package.optional(name)
    if root is None:
        return {}
    lists = _lists(root)
    styles = _styles(package, main)
    numbers = {value(element, "numId") for element in found(root, "num")}
    bullet = str(max(map(number_of, numbers), default=0) + 1)
    counters: dict[str, dict[int, int]] = {}
    begun: set[str] = set()
    labelled = False
    for paragraph in found(document, "p"):
        style = styles.get(value(first(paragraph, "pPr", "pStyle")), _NumberingStyle())
        own = first(paragraph, "pPr", "numPr")
        number = value(first(own, "numId")) or style.number
        level = value(first(own, "ilvl")) or style.level or "0"
        depth = number_of(level, _LEVELS)
        if number not in lists or depth >= _LEVELS:
            continue
        of = lists[number]
        counts = counters.setdefault(of.abstract, {})
        if number not in begun:
            begun.add(number)
            counts.update({at: start - 1 for at, start in of.starts.items()})
        label = _label(of, counts, depth)
        said = of.levels.get(depth, _ListLevel())
        is_plain = said.format == "decimal" and _PLAIN.fullmatch(said.text) is not None
        if label and (style.is_heading or not is_plain) and said.format != "bullet":
            _write(paragraph, label, "0" if style.is_heading else bullet, level)
            labelled = True
    if labelled:
        _add_bullets(root, bullet)
    return {name: root} if labelled else {}


def _label(of: _List, counts: dict[int, int], depth: int) -> str:
    """Count a paragraph; return its label."""
    level = of.levels.get(depth, _ListLevel())
    counts[depth] = counts.get(depth, level.start - 1) + 1
    for deeper in range(depth + 1, _LEVELS):
        restart = of.levels.get(deeper, _ListLevel()).restart
        if restart != 0 and (restart < 0 or depth < restart):
            counts.pop(deeper, None)

    def said(place: "re.Match[str]") -> str:
        at = int(place[1]) - 1
        item = of.levels.get(at, _ListLevel())
        return numeral(counts.get(at, item.start), item.format)

    return " ".join(_PLACE.sub(said, level.text).split())


def _write(paragraph: Element, label: str, number: str, level: str) -> None:
    """Write a label as the first text of a paragraph, which belongs to another list from now on."""
    properties = first(paragraph, "pPr")
    if properties is None:
        properties = Element(beside(paragraph, "pPr"))
        paragraph.insert(0, properties)
    for old in [element for element in properties if local(element) == "numPr"]:
        properties.remove(old)
    numbered = SubElement(properties, beside(paragraph, "numPr"))
    for name, said in (("ilvl", level), ("numId", number)):
        SubElement(numbered, beside(paragraph, name)).set(beside(paragraph, "val"), said)
    paragraph.insert(list(paragraph).index(properties) + 1, text_run(paragraph, label + " "))


def _add_bullets(root: Element, number: str) -> None:
    """Add a list without numbers to the definitions."""
    abstract = Element(beside(root, "abstractNum"), {beside(root, "abstractNumId"): f"9{number}"})
    for depth in range(_LEVELS):
        level = SubElement(abstract, beside(root, "lvl"), {beside(root, "ilvl"): str(depth)})
        SubElement(level, beside(root, "numFmt")).set(beside(root, "val"), "bullet")
        SubElement(level, beside(root, "lvlText")).set(beside(root, "val"), "•")
    root.insert(0, abstract)
    made = SubElement(root, beside(root, "num"), {beside(root, "numId"): number})
    SubElement(made, beside(root, "abstractNumId")).set(beside(root, "val"), f"9{number}")


def _lists(root: Element) -> dict[str, _List]:
    abstracts: dict[str, dict[int, _ListLevel]] = {}
    by_style: dict[str, str] = {}
    linked: dict[str, str] = {}
    for child in found(root, "abstractNum"):
        name = value(child, "abstractNumId")
        abstracts[name] = _levels(child)
        if style := value(first(child, "styleLink")):
            by_style[style] = name
        if style := value(first(child, "numStyleLink")):
            linked[name] = style
    lists = {}
    for child in found(root, "num"):
        abstract = value(first(child, "abstractNumId"))
        abstract = by_style.get(linked.get(abstract, ""), abstract)
        made = _List(abstract, dict(abstracts.get(abstract, {})))
        for override in found(child, "lvlOverride"):
            made.levels |= _levels(override)
            if (start := first(override, "startOverride")) is not None:
                made.starts[_number(override, "ilvl")] = _number(start)
        lists[value(child, "numId")] = made
    return lists


def _levels(element: Element) -> dict[int, _ListLevel]:
    return {
        _number(child, "ilvl"): _ListLevel(
            value(first(child, "numFmt")) or "decimal",
            value(first(child, "lvlText")),
            _number(first(child, "start"), missing=1),
            _number(first(child, "lvlRestart"), missing=-1),
        )
        for child in element
        if local(child) == "lvl"
    }


@dataclass(frozen=True, slots=True)
class _NumberingStyle:
    number: str = ""
    level: str = ""
    is_heading: bool = False


def _styles(package: Package, main: str) -> dict[str, _NumberingStyle]:
    """Return what the styles of paragraphs say of their numbers."""
    name = next(iter(package.related(main, "styles")), "")
    root = package.optional(name)
    elements = {value(element, "styleId"): element for element in (() if root is None else found(root, "style"))}
    made: dict[str, _NumberingStyle] = {}
    for style in elements:
        number, level, is_heading, seen, at = "", "", False, set[str](), style
        while at in elements and at not in seen:
            seen.add(at)
            child = elements[at]
            numbered = first(child, "pPr", "numPr")
            number = number or value(first(numbered, "numId"))
            level = level or value(first(numbered, "ilvl"))
            is_heading = is_heading or bool(_OUTLINE.fullmatch(value(first(child, "name"))))
            at = value(first(child, "basedOn"))
        made[style] = _NumberingStyle(number, level, is_heading)
    return made


def _number(element: Element | None, name: str = "val", *, missing: int = 0) -> int:
    return number_of(value(element, name), missing, digits=_MOST_DIGITS)
