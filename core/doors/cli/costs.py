"""Changes of a base that take time: the cost is printed, then confirmed."""

import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from core.base.errors import ConfigError
from core.base.messages import Message, message, plural
from core.base.terminal import _, say
from core.doors.cli.calling import Run, opened
from core.doors.cli.options import WORKSPACE
from core.doors.operations import bases as operations

Cost = dict[str, Any]


def agreed(question: Message, yes: bool) -> bool:
    """Print the cost of a change, and return whether the user confirms it; raises ConfigError without a terminal."""
    sys.stderr.write(f"{say(question)}\n")
    if yes:
        return True
    if not sys.stdin.isatty():
        raise ConfigError("This terminal can't ask you first, so nothing was started. Add --yes to start.")
    return typer.confirm(_("Start?"), err=True)


def _switch_message(cost: Cost) -> Message:
    return message(
        "{n} of {every} pieces of text to index with '{embedder}': about {time}. Until it is "
        "done the old model answers.",
        n=cost["to_embed"],
        every=cost["windows"],
        embedder=cost["embedder"],
        time=_duration(cost["seconds"]),
    )


def _chunking_message(cost: Cost) -> Message:
    return plural(
        "{n} note to split again, {every} pieces of text, {new} of them to index: about {time}.",
        "{n} notes to split again, {every} pieces of text, {new} of them to index: about {time}.",
        n=cost["notes"],
        every=cost["windows"],
        new=cost["to_embed"],
        time=_duration(cost["seconds"]),
    )


QUESTIONS: Mapping[str, Callable[[Cost], Message]] = {"chunking": _chunking_message, "embedder": _switch_message}
"""Sentences about the cost of a change, before the question whether to go on."""


def switch(
    workspace: Path,
    *,
    yes: Annotated[bool, typer.Option("--yes", help=_("Don't ask whether to begin."))] = False,
    abandon: Annotated[
        bool, typer.Option("--abandon", help=_("Cancel what was started; the base stays as it is."))
    ] = False,
    **given: Any,
) -> Any:
    base, embedder = given["base"], given["embedder"]
    values: dict[str, Any] = {"base": base, "switched": False}
    with opened(workspace) as run:
        if abandon:
            return values | {"embedder": run(operations.abandon_switch, base=base)["embedder"]}
        cost = run(operations.cost, base=base, embedder=embedder)["embedder"] if embedder else None
        if cost:
            minutes = round(cost["seconds"] / 60, 2)
            values |= {"windows": cost["windows"], "to_embed": cost["to_embed"], "estimated_minutes": minutes}
            if not agreed(_switch_message(cost), yes):
                return values | {"embedder": run(operations.show, base=base)["embedder"]}
        return values | {"switched": True, "embedder": switch_to(run, workspace, base, embedder)["embedder"]}


def switch_to(run: Run, workspace: Path, base: str, embedder: str | None = None) -> Any:
    """Give a base another model, or continue that; on Ctrl-C print how to continue, and exit with 130."""
    try:
        return run(operations.switch, base=base, embedder=embedder)
    except KeyboardInterrupt:
        place = ["--workspace", str(workspace)] if workspace != WORKSPACE else []
        again = shlex.join(["tessera", "models", "switch", base, *place])
        stopped = _("Stopped. What is indexed stays, and the base answers with its old model.")
        go_on = _("Go on: {command}", command=again)
        stay = _("Or stay: {command}", command=f"{again} --abandon")
        sys.stderr.write(f"\n{stopped}\n{go_on}\n{stay}\n")
        sys.exit(130)


def switched_lines(values: dict[str, Any]) -> list[str]:
    return [_("The base '{base}' has the model '{embedder}'.", base=values["base"], embedder=values["embedder"])]


def _duration(seconds: float) -> Message:
    if seconds >= 90:
        return message("{n} minutes", n=round(seconds / 60))
    return plural("{n} second", "{n} seconds", n=round(seconds))
