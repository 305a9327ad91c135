"""Rendering tokens as HTML. All text from the note is escaped, and links are resolved to notes, files and headings."""

import re
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from html import unescape
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from core.base.frozen import frozen
from core.base.messages import message
from core.base.text import name_key
from pages.ui.shared.document.parser import formula
from pages.ui.shared.safe import html, is_pasted
from pages.ui.shared.text import text_of

# The targets of a note's links: other notes, files, and headings in the note itself.


@frozen
class SourceSpan:
    """A note that a link leads to."""

    id: str
    title: str
    # The beginning of the note's text, shown as a preview.
    beginning: str = ""


@frozen
class HeadingSource:
    """A heading in a note, with its level from 1 to 6, its text, and its HTML id."""

    level: int
    text: str
    id: str


class Sources:
    """Resolver for the links in a note. By default, no link leads anywhere."""

    # Whether tags are clickable.
    can_click = False
    # Whether task checkboxes are clickable.
    can_tick = False
    # Line of the note, counted from 0, at which the rendered text begins.
    first_line = 0

    def note(self, target: str, *, relative: bool) -> SourceSpan | None:
        """Return the note that a link leads to, or None if it doesn't exist.

        `relative` is True for links in Markdown syntax, and False for wikilinks.
        """
        return None

    def missing(self, target: str, *, relative: bool) -> str:
        """Return the path at which the missing target of a link can be created, or "" if it can't be created."""
        return ""

    def file(self, target: str) -> str | None:
        """Return the URL of a picture or other file that the note links to, or None if it doesn't exist."""
        return None

    def text(self, note_id: str) -> "tuple[str, Sources]":
        """Return another note's text, which may be "", and the resolver for its links."""
        return "", self


def same(heading: str, name: str) -> bool:
    """Return whether `name`, a link's fragment written as in Obsidian or in a URL, refers to the heading."""
    return _plain(heading) == _plain(name) != ""


def anchor(headings: Sequence[HeadingSource], place: str) -> str:
    """Return the HTML id of a heading, or of a block such as `^block`. Return "" if no heading matches."""
    if place.startswith("^"):
        return place.casefold()
    return next((heading.id for heading in headings if same(heading.text, place.rpartition("#")[2])), "")


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", name_key(text)).split())


# Formulas as MathML, which browsers render. Any elements and attributes that aren't listed here are removed.

# Maximum number of characters in a formula to render. The source of a longer formula is shown instead.
MOST = 4_000
# Maximum nesting depth of braces in a formula to render.
DEEPEST = 40

_ELEMENTS = frozenset(
    "math mrow mi mo mn ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mstyle"
    " mpadded mphantom menclose mlabeledtr".split()
)
_ATTRIBUTES = frozenset(
    "display mathvariant stretchy fence separator accent linethickness columnalign rowspacing columnspacing width"
    " minsize maxsize movablelimits displaystyle scriptlevel lspace rspace notation form symmetric largeop".split()
)
_VALUE = r"[a-z -]{1,40}|-?\d{0,2}(?:\.\d{1,4})?(?:em|ex|px|pt|%)?"
# Brackets around a table. The style sheet draws them, because a browser without a math font doesn't stretch them.
_FENCES = {("(", ")"): "round", ("[", "]"): "square", ("|", "|"): "bars"}
_ENVIRONMENT = r"\\(begin|end)\{(aligned|alignedat|split|gathered|gather\*?|eqnarray\*?|equation\*?)\}"
_SIZE = r"\\(?:tag|label)\*?\{[^{}]*\}|\\nonumber|\\notag"


def math(tex: str, *, block: bool) -> str:
    """Return a formula as MathML, as plain HTML if it can't be parsed, or as source code if it is too complex."""
    if len(tex) > MOST or _depth(tex) > DEEPEST:
        return f"<code>{html(tex[:MOST])}</code>"
    try:
        source = re.sub(_ENVIRONMENT, _environment, re.sub(_SIZE, "", " ".join(tex.split())))
        element = convert_to_element(source, display="block" if block else "inline")
    except Exception:  # noqa: BLE001 the library's errors have no other common base
        return formula(tex)
    return "".join(_drawn(element))


def _environment(match: re.Match[str]) -> str:
    return "" if match[2].startswith("equation") else f"\\{match[1]}{{align*}}"


def _depth(tex: str) -> int:
    depth = most = 0
    for sign in re.findall(r"[{}]|\\(?:left|right|frac|sqrt|begin|end)\b|[_^]", tex):
        depth += {"{": 1, "}": -1, "\\end": -1, "\\right": -1}.get(sign, 0 if sign in "_^" else 1)
        depth = max(0, depth - (sign in ("\\frac", "\\sqrt")))
        most = max(most, depth)
    return most


def _drawn(element: Element) -> Iterator[str]:
    known = element.tag in _ELEMENTS
    children = list(_fenced(element))
    if known:
        attributes = (
            f' {name}="{html(value)}"'
            for name, value in element.attrib.items()
            if name in _ATTRIBUTES and re.fullmatch(_VALUE, value)
        )
        css = f' class="{css}"' if (css := element.get("class", "")) in _FENCES.values() else ""
        yield f"<{element.tag}{css}{''.join(attributes)}>"
    yield html(unescape(element.text or ""))
    for child in children:
        yield from _drawn(child)
        yield html(unescape(child.tail or ""))
    if known:
        yield f"</{element.tag}>"


def _fenced(element: Element) -> Iterator[Element]:
    """Yield an element's children. Brackets around a table are replaced by a CSS class on the table."""
    children = list(element)
    while children:
        first, *rest = children[:3]
        css = ""
        if [item.tag for item in (first, *rest)] == ["mo", "mtable", "mo"]:
            table, last = rest
            css = _FENCES.get((unescape(first.text or ""), unescape(last.text or "")), "")
        if css:
            table.set("class", css)
            table.tail = last.tail
            yield table
        else:
            yield first
        del children[: 3 if css else 1]


NO_FILE = message("This file is missing.")
NO_PICTURE = message("Picture missing: {name}")
NOT_DRAWN = message("This diagram can't be drawn. Its source text:")
TASK = message("To do")
NO_NOTE = message("This note doesn't exist yet. Click to create it.")

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PICTURE = re.compile(r"(?i)\.(?:png|jpe?g|gif|svg|webp|bmp|avif)$")
_ATTACHMENT = re.compile(r"(?i)\.(?!md$|markdown$|txt$)[A-Za-z0-9]{1,5}$")
_WIDTH = re.compile(r"(\d{1,4})(?:x\d{1,4})?$")

Tokens = Sequence[Token]
Environment = MutableMapping[str, Any]
# Maximum number of characters in a code block to highlight.
MOST_CODE = 20_000
LANGUAGES = frozenset(
    "python py python3 pycon javascript js jsx typescript ts tsx rust rs go c cpp c++ csharp cs java kotlin swift scala ruby"
    " rb php perl lua r julia haskell bash sh shell zsh console powershell sql json yaml yml toml ini xml html css"
    " diff dockerfile docker make makefile nginx latex tex markdown md".split()
)


# HTML for tokens that always render the same way.
_FIXED = {
    "comment_block": "",
    "table_open": '<div class="table"><table>\n',
    "table_close": "</table></div>\n",
}


class Drawing(RendererHTML):
    """Renderer for a note's tokens, with one method for each type of token.

    `embed` renders another note, or a part of it. `inner` is True if the rendered note is itself embedded.
    """

    def __init__(
        self,
        sources: Sources,
        headings: Sequence[HeadingSource],
        embed: Callable[[SourceSpan, str], str | None],
        *,
        inner: bool,
    ) -> None:
        super().__init__()
        self._sources = sources
        self._headings = headings
        self._embed = embed
        self._inner = inner
        self._open_links: list[str] = []

    def renderToken(self, tokens: Tokens, idx: int, options: OptionsDict, env: Environment) -> str:  # noqa: N802
        token = tokens[idx]
        if self._inner:
            token.attrs.pop("id", None)
        if style := token.attrs.pop("style", None):
            token.attrSet("class", f"to-{str(style).rpartition(':')[2]}")
        if (fixed := _FIXED.get(token.type)) is not None:
            return fixed
        if draw := getattr(self, f"_draw_{token.type}", None):
            return str(draw(token))
        return str(super().renderToken(tokens, idx, options, env))

    # Block tokens.

    def _draw_list_item_open(self, token: Token) -> str:
        task = token.meta.get("task")
        name = token.attrs.get("id")
        name = f' id="{html(str(name))}"' if name and not self._inner else ""
        if task is None:
            return f"<li{name}>"
        done = "" if task == " " else " checked"
        line = token.meta["line"] + self._sources.first_line
        use = f'data-line="{line}"' if self._sources.can_tick and not self._inner else "disabled"
        return (
            f'<li class="task{" done" if task in "xX" else ""}"{name}>'
            f'<input type="checkbox" aria-label="{html(TASK)}" {use}{done}>'
        )

    def fence(self, tokens: Tokens, idx: int, options: OptionsDict, env: Environment) -> str:
        token = tokens[idx]
        language = (token.info.split() or [""])[0].strip("{}.")
        label = f'<span class="language">{html(language[:30])}</span>' if language else ""
        if language.lower() in ("mermaid", "plantuml"):
            label = f'<div class="undrawn">{html(NOT_DRAWN)}</div>{label}'
        return f'<div class="code">{label}<pre><code>{code(token.content, language)}</code></pre></div>\n'

    def code_block(self, tokens: Tokens, idx: int, options: OptionsDict, env: Environment) -> str:
        return f'<div class="code"><pre><code>{html(tokens[idx].content)}</code></pre></div>\n'

    def _draw_math_block(self, token: Token) -> str:
        return f'<div class="formula">{math(token.content, block=True)}</div>\n'

    # Inline tokens.

    def _draw_math_inline(self, token: Token) -> str:
        formula = math(token.content, block=token.meta["block"])
        return f'<span class="formula">{formula}</span>' if token.meta["block"] else formula

    def _draw_tag(self, token: Token) -> str:
        return tag(token.content, can_click=self._sources.can_click)

    def _draw_plain_html(self, token: Token) -> str:
        return f"<{token.content}>"

    def _draw_footnote_ref(self, token: Token) -> str:
        number = token.meta["number"]
        return f'<sup><a class="footnote" href="#" data-place="fn{number}" id="fnref{number}">{number}</a></sup>'

    def _draw_link_open(self, token: Token) -> str:
        address = str(token.attrGet("href") or "")
        if is_pasted(address):
            self._open_links.append("span")
            return '<span class="dead">'
        if _SCHEME.match(address):
            self._open_links.append("a")
            return f'<a class="outside" href="{html(address)}" target="_blank" rel="noopener noreferrer">'
        opening = self._to_note(unquote(address), relative=True)
        self._open_links.append(opening[1 : opening.index(" ")])
        return opening

    def _draw_link_close(self, token: Token) -> str:
        return f"</{self._open_links.pop()}>"

    def image(self, tokens: Tokens, idx: int, options: OptionsDict, env: Environment) -> str:
        token = tokens[idx]
        words, _, width = self.renderInlineAsText(token.children, options, env).rpartition("|")
        if not _WIDTH.match(width.strip()):
            words = f"{words}|{width}" if words else width
            width = ""
        return self._picture(str(token.attrGet("src") or ""), words, width.strip())

    def _draw_wikilink(self, token: Token) -> str:
        link = token.meta
        name = link["target"]
        words = link["words"]
        if link["embed"] and _PICTURE.search(file := name.partition("#")[0]):
            return self._picture(file, *(("", words) if _WIDTH.match(words) else (words, "")))
        if link["embed"] and link["block"] and not _ATTACHMENT.search(name):
            note, _, heading = name.partition("#")
            place = self._sources.note(note, relative=False) if note.strip() else None
            embedded = self._embed(place, heading) if place else None
            if place and embedded is not None:
                title = html(f"{place.title} › {heading}" if heading else place.title)
                head = self._to_note(name, relative=False)
                return f'<div class="embed"><div class="embed-title">{head}{title}</a></div>{embedded}</div>\n'
        opening = self._to_note(name, relative=False)
        shown = words or name.lstrip("#").replace("#^", " › ").replace("#", " › ")
        return f"{opening}{html(shown)}</{opening[1 : opening.index(' ')]}>"

    def _to_note(self, address: str, *, relative: bool) -> str:
        """Return the opening tag for a link to a note, a heading, a file, or a missing note.

        A link that can't be followed becomes a `<span>`.
        """
        target, _, place = address.partition("#")
        if not target.strip():
            name = anchor(self._headings, place)
            return f'<a class="place" href="#" data-place="{html(name)}">' if name else '<span class="dead">'
        target = target.partition("?")[0] if relative else target
        note = self._sources.note(target, relative=relative)
        if note:
            return to_note(note, place)
        if file := self._sources.file(target):
            return f'<a class="file" href="{html(file)}" download rel="noopener">'
        missing = self._sources.missing(target, relative=relative)
        if _ATTACHMENT.search(target) or target.startswith("//") or not missing:
            return f'<span class="dead" title="{html(NO_FILE)}">'
        return f'<a class="missing" href="#" data-make="{html(missing)}" title="{html(NO_NOTE)}">'

    def _picture(self, address: str, words: str, width: str) -> str:
        match = _WIDTH.match(width)
        wide = f' width="{(min(2000, int(match[1])) if match else 2000)}"' if width else ""
        source: str | None = address
        if not is_pasted(address):
            if _SCHEME.match(address):
                # Don't load pictures from other servers. A server is contacted only if the user opens the link.
                return f'<a class="picture" href="{html(address)}" target="_blank" rel="noopener noreferrer">{html(words or address)}</a>'
            name = unquote(address)
            source = self._sources.file(name) if not address.startswith("//") else None
            if not (source and _PICTURE.search(name)):
                return f'<span class="picture dead" title="{html(words)}">{html(text_of(NO_PICTURE, name=name))}</span>'
        return f'<img src="{html(source)}" alt="{html(words)}" loading="lazy"{wide}>'


def to_note(note: SourceSpan, place: str = "") -> str:
    """Return the opening tag of a link to a heading or block in a note. If `place` is "", link to its beginning."""
    about = f' title="{html(note.beginning)}"' if note.beginning else ""
    return (
        f'<a class="note" href="?note={html(note.id)}" data-note="{html(note.id)}" data-place="{html(place)}"{about}>'
    )


def tag(name: str, *, can_click: bool) -> str:
    """Return a note's tag as HTML. `name` may begin with `#`."""
    if can_click:
        return f'<a class="tag" href="#" data-tag="{html(name.lstrip("#"))}">{html(name)}</a>'
    return f'<span class="tag">{html(name)}</span>'


def code(text: str, language: str) -> str:
    """Return code as HTML, highlighted if its language is known and the code isn't too long."""
    if language.lower() not in LANGUAGES or len(text) > MOST_CODE:
        return html(text)
    return str(
        highlight(text, get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True))
    )
