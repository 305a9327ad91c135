"""A PowerPoint presentation -> the blocks of its slides, in their order: texts, tables, charts, notes and comments."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from core.base.messages import Message, plural
from core.documents.kinds import damaged
from core.documents.office import blocks
from core.documents.office.blocks import Blocks
from core.documents.office.drawn import Drawn, SlideShape, shapes, text_of
from core.documents.office.package import Package, first, found, relation_id, resolve_alternatives, value
from core.model import Omission

_TITLES = ("title", "ctrTitle")
_MARGINS = ("ftr", "hdr", "dt")
_DRAWN_ELSEWHERE = ("sldNum", "sldImg")
_OFF = ("0", "false")


class Slides:
    """The slides of a presentation; what many of them show (footers, texts of the master) comes once, at the end."""

    def __init__(self, data: bytes, *, comments: bool) -> None:
        self._package, self._comments = Package(data), comments
        self._main = self._package.main()
        if self._main not in self._package.names:
            raise damaged("")
        self._authors = {
            value(element, "id"): value(element, "name")
            for kind in ("commentAuthors", "authors")
            for part in self._package.related(self._main, kind)
            for element in found(self._package.xml(part), "cmAuthor", "author")
        }
        self._margins: dict[str, None] = {}
        self._masters: set[str] = set()
        self._hidden: list[int] = []
        self.left_out: list[Omission] = []

    @property
    def warnings(self) -> tuple[Message, ...]:
        """Warnings about the text for the user."""
        slides = ", ".join(map(str, self._hidden))
        if not slides:
            return ()
        n = len(self._hidden)
        return (
            plural(
                "{n} hidden slide was read too: {slides}",
                "{n} hidden slides were read too: {slides}",
                n=n,
                slides=slides,
            ),
        )

    def blocks(self) -> Blocks:
        """Return all slides, each under its title or number."""
        relations = self._package.relations(self._main)
        targets = [relations[item].target for item in self._ids() if item in relations]
        made: Blocks = []
        for number, name in enumerate((name for name in targets if name in self._package.names), 1):
            made += self._slide(name, number)
        if self._margins:
            made.append(blocks.callout("footer", "", blocks.paras(self._margins)))
        return made

    def _ids(self) -> Iterator[str]:
        return (relation_id(element) for element in found(self._package.xml(self._main), "sldId"))

    def _slide(self, name: str, number: int) -> Blocks:
        root = self._package.xml(name)
        resolve_alternatives(root)
        if root.get("show") in _OFF:
            self._hidden.append(number)
        drawn = Drawn(self._package, name, self.left_out)
        title = blocks.inlines(f"Slide {number}")
        made: Blocks = []
        is_named = False
        for shape in _shapes(root):
            if shape.placeholder in _TITLES and not is_named and (said := drawn.line(found(shape.element, "p"))):
                title, is_named = [blocks.SPACE if item == blocks.BREAK else item for item in said], True
            elif shape.placeholder in _MARGINS:
                self._margins |= dict.fromkeys(text_of(shape.element))
            elif shape.placeholder not in _DRAWN_ELSEWHERE:
                made += drawn.blocks(shape)
        self._read_masters(name)
        return [blocks.heading(2, title), *made, *self._notes(name), *self._said(name, number)]

    def _notes(self, slide: str) -> Blocks:
        """Return the speaker's notes of a slide."""
        made: Blocks = []
        for name in self._package.related(slide, "notesSlide"):
            root = self._package.xml(name)
            resolve_alternatives(root)
            drawn = Drawn(self._package, name, self.left_out)
            for shape in _shapes(root):
                if shape.placeholder in _MARGINS:
                    self._margins |= dict.fromkeys(text_of(shape.element))
                elif shape.placeholder not in _DRAWN_ELSEWHERE:
                    made += drawn.blocks(SlideShape(shape.element, None))
        return [blocks.callout("notes", "", made)] if made else []

    def _said(self, slide: str, number: int) -> Blocks:
        """Return the comments on a slide, or name them."""
        made: Blocks = []
        for name in self._package.related(slide, "comments"):
            for element in found(self._package.xml(name), "cm", "reply"):
                old, new = first(element, "text"), first(element, "txBody")
                texts = [old.text or ""] if old is not None else [] if new is None else text_of(new)
                made.append(
                    blocks.callout("comment", self._authors.get(value(element, "authorId"), ""), blocks.paras(texts))
                )
        if made and not self._comments:
            self.left_out.append(Omission("comment", len(made), f"Slide {number}"))
            return []
        return made

    def _read_masters(self, part: str) -> None:
        """Keep what a slide shows of its layout and its master: texts that no slide fills in."""
        for kind in ("slideLayout", "slideMaster"):
            for name in self._package.related(part, kind):
                if name not in self._masters:
                    self._masters.add(name)
                    for shape in _shapes(self._package.xml(name)):
                        if shape.placeholder is None:
                            self._margins |= dict.fromkeys(text_of(shape.element))
                    self._read_masters(name)


def _shapes(root: Element) -> Iterator[SlideShape]:
    tree = first(root, "cSld")
    return iter(()) if tree is None else shapes(tree)
