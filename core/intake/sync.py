"""Planning of a sync, by finding a folder's new, changed, renamed and removed notes. Nothing is stored or indexed here.

Only new files, and files whose time, size or stamp has changed, are read, each of them once. If a file can't be read,
its note is kept.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType

from core.base.errors import SourceError
from core.base.faults import wrap_file_errors
from core.base.frozen import Texts
from core.base.text import compose, name_key
from core.documents.kinds import PICTURES, kind_of, nothing_read, why_not_read
from core.intake import placeholders
from core.intake.folder import Paths, Scan, ancestry, scan, with_text
from core.intake.placeholders import EMPTIED, EmptyFile, NotDownloaded, with_note
from core.model import READ_AGAIN, Failed, KnownNote, Match, SourceFile, SyncPlan
from core.store.picture_table import UnreadFile

# A picture in a folder is either a scanned page to read, or an illustration shown by a nearby note.

# Kinds of notes that can show pictures from other files.
_SHOWING = "md markdown html htm xhtml canvas excalidraw org rst tex latex ipynb mediawiki wiki".split()
# Names of folders with files shown by notes, at any depth. Tessera puts pasted pictures into the first.
_ATTACHED = {"attachments", "assets", "_resources"}
# Names of folders with pictures shown by notes. Folders in them have names of their own, such as scans.
_PICTURED = set("images image img imgs pictures pics figures media screenshots".split())


def pages_only(scanned: Scan, known: Collection[str], *, whole: bool) -> Scan:
    """Return a scan without the pictures that aren't scanned pages.

    A picture is a page if it isn't small and no note in the folder could show it. A picture that already is a note is a
    page too. The path of such a picture is in `known`. Any other picture is reported as skipped, except in folders for
    files shown by notes. Raises SourceError if no files are left and the scan is of a `whole` folder.
    """
    may_show = any(kind_of(path) in _SHOWING for path in (*known, *(file.path for file in scanned.files)))
    # Smaller pictures are assumed to be icons.
    others = {
        file.path
        for file in scanned.files
        if kind_of(file.path) in PICTURES and file.path not in known and (may_show or file.size < 10_000)
    }
    files = tuple(file for file in scanned.files if file.path not in others)
    failed, away = (
        tuple(item for item in item if not may_show or kind_of(item.path) not in PICTURES)
        for item in (scanned.failed, scanned.not_downloaded)
    )
    folders = {path: path.casefold().split("/")[:-1] for path in sorted(others)}
    apart = [path for path, of in folders.items() if _ATTACHED.isdisjoint(of) and _PICTURED.isdisjoint(of[-1:])]
    skipped = (*scanned.skipped, *(Failed(path, why_not_read(path)) for path in apart))
    if whole and not (files or failed or away):
        raise SourceError(str(scanned.folder), nothing_read([*(item.path for item in scanned.skipped), *others]))
    return replace(scanned, files=files, failed=failed, not_downloaded=away, skipped=skipped)


# The state of a file when it was last checked.
_STATE = attrgetter("mtime_ns", "size", "stamp")


@dataclass(slots=True)
class _Comparison:
    """The files in a folder, compared with the known notes by path."""

    new: list[SourceFile]
    changed: list[Match]
    touched: list[Match]
    unchanged: list[KnownNote]
    failed: list[Failed]
    away: list[Failed]
    empty: list[Failed]
    unread: list[UnreadFile]


def plan(
    base_name: str,
    folder: Path,
    known: Sequence[KnownNote],
    *,
    forbidden: Path | None = None,
    upload: str = "",
    plain: bool = False,
    only: Paths | None = None,
    unread: Mapping[str, UnreadFile] = MappingProxyType({}),
) -> SyncPlan:
    """Compare a folder with a base's notes from that folder.

    `known` contains all of the base's notes. Notes from another folder are ignored, unless that folder is gone and at
    least half of its notes are found in `folder`, which means that the folder was moved. `upload` is the source
    recorded for uploaded notes. An upload doesn't remove or rename notes, and files that aren't downloaded count as
    failed. With `plain`, the files are plain text. `unread` maps the paths of unreadable files to their last known
    states. With `only`, notes at any other path count as unchanged. `forbidden` is the workspace. Raises SourceError
    like `scan`.
    """
    removals = not upload
    scanned = scan(folder, forbidden=forbidden, scope="text" if plain else "pictures", only=only)
    ref = upload or str(scanned.folder)
    mine = {note.path: note for note in known if note.source_ref == ref}
    scanned = pages_only(scanned, mine, whole=only is None) if removals else scanned
    # An upload's file names may be in another system's Unicode form.
    compared = _compare(scanned, mine, {} if removals else {compose(path): note for path, note in mine.items()}, unread)
    compared.failed += [failure for _, failure in compared.unread]
    # A folder was moved if it no longer exists and at least half of its notes are among the new files.
    by_folder = defaultdict[str, list[KnownNote]](list)
    for note in known if removals else ():
        by_folder[note.source_ref].append(note)
    hashes = {file.content_hash for file in compared.new}
    moved = [
        note
        for ref_before, notes in by_folder.items()
        if Path(ref_before).is_absolute() and not Path(ref_before).exists()
        if 2 * sum(note.content_hash in hashes for note in notes) >= len(notes)
        for note in notes
    ]
    others = [note for note in mine.values() if only is not None and note.path not in only]
    compared.unchanged += others
    present = {note.path for note in others} | {file.path for file in scanned.files}
    if not removals:
        compared.failed += [*compared.away, *compared.empty]
        compared.away = []
        compared.empty = []
    unreadable = {failure.path for failure in (*compared.failed, *compared.away)}
    missing = [
        note
        for note in (*mine.values(), *moved)
        if removals and (note.source_ref != ref or note.path not in present)
        if "." not in unreadable and unreadable.isdisjoint(ancestry(note.path))
    ]
    renamed, rewritten = _pair(missing, compared.new) if missing else ([], [])
    matched_notes = {match.note.note_id for match in (*renamed, *rewritten)}
    matched_paths = {match.file.path for match in (*renamed, *rewritten)}
    # A file that has no note and isn't downloaded yet may be a missing note's file that was moved.
    names = {_name(failed.path) for failed in compared.away if failed.path not in mine}
    gone = [note for note in missing if note.note_id not in matched_notes]
    return SyncPlan(
        base=base_name,
        folder=scanned.folder,
        source_ref=ref,
        added=tuple(file for file in compared.new if file.path not in matched_paths),
        changed=tuple(sorted([*compared.changed, *rewritten], key=lambda match: match.file.path)),
        renamed=tuple(sorted(renamed, key=lambda match: match.file.path)),
        removed=tuple(note for note in gone if _name(note.path) not in names),
        unchanged=tuple(compared.unchanged),
        touched=tuple(compared.touched),
        failed=tuple(compared.failed),
        known=len(mine) + len(moved),
        not_downloaded=(
            *compared.away,
            *(Failed(note.path, placeholders.MOVED) for note in gone if _name(note.path) in names),
        ),
        skipped=(*scanned.skipped, *compared.empty),
        left_out=scanned.left_out,
        unread=tuple(compared.unread),
        is_whole=only is None,
    )


def _compare(
    scanned: Scan,
    known: Mapping[str, KnownNote],
    alike: Mapping[str, KnownNote],
    unread: Mapping[str, UnreadFile],
) -> _Comparison:
    away = [with_note(failed) if failed.path in known else failed for failed in scanned.not_downloaded]
    compared = _Comparison([], [], [], [], list(scanned.failed), away, [], [])
    # Keep the text of files in the plan, up to eight million characters in all, so that most files are read only once.
    room = 8_000_000
    present = {file.path for file in scanned.files}
    for file in scanned.files:
        path = file.path
        note = known.get(path)
        if note is None and (other := alike.get(compose(path))) and other.path not in present:
            note = other
        same = note is not None and _STATE(note) == _STATE(file)
        # An unchanged time, size and stamp are then enough to tell that the file hasn't changed.
        settled = file.stamp and not file.recent
        if note and same and settled:
            compared.unchanged.append(note)
            continue
        before = unread.get(path)
        if before and settled and _STATE(before[0]) == _STATE(file):
            compared.unread.append(before)
            continue
        try:
            with wrap_file_errors(path):
                file = with_text(scanned.folder, file, note.encoding if note else "")
        except SourceError as error:
            failed = Failed(path, error.reason)
            if isinstance(error, NotDownloaded):
                compared.away.append(with_note(failed) if note else failed)
            elif not isinstance(error, EmptyFile):
                compared.failed.append(failed)
            elif note:
                compared.away.append(Failed(path, EMPTIED))
            else:
                compared.empty.append(failed)
            continue
        if before and before[0].content_hash == file.content_hash:
            compared.unread.append((replace(file, text=""), before[1]))
            continue
        if note and note.content_hash == file.content_hash and note.stamp != READ_AGAIN:
            if same:
                compared.unchanged.append(note)
            else:
                compared.touched.append(Match(note, replace(file, text="")))
            continue
        room -= len(file.text)
        file = file if room > 0 else replace(file, text="")
        if note is None:
            compared.new.append(file)
        else:
            compared.changed.append(Match(note, file))
    return compared


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _pair(missing: Sequence[KnownNote], new: Sequence[SourceFile]) -> tuple[list[Match], list[Match]]:
    """Match missing notes with new files. Return the renamed notes and the rewritten notes.

    A renamed note has the same contents at another path, or in a moved folder. A rewritten note has different contents
    at the same path in a moved folder, or at a path that differs only in case or Unicode form. Files with equal
    contents are matched by path, then by file name, then in order.
    """
    renamed = list[Match]()
    rewritten = list[Match]()
    keys: tuple[Callable[[KnownNote | SourceFile], Texts], ...] = (
        lambda item: (item.content_hash, item.path),
        lambda item: (item.content_hash, _name(item.path)),
        lambda item: (item.content_hash,),
        lambda item: ("", name_key(item.path)),
    )
    notes = list(missing)
    files = list(new)
    for key in keys:
        waiting = defaultdict[Texts, list[KnownNote]](list)
        for note in reversed(notes):
            waiting[key(note)].append(note)
        matches = [Match(waiting[key(file)].pop(), file) for file in files if waiting[key(file)]]
        for match in matches:
            (rewritten if key is keys[-1] or match.note.stamp == READ_AGAIN else renamed).append(match)
        used = {match.note.note_id for match in matches}
        taken = {match.file.path for match in matches}
        notes = [note for note in notes if note.note_id not in used]
        files = [file for file in files if file.path not in taken]
    return renamed, rewritten
