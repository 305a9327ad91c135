"""The numbers and letters that LibreOffice shows before paragraphs, where Markdown or pandoc would show others.

A level of a list style whose labels are no plain numbers becomes one of bullets, and its labels become text.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from core.documents.office.labels import numeral
from core.documents.office.package import found, local, number_of, value

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OUTLINE = "outline-style"


@dataclass(slots=True)
class _OdtLevel:
    format: str
    prefix: str
    suffix: str
    shown: int
    start: int

    @property
    def is_plain(self) -> bool:
        """Whether Markdown's own numbers look like these."""
        return self.format == "1" and not self.prefix.strip() and self.suffix.strip() in (".", ")") and self.shown == 1


_Levels = dict[int, _OdtLevel]


def write_labels(body: Element, roots: Iterable[Element]) -> None:
    """Write the labels of lists and headings into their paragraphs; `roots` hold the styles."""
    styles: dict[str, _Levels] = {}
    outline: _Levels = {}
    of_paragraphs: dict[str, str] = {}
    for root in roots:
        for style in found(root, "list-style", _OUTLINE):
            levels = _levels(style)
            if local(style) == _OUTLINE:
                outline = levels
            else:
                styles[value(style, "name")] = levels
        of_paragraphs |= {value(element, "name"): value(element, "list-style-name") for element in found(root, "style")}
    _ListWriter(styles, outline, of_paragraphs).write(body, "", 0, {})


def _levels(style: Element) -> _Levels:
    levels: _Levels = {}
    for child in style:
        if local(child) not in ("list-level-style-number", "outline-level-style"):
            continue
        level = _OdtLevel(
            value(child, "num-format"),
            value(child, "num-prefix"),
            value(child, "num-suffix"),
            number_of(value(child, "display-levels"), 1),
            number_of(value(child, "start-value"), 1),
        )
        levels[number_of(value(child, "level"), 1)] = level
        if local(child) == "list-level-style-number" and not level.is_plain and level.format:
            child.tag = _TEXT + "list-level-style-bullet"
            child.set(_TEXT + "bullet-char", "•")
    return levels


class _ListWriter:
    """Counts the items of lists, and the headings."""

    def __init__(self, styles: dict[str, _Levels], outline: _Levels, of_paragraphs: dict[str, str]) -> None:
        self._styles, self._outline, self._of_paragraphs = styles, outline, of_paragraphs
        self._headings: dict[int, int] = {}
        self._last: dict[str, dict[int, int]] = {}

    def write(self, element: Element, style: str, depth: int, counts: dict[int, int]) -> None:
        """Write the labels below an element, which is within `depth` lists."""
        for child in element:
            match local(child):
                case "list":
                    self._list(child, style, depth + 1, counts)
                case "h":
                    self._heading(child)
                case _:
                    self.write(child, style, depth, counts)

    def _list(self, element: Element, style: str, depth: int, counts: dict[int, int]) -> None:
        style = value(element, "style-name") or style or self._style_inside(element)
        levels = self._styles.get(style, {})
        level = levels.get(depth)
        if depth == 1:
            goes_on = value(element, "continue-numbering") == "true" or bool(value(element, "continue-list"))
            counts = self._last.get(style, {}) if goes_on else {}
            self._last[style] = counts
        elif value(element, "continue-numbering") != "true":
            counts.pop(depth, None)
        for item in element:
            if local(item) == "list-item" and level is not None:
                start = value(item, "start-value")
                counts[depth] = number_of(start, 1) if start else counts.get(depth, level.start - 1) + 1
                paragraph = next((child for child in item if local(child) in ("p", "h")), None)
                if paragraph is not None and level.format and not level.is_plain:
                    _write(paragraph, _label(levels, counts, depth))
            self.write(item, style, depth, counts)

    def _style_inside(self, element: Element) -> str:
        paragraph = next(found(element, "p", "h"), None)
        return self._of_paragraphs.get(value(paragraph, "style-name"), "")

    def _heading(self, heading: Element) -> None:
        depth = number_of(value(heading, "outline-level"), 1)
        level = self._outline.get(depth)
        if level is None or not level.format or value(heading, "is-list-header") == "true":
            return
        self._headings = {at: count for at, count in self._headings.items() if at <= depth}
        self._headings[depth] = self._headings.get(depth, level.start - 1) + 1
        _write(heading, _label(self._outline, self._headings, depth))


def _label(levels: _Levels, counts: dict[int, int], depth: int) -> str:
    own = levels[depth]
    shown = [at for at in range(max(1, depth - own.shown + 1), depth + 1) if at in levels]
    numbers = [numeral(counts.get(at, levels[at].start), levels[at].format) for at in shown if levels[at].format]
    return " ".join(f"{own.prefix}{'.'.join(numbers)}{own.suffix}".split())


def _write(paragraph: Element, label: str) -> None:
    paragraph.text = f"{label} {paragraph.text or ''}"
