"""What of a PDF isn't in its text, by pages."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from core.documents.pdf.reading import Page
from core.model import Omission

_SHOWN, _HEADS = 60, 12
"""Characters of a running head that are shown, and how many heads are."""


@dataclass(slots=True)
class LeftOut:
    """Numbers of pages: scans, those without text, with less of it than pdfium has; counts by page of what else is."""

    scans: list[int] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)
    partial: list[int] = field(default_factory=list)
    unknown: dict[int, int] = field(default_factory=dict)
    comments: dict[int, int] = field(default_factory=dict)

    def check(self, page: Page, kept: int) -> None:
        """Note what a page lacks of which so many letters and digits were kept."""
        if page.is_scan:
            self.scans.append(page.number)
        elif not kept and (page.drawn.pictures or page.drawn.shapes):
            self.empty.append(page.number)
        elif kept < page.count:
            self.partial.append(page.number)
        if page.unknown:
            self.unknown[page.number] = page.unknown
        if page.comments:
            self.comments[page.number] = page.comments

    def omissions(self, scans: Mapping[int, str], running: Iterable[str]) -> Iterator[Omission]:
        """Yield what was left out; `scans` has the texts of the pages that OCR read, `running` running heads."""
        empty = sorted([*self.empty, *(number for number in self.scans if not scans.get(number))])
        if empty:
            yield Omission("page", len(empty), ranges(empty))
        if self.partial:
            yield Omission("page_part", len(self.partial), ranges(self.partial))
        for kind, counts in (("character", self.unknown), ("comment", self.comments)):
            held = {number: count for number, count in counts.items() if not scans.get(number)}
            if held:
                yield Omission(kind, sum(held.values()), ranges(list(held)))
        if heads := list(running):
            shown = [head if len(head) <= _SHOWN else head[: _SHOWN - 1] + "…" for head in heads[:_HEADS]]
            yield Omission("header", len(heads), "; ".join(shown) + ("; …" if len(heads) > _HEADS else ""))


def ranges(numbers: list[int]) -> str:
    """Return ascending numbers as ranges, such as 2, 5, 9–12."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    parts = [f"{group[0]}–{group[-1]}" if len(group) > 2 else ", ".join(map(str, group)) for group in groups]
    return ", ".join(parts)
