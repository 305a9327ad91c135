"""Rich Text in the code pages of its fonts -> the same with its letters in UTF-8, as pandoc reads them."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.encodings.declared import is_utf8
from core.encodings.names import known_encoding

_TOKENS = re.compile(
    rb"(?P<bytes>(?:\\'[0-9a-fA-F]{2})+)"
    rb"|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?"
    rb"|\\[\s\S]|[{}]|(?P<text>[^\\{}]+)"
)
_OF_CHARSETS = {
    77: "mac-roman",
    78: "cp932",
    79: "cp949",
    80: "gb18030",
    81: "big5hkscs",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "big5hkscs",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
"""Encodings by the numbers that fonts have for their letters."""
_OF_WORDS = {"ansi": "cp1252", "mac": "mac-roman", "pc": "cp437", "pca": "cp850"}
_SYMBOLS = 2
"""The number of fonts whose letters are pictures."""
_ANSI = 0
"""The number of Western fonts, which programs also give to those of the code page of the whole."""
_WESTERN = "cp1252"
_DEFAULT_FONT = 0
_CODED = 4
"""Characters in which a byte is written."""
_LAST_ASCII = 0x7F
_MARKUP = str.maketrans({char: f"\\{char}" for char in "\\{}"})


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds in a group: its font, how many letters stand in for one in Unicode, whether it lists the fonts."""

    font: int | None = None
    stand_ins: int = 1
    lists_fonts: bool = False


def in_utf8(data: bytes) -> bytes:
    """Return a document with letters of any code page, and those that are written as numbers, in UTF-8."""
    return b"".join(_Rewriter(is_utf8=is_utf8(data, 1)).rewritten(data))


class _Rewriter:
    """Reads a document once, and keeps what holds at its present place."""

    def __init__(self, *, is_utf8: bool) -> None:
        self._is_utf8 = is_utf8
        self._group = _Group()
        self._outer: list[_Group] = []
        self._page, self._default_font = _WESTERN, _DEFAULT_FONT
        self._of_fonts: dict[int, str] = {}
        self._western: set[int] = set()
        self._listed, self._skipped = _DEFAULT_FONT, 0
        self._decoder, self._encoding = codecs.getincrementaldecoder(_WESTERN)("replace"), ""
        self._units = codecs.getincrementaldecoder("utf-16-le")("replace")

    def rewritten(self, data: bytes) -> Iterator[bytes]:
        """Yield the parts of a document; a control word is parted from a letter that it would take in."""
        at, is_open = 0, False
        while found := _TOKENS.match(data, at):
            at, token = found.end(), found[0]
            word = (found["word"] or b"").decode()
            number = None if found["number"] is None else int(found["number"])
            if word == "bin":
                at += max(0, number or 0)
                yield data[found.start() : at]
                is_open = False
            elif word == "u" and number is not None:
                self._skipped = self._group.stand_ins
                if letter := self._units.decode((number & 0xFFFF).to_bytes(2, "little")):
                    yield (b" " if is_open else b"") + letter.translate(_MARKUP).encode()
                    is_open = False
            elif word:
                self._control(word, number)
                yield token
                is_open = token[-1:] != b" "
            elif found["bytes"] or found["text"]:
                if text := self._coded(token) if found["bytes"] else self._text(token):
                    yield (b" " if is_open and text[0] > _LAST_ASCII else b"") + text
                    is_open = False
            else:
                self._nest(token)
                yield token
                is_open = False

    def _nest(self, token: bytes) -> None:
        self._skipped = 0
        if token == b"{":
            self._outer.append(self._group)
        elif token == b"}" and self._outer:
            self._group = self._outer.pop()

    def _control(self, word: str, number: int | None) -> None:
        self._skipped = 0
        if word in _OF_WORDS:
            self._page = _OF_WORDS[word]
        elif word == "fonttbl":
            self._group = replace(self._group, lists_fonts=True)
        elif word == "plain":
            self._group = replace(self._group, font=None)
        elif number is None:
            return
        elif word == "ansicpg":
            self._page = known_encoding(f"cp{number}") or self._page
        elif word == "deff":
            self._default_font = number
        elif word == "uc":
            self._group = replace(self._group, stand_ins=max(0, min(number, 9)))
        elif word == "f":
            self._listed = number
            self._group = replace(self._group, font=number)
        elif word == "fcharset" and self._group.lists_fonts:
            if number == _SYMBOLS:
                self._of_fonts[self._listed] = ""
            elif number != _ANSI:
                self._of_fonts[self._listed] = _OF_CHARSETS.get(number, self._page)
            else:
                self._western.add(self._listed)
        elif word == "cpg" and self._group.lists_fonts:
            self._of_fonts[self._listed] = known_encoding(f"cp{number}") or self._page

    def _coded(self, token: bytes) -> bytes:
        """Return letters that are written as numbers of bytes."""
        token = token[self._stand_ins(len(token) // _CODED) * _CODED :]
        return self._letters(bytes.fromhex(token.replace(b"\\'", b"").decode()), token) if token else b""

    def _text(self, text: bytes) -> bytes:
        """Return letters that are written as they are; the first may be the second half of one, line ends are none."""
        text = text[self._stand_ins(len(text)) :]
        half = self._decoder.getstate()[0] and len(text.lstrip(b"\r\n")) > 0
        if self._is_utf8 or (not half and text.isascii()):
            return text
        lead = text[: len(text) - len(text.lstrip(b"\r\n")) + 1] if half else b""
        runs = re.findall(rb"[\x00-\x7f]+|[^\x00-\x7f][^\r\n\\{} ]*", text[len(lead) :])
        first = self._letters(lead.lstrip(b"\r\n"), lead) if lead else b""
        return first + b"".join(run if run.isascii() else self._letters(run, run) for run in runs)

    def _stand_ins(self, most: int) -> int:
        """Return how many of the next letters stand in for one in Unicode, which was written before them."""
        skipped = min(self._skipped, most)
        self._skipped -= skipped
        return skipped

    def _letters(self, data: bytes, token: bytes) -> bytes:
        """Return bytes of the code page in UTF-8: nothing yet for the first half of a letter."""
        font = self._default_font if self._group.font is None else self._group.font
        encoding = self._of_fonts.get(font, self._page)
        if not encoding or (data.isascii() and not self._decoder.getstate()[0]):
            return token
        if font in self._western and not _is_text(data, encoding):
            encoding = _WESTERN
        if encoding != self._encoding:
            self._encoding, self._decoder = encoding, codecs.getincrementaldecoder(encoding)("replace")
        return self._decoder.decode(data).translate(_MARKUP).encode()


def _is_text(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
