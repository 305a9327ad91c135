"""Escape untrusted text for display, so that it can't run or fetch anything, and isn't interpreted as Markdown."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from core.base.text import LINE_END
from pages.ui.shared.text import t, text_of

Span = tuple[int, int]

Spans = Sequence[Span]
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_EMOJI = r":(?=(?:100|1234|(?!\d+:)[\w.+-]++):)"
_ARROW = r"(?<!\S)(?:<->|->|<-|>=|<=|~=)(?!\S)|(?<=[^\s|] )--(?!\S)"
# Syntax that only Streamlit's labels have: emoji names and arrows.
_IN_LABEL = re.compile(f"{_EMOJI}|{_ARROW}")

# URL schemes that are allowed in links. A link without a scheme leads to a page of the app.
FOLLOWED = {"http", "https", "mailto"}

# Pattern for `data:` URLs of pictures. Types that may contain scripts, such as SVG, are excluded.
PASTED = r"data:image/(?:png|jpe?g|gif|webp|bmp|avif);base64,[A-Za-z0-9+/]+={0,2}"
_PASTED = re.compile(PASTED, re.IGNORECASE)

# Maximum number of syntax characters (including line breaks) to render as Markdown.
#
# A browser takes about two seconds to lay out this many.
SIGNS = 8_000
# Maximum nesting depth of emphasis to render, and maximum length of the quote and list marks at a line's start.
DEEPEST = 200
_SIGN = re.compile(r"(?m)[\[\]*_~$|`#\n]|\r(?!\n)|^ *[-+>]")
_NESTED = re.compile(r"(?m)^(?:[ \t]*+(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])|\[\^[^\]\s]++\]:))*+")
_EMPHASIS = re.compile(r"(?P<gap>\n[ \t>]*+\n)|(?P<sign>[*_~])(?P=sign)*+")

_APART = "\u2060"
# These two invisible characters break up syntax. `_NAMELESS` counts as a space, so no name can begin with it.
_NAMELESS = "\ufeff"


def is_pasted(address: str) -> bool:
    """Return whether a URL is a `data:` URL of a picture, in a format that can't contain scripts."""
    return _PASTED.fullmatch(address) is not None


def html(text: object) -> str:
    """Escape a string for use in HTML. A message is translated first."""
    return escape(text if isinstance(text, str) else text_of(text))


def t_html(text: str, /, **fields: object) -> str:
    """Translate a string, fill in its fields, and escape it as HTML."""
    return html(t(text, **fields))


def plain(text: object) -> str:
    """Escape a string for use where Streamlit interprets Markdown, such as in labels. A message is translated first."""
    words = (text if isinstance(text, str) else text_of(text)).split()
    return _PUNCTUATION.sub(r"\\\1", _IN_LABEL.sub(_separate, " ".join(words)))


def _separate(match: re.Match[str]) -> str:
    sign = match[0]
    return f"{sign}{_NAMELESS}" if sign[-1] == ":" else f"{sign[0]}{_APART}{sign[1:]}"


def drawable_part(markdown: str, *, last: bool = False) -> str:
    """Return as much of a note's beginning as a browser can lay out in about two seconds.

    If `last` is True, use the note's end.
    """
    signs = [sign.start() for sign in _SIGN.finditer(markdown)]
    if len(signs) <= SIGNS:
        return markdown
    return markdown[signs[-SIGNS] :] if last else markdown[: signs[SIGNS]]


def is_deeply_nested(markdown: str) -> bool:
    """Return whether a note's Markdown is nested too deeply to be rendered in a browser."""
    markdown = re.sub(LINE_END, "\n", markdown)
    return any(len(line[0]) > DEEPEST for line in _NESTED.finditer(markdown)) or _emphasis(markdown) > DEEPEST


def _emphasis(markdown: str) -> int:
    """Return the maximum number of emphasis marks that are open at once in a paragraph, as in CommonMark."""
    most = 0
    open_signs: list[str] = []
    for run in _EMPHASIS.finditer(markdown):
        if run["gap"]:
            open_signs.clear()
            continue
        sign = run["sign"]
        left = len(run[0])
        before = markdown[run.start() - 1 : run.start()]
        after = markdown[run.end() : run.end() + 1]
        while left and before.strip() and sign in open_signs:
            while open_signs.pop() != sign:
                pass
            left -= 1
        if after.strip():
            open_signs += sign * left
        most = max(most, len(open_signs))
    return most


def elements(texts: Iterable[object], tag: str = "div", css: str = "") -> str:
    """Return an HTML element for each string or message, with an optional CSS class."""
    opening = f'{tag} class="{css}"' if css else tag
    return "".join(f"<{opening}>{html(text)}</{tag}>" for text in texts)


def facts(texts: Iterable[str]) -> str:
    """Return an HTML row of short strings. Empty strings are left out."""
    return f'<div class="t-facts">{elements(filter(None, texts), "span")}</div>'


def figures(values: Iterable[tuple[str, str]]) -> str:
    """Return pairs of a name and a value as HTML, for use inside a `t-facts` element."""
    return "".join(f"<span>{html(name)} <b>{html(value)}</b></span>" for name, value in values)


def boxes(values: Iterable[tuple[str, str, str]], remark: str = "") -> str:
    """Return a row of HTML boxes followed by a remark. `values` has the name, figure and CSS class of each box."""
    drawn = [
        f'<div class="t-count {tone}"><b>{html(value)}</b><span>{html(name)}</span></div>'
        for name, value, tone in values
    ]
    remark_html = f'<span class="t-facts">{html(remark)}</span>' if remark else ""
    return f'<div class="t-counts">{"".join(drawn)}{remark_html}</div>'


def folded(title: str, body: str, *, css: str = "") -> str:
    """Return a collapsed HTML element with the given title. `body` is HTML."""
    return f'<details class="{css}"><summary>{html(title)}</summary>{body}</details>'


def marked(text: str, spans: Iterable[Span], *, css: str = "") -> str:
    """Return text as HTML with each span in a <mark> element. The spans must be sorted and must not overlap."""
    opening = f'<mark class="{css}">' if css else "<mark>"
    parts = ""
    at = 0
    for start, end in spans:
        parts += f"{html(text[at:start])}{opening}{html(text[start:end])}</mark>"
        at = end
    return parts + html(text[at:])
