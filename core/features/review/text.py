"""Lines about what waits for the person."""

from typing import Any

from core.base.terminal import _, say
from core.base.text import one_line
from core.doors.operations.views.notes import WrittenNote
from core.model import MATTERS


def format_items(values: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    kind = ""
    for value in values["waiting"]:
        if value["kind"] != kind:
            kind = value["kind"]
            lines.append(say(MATTERS[kind].title))
        lines.append(f"  {value['key']}  {value['title']} ({value['base']})")
        if kind == "file":
            lines += [f"    {one_line(value[name])}" for name in ("path", "other_path")]
        lines += [f"    {quote}" for quote in value["quotes"]]
    return lines or [_("Nothing waits for you.")]


def format_later(values: dict[str, Any]) -> list[str]:
    return [_("It comes back in a week.")]


def format_fine(values: dict[str, Any]) -> list[str]:
    return [_("It stays as it is, and comes back when it changes.")]


def format_merged(note: WrittenNote) -> list[str]:
    return [_("The text is added; the note is version {version} now.", version=str(note.version))]
