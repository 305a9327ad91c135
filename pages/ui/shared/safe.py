"""Texts from outside -> what can be shown: nothing in them is run, fetched, or taken for Markdown by accident."""

import re
from collections.abc import Iterable
from html import escape as html
from html import unescape

from core.text import LINE_END

__all__ = ["facts", "folded", "harmless", "html", "light", "marked", "plain", "tangled"]

Span = tuple[int, int]

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

_LINK = re.compile(
    r"(?P<text>[\]<])(?P<sign>(?<=\])[(:][\s>]*+<?|(?<=<)(?=[a-z][\w+.-]++:))(?P<address>[^\s<>()\[\]]*+)",
    re.IGNORECASE,
)
FOLLOWED = {"http", "https", "mailto"}
"""Schemes of links that a person can click; a link without one leads into the app."""
_NEVER = {"data", "file", "filesystem", "blob", "javascript", "vbscript", "view-source", "about"}
_ADDRESS_SHOWN = 80
"""Characters of an address that is shown as text: a picture may be in one."""

SIGNS = 8_000
"""Signs of Markdown, ends of lines too, that a browser lays out in about two seconds."""
DEEPEST = 200
"""Signs of emphasis within each other, or characters of a line's quote and list marks, that no note needs."""
_SIGN = re.compile(r"[\[\]*_~$|`#\n]|\r(?!\n)|^ *[-+>]", re.MULTILINE)
_NESTED = re.compile(r"(?m)^(?:[ \t]*+(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])|\[\^[^\]\s]++\]:))*+")
_EMPHASIS = re.compile(r"(?P<gap>\n[ \t>]*+\n)|(?P<sign>[*_~])(?P=sign)*+")

_APART = "\u2060"
_NAMELESS = "\ufeff"
"""Invisible: what they stand in is shown as it is written. Only the second, a blank, can't begin a name."""


def plain(text: str) -> str:
    """Return a text for places that read Markdown (labels, boxes), so that it reads there as it is written."""
    return _PUNCTUATION.sub(r"\\\1", _IN_LABEL.sub(_parted, " ".join(text.split())))


def harmless(markdown: str) -> str:
    """Return a note's Markdown whose images are links and whose diagrams are code: opening it fetches nothing.

    Of links only those of `FOLLOWED` can be clicked, and those into the app; others are shown as they are written.
    What only Streamlit gives a meaning is shown as it is written. No `![` is left anywhere, so where code
    is only decides how it looks: there an invisible character parts the two. Mermaid can load pictures
    too, and an info string may spell its name in entities.
    """
    # The patterns know one end of a line.
    markdown = re.sub(LINE_END, "\n", markdown)
    parts, at = [], 0
    for code in _CODE.finditer(markdown):
        # Streamlit looks for icons in code too.
        literal = code.group().replace(":material/", f":{_NAMELESS}material/")
        parts += [_prose(markdown[at : code.start()]), _LINK.sub(_unlinked_in_code, literal)]
        at = code.end()
    parts.append(_prose(markdown[at:]))
    return _FENCE.sub(_undrawn, "".join(parts).replace("![", f"!{_APART}["))


def _prose(markdown: str) -> str:
    return _IN_NOTE.sub(_parted, _LINK.sub(_unlinked, markdown)).replace("![", ":material/image: [")


def _unlinked(link: re.Match[str]) -> str:
    scheme, address = _scheme(link), link["address"]
    shown = address if len(address) <= _ADDRESS_SHOWN else f"{address[:_ADDRESS_SHOWN]}…"
    return link[0] if not scheme or scheme in FOLLOWED else _as_text(link, shown)


def _unlinked_in_code(link: re.Match[str]) -> str:
    # In code `<std::string>` is no link; but what is code to the patterns may be none to the browser.
    return _as_text(link, link["address"]) if _scheme(link) in _NEVER else link[0]


def _as_text(link: re.Match[str], address: str) -> str:
    return f"{link['text']}{_APART}{link['sign']}{_APART if link['sign'].endswith('<') else ''}{address}"


def _scheme(link: re.Match[str]) -> str:
    """Return the scheme of a link's address, whatever spells it; empty without one."""
    address = re.split("[/?#]", unescape(link["address"]).replace("\\", ""), maxsplit=1)[0]
    return address.partition(":")[0].strip().lower() if ":" in address else ""


def _parted(match: re.Match[str]) -> str:
    meant = match["meant"]
    if not meant:
        return match[0]
    return f"{meant}{_NAMELESS}" if meant[-1] == ":" else f"{meant[0]}{_APART}{meant[1:]}"


def _undrawn(fence: re.Match[str]) -> str:
    spelt = unescape(fence[2] or fence[4] or "").replace("\\", "").lower()
    return f"{fence[1] or fence[3]}text" if "mermaid" in spelt else fence[0]


def light(markdown: str, *, last: bool = False) -> str:
    """Return the first part of a note that a browser lays out in about two seconds, or the last."""
    signs = [sign.start() for sign in _SIGN.finditer(markdown)]
    if len(signs) <= SIGNS:
        return markdown
    return markdown[signs[-SIGNS] :] if last else markdown[: signs[SIGNS]]


def tangled(markdown: str) -> bool:
    """Return whether a note's Markdown is nested so deeply that a browser can't draw it."""
    markdown = re.sub(LINE_END, "\n", markdown)
    return any(len(line[0]) > DEEPEST for line in _NESTED.finditer(markdown)) or _emphasis(markdown) > DEEPEST


def _emphasis(markdown: str) -> int:
    """Return how many signs of emphasis are open at most; in a paragraph they are closed in the order of CommonMark."""
    most = 0
    open_signs: list[str] = []
    for run in _EMPHASIS.finditer(markdown):
        if run["gap"]:
            open_signs.clear()
            continue
        sign, left = run["sign"], len(run[0])
        before, after = markdown[run.start() - 1 : run.start()], markdown[run.end() : run.end() + 1]
        while left and before.strip() and sign in open_signs:
            while open_signs.pop() != sign:
                pass
            left -= 1
        if after.strip():
            open_signs += sign * left
        most = max(most, len(open_signs))
    return most


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
