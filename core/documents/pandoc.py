"""Office documents, books, web pages and markup -> Markdown by pandoc, which reads no other file and no network."""

import json
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from core.documents import syntax
from core.documents.extras import has, need
from core.documents.kinds import damaged
from core.documents.packaged import described
from core.documents.protocol import Converted
from core.documents.webpages import main_part, unwrapped, whole
from core.errors import SourceError
from core.model import Omission

_FORMATS = {
    **{kind: kind for kind in "docx odt pptx xlsx epub rst org ipynb csv tsv mediawiki rtf".split()},
    **dict.fromkeys(("html", "htm", "xhtml", "mhtml", "mht"), "html-native_divs-native_spans"),
    **dict.fromkeys(("tex", "latex"), "latex"),
    "wiki": "mediawiki",
}
_HTML = ("html", "htm", "xhtml", "mhtml", "mht")
_PACKED = ("docx", "pptx", "xlsx", "odt", "epub")
_MEGABYTES = 850
"""Of pandoc's heap: with what else it needs, at most 1 GB."""
_HEAP_EXHAUSTED = 251


class Pandoc:
    """Converts by the pandoc that the package pypandoc-binary holds."""

    kinds = " ".join(_FORMATS)

    @property
    def version(self) -> str:
        if not has("pypandoc"):
            return "pandoc"
        return f"pandoc {_version()}"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return a document as Markdown; a web page without its menus."""
        need("pypandoc")
        left_out = 0
        if kind in _HTML:
            page, left_out = main_part(unwrapped(data, kind))
            data = page.encode()
        own_pictures = kind not in _PACKED and kind not in _HTML and kind != "rtf"
        text, meta = _read(data, kind, pictures=own_pictures)
        of_file = described(data, kind) if kind in _PACKED else {}
        said = {name: syntax.plain(meta[name]) for name in ("title", "author", "date") if name in meta}
        return Converted(
            text,
            title=said.get("title") or of_file.get("title", ""),
            author=said.get("author") or of_file.get("author", ""),
            created=of_file.get("created", "") or said.get("date", ""),
            updated=of_file.get("updated", ""),
            left_out=(Omission("menu", left_out),) if left_out else (),
        )


def of_html(page: str) -> str:
    """Return HTML that stands in a document of another kind as Markdown."""
    need("pypandoc")
    return _read(whole(page).encode(), "html", pictures=False)[0]


def _read(data: bytes, kind: str, *, pictures: bool) -> tuple[str, dict[str, Any]]:
    """Return a document as Markdown, and what it says of itself."""
    document = json.loads(_pandoc(data, "-f", _FORMATS[kind], "-t", "json", "--track-changes=accept"))
    blocks, meta = syntax.simple(document["blocks"], pictures=pictures), document["meta"]
    document |= {"blocks": blocks, "meta": {}}
    text = _pandoc(json.dumps(document).encode(), "-f", "json", "-t", "gfm-raw_html", "--wrap=none").decode()
    return text, meta


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
        error = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise SourceError("", "can't be converted: {why}", why=error[-1][:200]) if error else damaged("")
    if done.returncode < 0:
        raise damaged("")
    return done.stdout
