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
from core.documents.rtf import in_utf8
from core.documents.webpages import main_part, unwrapped
from core.errors import SourceError

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
        if kind in _HTML:
            data = main_part(unwrapped(data, kind)).encode()
        elif kind == "rtf":
            data = in_utf8(data)
        document = json.loads(_pandoc(data, "-f", _FORMATS[kind], "-t", "json", "--track-changes=accept"))
        own_pictures = kind not in _PACKED and kind not in _HTML and kind != "rtf"
        blocks = syntax.simple(document["blocks"], pictures=own_pictures)
        meta: dict[str, Any] = document["meta"]
        document |= {"blocks": blocks, "meta": {}}
        text = _pandoc(json.dumps(document).encode(), "-f", "json", "-t", "gfm-raw_html", "--wrap=none").decode()
        of_file = described(data, kind) if kind in _PACKED else {}
        said = {name: syntax.plain(meta[name]) for name in ("title", "author", "date") if name in meta}
        return Converted(
            text,
            title=said.get("title") or of_file.get("title", ""),
            author=said.get("author") or of_file.get("author", ""),
            created=of_file.get("created", "") or said.get("date", ""),
            updated=of_file.get("updated", ""),
        )


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
