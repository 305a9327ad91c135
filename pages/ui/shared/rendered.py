"""Rendering Markdown as simple HTML with highlighted spans. Nothing in the Markdown is run or fetched.

Streamlit's own Markdown can't highlight a given span of the source. Here, each of the parser's inline tokens is located
in the source, so that a span of the source can be mapped to the output.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.base.admonitions import add_admonitions
from core.base.fences import outdent_closing
from core.base.flow import GAP, LINE
from core.base.frozen import frozen
from core.base.text import line_starts, with_newlines
from pages.ui.shared.document.parser import formula
from pages.ui.shared.safe import Span, Spans, html

# Number of characters after which an excerpt ends. The style sheet limits its number of lines.
SHOWN = 520
# Maximum number of characters to show before an excerpt's sentence, from the start of its paragraph.
BEFORE = 90

# Syntax that the Markdown parser doesn't support or would split: formulas, comments, callout types, block ids,
# wikilinks, and reference links.
_WHOLE = re.compile(
    r"(?s)(?P<code>(?<!`)(`+)(?!`).+?(?<!`)\2(?!`))"
    r"|(?P<math>\$\$[^$]+\$\$|(?<![\\$0-9A-Za-z_])\$(?![\s$])[^$\n]*[^\s$\\]\$(?!\d))"
    r"|(?P<hidden>%%.*?%%|<!--.*?-->|(?<=[>\s])\[![\w-]+\][-+]?(?:[ \t]+|(?=\n|\Z))|(?m:(?<=[ \t])\^[\w-]+[ \t]*$)"
    r"|(?m:(?<=[ \t])\{(?::[ ]*)?[#.]\w[^{}\n]*\}[ \t]*$))"
    r"|!?\[\[(?:[^\[\]|\n]*\|(?!\d+(?:x\d+)?\]\])(?P<alias>[^\[\]|\n]+)|#?(?P<wiki>[^\[\]|\n#]+)(?:[|#][^\[\]\n]*)?)\]\]"
    r"|(?<![\\!\]])\[(?P<quote>`?)(?P<reference>[^\[\]`\n]+(?:\n[^\[\]`\n]+)*)(?P=quote)\]\[[^\[\]\n]*\]",
)
# Parts of an HTML block that aren't visible.
_HTML = r"(?is)<(script|style)\b(?:.*?</\1\s*>|.*)|<!--(?:.*?-->|.*)|</?[a-z!?][^<>]*>"
_STANDIN = "\ue000"
_STYLES = {"strong": "b", "em": "i", "s": "s", "link": "u"}


@frozen
class RenderedPart:
    """A part of the source text with a single style (`css`).

    If `shown` is set, it is HTML to show instead of the source text, such as a separator.
    """

    start: int
    end: int
    css: str = ""
    shown: str | None = None


BREAK = "<br>"
# A blank line in code.
_BLANK = '<span class="t-code t-pre"> </span><br>'
_BULLET = "• "
_TASK = r"\[([ xX])\]\s+"
# A paragraph that consists of table rows without a header.
_ROWS = r"(?:\|.*\|[ \t]*(?:\n|\Z))+"
_CELL = ' <span class="t-dim">·</span> '


def excerpt(text: str, words: Spans, sentence: Span | None, *, underline: bool, fence: str = "") -> str:
    """Render an excerpt of Markdown around a sentence as HTML, with the given words highlighted.

    If `underline` is True, highlight the sentence too. If `sentence` is None, the excerpt starts at the beginning.
    `fence` is the opening line of the fence in which the text begins. Headings at the excerpt's start and blank lines
    in code are left out.
    """
    parts = [piece for piece in pieces(text, fence) if piece.shown != _BLANK]
    first = _first(parts, sentence[0] if sentence else 0)
    shown: list[RenderedPart] = []
    count = 0
    for piece in parts[first:]:
        if count > SHOWN or (piece.css == "code pre" and _is_apart(text, shown)):
            break
        shown.append(piece)
        count += piece.end - piece.start
    if any(map(_speaks, shown)):
        # The card already shows the section's title.
        while shown[0].shown == BREAK or _is_heading(shown[0]):
            del shown[0]
    return ("… " if any(map(_speaks, parts[:first])) else "") + _render(
        text, shown, words, sentence if underline else None
    )


def _is_apart(text: str, before: Sequence[RenderedPart]) -> bool:
    """Return whether a code block follows text that doesn't introduce it. Introductory text ends with a colon."""
    spoken = [piece for piece in before if _speaks(piece)]
    if not spoken or spoken[-1].css == "code pre":
        return False
    return not re.search(r"[:：][\s*_]*$", text[spoken[-1].start : spoken[-1].end])


def _speaks(piece: RenderedPart) -> bool:
    """Return whether a part is text rather than a heading or a separator."""
    return piece.shown is None and not _is_heading(piece)


def _is_heading(piece: RenderedPart) -> bool:
    return "h" in piece.css.split()


def render_text(text: str, words: Spans = (), sentence: Span | None = None, fence: str = "") -> str:
    """Return Markdown as HTML, with the given words and sentence highlighted.

    `fence` is the opening line of the fence in which the text begins.
    """
    return _render(text, pieces(text, fence), words, sentence)


def mark(text: str, spans: Spans) -> str:
    """Return plain text as HTML, with the spans highlighted."""
    return _render(text, [RenderedPart(0, len(text))], spans, None)


def _first(parts: Sequence[RenderedPart], start: int) -> int:
    """Return the index of the part at which an excerpt starts.

    This is the sentence at the offset `start`, or the beginning of its paragraph if that is at most BEFORE characters
    away. If the paragraph in turn begins that near to the start of the text, it is the first part.
    """
    at = next((number for number, piece in enumerate(parts) if piece.end > start), 0)
    block = next((number + 1 for number in range(at - 1, -1, -1) if parts[number].shown == BREAK), 0)
    if parts and start - parts[block].start <= BEFORE:
        return 0 if block and parts[block].start <= BEFORE else block
    return at


@lru_cache(64)
def pieces(text: str, fence: str = "") -> Sequence[RenderedPart]:
    """Parse Markdown into its visible parts, in order. `fence` is the opening line of the fence that it begins in."""
    if fence:
        head = len(fence) + 1
        whole = f"{fence}\n{outdent_closing(text, fence)}"
        return [replace(one, start=one.start - head, end=one.end - head) for one in pieces(whole)]
    hidden = _WHOLE.sub(_placeholder, with_newlines(text))
    lines = [*line_starts(hidden), len(hidden)]
    parts = list[RenderedPart]()
    at = 0

    def put(shown: str) -> None:
        parts.append(RenderedPart(at, at, shown=shown))

    for token in _parser().parse(hidden):
        if token.map:
            at = max(at, lines[min(token.map[0] + (token.type == "fence"), len(lines) - 1)])
        if token.type == "list_item_open":
            put(f"{html(token.info + token.markup)} " if token.info else _BULLET)
        elif token.type in ("fence", "code_block", "html_block"):
            is_html = token.type == "html_block"
            visible = re.sub(_HTML, "\n", token.content) if is_html else token.content
            shown = visible.strip("\n")
            for line in map(str.strip if is_html else str.rstrip, shown.split("\n") if shown else ()):
                if line:
                    start = hidden.find(line, at)
                    at = start + len(line)
                    parts += _restore(text, hidden, start, at, "") if is_html else [RenderedPart(start, at, "code pre")]
                    put(BREAK)
                elif not is_html:
                    put(_BLANK)
        elif token.type == "inline":
            css = "h" if parts and parts[-1].css == "heading" else ""
            if css:
                del parts[-1]
            children = token.children or []
            task = re.match(_TASK, children[0].content) if children and parts and parts[-1].shown == _BULLET else None
            if task:
                children[0].content = children[0].content[task.end() :]
                parts[-1] = RenderedPart(at, at, shown="☐ " if task[1] == " " else "☑ ")
            inline = _inline(hidden, text, children, at, css)
            for piece in _separate_cells(text, inline) if re.fullmatch(_ROWS, token.content) else inline:
                parts.append(piece)
                at = max(at, piece.end)
        elif token.type == "callout_open" and token.meta["title"]:
            parts += _inline(hidden, text, _parser().parseInline(token.meta["title"])[0].children or (), at, "b")
            put(BREAK)
        elif token.type == "heading_open":
            parts.append(RenderedPart(at, at, "heading"))
        elif token.type in ("th_close", "td_close"):
            put(_CELL)
        elif token.type in ("paragraph_close", "heading_close", "tr_close"):
            if parts and parts[-1].shown == _CELL:  # separators are only between cells
                del parts[-1]
            put(BREAK)
    return tuple(_shorten(text, parts))


def _shorten(text: str, parts: Sequence[RenderedPart]) -> Iterator[RenderedPart]:
    """Yield the parts, with unstyled text split into sentences, so that an excerpt can begin at any sentence."""
    for piece in parts:
        at = piece.start
        if piece.shown is None and not piece.css:
            for match in re.finditer(r"[.!?]\s+|[。！？；]", text[piece.start : piece.end]):
                end = piece.start + match.end()
                yield RenderedPart(at, end)
                at = end
        if piece.shown is not None or at < piece.end:
            yield RenderedPart(at, piece.end, piece.css, piece.shown)


def _inline(hidden: str, text: str, tokens: Sequence[Token], at: int, css: str) -> Iterator[RenderedPart]:
    """Yield the parts for a block's inline tokens.

    Each token is located in the source after the token before it, starting at the offset `at`.
    """
    styles = [css] if css else []
    for token in tokens:
        name = token.type.removesuffix("_open").removesuffix("_close")
        if name in _STYLES:
            styles = [*styles, _STYLES[name]] if token.nesting > 0 else styles[:-1]
            continue
        if token.type in ("softbreak", "hardbreak"):
            # In Chinese text, a line break doesn't stand for a space.
            soft = "" if text[at - 1 : at] > "\u2e7f" else " "
            yield RenderedPart(at, at, shown=BREAK if token.type == "hardbreak" else soft)
            continue
        content = token.markup if token.type == "text_special" else token.content
        if token.type == "html_inline" or not content:
            continue
        start = hidden.find(content, at)
        if start < 0:
            yield RenderedPart(at, at, shown=html(token.content))
            continue
        at = start + len(content)
        if token.type == "code_inline":
            yield RenderedPart(start, at, " ".join([*styles, "code"]))
        elif token.type == "text_special":
            yield RenderedPart(start, at, shown=html(token.content))
        else:
            yield from _restore(text, hidden, start, at, " ".join(styles))


def _separate_cells(text: str, parts: Iterator[RenderedPart]) -> Iterator[RenderedPart]:
    """Yield the parts of table rows, with each row on a separate line and with separators instead of bars."""
    for piece in parts:
        if piece.shown in ("", " "):
            yield replace(piece, shown=BREAK)
        elif piece.shown is not None or "code" in piece.css:
            yield piece
        else:
            for match in re.finditer(r"\||[^|]+", text[piece.start : piece.end]):
                start = piece.start + match.start()
                end = piece.start + match.end()
                before = text[:start].rpartition("\n")[2]
                bar = _CELL if before.strip(" \t>*+-") and text[end:].partition("\n")[0].strip() else ""
                yield replace(piece, start=start, end=end, shown=bar if match[0] == "|" else None)


def _restore(text: str, hidden: str, start: int, end: int, css: str) -> Iterator[RenderedPart]:
    """Yield the parts for a span of the source, including the syntax that was hidden from the parser."""
    for match in re.finditer(f"{_STANDIN}+|[^{_STANDIN}]+", hidden[start:end]):
        first = start + match.start()
        last = start + match.end()
        if match[0][0] != _STANDIN:
            yield RenderedPart(first, last, css)
            continue
        for found in _WHOLE.finditer(text[first:last]):
            begin, stop = (first + place for place in found.span(found.lastgroup or 0))
            if found["math"]:
                yield RenderedPart(begin, stop, shown=formula(found["math"]))
            elif not (found["code"] or found["hidden"]):
                yield RenderedPart(begin, stop, f"{css} {'code' if found['quote'] else 'u'}".strip())


def _placeholder(match: re.Match[str]) -> str:
    if match["code"]:
        return match[0]
    if "\n" in (match["reference"] or ""):  # leave the text to the parser, because it contains a line break
        start, end = (place - match.start() for place in match.span("reference"))
        return _STANDIN * start + match[0][start:end] + _STANDIN * (len(match[0]) - end)
    return re.sub(r"(?s)." if match["math"] else r"[^\n]", _STANDIN, match[0])


def _render(text: str, parts: Sequence[RenderedPart], words: Spans, sentence: Span | None) -> str:
    cuts = sorted({place for span in (*words, *([sentence] if sentence else ())) for place in span})
    marked = iter(words)
    word = next(marked, None)
    out = []
    for piece in parts:
        if piece.shown is not None:
            inside = sentence and sentence[0] < piece.start < sentence[1] and piece.shown != BREAK
            out.append(f'<span class="t-near">{piece.shown}</span>' if inside else piece.shown)
            continue
        inner = []
        for start, end in pairwise([piece.start, *(cut for cut in cuts if piece.start < cut < piece.end), piece.end]):
            while word and word[1] <= start:
                word = next(marked, None)
            shown = html(text[start:end]).replace(GAP, "").replace(LINE, BREAK)
            if word and word[0] <= start < word[1]:
                shown = f"<mark>{shown}</mark>"
            if sentence and sentence[0] <= start < sentence[1]:
                shown = f'<span class="t-near">{shown}</span>'
            inner.append(shown)
        style = "".join(f"t-{name} " for name in piece.css.split()).strip()
        out.append(f'<span class="{style}">{"".join(inner)}</span>' if style else "".join(inner))
    while out and out[-1] in (BREAK, _CELL, " "):
        del out[-1]
    return re.sub(r"(?:<br>\s*)+", BREAK, "".join(out))


@lru_cache(1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    # Keep escaped characters as separate tokens. Joined with adjacent text, they couldn't be found in the source.
    parser.core.ruler.disable("text_join")
    add_admonitions(parser)
    parser.block.ruler.disable("reference")  # show definitions, because they are often what was asked for
    return parser
