"""Signs within a line that CommonMark doesn't know: `[[links]]`, `==marks==`, `$formulas$`, `%%comments%%`, #tags."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from pages.ui.shared.safe import PASTED

_WIKILINK = re.compile(r"(!?)\[\[([^\[\]|\n]{0,500})(?:\|([^\[\]\n]{0,500}))?\]\]")
_MATH = re.compile(r"\$\$([^$]{1,4000})\$\$|\$(?![\s$])((?:\\.|[^$\\]){0,2000}[^\s$\\]|[^\s$\\])\$(?!\d)", re.DOTALL)
_HIDDEN = {"%%": "%%", "<!--": "-->"}
"""What begins a comment, and what ends it."""
_MARK = re.compile(r"==(?=[^\s=])([^\n]{0,2000}?[^\s=])==(?!=)")
_TAG = re.compile(r"#(?=[^\d\s]|\d+[^\d\s])([\w/-]{1,100})")
_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,80})\]")
_PLAIN = re.compile(r"<(br|/?(?:kbd|sub|sup|u))\s*/?>", re.IGNORECASE)
"""HTML without attributes that people write where Markdown has no sign."""
_ANCHOR = re.compile(
    r"""<a\s+(?:id|name)\s*=\s*(?:"[^"<>\n]{0,200}"|'[^'<>\n]{0,200}'|[\w.:-]{1,200})\s*(?:/>|>\s*</a>)""", re.I
)
"""An empty tag that only marks a place; it has no other attribute."""

_PASTED = re.compile(
    rf"""!\[(?P<words>[^\[\]\n]{{0,500}})\]\(<?(?P<picture>{PASTED})>?(?:\s+"[^"\n]{{0,500}}")?\s{{0,9}}\)""",
    re.IGNORECASE,
)
_PASTED_HTML = re.compile(
    rf"""<img\s(?:[^<>]{{0,500}}\s)?src\s?=\s?["']?(?P<picture>{PASTED})["']?(?:\s[^<>]{{0,500}})?/?>""", re.IGNORECASE
)
_WIDTH = re.compile(r"""\swidth\s?=\s?["']?(\d{1,4})""", re.IGNORECASE)
_WORDS = re.compile(r"""\salt\s?=\s?(["'])(.*?)\1""", re.IGNORECASE)


def add(parser: MarkdownIt) -> None:
    """Add the rules."""
    for rule in (_wikilink, _footnote, _math, _hidden, _mark, _tag, _plain, _anchor, _pasted):
        parser.inline.ruler.before("link", rule.__name__[1:], rule)


def _wikilink(state: StateInline, silent: bool) -> bool:
    match = _WIKILINK.match(state.src, state.pos, state.posMax)
    if not match or not match[2].strip(" #^"):
        return False
    if not silent:
        target = match[2].removesuffix("\\").strip()
        token = state.push("wikilink", "", 0)
        token.meta = {"target": target, "words": (match[3] or "").strip(), "embed": bool(match[1]), "block": False}
    state.pos = match.end()
    return True


def _footnote(state: StateInline, silent: bool) -> bool:
    match = _FOOTNOTE.match(state.src, state.pos, state.posMax)
    if not match or match[1] not in state.env.get("footnotes", ()):
        return False
    if not silent:
        order = state.env.setdefault("footnote_order", [])
        if match[1] not in order:
            order.append(match[1])
        state.push("footnote_ref", "", 0).meta = {"number": order.index(match[1]) + 1}
    state.pos = match.end()
    return True


def _math(state: StateInline, silent: bool) -> bool:
    match = _MATH.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        token = state.push("math_inline", "", 0)
        token.content, token.meta = match[1] or match[2], {"block": match[1] is not None}
    state.pos = match.end()
    return True


def _hidden(state: StateInline, silent: bool) -> bool:
    opening = next((sign for sign in _HIDDEN if state.src.startswith(sign, state.pos)), "")
    closing = _HIDDEN.get(opening, "")
    end = state.src.find(closing, state.pos + len(opening), state.posMax) if opening else -1
    if end < 0:
        return False
    state.pos = end + len(closing)
    return True


def _mark(state: StateInline, silent: bool) -> bool:
    match = _MARK.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        most = state.posMax
        state.push("mark_open", "mark", 1)
        state.pos, state.posMax = match.start(1), match.end(1)
        state.md.inline.tokenize(state)
        state.push("mark_close", "mark", -1)
        state.posMax = most
    state.pos = match.end()
    return True


def _tag(state: StateInline, silent: bool) -> bool:
    before = state.src[state.pos - 1 : state.pos] if state.pos else ""
    match = _TAG.match(state.src, state.pos, state.posMax)
    if not match or before.strip() or state.linkLevel:
        return False
    if not silent:
        state.push("tag", "", 0).content = match[0]
    state.pos = match.end()
    return True


def _plain(state: StateInline, silent: bool) -> bool:
    match = _PLAIN.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        name = match[1].lower()
        state.push("hardbreak" if name == "br" else "plain_html", "", 0).content = name
    state.pos = match.end()
    return True


def _pasted(state: StateInline, silent: bool) -> bool:
    """Read a picture that is written into the text, in Markdown or HTML; markdown-it takes a second for a megabyte."""
    match = _PASTED.match(state.src, state.pos, state.posMax)
    if not (match := match or _PASTED_HTML.match(state.src, state.pos, state.posMax)):
        return False
    if not silent:
        token = state.push("image", "img", 0)
        token.attrs = {"src": match["picture"]}
        around = match[0].replace(match["picture"], "")
        alt, width = _WORDS.search(around), _WIDTH.search(around)
        words = match["words"] if match.re is _PASTED else f"{alt[2] if alt else ''}|{width[1] if width else ''}"
        token.content = words
        token.children = [Token("text", "", 0, content=words)]
    state.pos = match.end()
    return True


def _anchor(state: StateInline, silent: bool) -> bool:
    match = _ANCHOR.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    state.pos = match.end()
    return True
