"""Conversion of Obsidian's canvases and bases, and of Excalidraw drawings, to Markdown."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from operator import itemgetter

from core.base.codec import objects
from core.base.frozen import AnyValues
from core.base.text import collapse_spaces, shorten
from core.documents import Converted
from core.documents.kinds import name_of, wrong_kind
from core.model import Omission

# A JSON object: a whole file, or a card, group, arrow, element or view in a file.
Json = AnyValues


class Canvas:
    """Reads `.canvas` files, with the cards in reading order and a list of the arrows at the end.

    Groups become headings, text cards become paragraphs, and files and URLs become links.
    """

    kinds = "canvas"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        root = _load(data)
        if root is None or not isinstance(root.get("nodes", []), list):
            raise wrong_kind("", name_of(kind))
        # Read up to 20,000 cards, and as many arrows.
        nodes = [node for node in objects(root, "nodes")[:20_000] if isinstance(node.get("id"), str)]
        groups = [node for node in nodes if node.get("type") == "group"]
        by_group = defaultdict[int, list[Json]](list)
        for node in nodes:
            if node.get("type") != "group":
                by_group[id(_home(node, groups))].append(node)
        parts = list(map(_card, in_reading_order(by_group[id(None)])))
        for group in in_reading_order(groups):
            parts.append(f"## {_line(group.get('label')) or '…'}")
            parts += map(_card, in_reading_order(by_group[id(group)]))
        names = {node["id"]: _display_name(node) for node in nodes}
        arrows = []
        for edge in objects(root, "edges")[:20_000]:
            start, end = (names.get(str(edge.get(side))) for side in ("fromNode", "toNode"))
            if start and end:
                label = f" ({_line(edge['label'])})" if edge.get("label") else ""
                arrows.append(f"- {start} → {end}{label}")
        return Converted("\n\n".join(filter(None, [*parts, "\n".join(arrows)])))


class Base:
    """Reads the filters, formulas, names of properties, and views in `.base` files."""

    kinds = "base"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        from core.markdown import frontmatter

        front = frontmatter.parse(data.decode("utf-8", "replace"))
        values: Json = front.extra
        if front.warnings or not values:
            raise wrong_kind("", name_of(kind))
        formulas = [f"{name}: `{_line(how)}`" for name, how in _mapping(values.get("formulas")).items()]
        names = [
            f"{name}: {_line(display)}"
            for name, about in _mapping(values.get("properties")).items()
            if (display := _mapping(about).get("displayName"))
        ]
        parts = [
            *_section("Filters", _filters(values.get("filters"))),
            *_section("Formulas", formulas),
            *_section("Properties", names),
            *(part for view in values.get("views") or [] if isinstance(view, dict) for part in _view(view)),
        ]
        return Converted("\n\n".join(parts))


def _load(data: bytes) -> Json | None:
    """Return a file's JSON object, or None if it doesn't contain one."""
    with suppress(ValueError):
        root = json.loads(data)
        return root if isinstance(root, dict) else None
    return None


def _place(node: Json) -> tuple[float, float, float, float]:
    """Return the left, top, width and height of a card's bounding box."""
    x, y, width, height = (
        float(value) if isinstance(value, int | float) else 0.0
        for value in map(node.get, ("x", "y", "width", "height"))
    )
    return x, y, width, height


def in_reading_order(cards: Iterable[Json]) -> list[Json]:
    """Sort cards by row from top to bottom, and within each row from left to right."""
    rows = list[list[Json]]()
    for card in sorted(cards, key=lambda item: _place(item)[1]):
        # Cards in a row may start at slightly different heights.
        if rows and _place(card)[1] - _place(rows[-1][0])[1] <= 60:
            rows[-1].append(card)
        else:
            rows.append([card])
    return [card for row in rows for card in sorted(row, key=lambda item: _place(item)[0])]


def _home(card: Json, groups: list[Json]) -> Json | None:
    """Return the smallest group that contains the card's centre, or None if there is none."""
    left, top, width, height = _place(card)
    x = left + width / 2
    y = top + height / 2
    around = [
        (width * height, group)
        for (left, top, width, height), group in zip(map(_place, groups), groups, strict=True)
        if left <= x <= left + width and top <= y <= top + height
    ]
    return min(around, key=itemgetter(0), default=(0.0, None))[1]


def _card(node: Json) -> str:
    match node.get("type"):
        case "text":
            return str(node.get("text") or "").strip()
        case "file":
            return _to_file(node)
        case "link":
            return f"<{_line(node.get('url'))}>"
    return ""


def _to_file(node: Json) -> str:
    path = _in_link(node.get("file"))
    place = _in_link(node.get("subpath"))
    picture = re.search(r"(?i)\.(?:png|jpe?g|gif|svg|webp|bmp|avif)$", path)
    return f"{'!' if picture else ''}[[{path}{place}]]" if path else ""


def _display_name(node: Json) -> str:
    """Return the name used for a card in the descriptions of arrows."""
    if node.get("type") == "file":
        return _to_file(node).removeprefix("!")
    name = _line(node.get("label") or node.get("url") or str(node.get("text") or "").strip().split("\n")[0])
    return shorten(name.strip("# "), 80)


def _section(title: str, lines: list[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"- {line}" for line in lines)] if lines else []


def _view(view: Json) -> list[str]:
    lines = [f"Layout: {_line(view['type'])}"] if view.get("type") else []
    lines += [f"Filter: {item}" for item in _filters(view.get("filters"))]
    order = view.get("order")
    if isinstance(order, list) and order:
        lines.append(f"Columns: {', '.join(map(_line, order))}")
    for name, title in (("sort", "Sorted by"), ("groupBy", "Grouped by")):
        for item in view[name] if isinstance(view.get(name), list) else filter(None, [view.get(name)]):
            about = _mapping(item)
            lines.append(f"{title}: {_line(about.get('property') or item)} {_line(about.get('direction'))}".rstrip())
    if view.get("limit"):
        lines.append(f"At most: {_line(view['limit'])}")
    return _section(_line(view.get("name")) or "…", lines or ["Layout: table"])


def _filters(value: object) -> list[str]:
    """Describe filters in words. If the outermost operator is `and`, each of its conditions gets a line."""
    if isinstance(value, dict) and isinstance(value.get("and"), list) and len(value) == 1:
        return [_filter(item) for item in value["and"]]
    return [_filter(value)] if value else []


def _filter(value: object) -> str:
    if isinstance(value, dict):
        joined = {"and": " and ", "or": " or ", "not": " or "}
        texts = []
        for name, parts in value.items():
            inner = joined.get(str(name), " and ").join(map(_filter, parts if isinstance(parts, list) else [parts]))
            texts.append(f"not ({inner})" if name == "not" else f"({inner})")
        return " and ".join(texts)
    return f"`{_line(value)}`"


def _mapping(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _line(value: object) -> str:
    return collapse_spaces(str(value or ""))


def _in_link(value: object) -> str:
    return re.sub(r"[\[\]|\n]", " ", str(value or "")).strip()


class Excalidraw:
    """Reads the text in `.excalidraw` files. Pictures are left out and counted."""

    kinds = "excalidraw"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        elements = (_load(data) or {}).get("elements")
        if not isinstance(elements, list):
            raise wrong_kind("", name_of(kind))
        drawn = [element for element in elements if isinstance(element, dict) and not element.get("isDeleted")]
        pictures = sum(item.get("type") == "image" for item in drawn)
        return Converted(
            "\n\n".join(map(_text, in_reading_order(filter(_text, drawn)))) + "\n",
            left_out=(Omission("picture", pictures),) if pictures else (),
        )


def _text(element: Json) -> str:
    """Return an element's text, or a frame's name, followed by its link."""
    words = element.get("originalText") or element.get("text") or element.get("name")
    link = element.get("link")
    return " ".join(filter(None, (str(item or "").strip() for item in (words, link and f"<{link}>"))))
