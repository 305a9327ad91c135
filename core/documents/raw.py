"""Parsing of raw HTML and LaTeX blocks within other formats into ordinary blocks."""

import re
import secrets
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from typing import Any

from core.base.errors import SourceError
from core.documents.office.blocks import Blocks, Node, inlines, para, raw
from core.documents.syntax import insert_blocks, plain
from core.documents.webpages import clean_page

_HOLDS = re.compile(r"<(/?)(?:table|ul|ol|dl|figure)\b", re.IGNORECASE)
"""Tags of elements that may end in a later HTML block, with Markdown in between."""
_HTML, _TEX = "html", ("latex", "tex")
_LONGEST = 300
"""Maximum number of blocks in an element; a longer element is read block by block."""


def read_raw(nodes: Blocks, parse: Callable[[str, str], Blocks], write: Callable[[Blocks], str]) -> Blocks:
    """Return blocks with raw HTML and LaTeX parsed; unreadable raw blocks become code.

    `parse` reads a text in a given format, `write` writes blocks as HTML.
    """
    found: dict[str, Blocks] = {}
    made = _mark(nodes, found)
    pages = {marker: run for marker, run in found.items() if run[0]["c"][0] == _HTML}
    texts = {marker: run[0]["c"][1] for marker, run in found.items() if run[0]["c"][0] in _TEX}
    texts = {marker: text for marker, text in texts.items() if text.count("\\begin{") == text.count("\\end{")}
    by_marker = {marker: [part for block in run for part in _code(block)] for marker, run in found.items()}
    for format_, document in (
        ("latex", "".join(f"{marker}\n\n{text}\n\n" for marker, text in texts.items())),
        (
            "html-native_divs-native_spans",
            "".join(f"<p>{marker}</p><div>{clean_page(text)}</div>" for marker, text in _written(pages, write).items()),
        ),
    ):
        with suppress(SourceError):
            by_marker |= _divided(parse(document, format_) if document else [], by_marker)
    replaced: Blocks = insert_blocks(made, by_marker)
    return replaced


def _mark(node: object, found: dict[str, Blocks]) -> Any:
    """Return a node whose raw blocks are replaced by marker paragraphs; all blocks in an element share a marker."""
    if isinstance(node, dict):
        return node | {"c": _mark(node["c"], found)} if isinstance(node.get("c"), list) else node
    if not isinstance(node, list):
        return node
    made, at = [], 0
    while at < len(node):
        end = _end(node, at)
        if end > at:
            marker = f"tessera{secrets.token_hex(12)}"
            found[marker] = node[at:end]
            made.append(para(inlines(marker)))
        else:
            made.append(_mark(node[at], found))
        at = max(end, at + 1)
    return made


def _end(blocks: Sequence[object], start: int) -> int:
    """Return the end of an element that begins with a raw block; `start` for other blocks."""
    depth = 0
    for at in range(start, min(start + _LONGEST, len(blocks))):
        block = blocks[at]
        if isinstance(block, dict) and block.get("t") == "RawBlock" and block["c"][0] == _HTML:
            depth += sum(-1 if close else 1 for close in _HOLDS.findall(block["c"][1]))
        if depth <= 0:
            return at + (isinstance(block, dict) and block.get("t") == "RawBlock")
    return start + 1


def _code(block: Node) -> Blocks:
    """Return a raw block as code or Markdown; nothing for Org, where raw blocks are settings."""
    if block["t"] != "RawBlock":
        return [block]
    format_, text = block["c"]
    if format_ == "markdown":
        return [para([raw(text)])]
    return [] if format_ == "org" else [{"t": "CodeBlock", "c": [["", [format_], []], text]}]


def _written(pages: dict[str, Blocks], write: Callable[[Blocks], str]) -> dict[str, str]:
    """Return the HTML of each run of blocks, by marker."""
    if all(len(run) == 1 for run in pages.values()):
        return {marker: run[0]["c"][1] for marker, run in pages.items()}
    html = write([block for marker, run in pages.items() for block in (para(inlines(marker)), *run)])
    parts = re.split(rf"<p>({'|'.join(pages)})</p>", html)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _divided(nodes: Blocks, markers: Container[str]) -> dict[str, Blocks]:
    """Return the blocks after each marker."""
    made: dict[str, Blocks] = {}
    after: Blocks = []
    for block in nodes:
        if (text := plain(block)) in markers:
            made[text] = after = []
        else:
            after.append(block)
    return made
