"""Parsing of Rich Text (RTF 1.9.1) into blocks, including lists, tables, notes, boxes, comments and old code pages."""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from core.base.encodings import is_utf8
from core.base.frozen import TextValues
from core.base.text import collapse_spaces
from core.documents import syntax
from core.documents.office import blocks
from core.documents.office.blocks import BREAK, SPACE, Blocks, Inlines, Insertions, Item, Look, join_runs

SIGNS = {
    "tab": " ", "line": "\n", "softline": "\n",
    "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005", "~": "\xa0",
    "_": "\u2011", "-": "\xad", "zwj": "\u200d", "zwnj": "\u200c", "zwbo": "\u200b", "zwnbo": "\u2060",
    "{": "{", "}": "}", "\\": "\\",
}  # fmt: skip
# Destinations whose text isn't part of the document. Unknown destinations marked with `\*` are skipped too.
UNSHOWN = frozenset(
    "colortbl listtable listoverridetable revtbl rsidtbl generator xmlnstbl themedata datastore"
    " colorschememapping latentstyles datafield objdata bkmkstart bkmkend pgdsctbl ftnsep ftnsepc ftncn aftnsep"
    " aftnsepc aftncn userprops docvar private wgrffmtfilter operator background pict nonshppict shprslt"
    " pnseclvl filetbl xe tc rxe txe fname mmathPr pgptbl nesttableprops nonesttables template"
    " passwordhash falt panose fontemb pntxta pntxtb listpicture sp objalias objsect formfield protusertbl"
    " writereservhash oldcprops oldpprops htmltag mhtmltag bkmkcolf atnref atndate atnicn atnparent atntime"
    " blipuid picprop defchp defpap".split()
)
# Destinations that are read even though they are marked with `\*`.
KNOWN = frozenset("shpinst annotation atnauthor fldinst shppict ud do dptxbx listtext pntext footnote objclass".split())
_CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
# Control words for a document's code page, mapped to code page numbers.
CODE_PAGES = {"pc": 437, "pca": 850, "mac": 10000}
_PAGES = {936: "gb18030", 10000: "mac_roman", 65001: "utf-8", 0: "cp1252"}
_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([\s\S])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\\Z"
)


def tokens(data: bytes) -> Iterator[tuple[str, int | None, bytes]]:
    """Yield a document's tokens, except for the bytes of pictures and objects (`bin`).

    A token is a control word with its number, a piece of text, or a group's brace (as the word `begin` or `end`).
    """
    at = 0
    while match := _TOKEN.match(data, at):
        at = match.end()
        word, number, code, sign, bracket, text = match.groups()
        if word:
            value = int(number) if number else None
            if word == b"bin":
                at += max(0, value or 0)
            else:
                yield word.decode("ascii"), value, b""
        elif code:
            yield "", None, bytes.fromhex(code.decode("ascii"))
        elif sign:
            yield "par" if sign in b"\r\n" else sign.decode("latin-1"), None, b""
        elif bracket:
            yield "begin" if bracket == b"{" else "end", None, b""
        elif text:
            yield "", None, text


def code_page_encoding(page: int | None) -> str:
    """Return the encoding for a code page, or cp1252 if the code page is unknown."""
    try:
        return codecs.lookup(_PAGES.get(page or 0, f"cp{page}")).name
    except LookupError:
        return "cp1252"


# The paragraphs in a Rich Text document, including those in lists and tables.


class Flow:
    """Collects the paragraphs of a document, note, header or box.

    The blocks in `following` are inserted after the current paragraph. A nested table becomes text in the outer cell.
    """

    def __init__(self) -> None:
        self.label = ""
        self.heading = 0
        self.level = 0
        self.in_table = False
        self.following = Blocks()
        self._made = Blocks()
        self._parts = Inlines()
        self._runs = list[tuple[Look, str]]()
        self._items = list[Item]()
        self._rows: list[list[Inlines]] = [[]]
        self._cell = Inlines()

    def write(self, look: Look, text: str) -> None:
        self._runs.append((look, text))

    def note(self, content: Blocks) -> None:
        self._end_runs()
        self._parts.append({"t": "Note", "c": content})

    def end_paragraph(self) -> None:
        """End the current paragraph by adding it to its cell, its list or the blocks."""
        self._end_runs()
        content = self._parts
        label = self.label
        self._parts = []
        self.label = ""
        written = label if any(map(str.isalnum, label)) and label != "o" else ""
        if self.in_table:
            content = [blocks.raw(written), SPACE, *content] if written and content else content
            self._cell += [SPACE, *content] if self._cell and content else content
            return
        self._end_table()
        if label and content and not self.heading:
            self._items.append(Item(self.level, written, content))
        elif content or self.following:
            self._end_list()
            if content and self.heading:
                line = [SPACE if item == BREAK else item for item in content]
                line = [*blocks.inlines(written), SPACE, *line] if written else line
                self._made.append(blocks.heading(self.heading, line))
            elif content:
                self._made.append(blocks.para(content))
        if not self._items:
            self._end_following()

    def end_cell(self) -> None:
        self.in_table = True
        self.end_paragraph()
        self._rows[-1].append(self._cell)
        self._cell = []

    def end_row(self) -> None:
        if self._cell:
            self._rows[-1].append(self._cell)
        if self._rows[-1]:
            self._rows.append([])
        self._cell = []

    def complete(self) -> Blocks:
        self.end_paragraph()
        self._end_table()
        self._end_list()
        self._end_following()
        return self._made

    def _end_runs(self) -> None:
        content = join_runs(self._runs)
        self._parts += [SPACE, *content] if self._parts and self._runs and self._runs[0][1][:1].isspace() else content
        self._runs = []

    def _end_table(self) -> None:
        self.end_row()
        if any(map(any, self._rows)):
            self._end_list()
            self._made.append(blocks.table(self._rows[:-1]))
            self._end_following()
        self._rows = [[]]

    def _end_list(self) -> None:
        self._made += blocks.nested_lists(self._items)
        self._items = []

    def _end_following(self) -> None:
        self._made += self.following
        self.following = []


_MARGINS = {name + kind: name for name in ("header", "footer") for kind in ("", "l", "r", "f")}
# Destinations that consist of paragraphs.
_FLOWS = {*_MARGINS, "footnote", "annotation", "shptxt", "dptxbxtext"}
# Destinations that contain document properties, such as fonts, styles and the author.
_COLLECTED = frozenset(
    "fonttbl stylesheet info title author creatim revtim fldinst atnauthor listtext pntext objclass".split()
)


_PLAIN = Look()
# Encoding used by Western fonts.
_WESTERN = "cp1252"
# Name of the error handler that decodes invalid bytes as cp1252.
_OF_WESTERN = "tessera-western"


def _western_byte(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError), "bytes are decoded"
    return error.object[error.start : error.start + 1].decode(_WESTERN, "replace"), error.start + 1


codecs.register_error(_OF_WESTERN, _western_byte)


@dataclass(slots=True)
class _State:
    """The state of a group. `into` is the destination of the group's text, or "" for the document itself."""

    shown: bool = True
    into: str = ""
    opened: str = ""
    look: Look = _PLAIN
    font: int = 0
    fallback: int = 1
    deleted: bool = False


class Rtf:
    """A parsed document, with its `blocks` and `metadata`. Omissions are recorded in `added`."""

    def __init__(self, data: bytes, added: Insertions) -> None:
        self.metadata: TextValues = {}
        self._state = _State()
        self._states = list[_State]()
        self._flows = [Flow()]
        self._texts = [""]
        self._bytes = bytearray()
        self._units = list[int]()
        self._to_skip = 0
        self._page = _WESTERN
        self._fonts = dict[int, str]()
        self._font = 0
        self._western = set[int]()
        self._is_utf8 = is_utf8(data, 1)
        self._styles = dict[int, int]()
        self._style = 0
        self._moment: dict[str, int] = {}
        self._author = ""
        self._added = added
        self._deletions = list[str]()
        self._margins: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
        self._read(data)
        self.blocks = self._flows[0].complete()
        for kind, texts in self._margins.items():
            if texts:
                self.blocks.append(blocks.callout(kind, "", blocks.paras(texts)))
        added.omit("deletion", count=sum(bool(text.strip()) for text in self._deletions))

    def _read(self, data: bytes) -> None:
        starred = False
        for word, number, text in tokens(data):
            if text or word in SIGNS:
                self._write(text, SIGNS.get(word, ""))
                continue
            if word == "u" and number is not None:
                self._flush_bytes()
                self._units.append(number & 0xFFFF)
                self._to_skip = self._state.fallback
                continue
            self._flush()
            self._to_skip = 0
            if word != "*":
                self._do(word, number, starred=starred)
            starred = word == "*"
        self._flush()
        while self._states:
            self._end()

    def _write(self, text: bytes, sign: str) -> None:
        """Collect text until its bytes are complete, skipping the fallback characters after a Unicode character."""
        if self._to_skip:
            skipped = min(self._to_skip, len(text) or 1)
            self._to_skip -= skipped
            text = text[skipped:]
            sign = ""
        if text:
            self._flush_units()
            self._bytes += text
        elif sign:
            self._flush()
            self._emit(sign)

    def _flush(self) -> None:
        self._flush_bytes()
        self._flush_units()

    def _flush_bytes(self) -> None:
        if self._bytes:
            self._flush_units()
            data = bytes(self._bytes)
            self._bytes = bytearray()
            self._emit(self._decode(data))

    def _decode(self, data: bytes) -> str:
        """Decode a run of bytes. An incomplete character is kept until its next byte, whose formatting may differ.

        Programs use Western fonts for text in any script, and some write UTF-8 without declaring it.
        """
        own = self._fonts.get(self._state.font) or self._page
        if self._is_utf8:
            with suppress(UnicodeDecodeError):
                return data.decode("utf-8")
        if self._state.font in self._western:
            return data.decode(own, _OF_WESTERN)
        decoder = codecs.getincrementaldecoder(own)("replace")
        text = decoder.decode(data)
        self._bytes = bytearray(decoder.getstate()[0])
        return text

    def _flush_units(self) -> None:
        if self._units:
            # The Symbol font's bullet is a private-use character.
            packed = b"".join((0x2022 if unit == 0xF0B7 else unit).to_bytes(2, "little") for unit in self._units)
            self._units = []
            self._emit(packed.decode("utf-16-le", "replace"))

    def _emit(self, text: str) -> None:
        if not self._state.shown:
            return
        if self._state.deleted:
            self._deletions[-1] += text
        elif self._state.into in _COLLECTED:
            self._texts[-1] += text
            if self._state.into == "stylesheet" and ";" in text:  # the end of a style's name
                if heading := re.search(r"(?i)heading ?([1-6])\b", self._texts[-1]):
                    self._styles[self._style] = int(heading[1])
                self._texts[-1] = ""
        else:
            self._flows[-1].write(self._state.look, text)

    def _do(self, word: str, number: int | None, *, starred: bool) -> None:
        state = self._state
        is_on = number != 0
        stated = number or 0
        match word:
            case "begin":
                self._states.append(state)
                self._state = replace(state, opened="")
            case "end" if self._states:
                self._end()
            case "f":
                state.font = self._font = stated
            case "fcharset" | "cpg" if state.into == "fonttbl":
                page = _CHARSETS.get(stated) if word == "fcharset" else code_page_encoding(number)
                self._fonts[self._font] = page or self._fonts.get(self._font, "")
                if word == "fcharset" and number == 0:  # the charset of Western fonts
                    self._western.add(self._font)
            case "ansicpg" | "pc" | "pca" | "mac":
                self._page = code_page_encoding(CODE_PAGES.get(word, number))
            case "uc":
                state.fallback = max(0, stated)
            case "plain":
                state.look = Look(link=state.look.link)
                state.deleted = False
            case "b":
                state.look = state.look._replace(bold=is_on)
            case "i":
                state.look = state.look._replace(italic=is_on)
            case "super" | "sub" | "nosupersub":
                state.look = state.look._replace(side={"super": 1, "sub": -1}.get(word, 0) if is_on else 0)
            case "deleted":
                state.deleted = is_on
                self._deletions.append("")
            case "upr" | "ud":
                state.shown = word == "ud"
            case "s" | "outlinelevel" if state.into == "stylesheet":
                if word == "s":
                    self._style = stated
                else:
                    self._styles[self._style] = stated + 1
            case "yr" | "mo" | "dy" | "hr" | "min":
                self._moment[word] = stated
            case _ if word in UNSHOWN or (starred and word not in KNOWN):
                state.shown = False
            case _ if state.shown and (word in _FLOWS or word in _COLLECTED):
                state.into = state.opened = word  # the destination until the group ends
                if word in _FLOWS:
                    self._flows.append(Flow())
                    state.look = _PLAIN
                else:
                    self._texts.append("")
            case _ if state.shown and state.into not in _COLLECTED:
                self._arrange(word, stated)

    def _arrange(self, word: str, number: int) -> None:
        """Apply a control word that affects paragraphs or tables."""
        flow = self._flows[-1]
        match word:
            case "par" | "sect" | "page" | "column":
                flow.end_paragraph()
            case "pard":
                flow.in_table = False
                flow.heading = flow.level = 0
            case "intbl":
                flow.in_table = True
            case "itap":
                flow.in_table = number > 0
            case "cell":
                flow.end_cell()
            case "nestcell":
                flow.in_table = True
                flow.end_paragraph()
            case "row":
                flow.end_row()
            case "s" | "outlinelevel":
                level = self._styles.get(number, 0) if word == "s" else number + 1
                flow.heading = level if level <= 6 else 0
            case "ilvl":
                flow.level = min(max(number, 0), 8)

    def _end(self) -> None:
        """Close a group, and process the contents of its destination."""
        opened = self._state.opened
        self._state = self._states.pop()
        content = self._flows.pop().complete() if opened in _FLOWS else []
        text = collapse_spaces(self._texts.pop()) if opened in _COLLECTED else ""
        flow = self._flows[-1]
        match opened:
            case "footnote" if content:
                flow.note(content)
            case "annotation":
                flow.following += self._added.comment(self._author, content)
            case _ if opened in _MARGINS:
                lines = (collapse_spaces(syntax.plain(block)) for block in content)
                self._margins[_MARGINS[opened]] |= {line: None for line in lines if any(map(str.isalpha, line))}
            case _ if content:
                flow.following += content
            case "listtext" | "pntext":
                flow.label = text
            case "fldinst" if link := re.search(r"""HYPERLINK\s+"?([^"\s\\][^"\s]*)""", text):
                self._state.look = self._state.look._replace(link=link[1])
            case "atnauthor":
                self._author = text
            case "objclass" if not text.startswith("Equation"):
                self._added.omit("attachment", text)
            case "title" | "author":
                self.metadata[opened] = text
            case "creatim" | "revtim" if self._moment.get("yr"):
                moment = {"mo": 0, "dy": 0, "hr": 0, "min": 0} | self._moment
                self.metadata["created" if opened == "creatim" else "updated"] = (
                    "{yr:04}-{mo:02}-{dy:02}T{hr:02}:{min:02}:00".format_map(moment)
                )
                self._moment = {}
