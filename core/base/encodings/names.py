"""Encodings by their names: those of web pages, mail and editors, and what the user calls one."""

import codecs
import re
from typing import Literal

EncodingOrigin = Literal["declared", "chosen", "guessed", "unsure"]
"""How an encoding is known: by the file, by the user, by its text; `unsure` where other encodings are as likely."""

ENCODINGS = {
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252",
    "gb18030": "GB18030",
    "big5hkscs": "Big5",
    "cp932": "Shift_JIS",
    "euc_jp": "EUC-JP",
    "iso2022_jp_ext": "ISO-2022-JP",
    "cp949": "EUC-KR",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "cp1253": "Windows-1253",
    "cp1254": "Windows-1254",
    "cp1255": "Windows-1255",
    "cp1256": "Windows-1256",
    "cp1257": "Windows-1257",
    "cp1258": "Windows-1258",
    "cp874": "Windows-874",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "mac-roman": "Mac Roman",
}
"""The user's names of encodings that Python calls otherwise; the first are the usual ones."""
_TEXT = re.compile(r"utf|iso8859|cp\d|koi8|mac-|gb|big5|euc|shift|iso2022|kz1048|ptcp154|johab|tis-620|hz$")
_READ_AS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-16": "utf-16-le",
    "utf-32": "utf-32-le",
    "utf-8-sig": "utf-8",
    "iso2022_jp": "iso2022_jp_ext",
}
"""Encodings that are parts of others, which programs write under the names of the parts."""
_OTHER_NAMES = {
    "cn-big5": "big5",
    "x-x-big5": "big5",
    "x-gbk": "gbk",
    "gb_2312-80": "gb2312",
    "csgb2312": "gb2312",
    "x-sjis": "shift_jis",
    "windows-31j": "cp932",
    "x-euc-jp": "euc_jp",
    "csksc56011987": "euc_kr",
    "windows-949": "cp949",
    "ks_c_5601": "euc_kr",
    "dos-874": "cp874",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
    "iso-8859-6-i": "iso8859-6",
    "iso-8859-6-e": "iso8859-6",
    "logical": "iso8859-8",
    "visual": "iso8859-8",
    "koi8": "koi8-r",
    "koi8-ru": "koi8-u",
    "x-cp1250": "cp1250",
    "x-cp1251": "cp1251",
    "x-cp1252": "cp1252",
    "x-cp1253": "cp1253",
    "x-cp1254": "cp1254",
    "x-cp1255": "cp1255",
    "x-cp1256": "cp1256",
    "x-cp1257": "cp1257",
    "x-cp1258": "cp1258",
    "x-mac-roman": "mac-roman",
    "mac": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-mac-ukrainian": "mac-cyrillic",
    "unicode": "utf-16-le",
    "ucs-2": "utf-16-le",
    "iso-10646-ucs-2": "utf-16-le",
    "unicode-1-1-utf-8": "utf-8",
    "x-unicode20utf8": "utf-8",
    "utf8mb4": "utf-8",
    "ansinew": "cp1252",
    "ansi": "cp1252",
    "applemac": "mac-roman",
}
"""Names of the WHATWG encoding standard, of mail and of LaTeX that Python doesn't know."""


def normalize_encoding(name: str) -> str:
    """Return the encoding of a name as Python calls it, "" for an unknown name.

    As in browsers, the name of a part means the encoding that has all of it: gb2312 is read as gb18030, latin1 as
    cp1252, ks_c_5601-1987 as cp949.
    """
    plain = name.strip().strip("\"'").lower()
    try:
        found = codecs.lookup(_OTHER_NAMES.get(plain, plain)).name
    except (LookupError, ValueError):
        by_shown = {shown.lower(): encoding for encoding, shown in ENCODINGS.items()}
        return by_shown.get(plain, "")
    return _READ_AS.get(found, found) if _TEXT.match(found) else ""


def display_encoding(encoding: str) -> str:
    """Return the user's name of an encoding."""
    return ENCODINGS.get(encoding, encoding.upper().replace("_", "-").replace("ISO8859", "ISO-8859"))
