"""Texts from outside -> what can be shown: nothing in them is run, fetched, or taken for Markdown by accident."""

import re
from collections.abc import Iterable
from html import escape as html
from html import unescape

__all__ = ["harmless", "html", "marked", "plain"]

Span = tuple[int, int]

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_FENCE = re.compile(r"(?m)(?<!`)(`{3,}+)([^`\n]*)$|(?<!~)(~{3,}+)([^\n]*)$")
_CODE = re.compile(r"(?ms)^[ >]*(`{3,}|~{3,}).*?(?:^[ >]*\1|\Z)|(?<!`)(`+)(?!`)[^\n]*?(?<!`)\2(?!`)")


def plain(text: str) -> str:
    """Return a text for places that read Markdown (labels, boxes), so that it reads there as it is written."""
    return _PUNCTUATION.sub(r"\\\1", " ".join(text.split()))


def harmless(markdown: str) -> str:
    """Return a note's Markdown whose images are links and whose diagrams are code: opening it fetches nothing.

    No `![` is left anywhere, so where code is only decides how it looks: there an invisible character
    parts the two. Mermaid can load pictures too, and an info string may spell its name in entities.
    """
    parts, at = [], 0
    for code in _CODE.finditer(markdown):
        parts += [
            markdown[at : code.start()].replace("![", ":material/image: ["),
            code.group().replace("![", "!\u2060["),
        ]
        at = code.end()
    parts.append(markdown[at:].replace("![", ":material/image: ["))
    return _FENCE.sub(_undrawn, "".join(parts).replace("![", "!\u2060["))


def _undrawn(fence: re.Match[str]) -> str:
    spelt = unescape(fence[2] or fence[4] or "").replace("\\", "").lower()
    return f"{fence[1] or fence[3]}text" if "mermaid" in spelt else fence[0]


def marked(text: str, spans: Iterable[Span], *, css: str = "") -> str:
    """Return a text as HTML with its spans in <mark>; spans are in order and don't overlap."""
    opening = f'<mark class="{css}">' if css else "<mark>"
    parts, at = [], 0
    for start, end in spans:
        parts += [html(text[at:start]), opening, html(text[start:end]), "</mark>"]
        at = end
    parts.append(html(text[at:]))
    return "".join(parts)
