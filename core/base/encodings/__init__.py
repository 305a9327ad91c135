"""Text encodings: their names, their declarations in files, and guesses from the bytes."""

import codecs
import re
from typing import Literal

EncodingOrigin = Literal["declared", "chosen", "guessed", "unsure"]
"""How an encoding was determined: declared in the file, chosen by the user, or guessed.

UTF-8 without a declaration counts as declared. `unsure` means that other encodings are about as likely as the guessed
one.
"""

ENCODINGS = dict(
    line.split(" ", 1)
    for line in """
utf-8 UTF-8
cp1252 Windows-1252
gb18030 GB18030
big5hkscs Big5
cp932 Shift_JIS
euc_jp EUC-JP
iso2022_jp_ext ISO-2022-JP
cp949 EUC-KR
cp1250 Windows-1250
cp1251 Windows-1251
cp1253 Windows-1253
cp1254 Windows-1254
cp1255 Windows-1255
cp1256 Windows-1256
cp1257 Windows-1257
cp1258 Windows-1258
cp874 Windows-874
utf-16-le UTF-16LE
utf-16-be UTF-16BE
mac-roman Mac Roman
""".strip().split("\n")
)
"""Display names of encodings, keyed by Python's names, most common first."""
_TEXT = re.compile(r"utf|iso8859|cp\d|koi8|mac-|gb|big5|euc|shift|iso2022|kz1048|ptcp154|johab|tis-620|hz$")
# Encodings that are subsets of others. Programs often declare the subset but write the superset.
_READ_AS = dict(
    entry.split(":")
    for entry in """
    ascii:cp1252 iso8859-1:cp1252 iso8859-9:cp1254 iso8859-11:cp874 tis-620:cp874 gb2312:gb18030 gbk:gb18030
    big5:big5hkscs cp950:big5hkscs shift_jis:cp932 euc_kr:cp949 utf-16:utf-16-le utf-32:utf-32-le utf-8-sig:utf-8
    iso2022_jp:iso2022_jp_ext
""".split()
)
# Encoding names from the WHATWG Encoding Standard, mail and LaTeX that Python doesn't know.
_OTHER_NAMES = dict(
    entry.split(":")
    for entry in """
    cn-big5:big5 x-x-big5:big5 x-gbk:gbk gb_2312-80:gb2312 csgb2312:gb2312 x-sjis:shift_jis windows-31j:cp932
    x-euc-jp:euc_jp csksc56011987:euc_kr windows-949:cp949 ks_c_5601:euc_kr dos-874:cp874 windows-874:cp874
    iso-8859-8-i:iso8859-8 iso-8859-8-e:iso8859-8 iso-8859-6-i:iso8859-6 iso-8859-6-e:iso8859-6 logical:iso8859-8
    visual:iso8859-8 koi8:koi8-r koi8-ru:koi8-u x-cp1250:cp1250 x-cp1251:cp1251 x-cp1252:cp1252 x-cp1253:cp1253
    x-cp1254:cp1254 x-cp1255:cp1255 x-cp1256:cp1256 x-cp1257:cp1257 x-cp1258:cp1258 x-mac-roman:mac-roman
    mac:mac-roman x-mac-cyrillic:mac-cyrillic x-mac-ukrainian:mac-cyrillic unicode:utf-16-le ucs-2:utf-16-le
    iso-10646-ucs-2:utf-16-le unicode-1-1-utf-8:utf-8 x-unicode20utf8:utf-8 utf8mb4:utf-8 ansinew:cp1252
    ansi:cp1252 applemac:mac-roman
""".split()
)


def normalize_encoding(name: str) -> str:
    """Return Python's name for an encoding, or "" if it is unknown.

    As in browsers, the name of a subset stands for its superset. For example, gb2312 is read as gb18030, latin1 as
    cp1252, and ks_c_5601-1987 as cp949.
    """
    plain = name.strip().strip("\"'").lower()
    try:
        found = codecs.lookup(_OTHER_NAMES.get(plain, plain)).name
    except (LookupError, ValueError):
        return {shown.lower(): encoding for encoding, shown in ENCODINGS.items()}.get(plain, "")
    return _READ_AS.get(found, found) if _TEXT.match(found) else ""


def display_encoding(encoding: str) -> str:
    return ENCODINGS.get(encoding, encoding.upper().replace("_", "-").replace("ISO8859", "ISO-8859"))


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
_META = re.compile(rb"(?i)<meta\b[^>]{0,500}?\bcharset\s*=\s*[\"']?\s*([\w.:-]{1,40})")
_EDITORS = re.compile(rb"(?:coding|fileencoding|fenc|!TEX encoding)\s*[:=]\s*([\w.-]{1,40})")
_LATEX = re.compile(rb"\\usepackage\[([\w-]{1,40})\]\{inputenc\}")
_COMMENT = re.compile(rb"(?s)<!--.*?-->")
_PAGES = ("html", "htm", "xhtml", "xml", "svg", "mhtml", "mht")
_TEX = ("tex", "latex")
# Minimum number of non-ASCII UTF-8 characters needed to rule out any other encoding.
_NO_ACCIDENT = 4
# Number of characters in decoded text among which one may be unreadable.
_CHARACTERS_OF_DAMAGE = 200


def decode_declared(data: bytes, kind: str, charset: str) -> tuple[str, str] | None:
    """Decode bytes in their declared encoding and return the text and the encoding.

    Return None if the declaration is missing or wrong. `charset` comes from a mail or response header, or from the
    user. A byte order mark takes precedence over `charset`, which takes precedence over a declaration in the data. If
    the data is clearly UTF-8, declarations of other encodings are ignored. `kind` is a file suffix.
    """
    for bom, encoding in BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, "replace"), encoding
    declared = (
        (charset and normalize_encoding(charset), _NO_ACCIDENT),
        (_declared(data, kind), _NO_ACCIDENT if kind in _PAGES else 1),
    )
    for encoding, least in declared:
        if encoding and (encoding == "utf-8" or not is_utf8(data, least)):
            text = data.decode(encoding, "replace")
            if is_readable(text):
                return text, encoding
    return None


def is_readable(text: str) -> bool:
    """Return whether decoded text contains few unreadable characters (U+FFFD)."""
    return text.count("\ufffd") <= len(text) // _CHARACTERS_OF_DAMAGE


def is_utf8(data: bytes, least: int) -> bool:
    """Return whether the data is valid UTF-8 with at least `least` non-ASCII characters."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return len(data) - len(text) >= least and sum(char > "\x7f" for char in text) >= least


def _declared(data: bytes, kind: str) -> str:
    """Return the encoding declared in the data, or "" if there is no declaration.

    Web pages and XML files declare it in a `meta` element or an XML declaration. Other files declare it in a line for
    Emacs, Vim or LaTeX. UTF-16 and UTF-32 are read as UTF-8, because the declaration itself is in ASCII.
    """
    head = data[:_HEAD]
    if kind in _PAGES:
        head = _COMMENT.sub(b"", head)
        found = _XML.search(head) or _META.search(head)
    else:
        lines = head.splitlines()[:_LINES_OF_EDITORS] + data[-_HEAD:].splitlines()[-_LINES_OF_EDITORS:]
        found = (_LATEX.search(head) if kind in _TEX else None) or next(filter(None, map(_EDITORS.search, lines)), None)
    encoding = normalize_encoding(found[1].decode("ascii", "replace")) if found else ""
    return "utf-8" if encoding.startswith(("utf-16", "utf-32")) else encoding
