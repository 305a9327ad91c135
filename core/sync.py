"""A folder -> a plan: what is new, changed, renamed, gone. Knows nothing of storing or indexing.

Only files that are new or whose time or size changed are read. A file that can't be read never
costs the note that is known of it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from core.errors import SourceError
from core.folder import Failed, Found, hashed, scan
from core.model import Progress, unheard

GUARDED_SHARE = 1 / 3
GUARDED_NOTES = 5


@dataclass(frozen=True, slots=True)
class Known:
    """A note as the last sync left it; `path` is relative to the folder `source_ref`."""

    note_id: str
    path: str
    source_ref: str
    content_hash: str
    mtime_ns: int
    size: int


@dataclass(frozen=True, slots=True)
class Match:
    """A known note and the file that it is now: its path, time, size or content may differ."""

    note: Known
    file: Found


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What an applied plan did; all but `failed` are counts, touched notes among the unchanged.

    `edits_flagged` edits lost their place in a changed note; `edits_kept` ones are of removed notes and
    wait for their file to come back.
    """

    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: tuple[Failed, ...] = ()
    chunks: int = 0
    embedded_windows: int = 0
    edits_flagged: int = 0
    edits_kept: int = 0
    seconds: float = 0.0

    def to_dict(self) -> dict[str, object]:
        """The same as JSON could say it."""
        return {**asdict(self), "failed": [asdict(item) for item in self.failed]}


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What would make the notes of one folder equal to its files.

    `touched` files have another time but the same content: only what is known of them changes.
    `failed` paths keep their notes. `known` is how many notes the base had of this folder.
    """

    base: str
    folder: Path
    source_ref: str
    added: tuple[Found, ...]
    changed: tuple[Match, ...]
    renamed: tuple[Match, ...]
    removed: tuple[Known, ...]
    unchanged: tuple[Known, ...]
    touched: tuple[Match, ...]
    failed: tuple[Failed, ...]
    known: int

    @property
    def needs_confirmation(self) -> bool:
        """Whether over a third of the folder's notes would go, where it had five or more."""
        return self.known >= GUARDED_NOTES and len(self.removed) > self.known * GUARDED_SHARE

    def report(self) -> SyncReport:
        """What applying the plan would count, nothing having been cut or embedded."""
        return SyncReport(
            added=len(self.added),
            changed=len(self.changed),
            renamed=len(self.renamed),
            removed=len(self.removed),
            unchanged=len(self.unchanged) + len(self.touched),
            failed=self.failed,
        )

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to apply."""
        return not (self.added or self.changed or self.renamed or self.removed or self.touched)


def plan(
    base_name: str,
    folder: Path,
    known: Sequence[Known],
    *,
    forbidden: Path | None = None,
    source_ref: str | None = None,
    removals: bool = True,
    progress: Progress = unheard,
) -> SyncPlan:
    """Compare a folder with the notes that are known of it.

    `known` are the base's notes; those of other folders are left alone, unless their folder is gone
    and half of its notes or more are found here: then it was moved. `source_ref` is what the folder
    is called in `known`, its absolute path by default. Without `removals` (an upload) a missing file
    means nothing: no note is removed or renamed. `progress` is told files done and in all.
    Raises SourceError as `scan` does.
    """
    scanned = scan(folder, forbidden=forbidden)
    ref = source_ref if source_ref is not None else str(scanned.folder)
    mine = {note.path: note for note in known if note.source_ref == ref}
    failed = list(scanned.failed)
    fresh: list[Found] = []
    changed: list[Match] = []
    touched: list[Match] = []
    unchanged: list[Known] = []
    for done, file in enumerate(scanned.files, start=1):
        note = mine.get(file.path)
        if note and (note.mtime_ns, note.size) == (file.mtime_ns, file.size):
            unchanged.append(note)
        else:
            try:
                file = hashed(scanned.folder, file)
            except SourceError as error:
                failed.append(Failed(file.path, error.reason))
            else:
                if note is None:
                    fresh.append(file)
                else:
                    (touched if note.content_hash == file.content_hash else changed).append(Match(note, file))
        progress(done, len(scanned.files), file.path)
    moved = _moved(known, fresh) if removals else []
    gone = _missing([*mine.values(), *moved], scanned.files, failed, ref) if removals else []
    renamed, rewritten = _pair(gone, fresh)
    kept = {match.note.note_id for match in (*renamed, *rewritten)}
    taken = {match.file.path for match in (*renamed, *rewritten)}
    return SyncPlan(
        base=base_name,
        folder=scanned.folder,
        source_ref=ref,
        added=tuple(file for file in fresh if file.path not in taken),
        changed=tuple(sorted([*changed, *rewritten], key=lambda match: match.file.path)),
        renamed=tuple(sorted(renamed, key=lambda match: match.file.path)),
        removed=tuple(note for note in gone if note.note_id not in kept),
        unchanged=tuple(unchanged),
        touched=tuple(touched),
        failed=tuple(failed),
        known=len(mine) + len(moved),
    )


def _moved(known: Sequence[Known], fresh: Sequence[Found]) -> list[Known]:
    """The notes of folders that are gone from disk and whose content is here for the half or more."""
    by_folder: defaultdict[str, list[Known]] = defaultdict(list)
    for note in known:
        by_folder[note.source_ref].append(note)
    hashes = {file.content_hash for file in fresh}
    return [
        note
        for ref, notes in by_folder.items()
        if Path(ref).is_absolute() and not Path(ref).exists()
        if 2 * sum(note.content_hash in hashes for note in notes) >= len(notes)
        for note in notes
    ]


def _missing(notes: Sequence[Known], files: Sequence[Found], failed: Sequence[Failed], ref: str) -> list[Known]:
    """The notes without a file, save those at or below a path that failed."""
    present = {file.path for file in files}
    lost = {item.path for item in failed}
    return [
        note
        for note in notes
        if (note.source_ref != ref or note.path not in present)
        and "." not in lost
        and not any(part in lost for part in _itself_and_parents(note.path))
    ]


def _itself_and_parents(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition("/")[0]


def _pair(gone: Sequence[Known], fresh: Sequence[Found]) -> tuple[list[Match], list[Match]]:
    """Match missing notes with new files: (the same content elsewhere, a moved folder's edited notes).

    Among equal contents the same path goes first, then the same file name, then reading order.
    """
    renamed: list[Match] = []
    rewritten: list[Match] = []
    keys: tuple[Callable[[Known | Found], tuple[str, ...]], ...] = (
        lambda item: (item.content_hash, item.path),
        lambda item: (item.content_hash, item.path.rpartition("/")[2]),
        lambda item: (item.content_hash,),
        lambda item: ("", item.path),
    )
    notes, files = list(gone), list(fresh)
    for key in keys:
        waiting: defaultdict[tuple[str, ...], list[Known]] = defaultdict(list)
        for note in reversed(notes):
            waiting[key(note)].append(note)
        matches = [Match(waiting[key(file)].pop(), file) for file in files if waiting[key(file)]]
        (rewritten if key is keys[-1] else renamed).extend(matches)
        used = {match.note.note_id for match in matches}
        taken = {match.file.path for match in matches}
        notes = [note for note in notes if note.note_id not in used]
        files = [file for file in files if file.path not in taken]
    return renamed, rewritten
