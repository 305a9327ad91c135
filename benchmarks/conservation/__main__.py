"""Is every word of a file in its note, or named by what the note lacks?

python -m benchmarks.conservation FOLDER …: each file of the folders is read twice, by an import of the folder and by a
reader that isn't Tessera's, and the words are compared as multisets. Exits 1 if a file has fewer than 99.5 % of its
words in its note or named. `exact` counts only words that stand alone in the note as in the file.
"""

import argparse
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from benchmarks.conservation.parts import Part, parts
from benchmarks.conservation.words import missing, source_words, unjoined, words
from core.base.errors import SourceError
from core.model import NOTE_FIELDS, SKIPPED_FOLDERS, Failed, Filters, Note, Omission, SyncReport, property_text
from core.workspace import Workspace

TARGET = 0.995
SILENT = "was not imported, and the report doesn't name it"
_ALIKE = 0.85
"""Share of the letters that a running head has in common with the one that is quoted."""
SHOWN = 12
"""Missing words of a file that are printed."""
_READ = frozenset(
    "md markdown txt pdf docx pptx xlsx odt epub html htm xhtml mhtml mht rst org ipynb csv tsv mediawiki wiki tex"
    " latex canvas rtf eml enex".split()
)


@dataclass(frozen=True, slots=True)
class FileResult:
    """The words of a file: `kept` of them are in the note, `exact` ones alone, `named` ones in what the note lacks.

    `gone` are those of which nothing says that they are missing. `problem` is why the file couldn't be compared, or why
    it wasn't imported.
    """

    path: str
    kind: str
    words: int = 0
    kept: int = 0
    exact: int = 0
    named: int = 0
    gone: tuple[str, ...] = ()
    problem: str = ""

    @property
    def share(self) -> float:
        """Share of the words that are in the note or named."""
        return (self.kept + self.named) / self.words if self.words else 1.0

    @property
    def is_below(self) -> bool:
        return self.share < TARGET or self.problem == SILENT


def compared(path: str, source: Iterable[Part], note: str, left_out: tuple[Omission, ...]) -> FileResult:
    """Compare the parts of a file with the text of its note."""
    order = words(note)
    every, surplus = Counter(order), Counter(order)
    read = [(part, source_words(part.text, every)) for part in source]
    lacking = [(part, missing(found, surplus)) for part, found in read]
    total, apart = sum(len(found) for _, found in read), sum(len(found) for _, found in lacking)
    lost = Counter(unjoined([word for _, found in lacking for word in found], surplus, order))
    named, gone = 0, []
    quoted = sum((_quoted(part, left_out) for part, _ in read), Counter[str]())
    for part, found in lacking:
        mine = list((Counter(found) & lost).elements())
        lost.subtract(mine)
        silent = [] if any(_names(one, part) for one in left_out) else missing(mine, quoted)
        named += len(mine) - len(silent)
        gone += silent
    kept = total - named - len(gone)
    return FileResult(path, _kind(path), total, kept, total - apart, named, tuple(gone))


def _names(omission: Omission, part: Part) -> bool:
    if omission.kind not in part.kinds:
        return False
    return not (omission.place and part.place) or part.place in _pages(omission.place)


def _quoted(part: Part, left_out: tuple[Omission, ...]) -> Counter[str]:
    """Return the words of the lines of a page that an omission quotes as its head or foot, but for some letters."""
    heads = [head for one in left_out if one.kind == "header" for head in one.place.split("; ") if head]
    lines = part.text.splitlines() if heads and "page" in part.kinds else []
    return Counter(word for line in lines if any(_is_alike(line, head) for head in heads) for word in words(line))


def _is_alike(line: str, head: str) -> bool:
    """Return whether two lines are the same but for their figures and what OCR misreads; `…` ends a long head."""
    line, head = (line[: len(head) - 1], head[:-1]) if head.endswith("…") else (line, head)
    one, other = (re.sub(r"[\W\d_]+", " ", text).strip().casefold() for text in (line, head))
    return bool(other) and SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _pages(place: str) -> set[str]:
    """Return the numbers that a place names, such as `3, 5-7`."""
    ends = [
        [int(end) for end in some.split("-") if end.strip().isdigit()] for some in place.replace("–", "-").split(",")
    ]
    return {str(page) for some in ends if some for page in range(some[0], some[-1] + 1)}


def shown(note: Note) -> str:
    """Return what a person reads and finds of a note: its text, title, fields and properties."""
    fields = [getattr(note, name) for name in NOTE_FIELDS]
    times = [str(at) for at in (note.created_at, note.updated_at) if at]
    values = [" ".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in fields if one is not None]
    own = [f"{name} {property_text(value)}" for name, value in note.extra.items()]
    return "\n".join([note.title, *values, *times, note.source_url, *own, note.body])


def measured(folder: Path) -> Iterator[FileResult]:
    """Import a folder as a person does, and each export of Evernote in it by itself; yield what became of each file."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    files = [path for path in files if not any(map(_is_skipped, path.relative_to(folder).parts))]
    exports = [path for path in files if _kind(path.name) == "enex"]
    with tempfile.TemporaryDirectory() as scratch, Workspace(Path(scratch) / "workspace") as workspace:
        report, notes = _imported(workspace, folder, "all")
        others = [path for path in files if path not in exports]
        if report.importer and others:
            yield _whole(f"{folder.name} ({report.importer})", others, notes.values())
        else:
            reasons = {
                one.path: str(one.error)
                for one in (*report.failed, *report.not_downloaded, *report.skipped, *report.left_out)
            }
            linked = "\n".join(note.body for note in notes.values())
            for path in others:
                name = str(path.relative_to(folder))
                if name in notes:
                    yield _whole(name, [path], [notes[name]])
                elif _kind(name) in _READ or path.name not in linked:
                    yield _unread(path, name, reasons)
        for number, path in enumerate(exports):
            _, notes = _imported(workspace, path, f"export {number}")
            yield _whole(str(path.relative_to(folder)), [path], notes.values())


def _imported(workspace: Workspace, place: Path, base: str) -> tuple[SyncReport, dict[str, Note]]:
    try:
        plan = workspace.imports.plan_folder(place, base)
    except SourceError as error:
        return SyncReport(failed=tuple(Failed(one.name, error) for one in place.iterdir())), {}
    report = workspace.imports.apply(plan, confirmed=True, embed=False, watch=False)
    cards = workspace.notes.all(Filters(bases=(base,)))
    return report, {str(card.path): workspace.notes.get(card.id) for card in cards}


def _unread(path: Path, name: str, reasons: dict[str, str]) -> FileResult:
    """Return what became of a file without a note: its words are named, if the report says why it wasn't read."""
    reason = next((why for place, why in reasons.items() if f"{name}/".startswith(f"{place.rstrip('/')}/")), "")
    total = _whole(name, [path], []).words
    return FileResult(name, _kind(name), total, named=total if reason else 0, problem=reason or SILENT)


def _whole(name: str, files: Sequence[Path], notes: Iterable[Note]) -> FileResult:
    every = [*notes]
    if unknown := {_kind(path.name) for path in files} - _READ:
        return FileResult(name, _kind(name), problem=f"no other reader of .{unknown.pop()} here")
    try:
        source = [part for path in files for part in parts(path)]
    except Exception as error:  # noqa: BLE001 - whatever readers of damaged files raise
        return FileResult(name, _kind(name), problem=f"can't be compared: {type(error).__name__}: {error}"[:200])
    left_out = tuple(one for note in every for one in note.left_out)
    return compared(name, source, "\n".join(map(shown, every)), left_out)


def _is_skipped(name: str) -> bool:
    return name.startswith(".") or name in SKIPPED_FOLDERS


def _kind(path: str) -> str:
    return Path(path).suffix[1:].lower()


def _table(results: Iterable[FileResult]) -> str:
    rows: defaultdict[str, list[FileResult]] = defaultdict(list)
    for one in results:
        rows[one.kind].append(one)
        rows["all"].append(one)
    names = ("kind", "files", "words", "in the note", "exact", "named", "gone", "not compared", "below")
    head = f"| {' | '.join(names)} |\n|{'---|' * len(names)}\n"
    return head + "".join(_row(kind, rows[kind]) for kind in sorted(rows, key=lambda kind: (kind == "all", kind)))


def _row(kind: str, results: list[FileResult]) -> str:
    total = sum(one.words for one in results)
    sums = (sum(getattr(one, name) for one in results) for name in ("kept", "exact"))
    shares = (f"{some / total:.2%}" if total else "–" for some in sums)
    named, gone = sum(one.named for one in results), sum(len(one.gone) for one in results)
    problems, below = sum(bool(one.problem) for one in results), sum(one.is_below for one in results)
    cells = (kind, len(results), f"{total:,}", *shares, f"{named:,}", f"{gone:,}", problems, below)
    return f"| {' | '.join(map(str, cells))} |\n"


def _told(one: FileResult) -> str:
    if one.problem:
        return f"{one.path}: {one.problem} ({one.words:,} words)\n" if one.words else f"{one.path}: {one.problem}\n"
    gone = Counter(one.gone).most_common(SHOWN)
    lost = ", ".join(f"{word} ({count})" if count > 1 else word for word, count in gone)
    more = ", …" if len(set(one.gone)) > SHOWN else ""
    return f"{one.path}: {one.share:.2%} of {one.words:,} words; gone: {lost}{more}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    given = parser.parse_args()
    os.environ |= {"TESSERA_EMBEDDER": "tfidf", "TESSERA_INDEX__KIND": "none"}
    results = []
    for folder in given.folders:
        sys.stdout.write(f"# {folder}\n")
        for one in measured(folder.resolve()):
            results.append(one)
            if one.is_below or one.problem:
                sys.stdout.write(_told(one))
                sys.stdout.flush()
    sys.stdout.write(f"\n{_table(results)}")
    sys.exit(any(one.is_below for one in results))


if __name__ == "__main__":
    main()
