"""Rewriting of e-books so that pandoc finds every footnote, even one in another file or without a reference.

FictionBooks are converted to HTML.
"""

import html
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from core.base.frozen import AnyMap, TextValues
from core.base.text import collapse_spaces
from core.documents import syntax
from core.documents.office.blocks import Blocks
from core.documents.office.package import Package, first, local, parse_xml

_PAGES = (".xhtml", ".html", ".htm")
_KIND = "tessera-kind"
_SIGNS = re.compile(r"[\W_]*(\w{1,6}|\W?)[\W_]*")


def prepare(data: bytes) -> bytes:
    """Rewrite a book so that footnotes are plain text with an anchor, and all linked pages are in the reading order."""
    package = Package(data)
    pages = {name: package.read(name) for name in package.names if name.lower().endswith(_PAGES)}
    linked = {
        unquote(name.decode("utf-8", "replace")).rpartition("/")[2]
        for page in pages.values()
        for name in re.findall(rb"""\shref\s*=\s*["']([^"'#<>]+)#""", page)
    }
    changed = {
        name: re.sub(rb"(</?)aside\b", rb"\1div", re.sub(rb"<\w[^<>]*>", _plain, page)) for name, page in pages.items()
    }
    changed |= {name: _in_order(package.read(name), linked) for name in package.names if name.endswith(".opf")}
    return package.to_bytes(changed)


def _plain(tag: "re.Match[bytes]") -> bytes:
    """Return a tag with its type renamed. A paragraph's tag is followed by an anchor with the paragraph's id.

    Pandoc drops typed elements, except for footnotes used in the same file.
    """
    plain = re.sub(
        rb"""\s(?:epub:type|role)(\s*=\s*["'](?!toc|landmarks|page-list))""", rb" data-%b\1" % _KIND.encode(), tag[0]
    )
    target = re.match(rb"""<p(?=\s)[^<>]*?\sid\s*=\s*["']([^"'<>]+)["']""", plain)
    return plain + b'<span id="%b"></span>' % target[1] if target else plain


def _in_order(parts: bytes, linked: set[str]) -> bytes:
    """Return a book's package file with every linked page in the spine, and the whole spine in the reading order."""
    parts = re.sub(rb"""\slinear\s*=\s*["']no["']""", b"", parts)
    ordered = set(re.findall(rb"""<(?:\w+:)?itemref\s[^<>]*?idref\s*=\s*["']([^"']+)""", parts))
    more = b""
    for item in re.findall(rb"<(?:\w+:)?item\s([^<>]*)>", parts):
        attributes = dict(re.findall(rb"""([\w:-]+)\s*=\s*["']([^"']*)""", item))
        identifier = attributes.get(b"id", b"")
        place = unquote(attributes.get(b"href", b"").decode("utf-8", "replace"))
        if (
            place.lower().endswith(_PAGES)
            and b"nav" not in attributes.get(b"properties", b"").split()
            and identifier not in ordered
            and place.rpartition("/")[2] in linked
        ):
            more += b'<itemref idref="%b"/>' % identifier
    return re.sub(rb"</(?:\w+:)?spine>", lambda end: more + end[0], parts, count=1)


def join_notes(nodes: Blocks) -> Blocks:
    """Return a book's blocks with each footnote moved to its first reference.

    Footnotes without a reference stay in place.
    """
    wanted = set(_references(nodes))
    notes: dict[str, Blocks] = {}
    made: Blocks = _put(_take(nodes, wanted, notes), notes) if wanted else nodes
    return [*made, *(block for content in notes.values() for block in content)]


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if address := _address(node):
            yield address
        node = node.get("c")
    for part in node if isinstance(node, list) else ():
        yield from _references(part)


def _address(node: AnyMap) -> str:
    """Return the id of the footnote a link refers to, or "" if the link isn't a footnote reference."""
    if node.get("t") != "Link" or not any(
        name.endswith(_KIND) and "noteref" in value for name, value in node["c"][0][2]
    ):
        return ""
    return str(node["c"][2][0]).removeprefix("#")


def _take(node: object, wanted: set[str], notes: dict[str, Blocks]) -> Any:
    """Move the `wanted` footnotes from a node to `notes`.

    Return the rest of the node, without list items that became empty.
    """
    if isinstance(node, dict) and "c" in node:
        content = _take(node["c"], wanted, notes)
        if node["t"] == "BulletList":
            content = list(filter(None, content))
        elif node["t"] == "OrderedList":
            content[1] = list(filter(None, content[1]))
        return node | {"c": content}
    if not isinstance(node, list):
        return node
    kept = []
    for part in node:
        place, content = _note(part)
        if place in wanted and place not in notes and syntax.plain(content).strip():
            notes[place] = content
        else:
            kept.append(_take(part, wanted, notes))
    return kept


def _note(block: Any) -> tuple[str, Blocks]:
    """Return the id that references use for a block, and the block's contents, or ("", []) if it has no id."""
    kind = block.get("t") if isinstance(block, dict) else None
    if kind == "Div":
        return block["c"][0][0], block["c"][1]
    first = block["c"][0] if kind in ("Para", "Plain") and block["c"] else {}
    return (first["c"][0][0], [block]) if first.get("t") in ("Span", "Link") else ("", [])


def _put(node: object, notes: dict[str, Blocks]) -> Any:
    """Return a node in which each footnote replaces its first reference."""
    if isinstance(node, list):
        return [_put(part, notes) for part in node]
    if not isinstance(node, dict) or "c" not in node:
        return node
    content = notes.pop(_address(node), None)
    if content is not None:
        return {"t": "Note", "c": _without_number(content, syntax.plain(node["c"][1]))}
    node = node | {"c": _put(node["c"], notes)}
    return node["c"][0] if node["t"] == "Superscript" and [part.get("t") for part in node["c"]] == ["Note"] else node


def _without_number(blocks: Blocks, number: str) -> Blocks:
    """Return a footnote without its number and its link back to the reference."""
    label = _SIGNS.sub(r"\1", number)
    first, *rest = blocks
    if first["t"] == "Header" and _SIGNS.sub(r"\1", syntax.plain(first["c"][2])) == label:
        return rest
    if first["t"] not in ("Para", "Plain"):
        return blocks
    content = [part for part in first["c"] if part["t"] != "Span" or syntax.plain(part)]
    while content and (content[0]["t"] == "Space" or _SIGNS.sub(r"\1", syntax.plain(content[0])) == label):
        content = content[1:]
    while content and (last := content[-1])["t"] in ("Space", "Link"):
        if last["t"] == "Link" and (not last["c"][2][0].startswith("#") or re.search(r"\w", syntax.plain(last))):
            break
        content = content[:-1]
    return [first | {"c": content}, *rest] if content else blocks


# FictionBook elements mapped to HTML elements.
_MARKS = {
    "emphasis": "em", "strong": "strong", "strikethrough": "del", "underline": "u", "code": "code", "sup": "sup",
    "sub": "sub", "p": "p", "v": "p", "subtitle": "h6", "text-author": "p", "cite": "blockquote", "poem": "blockquote",
    "epigraph": "blockquote", "annotation": "blockquote", "section": "div", "table": "table", "tr": "tr", "th": "th",
    "td": "td", "a": "a", "image": "img",
}  # fmt: skip
_HREF = "{http://www.w3.org/1999/xlink}href"


def fiction_book(data: bytes) -> tuple[str, TextValues]:
    """Convert a FictionBook to HTML. Return the HTML and the metadata. Raises SourceError."""
    root = parse_xml(data)
    info = first(root, "description", "title-info")
    about: TextValues = {}
    parts = []
    for element in () if info is None else info:
        name = local(element)
        text = collapse_spaces(" ".join(element.itertext()))
        if name == "annotation":
            parts.append(_page(element, 0))
        elif name in _ABOUT and text:
            field = _ABOUT[name]
            about[field] = f"{about[field]}, {text}" if field in about else text
    parts += [_page(body, 0) for body in root if local(body) == "body"]
    return "".join(parts), about


_ABOUT = {"book-title": "title", "author": "author", "keywords": "tags", "date": "created"}


def _page(element: Element, depth: int) -> str:
    """Return an element as HTML. `depth` is the number of sections that enclose it."""
    name = local(element)
    if name == "title":
        level = max(1, min(depth, 6))
        lines = " ".join(_page(part, depth).removeprefix("<p>").removesuffix("</p>") for part in element)
        return f"<h{level}>{lines}</h{level}>"
    depth += name == "section"
    inner = [html.escape(element.text or "")]
    for part in element:
        inner += [_page(part, depth), html.escape(part.tail or "")]
    if (mark := _MARKS.get(name)) is None:
        return "".join(inner)
    attributes = {"href": element.get(_HREF, ""), "src": element.get(_HREF, "")[:1]} | element.attrib
    stated = "".join(
        f' {name}="{html.escape(attributes[name])}"'
        for name in ("id", "href", "src", "alt", "title", "colspan", "rowspan")
        if attributes.get(name)
    )
    kind = f' data-{_KIND}="noteref"' if element.get("type") == "note" else ""
    return f"<{mark}{stated}{kind}>{''.join(inner)}</{mark}>"
