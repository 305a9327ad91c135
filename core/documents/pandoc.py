"""Conversion of Office documents, books, web pages and markup to Markdown, using pandoc in a sandbox."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from core.base.encodings.guessing import decode_part
from core.base.errors import SourceError
from core.base.frozen import AnyValues, TextValues, Values
from core.documents import CONVERTERS, Converted, books, syntax
from core.documents.kinds import damaged, has, need, sound_title
from core.documents.markup import PREPARE
from core.documents.office import blocks, docx, odf
from core.documents.office.blocks import Blocks, Insertions, Node
from core.documents.office.drawings import Slides
from core.documents.office.package import read_metadata
from core.documents.office.rtf import Rtf
from core.documents.pandoc_program import run_pandoc
from core.documents.webpages import clean_page, main_part, unwrap_archive

_HTML = ("html", "htm", "xhtml", "xht", "mhtml", "mht")
# Kinds mapped to pandoc's formats, where the names differ.
_FORMATS = {
    **dict.fromkeys(_HTML, "html-native_divs-native_spans"),
    **dict.fromkeys(("odp", "ods"), "odt"),
    "tex": "latex",
    "wiki": "mediawiki",
    "dbk": "docbook",
    "nxml": "jats",
    "fb2": "html-native_spans",
    "ipynb": "ipynb+markdown_in_html_blocks",
}
_OPEN = ("odt", "odp", "ods")
_PACKED = ("docx", "pptx", *_OPEN, "epub")
# Pandoc's metadata mapped to note fields.
_FIELDS = {"title": "title", "author": "author", "date": "created", "keywords": "tags"}


class Pandoc:
    """Converts documents with the copy of pandoc in the package pypandoc-binary."""

    kinds = CONVERTERS["pandoc"].kinds
    comments = True

    @property
    def version(self) -> str:
        if not has("pypandoc"):
            return "pandoc"
        import pypandoc

        return f"pandoc {pypandoc.get_pandoc_version()}"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Convert a document to Markdown. Menus on web pages are left out."""
        need("pypandoc")
        added = Insertions(comments=self.comments)
        nodes, stated = self._read(data, kind, added, 0)
        text = _markdown(nodes, pictures=kind not in (*_PACKED, *_HTML, "rtf", "fb2"))
        metadata = read_metadata(data, kind) if kind in _PACKED else {}
        metadata |= {name: value for name, value in stated.items() if value}
        if kind == "epub":
            metadata["tags"] = metadata.get("subjects", "")
        about: AnyValues = {
            name: metadata.get(name, "") for name in ("title", "author", "created", "updated", "tags", "source_url")
        }
        return Converted(text, warnings=tuple(added.warnings), left_out=tuple(added.left_out), **about)

    def _read(self, data: bytes, kind: str, added: Insertions, depth: int) -> tuple[Blocks, TextValues]:
        """Return a document's blocks and metadata, and put its omissions and warnings in `added`.

        `depth` is greater than 0 for an embedded document.
        """
        if kind == "pptx":
            return Slides(data, added).blocks(), {}
        if kind == "rtf":
            rich = Rtf(data, added)
            return rich.blocks, rich.metadata

        def part(data: bytes, kind: str) -> Blocks:
            if kind == "txt":
                return blocks.paras(decode_part(data, kind).splitlines())
            if depth == 3 or kind not in (*_HTML, "docx", "rtf"):
                raise damaged()
            before = len(added.left_out)
            try:
                return self._read(data, kind, added, depth + 1)[0]
            except SourceError:
                del added.left_out[before:]  # a document that can't be read is left out as a whole
                raise

        about: TextValues = {}
        match kind:
            case "docx":
                data = docx.prepare(data, part, added)
            case "odt" | "odp" | "ods":
                data = odf.prepare(data if kind == "odt" else odf.as_text(data, added), added)
            case "epub":
                data = books.prepare(data)
            case "fb2":
                page, about = books.fiction_book(data)
                data = page.encode()
            case _ if kind in PREPARE:
                data, about["tags"], files = PREPARE[kind](data)
                added.omit("file", count=files)
            case _ if kind in _HTML:
                page, menus, about = main_part(unwrap_archive(data, kind))
                data = page.encode()
                added.omit("menu", count=menus)
        read = _parse(data, _FORMATS.get(kind, kind))
        meta: AnyValues = read["meta"]
        unsaid = "keywords" if kind in _HTML else "date" if kind in _PACKED else ""
        metadata = {
            field: syntax.plain(meta[name]) for name, field in _FIELDS.items() if name in meta and name != unsaid
        }
        metadata |= about
        nodes = syntax.insert_blocks(read["blocks"], added.by_marker)
        if kind in ("epub", "fb2"):
            above = read_metadata(data, kind).get("description", "") if kind == "epub" else ""
            head = _blocks(above, _FORMATS["html"]) if "<" in above else blocks.paras(above.splitlines())
            nodes = [*head, *books.join_notes(nodes)]
        elif kind not in _HTML:  # some metadata becomes text at the top rather than a field of the note
            names = ["subtitle", "abstract"]
            if kind in ("docx", *_OPEN):
                names = [*([] if sound_title(metadata.get("title", "")) else ["title"]), "subtitle", "date", "abstract"]
            head = [node for name in names if name in meta for node in syntax.paragraphs(meta[name])]
            nodes = _read_raw([*head, *nodes])
        return nodes, metadata


class Uncommented(Pandoc):
    """Converts documents like `Pandoc`, but leaves out comments and counts them."""

    kinds = "docx odt odp ods pptx rtf"
    comments = False


def html_to_markdown(page: str) -> str:
    """Convert HTML found in a document of another kind to Markdown."""
    need("pypandoc")
    return _markdown(_blocks(clean_page(page), _FORMATS["html"]), pictures=False)


def _blocks(text: str, reader: str) -> Blocks:
    return list(_parse(text.encode(), reader)["blocks"])


def _parse(data: bytes, reader: str) -> Any:
    """Parse a document into pandoc's syntax tree. Equal words share one object to save 300 bytes for each word."""
    words: dict[tuple[object, ...], object] = {}

    def share(node: Values) -> object:
        with suppress(TypeError):  # a node that contains a list isn't hashable
            return words.setdefault((*node.items(),), node)
        return node

    return json.loads(run_pandoc(data, reader, "json"), object_hook=share)


def _markdown(nodes: Blocks, *, pictures: bool) -> str:
    return _write(syntax.simple(nodes, pictures=pictures), "gfm-raw_html")


def _write(nodes: Blocks, writer: str) -> str:
    tree = json.dumps({"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": nodes})
    return run_pandoc(tree.encode(), "json", writer).decode()


# Parsing of raw HTML and LaTeX blocks within other formats.


def _read_raw(nodes: Blocks) -> Blocks:
    """Return blocks in which raw HTML and LaTeX are parsed. Unreadable raw blocks become code."""
    found = Insertions()
    made = _mark(nodes, found)
    pages = {}
    texts = ""
    by_marker = {marker: [part for block in run for part in _code(block)] for marker, run in found.by_marker.items()}
    for marker, run in found.by_marker.items():
        format_, text = run[0]["c"]
        if format_ == "html":
            pages[marker] = run
        elif format_ in syntax.SOURCES and text.count("\\begin{") == text.count("\\end{"):
            texts += f"{marker}\n\n{text}\n\n"
    written = {marker: run[0]["c"][1] for marker, run in pages.items()}
    if any(len(run) > 1 for run in pages.values()):
        page = _write([block for marker, run in pages.items() for block in (*blocks.paras([marker]), *run)], "html")
        parts = re.split(rf"<p>({'|'.join(pages)})</p>", page)
        written = dict(zip(parts[1::2], parts[2::2], strict=True))
    page = "".join(f"<p>{marker}</p><div>{clean_page(text)}</div>" for marker, text in written.items())
    for reader, document in (("latex", texts), (_FORMATS["html"], page)):
        with suppress(SourceError):
            after = Blocks()
            for block in _blocks(document, reader) if document else []:
                if (marker := syntax.plain(block)) in by_marker:
                    by_marker[marker] = after = []
                else:
                    after.append(block)
    return list(syntax.insert_blocks(made, by_marker))


def _mark(node: object, found: Insertions) -> Any:
    """Return a node in which raw blocks are replaced by paragraphs. Each paragraph is a marker for one element."""
    if isinstance(node, dict):
        return node | {"c": _mark(node["c"], found)} if isinstance(node.get("c"), list) else node
    if not isinstance(node, list):
        return node
    made = []
    at = 0
    while at < len(node):
        end = _end(node, at)
        made.append(blocks.para(blocks.inlines(found.marker(node[at:end]))) if end > at else _mark(node[at], found))
        at = max(end, at + 1)
    return made


def _end(nodes: Sequence[Any], start: int) -> int:
    """Return the index after the last block of an element that begins with a raw block, or `start` for other blocks."""
    depth = 0
    # A longer element is read block by block.
    for at in range(start, min(start + 300, len(nodes))):
        block = nodes[at]
        is_raw = isinstance(block, dict) and block.get("t") == "RawBlock"
        if is_raw and block["c"][0] == "html":
            # These elements may end in a later HTML block, with Markdown in between.
            for close in re.findall(r"(?i)<(/?)(?:table|ul|ol|dl|figure)\b", block["c"][1]):
                depth += -1 if close else 1
        if depth <= 0:
            return at + bool(is_raw)
    return start + 1


def _code(block: Node) -> Blocks:
    """Return a raw block as code or Markdown, or [] if it is from an Org document, where raw blocks are settings."""
    if block["t"] != "RawBlock":
        return [block]
    format_, text = block["c"]
    if format_ == "markdown":
        return [blocks.para([blocks.raw(text)])]
    return [] if format_ == "org" else [{"t": "CodeBlock", "c": [["", [format_], []], text]}]
