"""Output about documents for people: their converters, and the files that weren't read."""

from typing import Any

from core.base.messages import plural
from core.base.terminal import _, say
from core.model import GUESSED

_SHOWN = 20
"""Lines about notes that lack parts of their files."""


def format_converters(values: dict[str, Any]) -> list[str]:
    lines = []
    for value in values["converters"]:
        state = value["version"] if value["installed"] else _("not installed")
        about = say(value["problem"]) if value["problem"] else f"{' '.join(value['kinds'])} ({state})"
        lines.append(f"{value['name']}: {about}")
    return lines


def format_unread(values: dict[str, Any]) -> list[str]:
    unread = [f"{value['path']}: {say(value['reason'])}" for value in values["files"]]
    return [*unread, *(line for _kind, line in _lines(values["incomplete"]))] or [_("All files were read.")]


def format_incomplete(report: dict[str, Any]) -> list[str]:
    """Return the missing parts of the first notes, and their sums over all notes."""
    every = [
        _("  may be garbled: {line}", line=line) if kind == GUESSED else _("  incomplete: {line}", line=line)
        for kind, line in _lines(report["incomplete"])
    ]
    text = every[:_SHOWN]
    if len(every) > _SHOWN:
        text.append(f"  {_('and {n} more', n=len(every) - _SHOWN)}: tessera document unread BASE")
    parts = [omission["explanation"] for omission in report["missing_parts"] if omission["kind"] != GUESSED]
    if parts and len(report["incomplete"]) > 1:
        text.append(_("  not in the notes: {parts}", parts=[say(part) for part in parts]))
    return text


def lacking(notes: list[dict[str, Any]]) -> int:
    """Return how many notes lack parts of their files."""
    return sum(any(part["kind"] != GUESSED for part in note["left_out"]) for note in notes)


def _lines(notes: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return a kind and a line for each kind of parts that a note lacks of its file."""
    return [
        (part["kind"], f"{note['path']}: {say(part['explanation'])}") for note in notes for part in note["left_out"]
    ]


def format_encodings(values: dict[str, Any]) -> list[str]:
    return [f"{value['encoding']}: {value['beginning']}" for value in values["encodings"]]


def format_original(values: dict[str, Any]) -> list[str]:
    if values["path"]:
        return [values["path"]]
    return [_("'{name}' is in the workspace. To have a copy of it: --to FILE", name=values["name"])]


def format_converted(note: dict[str, Any]) -> list[str]:
    return [_("'{title}' is version {version} now.", title=note["path"], version=str(note["version"]))]


def format_pictures(values: dict[str, Any]) -> list[str]:
    return [say(plural("{n} picture was read.", "{n} pictures were read.", n=values["pictures"]))]


def format_index_pictures(values: dict[str, Any]) -> list[str]:
    return [say(plural("{n} picture is new to search", "{n} pictures are new to search", n=values["pictures"]))]
