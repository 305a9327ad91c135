"""What a file declares about its encoding: a byte order mark, the head of a page, a line for editors."""

import codecs
import re

from core.base.encodings.names import normalize_encoding

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEAD = 4096
_LINES_OF_EDITORS = 2
_XML = re.compile(rb"\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*[\"']([\w.:-]{1,40})")
_META = re.compile(rb"<meta\b[^>]{0,500}?\bcharset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_EDITORS = re.compile(rb"(?:coding|fileencoding|fenc|!TEX encoding)\s*[:=]\s*([\w.-]{1,40})")
_LATEX = re.compile(rb"\\usepackage\[([\w-]{1,40})\]\{inputenc\}")
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_PAGES = ("html", "htm", "xhtml", "xml", "svg", "mhtml", "mht")
_TEX = ("tex", "latex")
_NO_ACCIDENT = 4
"""Valid UTF-8 characters outside ASCII from which on text of another encoding is excluded."""
CHARACTERS_OF_DAMAGE = 200
"""Characters of which one may be unreadable."""


def decode_declared(data: bytes, kind: str, charset: str = "") -> tuple[str, str] | None:
    """Return a text by its declared encoding, and that encoding; None where none is declared or it can't be true.

    `charset` comes from outside of the data: the header of a mail or a response, or the user's choice. A byte order
    mark takes precedence over it, and it over what data of its kind, a suffix, declares. Text that is UTF-8 beyond
    doubt is UTF-8.
    """
    for bom, encoding in BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, "replace"), encoding
    declared = (
        (normalize_encoding(charset), _NO_ACCIDENT),
        (_page_charset(data, kind), _NO_ACCIDENT),
        (_editor_charset(data, kind), 1),
    )
    for encoding, least in declared:
        if encoding and (encoding == "utf-8" or not is_utf8(data, least)):
            text = data.decode(encoding, "replace")
            if text.count("\ufffd") <= len(text) // CHARACTERS_OF_DAMAGE:
                return text, encoding
    return None


def is_utf8(data: bytes, least: int) -> bool:
    """Return whether bytes are UTF-8 with at least so many characters outside ASCII."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return len(data) - len(text) >= least and sum(char > "\x7f" for char in text) >= least


def _page_charset(data: bytes, kind: str) -> str:
    """Return the encoding that the head of a page says, "" for none."""
    if kind not in _PAGES:
        return ""
    head = _COMMENT.sub(b"", data[:_HEAD])
    return next((_name(found) for pattern in (_XML, _META) if (found := pattern.search(head))), "")


def _editor_charset(data: bytes, kind: str) -> str:
    """Return the encoding that a line of a text says to Emacs, Vim or LaTeX, "" for none."""
    if kind in _PAGES:
        return ""
    if kind in _TEX and (found := _LATEX.search(data[:_HEAD])):
        return _name(found)
    lines = data[:_HEAD].splitlines()[:_LINES_OF_EDITORS] + data[-_HEAD:].splitlines()[-_LINES_OF_EDITORS:]
    return next((_name(found) for line in lines if (found := _EDITORS.search(line))), "")


def _name(found: "re.Match[bytes]") -> str:
    """Return the encoding of a name that was found by its ASCII letters: UTF-16 can't be true then."""
    encoding = normalize_encoding(found[1].decode("ascii", "replace"))
    return "utf-8" if encoding.startswith(("utf-16", "utf-32")) else encoding
