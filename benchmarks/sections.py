"""Whether every section is found by its title: with `section:`, and first if the title is typed.

python -m benchmarks.sections DATA [--mode keyword] : DATA contains vaults/NAME; all sections with 10 words of text
count. `first` counts a note that contains a section with that title; `its own` only counts titles of a single section,
and the section's chunk.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality import imported
from core.base.text import fold, keywords
from core.markdown.outline import parse
from core.model import Condition, Filters, Note
from core.workspace import Workspace

VAULTS = ("rust-book", "d2l-zh", "til", "howtocook")
LEAST_WORDS = 10


class Section(NamedTuple):
    note: Note
    title: str
    start: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--mode", default="keyword", choices=["keyword", "hybrid", "semantic"])
    given = parser.parse_args()
    print(f"{'vault':<12}{'sections':>9}{'section:':>10}{'first':>8}{'own titles':>12}{'its own':>9}")
    for name in VAULTS:
        with tempfile.TemporaryDirectory() as scratch, Workspace(Path(scratch)) as workspace:
            base = imported(workspace, given.data / "vaults" / name, "tfidf")
            notes = [workspace.notes.get(card.id) for card in workspace.notes.all(Filters(bases=(base,)))]
            sections = [one for note in notes for one in sections_of(note)]
            times = Counter(fold(one.title) for one in sections)
            single = [one for one in sections if times[fold(one.title)] == 1]
            found = sum(by_filter(workspace, one) for one in sections)
            hits = {title: first(workspace, title, given.mode) for title in {one.title for one in sections}}
            holders = {(fold(heading.title), note.id) for note in notes for heading in parse(note.body).headings}
            right = sum((fold(one.title), hits[one.title][0]) in holders for one in sections)
            own = sum(is_of(one, hits[one.title]) for one in single)
        print(
            f"{name:<12}{len(sections):>9}{found / len(sections):>10.3f}{right / len(sections):>8.3f}"
            f"{len(single):>12}{own / len(single):>9.3f}",
            flush=True,
        )


def sections_of(note: Note) -> Iterator[Section]:
    """Yield the sections of a note with enough words between their heading and the next one."""
    headings = [heading for heading in parse(note.body).headings if not heading.nested]
    ends = [*(heading.start for heading in headings[1:]), len(note.body)]
    for heading, end in zip(headings, ends, strict=False):
        if keywords(heading.title) and len(keywords(note.body[heading.end : end])) >= LEAST_WORDS:
            yield Section(note, heading.title, heading.start)


def by_filter(workspace: Workspace, section: Section) -> bool:
    """Return whether the filter passes a chunk with the section's heading."""
    passed = workspace.store.chunks.allowed(Filters(conditions=(Condition("section", (section.title,)),)))
    chunks = workspace.store.chunks.by_rowid([] if passed is None else passed.tolist())
    return any(is_of(section, (one.note_id, (one.start, one.end), one.sections)) for one in chunks.values())


Found = tuple[str, tuple[int, int], tuple[str, ...]]
"""A chunk's note, place and sections."""


def first(workspace: Workspace, title: str, mode: str) -> Found:
    """Return the first hit for a title typed without quotes and operators."""
    hits = workspace.search(" ".join(title.replace('"', " ").split()), mode=mode, reranker="none", limit=1).hits
    return next(((hit.note.id, (hit.chunk.start, hit.chunk.end), hit.chunk.sections) for hit in hits), ("", (0, 0), ()))


def is_of(section: Section, found: Found) -> bool:
    note_id, (start, end), titles = found
    return note_id == section.note.id and section.title in titles and start <= section.start < end


if __name__ == "__main__":
    main()
