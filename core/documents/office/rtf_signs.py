"""The signs of RTF (1.9.1): its tokens, its code pages, the control words that are signs or whose text isn't shown."""

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

SIGNS = {
    "tab": " ", "line": "\n", "softline": "\n",
    "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005", "~": "\xa0",
    "_": "\u2011", "-": "\xad", "zwj": "\u200d", "zwnj": "\u200c", "zwbo": "\u200b", "zwnbo": "\u2060",
    "{": "{", "}": "}", "\\": "\\",
}  # fmt: skip
UNSHOWN = frozenset(
    "colortbl listtable listoverridetable revtbl rsidtbl generator xmlnstbl themedata datastore"
    " colorschememapping latentstyles datafield objdata bkmkstart bkmkend pgdsctbl ftnsep ftnsepc ftncn aftnsep"
    " aftnsepc aftncn userprops docvar private wgrffmtfilter operator background pict nonshppict shprslt"
    " pnseclvl filetbl xe tc rxe txe fname mmathPr pgptbl nesttableprops nonesttables template"
    " passwordhash falt panose fontemb pntxta pntxtb listpicture sp objalias objsect formfield protusertbl"
    " writereservhash oldcprops oldpprops htmltag mhtmltag bkmkcolf atnref atndate atnicn atnparent atntime"
    " blipuid picprop defchp defpap".split()
)
"""Destinations whose text isn't part of the document's. Others that begin with `\\*` are unknown: left out as well."""
KNOWN = frozenset("shpinst annotation atnauthor fldinst shppict ud do dptxbx listtext pntext footnote objclass".split())
"""Destinations that begin with `\\*` and are read."""
_CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
CODE_PAGES = {"pc": 437, "pca": 850, "mac": 10000}
"""Words for the code page of a document -> its number."""
_PAGES = {936: "gb18030", 10000: "mac_roman", 65001: "utf-8", 0: "cp1252"}
_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([\s\S])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\\Z"
)


class Token(NamedTuple):
    """A word with its number (None without one), the bytes of text, or a bracket of a group, in `word`."""

    word: str
    number: int | None
    data: bytes


def tokens(data: bytes) -> Iterator[Token]:
    """Yield the tokens of a document; the bytes of a picture or an object (`bin`) are left out."""
    at = 0
    while match := _TOKEN.match(data, at):
        at = match.end()
        word, number, code, sign, bracket, text = match.groups()
        if word:
            value = int(number) if number else None
            if word == b"bin":
                at += max(0, value or 0)
            else:
                yield Token(word.decode("ascii"), value, b"")
        elif code:
            yield Token("", None, bytes.fromhex(code.decode("ascii")))
        elif sign:
            yield Token("par" if sign in b"\r\n" else sign.decode("latin-1"), None, b"")
        elif bracket:
            yield Token("begin" if bracket == b"{" else "end", None, b"")
        elif text:
            yield Token("", None, text)


def charset_encoding(charset: int | None) -> str:
    """Return the encoding of a font by its character set, "" where it has that of the document."""
    return _CHARSETS.get(charset or 0, "")


def code_page_encoding(page: int | None) -> str:
    """Return the encoding of a code page, Western where it is unknown."""
    name = _PAGES.get(page or 0, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
