"""Rewriting of LibreOffice texts so that pandoc reads all their content: what it drops is moved where it looks."""

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from core.documents.office import blocks
from core.documents.office.blocks import Insertions, Readings, numeral
from core.documents.office.drawings import Chart
from core.documents.office.package import (
    Following,
    Package,
    elements_named,
    first,
    insert_after,
    local,
    number_of,
    parents,
    substitute,
    value,
)
from core.model import Omission

# The numbers and letters that LibreOffice shows before paragraphs, where Markdown or pandoc would show others.

_OUTLINE = "outline-style"


@dataclass(slots=True)
class _OdtLevel:
    format: str
    prefix: str
    suffix: str
    shown: int
    start: int

    @property
    def is_plain(self) -> bool:
        """Whether Markdown's list numbers look like the labels of this level."""
        return self.format == "1" and not self.prefix.strip() and self.suffix.strip() in (".", ")") and self.shown == 1


_Levels = dict[int, _OdtLevel]


def write_labels(body: Element, roots: Iterable[Element]) -> None:
    """Write the labels of lists and headings into their paragraphs; `roots` hold the styles."""
    styles: dict[str, _Levels] = {}
    outline: _Levels = {}
    list_styles: dict[str, str] = {}
    for root in roots:
        for style in elements_named(root, "list-style", _OUTLINE):
            levels = _levels(style)
            if local(style) == _OUTLINE:
                outline = levels
            else:
                styles[value(style, "name")] = levels
        list_styles |= {
            value(element, "name"): value(element, "list-style-name") for element in elements_named(root, "style")
        }
    _ListWriter(styles, outline, list_styles).write(body, "", 0, {})


def _levels(style: Element) -> _Levels:
    levels: _Levels = {}
    for child in style:
        if local(child) not in ("list-level-style-number", "outline-level-style"):
            continue
        level = _OdtLevel(
            value(child, "num-format"),
            value(child, "num-prefix"),
            value(child, "num-suffix"),
            number_of(value(child, "display-levels"), 1),
            number_of(value(child, "start-value"), 1),
        )
        levels[number_of(value(child, "level"), 1)] = level
        if local(child) == "list-level-style-number" and not level.is_plain and level.format:
            child.tag = TEXT + "list-level-style-bullet"
            child.set(TEXT + "bullet-char", "•")
    return levels


class _ListWriter:
    """Counts list items and headings, and writes their labels."""

    def __init__(self, styles: dict[str, _Levels], outline: _Levels, list_styles: dict[str, str]) -> None:
        self._styles, self._outline, self._list_styles = styles, outline, list_styles
        self._headings: dict[int, int] = {}
        self._last: dict[str, dict[int, int]] = {}

    def write(self, element: Element, style: str, depth: int, counts: dict[int, int]) -> None:
        """Write the labels below an element that is nested in `depth` lists."""
        for child in element:
            match local(child):
                case "list":
                    self._list(child, style, depth + 1, counts)
                case "h":
                    self._heading(child)
                case _:
                    self.write(child, style, depth, counts)

    def _list(self, element: Element, style: str, depth: int, counts: dict[int, int]) -> None:
        style = value(element, "style-name") or style or self._style_inside(element)
        levels = self._styles.get(style, {})
        level = levels.get(depth)
        if depth == 1:
            goes_on = value(element, "continue-numbering") == "true" or bool(value(element, "continue-list"))
            counts = self._last.get(style, {}) if goes_on else {}
            self._last[style] = counts
        elif value(element, "continue-numbering") != "true":
            counts.pop(depth, None)
        for item in element:
            if local(item) == "list-item" and level is not None:
                start = value(item, "start-value")
                counts[depth] = number_of(start, 1) if start else counts.get(depth, level.start - 1) + 1
                paragraph = next((child for child in item if local(child) in ("p", "h")), None)
                if paragraph is not None and level.format and not level.is_plain:
                    _write(paragraph, _label(levels, counts, depth))
            self.write(item, style, depth, counts)

    def _style_inside(self, element: Element) -> str:
        paragraph = next(elements_named(element, "p", "h"), None)
        return self._list_styles.get(value(paragraph, "style-name"), "")

    def _heading(self, heading: Element) -> None:
        depth = number_of(value(heading, "outline-level"), 1)
        level = self._outline.get(depth)
        if level is None or not level.format or value(heading, "is-list-header") == "true":
            return
        self._headings = {at: count for at, count in self._headings.items() if at <= depth}
        self._headings[depth] = self._headings.get(depth, level.start - 1) + 1
        _write(heading, _label(self._outline, self._headings, depth))


def _label(levels: _Levels, counts: dict[int, int], depth: int) -> str:
    own = levels[depth]
    shown = [at for at in range(max(1, depth - own.shown + 1), depth + 1) if at in levels]
    numbers = [numeral(counts.get(at, levels[at].start), levels[at].format) for at in shown if levels[at].format]
    return " ".join(f"{own.prefix}{'.'.join(numbers)}{own.suffix}".split())


def _write(paragraph: Element, label: str) -> None:
    paragraph.text = f"{label} {paragraph.text or ''}"


TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_CREATOR = "{http://purl.org/dc/elements/1.1/}creator"
HREF = "{http://www.w3.org/1999/xlink}href"
CONTENT, STYLES = "content.xml", "styles.xml"
_SECTIONS = frozenset(
    "table-of-content illustration-index table-index object-index user-index alphabetical-index bibliography"
    " index-body index-title numbered-paragraph".split()
)
"""Elements that pandoc drops with their paragraphs. They are turned into sections, which pandoc reads."""
_READ = frozenset(
    "span a s tab line-break note note-citation note-body bookmark bookmark-start bookmark-end bookmark-ref"
    " reference-mark reference-mark-start reference-mark-end reference-ref soft-page-break ruby ruby-text change"
    " change-start change-end p h list list-item".split()
)
"""Elements within a paragraph that pandoc reads or this module handles; pandoc drops the text of others."""
_MARGINS = {"header": ("header", "header-left", "header-first"), "footer": ("footer", "footer-left", "footer-first")}


def prepare(data: bytes, added: Insertions, *, comments: bool) -> bytes:
    """Return a text that pandoc reads completely; the blocks for its markers go to `added`.

    Without `comments`, comments are only counted as left out.
    """
    package = Package(data)
    root, styles = package.xml(CONTENT), package.optional(STYLES)
    body = first(root, "body", "text")
    if body is None:
        return data
    write_labels(body, [root] if styles is None else [styles, root])
    _OdtBody(package, body, added, comments).complete()
    for kind, names in _MARGINS.items():
        body.extend(callout(added, kind, visible_texts(() if styles is None else elements_named(styles, *names))))
    return package.to_bytes({CONTENT: root} | ({} if styles is None else {STYLES: styles}))


class _OdtBody:
    """Completes the body of a LibreOffice text for pandoc."""

    def __init__(self, package: Package, body: Element, added: Insertions, comments: bool) -> None:
        self._package, self._body, self._added, self._comments = package, body, added, comments
        self._parents = parents(body)
        self._following: Following = {}
        self._instead: dict[Element, Iterable[Element]] = {}
        self._lifted: list[tuple[Element, list[Element]]] = []
        self._notes: list[tuple[Element, Element]] = []

    def complete(self) -> None:
        """Move all content that pandoc drops to places that it reads."""
        self._wrap()
        for entry in list(self._body.iter()):
            name = local(entry)
            if name == "deletion" and "".join(entry.itertext()).strip():
                self._added.omit("deletion")
            elif entry.tag == TEXT + name:
                self._complete_text(entry, name)
            elif entry.tag == _TABLE + "table" and self._insert_above(entry, _TABLE + "table-cell") is not None:
                self._flatten(entry)
            elif name == "annotation":
                self._comment(entry)
            elif entry.tag in (DRAW + "object", DRAW + "object-ole"):
                self._draw(entry)
            elif entry.tag.startswith(DRAW) and (
                inner := [part for part in entry if local(part) in ("p", "h", "list") or part.tag == _TABLE + "table"]
            ):
                self._lifted.append((entry, inner))
        substitute(self._body, self._instead)
        for shape, inner in self._lifted:  # after the paragraph with the box or the shape
            shape[:] = [element for element in shape if element not in inner]
            self._insert_after(shape, inner)
        for block, note in self._notes:
            self._following.setdefault(block, []).append(note)
        insert_after(self._body, self._following)

    def _wrap(self) -> None:
        """Wrap text outside paragraphs in paragraphs."""
        for entry in list(self._body):
            if (text := entry.tail or "").strip():
                self._following[entry] = [paragraph(" ".join(text.split()))]

    def _complete_text(self, entry: Element, name: str) -> None:
        if name in _SECTIONS:
            entry.tag = TEXT + "section"
        elif name == "list-header":
            entry.tag = TEXT + "list-item"
        elif name == "h" and self._insert_above(entry, _TABLE + "table-cell") is not None:
            entry.tag = TEXT + "p"
            self._spell(entry)
        elif name == "list" and local(self._parents[entry]) == "note-body":
            self._instead[entry] = items = [*elements_named(entry, "p", "h")]
            for item in items:
                item.text = f"• {item.text or ''}"
        elif name == "list" and self._parents[entry].tag == TEXT + "list":
            self._instead[entry] = [item := Element(TEXT + "list-item")]
            item.append(entry)
        elif name in ("p", "h"):
            self._spell(entry)
        elif (
            name not in _READ
            and (entry.text or "").strip()
            and self._insert_above(entry, TEXT + "p", TEXT + "h") is not None
        ):
            entry.tag = TEXT + "span"  # a field; its text is its value

    def _spell(self, paragraph: Element) -> None:
        """Keep ruby base texts in place, and put the readings at the end of the paragraph."""
        readings, joined = Readings(), False
        for entry in list(elements_named(paragraph, "ruby")):
            base, reading = first(entry, "ruby-base"), first(entry, "ruby-text")
            readings.add("".join(() if reading is None else reading.itertext()), joined=joined)
            joined = not entry.tail
            self._instead[entry] = () if base is None else [base]
            if base is not None:
                base.tag = TEXT + "span"
        if readings.text:
            SubElement(paragraph, TEXT + "span").text = readings.text

    def _flatten(self, table: Element) -> None:
        """Replace a table within a cell with its paragraphs."""
        self._instead[table] = [
            element for element in elements_named(table, "p", "h") if local(self._parents[element]) != "note-body"
        ]

    def _comment(self, annotation: Element) -> None:
        """Put a comment after the text that it refers to."""
        name = "".join(part.text or "" for part in annotation if part.tag == _CREATOR)
        said = blocks.callout("comment", name, blocks.paras(texts(annotation)))
        block, above = annotation, annotation
        while (parent := self._parents.get(above)) is not None and parent is not self._body:
            above = parent
            if above.tag in (TEXT + "p", TEXT + "h", TEXT + "list", _TABLE + "table", DRAW + "page"):
                block = above
        self._instead[annotation] = ()
        if not self._comments:
            self._added.omit("comment")
        elif block is not annotation:
            self._notes.append((block, paragraph(self._added.marker([said]))))

    def _draw(self, element: Element) -> None:
        """Put a chart after its paragraph, write a formula as text, or record another object as left out."""
        if element.find("*") is not None:  # a formula, or an embedded document
            return
        read = embedded(self._package, element)
        if isinstance(read, Omission):
            self._added.left_out.append(read)
        elif isinstance(read, Chart):
            self._lifted.append((element, [paragraph(self._added.marker(read.blocks))]))
        elif self._insert_above(element, TEXT + "p", TEXT + "h") is None:
            self._lifted.append((element, [paragraph(read)]))
        else:
            self._instead[self._parents[element]] = [formula := Element(TEXT + "span")]
            formula.text = read

    def _insert_after(self, element: Element, made: list[Element]) -> None:
        paragraph = self._insert_above(element, TEXT + "p", TEXT + "h")
        while paragraph is None and local(above := self._parents[element]) in ("frame", "g", "a", "page"):
            element = above
        anchor = element if paragraph is None else paragraph
        self._following.setdefault(anchor, []).extend(made)
        self._parents |= dict.fromkeys(made, self._parents.get(anchor, self._body))

    def _insert_above(self, element: Element, *tags: str) -> Element | None:
        above = self._parents.get(element)
        while above is not None and above.tag not in tags:
            above = self._parents.get(above)
        return above


def embedded(package: Package, element: Element) -> Chart | str | Omission:
    """Return the chart or formula of an embedded object; an Omission for any other document."""
    name = posixpath.normpath(element.get(HREF, ""))
    root = package.optional(f"{name}/content.xml")
    chart = first(root, "body", "chart", "chart")
    if chart is not None:
        titles = [text for title in elements_named(chart, "title", "subtitle") for text in texts(title)]
        rows = [[" ".join(texts(cell)) for cell in row] for row in elements_named(chart, "table-row")]
        read = Chart("".join(titles[:1]), rows if any(any(row) for row in rows) else [], titles[1:])
        return read if read != Chart() else Omission("chart", 1, posixpath.basename(name))
    if root is None or local(root) != "math":
        return Omission("attachment", 1, posixpath.basename(name))
    notation = next(elements_named(root, "annotation"), root)
    return " ".join("".join(notation.itertext()).split())


def texts(element: Element) -> list[str]:
    """Return the texts of the paragraphs in an element."""
    texts = ["".join(signs(entry)) for entry in elements_named(element, "p", "h")]
    return [" ".join(text.split()) for text in texts if text.strip()]


def signs(element: Element) -> list[str]:
    parts = [element.text or ""]
    for child in element:
        parts += [" "] if local(child) in ("s", "tab", "line-break") else signs(child)
        parts.append(child.tail or "")
    return parts


_WITH_TEXT = ("p", "h", "header-decl", "footer-decl", "date-time-decl")
_PAGE = re.compile(r"(?i)[\W\d_]*(?:page|seite|página|pagina|ページ|页面|頁|第)?[\W\d_]*[页頁]?")
"""A page number, with the word that LibreOffice puts before it by default."""
_LONGEST = 40
"""Maximum number of characters of a text that may be just a page number."""


def visible_texts(margins: Iterable[Element]) -> dict[str, None]:
    """Return the texts of headers or footers, each once, without plain page numbers."""
    entries = (entry for margin in margins for entry in elements_named(margin, *_WITH_TEXT))
    said = (" ".join("".join(signs(entry)).split()) for entry in entries)
    return dict.fromkeys(text for text in said if len(text) > _LONGEST or not _PAGE.fullmatch(text))


def callout(added: Insertions, kind: str, said: Iterable[str]) -> list[Element]:
    """Return a paragraph with the marker for a callout of the given kind; empty without texts."""
    made = blocks.paras(said)
    return [paragraph(added.marker([blocks.callout(kind, "", made)]))] if made else []


def paragraph(text: str) -> Element:
    made = Element(TEXT + "p")
    made.text = text
    return made
