"""What commands on threads print."""

from collections.abc import Iterator
from typing import Any

from core.base.messages import message
from core.base.text import one_line
from core.doors.cli.texts import _, say
from core.model import NOT_IN_NOTES

_GONE = {"changed": message("The source has changed."), "deleted": message("The note was deleted.")}


def format_threads(values: dict[str, Any]) -> list[str]:
    return [f"{one['id']}  {one['title']}" for one in values["threads"]] or [_("There are no threads yet.")]


def format_thread(values: dict[str, Any]) -> list[str]:
    return [_("Thread {id}", id=values["id"]), *(line for turn in values["turns"] for line in _turn(turn))]


def _turn(turn: dict[str, Any]) -> Iterator[str]:
    yield f"\n{turn['typed']}"
    if turn["question"] != turn["typed"]:
        yield _("Searched as: {question}", question=turn["question"])
    for one in turn["sentences"]:
        marks = "".join(f"[{number}]" for number in one["citations"])
        yield f"{one['text']} {marks}" if marks else f"  {one['text']} ({say(NOT_IN_NOTES)}: {say(one['told'])})"
    for one in turn["citations"]:
        gone = f" ({say(_GONE[one['state']])})" if one["state"] in _GONE else ""
        yield f"[{one['number']}] {one['title']}{gone}: {one_line(one['quote'])}"
