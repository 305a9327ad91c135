"""Metadata of Office documents and books, from a small XML file in their archive."""

import html
import io
import re
import zipfile

_FILES = ("docProps/core.xml", "meta.xml")
_NAMES = {
    "title": r"dc:title",
    "author": r"dc:creator|meta:initial-creator",
    "created": r"dcterms:created|meta:creation-date",
    "updated": r"dcterms:modified|dc:date",
    "description": r"dc:description",
    "tags": r"cp:keywords|meta:keyword",
    "subjects": r"dc:subject",
}
_SEVERAL = ("tags", "subjects")
_MOST = 1 << 20
_PROGRAM = (
    r"(untitled|unbenannt|sans[ -]titre|無題|无标题)([ -](document|page|note|presentation|file))?[ -]?\d*",
    r"microsoft (word|excel|powerpoint) - .*",
    r"(microsoft )?(powerpoint[ -])?(presentation|präsentation)\d*",
    r"présentation powerpoint",
    r"(slide|folie|layout|幻灯片) ?\d+",
    r"(document|dokument|book|mappe|文档|文書|工作簿|演示文稿|プレゼンテーション)[ -]?\d+",
    r"title|none|null|unspecified|\(anonymous\)",
)
_FILE = (
    r".*\.(docx?|dotx?|rtf|odt|pdf|x?html?|tex|dvi|e?ps|indd|qxd|pmd|fm|xlsx?|pptx?|txt|wpd|cdr|exe|prn|tmp|log|md|csv|od[tps]|p65|pub|wps|pages|key|numbers|jpe?g|png|gif|tiff?|dwg|svg|ai|psd)",
    r"about:blank|(https?|file):.*|\W*",
)
_JUNK = re.compile(f"(?i){'|'.join((*_PROGRAM, *_FILE))}")
"""Titles that programs generate: names for untitled documents, and file names."""


def read_metadata(data: bytes, kind: str) -> dict[str, str]:
    """Return the metadata that a document states: title, author, created, updated, description, tags, subjects."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    for name in archive.namelist():
        if name in _FILES or (kind == "epub" and name.endswith(".opf")):
            with archive.open(name) as file:
                return _values(file.read(_MOST).decode("utf-8", "replace"))
    return {}


def sound_title(title: str) -> str:
    """Return a title, or "" if a program generated it."""
    return "" if _JUNK.fullmatch(title.strip()) else title.strip()


def _values(xml: str) -> dict[str, str]:
    found = {name: re.findall(rf"<(?:{pattern})\b[^>]*>([^<]*)</", xml) for name, pattern in _NAMES.items()}
    values = {
        name: html.unescape(",".join(texts) if name in _SEVERAL else texts[0]).strip()
        for name, texts in found.items()
        if texts
    }
    return values | {"title": sound_title(values.get("title", ""))}
