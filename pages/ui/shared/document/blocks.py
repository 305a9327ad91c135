"""Blocks that CommonMark doesn't know: formulas between `$$`, comments between `%%`, footnotes."""

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,80})\]:[ \t]*")
MOST_FOOTNOTES = 1_000


def add(parser: MarkdownIt) -> None:
    """Add the rules of the blocks."""
    ends: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "math_block", _delimited("math_block", "$$"), ends)
    parser.block.ruler.before("fence", "comment_block", _delimited("comment_block", "%%"), ends)
    parser.block.ruler.before("reference", "footnote", _footnote, ends)


def _delimited(kind: str, mark: str) -> Callable[[StateBlock, int, int, bool], bool]:
    """Make the rule for a block: its first line begins with the mark, its last line ends with it."""

    def block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        begin = state.bMarks[start] + state.tShift[start]
        if not state.src.startswith(mark, begin) or state.is_code_block(start):
            return False
        for line in range(start, end):
            if line > start and state.sCount[line] < state.blkIndent and not state.isEmpty(line):
                return False
            first = begin + len(mark) if line == start else state.bMarks[line] + state.tShift[line]
            text = state.src[first : state.eMarks[line]].rstrip()
            if mark not in text:
                continue
            if not text.endswith(mark):
                return False
            if not silent:
                token = state.push(kind, "", 0)
                token.map = [start, line + 1]
                token.content = state.getLines(start, line + 1, state.blkIndent, False).strip().strip(mark[0])
                state.line = line + 1
            return True
        return False

    return block


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a footnote, whose further paragraphs are indented; it is drawn at the note's end."""
    match = _FOOTNOTE.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if not match or state.is_code_block(start):
        return False
    if silent:
        return True
    last = start + 1
    while last < end and (state.isEmpty(last) or state.sCount[last] >= state.blkIndent + 2):
        last += 1
    footnotes = state.env.setdefault("footnotes", {})
    if len(footnotes) < MOST_FOOTNOTES:
        rest = state.getLines(start + 1, last, state.blkIndent + 4, False)
        footnotes.setdefault(match[1], f"{state.src[match.end() : state.eMarks[start]]}\n{rest}".strip())
    state.line = last
    return True
