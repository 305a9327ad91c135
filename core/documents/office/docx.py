"""Rewriting of Word documents so that pandoc reads all their text, including what it would otherwise drop."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from xml.etree.ElementTree import Element

from core.base.errors import SourceError
from core.base.text import collapse_spaces
from core.documents.kinds import kind_of
from core.documents.office import blocks, drawings
from core.documents.office.blocks import Blocks, Insertions, Levels, ListLevel, Readings, label
from core.documents.office.package import (
    Edits,
    Package,
    add_element,
    elements_named,
    first,
    local,
    number_of,
    qualified_name,
    relation_id,
    resolve_alternatives,
    text_of,
    text_run,
    value,
    visible_text,
)

_LEVELS = 9
_TITLES = ("title", "subtitle")


@dataclass(slots=True)
class _List:
    """A list definition. Lists with the same abstract definition share their numbering unless it is restarted."""

    abstract: str
    levels: Levels
    starts: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Style:
    """The numbering and role of a paragraph style, and whether the style is for headings. Each may be inherited."""

    number: str = ""
    level: str = ""
    is_heading: bool = False
    role: str = ""


def _join_titles(document: Element, styles: dict[str, _Style]) -> None:
    """Join the title's paragraphs into one, and the subtitle's paragraphs as well.

    Pandoc would read only the last paragraph of each.
    """
    titles: dict[str, Element] = {}
    # A title of several paragraphs has at most 300 characters. Any further paragraphs become text.
    left = dict.fromkeys(_TITLES, 300)
    for paragraph in list(elements_named(document, "p", "tbl")):
        about = first(paragraph, "pPr")
        text = collapse_spaces(visible_text(paragraph))
        role = styles[value(first(about, "pStyle"))].role
        if about is None or role not in left:
            if text and not role:
                return
            continue
        left[role] -= len(text)
        if not text or (role in titles and left[role] < 0):
            paragraph.remove(about)
        elif role in titles:
            paragraph.remove(about)
            titles[role].extend([text_run(paragraph, " "), *paragraph])
            paragraph[:] = []
        else:
            titles[role] = paragraph


def _write_labels(package: Package, main: str, document: Element, styles: dict[str, _Style]) -> dict[str, Element]:
    """Write list labels into a document's paragraphs. Return any other parts of the package that were changed.

    A labelled paragraph is moved to a new bullet list, and a labelled heading is taken out of its list.
    """
    name = next(iter(package.related(main, "numbering")), "")
    root = package.optional(name)
    if root is None:
        return {}
    lists = _lists(root)
    bullet = str(max(map(number_of, lists), default=0) + 1)
    counters = defaultdict[str, dict[int, int]](dict)
    begun = set()
    labelled = False
    for paragraph in elements_named(document, "p"):
        style = styles[value(first(paragraph, "pPr", "pStyle"))]
        own = first(paragraph, "pPr", "numPr")
        number = value(first(own, "numId")) or style.number
        at = value(first(own, "ilvl")) or style.level or "0"
        depth = number_of(at, _LEVELS) + 1
        if number not in lists or depth > _LEVELS:
            continue
        listed = lists[number]
        levels = listed.levels
        counts = counters[listed.abstract]
        if number not in begun:
            begun.add(number)
            counts |= {depth: start - 1 for depth, start in listed.starts.items()}
        level = levels[depth]
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in range(depth + 1, _LEVELS + 1):
            restart = levels[deeper].restart
            if restart < 0 or depth <= restart:
                counts.pop(deeper, None)
        written = label(levels, counts, depth)
        if written and (style.is_heading or not level.is_plain) and level.format != "bullet":
            properties = first(paragraph, "pPr")
            if properties is None:
                properties = Element(qualified_name(paragraph, "pPr"))
                paragraph.insert(0, properties)
            properties[:] = [element for element in properties if local(element) != "numPr"]
            numbered = add_element(properties, "numPr")
            add_element(numbered, "ilvl", val=at)
            add_element(numbered, "numId", val="0" if style.is_heading else bullet)
            paragraph.insert(list(paragraph).index(properties) + 1, text_run(paragraph, written + " "))
            labelled = True
    if not labelled:
        return {}
    abstract = Element(qualified_name(root, "abstractNum"), {qualified_name(root, "abstractNumId"): f"9{bullet}"})
    for number in map(str, range(_LEVELS)):
        added = add_element(abstract, "lvl", ilvl=number)
        add_element(added, "numFmt", val="bullet")
        add_element(added, "lvlText", val="•")
    root.insert(0, abstract)
    add_element(add_element(root, "num", numId=bullet), "abstractNumId", val=f"9{bullet}")
    return {name: root}


def _lists(root: Element) -> dict[str, _List]:
    abstracts = defaultdict[str, Levels](lambda: defaultdict(ListLevel))
    by_style = {}
    linked = {}
    for child in elements_named(root, "abstractNum"):
        name = value(child, "abstractNumId")
        abstracts[name] |= _levels(child)
        if style := value(first(child, "styleLink")):
            by_style[style] = name
        if style := value(first(child, "numStyleLink")):
            linked[name] = style
    lists = {}
    for child in elements_named(root, "num"):
        abstract = value(first(child, "abstractNumId"))
        abstract = by_style.get(linked.get(abstract, ""), abstract)
        made = lists[value(child, "numId")] = _List(abstract, abstracts[abstract].copy())
        for override in elements_named(child, "lvlOverride"):
            made.levels |= _levels(override)
            if (start := first(override, "startOverride")) is not None:
                made.starts[_number(override, "ilvl") + 1] = _number(start)
    return lists


def _levels(element: Element) -> Levels:
    """Return the levels defined in an element by depth, counting from 1."""
    return {
        _number(child, "ilvl") + 1: ListLevel(
            value(first(child, "numFmt")) or "decimal",
            re.split(r"%(\d)", value(first(child, "lvlText"))),
            _number(first(child, "start"), missing=1),
            _number(first(child, "lvlRestart"), missing=-1),
        )
        for child in element
        if local(child) == "lvl"
    }


def _styles(package: Package, main: str) -> dict[str, _Style]:
    """Return the paragraph styles by id. An unknown id yields a plain style."""
    elements = {
        value(element, "styleId"): element
        for element in elements_named(package.optional(next(iter(package.related(main, "styles")), "")), "style")
    }
    made = defaultdict[str, _Style](_Style)
    for style in elements:
        about = made[style]
        seen = set()
        at = style
        while at in elements and at not in seen:
            seen.add(at)
            numbered = first(elements[at], "pPr", "numPr")
            called = value(first(elements[at], "name"))
            about.number = about.number or value(first(numbered, "numId"))
            about.level = about.level or value(first(numbered, "ilvl"))
            about.is_heading = about.is_heading or bool(re.fullmatch(r"(?i)heading ?\d", called))
            # Pandoc reads paragraphs with these styles as metadata.
            about.role = about.role or (
                called.lower() if called.lower() in (*_TITLES, "author", "date", "abstract") else ""
            )
            at = value(first(elements[at], "basedOn"))
    return made


def _number(element: Element | None, name: str = "val", *, missing: int = 0) -> int:
    return number_of(value(element, name), missing, digits=6)


# Elements that pandoc drops along with their contents. It drops some of them only inside fields.
_WRAPPERS = ("fldSimple", "customXml", "smartTag", "dir", "bdo", "ins", "moveTo")


# Function that reads an embedded document from its bytes and kind.
Chunk = Callable[[bytes, str], Blocks]


def prepare(data: bytes, chunk: Chunk, added: Insertions) -> bytes:
    """Rewrite a Word document so that pandoc reads all of it. `added` gets the blocks that will replace its markers."""
    package = Package(data)
    main = package.main()
    if main not in package.names:
        return data
    changed = {}
    for name in (main, *package.related(main, "footnotes", "endnotes")):
        root = package.xml(name) if name == main else package.optional(name)
        if root is None:
            added.omit("note")
            continue
        resolve_alternatives(root)
        _open_up(root)
        _Part(package, name, root, added).complete(chunk)
        changed[name] = root
    document = changed[main]
    parts = list(changed.values())
    styles = _styles(package, main)
    _join_titles(document, styles)
    changed |= _write_labels(package, main, document, styles)
    _add_comments(package, main, parts, added)
    for kind in ("header", "footer"):
        texts: dict[str, None] = {}
        for name in package.related(main, kind):
            if (root := package.optional(name)) is None:
                added.omit("header", name)
                continue
            resolve_alternatives(root)
            # Skip headers and footers that contain only a page number.
            texts |= dict.fromkeys(text for text in text_of(root) if not re.fullmatch(r"[\W\d_]*", text))
        if texts:
            _append(document, added.marker([blocks.callout(kind, "", blocks.paras(texts))]))
    return package.to_bytes(changed)


def _open_up(root: Element) -> None:
    """Unwrap elements that pandoc would drop, and put each part of a field into its own run, so no text is lost."""
    for parent in [element for element in root.iter() if local(element) not in _WRAPPERS]:
        waiting = list(reversed(parent))
        made = []
        while waiting:
            child = waiting.pop()
            if local(child) in _WRAPPERS:
                waiting += reversed(child)
            elif len(child) > 1 and any(local(part) == "fldChar" for part in child):
                for part in child:
                    if local(part) != "rPr":
                        made.append(Element(child.tag))
                        made[-1].append(part)
            else:
                made.append(child)
        parent[:] = made


class _Part(Edits):
    """A package part that contains text, such as the document, its footnotes or its endnotes."""

    def __init__(self, package: Package, name: str, root: Element, added: Insertions) -> None:
        super().__init__(root)
        self._package = package
        self._added = added
        self._relations = package.relations(name)
        self._readings = defaultdict[Element, Readings](Readings)
        self._before = {after: before for element in root.iter() for before, after in pairwise(element)}

    def complete(self, chunk: Chunk) -> None:
        """Move any content that pandoc would drop to a position where pandoc reads it."""
        for item in list(self.root.iter()):
            match local(item):
                case "ruby":
                    self._spell(item)
                case "altChunk":
                    self._read_chunk(item, chunk)
                case "chart" | "relIds" if relation := self._relations.get(relation_id(item)):
                    if made := drawings.read_chart(self._package, relation.target).blocks:
                        self._insert_after(item, [_paragraph(self.root, self._added.marker(made))])
                    elif relation.target:
                        self._added.omit("chart", posixpath.basename(relation.target))
                case "OLEObject" if not item.get("ProgID", "").startswith("Equation"):
                    self._added.omit("attachment", self._file_of(item) or item.get("ProgID", ""))
                case "ffData":
                    self._fill_in(item)
                case "del" if any(text.text for text in elements_named(item, "delText")):
                    self._added.omit("deletion")
        self.substitute()
        for paragraph, readings in self._readings.items():
            if readings.text:
                paragraph.append(text_run(paragraph, readings.text))
        for box in list(elements_named(self.root, "txbxContent", "textpath")):
            if text := box.get("string", ""):
                self._insert_after(box, [_paragraph(self.root, text)])
            elif len(box):
                self._insert_after(box, list(box))
                box[:] = []
        self.insert()

    def _file_of(self, element: Element) -> str:
        relation = self._relations.get(relation_id(element))
        return posixpath.basename(relation.target) if relation else ""

    def _spell(self, ruby: Element) -> None:
        """Keep a ruby element's base text in place, and move its reading to the end of the paragraph."""
        run = self.parents[ruby]
        base = first(ruby, "rubyBase")
        reading = first(ruby, "rt")
        paragraph = self.above(run, "p")
        if local(run) != "r" or paragraph is None:
            return
        runs = [] if base is None else list(base)
        others = [element for element in run if element is not ruby and local(element) != "rPr"]
        if others and any(text_of(run)):  # Word gives each ruby its own run
            runs.append(text_run(paragraph, "".join(text_of(run))))
        if reading is not None:
            self._readings[paragraph].add(
                collapse_spaces("".join(map(visible_text, reading))), joined=self._before.get(run) in self.instead
            )
        self.instead[run] = runs

    def _read_chunk(self, element: Element, chunk: Chunk) -> None:
        """Replace an embedded document with a marker for its blocks, or record it as left out."""
        relation = self._relations.get(relation_id(element))
        made = Blocks()
        if relation and relation.target in self._package.names:
            with suppress(SourceError):
                made = chunk(self._package.read(relation.target), kind_of(relation.target))
        if made:
            self.instead[element] = [_paragraph(self.root, self._added.marker(made))]
        else:
            self._added.omit("attachment", self._file_of(element) or "altChunk")

    def _fill_in(self, data: Element) -> None:
        """Insert the state of a checkbox or drop-down list as text, because it is stored only as an attribute."""
        run = self.above(data, "r")
        text = ""
        if (box := first(data, "checkBox")) is not None:
            state = first(box, "checked")
            state = first(box, "default") if state is None else state
            text = "☐" if state is None or value(state) in ("0", "false", "off") else "☒"
        elif (choices := first(data, "ddList")) is not None:
            entries = [value(choice) for choice in elements_named(choices, "listEntry")]
            chosen = value(first(choices, "result")) or value(first(choices, "default")) or "0"
            text = "".join(entries[number_of(chosen, len(entries)) :][:1])
        if run is not None and text:
            self.instead[run] = [text_run(run, text), run]

    def _insert_after(self, element: Element, made: list[Element]) -> None:
        if (paragraph := self.above(element, "p")) is not None:
            self.following[paragraph] += made


def _add_comments(package: Package, main: str, parts: list[Element], added: Insertions) -> None:
    """Insert each comment after the paragraph, list or table it refers to, or at the end if that text is gone."""
    read = [package.optional(name) for name in package.related(main, "comments")]
    added.omit("comment", count=read.count(None))
    comments = {value(element, "id"): element for root in read if root is not None for element in root}
    for edits in map(Edits, parts):
        for item in elements_named(edits.root, "commentReference"):
            if made := _comment(comments.pop(value(item, "id"), None), added):
                outermost = element = item
                while (parent := edits.parents.get(element)) is not None:
                    element = parent
                    if local(element) in ("p", "tbl") and element in edits.parents:
                        outermost = element
                edits.following[outermost].append(_paragraph(edits.root, added.marker(made)))
        for parent in {edits.parents[block] for block in edits.following}:
            waiting = []  # comments on list items, which are moved to the end of the list
            for child, after in pairwise([*parent, None]):
                waiting += edits.following.pop(child, [])
                if waiting and not (_is_item(child) and _is_item(after)):
                    edits.following[child] = waiting
                    waiting = []
        edits.insert()
    for item in comments.values():  # the text the comment refers to is gone
        if made := _comment(item, added):
            _append(parts[0], added.marker(made))


def _comment(comment: Element | None, added: Insertions) -> Blocks:
    return [] if comment is None else added.comment(value(comment, "author"), blocks.paras(text_of(comment)))


def _is_item(block: Element | None) -> bool:
    return first(block, "pPr", "numPr") is not None


def _append(document: Element, marker: str) -> None:
    body = first(document, "body")
    if body is not None:
        body.insert(len(body) - sum(local(element) == "sectPr" for element in body[-1:]), _paragraph(document, marker))


def _paragraph(sibling: Element, text: str) -> Element:
    made = Element(qualified_name(sibling, "p"))
    made.append(text_run(sibling, text))
    return made
