"""Functions that create lists, tables, text runs, ruby text and other nodes of pandoc's syntax tree."""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, NotRequired, TypedDict

from core.base.frozen import frozen
from core.base.messages import Message
from core.base.text import collapse_spaces
from core.model import Omission


class Node(TypedDict):
    """A node in pandoc's syntax tree. The form of its content depends on its kind (pandoc-types 1.23)."""

    t: str
    c: NotRequired[Any]


Blocks = list[Node]
Inlines = list[Node]
ATTRIBUTES = ["", [], []]
# Format of the raw inlines created by this package. Raw inlines in documents have other formats.
OURS = "tessera"
SPACE: Node = {"t": "Space"}
BREAK: Node = {"t": "LineBreak"}


def inlines(text: str) -> Inlines:
    """Return the text as words and spaces, keeping line breaks."""
    return _signs(text.strip())


def _signs(text: str) -> Inlines:
    return [
        BREAK if "\n" in sign else SPACE if sign.isspace() else {"t": "Str", "c": sign}
        for sign in re.findall(r"[^\S\n]*\n[^\S\n]*|\s+|\S+", text)
    ]


def raw(markdown: str) -> Node:
    """Return an inline whose Markdown is written out unchanged."""
    return {"t": "RawInline", "c": [OURS, markdown]}


def para(content: Inlines) -> Node:
    return {"t": "Para", "c": content}


def paras(texts: Iterable[str]) -> Blocks:
    """Return a paragraph for each string that isn't blank."""
    return [para(inlines(text)) for text in texts if text.strip()]


def heading(level: int, content: Inlines) -> Node:
    return {"t": "Header", "c": [level, ATTRIBUTES, content]}


def bullets(items: list[Blocks]) -> Node:
    return {"t": "BulletList", "c": items}


def callout(kind: str, title: str, content: Blocks) -> Node:
    """Return a callout in Obsidian's syntax: a quote whose first line gives the callout's kind and title."""
    return {"t": "BlockQuote", "c": [para([raw(f"[!{kind}]"), *([SPACE, *inlines(title)] if title else [])]), *content]}


def table(rows: Sequence[Sequence[Inlines]]) -> Node:
    """Return a table whose first row is the header. Rows may differ in length."""
    columns = max(map(len, rows), default=0)
    align = {"t": "AlignDefault"}
    made = []
    for row in rows:
        cells = [[{"t": "Plain", "c": _on_one_line(cell)}] if cell else [] for cell in row]
        cells += [[]] * (columns - len(cells))
        made.append([ATTRIBUTES, [[ATTRIBUTES, align, 1, 1, cell] for cell in cells]])
    specs = [[align, {"t": "ColWidthDefault"}]] * columns
    head = [ATTRIBUTES, made[:1]]
    body = [ATTRIBUTES, 0, [], made[1:]]
    return {"t": "Table", "c": [ATTRIBUTES, [None, []], specs, head, [body], [ATTRIBUTES, []]]}


def _on_one_line(node: object) -> Any:
    """Return inlines without line breaks at any depth. Pandoc replaces tables that contain line breaks with *[TABLE]*.

    Vertical bars in code are escaped, because pandoc doesn't escape them and they would end the cell.
    """
    if isinstance(node, str):
        return node.replace("\n", " ")
    if isinstance(node, list):
        return [_on_one_line(entry) for entry in node]
    if not isinstance(node, dict) or node.get("t") == "CodeBlock":
        return node
    if node.get("t") in ("LineBreak", "SoftBreak"):
        return SPACE
    made = {name: _on_one_line(content) for name, content in node.items()}
    return made | {"c": [ATTRIBUTES, made["c"][1].replace("|", "\\|")]} if node.get("t") == "Code" else made


@frozen
class Item:
    """A paragraph in a list, with its level (starting at 0), its label ("" for a bullet), and its text."""

    level: int
    label: str
    content: Inlines


def nested_lists(items: Sequence[Item]) -> Blocks:
    """Return items as lists nested by level. A numbered list starts at the number in its first label."""
    least = min((item.level for item in items), default=0)
    lists = Blocks()
    at = 0
    was_numbered = False
    while at < len(items):
        end = at + 1
        while end < len(items) and items[end].level > least:
            end += 1
        item = items[at]
        number = ""
        if item.level > least:  # the list begins with a deeper item
            content = nested_lists(items[at:end])
        else:
            number = item.label if re.fullmatch(r"[0-9]{1,9}[.)]", item.label) else ""
            label = [{"t": "Str", "c": item.label}, SPACE] if item.label and not number else []
            content = [{"t": "Plain", "c": [*label, *item.content]}, *nested_lists(items[at + 1 : end])]
        if number and not was_numbered:
            sign = "OneParen" if number.endswith(")") else "Period"
            lists.append({"t": "OrderedList", "c": [[int(number[:-1]), {"t": "Decimal"}, {"t": sign}], []]})
        elif not number and (was_numbered or not lists):
            lists.append(bullets([]))
        (lists[-1]["c"][1] if number else lists[-1]["c"]).append(content)
        at = end
        was_numbered = bool(number)
    return lists


_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_CHINESE = (
    "chineseCounting", "chineseCountingThousand", "japaneseCounting", "ideographDigital", "taiwaneseCountingThousand",
    "taiwaneseCounting", "chineseLegalSimplified", "japaneseDigitalTenThousand", "一, 二, 三, ...",
)  # fmt: skip


def numeral(number: int, written: str) -> str:
    """Format a number in a numbering format of Word (ECMA-376, 17.18.59) or OpenDocument (`a`, `I`)."""
    match written:
        case "lowerLetter" | "a" if 0 < number <= 26 * 20:
            return chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)
        case "upperLetter" | "A":
            return numeral(number, "a").upper()
        case "lowerRoman" | "i" if 0 < number < 4_000:
            made = ""
            for worth, letters in _ROMAN:
                count, number = divmod(number, worth)
                made += letters * count
            return made
        case "upperRoman" | "I":
            return numeral(number, "i").upper()
        case "decimalZero":
            return f"{number:02d}"
        case "none":
            return ""
    if written in _CHINESE and 0 < number < 10_000:
        return _chinese(number)
    if written.startswith(("decimalEnclosedCircle", "①")) and 0 < number <= 20:
        return chr(0x2460 + number - 1)
    return str(number)


def _chinese(number: int) -> str:
    made = ""
    gap = False
    for digit, unit in zip(f"{number:04d}", (*"千百十", ""), strict=True):
        if digit == "0":
            gap = bool(made)
            continue
        made += ("零" if gap else "") + "〇一二三四五六七八九"[int(digit)] + unit
        gap = False
    return made.removeprefix("一") if made.startswith("一十") else made


@frozen
class ListLevel:
    """A level of a numbered list.

    `parts` make up the label. Each part at an even index is text. Each part at an odd index is the depth, counting from
    1, of the number to insert there.
    """

    format: str = "decimal"
    parts: Sequence[str] = ("",)
    start: int = 1
    restart: int = -1

    @property
    def is_plain(self) -> bool:
        """True if this level's labels look like list numbers in Markdown."""
        return (
            self.format in ("decimal", "1")
            and len(self.parts) == 3
            and ["", *map(str.strip, self.parts[::2])][-2:] in (["", "."], ["", ")"])
        )


# A list's levels by depth, counting from 1.
Levels = dict[int, ListLevel]


def label(levels: Levels, counts: Mapping[int, int], depth: int) -> str:
    """Return a list item's label. `counts` are the current numbers by depth."""
    text = ""
    for at, part in enumerate(levels[depth].parts):
        level = levels.get(int(part), ListLevel()) if at % 2 else None
        text += numeral(counts.get(int(part), level.start), level.format) if level else part
    return collapse_spaces(text)


class Look(NamedTuple):
    """The formatting of a text run. `side` is positive for superscript and negative for subscript. `link` is a URL."""

    bold: bool = False
    italic: bool = False
    side: int = 0
    link: str = ""


def join_runs(runs: Sequence[tuple[Look, str]]) -> Inlines:
    """Return text runs as inlines. Adjacent runs with equal formatting are joined. Newlines become line breaks."""
    made = Inlines()
    for look, group in groupby(runs, key=itemgetter(0)):
        text = "".join(text for _, text in group)
        content = _signs(text.strip())
        if content:
            looks = {"Strong": look.bold, "Emph": look.italic, "Superscript": look.side > 0, "Subscript": look.side < 0}
            for kind, is_so in looks.items():
                if is_so:
                    content = [{"t": kind, "c": content}]
            if look.link:
                content = [{"t": "Link", "c": [ATTRIBUTES, content, [look.link, ""]]}]
        start = len(text) - len(text.lstrip())
        made += [*_signs(text[:start])[:1], *content, *_signs(text[max(start, len(text.rstrip())) :])[:1]]
    words = [at for at, sign in enumerate(made) if sign not in (SPACE, BREAK)]
    return made[words[0] : words[-1] + 1] if words else []


_KANA = re.compile(r"[\u3040-\u30ff\u31f0-\u31ff]+")


class Readings:
    """The ruby readings in a paragraph. Readings of adjacent base text form a group."""

    def __init__(self) -> None:
        self._groups = list[list[str]]()

    def add(self, reading: str, *, joined: bool) -> None:
        """Add a reading. With `joined`, it is added to the previous reading's group."""
        if joined and self._groups:
            self._groups[-1].append(reading)
        else:
            self._groups.append([reading])

    @property
    def text(self) -> str:
        """The readings in brackets, or "" if there are none."""
        groups = [[reading for reading in map(str.strip, group) if reading] for group in self._groups]
        joined = [("" if all(map(_KANA.fullmatch, group)) else " ").join(group) for group in groups]
        return f"（{'、'.join(filter(None, joined))}）" if any(joined) else ""


MARKER = re.compile(r"tessera[0-9a-f]{24}")


@dataclass(slots=True)
class Insertions:
    """Blocks to insert, keyed by the markers that they replace, and the omissions and warnings found so far.

    If `comments` is False, comments are left out. Markers are random, so no document can contain one already.
    """

    by_marker: dict[str, Blocks] = field(default_factory=dict)
    left_out: list[Omission] = field(default_factory=list)
    warnings: list[Message] = field(default_factory=list)
    comments: bool = True

    def marker(self, made: Blocks) -> str:
        """Return a new marker: a word that the given blocks will later replace."""
        marker = f"tessera{secrets.token_hex(12)}"
        self.by_marker[marker] = made
        return marker

    def comment(self, author: str, content: Blocks, place: str = "") -> Blocks:
        """Return a comment as a callout, or record it as left out and return [] if `comments` is False."""
        if self.comments:
            return [callout("comment", author, content)]
        self.omit("comment", place)
        return []

    def omit(self, kind: str, place: str = "", count: int = 1) -> None:
        """Record content that is left out of the text."""
        if count:
            self.left_out.append(Omission(kind, count, place))
