"""What pandoc reads of a document, as its syntax tree in JSON: made so simple that plain Markdown can say it.

A node is {"t": its kind, "c": its content} (pandoc-types 1.23).
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

_SPACE = {"t": "Space"}
_SIMPLE_ATTRIBUTES = ["", [], []]
_BLOCKS = frozenset(
    "Plain Para LineBlock CodeBlock RawBlock BlockQuote OrderedList BulletList DefinitionList Header HorizontalRule"
    " Table Figure Div".split()
)
_MOST_COLUMNS = 500


def simple(blocks: list[Any], *, pictures: bool) -> list[Any]:
    """Return blocks whose tables have one line a cell and as many cells a row, and whose pictures are files beside it.

    Without `pictures` there are no such files: a picture is its description.
    """
    return list(_simple(blocks, pictures))


def plain(node: Any) -> str:
    """Return the text of a node, of metadata too."""
    if isinstance(node, list):
        return "".join(map(plain, node))
    if not isinstance(node, dict):
        return ""
    kind, content = node.get("t"), node.get("c") or ""
    if kind in ("Str", "MetaString"):
        return str(content)
    if kind in ("Space", "SoftBreak", "LineBreak"):
        return " "
    if kind in ("Code", "Math", "CodeBlock"):
        return str(content[1])
    if kind == "MetaList":
        return ", ".join(map(plain, content))
    return plain(content)


def _simple(blocks: list[Any], pictures: bool) -> Iterator[Any]:
    for block in blocks:
        kind, content = block["t"], block.get("c")
        if kind == "Div":
            yield from _simple(content[1], pictures)
        elif kind == "Figure":
            yield from _simple(content[2], pictures)
        elif kind == "Table":
            yield from _table(content, pictures)
        elif kind == "Header":
            yield {"t": kind, "c": [content[0], _SIMPLE_ATTRIBUTES, _inlines(content[2], pictures)]}
        elif kind not in ("RawBlock", "Null"):
            yield _within(block, pictures)


def _within(node: Any, pictures: bool) -> Any:
    """Return a node with simple blocks and inlines in it, at any depth."""
    if isinstance(node, list):
        if node and all(isinstance(one, dict) and one.get("t") in _BLOCKS for one in node):
            return list(_simple(node, pictures))
        if node and all(isinstance(one, dict) and "t" in one for one in node):
            return _inlines(node, pictures)
        return [_within(one, pictures) for one in node]
    if isinstance(node, dict) and "c" in node:
        return node | {"c": _within(node["c"], pictures)}
    return node


def _inlines(nodes: list[Any], pictures: bool) -> list[Any]:
    made: list[Any] = []
    for node in nodes:
        kind, content = node["t"], node.get("c")
        is_lost = kind == "Image" and not (pictures and _beside(content[2][0]))
        if is_lost or kind == "Span" or (kind == "Link" and content[2][0].startswith("#")):
            made += _inlines(content[1], pictures)
        elif kind == "Link":
            made.append({"t": kind, "c": [_SIMPLE_ATTRIBUTES, _inlines(content[1], pictures), content[2]]})
        elif kind != "RawInline":
            made.append(_within(node, pictures))
    return made


def _beside(address: str) -> bool:
    """Return whether a picture is a file beside the document."""
    return ":" not in address and not address.startswith("//")


def _table(content: list[Any], pictures: bool) -> Iterator[Any]:
    """Yield a table of simple cells; one that only arranges its contents, in one column, is its contents."""
    _, caption, _, head, bodies, foot = content
    rows = [*head[1], *(row for body in bodies for row in (*body[2], *body[3])), *foot[1]]
    cells = [list(islice(_cells(row, pictures), _MOST_COLUMNS)) for row in _spanned(rows)]
    columns = max(map(len, cells), default=0)
    if columns == 1 and not head[1] and any(len(cell[4]) > 1 for row in rows for cell in row[1]):
        for row in rows:
            for cell in row[1]:
                yield from _simple(cell[4], pictures)
        return
    if not columns:
        return
    for row in cells:
        row += [_cell([])] * (columns - len(row))
    made = [[_SIMPLE_ATTRIBUTES, row] for row in cells]
    specs = [[{"t": "AlignDefault"}, {"t": "ColWidthDefault"}]] * columns
    body = [_SIMPLE_ATTRIBUTES, 0, [], made[1:]]
    parts = [_SIMPLE_ATTRIBUTES, [None, []], specs, [_SIMPLE_ATTRIBUTES, made[:1]], [body], [_SIMPLE_ATTRIBUTES, []]]
    if caption[1]:
        yield from _simple(caption[1], pictures)
    yield {"t": "Table", "c": parts}


def _spanned(rows: list[Any]) -> Iterator[list[Any]]:
    """Yield the cells of each row; a cell over several columns or rows is followed by empty ones in their places."""
    below: dict[int, int] = {}
    for row in rows:
        placed: list[Any] = []
        for cell in row[1]:
            while below.get(len(placed), 0):
                below[len(placed)] -= 1
                placed.append(None)
            _, _, height, width, _ = cell
            for number in range(min(width, _MOST_COLUMNS)):
                below[len(placed)] = height - 1
                placed.append(None if number else cell)
        while below.get(len(placed), 0):
            below[len(placed)] -= 1
            placed.append(None)
        yield placed


def _cells(row: list[Any], pictures: bool) -> Iterator[Any]:
    for cell in row:
        yield _cell(_line(list(_simple(cell[4], pictures))) if cell else [])


def _cell(inlines: list[Any]) -> Any:
    return [_SIMPLE_ATTRIBUTES, {"t": "AlignDefault"}, 1, 1, [{"t": "Plain", "c": inlines}] if inlines else []]


def _line(node: Any) -> list[Any]:
    """Return the inlines of blocks on one line."""
    if isinstance(node, dict):
        kind, content = node["t"], node.get("c") or []
        if kind in ("Plain", "Para"):
            return [_SPACE if one["t"] in ("LineBreak", "SoftBreak") else one for one in content]
        if kind == "Header":
            return list(content[2])
        if kind == "CodeBlock":
            return [{"t": "Code", "c": [_SIMPLE_ATTRIBUTES, " ".join(content[1].split())]}]
        return _line(content)
    made: list[Any] = []
    for one in node if isinstance(node, list) else []:
        if inlines := _line(one):
            made += [_SPACE, *inlines] if made else inlines
    return made
