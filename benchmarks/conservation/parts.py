"""A file as parts of text, read without Tessera: by pdfium, out of the XML of Office files, decoded, by pandoc."""

import codecs
import io
import json
import re
import subprocess
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from benchmarks.conservation.markup import of_page, parsed
from benchmarks.conservation.office import PACKED

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?([\w-]+)""", re.IGNORECASE)
_FRONT = re.compile(r"(---[ \t]*\r?\n)([\s\S]*?\r?\n)((?:---|\.\.\.)[ \t]*(?:\r?\n|$))")
_PANDOC = {
    "rst": "rst",
    "org": "org",
    "mediawiki": "mediawiki",
    "wiki": "mediawiki",
    "tex": "latex",
    "latex": "latex",
    "rtf": "rtf",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A text of a file. An omission of one of its `kinds` names it, at its `place`, a number, if it has one."""

    text: str
    kinds: frozenset[str] = frozenset()
    place: str = ""


def parts(path: Path) -> list[Part]:
    """Return the parts of a file; raises what the readers of broken files raise."""
    kind = path.suffix[1:].lower()
    data = path.read_bytes()
    if kind in PACKED:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [Part(text, frozenset({name} - {""})) for name, text in PACKED[kind](archive)]
    if kind in _OF_BYTES:
        return list(_OF_BYTES[kind](data))
    text = _decoded(data, path.name)
    if kind in _PANDOC:
        return [Part(_pandoc(data if kind == "rtf" else text.encode(), _PANDOC[kind]))]
    return list(_OF_TEXT[kind](text)) if kind in _OF_TEXT else [Part(text)]


def _decoded(data: bytes, name: str) -> str:
    """Return the text of a file: as its mark, its words or its name (`de.cp850.txt`) say, else UTF-8, else a guess."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding)
    says = _DECLARED.search(data[:2048]) if b"<" in data[:2048] else None
    for encoding in (PurePosixPath(name).stem.rpartition(".")[2], says[1].decode() if says else "", "utf-8"):
        try:
            return data.decode(codecs.lookup(encoding).name)
        except (LookupError, UnicodeDecodeError):
            continue
    from charset_normalizer import from_bytes

    best = from_bytes(data[:65536]).best()
    return data.decode(best.encoding if best else "utf-8", "replace")


def _pandoc(data: bytes, form: str) -> str:
    import pypandoc

    # Plain text has `[image]` for a picture, HTML no word.
    into = "html" if form == "rtf" else "plain"
    command = [pypandoc.get_pandoc_path(), "--sandbox", "-f", form, "-t", into, "--wrap=none"]
    text = subprocess.run(command, input=data, capture_output=True, check=True).stdout.decode()
    return of_page(text) if form == "rtf" else text


def _of_note(text: str) -> Iterator[Part]:
    """Yield front matter, of a mapping its values, and the text after it."""
    front = _FRONT.match(text)
    if front is None:
        yield Part(text)
        return
    try:
        values = yaml.load(front[2], Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        values = front[2]
    yield Part("\n".join(_texts(values)) if isinstance(values, dict) else front[2], frozenset({"field"}))
    yield Part(text[front.end() :])


def _texts(value: Any) -> Iterator[str]:
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(item)
    if isinstance(value, str) and value.lower() not in ("null", "~"):
        yield value


def _of_html(text: str) -> Iterator[Part]:
    yield Part(of_page(text))


def _of_notebook(text: str) -> Iterator[Part]:
    for cell in json.loads(text)["cells"]:
        yield Part("".join(cell["source"]))
        for output in cell.get("outputs", ()):
            yield Part("".join(output.get("text", ())) or "".join(output.get("data", {}).get("text/plain", ())))


def _of_canvas(text: str) -> Iterator[Part]:
    drawn = json.loads(text)
    for item in (*drawn.get("nodes", ()), *drawn.get("edges", ())):
        yield Part("\n".join(str(item[name]) for name in ("text", "file", "url", "label") if name in item))


def _of_enex(data: bytes) -> Iterator[Part]:
    for note in parsed(data).iter("note"):
        said = [*note.iterfind("title"), *note.iterfind("tag"), *note.iterfind("note-attributes/author")]
        yield Part("\n".join(one.text or "" for one in (*said, *note.iterfind("task/title"))))
        yield Part(of_page(note.findtext("content") or ""))


def _of_mail(data: bytes) -> Iterator[Part]:
    mail = message_from_bytes(data, policy=policy.default)
    yield Part("\n".join(str(mail[name] or "") for name in ("subject", "from", "to", "cc")))
    yield from _of_saved_page(data)


def _of_saved_page(data: bytes) -> Iterator[Part]:
    """Yield the text of a page or a mail: of those that it has, the plain one."""
    mail = message_from_bytes(data, policy=policy.default)
    body = mail.get_body(("plain", "html")) if isinstance(mail, EmailMessage) else None
    if body is not None:
        text = str(body.get_content())
        yield Part(of_page(text) if body.get_content_subtype() == "html" else text)


def _of_pdf(data: bytes) -> Iterator[Part]:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    try:
        document.init_forms()
        pages = [document[number].get_textpage().get_text_bounded().splitlines() for number in range(len(document))]
    finally:
        document.close()
    running = _running(pages)
    for number, lines in enumerate(pages, 1):
        kept = [line for at, line in enumerate(lines) if not (_at_edge(at, lines) and _shape(line) in running)]
        yield Part("\n".join(kept), frozenset({"page", "page_part"}), str(number))
    yield Part("\n".join(running.values()), frozenset({"header"}))


def _running(pages: list[list[str]]) -> dict[str, str]:
    """Return the lines at the edges of most pages, which count once, by what they are but for their figures."""
    first: dict[str, str] = {}
    times: Counter[str] = Counter()
    for lines in pages:
        edges = {_shape(line): line for at, line in enumerate(lines) if _at_edge(at, lines)}
        first = edges | first
        times.update(edges.keys())
    return {shape: first[shape] for shape, count in times.items() if count >= max(2, len(pages) / 2)}


def _at_edge(at: int, lines: list[str]) -> bool:
    return at < 2 or at >= len(lines) - 2


def _shape(line: str) -> str:
    return re.sub(r"\d+", "#", line.strip())


_OF_BYTES: dict[str, Callable[[bytes], Iterator[Part]]] = {
    "pdf": _of_pdf,
    "enex": _of_enex,
    "eml": _of_mail,
    **dict.fromkeys(("mhtml", "mht"), _of_saved_page),
}
_OF_TEXT: dict[str, Callable[[str], Iterator[Part]]] = {
    **dict.fromkeys(("md", "markdown", "txt"), _of_note),
    **dict.fromkeys(("html", "htm", "xhtml"), _of_html),
    "ipynb": _of_notebook,
    "canvas": _of_canvas,
}
