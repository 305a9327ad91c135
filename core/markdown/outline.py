"""The headings, blocks and sections of a Markdown body, with character offsets, and the sentences in its prose.

The blocks between `<details>` and `</details>` become children of one block. Inline markup is parsed only in headings.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from markdown_it.token import Token

from core.base.blobs import Span, blobs
from core.base.errors import SourceError
from core.base.frozen import frozen
from core.base.text import ABBREVIATED, is_chinese
from core.markdown import parser
from core.markdown.inline import visible_text
from core.markdown.parser import MAX_NESTING, Parsed
from core.model import Note

BlockKind = Literal[
    "heading", "paragraph", "fence", "code", "table", "list", "item", "quote", "callout",
    "html", "details", "math", "comment", "rule", "footnote", "definition",
]  # fmt: skip

# Maximum number of characters in a block's lead, which is repeated in each part if the block is split.
MAX_LEAD = 2_000


@frozen
class Heading:
    """A heading. A heading `nested` in a quote, list or details block doesn't start a section."""

    level: int
    title: str
    start: int
    end: int
    nested: bool = False


@frozen
class Block:
    """A block, excluding surrounding blank lines. `start` is always at the start of a line.

    When the block is split, each later part repeats its `lead`. The lead is a table's header and delimiter row, a
    fence's opening line, a callout's title, or the summary of a details block.
    """

    kind: BlockKind
    start: int
    end: int
    lead: str = ""
    children: tuple["Block", ...] = ()


@frozen
class Outline:
    """A body's headings, top-level blocks with their children, and blobs (long data), each in reading order."""

    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    blobs: tuple[Span, ...] = ()


def parse(body: str, name: str = "This note") -> Outline:
    """Return a body's outline. Raises the same errors as `parser.parse`."""
    return build_outline(parser.parse(body, name))


def plain_outline(body: str) -> Outline:
    """Return the outline of plain text, which has no headings or blocks."""
    return Outline((), (), tuple(blobs(body)))


_KINDS: dict[str, BlockKind] = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "callout_open": "callout",
    "details_open": "details",
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
_SUMMARY = re.compile(r"(?is)[^<]*<details\b[^<>]*>[\s>]*<summary\b[^<>]*>(.*?)</summary>")


def build_outline(parsed: Parsed) -> Outline:
    """Return a parsed body's outline.

    The parser's flat tokens with line numbers become nested blocks with character offsets.
    """
    body = parsed.body
    lines = parsed.lines
    headings = []
    opened = list[Block]()
    stack = list[list[Block]]([[]])

    def first_lines(start: int, count: int) -> str:
        end = lines[min(bisect_left(lines, start) + count, len(lines) - 1)]
        return body[start:end].strip() if end - start <= MAX_LEAD else ""

    for token in _with_details(parsed.tokens) if re.search("(?i)<details", body) else parsed.tokens:
        if token.nesting < 0:
            children = tuple(stack.pop())
            stack[-1].append(replace(opened.pop(), children=children))
            continue
        start, end = parsed.span(token)
        kind = _KINDS[token.type]
        siblings = stack[-1]
        head = min(end, start + MAX_LEAD)
        lead = ""
        match kind:
            case "callout" | "quote" if kind == "callout" or _CALLOUT.match(body, start, head):
                kind = "callout"
                lead = first_lines(start, 1)
            case "details" if summary := _SUMMARY.match(body, start, head):
                lead = visible_text(re.sub(r"[\r\n][\s>]*", " ", summary[1].replace("\0", "\ufffd")), parsed.references)
            case "heading":
                title = visible_text(token.content, parsed.references)
                headings.append(Heading(int(token.tag[1]), title, start, end, nested=bool(opened)))
            case "paragraph" | "definition" if parsed.is_footnote(token):
                kind = "footnote"
            case "code" if siblings and siblings[-1].kind == "footnote":
                # CommonMark treats a footnote's next paragraph as indented code.
                siblings[-1] = Block("footnote", siblings[-1].start, end)
                continue
            case "fence" if len(token.info) <= MAX_LEAD:
                lead = f"{token.markup}{token.info}".strip()
            case "table":
                lead = first_lines(start, 2)
        block = Block(kind, start, end, lead)
        if token.nesting > 0:
            opened.append(block)
            stack.append([])
        else:
            siblings.append(block)
    return Outline(tuple(headings), tuple(stack[0]), tuple(blobs(body)))


def walk(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield every block, parents before their children."""
    for block in blocks:
        yield block
        if block.children:
            yield from walk(block.children)


def _with_details(tokens: Sequence[Token]) -> list[Token]:
    """Wrap the blocks from `<details>` to `</details>` in a pair of opening and closing tokens.

    CommonMark ends an HTML block at a blank line, so the two tags are in different blocks. Those blocks are split
    before the opening tag and after the closing tag.
    """
    edges = defaultdict[int, list[tuple[int, bool, int]]](list)
    for (first, begin), (last, end) in _pairs(tokens):
        edges[first].append((begin, True, -end))
        edges[last].append((end, False, -begin))
    result = []
    for index, token in enumerate(tokens):
        if index not in edges:
            result.append(token)
            continue
        start = at = token.map[0] if token.map else 0
        lines = token.content.split("\n")
        for line, opens, other in sorted(edges[index]):
            result += _html(lines[at - start : line - start], at)
            at = line
            result.append(
                Token("details_open", "details", 1, map=[line, -other])
                if opens
                else Token("details_close", "details", -1)
            )
        result += _html(lines[at - start :], at)
    return result


def _pairs(tokens: Sequence[Token]) -> Iterator[tuple[Span, Span]]:
    """Yield the start and end of each pair of details tags, as two (token index, line) tuples.

    The two tags of a pair are in the same container. Unpaired tags are skipped, and so are pairs within a single token,
    which is already one block.
    """
    stack: list[list[Span]] = [[]]
    for index, token in enumerate(tokens):
        if token.nesting > 0:
            stack.append([])
        elif token.nesting < 0:
            stack.pop()
        elif token.type == "html_block":
            opened = stack[-1]
            depths = defaultdict[int, int](int)
            line = (token.map or [0])[0]
            position = 0
            for tag in re.finditer(
                r"(?is)<!--.*?(?:-->|\Z)|<(pre|script|style|textarea)\b.*?(?:</\1\s*>|\Z)|<(?P<end>/?)details(?=[\s/>])",
                token.content,
            ):
                line += token.content.count("\n", position, tag.start())
                position = tag.start()
                if tag["end"] is not None:
                    depths[line] += -1 if tag["end"] else 1
            for line, depth in depths.items():
                opened += [(index, line)] * depth
                for _ in range(min(-depth, len(opened))):
                    begin = opened.pop()
                    if begin[0] != index and len(stack) + sum(map(len, stack)) <= MAX_NESTING:
                        yield begin, (index, line + 1)


def _html(lines: Sequence[str], first: int) -> list[Token]:
    """Return an HTML block for the given lines, numbered from `first`, or an empty list if all lines are blank."""
    seen = [number for number, line in enumerate(lines, first) if line.strip()]
    return [Token("html_block", "", 0, map=[seen[0], seen[-1] + 1])] if seen else []


# A note's sections, and the sentences in its prose.


_SENTENCE = rf"\S.*?(?:{ABBREVIATED}[.!?](?=[\"”’)*_]*(?:\s+[A-Z_*`“\"(\[]|\s*$))|$)"
_CHINESE_SENTENCE = r"[^\s。！？][^。！？]*(?:[。！？][”）)]?|$)"
# The start of a paragraph that isn't prose.
_MARKUP = re.compile(r"\s*(?::\w+:`|!\[|\{\{|<|\$\$|\[\^|%%|\|)")


@frozen
class Section:
    """A heading, or the note's title before the first heading, and the blocks directly below it.

    Pictures, tables, formulas, HTML, comments and footnotes are left out.
    """

    heading: str
    blocks: tuple[Block, ...]


def sections_of(note: Note) -> list[Section]:
    """Return a note's sections in order, or [] if the note is too large to parse."""
    try:
        parsed = parse(note.body, note.path or note.title)
    except SourceError:
        return []
    titles = {heading.start: heading.title for heading in parsed.headings if not heading.nested}
    sections = []
    heading = note.title
    blocks = list[Block]()
    for block in parsed.blocks:
        if block.start in titles:
            sections.append(Section(heading, tuple(blocks)))
            heading = titles[block.start]
            blocks = []
        elif not _MARKUP.match(note.body, block.start):
            blocks.append(block)
    return [*sections, Section(heading, tuple(blocks))]


def sentences_of(body: str, block: Block) -> Iterator[Span]:
    """Yield the spans of the complete sentences in a block. A block of more than 5,000 characters isn't prose."""
    if block.end - block.start > 5_000:
        return
    text = re.sub(r"\s", " ", body[block.start : block.end])
    for sentence in re.finditer(_CHINESE_SENTENCE if is_chinese(text) else _SENTENCE, text):
        if re.search(r"[.!?。！？][”）)]?$", sentence[0]):
            yield block.start + sentence.start(), block.start + sentence.end()
