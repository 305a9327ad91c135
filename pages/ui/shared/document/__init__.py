"""Rendering a note's Markdown as HTML that looks as it does in Obsidian, without scripts, styles or requests.

All tags are written by `drawing`. The note contributes only escaped text, and URLs that are opened only when clicked.
In the browser, the component removes any elements and attributes that aren't in VIEW_ELEMENTS or VIEW_ATTRIBUTES.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from core.base.frozen import frozen
from core.base.text import with_newlines
from pages.ui.shared.document.drawing import (
    Drawing,
    Environment,
    HeadingSource,
    Sources,
    SourceSpan,
    Tokens,
    same,
)
from pages.ui.shared.document.parser import markdown, parse
from pages.ui.shared.safe import Span, drawable_part, html, is_deeply_nested
from pages.ui.shared.widgets import component, on_trigger, stamp

__all__ = ["HeadingSource", "RenderedNote", "SourceSpan", "Sources", "document"]

# Maximum nesting depth of embedded notes.
DEEPEST = 3
# Maximum number of notes to embed in a note.
MOST = 30
# Maximum total length of a note's embedded notes, in characters.
EMBEDDED = 60_000


@frozen
class RenderedNote:
    """A note as HTML, with its headings, and the line number (from 0) at which each block begins."""

    html: str
    headings: tuple[HeadingSource, ...]
    lines: tuple[int, ...] = ()


@dataclass(slots=True)
class _Budget:
    notes: int = MOST
    characters: int = EMBEDDED


def document(text: str, sources: Sources, passage: Span | None = None) -> RenderedNote:
    """Render a note's text, with a passage highlighted if given.

    The text must not be deeply nested (see `is_deeply_nested`).
    """
    return _document(text, sources, passage, (), _Budget())


def _document(text: str, sources: Sources, passage: Span | None, above: Sequence[str], budget: _Budget) -> RenderedNote:
    environment: Environment = {}
    tokens = parse(text, environment)
    headings = tuple(_headings(tokens))
    if passage:
        lines = with_newlines(text)
        tokens = list(_marked(tokens, lines.count("\n", 0, passage[0]), lines.count("\n", 0, passage[1] - 1)))
        if first := next((token for token in tokens if token.type == "passage_open"), None):
            first.attrSet("id", "passage")

    def embed(place: SourceSpan, part: str) -> str | None:
        if place.id in above or len(above) >= DEEPEST or not budget.notes or not budget.characters:
            return None
        budget.notes -= 1
        body, inner = sources.text(place.id)
        shown = drawable_part(_part(body, part)[: budget.characters])
        if not shown.strip() or is_deeply_nested(shown):
            return None
        budget.characters -= len(shown)
        return _document(shown, inner, None, (*above, place.id), budget).html

    drawing = Drawing(sources, headings, embed, inner=bool(above))
    body = drawing.render(tokens, markdown().options, environment)
    starts = tuple(first.map[0] for first, *_ in _siblings(tokens) if first.map and first.type != "comment_block")
    footnotes = ""
    # Rendering a footnote may append more footnotes to the list.
    order: list[str] = environment.get("footnote_order", [])
    for number, name in enumerate(order, 1):
        footnote = drawing.render(parse(environment["footnotes"][name], environment), markdown().options, environment)
        footnotes += f'<li id="fn{number}">{footnote}<a class="footnote" href="#" data-place="fnref{number}">↩</a></li>'
    if footnotes:
        body += f'<ol class="footnotes">{footnotes}</ol>'
    return RenderedNote(body, headings, starts)


def _headings(tokens: Tokens) -> Iterator[HeadingSource]:
    """Yield the headings among the tokens, and give each one a numbered id."""
    number = 0
    for token, inside in itertools.pairwise(tokens):
        if token.type == "heading_open":
            number += 1
            token.attrSet("id", f"h{number}")
            yield HeadingSource(int(token.tag[1]), _visible(inside), f"h{number}")


def _visible(inline: Token) -> str:
    parts = (
        (token.meta["words"] or token.meta["target"]) if token.type == "wikilink" else token.content
        for token in inline.children or ()
    )
    return " ".join("".join(parts).split())


def _marked(tokens: Tokens, first: int, last: int) -> Iterator[Token]:
    """Yield the tokens, with the blocks in a range of lines wrapped in an element for the highlighted passage.

    If only part of a container such as a list is in the range, the blocks inside it are wrapped.
    """
    inside = False
    for group in _siblings(tokens):
        start, end = group[0].map or (-1, -1)
        touched = 0 <= start <= last and end > first
        whole = touched and ((start >= first and end <= last + 1) or group[0].type not in _CONTAINERS)
        if whole != inside:
            yield Token("passage_open", "div", 1, attrs={"class": "passage"}) if whole else _PASSAGE_END
            inside = whole
        if touched and not whole:
            yield group[0]
            yield from _marked(group[1:-1], first, last)
            yield group[-1]
        else:
            yield from group
    if inside:
        yield _PASSAGE_END


_PASSAGE_END = Token("passage_close", "div", -1)
_CONTAINERS = frozenset(("bullet_list_open", "ordered_list_open", "list_item_open", "blockquote_open", "callout_open"))


def _siblings(tokens: Tokens) -> Iterator[Tokens]:
    """Yield the tokens of each block at the top level, as one sequence per block."""
    depth = start = 0
    for number, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tokens[start : number + 1]
            start = number + 1


def _part(body: str, name: str) -> str:
    """Return the section or block named in a link's fragment, or "" if it doesn't exist.

    If the name is empty, return the whole text.
    """
    if not name:
        return body
    lines = body.splitlines(keepends=True)
    tokens = parse(body, {})
    if name.startswith("^"):
        wanted = name.casefold()
        block = next((token for token in tokens if token.attrs.get("id") == wanted and token.map), None)
        return "".join(lines[block.map[0] : block.map[1]]) if block and block.map else ""
    openings = [(token, inside) for token, inside in itertools.pairwise(tokens) if token.type == "heading_open"]
    for number, (token, inside) in enumerate(openings):
        if token.map and same(_visible(inside), name.rpartition("#")[2]):
            below = (
                opening.map[0] for opening, _ in openings[number + 1 :] if opening.map and opening.tag <= token.tag
            )
            return "".join(lines[token.map[0] : next(below, len(lines))])
    return ""


def document_part(text: str, sources: Sources) -> RenderedNote:
    """Render the beginning of a text, or return it as preformatted HTML if it is deeply nested."""
    shown = drawable_part(text)
    return RenderedNote(as_written(shown), ()) if is_deeply_nested(shown) else document(shown, sources)


def as_written(text: str) -> str:
    """Return text as preformatted HTML, without rendering its Markdown."""
    return f'<div class="code"><pre><code>{html(text)}</code></pre></div>'


# The component that shows a rendered note, reports clicks, and scrolls to a heading or block.

# Names of the elements allowed in a rendered note.
VIEW_ELEMENTS = frozenset(
    "a article b blockquote br circle code del details div em h1 h2 h3 h4 h5 h6 hr img input kbd li mark nav ol p path pre s "
    "section span strong sub summary sup svg table tbody td text th thead tr u ul math mrow mi mo mn ms mtext mspace mfrac "
    "msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mlabeledtr mstyle mpadded mphantom "
    "menclose".split()
)
# Names of the attributes allowed on elements in a rendered note.
VIEW_ATTRIBUTES = frozenset(
    "alt checked class data-line data-lines data-make data-note data-place data-tag disabled download href id loading open rel src start target "
    "aria-label cx cy d r role viewBox x y title type width display mathvariant stretchy fence separator accent linethickness columnalign rowspacing "
    "columnspacing minsize maxsize movablelimits displaystyle scriptlevel lspace rspace notation form symmetric "
    "largeop".split()
)

VIEW = component("document", __file__, "<div class='document'></div>")


@frozen
class Clicked:
    """A click in a rendered note. Only the fields that describe the clicked item are set.

    It can be a link to a note (`note_id`, at the heading or block `place`), a link to a missing note (its path is
    `make`), a `tag`, or the checkbox in a `line`.
    """

    note_id: str = ""
    place: str = ""
    make: str = ""
    tag: str = ""
    line: int = -1


def show_document(
    html: str, key: str, *, place: str = "", arrival: str = "", on_click: Callable[[Clicked], None]
) -> None:
    """Show a rendered note, and scroll to the HTML id `place` each time `arrival` has a new value."""
    VIEW(
        key=key,
        data={
            "html": html,
            "elements": sorted(VIEW_ELEMENTS),
            "attributes": sorted(VIEW_ATTRIBUTES),
            "stamp": stamp(html),
            "place": place,
            "arrival": arrival,
        },
        on_open_change=on_trigger(key, "open", lambda link: on_click(Clicked(str(link["note"]), str(link["place"])))),
        on_make_change=on_trigger(key, "make", lambda target: on_click(Clicked(make=str(target)))),
        on_tag_change=on_trigger(key, "tag", lambda tag: on_click(Clicked(tag=str(tag)))),
        on_tick_change=on_trigger(key, "tick", lambda line: on_click(Clicked(line=int(line)))),
    )
