"""Output of the commands on threads for people."""

from collections.abc import Iterator
from typing import Any

from core.base.messages import message
from core.base.terminal import _, say
from core.base.text import one_line
from core.model import NOT_IN_NOTES

_GONE = {"changed": message("The source has changed."), "deleted": message("The note was deleted.")}


def format_threads(values: dict[str, Any]) -> list[str]:
    return [f"{value['id']}  {value['title']}" for value in values["threads"]] or [_("There are no threads yet.")]


def format_thread(values: dict[str, Any]) -> list[str]:
    return [_("Thread {id}", id=values["id"]), *(line for turn in values["turns"] for line in _turn(turn))]


def _turn(turn: dict[str, Any]) -> Iterator[str]:
    yield f"\n{turn['typed']}"
    if turn["question"] != turn["typed"]:
        yield _("Searched as: {question}", question=turn["question"])
    for item in turn["sentences"]:
        marks = "".join(f"[{number}]" for number in item["citations"])
        yield (
            f"{item['text']} {marks}"
            if marks
            else f"  {item['text']} ({say(NOT_IN_NOTES)}: {say(item['explanation'])})"
        )
    for item in turn["citations"]:
        gone = f" ({say(_GONE[item['state']])})" if item["state"] in _GONE else ""
        yield f"[{item['number']}] {item['title']}{gone}: {one_line(item['quote'])}"
