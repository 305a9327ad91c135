"""Office documents, books, web pages and markup -> Markdown by pandoc, which reads no other file and no network."""

import json
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from core.documents import syntax
from core.documents.extras import has, need
from core.documents.kinds import damaged
from core.documents.office import docx, odt
from core.documents.office.blocks import Blocks
from core.documents.office.insertions import Insertions
from core.documents.office.slides import Slides
from core.documents.packaged import described
from core.documents.protocol import Converted
from core.documents.webpages import main_part, unwrapped
from core.errors import SourceError
from core.model import Omission

_FORMATS = {
    **{kind: kind for kind in "docx odt pptx xlsx epub rst org ipynb csv tsv mediawiki rtf".split()},
    **dict.fromkeys(("html", "htm", "xhtml", "mhtml", "mht"), "html-native_divs-native_spans"),
    **dict.fromkeys(("tex", "latex"), "latex"),
    "wiki": "mediawiki",
    "txt": "markdown_strict",
}
_HTML = ("html", "htm", "xhtml", "mhtml", "mht")
_PACKED = ("docx", "pptx", "xlsx", "odt", "epub")
_PARTS = (*_HTML, "docx", "rtf", "txt")
"""Kinds of documents that a Word document may hold as a part of its text."""
_MOST_DEPTH = 3
_HEAD = ("subtitle", "date", "abstract")
"""What stands at the head of a document, and isn't a field of its note."""
_API = [1, 23, 1]
_MEGABYTES = 850
"""Of pandoc's heap: with what else it needs, at most 1 GB."""
_HEAP_EXHAUSTED = 251
_INTERNAL = re.compile(r"DocxError|Exception|HasCallStack|couldn't|Prelude\.|^\w+Error\b|^CallStack")
"""What pandoc says of itself, not of the document."""


class Pandoc:
    """Converts by the pandoc that the package pypandoc-binary holds."""

    kinds = " ".join(_FORMATS)
    comments = True

    @property
    def version(self) -> str:
        if not has("pypandoc"):
            return "pandoc"
        return f"pandoc {_version()}"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return a document as Markdown; a web page without its menus."""
        need("pypandoc")
        slides = Slides(data, comments=self.comments) if kind == "pptx" else None
        nodes, meta, left_out = (slides.blocks(), {}, slides.left_out) if slides else self._read(data, kind, 0)
        nodes = syntax.simple(nodes, pictures=kind not in _PACKED and kind not in _HTML and kind != "rtf")
        document = {"pandoc-api-version": _API, "meta": {}, "blocks": nodes}
        text = _pandoc(json.dumps(document).encode(), "-f", "json", "-t", "gfm-raw_html", "--wrap=none").decode()
        of_file = described(data, kind) if kind in _PACKED else {}
        said = {name: syntax.plain(meta[name]) for name in ("title", "author", "date") if name in meta}
        return Converted(
            text,
            title=said.get("title") or of_file.get("title", ""),
            author=said.get("author") or of_file.get("author", ""),
            created=of_file.get("created", "") or said.get("date", ""),
            updated=of_file.get("updated", ""),
            warnings=slides.warnings if slides else (),
            left_out=tuple(left_out),
        )

    def _read(self, data: bytes, kind: str, depth: int) -> tuple[Blocks, dict[str, Any], list[Omission]]:
        """Return the blocks of a document, what it says of itself, and what was left out."""
        if kind in _HTML:
            data = main_part(unwrapped(data, kind)).encode()
        left_out: list[Omission] = []

        def part(data: bytes, kind: str) -> Blocks:
            if depth == _MOST_DEPTH or kind not in _PARTS:
                raise SourceError("", "can't be converted.")
            nodes, _, also = self._read(data, kind, depth + 1)
            left_out.extend(also)
            return nodes

        added = Insertions()
        if kind == "docx":
            data, added = docx.prepared(data, part, comments=self.comments)
        elif kind == "odt":
            data, added = odt.prepared(data, comments=self.comments)
        read = json.loads(_pandoc(data, "-f", _FORMATS[kind], "-t", "json", "--track-changes=accept"))
        meta: dict[str, Any] = read["meta"]
        nodes = syntax.replaced(read["blocks"], added.by_marker)
        if kind in _PACKED:
            nodes = [*(node for name in _HEAD if name in meta for node in syntax.paragraphs(meta[name])), *nodes]
        return nodes, meta, [*left_out, *added.left_out]


@cache
def _version() -> str:
    import pypandoc

    return str(pypandoc.get_pandoc_version())


def _pandoc(data: bytes, *arguments: str) -> bytes:
    import pypandoc

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source.write_bytes(data)
        command = [pypandoc.get_pandoc_path(), "+RTS", f"-M{_MEGABYTES}m", "-RTS", "--sandbox", *arguments, str(source)]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, cwd=folder, check=False)
    if done.returncode == _HEAP_EXHAUSTED:
        raise MemoryError
    if done.returncode > 0:
        why = _reason(done.stderr.decode("utf-8", "replace"))
        raise SourceError("", "can't be converted: {why}", why=why) if why else damaged("")
    if done.returncode < 0:
        raise damaged("")
    return done.stdout


def _reason(stderr: str) -> str:
    """Return what pandoc says of a document, "" for what says nothing to a person: a caret, the name of an error."""
    told = [line.strip() for line in stderr.splitlines() if re.search(r"[^\W\d_]", line)]
    return next((line[:200] for line in told if not _INTERNAL.search(line)), "")
