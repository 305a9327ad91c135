"""Clicks on hits, as commands print them."""

from typing import Any

from core.base.messages import plural
from core.base.text import one_line
from core.doors.cli.texts import _, say
from core.model import CLICKED


def format_clicks(values: dict[str, Any]) -> list[str]:
    return [line for click in values["clicks"] for line in format_click(click)] or [_("Nothing is recorded.")]


def format_click(click: dict[str, Any]) -> list[str]:
    return ["  ".join([click["day"][:10], click["note_id"], say(CLICKED[click["kind"]]), one_line(click["question"])])]


def format_forgotten(values: dict[str, Any]) -> list[str]:
    return [say(plural("{n} click deleted.", "{n} clicks deleted.", n=values["clicks"]))]
