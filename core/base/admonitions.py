"""Block rules for MkDocs admonitions, content tabs, formulas and comments.

Any of Tessera's Markdown parsers can use them.
"""

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

# The first line of an admonition (`!!! note "Title"`, or `??? tip` if collapsed) or of a content tab (`=== "Tab"`).
_ADMONITION = re.compile(
    r"(?:(?:!!!|(?P<fold>\?\?\?\+?))(?:[ \t]++(?P<kind>[\w-]++)(?:[ \t]++[\w-]++)*+)?|===[!+]?)"
    r'(?:[ \t]++"(?P<title>.*)")?[ \t]*'
)

# Options that let a Markdown block interrupt a paragraph, a link definition, a block quote or a list item.
INTERRUPTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}


BlockRule = Callable[[StateBlock, int, int, bool], bool]


def add_admonitions(parser: MarkdownIt) -> None:
    """Add the rule for admonitions and content tabs to a parser. Their bodies are indented by four columns."""
    parser.block.ruler.before("fence", "admonition", _admonition, INTERRUPTS)


def _admonition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse an admonition or a tab into callout tokens.

    The opening token's `meta` holds the kind, the title, and `???` or `???+` if the callout can be collapsed.
    """
    column = state.sCount[start]
    match = _ADMONITION.fullmatch(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if not match or state.is_code_block(start):
        return False
    found = match.groupdict("")
    last = next((at for at in range(start + 1, end) if state.sCount[at] < column + 4 and not state.isEmpty(at)), end)
    while state.isEmpty(last - 1):
        last -= 1
    if last == start + 1 or not (found["title"] or found["kind"]):
        return False  # text that only looks like one would lose its words
    if silent:
        return True
    opening = state.push("callout_open", "div", 1)
    opening.map = [start, last]
    opening.meta = found
    before = state.blkIndent, state.lineMax
    state.blkIndent = column + 4
    state.lineMax = last
    state.md.block.tokenize(state, start + 1, last)
    state.blkIndent, state.lineMax = before
    state.push("callout_close", "div", -1)
    state.line = last
    return True


def delimited_block(kind: str, mark: str, *, open_ended: bool = False) -> BlockRule:
    """Return the rule for a block delimited by `mark`, which becomes a token of type `kind`.

    The opening mark must start a line. Nothing may follow the closing mark, except in an `open_ended` block of several
    lines. The search is linear because it stops at the first line containing a mark.
    """

    def parse_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        begin = state.bMarks[start] + state.tShift[start]
        if not state.src.startswith(mark, begin) or state.is_code_block(start):
            return False
        begin += len(mark)
        for line in range(start, end):
            if line > start:
                begin = state.bMarks[line]
                if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
                    return False
            text = state.src[begin : state.eMarks[line]].rstrip()
            if mark in text:
                if not text.endswith(mark) and (line == start or not open_ended):
                    return False
                if not silent:
                    token = state.push(kind, "", 0)
                    token.map = [start, line + 1]
                    token.content = state.getLines(start, line + 1, state.blkIndent, False).strip().strip(mark[0])
                    state.line = line + 1
                return True
        return False

    return parse_block
