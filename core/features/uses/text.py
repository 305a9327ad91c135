"""Output of the commands on uses and clicks for people."""

from typing import Any

from core.base.messages import message, plural
from core.base.terminal import _, minute, say
from core.base.text import one_line
from core.model import CLICKED, USED_IN

_VERDICTS = {1: message("helpful"), 0: message("not helpful"), -1: message("misleading")}


def format_uses(values: dict[str, Any]) -> list[str]:
    found = plural("Found {n} time", "Found {n} times", n=values["found"])
    used = plural("used {n} time", "used {n} times", n=values["used"])
    verdicts = _(
        "{helpful} helpful, {not_helpful} not helpful, {misleading} misleading",
        **{name: values[name] for name in ("helpful", "not_helpful", "misleading")},
    )
    head = _("{found}, {used}. Verdicts: {verdicts}.", found=found, used=used, verdicts=verdicts)
    return [head, *map(format_use, values["uses"])]


def format_use(use: dict[str, Any]) -> str:
    place = USED_IN.get(use["used_in"])
    parts = [minute(use["used_at"]), say(place) if place else use["used_in"], use["context"]]
    parts += [f"×{use['times']}"] * (use["times"] > 1)
    parts += [say(_VERDICTS[use["helpful"]])] if use["helpful"] in _VERDICTS else []
    return "  ".join(filter(None, parts))


def format_reported(use: dict[str, Any]) -> list[str]:
    return [format_use(use)]


def format_forgotten(values: dict[str, Any]) -> list[str]:
    return [say(plural("{n} use deleted.", "{n} uses deleted.", n=values["uses"]))]


def format_clicks(values: dict[str, Any]) -> list[str]:
    return [line for click in values["clicks"] for line in format_click(click)] or [_("Nothing is recorded.")]


def format_click(click: dict[str, Any]) -> list[str]:
    return ["  ".join([click["day"][:10], click["note_id"], say(CLICKED[click["kind"]]), one_line(click["question"])])]


def format_forgotten_clicks(values: dict[str, Any]) -> list[str]:
    return [say(plural("{n} click deleted.", "{n} clicks deleted.", n=values["clicks"]))]
