"""The text of web pages and of XML, by the standard library."""

from collections.abc import Callable
from html.parser import HTMLParser
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

_UNSEEN = frozenset(("script", "style", "template", "noscript", "nav"))
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strike strong sub"
    " sup tt u var wbr".split()
)
_BREAKS = frozenset("tab br cr s v line-break rt rubyBase ruby-text soft-page-break".split())
_BLOCKS = frozenset("p h tc tr table-cell table-row".split())


class _Page(HTMLParser):
    """Collects the text of a page, with a line for each block, without menus and what a browser doesn't show."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._unseen = ""
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unseen:
            self._depth += tag == self._unseen
        elif tag in _UNSEEN or ("role", "navigation") in attrs:
            self._unseen, self._depth = tag, 1
        elif tag not in _INLINE:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            self._depth -= tag == self._unseen
            self._unseen = self._unseen if self._depth else ""
        elif tag not in _INLINE:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.pieces.append(data)


def of_page(text: str) -> str:
    """Return the text of a page in HTML."""
    page = _Page()
    page.feed(text)
    page.close()
    return "".join(page.pieces)


def name_of(element: Element) -> str:
    """Return the name of an element without its namespace, "" of a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """Return an attribute, whatever its namespace, "" without it."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def named(root: Element, *names: str) -> list[Element]:
    """Return the elements of some names below one, whatever their namespace."""
    return [one for one in root.iter() if name_of(one) in names]


def parsed(data: bytes) -> Element:
    return ElementTree.fromstring(data)


def in_body(element: Element) -> str | None:
    """Say that an element belongs to the text around it."""
    return "" if name_of(element) != "Fallback" else None


def by_kind(
    root: Element, kind_of: Callable[[Element], str | None] = in_body, names: frozenset[str] | None = None
) -> list[tuple[str, str]]:
    """Return the texts below an element with the kinds of their parts, "" for the main one, which is the last.

    `kind_of` an element is "" where it belongs to the text around it, and None where it counts nowhere. Text is that of
    elements of `names`, by default all text. Each block is a line.
    """
    texts: list[tuple[str, str]] = []

    def walk(element: Element, pieces: list[str]) -> None:
        name = name_of(element)
        mark = " " if name in _BREAKS else "\n" if name in _BLOCKS else "-" if name == "noBreakHyphen" else ""
        pieces.append(mark)
        if names is None or name in names:
            pieces.append(element.text or "")
        for child in element:
            kind = kind_of(child)
            if kind:
                own: list[str] = []
                walk(child, own)
                texts.append((kind, "".join(own)))
            elif kind is not None and name_of(child):
                walk(child, pieces)
            if names is None:
                pieces.append(child.tail or "")
        pieces.append(mark)

    main: list[str] = []
    walk(root, main)
    return [*texts, ("", "".join(main))]
