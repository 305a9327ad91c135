"""Parse a Markdown body into block tokens with line numbers.

markdown-it-py finds the blocks (CommonMark plus tables). Additional rules find Obsidian's `$$` math and `%%` comments,
and MkDocs' admonitions and content tabs.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt, rules_block
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from core.base.admonitions import INTERRUPTS, BlockRule, add_admonitions, delimited_block
from core.base.blobs import Span
from core.base.errors import SourceError
from core.base.frozen import Values
from core.base.text import line_starts, text_end

MAX_CHARACTERS = 50_000_000
# Maximum number of lines in a note. A list with this many items takes about 20 seconds and 1 GB to parse.
MAX_LINES = 500_000
# Maximum nesting depth.
#
# Deeper quotes and lists remain plain text in the surrounding block, and deeper details blocks aren't wrapped.
# A list and its item count as two levels.
MAX_NESTING = 60

_FOOTNOTE = re.compile(r"[ \t>]*\[\^[^\]\s]+\]:")


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A body and its block tokens.

    `lines` holds the offset of each line's start, then the body's length. `references` holds the normalized labels of
    the link definitions. A heading, paragraph or table is a single token whose content is its inline Markdown. A
    table's content has one line per row, with `|` between cells.
    """

    body: str
    lines: Sequence[int]
    tokens: Sequence[Token]
    references: Collection[str]

    def span(self, token: Token) -> Span:
        """Return the offsets where a block starts and its text ends. A block always starts at the start of a line."""
        first, last = token.map or (0, 0)
        return self.lines[first], text_end(self.body, self.lines[first], self.lines[last])

    def is_footnote(self, token: Token) -> bool:
        """Return whether a paragraph or definition belongs to a footnote."""
        return bool(token.map and _FOOTNOTE.match(self.body, self.lines[token.map[0]]))


def parse(body: str, name: str = "This note") -> Parsed:
    """Parse a body without front matter, in linear time.

    Raises SourceError, with `name` as its path, if the body exceeds MAX_CHARACTERS or MAX_LINES.
    """
    if len(body) > MAX_CHARACTERS:
        raise SourceError(
            name, "This note is longer than {n} characters. Split it into several notes.", n=MAX_CHARACTERS
        )
    if body.count("\n") + body.count("\r") - body.count("\r\n") > MAX_LINES:  # a list of the lines would take 1 GB
        raise SourceError(name, "This note has more than {n} lines. Split it into several notes.", n=MAX_LINES)
    lines = [*line_starts(body), len(body)] if body else [0]
    environment: dict[str, Values] = {}
    return Parsed(body, lines, _parser().parse(body, environment), environment.get("references", ()))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING, "inline_definitions": True}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.core.ruler.at("normalize", _normalize)
    rules = parser.block.ruler
    for name, (rule, terminates) in {
        "table": (rules_block.table, ["paragraph", "reference"]),
        "heading": (rules_block.heading, ["paragraph", "reference", "blockquote"]),
        "lheading": (rules_block.lheading, []),
        "paragraph": (rules_block.paragraph, []),
    }.items():
        rules.at(name, _as_one_token(rule), {"alt": terminates})
    rules.before("fence", "math", delimited_block("math", "$$"), INTERRUPTS)
    rules.before("fence", "comment", delimited_block("comment", "%%", open_ended=True), INTERRUPTS)
    add_admonitions(parser)
    return parser


def quote_admonitions(text: str) -> str:
    """Turn the bodies of admonitions into block quotes and blank out their first lines.

    The text keeps its length, so offsets in the result are also offsets in the original.
    """
    if not re.search(r"(?:!!!|\?\?\?|===)[!+]?[ \t]", text):
        return text
    parsed = parse(text)
    characters = list(text)
    for token in parsed.tokens:
        if token.type == "callout_open" and token.map:
            first, *body = (slice(*parsed.lines[at : at + 2]) for at in range(*token.map))
            indent = len(text[first]) - len(text[first].lstrip())
            characters[first] = re.sub(r"[^\n]", " ", text[first])
            for line in body:
                if own := text[line].strip():  # a tab is wider than one character
                    characters[line.start + max(0, min(indent, text[line].index(own) - 1))] = ">"
    return "".join(characters)


def _normalize(state: StateCore) -> None:
    """Normalize line endings and NULs like markdown-it, but a hundred times faster on one long line."""
    if "\r" in state.src:
        state.src = state.src.replace("\r\n", "\n").replace("\r", "\n")
    state.src = state.src.replace("\0", "\ufffd")


def _as_one_token(rule: BlockRule) -> BlockRule:
    """Wrap a rule so that it produces a single token.

    The rule's first token is kept. Its content becomes the inline Markdown of the remaining tokens.
    """

    def parse_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = len(state.tokens)
        if not rule(state, start, end, silent):
            return False
        if len(state.tokens) > first:
            token = state.tokens[first]
            token.nesting = 0
            inner = state.tokens[first + 1 :]
            if inner[0].type == "inline":
                token.content = inner[0].content
            else:
                rows = list[list[str]]()
                for cell in inner:
                    if cell.type == "tr_open":
                        rows.append([])
                    elif cell.type == "inline":
                        rows[-1].append(cell.content)
                token.content = "\n".join(map("|".join, rows))
            del state.tokens[first + 1 :]
        return True

    return parse_block
