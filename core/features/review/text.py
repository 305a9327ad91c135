"""Output of `tessera review` for people."""

from core.base.terminal import _, say
from core.base.text import one_line
from core.doors.operations.views.notes import WrittenNote
from core.features.review.views import ReviewKeys, ReviewList
from core.model import MATTERS


def format_items(listed: ReviewList) -> list[str]:
    lines: list[str] = []
    kind = ""
    for item in listed.waiting:
        if item.kind != kind:
            kind = item.kind
            lines.append(say(MATTERS[kind].title))
        lines.append(f"  {item.key}  {item.title} ({item.base})")
        if kind == "file":
            lines += [f"    {one_line(str(path))}" for path in (item.path, item.other_path)]
        lines += [f"    {quote}" for quote in item.quotes]
    return lines or [_("Nothing waits for you.")]


def format_later(decided: ReviewKeys) -> list[str]:
    return [_("It comes back in a week.")]


def format_fine(decided: ReviewKeys) -> list[str]:
    return [_("It stays as it is, and comes back when it changes.")]


def format_merged(note: WrittenNote) -> list[str]:
    return [_("The text is added; the note is version {version} now.", version=str(note.version))]
