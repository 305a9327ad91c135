"""Headings and blocks of a Markdown body, with their character offsets.

markdown-it-py finds the blocks (CommonMark and tables); two rules of our own add the `$$` math and
`%%` comments of Obsidian. Inline markup is only looked at in headings.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from typing import Literal

from markdown_it import MarkdownIt, rules_block
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from core.errors import SourceError

BlockKind = Literal[
    "heading", "paragraph", "fence", "code", "table", "list", "item", "quote", "callout",
    "html", "math", "comment", "rule", "footnote", "definition",
]  # fmt: skip

MAX_CHARACTERS = 50_000_000
MAX_LINES = 500_000
"""Above these a note is refused: a list of as many items takes about 20 seconds and 1 GB to parse."""
MAX_NESTING = 60
"""Deeper quotes and lists stay text of the block around them; a list counts twice, with its item."""
MAX_TITLE = 1_000
MAX_LEAD = 2_000
"""A longer table header or info line is not repeated: every part of the block would carry it."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; one `nested` in a quote or a list begins no section."""

    level: int
    title: str
    start: int
    end: int
    nested: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A block without the blank lines around it; `start` is the start of a line.

    `lead` is what a part cut from the inside must repeat: a table's header and delimiter row, the
    line that opens a fence, the title of a callout.
    """

    kind: BlockKind
    start: int
    end: int
    lead: str = ""
    children: tuple["Block", ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """All headings, and the blocks of the top level with their children, in reading order."""

    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]


def parse(body: str, name: str = "This note") -> Outline:
    """Return the outline of a body whose front matter is already gone.

    Takes linear time. Raises SourceError, with `name` as its path, for a body of more than
    MAX_CHARACTERS or MAX_LINES.
    """
    if len(body) > MAX_CHARACTERS:
        raise SourceError(name, f"longer than {MAX_CHARACTERS:,} characters; split it into several notes.")
    tree = _Tree(body)
    if len(tree.lines) > MAX_LINES + 1:
        raise SourceError(name, f"has more than {MAX_LINES:,} lines; split it into several notes.")
    blocks = tree.blocks(_parser().parse(body))
    return Outline(tuple(tree.headings), blocks)


def walk(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield every block, parents before their children."""
    for block in blocks:
        yield block
        if block.children:
            yield from walk(block.children)


def _line_starts(body: str) -> list[int]:
    """Return where each line starts, and the body's length last; lines end in \\r\\n, \\r or \\n."""
    ending = r"\r\n|\n|\r" if "\r" in body else r"\n"
    starts = [0, *(match.end() for match in re.finditer(ending, body))]
    return starts if starts[-1] == len(body) else [*starts, len(body)]


@dataclass(slots=True)
class _Open:
    """A block whose children are still being read."""

    kind: BlockKind
    start: int
    end: int
    lead: str = ""
    children: list[Block] = field(default_factory=list)


_CONTAINERS: dict[str, BlockKind] = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
}
_LEAVES: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "fence",
    "code_block": "code",
    "table_open": "table",
    "html_block": "html",
    "math": "math",
    "comment": "comment",
    "hr": "rule",
    "definition": "definition",
}
_CALLOUT = re.compile(r"[ \t>]*> ?\[![\w-]+\]")


class _Tree:
    """markdown-it's flat tokens with line numbers -> blocks with offsets into the original body."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.lines = _line_starts(body)
        self.headings: list[Heading] = []

    def blocks(self, tokens: Sequence[Token]) -> tuple[Block, ...]:
        root = _Open("quote", 0, len(self.body))
        stack = [root]
        for token in tokens:
            if token.nesting < 0:
                closed = stack.pop()
                stack[-1].children.append(
                    Block(closed.kind, closed.start, closed.end, closed.lead, tuple(closed.children))
                )
            elif token.type in _CONTAINERS:
                stack.append(self._container(token))
            else:
                self._leaf(token, stack)
        return tuple(root.children)

    def _container(self, token: Token) -> _Open:
        start, end = self._span(token)
        opened = _Open(_CONTAINERS[token.type], start, end)
        if opened.kind == "quote" and _CALLOUT.match(self.body, start):
            opened.kind, opened.lead = "callout", self._first_lines(start, 1)
        return opened

    def _leaf(self, token: Token, stack: list[_Open]) -> None:
        kind = _LEAVES[token.type]
        start, end = self._span(token)
        siblings = stack[-1].children
        if kind == "heading":
            nested = len(stack) > 1
            self.headings.append(Heading(int(token.tag[1]), _title(token.content), start, end, nested))
        elif kind in ("paragraph", "definition") and _FOOTNOTE.match(self.body, start):
            kind = "footnote"
        elif kind == "code" and siblings and siblings[-1].kind == "footnote":
            # What CommonMark takes for indented code here is the footnote's next paragraph.
            siblings[-1] = Block("footnote", siblings[-1].start, end)
            return
        lead = ""
        if kind == "fence" and len(token.info) <= MAX_LEAD:
            lead = f"{token.markup}{token.info}".strip()
        elif kind == "table":
            lead = self._first_lines(start, 2)
        siblings.append(Block(kind, start, end, lead))

    def _span(self, token: Token) -> tuple[int, int]:
        first, last = token.map or (0, 0)
        while last > first + 1 and self.body[self.lines[last - 1] : self.lines[last]].isspace():
            last -= 1
        start, end = self.lines[first], self.lines[last]
        return start, start + len(self.body[start:end].rstrip())

    def _first_lines(self, start: int, count: int) -> str:
        index = bisect_left(self.lines, start)
        end = self.lines[min(index + count, len(self.lines) - 1)]
        return self.body[start:end].strip() if end - start <= MAX_LEAD else ""


_FOOTNOTE = re.compile(r"[ \t>]*\[\^[^\]\s]+\]:")


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    options = {"maxNesting": MAX_NESTING, "inline_definitions": True}
    parser = MarkdownIt("commonmark", options).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    rules = parser.block.ruler
    alternatives = {
        "table": (rules_block.table, ["paragraph", "reference"]),
        "heading": (rules_block.heading, ["paragraph", "reference", "blockquote"]),
        "lheading": (rules_block.lheading, []),
        "paragraph": (rules_block.paragraph, []),
    }
    for name, (rule, terminates) in alternatives.items():
        rules.at(name, _as_one_token(rule), {"alt": terminates})
    interrupts: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    rules.before("fence", "math", _delimited("math", "$$"), interrupts)
    rules.before("fence", "comment", _delimited("comment", "%%"), interrupts)
    return parser


Rule = Callable[[StateBlock, int, int, bool], bool]


def _as_one_token(rule: Rule) -> Rule:
    """Keep the first token a rule pushes, with its text: a table has three tokens for every cell."""

    def parse_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = len(state.tokens)
        if not rule(state, start, end, silent):
            return False
        if len(state.tokens) > first:
            token = state.tokens[first]
            token.nesting = 0
            token.content = state.tokens[first + 1].content
            del state.tokens[first + 1 :]
        return True

    return parse_block


def _delimited(kind: BlockKind, mark: str) -> Rule:
    """Make the rule for a block between two lines with `mark`.

    It begins a line; a block of one line has nothing behind its second mark, and math ends with a
    line. The search stops at the first line with a mark, which keeps it linear.
    """

    def parse_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if not state.src.startswith(mark, state.bMarks[start] + state.tShift[start]):
            return False
        if state.is_code_block(start):
            return False
        last = _last_line(state, start, end)
        if last is None:
            return False
        if not silent:
            token = state.push(kind, "", 0)
            token.map = [start, last + 1]
            state.line = last + 1
        return True

    def _last_line(state: StateBlock, start: int, end: int) -> int | None:
        inside = state.bMarks[start] + state.tShift[start] + len(mark)
        for line in range(start, end):
            if line > start and state.sCount[line] < state.blkIndent and not state.isEmpty(line):
                return None
            begin = inside if line == start else state.bMarks[line]
            text = state.src[begin : state.eMarks[line]].rstrip()
            if mark in text:
                must_end = kind == "math" or line == start
                return line if text.endswith(mark) or not must_end else None
        return None

    return parse_block


_HIDDEN = re.compile(
    r"""
      (?P<code>(?<!`)(?P<ticks>`+)(?!`)(?P<inside>.+?)(?<!`)(?P=ticks)(?!`))
    | \\(?P<escaped>[!-/:-@\[-`{-~])
    | !?\[\[(?P<target>[^\[\]|]*)(?:\|(?P<alias>[^\[\]]*))?\]\]
    | (?P<comment>%%[^%]*%%|<!--.*?-->)
    | <(?P<address>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\s]*)>
    | (?P<tag></?[A-Za-z][^<>]*>)
    | (?P<mark>\*+|_+|~~|==)
    """,
    re.VERBOSE | re.DOTALL,
)
_DESTINATION = r"(?:\((?:<[^<>]*>|(?>[^()\s]+|\([^()\s]*\))*+)(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)|\[[^\[\]]*\])"
_IMAGE = re.compile(r"!\[(?!\[)([^\[\]]*)\]" + _DESTINATION)
_LINK = re.compile(r"(?<!\[)\[(?![\[^])([^\[\]]*)\]" + _DESTINATION)
_TRAILING = re.compile(r"\s+(?:\{[#.][^{}]*\}|\^[\w-]+)$")
_PLAIN = re.compile(r"[^`*_~=\[\]<\\&%{^]*")


def _title(text: str) -> str:
    """Return a heading's visible text: links and wikilinks by their words, without marks.

    A mark is left where it can't be one: spaces on both sides, `_` inside a word, an odd number.
    """
    text = " ".join(text[: MAX_TITLE + 1].split())
    if len(text) > MAX_TITLE:
        text = text[: MAX_TITLE - 1] + "…"
    if _PLAIN.fullmatch(text):
        return text
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", _TRAILING.sub("", text)))
    marks = Counter(match["mark"] for match in _HIDDEN.finditer(text) if match["mark"] and _is_mark(text, match))

    def visible(match: re.Match[str]) -> str:
        if match["code"]:
            return match["inside"].strip()
        if match["target"] is not None:
            return match["alias"] or match["target"].lstrip("#").replace("#", " > ")
        if match["mark"]:
            hidden = _is_mark(text, match) and marks[match["mark"]] % 2 == 0
            return "" if hidden else match["mark"]
        return match["escaped"] or match["address"] or ""

    return " ".join(unescape(_HIDDEN.sub(visible, text)).split())


def _is_mark(text: str, match: re.Match[str]) -> bool:
    before, after = text[: match.start()][-1:] or " ", text[match.end() :][:1] or " "
    if match["mark"].startswith("_") and before.isalnum() and after.isalnum():
        return False
    return not (before.isspace() and after.isspace())
