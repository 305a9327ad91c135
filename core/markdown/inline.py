"""Inline Markdown with hidden literals: the one rule for code, escapes, comments and HTML.

A literal is a span in which nothing else is read. Code spans, wikilinks, HTML, comments, addresses
and escaped signs bind from left to right, as in CommonMark. All scans are linear in the text.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.markdown.parser import Parsed

PLACE = re.compile(r"\0(\d+)\0")
"""Stands for a literal in a text, by its number. NUL can't be in the text: markdown-it replaces it."""

_LITERAL = re.compile(
    r"""
      (?P<ticks>`+)
    | \\(?P<escaped>[!-/:-@\[-`{-~])
    | !?\[\[(?P<target>[^\[\]|\n]{0,500})(?:\|(?P<alias>[^\[\]\n]{0,500}))?\]\]
    | (?P<opening>%%|<!--|<\?)
    | <![A-Za-z][^<>]*>
    | <(?P<address>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\s]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>
    | <[A-Za-z][\w-]*+(?:\s+[A-Za-z_:][\w.:-]*+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]++))?)*+\s*/?>
    | </[A-Za-z][\w-]*+\s*>
    """,
    re.VERBOSE,
)
_PLAIN = re.compile(r"[^`\\!\[%<]*+")
"""What no literal begins in; passed over in a quarter of the time of a search, which counts for pasted pictures."""
_TICKS = re.compile("`+")
_CLOSING = {"%%": "%%", "<!--": "-->", "<?": "?>"}
_RAW = re.compile(r"<!--.*?(?:-->|\Z)|<(pre|code|script|style|textarea)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal: its Markdown, and its visible text. A wikilink has a target."""

    raw: str
    visible: str = ""
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Inline:
    """A text with a PLACE for each of its literals."""

    text: str
    literals: Sequence[Literal]

    def raw(self, text: str) -> str:
        """Return a part of the text with the Markdown of its literals."""
        return PLACE.sub(lambda place: self.literals[int(place[1])].raw, text)


def hide(text: str) -> Inline:
    """Return inline Markdown with its literals hidden."""
    literals: list[Literal] = []
    pieces: list[str] = []
    closers = _Closers(text)
    start = at = 0
    while (at := _end_of_plain(text, at)) < len(text):
        match = _LITERAL.match(text, at)
        literal, end = _literal(text, match, closers) if match else (None, at + 1)
        if match and literal:
            pieces.append(f"{text[start : match.start()]}\0{len(literals)}\0")
            literals.append(literal)
            start = end
        at = end
    pieces.append(text[start:])
    return Inline("".join(pieces), literals)


def prose(parsed: Parsed) -> Iterator[tuple[str, bool]]:
    """Yield each block of inline Markdown, in reading order, with whether it is a heading.

    An HTML block counts without its code and comments, and the indented paragraphs of a footnote
    count, which CommonMark takes for code.
    """
    footnote = False
    for token in parsed.tokens:
        kind = token.type
        if kind in ("paragraph_open", "heading_open"):
            footnote = token.content.startswith("[^") and parsed.is_footnote(token)
            yield token.content, kind == "heading_open"
        elif kind == "code_block" and footnote:
            yield token.content, False
        elif kind == "definition" and parsed.is_footnote(token):
            start, end = parsed.span(token)
            footnote = True
            yield parsed.body[start:end].replace("\0", "\ufffd"), False
        else:
            footnote = False
            if kind == "table_open":
                for row in token.content.split("\n"):
                    yield row, False
            elif kind == "html_block":
                yield _RAW.sub("`", token.content), False


def _end_of_plain(text: str, at: int) -> int:
    plain = _PLAIN.match(text, at)
    return plain.end() if plain else at


class _Closers:
    """The ends of code spans and comments; all look-ups together take linear time."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ticks: defaultdict[int, list[int]] | None = None
        self._missing: set[str] = set()

    def next_backticks(self, ticks: int, at: int) -> int:
        """Return where the next run of so many backticks begins, -1 where there is none."""
        if self._ticks is None:
            self._ticks = defaultdict(list)
            for run in _TICKS.finditer(self._text):
                self._ticks[len(run[0])].append(run.start())
        runs = self._ticks[ticks]
        place = bisect_left(runs, at)
        return runs[place] if place < len(runs) else -1

    def next_mark(self, mark: str, at: int) -> int:
        """Return where the next such mark begins, -1 where there is none."""
        place = -1 if mark in self._missing else self._text.find(mark, at)
        if place < 0:
            self._missing.add(mark)
        return place


def _literal(text: str, match: re.Match[str], closers: _Closers) -> tuple[Literal | None, int]:
    """Return the literal that begins with a match, None where the match is text, and where it ends."""
    start, end = match.span()
    kind = match.lastgroup
    if kind == "ticks":
        closer = closers.next_backticks(end - start, end)
        if closer < 0:
            return None, end
        stop = closer + end - start
        return Literal(text[start:stop], text[end:closer].strip()), stop
    if kind == "opening":
        mark = _CLOSING[match[kind]]
        # CommonMark: `<!-->` is a whole comment.
        closer = closers.next_mark(mark, start + 2)
        return (None, end) if closer < 0 else (Literal(text[start : closer + len(mark)]), closer + len(mark))
    if kind in ("target", "alias"):
        target = match["target"]
        return Literal(match[0], match["alias"] or target.lstrip("#").replace("#", " > "), target), end
    return Literal(match[0], match[kind] if kind else ""), end
