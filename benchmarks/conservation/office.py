"""The text of Office documents and books, out of the XML in them."""

import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element

from benchmarks.conservation.markup import attribute, by_kind, in_body, name_of, named, of_page, parsed

_TEXT = frozenset(("t",))
_TITLE = re.compile(r"<title\b[^>]*>[^<]*</title>")
"""The title of a chapter's file, which no reader of books shows."""
_LONG_NUMBER = re.compile(r"-?\d+\.\d{13,}(?:[eE][+-]?\d+)?")
_DIGITS = 15
"""Digits of a number that a sheet shows; further ones are noise of its binary form: 8.1999999999999993 is 8.2."""

Texts = Iterator[tuple[str, str]]
"""The kinds of omissions that name a text, "" for the main text, and the text."""


def docx(archive: zipfile.ZipFile) -> Texts:
    def kind_of(element: Element) -> str | None:
        if name_of(element) == "r" and element.find("{*}rPr/{*}vanish") is not None:
            return "hidden"
        kinds = {"txbxContent": "text_box", "del": "deletion", "moveFrom": None}
        return kinds.get(name_of(element), in_body(element))

    main = _xml(archive, _members(archive, r"word/document\d*\.xml")[0])
    yield from by_kind(main, kind_of, _TEXT | {"delText"})
    yield from _referenced(archive, main, r"word/footnotes\d*\.xml", "footnoteReference", "note")
    yield from _referenced(archive, main, r"word/endnotes\d*\.xml", "endnoteReference", "note")
    yield from _referenced(archive, main, r"word/comments\d*\.xml", "commentReference", "comment")
    yield from _charts(archive, r"word/(charts/chart|diagrams/data)\d*\.xml")
    yield from {text.strip(): ("header", text) for text in _heads(archive, main)}.values()
    for name in _members(archive, r"word/\w*chunk\w*\.x?html?"):
        yield "attachment", of_page(archive.read(name).decode("utf-8", "replace"))


def _referenced(archive: zipfile.ZipFile, main: Element, pattern: str, by: str, kind: str) -> Texts:
    """Yield the notes or comments that the main text refers to."""
    ids = {attribute(one, "id") for one in named(main, by)}
    for name in _members(archive, pattern):
        yield from (
            (kind, by_kind(one, names=_TEXT)[-1][1]) for one in _xml(archive, name) if attribute(one, "id") in ids
        )


def _heads(archive: zipfile.ZipFile, main: Element) -> Iterator[str]:
    """Yield the headers and footers of the sections."""
    ids = {attribute(one, "id") for one in named(main, "headerReference", "footerReference")}
    for name in _members(archive, r"word/_rels/document\d*\.xml\.rels"):
        for one in _xml(archive, name):
            if one.get("Id") in ids and f"word/{one.get('Target')}" in archive.namelist():
                yield by_kind(_xml(archive, f"word/{one.get('Target')}"), names=_TEXT)[-1][1]


def pptx(archive: zipfile.ZipFile) -> Texts:
    for name in _members(archive, r"ppt/slides/slide\d+\.xml"):
        slide = _xml(archive, name)
        yield "hidden" if attribute(slide, "show") == "0" else "", by_kind(slide, _unnumbered, _TEXT)[-1][1]
    yield from _others(archive, r"ppt/notesSlides/notesSlide\d+\.xml", "note")
    yield from _charts(archive, r"ppt/charts/chart\d+\.xml|ppt/diagrams/data\d+\.xml")
    yield from _others(archive, r"ppt/comments/\w+\.xml", "comment")


def _unnumbered(element: Element) -> str | None:
    """Leave out the number of the slide and the day of today."""
    is_field = name_of(element) == "fld" and attribute(element, "type").startswith(("slidenum", "datetime"))
    return None if is_field else in_body(element)


def xlsx(archive: zipfile.ZipFile) -> Texts:
    """Yield the texts of cells, and the numbers without a format, which no reader writes otherwise."""
    shared = [
        by_kind(one, lambda element: None if name_of(element) == "rPh" else "", _TEXT)[-1][1]
        for name in _members(archive, r"xl/sharedStrings\.xml")
        for one in _xml(archive, name)
    ]
    for name in _members(archive, r"xl/worksheets/sheet\d+\.xml"):
        yield "", "\n".join(_cell(cell, shared) for cell in named(_xml(archive, name), "c"))
    yield from _others(archive, r"xl/comments\d*\.xml", "comment")
    yield from _charts(archive, r"xl/charts/chart\d+\.xml")
    yield from _others(archive, r"xl/drawings/drawing\d+\.xml", "text_box")


def _cell(cell: Element, shared: list[str]) -> str:
    value, kind = cell.findtext("{*}v") or "", cell.get("t", "n")
    if kind == "s":
        return shared[int(value)]
    if kind in ("inlineStr", "str"):
        return value or by_kind(cell, names=_TEXT)[-1][1]
    return value if kind == "n" and cell.get("s", "0") == "0" and re.fullmatch(r"\d{1,9}", value) else ""


def odt(archive: zipfile.ZipFile) -> Texts:
    kinds: dict[str, str | None] = {
        "annotation": "comment",
        "text-box": "text_box",
        "deletion": "deletion",
        "index-title-template": None,
    }
    kinds |= dict.fromkeys(("sequence-decls", "change-info"))
    for body in _xml(archive, "content.xml").iterfind("{*}body"):
        yield from by_kind(body, lambda element: kinds.get(name_of(element), ""))
    if "styles.xml" in archive.namelist():
        fields = dict.fromkeys(("page-number", "page-count", "date", "time"))
        margins = named(_xml(archive, "styles.xml"), "header", "footer")
        heads = {by_kind(one, lambda element: fields.get(name_of(element), ""))[-1][1].strip() for one in margins}
        yield from (("header", head) for head in heads)


def epub(archive: zipfile.ZipFile) -> Texts:
    package = named(_xml(archive, "META-INF/container.xml"), "rootfile")[0].get("full-path", "")
    book, folder = _xml(archive, package), PurePosixPath(package).parent
    yield "", "\n".join(one.text or "" for one in named(book, "description"))
    files = {item.get("id"): item.get("href", "") for item in named(book, "item")}
    for item in named(book, "itemref"):
        name = str(folder / files[item.get("idref")])
        if name in archive.namelist():
            yield "", of_page(_TITLE.sub("", archive.read(name).decode("utf-8", "replace")))


def _others(archive: zipfile.ZipFile, pattern: str, kind: str) -> Texts:
    for name in _members(archive, pattern):
        yield kind, by_kind(_xml(archive, name), _unnumbered, _TEXT | {"text"})[-1][1]


def _charts(archive: zipfile.ZipFile, pattern: str) -> Texts:
    """Yield the texts and the values of charts; categories that each series repeats, point by point, count once."""
    for name in _members(archive, pattern):
        chart = _xml(archive, name)
        yield "chart", by_kind(chart, _unnumbered, _TEXT)[-1][1]
        values = {id(one): [_number(v.text or "") for v in named(one, "v")] for one in named(chart, "cat", "xVal")}
        inside = {id(v) for one in named(chart, "cat", "xVal") for v in named(one, "v")}
        own = [_number(v.text or "") for v in named(chart, "v") if id(v) not in inside]
        yield "chart", "\n".join([*own, *("\n".join(one) for one in {tuple(one) for one in values.values()})])


def _number(text: str) -> str:
    """Return a number of too many digits as a sheet shows it, and other text as it is."""
    return f"{float(text):.{_DIGITS}g}" if _LONG_NUMBER.fullmatch(text) else text


def _xml(archive: zipfile.ZipFile, name: str) -> Element:
    return parsed(archive.read(name))


def _members(archive: zipfile.ZipFile, pattern: str) -> list[str]:
    """Return the names of members, in the order of their numbers."""
    found = [name for name in archive.namelist() if re.fullmatch(pattern, name)]
    return sorted(found, key=lambda name: [int(figures) for figures in re.findall(r"\d+", name)])


PACKED: dict[str, Callable[[zipfile.ZipFile], Texts]] = {
    "docx": docx,
    "pptx": pptx,
    "xlsx": xlsx,
    "odt": odt,
    "epub": epub,
}
