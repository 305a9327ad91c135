"""Office documents, books, web pages and markup -> Markdown by pandoc, which reads no other file and no network."""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.base.encodings.guessing import decode_part
from core.base.messages import Message
from core.documents import Converted, syntax
from core.documents.kinds import damaged, has, need
from core.documents.metadata import read_metadata, sound_title
from core.documents.office import blocks, docx, odt
from core.documents.office.blocks import Blocks, Insertions
from core.documents.office.drawings import Slides
from core.documents.office.rtf import Rtf
from core.documents.pandoc_program import run_pandoc
from core.documents.webpages import clean_page, main_part, unwrap_archive
from core.markdown.writing import code_block
from core.model import Omission

_DIRECTIVE = re.compile(rb"([ \t]*)\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w-]+)::[ \t]*(\S?)")
_FILE = re.compile(rb"\s*:(?:file|url):")
_INCLUDES = (b"include", b"literalinclude")


def without_files(data: bytes) -> tuple[bytes, int]:
    """Return a text without the directives that name a file or an address, and their number."""
    kept, count = list[bytes](), 0
    indent, first = -1, 0  # of the directive that is read, -1 outside of one; and its first line, -1 if it is left out
    for line in data.splitlines(keepends=True):
        own = len(line) - len(line.lstrip())
        if indent >= 0 and line.strip() and own <= indent:
            indent = -1
        if indent < 0 and (found := _DIRECTIVE.match(line)):
            indent, first = len(found[1]), len(kept)
            if found[2].lower() in _INCLUDES and found[3]:
                count, first = count + 1, -1
        elif indent >= 0 and first >= 0 and _FILE.match(line):
            del kept[first:]
            count, first = count + 1, -1
        if indent < 0 or first >= 0 or not line.strip():
            kept.append(line)
    return b"".join(kept), count


_MARKDOWN = ("markdown", "text/markdown")


def prepare_notebook(data: bytes) -> bytes:
    """Return a notebook with its raw cells as Markdown: what is of another format is a block of code."""
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError):
        return data
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    raw = (
        [item for item in cells if isinstance(item, dict) and item.get("cell_type") == "raw"]
        if isinstance(cells, list)
        else []
    )
    for cell in raw:
        cell |= {"cell_type": "markdown", "source": _raw_cell(cell)}
    return json.dumps(notebook).encode() if raw else data


def _raw_cell(cell: dict[str, Any]) -> str:
    source, said = cell.get("source", ""), cell.get("metadata")
    text = "".join(map(str, source)) if isinstance(source, list) else str(source)
    said = said if isinstance(said, dict) else {}
    if {said.get("format"), said.get("raw_mimetype")} & {*_MARKDOWN} or not text.strip():
        return text
    return code_block(text)


_FORMATS = {
    **{kind: kind for kind in "docx odt pptx epub rst org ipynb csv tsv mediawiki rtf".split()},
    **dict.fromkeys(("html", "htm", "xhtml", "mhtml", "mht"), "html-native_divs-native_spans"),
    **dict.fromkeys(("tex", "latex"), "latex"),
    "wiki": "mediawiki",
}
_HTML = ("html", "htm", "xhtml", "mhtml", "mht")
_PACKED = ("docx", "pptx", "odt", "epub")
_PARTS = (*_HTML, "docx", "rtf")
"""Kinds of documents that a Word document may hold as a part of its text."""
_MOST_DEPTH = 3
_FIELDS: tuple[str, ...] = ("title", "author")
_HEAD = ("subtitle", "date", "abstract")
"""What is at the head of a document, and isn't a field of its note."""
_API = [1, 23, 1]


class Pandoc:
    """Converts by the pandoc that the package pypandoc-binary holds."""

    kinds = " ".join(_FORMATS)

    def __init__(self, *, comments: bool = True) -> None:
        self._comments = comments

    @property
    def version(self) -> str:
        if not has("pypandoc"):
            return "pandoc"
        return f"pandoc {_version()}"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return a document as Markdown; a web page without its menus."""
        need("pypandoc")
        read = self._read(data, kind, 0)
        own_pictures = kind not in _PACKED and kind not in _HTML and kind != "rtf"
        text = _markdown(read.nodes, pictures=own_pictures)
        said = read_metadata(data, kind) if kind in _PACKED else {}
        said |= {name: value for name, value in read.said.items() if value}
        title, author, created, updated = (said.get(name, "") for name in ("title", "author", "created", "updated"))
        return Converted(text, title, author, created, updated, warnings=read.warnings, left_out=tuple(read.left_out))

    def _read(self, data: bytes, kind: str, depth: int) -> "_Read":
        """Return what a document holds; `depth` is above 0 for one within another."""
        if kind == "pptx":
            slides = Slides(data, comments=self._comments)
            return _Read(slides.blocks(), {}, slides.left_out, slides.warnings)
        if kind == "rtf":
            rich = Rtf(data, comments=self._comments)
            return _Read(rich.blocks, rich.said, rich.left_out)
        added, within = Insertions(), list[Omission]()

        def part(data: bytes, kind: str) -> Blocks:
            if kind == "txt":
                return blocks.paras(decode_part(data, kind).splitlines())
            if depth == _MOST_DEPTH or kind not in _PARTS:
                raise damaged("")
            read = self._read(data, kind, depth + 1)
            within.extend(read.left_out)
            return read.nodes

        if kind == "docx":
            data, added = docx.prepare(data, part, comments=self._comments)
        elif kind == "odt":
            data, added = odt.prepare(data, comments=self._comments)
        elif kind == "ipynb":
            data = prepare_notebook(data)
        elif kind == "rst":
            data, files = without_files(data)
            within += [Omission("file", files)] if files else []
        elif kind in _HTML:
            page, menus = main_part(unwrap_archive(data, kind))
            data = page.encode()
            within += [Omission("menu", menus)] if menus else []
        read = _parse(data, _FORMATS[kind])
        meta: dict[str, Any] = read["meta"]
        said: dict[str, str] = {name: syntax.plain(meta[name]) for name in _FIELDS if name in meta}
        nodes = syntax.insert_blocks(read["blocks"], added.by_marker)
        if kind in ("docx", "odt"):
            head = _HEAD if sound_title(said.get("title", "")) else ("title", *_HEAD)
            nodes = [*(node for name in head if name in meta for node in syntax.paragraphs(meta[name])), *nodes]
        elif kind == "epub":
            nodes = [*_description(data), *nodes]
        elif "date" in meta:
            said["created"] = syntax.plain(meta["date"])
        return _Read(nodes, said, [*within, *added.left_out])


class Uncommented:
    """Converts as Pandoc does, and leaves out the comments: they are named."""

    kinds = "docx odt pptx rtf"

    @property
    def version(self) -> str:
        return Pandoc().version

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return a document as Markdown."""
        return Pandoc(comments=False).convert(data, kind)


@dataclass(frozen=True, slots=True)
class _Read:
    """The blocks of a document, its metadata, what was left out, and warnings for the user."""

    nodes: Blocks
    said: dict[str, str]
    left_out: list[Omission]
    warnings: tuple[Message, ...] = ()


def _description(data: bytes) -> Blocks:
    """Return what a book says of itself: text, or HTML."""
    said = read_metadata(data, "epub").get("description", "")
    if "<" not in said:
        return blocks.paras(said.splitlines())
    read: Blocks = _parse(said.encode(), _FORMATS["html"])["blocks"]
    return read


def html_to_markdown(page: str) -> str:
    """Return HTML that is in a document of another kind as Markdown."""
    need("pypandoc")
    read = _parse(clean_page(page).encode(), _FORMATS["html"])
    return _markdown(read["blocks"], pictures=False)


def _parse(data: bytes, reader: str) -> Any:
    """Return a document as pandoc's syntax tree. Equal words are one object: each takes 300 bytes."""
    words: dict[tuple[object, ...], object] = {}

    def share(node: dict[str, object]) -> object:
        with suppress(TypeError):  # what holds a list has no hash
            return words.setdefault((*node.items(),), node)
        return node

    return json.loads(run_pandoc(data, reader, "json"), object_hook=share)


def _markdown(nodes: Blocks, *, pictures: bool) -> str:
    document = {"pandoc-api-version": _API, "meta": {}, "blocks": syntax.simple(nodes, pictures=pictures)}
    return run_pandoc(json.dumps(document).encode(), "json", "gfm-raw_html").decode()


@cache
def _version() -> str:
    import pypandoc

    return str(pypandoc.get_pandoc_version())
