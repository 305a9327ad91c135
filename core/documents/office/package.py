"""Parsing, changing and packing of the parts of an Office document, which is a zip archive of XML files.

A hostile part can declare entities that expand without limit. Office files need no DOCTYPE, so any DOCTYPE is rejected.
"""

import html
import io
import posixpath
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, ParseError, SubElement

from core.base.errors import SourceError
from core.base.frozen import TextValues, frozen
from core.base.text import collapse_spaces
from core.documents.kinds import ZIP_DAMAGE, damaged, sound_title

_IDS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
for _prefix, _namespace in {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
}.items():
    ElementTree.register_namespace(_prefix, _namespace)  # pandoc only recognizes namespaces by these prefixes


@frozen
class Relation:
    """A reference from a part to another part or, if `is_outside`, to a URL."""

    kind: str
    target: str
    is_outside: bool


class Package:
    """The parts of an Office document. Its methods raise SourceError if a part is unreadable."""

    def __init__(self, data: bytes) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except ZIP_DAMAGE as error:
            raise damaged() from error
        self.names = frozenset(self._archive.namelist())

    def read(self, name: str) -> bytes:
        """Return a part's bytes, with Transitional namespaces in place of Strict Open XML namespaces."""
        try:
            data = self._archive.read(name)
        except ZIP_DAMAGE as error:
            raise damaged() from error
        if not name.endswith((".xml", ".rels")):
            return data
        # ISO/IEC 29500-1
        return re.sub(
            rb"""(=\s*["'])http://purl\.oclc\.org/ooxml/(\w+)/""",
            rb"\1http://schemas.openxmlformats.org/\2/2006/",
            data,
        )

    def xml(self, name: str) -> Element:
        return parse_xml(self.read(name))

    def optional(self, name: str) -> Element | None:
        """Return a part's root element, or None if the part is missing or unreadable."""
        try:
            return self.xml(name) if name in self.names else None
        except SourceError:
            return None

    def stream(self, name: str, *tags: str) -> Iterator[Element]:
        """Yield each completed element of a part that has one of the given tags, and clear the element afterwards."""
        with self._archive.open(name) as file:
            for _, element in ElementTree.iterparse(file):
                if local(element) in tags:
                    yield element
                    element.clear()

    def relations(self, part: str) -> dict[str, Relation]:
        """Return a part's references, keyed by id."""
        folder, name = posixpath.split(part)
        found = {}
        for item in elements_named(self.optional(posixpath.join(folder, "_rels", name + ".rels")), "Relationship"):
            target = item.get("Target", "")
            is_outside = item.get("TargetMode") == "External"
            place = target if is_outside else posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found[item.get("Id", "")] = Relation(item.get("Type", "").rpartition("/")[2], place, is_outside)
        return found

    def related(self, part: str, *kinds: str) -> list[str]:
        """Return the names of the parts that a part refers to with references of the given kinds, kind by kind."""
        relations = self.relations(part).values()
        return [
            relation.target
            for kind in kinds
            for relation in relations
            if relation.kind == kind and not relation.is_outside and relation.target in self.names
        ]

    def main(self) -> str:
        """Return the name of the main part, or "" if there is none."""
        return next(iter(self.related("", "officeDocument")), "")

    def to_bytes(self, changed: Mapping[str, Element | bytes]) -> bytes:
        """Return the package as bytes, with the `changed` parts replaced."""
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
            for name in sorted(self.names - set(changed)):
                archive.writestr(name, self.read(name))
            for name, root in changed.items():
                archive.writestr(name, root if isinstance(root, bytes) else ElementTree.tostring(root, "unicode"))
        return made.getvalue()


_FIELDS = {
    "title": r"dc:title",
    "author": r"dc:creator|meta:initial-creator",
    "created": r"dcterms:created|meta:creation-date",
    "updated": r"dcterms:modified|dc:date",
    "description": r"dc:description",
    "tags": r"cp:keywords|meta:keyword",
    "subjects": r"dc:subject",
}


def read_metadata(data: bytes, kind: str) -> TextValues:
    """Return a document's metadata, such as its title, author, dates, description, tags and subjects."""
    package = Package(data)
    name = next(
        (
            name
            for name in package.names
            if name in ("docProps/core.xml", "meta.xml") or (kind == "epub" and name.endswith(".opf"))
        ),
        "",
    )
    xml = package.read(name).decode("utf-8", "replace") if name else ""
    metadata = {}
    for field, pattern in _FIELDS.items():
        if texts := re.findall(rf"<(?:{pattern})\b[^>]*>([^<]*)</", xml):
            metadata[field] = html.unescape(",".join(texts) if field in ("tags", "subjects") else texts[0]).strip()
    return metadata | {"title": sound_title(metadata.get("title", ""))}


def parse_xml(data: bytes) -> Element:
    """Parse XML and return its root element. Raises SourceError if it is malformed or has a DOCTYPE."""
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
        if "<!DOCTYPE" in text:
            raise damaged()
        return ElementTree.fromstring(text)
    except (ParseError, ValueError) as error:
        raise damaged() from error


def local(element: Element) -> str:
    """Return an element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def qualified_name(element: Element, name: str) -> str:
    """Return a name qualified with an element's namespace."""
    return str(element.tag).rpartition("}")[0] + "}" + name


def add_element(parent: Element, name: str, **attributes: str) -> Element:
    """Append a child with the given name and attributes, in the parent's namespace."""
    return SubElement(
        parent, qualified_name(parent, name), {qualified_name(parent, key): text for key, text in attributes.items()}
    )


def text_run(element: Element, text: str) -> Element:
    """Return a text run in the namespace of an element from a Word document."""
    made = Element(qualified_name(element, "r"))
    content = add_element(made, "t")
    content.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    content.text = text
    return made


def elements_named(root: Element | None, *names: str) -> Iterator[Element]:
    """Yield the element and any descendants that have one of the given names, ignoring namespaces."""
    return (element for element in (() if root is None else root.iter()) if local(element) in names)


def holds(root: Element | None, *names: str) -> bool:
    """Return whether an element or one of its descendants has one of the given names."""
    return next(elements_named(root, *names), None) is not None


def first(root: Element | None, *path: str) -> Element | None:
    """Return the first element at a path of child names, or None if there is none."""
    for name in path:
        root = None if root is None else next((element for element in root if local(element) == name), None)
    return root


def value(element: Element | None, name: str = "val") -> str:
    """Return the attribute with the given name, ignoring its namespace, or "" if there is none."""
    if element is None:
        return ""
    return next((text for key, text in element.items() if key.rpartition("}")[2] == name), "")


def number_of(text: str, missing: int = 0, *, digits: int = 9) -> int:
    """Parse a number with at most `digits` digits, or return `missing` for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else missing


def relation_id(element: Element) -> str:
    """Return the id of an element's reference. For a diagram, return the id of the reference to its data (`dm`)."""
    return element.get(_IDS + "id") or element.get(_IDS + "dm") or ""


_SIGNS = dict.fromkeys(("br", "cr", "tab", "ptab"), " ") | {"noBreakHyphen": "\u2011"}


def text_of(root: Element | None) -> list[str]:
    """Return the text of each paragraph in an element, except for empty ones. A text box comes after its paragraph."""
    return list(filter(None, (collapse_spaces(visible_text(paragraph)) for paragraph in elements_named(root, "p"))))


def visible_text(element: Element) -> str:
    """Return the visible text of an element from a Word document or drawing."""
    name = local(element)
    # These elements contain text that isn't shown in the paragraph itself.
    if name in ("del", "moveFrom", "instrText", "rt", "txbxContent"):
        return ""
    own = (element.text or "") if name == "t" else _SIGNS.get(name, "")
    return own + "".join(map(visible_text, element))


class Edits:
    """Changes to a tree. `instead` maps elements to replacements, and `following` to elements to insert after them."""

    def __init__(self, root: Element) -> None:
        self.root = root
        self.parents = {child: parent for parent in root.iter() for child in parent}
        self.instead: dict[Element, Iterable[Element]] = {}
        self.following = defaultdict[Element, list[Element]](list)

    def above(self, element: Element | None, *names: str) -> Element | None:
        """Return the element or its nearest ancestor with one of the given names, or None if there is none."""
        while element is not None and local(element) not in names:
            element = self.parents.get(element)
        return element

    def substitute(self) -> None:
        """Replace the elements in `instead`, keeping the text after each replaced element.

        The replacements may themselves contain elements to be replaced.
        """
        for parent in reversed(list(self.root.iter())):
            if not any(child in self.instead for child in parent):
                continue
            made = list[Element]()
            for child in parent:
                made += self.instead.get(child, (child,))
                tail = child.tail if child in self.instead else None
                if tail and made:
                    made[-1].tail = (made[-1].tail or "") + tail
                elif tail:
                    parent.text = (parent.text or "") + tail
            parent[:] = made

    def insert(self) -> None:
        """Insert the elements in `following`, including those that follow an inserted element."""
        for parent in list(self.root.iter()):
            if any(child in self.following for child in parent):
                waiting = list(reversed(parent))
                made = []
                while waiting:
                    made.append(waiting.pop())
                    waiting += reversed(self.following.pop(made[-1], []))
                parent[:] = made


def resolve_alternatives(root: Element) -> None:
    """Replace each `AlternateContent` with its first version that has readable content, or else with its last one."""
    edits = Edits(root)
    for item in elements_named(root, "AlternateContent"):
        versions = [child for child in item if local(child) in ("Choice", "Fallback")]
        # Alternative content with none of these elements is skipped.
        read = [
            version
            for version in versions
            if holds(version, "t", "chart", "relIds", "blip", "oleObj", "txbxContent", "textpath")
        ]
        edits.instead[item] = [*read, *versions[-1:]][0] if versions else ()
    edits.substitute()
