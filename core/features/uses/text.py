"""Output of the commands on uses and clicks for people."""

from core.base.messages import plural
from core.base.terminal import _, minute, say
from core.base.text import one_line
from core.features.uses.views import ClickList, ForgottenClicks, ForgottenUses, NoteUses
from core.model import CLICKED, HELPFUL, USED_IN, Click, Use


def format_uses(note: NoteUses) -> list[str]:
    found = plural("Found {n} time", "Found {n} times", n=note.found)
    used = plural("used {n} time", "used {n} times", n=note.used)
    verdicts = _(
        "{helpful} helpful, {not_helpful} not helpful, {misleading} misleading",
        helpful=note.helpful,
        not_helpful=note.not_helpful,
        misleading=note.misleading,
    )
    head = _("{found}, {used}. Verdicts: {verdicts}.", found=found, used=used, verdicts=verdicts)
    return [head, *map(_use_line, note.uses)]


def format_use(use: Use) -> list[str]:
    return [_use_line(use)]


def _use_line(use: Use) -> str:
    place = USED_IN.get(use.used_in)
    parts = [minute(use.used_at), say(place) if place else use.used_in, use.context]
    parts += [f"×{use.times}"] * (use.times > 1)
    parts += [say(HELPFUL[use.helpful])] if use.helpful in HELPFUL else []
    return "  ".join(filter(None, parts))


def format_forgotten(forgotten: ForgottenUses) -> list[str]:
    return [say(plural("{n} use deleted.", "{n} uses deleted.", n=forgotten.uses))]


def format_clicks(listed: ClickList) -> list[str]:
    return [line for click in listed.clicks for line in format_click(click)] or [_("Nothing is recorded.")]


def format_click(click: Click) -> list[str]:
    return ["  ".join([f"{click.day:%Y-%m-%d}", click.note_id, say(CLICKED[click.kind]), one_line(click.question)])]


def format_forgotten_clicks(forgotten: ForgottenClicks) -> list[str]:
    return [say(plural("{n} click deleted.", "{n} clicks deleted.", n=forgotten.clicks))]
