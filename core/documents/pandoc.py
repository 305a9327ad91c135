"""Conversion of Office documents, books, web pages and markup to Markdown with pandoc, without other files."""

import json
from contextlib import suppress
from functools import cache
from typing import Any

from core.base.encodings.guessing import decode_part
from core.base.frozen import frozen
from core.base.messages import Message
from core.documents import Converted, books, syntax
from core.documents.kinds import damaged, has, need, sound_title
from core.documents.markup import PREPARE
from core.documents.office import blocks, docx, odf
from core.documents.office.blocks import Blocks, Insertions
from core.documents.office.drawings import Slides
from core.documents.office.package import read_metadata
from core.documents.office.rtf import Rtf
from core.documents.pandoc_program import run_pandoc
from core.documents.webpages import clean_page, main_part, unwrap_archive
from core.model import Omission

_HTML = ("html", "htm", "xhtml", "xht", "mhtml", "mht")
_FORMATS = {
    **{kind: kind for kind in "docx odt pptx epub rst org ipynb csv tsv mediawiki rtf docbook jats textile".split()},
    **dict.fromkeys(_HTML, "html-native_divs-native_spans"),
    **dict.fromkeys(("tex", "latex"), "latex"),
    **dict.fromkeys(("odp", "ods"), "odt"),
    "wiki": "mediawiki",
    "dbk": "docbook",
    "nxml": "jats",
    "fb2": "html-native_spans",
    "ipynb": "ipynb+markdown_in_html_blocks",
}
_OPEN = ("odt", "odp", "ods")
_PACKED = ("docx", "pptx", *_OPEN, "epub")
_PARTS = (*_HTML, "docx", "rtf")
"""Kinds that a Word document may embed as part of its text."""
_MOST_DEPTH = 3
_FIELDS = {"title": "title", "author": "author", "date": "created", "keywords": "tags"}
"""pandoc's metadata -> fields of the note."""
_HEAD = ("subtitle", "abstract")
"""Metadata that becomes text at the top instead of a field of the note."""
_API = [1, 23, 1]


class Pandoc:
    """Converts with the pandoc in the package pypandoc-binary."""

    kinds = " ".join(_FORMATS)

    comments = True

    @property
    def version(self) -> str:
        return f"pandoc {_version()}" if has("pypandoc") else "pandoc"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return a document as Markdown; of a web page, without its menus."""
        need("pypandoc")
        read = self._read(data, kind, 0)
        own_pictures = kind not in (*_PACKED, *_HTML, "rtf", "fb2")
        text = _markdown(read.nodes, pictures=own_pictures)
        said = read_metadata(data, kind) if kind in _PACKED else {}
        said |= {name: value for name, value in read.said.items() if value}
        if kind == "epub":
            said["tags"] = said.get("subjects", "")
        about: dict[str, Any] = {
            name: said.get(name, "") for name in ("title", "author", "created", "updated", "tags", "source_url")
        }
        return Converted(text, warnings=read.warnings, left_out=tuple(read.left_out), **about)

    def _read(self, data: bytes, kind: str, depth: int) -> "_Read":
        """Return the content of a document; `depth` is greater than 0 for an embedded document."""
        if kind == "pptx":
            slides = Slides(data, comments=self.comments)
            return _Read(slides.blocks(), {}, slides.left_out, slides.warnings)
        if kind == "rtf":
            rich = Rtf(data, comments=self.comments)
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

        about: dict[str, str] = {}
        if kind == "docx":
            data, added = docx.prepare(data, part, comments=self.comments)
        elif kind in _OPEN:
            text = data if kind == "odt" else odf.as_text(data, added)
            data = odf.prepare(text, added, comments=self.comments)
        elif kind == "epub":
            data = books.prepare(data)
        elif kind == "fb2":
            page, about = books.fiction_book(data)
            data = page.encode()
        elif kind in PREPARE:
            data, about["tags"], files = PREPARE[kind](data)
            within += [Omission("file", files)] if files else []
        elif kind in _HTML:
            page, menus, about = main_part(unwrap_archive(data, kind))
            data = page.encode()
            within += [Omission("menu", menus)] if menus else []
        read = _parse(data, _FORMATS[kind])
        meta: dict[str, Any] = read["meta"]
        unsaid = "keywords" if kind in _HTML else "date" if kind in _PACKED else ""
        said = {field: syntax.plain(meta[name]) for name, field in _FIELDS.items() if name in meta and name != unsaid}
        said |= about
        nodes = syntax.insert_blocks(read["blocks"], added.by_marker)
        if kind == "epub":
            about_it = read_metadata(data, kind).get("description", "")
            head_ = _blocks(about_it, _FORMATS["html"]) if "<" in about_it else blocks.paras(about_it.splitlines())
            nodes = [*head_, *books.join_notes(nodes)]
        elif kind == "fb2":
            nodes = books.join_notes(nodes)
        elif kind not in _HTML:
            head = [*_HEAD]
            if kind in ("docx", *_OPEN):
                untitled = not sound_title(said.get("title", ""))
                head = [*["title"] * untitled, "subtitle", "date", "abstract"]
            nodes = [*(node for name in head if name in meta for node in syntax.paragraphs(meta[name])), *nodes]
            nodes = syntax.read_raw(nodes, _blocks, _html)
        return _Read(nodes, said, [*within, *added.left_out])


class Uncommented(Pandoc):
    """Converts like Pandoc, but leaves out comments and reports them."""

    kinds = "docx odt odp ods pptx rtf"
    comments = False


@frozen
class _Read:
    """The blocks of a document, its metadata, omissions, and warnings for the user."""

    nodes: Blocks
    said: dict[str, str]
    left_out: list[Omission]
    warnings: tuple[Message, ...] = ()


def html_to_markdown(page: str) -> str:
    """Return HTML taken from a document of another kind as Markdown."""
    need("pypandoc")
    return _markdown(_blocks(clean_page(page), _FORMATS["html"]), pictures=False)


@cache
def _version() -> str:
    import pypandoc

    return str(pypandoc.get_pandoc_version())


def _blocks(text: str, reader: str) -> Blocks:
    read: Blocks = _parse(text.encode(), reader)["blocks"]
    return read


def _html(nodes: Blocks) -> str:
    document = {"pandoc-api-version": _API, "meta": {}, "blocks": nodes}
    return run_pandoc(json.dumps(document).encode(), "json", "html").decode()


def _parse(data: bytes, reader: str) -> Any:
    """Return a document as pandoc's syntax tree. Equal words share one object, because each takes 300 bytes."""
    words: dict[tuple[object, ...], object] = {}

    def share(node: dict[str, object]) -> object:
        with suppress(TypeError):  # nodes that contain a list aren't hashable
            return words.setdefault((*node.items(),), node)
        return node

    return json.loads(run_pandoc(data, reader, "json"), object_hook=share)


def _markdown(nodes: Blocks, *, pictures: bool) -> str:
    document = {"pandoc-api-version": _API, "meta": {}, "blocks": syntax.simple(nodes, pictures=pictures)}
    return run_pandoc(json.dumps(document).encode(), "json", "gfm-raw_html").decode()
