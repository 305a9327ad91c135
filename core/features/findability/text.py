"""Lines about checks whether notes can be found."""

from typing import Any

from core.base.messages import plural
from core.base.terminal import _, say

_SHOWN = 20
"""Lines of a list."""


def format_check(values: dict[str, Any]) -> list[str]:
    questions = plural("{n} question", "{n} questions", n=values["questions"])
    lines = [
        _("{questions} from the notes of {base}:", questions=questions, base=values["base"]),
        "  " + _("{share} lead to their note first, {reached} among the first ten", **_shares(values)),
    ]
    if values["left_out"]:
        lines.append(
            "  " + say(plural("no time for {n} more question", "no time for {n} more questions", n=values["left_out"]))
        )
    lines += _list([f"{value['title']}: {say(value['explanation'])}" for value in values["findings"]])
    if not values["findings"]:
        lines.append(_("Every note is reached by a question."))
    if since := values["since"]:
        lines += ["", say(since["explanation"]), *_list([say(item["explanation"]) for item in since["vanished"]])]
    return lines


def format_trial(values: dict[str, Any]) -> list[str]:
    lines = [say(values["comparison"]["explanation"])]
    if values["loses"]:
        lines.append(_("With these settings your notes are found worse, by more than chance explains."))
    return lines


def _shares(values: dict[str, Any]) -> dict[str, str]:
    return {"share": f"{values['first']:.0%}", "reached": f"{values['reached']:.0%}"}


def _list(lines: list[str]) -> list[str]:
    more = len(lines) - _SHOWN
    rest = [f"  {_('and {n} more', n=more)}"] if more > 0 else []
    return [f"  - {line}" for line in lines[:_SHOWN]] + rest
