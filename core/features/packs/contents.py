"""The notes of a pack's folder, all of them or none."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from core.base.errors import PackError, SourceError
from core.base.faults import wrap_file_errors
from core.base.messages import Message, message
from core.features.packs import manifest
from core.intake import folder, notefile
from core.markdown.outline import Outline
from core.model import Note, Pack


@dataclass(frozen=True, slots=True)
class PackNote:
    """A note of a pack, without id and base; its `content_hash` is that of its file."""

    note: Note
    outline: Outline


def read(place: Path) -> tuple[Pack, dict[str, PackNote]]:
    """Return the pack of a folder and its notes by path.

    Nothing outside the folder is read. Raises PackError with all mistakes: of `pack.toml`, files that can't be notes,
    front matter that can't be read, links that lead out of the folder.
    """
    pack, mistakes = manifest.checked(place)
    notes: dict[str, PackNote] = {}
    for path, note in _notes(place):
        if isinstance(note, PackNote):
            notes[path] = note
            mistakes += [_mistake(path, warning) for warning in note.note.warnings]
            mistakes += [_mistake(path, omission.message) for omission in note.note.left_out]
        else:
            mistakes.append(_mistake(path, note) if path else note)
    if pack is None or mistakes:
        raise PackError(str(place), mistakes)
    return pack, {
        path: replace(pack_note, note=replace(pack_note.note, source_ref=pack.source_ref))
        for path, pack_note in notes.items()
    }


def _notes(place: Path) -> Iterator[tuple[str, PackNote | Message]]:
    """Yield the path of each note of a folder with the note, or with what is wrong with it."""
    try:
        scan = folder.scan(place, scope="notes")
    except SourceError as error:
        yield "", error.reason
        return
    for failed in scan.failed:
        yield failed.path, failed.error
    for file in scan.files:
        try:
            with wrap_file_errors(file.path):
                yield file.path, _note(scan.folder, file.path)
        except SourceError as error:
            yield file.path, error.reason


def _note(root: Path, path: str) -> PackNote:
    data = folder.read(root, path)
    note, outline = notefile.read(data, path)
    return PackNote(
        replace(note, source="pack", body_start=0, front="", content_hash=folder.content_hash(data)), outline
    )


def _mistake(path: str, reason: Message) -> Message:
    return message("{path}: {reason}", path=path, reason=reason)
