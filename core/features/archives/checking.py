"""The first reading of an archive: every record is read and checked before anything is written."""

from dataclasses import fields, is_dataclass
from typing import Any

from core.base.messages import Message, message
from core.features.archives.parts import Mistakes
from core.features.archives.records import Ids, Records, is_id


def checked(records: Records, name: str) -> Ids:
    """Read all records of the archive `name` once, and return their ids; raises ArchiveError with every mistake."""
    mistakes, ids = Mistakes(name), Ids()
    _notes(records, mistakes, ids)
    _versions(records, mistakes, ids)
    proposed: set[str] = set()
    for place, proposal in records.proposals.sound(mistakes):
        if proposal.note_id not in ids.notes or proposal.note_id in proposed:
            mistakes.add(place, message("the note of this change isn't in the archive, or has another change."))
        proposed.add(proposal.note_id)
    for place, edit in records.edits.sound(mistakes):
        ids.named.update(_mentioned(edit))
        if edit.id in ids.edits:
            mistakes.add(place, message("this edit stands here twice."))
        ids.edits.add(edit.id)
    sets: set[str] = set()
    for place, mistake in records.sets.sound(mistakes):
        ids.named.update(_mentioned(mistake))
        if not sets.isdisjoint((mistake.set.id, f"/{mistake.set.name}")):
            mistakes.add(place, message("this question set stands here twice."))
        sets.update((mistake.set.id, f"/{mistake.set.name}"))
    for place, use in records.uses.sound(mistakes):
        ids.named.update(_mentioned(use))
        if use.note_id not in ids.notes and use.note_id not in ids.versions:
            mistakes.add(place, message("the note of this use isn't in the archive."))
    for _, run in records.runs.sound(mistakes):
        ids.named.update(_mentioned(run))
    for _ in records.syncs.sound(mistakes):
        pass
    mistakes.raise_any()
    return ids


def _notes(records: Records, mistakes: Mistakes, ids: Ids) -> None:
    for place, record in records.notes.sound(mistakes):
        if record.note.id in ids.notes:
            mistakes.add(place, message("this note stands here twice."))
        ids.notes[record.note.id] = record.note.version


def _versions(records: Records, mistakes: Mistakes, ids: Ids) -> None:
    last: dict[str, str] = {}
    for place, record in records.versions.sound(mistakes):
        note = record.note
        numbers = ids.versions.setdefault(note.id, set())
        if note.version in numbers or note.version > ids.notes.get(note.id, note.version):
            mistakes.add(place, message("this version stands here twice, or is later than its note."))
        if note.version > max(numbers, default=0):
            last[note.id] = record.kind
        numbers.add(note.version)
    for note_id, kind in last.items():
        if kind == "delete" and note_id in ids.notes:
            mistakes.add("versions.jsonl", message("the note '{note}' is deleted and there.", note=note_id))


def _mentioned(value: Any, owner: type = object, name: str = "") -> set[str]:
    """Return the ids in a noun; of a chunk's id, the note's."""
    if is_dataclass(value) and not isinstance(value, Message | type):
        kind = type(value)
        return {entry for field in fields(value) for entry in _mentioned(getattr(value, field.name), kind, field.name)}
    if isinstance(value, tuple):
        return {entry for item in value for entry in _mentioned(item, owner, name)}
    if isinstance(value, dict):
        return {entry for item in value.values() for entry in _mentioned(item)}
    return {value.partition(":")[0]} if isinstance(value, str) and is_id(owner, name) else set()
