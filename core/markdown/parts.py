"""Find the tables, rows, tasks, pictures, links and diagrams in a passage."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from urllib.parse import unquote

from markdown_it.rules_block.table import escapedSplit

from core.base.fences import open_fence, outdent_closing
from core.base.frozen import frozen
from core.base.text import line_starts
from core.markdown import parser
from core.markdown.inline import visible_text
from core.markdown.parser import Parsed

# Characters around a table row in a quote or a list.
_AROUND = " \t>\r\n"


@frozen
class TableRow:
    """A table row, with its span in the text, and a `sentence` that pairs its cells with the column headers."""

    start: int
    end: int
    sentence: str


@frozen
class MarkdownTable:
    """A table, with its span in the text, including the header, and the rows that contain words."""

    start: int
    end: int
    rows: tuple[TableRow, ...]


def tables(text: str, lead: str = "") -> list[MarkdownTable]:
    """Return the tables in `text`.

    If the text was split off a block, `lead` is the text that precedes it, such as a table header.
    """
    above = f"{lead.rstrip()}\n" if lead.strip() else ""
    if "|" not in text or not any(map(_is_rule, f"{above}{text}".splitlines())):
        return []
    parsed = parser.parse(above + (outdent_closing(text, fence) if (fence := open_fence(lead)) else text))
    return [
        MarkdownTable(max(0, start - len(above)), end - len(above), tuple(_rows(parsed, token.map, len(above))))
        for token in parsed.tokens
        if token.type == "table_open" and token.map
        for start, end in [parsed.span(token)]
        if end > len(above)
    ]


def _is_rule(line: str) -> bool:
    # The delimiter row below a table's header consists only of these characters.
    return "|" in line and "-" in line and not line.strip(" \t>|:-")


def _rows(parsed: Parsed, between: Sequence[int], above: int) -> Iterator[TableRow]:
    """Yield the rows that contain words in the table between two lines.

    The body starts with `above` characters of a prepended lead, whose rows are left out.
    """
    header, _, *rows = (slice(*parsed.lines[number : number + 2]) for number in range(*between))
    names = _cells(parsed.body[header], parsed)
    for row in rows:
        line = parsed.body[row]
        start = row.stop - len(line.lstrip(_AROUND))
        end = row.start + len(line.rstrip(_AROUND))
        # A sentence is `first cell: second cell`. With more columns, each cell follows the name of its column.
        begins, *others = _cells(line, parsed) or [""]
        named = [
            f"{name if len(names) > 2 else ''} {cell}".strip()
            for name, cell in zip(names[1:], others, strict=False)
            if cell
        ]
        sentence = ": ".join(filter(None, (begins, "; ".join(named))))
        if row.start >= above and any(map(str.isalpha, sentence)):
            yield TableRow(start - above, end - above, sentence)


def _cells(line: str, parsed: Parsed) -> list[str]:
    cells = escapedSplit(line.strip(_AROUND))
    return [visible_text(cell, parsed.references) for cell in cells[not cells[0] : len(cells) - (not cells[-1])]]


# The opening line of a fence in a diagram language.
_DIAGRAM = re.compile(
    r"(?mi)^[ \t>]*+(?:[-*+] )?(?:`{3,}|~{3,})[ \t]*\{?[ \t]*\.?"
    r"(?:mermaid|plantuml|puml|uml|dot|graphviz|d2|ditaa|bpmn|wavedrom|nomnoml|vega|vega-lite|excalidraw)\b"
)


def opens_diagram(line: str) -> bool:
    """Return whether a fence's opening line names a diagram language."""
    return _DIAGRAM.match(line) is not None


# A picture. Matching is linear because no part can extend past the start of another picture.
_IMAGE = re.compile(
    r"!\[\[(?:[^\]\n!]|!(?!\[\[))++\]\]"
    r"|!\[(?:[^\]\n!]|!(?!\[))*+\](?:\((?:[^)\]\n]|\](?!\())++\)|\[[^\]\n]*+\])"
)
# Pattern for Chinese names of diagrams.
DIAGRAMS = (
    "(?:(?:架构|流程|示意|时序|顺序|序列|结构|关系|拓扑|网络|部署|组件|数据流|状态|泳道|甘特|用例|类|框|脑|思维导"
    "|原理|电路|逻辑|[柱条折饼线曲][状形线]*|[Ee]-?[Rr]|UML)图|图[表示解])(?![书像片库纸标])"
)
_NAMES_DIAGRAM = re.compile(
    rf"(?i){DIAGRAMS}|架构|拓扑|(?<![^\W\d_])(?:architecture|diagram|(?:work|data)?flow(?:[ _-]?chart)?|chart|graph"
    r"|mind[ _-]?map|schematic|topology|uml|erd)s?(?![^\W\d_])",
)


def has_diagram(text: str, headings: str = "") -> bool:
    """Return whether `text` contains a diagram: a fence in a diagram language, or a picture of a diagram.

    A picture counts as a diagram if it is a drawing file, or if its alt text, its file name or `headings` mentions a
    diagram.
    """
    if _DIAGRAM.search(text) or re.search(r"(?i)!\[[^\n]{0,300}?\.(?:excalidraw|drawio|puml)\b", text):
        return True
    # Drop the folders between a picture's alt text and its file name.
    captions = [unquote(re.sub(r"\]\(.*/", "](", image)) for image in _IMAGE.findall(text)]
    return bool(captions) and any(map(_NAMES_DIAGRAM.search, [*captions, headings]))


def has_table(text: str) -> bool:
    """Return whether `text` contains a table: a header row with a delimiter row below it."""
    return any("|" in header and _is_rule(line) for header, line in pairwise(text.split("\n")))


def has_task(text: str) -> bool:
    return re.search(r"(?m)^[ \t>]*([-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]", text) is not None


def has_image(text: str) -> bool:
    """Return whether `text` contains a picture, in Markdown or Obsidian syntax."""
    return _IMAGE.search(text) is not None


def has_link(text: str) -> bool:
    """Return whether `text` contains a link to a note, a file or a web page. Pictures don't count."""
    text = _IMAGE.sub("picture", text)
    return re.search(r"(?i)\[\[[^\[\]\n]{1,500}\]\]|\[[^\[\]\n]{1,500}\]\([^)\s]|\b[a-z]{3,10}://\w", text) is not None


_BOX = re.compile(r"(?:[-*+][ \t]|\d{1,9}[.)][ \t]|[ \t>])*\[(.)\][ \t]")
_MARK = re.compile(r"[-*+][ \t]|\d[.)][ \t]")


def toggle_task(body: str, line: int) -> str | None:
    """Return the body with the checkbox on a line toggled, or None if that line has no checkbox.

    Lines are counted from 0.
    """
    starts = line_starts(body)
    box = _BOX.match(body, starts[line]) if 0 <= line < len(starts) else None
    if not box or not _MARK.search(body, starts[line], box.start(1)):
        return None
    return body[: box.start(1)] + ("x" if box[1] == " " else " ") + body[box.end(1) :]
