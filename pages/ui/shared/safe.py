"""Texts from outside -> what can be shown: nothing in them is run, fetched, or taken for Markdown by accident."""

import re
from collections.abc import Iterable
from html import escape as html
from html import unescape

__all__ = ["facts", "folded", "harmless", "html", "marked", "plain"]

Span = tuple[int, int]

_LINE_END = re.compile(r"\r\n?")
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_FENCE = re.compile(r"(?m)(?<!`)(`{3,}+)([^`\n]*)$|(?<!~)(~{3,}+)([^\n]*)$")
_CODE = re.compile(r"(?ms)^[ >]*(`{3,}|~{3,}).*?(?:^[ >]*\1|\Z)|(?<!`)(`+)(?!`)[^\n]*?(?<!`)\2(?!`)")

_EMOJI = r":(?=(?:100|1234|(?!\d+:)[\w.+-]++):)"
_STYLE = (
    r"(?:red|orange|yellow|green|blue|violet|gr[ae]y|primary|rainbow)(?:-background|-badge)?|color|small|shimmer|help"
)
_NAME = r"[^\s!-,./:-@\[-^`{-~]++"
_DIRECTIVE = rf":(?=material/|{_NAME}[\[{{]|(?:{_STYLE})(?![\w-]))|^[ \t>*+\-\d.)]*+::++(?={_NAME})"
_ARROW = r"(?<!\S)(?:<->|->|<-|>=|<=|~=)(?!\S)|(?<=[^\s|] )--(?!\S)"
_ADDRESS = r"(?:\]\(|://|<[a-zA-Z][\w+.-]*+:)[^\s)>\]]*+"
_FORMULA = r"(?<!\\)\$\$[^$]*+\$\$|(?<!\\)\$[^$\n]*+\$"
_IN_LABEL = re.compile(f"(?P<meant>{_EMOJI}|{_ARROW})")
_IN_NOTE = re.compile(rf"{_ADDRESS}|{_FORMULA}|(?P<meant>{_EMOJI}|{_DIRECTIVE}|{_ARROW})", re.MULTILINE)
"""Syntax of Streamlit's Markdown only: emoji names, icons, colours, blocks, arrows as they are typed."""
_APART = "\u2060"
_NAMELESS = "\ufeff"
"""Invisible: what they stand in is shown as it is written. Only the second, a blank, can't begin a name."""


def plain(text: str) -> str:
    """Return a text for places that read Markdown (labels, boxes), so that it reads there as it is written."""
    return _PUNCTUATION.sub(r"\\\1", _IN_LABEL.sub(_parted, " ".join(text.split())))


def harmless(markdown: str) -> str:
    """Return a note's Markdown whose images are links and whose diagrams are code: opening it fetches nothing.

    What only Streamlit gives a meaning is shown as it is written. No `![` is left anywhere, so where code
    is only decides how it looks: there an invisible character parts the two. Mermaid can load pictures
    too, and an info string may spell its name in entities.
    """
    # Markdown ends a line at a lone \r too, the patterns don't.
    markdown = _LINE_END.sub("\n", markdown)
    parts, at = [], 0
    for code in _CODE.finditer(markdown):
        # Streamlit looks for icons in code too.
        parts += [_prose(markdown[at : code.start()]), code.group().replace(":material/", f":{_NAMELESS}material/")]
        at = code.end()
    parts.append(_prose(markdown[at:]))
    return _FENCE.sub(_undrawn, "".join(parts).replace("![", f"!{_APART}["))


def _prose(markdown: str) -> str:
    return _IN_NOTE.sub(_parted, markdown).replace("![", ":material/image: [")


def _parted(match: re.Match[str]) -> str:
    meant = match["meant"]
    if not meant:
        return match[0]
    return f"{meant}{_NAMELESS}" if meant[-1] == ":" else f"{meant[0]}{_APART}{meant[1:]}"


def _undrawn(fence: re.Match[str]) -> str:
    spelt = unescape(fence[2] or fence[4] or "").replace("\\", "").lower()
    return f"{fence[1] or fence[3]}text" if "mermaid" in spelt else fence[0]


def facts(texts: Iterable[str]) -> str:
    """Return short texts beside each other as HTML; empty ones are left out."""
    return f'<div class="t-facts">{"".join(f"<span>{html(text)}</span>" for text in texts if text)}</div>'


def folded(title: str, body: str, *, css: str = "") -> str:
    """Return HTML that is unfolded by a click on its title."""
    return f'<details class="{css}"><summary>{html(title)}</summary>{body}</details>'


def marked(text: str, spans: Iterable[Span], *, css: str = "") -> str:
    """Return a text as HTML with its spans in <mark>; spans are in order and don't overlap."""
    opening = f'<mark class="{css}">' if css else "<mark>"
    parts, at = [], 0
    for start, end in spans:
        parts += [html(text[at:start]), opening, html(text[start:end]), "</mark>"]
        at = end
    parts.append(html(text[at:]))
    return "".join(parts)
