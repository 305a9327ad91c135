"""Blocks of pandoc's syntax tree, made from text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

Blocks = list[Any]
Inlines = list[Any]
ATTRIBUTES = ["", [], []]
OURS = "tessera"
"""The format of raw inlines that are made here; those of documents have others, and are left out."""
_PLAIN = re.compile(r"[0-9]{1,9}[.)]")
SPACE = {"t": "Space"}
BREAK = {"t": "LineBreak"}


def inlines(text: str) -> Inlines:
    """Return text as words and spaces; a line break stays one."""
    made: Inlines = []
    for number, line in enumerate(text.strip().splitlines()):
        made += [BREAK] if number else []
        for at, word in enumerate(line.split()):
            made += [SPACE, {"t": "Str", "c": word}] if at else [{"t": "Str", "c": word}]
    return made


def raw(markdown: str) -> Any:
    """Return what is Markdown already, and stays as it is."""
    return {"t": "RawInline", "c": [OURS, markdown]}


def para(content: Inlines) -> Any:
    """Return a paragraph."""
    return {"t": "Para", "c": content}


def paras(texts: Iterable[str]) -> Blocks:
    """Return a paragraph for each text that isn't empty."""
    return [para(inlines(text)) for text in texts if text.strip()]


def heading(level: int, content: Inlines) -> Any:
    """Return a heading."""
    return {"t": "Header", "c": [level, ATTRIBUTES, content]}


def bullets(items: list[Blocks]) -> Any:
    """Return a list without numbers."""
    return {"t": "BulletList", "c": items}


def callout(kind: str, title: str, content: Blocks) -> Any:
    """Return a callout as Obsidian writes it: a quote whose first line has its kind and a title."""
    return {"t": "BlockQuote", "c": [para([raw(f"[!{kind}]"), *([SPACE, *inlines(title)] if title else [])]), *content]}


def table(rows: Sequence[Sequence[Inlines]]) -> Any:
    """Return a table whose first row is its head; rows may be of different lengths."""
    columns = max(map(len, rows), default=0)
    made = [[ATTRIBUTES, [_cell(cell) for cell in [*row, *[[]] * columns][:columns]]] for row in rows]
    specs = [[{"t": "AlignDefault"}, {"t": "ColWidthDefault"}]] * columns
    body = [ATTRIBUTES, 0, [], made[1:]]
    return {
        "t": "Table",
        "c": [ATTRIBUTES, [None, []], specs, [ATTRIBUTES, made[:1]], [body], [ATTRIBUTES, []]],
    }


def _cell(content: Inlines) -> Any:
    blocks = [{"t": "Plain", "c": content}] if content else []
    return [ATTRIBUTES, {"t": "AlignDefault"}, 1, 1, blocks]


@dataclass(frozen=True, slots=True)
class Item:
    """A paragraph of a list: its level from 0, its label ("" for a bullet), its text."""

    level: int
    label: str
    content: Inlines


def listed(items: Sequence[Item]) -> Blocks:
    """Return the lists that items of several levels make."""
    least = min((item.level for item in items), default=0)
    made: list[tuple[str, Blocks]] = []
    at = 0
    while at < len(items):
        end = at + 1
        while end < len(items) and items[end].level > least:
            end += 1
        item = items[at]
        if item.level > least:  # the list begins with a deeper item
            made.append(("", listed(items[at:end])))
        else:
            is_plain = _PLAIN.fullmatch(item.label)
            label = [] if is_plain or not item.label else [{"t": "Str", "c": item.label}, SPACE]
            below = listed(items[at + 1 : end])
            made.append((item.label if is_plain else "", [{"t": "Plain", "c": [*label, *item.content]}, *below]))
        at = end
    groups = [list(group) for _, group in groupby(made, key=lambda entry: bool(entry[0]))]
    return [_list(group[0][0], [content for _, content in group]) for group in groups]


def _list(label: str, items: list[Blocks]) -> Any:
    """Return a list without numbers, or one whose first label is a plain number."""
    if not label:
        return bullets(items)
    sign = "OneParen" if label.endswith(")") else "Period"
    return {"t": "OrderedList", "c": [[int(label[:-1]), {"t": "Decimal"}, {"t": sign}], items]}
