"""Conversion of PowerPoint slides and of Office drawings (DrawingML), charts and diagrams to blocks."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import field
from xml.etree.ElementTree import Element

from core.base.frozen import frozen
from core.base.messages import plural
from core.documents.kinds import damaged
from core.documents.office import blocks
from core.documents.office.blocks import SPACE, Blocks, Inlines, Insertions, Item, Look, join_runs, numeral
from core.documents.office.number_formats import show
from core.documents.office.package import (
    Package,
    elements_named,
    first,
    holds,
    local,
    number_of,
    relation_id,
    resolve_alternatives,
    text_of,
    value,
)

# A series' values or categories, by index.
Points = dict[int, str]


@frozen
class Chart:
    """A chart, with its title, a table of its series, and any other text. A diagram has only text."""

    title: str = ""
    rows: list[list[str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def blocks(self) -> Blocks:
        """The chart as blocks, or [] if the chart is empty."""
        made = [blocks.para([{"t": "Strong", "c": blocks.inlines(self.title)}])] if self.title else []
        if self.rows:
            made.append(blocks.table([[blocks.inlines(cell) for cell in row] for row in self.rows]))
        return made + blocks.paras(self.texts)


def read_chart(package: Package, name: str) -> Chart:
    """Return a chart, or an empty chart if it can't be read. For a diagram (SmartArt), only the text is read.

    For series, see ECMA-376, 21.2. The `cx` chart types from 2016 refer to their data by id.
    """
    root = package.optional(name)
    if root is None:
        return Chart()
    if local(root) == "dataModel":
        # Skip the points that represent the whole diagram or its layout.
        points = (point for point in elements_named(root, "pt") if value(point, "type") not in ("doc", "pres"))
        return Chart(texts=list(filter(None, map(_words, points))))
    data = {value(element, "id"): element for element in elements_named(root, "data")}
    title = first(next(elements_named(root, "chart"), root), "title")
    named_texts = {*elements_named(title, "rich", "txData")}
    categories: Points = {}
    columns = []
    for number, series in enumerate(elements_named(root, "ser", "series"), 1):
        named = first(series, "tx")
        named_texts |= {*elements_named(named, "rich", "txData")}
        label = " ".join(_points(named).values()) or _words(named) or str(number)
        dimensions = [(local(child), _points(child)) for child in data.get(value(first(series, "dataId")), series)]
        # The names include those of the 2016 chart types.
        for own in (points for kind, points in dimensions if kind in ("cat", "xVal", "strDim") and points):
            if not categories:
                categories = own
            elif own != categories:
                columns.append(("", own))
        values = [points for kind, points in dimensions if kind in ("val", "yVal", "bubbleSize", "numDim") and points]
        columns += [(label, points) for points in values or [{}]]
    others = [_words(element) for element in elements_named(root, "rich", "txData") if element not in named_texts]
    places = sorted({*categories, *(at for _, points in columns for at in points)})[:20_000]
    rows = [[categories.get(at, ""), *(points.get(at, "") for _, points in columns)] for at in places]
    head = ["", *(label for label, _ in columns)]
    return Chart(_words(title), [head, *rows] if rows else [], list(dict.fromkeys(filter(None, others))))


def _points(element: Element | None) -> Points:
    """Return a series' values by index. The levels of a multi-level value are joined, outermost first."""
    joined: Points = {}
    codes = [code.text or value(code, "formatCode") for code in elements_named(element, "formatCode", "lvl")]
    code = next(filter(None, codes), "General")
    are_numbers = holds(element, "numDim", "numCache", "numLit")
    for point in elements_named(element, "pt"):
        at = number_of(value(point, "idx"), -1)
        stored = first(point, "v")
        raw = (point if stored is None else stored).text
        if at >= 0 and raw:
            text = show(raw, code) if are_numbers else raw
            joined[at] = f"{text} {joined[at]}" if at in joined else text
    if not joined and (alone := first(element, "v")) is not None and alone.text:
        joined[0] = alone.text
    return joined


def _words(element: Element | None) -> str:
    return " ".join(text_of(element)) or " ".join(v.text or "" for v in elements_named(element, "v"))


_NUMERALS = {"alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I", "circleNum": "①", "ea1": "chineseCounting"}
_FORMS = {"ParenBoth": "({})", "ParenR": "{})", "Plain": "{}", "Minus": "- {} -"}
_ON = ("1", "true")


def shapes(tree: Element) -> Iterator[Element]:
    """Yield the shapes in an element and its groups. In a column, a shape entirely above another one comes first."""
    ordered = list[tuple[Element, list[int]]]()
    for child in tree:
        frame = next(elements_named(child, "xfrm"), None)
        sides = (("off", "x"), ("off", "y"), ("ext", "cx"), ("ext", "cy"))  # -1 if inherited from the layout
        place = [number_of(value(first(frame, part), name), -1) for part, name in sides]
        # Find a shape's position by comparing it with up to 300 earlier ones.
        ordered.insert(
            next((at for at, (_, other) in enumerate(ordered[:300]) if _is_above(place, other)), len(ordered)),
            (child, place),
        )
    for child, _ in ordered:
        if local(child) in ("sp", "graphicFrame", "pic", "cxnSp"):
            yield child
        elif local(child) in ("grpSp", "spTree", "twoCellAnchor", "oneCellAnchor", "absoluteAnchor", "wsDr", "cSld"):
            yield from shapes(child)


def _role(shape: Element) -> str | None:
    """Return a shape's role on its slide (`title`, `body`, ""), or None if it isn't a placeholder."""
    return next(
        (
            mark.get("type", "")
            for child in shape
            if local(child).startswith("nv")
            for mark in elements_named(child, "ph")
        ),
        None,
    )


def _is_above(upper: list[int], lower: list[int]) -> bool:
    """Return whether a shape is entirely above another in the same column.

    Both shapes are given as left, top, width and height.
    """
    share_column = upper[0] < lower[0] + lower[2] and lower[0] < upper[0] + upper[2]
    return share_column and min(*upper, *lower) >= 0 and upper[1] + upper[3] <= lower[1]


class _DrawingReader:
    def __init__(self, package: Package, part: str, added: Insertions) -> None:
        self._package = package
        self._added = added
        self._relations = package.relations(part)

    def blocks(self, shape: Element, *, bulleted: bool) -> Blocks:
        """Return a shape's blocks. With `bulleted`, paragraphs are list items unless marked otherwise."""
        kind = local(shape)
        made = Blocks()
        items = []
        if kind == "graphicFrame":
            return self._frame_blocks(shape)
        if kind == "pic":
            return blocks.paras([next((value(child, "descr") for child in elements_named(shape, "cNvPr")), "")])
        body = first(shape, "txBody")
        counts: dict[int, tuple[str, int]] = {}
        for element in () if body is None else body:
            read = self._paragraph(element, counts, bulleted) if local(element) == "p" else []
            if isinstance(read, Item):
                items.append(read)
            elif read:
                made += [*blocks.nested_lists(items), blocks.para(read)]
                items = []
        return made + blocks.nested_lists(items)

    def line(self, paragraphs: Iterable[Element]) -> Inlines:
        """Return the inlines of the paragraphs, joined into one line."""
        made = Inlines()
        for content in filter(None, map(self._inlines, paragraphs)):
            made += [SPACE, *content] if made else content
        return made

    def _frame_blocks(self, frame: Element) -> Blocks:
        made = Blocks()
        for child in elements_named(frame, "tbl", "chart", "relIds", "oleObj"):
            kind = local(child)
            relation = self._relations.get(relation_id(child))
            name = relation.target if relation else ""
            if kind == "tbl":
                rows = [
                    [self.line(elements_named(cell, "p")) for cell in row if local(cell) == "tc"]
                    for row in elements_named(child, "tr")
                ]
                if any(map(any, rows)):
                    made.append(blocks.table(rows))
            elif kind == "oleObj":
                self._added.omit("attachment", posixpath.basename(name) or child.get("name", ""))
            elif drawn := read_chart(self._package, name).blocks:
                made += drawn
            elif name:
                self._added.omit("chart", posixpath.basename(name))
        return made

    def _paragraph(self, p: Element, counts: dict[int, tuple[str, int]], bulleted: bool) -> Item | Inlines:
        """Return a paragraph or list item. `counts` gives the current list's kind and last number at each depth."""
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
            written = next((sign for name, sign in _NUMERALS.items() if kind.startswith(name)), "1")
            form = next((form for name, form in _FORMS.items() if kind.endswith(name)), "{}.")
            return Item(depth, form.format(numeral(number, written)), content)
        marks = {*map(local, () if properties is None else properties)}
        is_item = "buNone" not in marks and (bulleted or {"buChar", "buBlip"} & marks)
        return Item(depth, "", content) if is_item else content

    def _inlines(self, p: Element) -> Inlines:
        runs = []
        for run in p:
            if (kind := local(run)) not in ("pPr", "endParaRPr"):
                about = first(run, "rPr")
                link = first(about, "hlinkClick")
                relation = None if link is None else self._relations.get(relation_id(link))
                address = relation.target if relation and relation.is_outside else ""
                raised = value(about, "baseline")
                side = 0 if raised in ("", "0", "0%") else -1 if raised.startswith("-") else 1
                text = "\n" if kind == "br" else "".join(element.text or "" for element in elements_named(run, "t"))
                runs.append((Look(value(about, "b") in _ON, value(about, "i") in _ON, side, address), text))
        return join_runs(runs)


class Slides:
    """A presentation's slides. Text shared by slides, such as footers and text on masters, appears once, at the end."""

    def __init__(self, data: bytes, added: Insertions) -> None:
        self._package = Package(data)
        self._added = added
        self._main = self._package.main()
        if self._main not in self._package.names:
            raise damaged()
        self._authors = {
            value(element, "id"): value(element, "name")
            for part in self._package.related(self._main, "commentAuthors", "authors")
            for element in elements_named(self._package.xml(part), "cmAuthor", "author")
        }
        self._margins: dict[str, None] = {}
        self._masters = set[str]()
        self._hidden = list[str]()

    def blocks(self) -> Blocks:
        """Return all slides, each under its title or number."""
        relations = self._package.relations(self._main)
        targets = (
            relations[item].target
            for item in map(relation_id, elements_named(self._package.xml(self._main), "sldId"))
            if item in relations
        )
        made = Blocks()
        for number, name in enumerate((name for name in targets if name in self._package.names), 1):
            made += self._slide(name, number)
        if self._margins:
            made.append(blocks.callout("footer", "", blocks.paras(self._margins)))
        if self._hidden:
            self._added.warnings.append(
                plural(
                    "{n} hidden slide was read too: {slides}",
                    "{n} hidden slides were read too: {slides}",
                    n=len(self._hidden),
                    slides=", ".join(self._hidden),
                )
            )
        return made

    def _slide(self, name: str, number: int) -> Blocks:
        if self._package.xml(name).get("show") in ("0", "false"):
            self._hidden.append(str(number))
        drawn = _DrawingReader(self._package, name, self._added)
        title = Inlines()
        made = Blocks()
        for shape, role in self._own_shapes(name):
            words = drawn.line(elements_named(shape, "p")) if role in ("title", "ctrTitle") else []
            if words and not title:
                title = [SPACE if item == blocks.BREAK else item for item in words]
            else:
                made += drawn.blocks(shape, bulleted=role in ("body", "obj", ""))
        self._read_masters(name)
        noted = Blocks()
        for part in self._package.related(name, "notesSlide"):
            drawn = _DrawingReader(self._package, part, self._added)
            noted += [block for shape, _ in self._own_shapes(part) for block in drawn.blocks(shape, bulleted=False)]
        if noted:
            made.append(blocks.callout("notes", "", noted))
        return [blocks.heading(2, title or blocks.inlines(f"Slide {number}")), *made, *self._comments_on(name, number)]

    def _own_shapes(self, name: str) -> Iterator[tuple[Element, str | None]]:
        """Yield the shapes of a slide or of its notes, with their roles. Collect headers and footers in `_margins`."""
        root = self._package.xml(name)
        resolve_alternatives(root)
        for shape in shapes(root):
            if (role := _role(shape)) in ("ftr", "hdr", "dt"):
                self._margins |= dict.fromkeys(text_of(shape))
            elif role not in ("sldNum", "sldImg"):
                yield shape, role

    def _comments_on(self, slide: str, number: int) -> Blocks:
        """Return a slide's comments, or record them as left out."""
        made = Blocks()
        for name in self._package.related(slide, "comments"):
            for element in elements_named(self._package.xml(name), "cm", "reply"):
                old = first(element, "text")
                new = first(element, "txBody")
                texts = [old.text or ""] if old is not None else [] if new is None else text_of(new)
                made += self._added.comment(
                    self._authors.get(value(element, "authorId"), ""), blocks.paras(texts), f"Slide {number}"
                )
        return made

    def _read_masters(self, part: str) -> None:
        """Collect the text of a slide's layout and master, from all shapes that aren't placeholders."""
        for name in self._package.related(part, "slideLayout", "slideMaster"):
            if name not in self._masters:
                self._masters.add(name)
                for shape in shapes(self._package.xml(name)):
                    self._margins |= dict.fromkeys(text_of(shape) if _role(shape) is None else ())
                self._read_masters(name)
