"""Rewriting of Word documents so that pandoc reads all their text: what it drops is moved where it looks."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from xml.etree.ElementTree import Element

from core.base.errors import SourceError
from core.base.frozen import frozen
from core.documents.kinds import kind_of
from core.documents.office import blocks, drawings
from core.documents.office.blocks import Blocks, Insertions, Node, Readings, numeral
from core.documents.office.package import (
    Following,
    Package,
    add_element,
    elements_named,
    first,
    insert_after,
    local,
    number_of,
    parents,
    qualified_name,
    relation_id,
    resolve_alternatives,
    substitute,
    text_run,
    value,
)

_LEVELS = 9
_MOST_DIGITS = 6
_PLAIN = re.compile(r"%(\d)[.)]")
_PLACE = re.compile(r"%(\d)")
_OUTLINE = re.compile(r"(?i)heading ?\d")
_TITLES = ("title", "subtitle")
_ROLES = (*_TITLES, "author", "date", "abstract")
"""Paragraph styles that pandoc reads as metadata at the start of a document."""
_MOST_TITLE = 300
"""Maximum number of characters of a title across several paragraphs; further paragraphs become text."""


@dataclass(slots=True)
class _ListLevel:
    format: str = "decimal"
    text: str = ""
    start: int = 1
    restart: int = -1


@dataclass(slots=True)
class _List:
    """A list defined in a document. Lists with the same abstract definition share their numbering, unless restarted."""

    abstract: str
    levels: dict[int, _ListLevel]
    starts: dict[int, int] = field(default_factory=dict)


def join_titles(document: Element, styles: "dict[str, _Style]") -> None:
    """Join the paragraphs of a title or subtitle at the start: pandoc reads only the last of several."""
    titles: dict[str, Element] = {}
    left = dict.fromkeys(_TITLES, _MOST_TITLE)
    for paragraph in list(elements_named(document, "p", "tbl")):
        about, text = first(paragraph, "pPr"), _text(paragraph)
        role = styles.get(value(first(about, "pStyle")), _Style()).role
        if about is None or role not in left:
            if text and not role:
                return
            continue
        left[role] -= len(text)
        if not text or (role in titles and left[role] < 0):
            paragraph.remove(about)
        elif role in titles:
            runs = [entry for entry in paragraph if entry is not about]
            titles[role].extend([text_run(paragraph, " "), *runs])
            paragraph[:] = []
        else:
            titles[role] = paragraph


def write_labels(package: Package, main: str, document: Element, styles: "dict[str, _Style]") -> dict[str, Element]:
    """Write list labels into the paragraphs of a document; return the other parts that change with it."""
    name = next(iter(package.related(main, "numbering")), "")
    root = package.optional(name)
    if root is None:
        return {}
    lists = _lists(root)
    numbers = {value(element, "numId") for element in elements_named(root, "num")}
    bullet = str(max(map(number_of, numbers), default=0) + 1)
    counters: dict[str, dict[int, int]] = {}
    begun: set[str] = set()
    labelled = False
    for paragraph in elements_named(document, "p"):
        style = styles.get(value(first(paragraph, "pPr", "pStyle")), _Style())
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
    """Advance the counter of a list level; return the label of the paragraph."""
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
    """Write a label as the first text of a paragraph, and move the paragraph to another list."""
    properties = first(paragraph, "pPr")
    if properties is None:
        properties = Element(qualified_name(paragraph, "pPr"))
        paragraph.insert(0, properties)
    for old in [element for element in properties if local(element) == "numPr"]:
        properties.remove(old)
    numbered = add_element(properties, "numPr")
    add_element(numbered, "ilvl", val=level)
    add_element(numbered, "numId", val=number)
    paragraph.insert(list(paragraph).index(properties) + 1, text_run(paragraph, label + " "))


def _add_bullets(root: Element, number: str) -> None:
    """Add a bullet list to the list definitions."""
    abstract = Element(qualified_name(root, "abstractNum"), {qualified_name(root, "abstractNumId"): f"9{number}"})
    for depth in range(_LEVELS):
        level = add_element(abstract, "lvl", ilvl=str(depth))
        add_element(level, "numFmt", val="bullet")
        add_element(level, "lvlText", val="•")
    root.insert(0, abstract)
    made = add_element(root, "num", numId=number)
    add_element(made, "abstractNumId", val=f"9{number}")


def _lists(root: Element) -> dict[str, _List]:
    abstracts: dict[str, dict[int, _ListLevel]] = {}
    by_style: dict[str, str] = {}
    linked: dict[str, str] = {}
    for child in elements_named(root, "abstractNum"):
        name = value(child, "abstractNumId")
        abstracts[name] = _levels(child)
        if style := value(first(child, "styleLink")):
            by_style[style] = name
        if style := value(first(child, "numStyleLink")):
            linked[name] = style
    lists = {}
    for child in elements_named(root, "num"):
        abstract = value(first(child, "abstractNumId"))
        abstract = by_style.get(linked.get(abstract, ""), abstract)
        made = _List(abstract, dict(abstracts.get(abstract, {})))
        for override in elements_named(child, "lvlOverride"):
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


@frozen
class _Style:
    number: str = ""
    level: str = ""
    is_heading: bool = False
    role: str = ""


def _styles(package: Package, main: str) -> dict[str, _Style]:
    """Return the numbering, heading flag and title role of each paragraph style, including inherited values."""
    name = next(iter(package.related(main, "styles")), "")
    root = package.optional(name)
    elements = {
        value(element, "styleId"): element for element in (() if root is None else elements_named(root, "style"))
    }
    made: dict[str, _Style] = {}
    for style in elements:
        number, level, is_heading, role, seen, at = "", "", False, "", set[str](), style
        while at in elements and at not in seen:
            seen.add(at)
            child = elements[at]
            numbered = first(child, "pPr", "numPr")
            number = number or value(first(numbered, "numId"))
            level = level or value(first(numbered, "ilvl"))
            called = value(first(child, "name"))
            is_heading = is_heading or bool(_OUTLINE.fullmatch(called))
            role = role or (called.lower() if called.lower() in _ROLES else "")
            at = value(first(child, "basedOn"))
        made[style] = _Style(number, level, is_heading, role)
    return made


def _number(element: Element | None, name: str = "val", *, missing: int = 0) -> int:
    return number_of(value(element, name), missing, digits=_MOST_DIGITS)


_NOTES = ("footnotes", "endnotes")
_GONE = frozenset(("del", "moveFrom", "instrText", "rt", "txbxContent"))
"""Elements whose text isn't visible in the paragraph itself."""
_WRAPPERS = ("fldSimple", "customXml", "smartTag", "dir", "bdo", "ins", "moveTo")
"""Elements that pandoc drops with their content, always or within fields."""
_BREAKS = frozenset(("br", "cr", "tab", "ptab"))
_PAGE = re.compile(r"[\W\d_]*")
"""A header or footer that contains at most a page number."""

Chunk = Callable[[bytes, str], Blocks]
"""Function that reads an embedded document, given its bytes and kind."""


def prepare(data: bytes, chunk: Chunk, *, comments: bool) -> tuple[bytes, Insertions]:
    """Return a Word document that pandoc reads completely, and the blocks to insert at its markers.

    Without `comments`, comments are only counted as left out.
    """
    package, added = Package(data), Insertions()
    main = package.main()
    if main not in package.names:
        return data, added
    changed = {}
    for name in (main, *(part for kind in _NOTES for part in package.related(main, kind))):
        root = package.xml(name) if name == main else package.optional(name)
        if root is None:
            added.omit("note")
            continue
        resolve_alternatives(root)
        _open_up(root)
        _Part(package, name, root, added).complete(chunk)
        changed[name] = root
    document = changed[main]
    styles = _styles(package, main)
    join_titles(document, styles)
    changed |= write_labels(package, main, document, styles)
    _add_comments(package, main, list(changed.values()), added, comments)
    _add_margins(package, main, document, added)
    return package.to_bytes(changed), added


def _open_up(root: Element) -> None:
    """Unwrap elements that pandoc drops, and give each part of a field its own run: pandoc loses parts in one run."""
    for parent in [element for element in root.iter() if local(element) not in _WRAPPERS]:
        waiting, made = list(reversed(parent)), list[Element]()
        while waiting:
            child = waiting.pop()
            if local(child) in _WRAPPERS:
                waiting += reversed(child)
            elif len(child) > 1 and any(local(part) == "fldChar" for part in child):
                made += [_run_of(child, part) for part in child if local(part) != "rPr"]
            else:
                made.append(child)
        parent[:] = made


def _run_of(run: Element, part: Element) -> Element:
    made = Element(run.tag)
    made.append(part)
    return made


class _Part:
    """A part of the package with text: the document, its footnotes or its endnotes."""

    def __init__(self, package: Package, name: str, root: Element, added: Insertions) -> None:
        self._package, self._root, self._added = package, root, added
        self._relations = package.relations(name)
        self._parents = parents(root)
        self._readings: dict[Element, Readings] = {}
        self._before = {after: before for element in root.iter() for before, after in pairwise(element)}
        self._instead: dict[Element, Iterable[Element]] = {}
        self._following: Following = {}

    def complete(self, chunk: Chunk) -> None:
        """Move all content that pandoc drops to places that it reads."""
        for item in list(self._root.iter()):
            match local(item):
                case "ruby":
                    self._spell(item)
                case "altChunk":
                    self._read_chunk(item, chunk)
                case "chart" | "relIds":
                    self._draw(item)
                case "OLEObject":
                    self._name(item)
                case "ffData":
                    self._fill_in(item)
                case "del" if any(text.text for text in elements_named(item, "delText")):
                    self._added.omit("deletion")
        substitute(self._root, self._instead)
        for paragraph, readings in self._readings.items():
            if readings.text:
                paragraph.append(text_run(paragraph, readings.text))
        for box in list(elements_named(self._root, "txbxContent")):
            self._insert_after(box, list(box))
            box.clear()
        for path in elements_named(self._root, "textpath"):
            if text := path.get("string", ""):
                self._insert_after(path, [_paragraph(self._root, text)])
        insert_after(self._root, self._following)

    def _spell(self, ruby: Element) -> None:
        """Keep the base text of a ruby in place, and collect its reading for the end of the paragraph."""
        run, base, reading = self._parents[ruby], first(ruby, "rubyBase"), first(ruby, "rt")
        paragraph = self._insert_above(run, "p")
        if local(run) != "r" or paragraph is None:
            return
        runs = [] if base is None else list(base)
        others = [element for element in run if element is not ruby and local(element) != "rPr"]
        if others:  # Word gives each ruby its own run
            runs = [*runs, text_run(paragraph, "".join(_texts(run)))] if any(_texts(run)) else runs
        readings = self._readings.setdefault(paragraph, Readings())
        if reading is not None:
            readings.add(_text(reading, shown=False), joined=self._before.get(run) in self._instead)
        self._instead[run] = runs

    def _read_chunk(self, element: Element, chunk: Chunk) -> None:
        """Replace an embedded document by a marker for its blocks, or record it as left out."""
        relation = self._relations.get(relation_id(element))
        name = relation.target if relation else ""
        made: Blocks = []
        if name in self._package.names:
            with suppress(SourceError):
                made = chunk(self._package.read(name), kind_of(name))
        if not made:
            self._added.omit("attachment", posixpath.basename(name) or "altChunk")
            return
        self._instead[element] = [_paragraph(self._root, self._added.marker(made))]

    def _draw(self, element: Element) -> None:
        """Put a chart's values or a diagram's text below its paragraph."""
        relation = self._relations.get(relation_id(element))
        if relation is None:
            return
        if made := drawings.read_chart(self._package, relation.target).blocks:
            self._insert_after(element, [_paragraph(self._root, self._added.marker(made))])
        elif relation.target:
            self._added.omit("chart", posixpath.basename(relation.target))

    def _name(self, element: Element) -> None:
        relation = self._relations.get(relation_id(element))
        if not element.get("ProgID", "").startswith("Equation"):
            name = posixpath.basename(relation.target) if relation else ""
            self._added.omit("attachment", name or element.get("ProgID", ""))

    def _fill_in(self, data: Element) -> None:
        """Write the state of a checkbox or a drop-down list, which isn't text, as text."""
        run = self._insert_above(data, "r")
        if run is None:
            return
        if (box := first(data, "checkBox")) is not None:
            state = first(box, "checked")
            state = first(box, "default") if state is None else state
            is_set = state is not None and value(state) not in ("0", "false", "off")
            self._prepend_text(run, "☒" if is_set else "☐")
        elif (choices := first(data, "ddList")) is not None:
            entries = [value(choice) for choice in elements_named(choices, "listEntry")]
            chosen = first(choices, "result")
            number = number_of(value(chosen) or value(first(choices, "default")) or "0", len(entries))
            if number < len(entries):
                self._prepend_text(run, entries[number])

    def _prepend_text(self, run: Element, text: str) -> None:
        self._instead[run] = [text_run(run, text), run]

    def _insert_after(self, element: Element, made: list[Element]) -> None:
        """Put blocks after the paragraph that contains an element."""
        if (paragraph := self._insert_above(element, "p")) is not None:
            self._following.setdefault(paragraph, []).extend(made)

    def _insert_above(self, element: Element, name: str) -> Element | None:
        above: Element | None = element
        while above is not None and local(above) != name:
            above = self._parents.get(above)
        return above


def _add_comments(package: Package, main: str, parts: list[Element], added: Insertions, wanted: bool) -> None:
    """Put each comment after the paragraph, list or table it refers to."""
    read = [package.optional(name) for name in package.related(main, "comments")]
    if None in read:
        added.omit("comment", count=read.count(None))
    comments = {value(element, "id"): element for root in read if root is not None for element in root}
    if not wanted and comments:
        added.omit("comment", count=len(comments))
    for root in parts if wanted else ():
        of = parents(root)
        following: Following = {}
        for item in elements_named(root, "commentReference"):
            comment = comments.pop(value(item, "id"), None)
            if comment is not None:
                noted = _paragraph(root, added.marker([_comment(comment)]))
                following.setdefault(_outermost(item, of), []).append(noted)
        insert_after(root, _after_lists(following, of))
    for item in comments.values() if wanted and parts else ():  # the commented text is gone
        _append(parts[0], added.marker([_comment(item)]))


def _comment(comment: Element) -> Node:
    return blocks.callout("comment", value(comment, "author"), blocks.paras(_texts(comment)))


def _outermost(element: Element, of: dict[Element, Element]) -> Element:
    """Return the outermost paragraph or table around an element."""
    outermost = element
    while (parent := of.get(element)) is not None:
        element = parent
        if local(element) in ("p", "tbl") and element in of:
            outermost = element
    return outermost


def _after_lists(following: Following, of: dict[Element, Element]) -> Following:
    """Return the elements to insert after blocks; those for a list item move to the end of its list."""
    moved: Following = {}
    for parent in {of[block] for block in following}:
        waiting: list[Element] = []
        children = list(parent)
        for child, next_child in zip(children, [*children[1:], None], strict=True):
            waiting += following.get(child, [])
            if waiting and not (_is_item(child) and next_child is not None and _is_item(next_child)):
                moved[child], waiting = waiting, []
    return moved


def _is_item(block: Element) -> bool:
    return first(block, "pPr", "numPr") is not None


def _add_margins(package: Package, main: str, document: Element, added: Insertions) -> None:
    """Put the texts of headers and footers at the end, each once."""
    for kind in ("header", "footer"):
        texts: dict[str, None] = {}
        for name in package.related(main, kind):
            root = package.optional(name)
            if root is None:
                added.omit("header", name)
                continue
            resolve_alternatives(root)
            texts |= dict.fromkeys(text for text in _texts(root) if not _PAGE.fullmatch(text))
        if texts:
            _append(document, added.marker([blocks.callout(kind, "", blocks.paras(texts))]))


def _append(document: Element, marker: str) -> None:
    body = first(document, "body")
    if body is not None:
        last = body[-1] if len(body) and local(body[-1]) == "sectPr" else None
        body.insert(len(body) - (last is not None), _paragraph(document, marker))


def _texts(root: Element) -> list[str]:
    """Return the texts of the paragraphs in an element; text boxes come after the paragraph that contains them."""
    return [text for paragraph in elements_named(root, "p") if (text := _text(paragraph))]


def _text(element: Element, *, shown: bool = True) -> str:
    return " ".join("".join(_signs(element, shown)).split())


def _signs(element: Element, shown: bool) -> Iterator[str]:
    name = local(element)
    if shown and name in _GONE:
        return
    if name == "t":
        yield element.text or ""
    elif name in _BREAKS:
        yield " "
    elif name == "noBreakHyphen":
        yield "\u2011"
    for child in element:
        yield from _signs(child, True)


def _paragraph(sibling: Element, text: str) -> Element:
    made = Element(qualified_name(sibling, "p"))
    made.append(text_run(sibling, text))
    return made
