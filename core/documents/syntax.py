"""Simplification of pandoc's JSON syntax tree, so that plain Markdown can express it.

A node is {"t": its kind, "c": its content} (pandoc-types 1.23).
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.base.text import collapse_spaces
from core.documents.office import blocks
from core.documents.office.blocks import ATTRIBUTES, MARKER, SPACE, Blocks, Inlines, Node, numeral

_RAISED = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")


def formula_inlines(tex: str, *, is_block: bool) -> Inlines:
    """Return a simple TeX formula as words (`m^{2}` becomes m²), and any other formula as TeX in dollar signs."""
    line = collapse_spaces(tex.replace("\\|", "\\Vert ").replace("|", "\\vert "))  # a bar would end a table cell
    text = re.sub(r"([\^_])(?:\{([^{}]*)\}|(\w))", _script, line)
    if re.fullmatch(r"[\w\s.,;:=+\-*/()\[\]<>%°′'!?]*", text):
        return blocks.inlines(text)
    mark = "$$" if is_block else "$"
    return [_raw_markdown(f"{mark}{line}{mark}")]


def _script(match: "re.Match[str]") -> str:
    content = match[2] or match[3] or ""
    made = content.translate(_RAISED if match[1] == "^" else _LOWERED)
    return match[0] if any(sign in content and sign.isalnum() for sign in made) else made


_BLOCKS = frozenset(
    "Plain Para LineBlock CodeBlock RawBlock BlockQuote OrderedList BulletList DefinitionList Header HorizontalRule"
    " Table Figure Div".split()
)
_INLINES = frozenset(
    "Str Emph Underline Strong Strikeout Superscript Subscript SmallCaps Quoted Cite Code Space SoftBreak LineBreak"
    " Math RawInline Link Image Note Span".split()
)
_NUMERALS = {"LowerAlpha": "a", "UpperAlpha": "A", "LowerRoman": "i", "UpperRoman": "I"}
_MOST_COLUMNS = 500
# Raw inline formats that become code.
SOURCES = ("latex", "tex")


def insert_blocks(node: object, by_marker: Mapping[str, Blocks]) -> Any:
    """Return blocks without markers, inserting each marker's blocks after the paragraph that contained it."""
    if isinstance(node, list):
        return [part for entry in node for part in _part_paragraph(entry, by_marker)] if by_marker else node
    return node | {"c": insert_blocks(node["c"], by_marker)} if isinstance(node, dict) and "c" in node else node


def _part_paragraph(node: object, by_marker: Mapping[str, Blocks]) -> Sequence[object]:
    """Return a paragraph without its markers, followed by the markers' blocks. An empty paragraph is left out."""
    if not isinstance(node, dict) or node.get("t") not in ("Para", "Plain"):
        return [insert_blocks(node, by_marker)]
    content = []
    following = []
    for entry in node["c"]:
        text = entry["c"] if entry["t"] == "Str" else ""
        markers = [marker for marker in MARKER.findall(text) if marker in by_marker]
        following += [block for marker in markers for block in by_marker[marker]]
        if not markers or (text := MARKER.sub("", text)):
            content.append(entry | {"c": text} if markers else entry)
    return [node | {"c": content}, *following] if content or not node["c"] else following


def simple(nodes: Blocks, *, pictures: bool) -> Blocks:
    """Return blocks that plain Markdown can express. In tables, each cell is one line and rows have equal lengths.

    Only pictures stored next to the document are kept. If `pictures` is False, no pictures are kept, because
    their files aren't available. All other pictures are replaced by their descriptions.
    """
    return list(_simple(nodes, pictures))


def plain(node: object) -> str:
    """Return the plain text of a node or metadata value."""
    if isinstance(node, list):
        return "".join(map(plain, node))
    if not isinstance(node, dict):
        return ""
    content = node.get("c") or ""
    match node.get("t"):
        case "Str" | "MetaString":
            return str(content)
        case "Space" | "SoftBreak" | "LineBreak":
            return " "
        case "Code" | "Math" | "CodeBlock":
            return str(content[1])
        case "MetaList":
            return ", ".join(map(plain, content))
    return plain(content)


def paragraphs(node: Node) -> Blocks:
    """Return a metadata value as blocks."""
    kind = node.get("t")
    content = node.get("c") or []
    if kind == "MetaBlocks":
        return list(content)
    if kind == "MetaList":
        return [block for entry in content for block in paragraphs(entry)]
    return [{"t": "Para", "c": content}] if kind == "MetaInlines" and content else []


def _simple(nodes: Blocks, pictures: bool) -> Iterator[Node]:
    for block in nodes:
        kind = block["t"]
        content: Any = block.get("c")
        if kind in ("Div", "CodeBlock") and (caption := dict(content[0][2]).get("caption")):
            yield blocks.para(blocks.inlines(caption))
        match kind:
            case "Div":
                yield from _simple(content[1], pictures)
            case "Figure":
                shown, caption = (list(_simple(part, pictures)) for part in (content[2], content[1][1]))
                yield from shown if plain(shown) == plain(caption) else shown + caption
            case "Table":
                yield from _table(content, pictures)
            case "Header":
                yield {"t": kind, "c": [content[0], ATTRIBUTES, _inlines(content[2], pictures)]}
            case "OrderedList" if labels := _labels(content):
                items = [
                    _prepend_word({"t": "Str", "c": label}, item)
                    for label, item in zip(labels, content[1], strict=True)
                ]
                yield _within(blocks.bullets(items), pictures)
            case "Para" | "Plain":
                made = _inlines(content, pictures)
                # Markdown has no lettered lists, so pandoc must not escape these labels.
                if made and made[0]["t"] == "Str" and re.fullmatch(r"[A-Za-z]{1,5}[.)]|\(\w{1,9}\)", made[0]["c"]):
                    made[0] = _raw_markdown(made[0]["c"])
                yield {"t": kind, "c": made}
            case "RawBlock" | "Null":
                pass
            case _:
                yield _within(block, pictures)


def _labels(content: Sequence[Any], *, all_of_them: bool = False) -> list[str]:
    """Return the labels of a list that Markdown can't number itself, or [] for a plain numbered list.

    With `all_of_them`, return the labels of any list.
    """
    (start, style, sign), items = content
    if not all_of_them and style["t"] not in _NUMERALS and sign["t"] != "TwoParens":
        return []
    form = {"OneParen": "{})", "TwoParens": "({})"}.get(sign["t"], "{}.")
    return [form.format(numeral(start + at, _NUMERALS.get(style["t"], "1"))) for at in range(len(items))]


def _prepend_word(word: Node, item: Blocks) -> Blocks:
    if item and item[0]["t"] in ("Para", "Plain"):
        return [item[0] | {"c": [word, SPACE, *item[0]["c"]]}, *item[1:]]
    return [{"t": "Plain", "c": [word]}, *item]


def _raw_markdown(markdown: str) -> Node:
    return {"t": "RawInline", "c": ["markdown", markdown]}


def _within(node: object, pictures: bool) -> Any:
    """Return a node with its blocks and inlines simplified at any depth."""
    if isinstance(node, list):
        if node and all(isinstance(entry, dict) and entry.get("t") in _BLOCKS for entry in node):
            return list(_simple(node, pictures))
        if node and all(isinstance(entry, dict) and "t" in entry for entry in node):
            return _inlines(node, pictures)
        return [_within(entry, pictures) for entry in node]
    if isinstance(node, dict) and isinstance(node.get("c"), list):
        return node | {"c": _within(node["c"], pictures)}
    return node


def _inlines(nodes: Inlines, pictures: bool) -> Inlines:
    made = Inlines()
    for node in nodes:
        kind = node["t"]
        content: Any = node.get("c")
        if kind == "RawInline" and content[0] == "html" and re.match(r"<img\s", content[1]):
            stated = dict(re.findall(r"""\s(alt|src|title)\s*=\s*["']([^"'<>]*)""", content[1]))
            alt, src, title = (html.unescape(stated.get(name, "")) for name in ("alt", "src", "title"))
            kind = "Image"
            content = [ATTRIBUTES, blocks.inlines(alt), [src, title]]
        match kind:
            case "Image":
                attributes, words, (address, title) = content
                words = _inlines(words or blocks.inlines(dict(attributes[2]).get("alt", "")), pictures)
                if pictures and re.match(r"(?!//)[^:]*$", address):  # the file is next to the document
                    words = [{"t": kind, "c": [ATTRIBUTES, words, [address, title]]}]
                elif title and title not in plain(words):
                    words += [SPACE, *blocks.inlines(f"({title})")]
                made += words
            case "Link" if not content[2][0].startswith("#"):
                made.append({"t": kind, "c": [ATTRIBUTES, _inlines(content[1], pictures), content[2]]})
            case "Link" | "Span":
                made += _inlines(content[1], pictures)
            case "RawInline" if content[0] in SOURCES:
                made.append({"t": "Code", "c": [ATTRIBUTES, content[1]]})
            case "RawInline" if content[0] == blocks.OURS:
                made.append(_raw_markdown(content[1]))
            case "RawInline":
                text = re.sub(r"<[^<>]*>", "", content[1]) if content[0] == "html" else ""
                made += blocks.inlines(html.unescape(text))
            case "Math":
                made += formula_inlines(content[1], is_block=content[0]["t"] == "DisplayMath")
            case _:
                made.append(_within(node, pictures))
    return made


def _table(content: list[Any], pictures: bool) -> Iterator[Node]:
    """Yield a table with simple cells, or only the cells' contents if the table has one column and serves as layout."""
    _, caption, _, head, bodies, foot = content
    rows = [*head[1], *(row for body in bodies for row in (*body[2], *body[3])), *foot[1]]
    lines = [
        [_line(list(_simple(cell[4], pictures))) if cell else [] for cell in row[:_MOST_COLUMNS]]
        for row in _expand_spans(rows)
    ]
    columns = max(map(len, lines), default=0)
    if columns == 1 and not head[1] and any(len(cell[4]) > 1 for row in rows for cell in row[1]):
        for row in rows:
            for cell in row[1]:
                yield from _simple(cell[4], pictures)
        return
    if not columns:
        return
    if caption[1]:
        yield from _simple(caption[1], pictures)
    yield blocks.table(lines)


def _expand_spans(rows: list[Any]) -> Iterator[list[Any]]:
    """Yield the cells of each row. Cells that span several columns or rows are followed by empty cells."""
    below: dict[int, int] = {}
    for row in rows:
        placed = list[object]()
        for cell in [*row[1], None]:
            while below.get(len(placed), 0):
                below[len(placed)] -= 1
                placed.append(None)
            if cell is None:  # the end of the row
                break
            _, _, height, width, _ = cell
            for number in range(min(width, _MOST_COLUMNS)):
                below[len(placed)] = height - 1
                placed.append(None if number else cell)
        yield placed


def _line(node: object) -> Inlines:
    """Return blocks as inlines on a single line."""
    if isinstance(node, dict):
        content = node.get("c") or []
        match node["t"]:
            case "Plain" | "Para":
                return list(content)
            case "Header":
                return list(content[2])
            case "OrderedList":
                labels = map(_raw_markdown, _labels(content, all_of_them=True))
                return _line(list(map(_prepend_word, labels, content[1])))
            case "CodeBlock":
                return [{"t": "Code", "c": [ATTRIBUTES, collapse_spaces(content[1])]}]
        return _line(content)
    if not isinstance(node, list):
        return []
    if all(isinstance(entry, dict) and entry.get("t") in _INLINES for entry in node):
        return list(node)
    made = Inlines()
    for entry in node:
        if inlines := _line(entry):
            made += [SPACE, *inlines] if made else inlines
    return made
