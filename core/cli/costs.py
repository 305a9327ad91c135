"""What a change of a base costs: said, asked, done."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from core.cli.options import WORKSPACE
from core.cli.output import progress
from core.cli.texts import _, say
from core.errors import ConfigError
from core.messages import Message, message, plural
from core.model import ChangeCost

if TYPE_CHECKING:
    from core.workspace import Workspace


def agreed(question: Message, yes: bool) -> bool:
    """Say what a change costs, and return whether it is meant; raises ConfigError where nobody can be asked."""
    sys.stderr.write(f"{say(question)}\n")
    if yes:
        return True
    if not sys.stdin.isatty():
        raise ConfigError("This terminal can't ask you first, so nothing was begun. Add --yes to begin.")
    return typer.confirm(_("Begin?"), err=True)


def of_switch(cost: ChangeCost) -> Message:
    return message(
        "{n} of {every} pieces of text to index with '{embedder}': about {time}. Until it is "
        "done the old model answers.",
        n=cost.to_embed,
        every=cost.windows,
        embedder=cost.embedder,
        time=_duration(cost.seconds),
    )


def of_chunking(cost: ChangeCost) -> Message:
    return plural(
        "{n} note to split again, {every} pieces of text, {new} of them to index: about {time}.",
        "{n} notes to split again, {every} pieces of text, {new} of them to index: about {time}.",
        n=cost.notes,
        every=cost.windows,
        new=cost.to_embed,
        time=_duration(cost.seconds),
    )


def run_switch(workspace: "Workspace", base: str, folder: Path) -> None:
    """Run or resume the change of a base's model; on Ctrl-C say how to go on, and exit with 130."""
    try:
        workspace.bases.run_switch(base, progress=progress)
    except KeyboardInterrupt:
        place = ["--workspace", str(folder)] if folder != WORKSPACE else []
        again = shlex.join(["tessera", "models", "switch", base, *place])
        stopped = _("Stopped. What is indexed stays, and the base answers with its old model.")
        go_on = _("Go on: {command}", command=again)
        stay = _("Or stay: {command}", command=f"{again} --abandon")
        sys.stderr.write(f"\n{stopped}\n{go_on}\n{stay}\n")
        sys.exit(130)


def _duration(seconds: float) -> Message:
    if seconds >= 90:
        return message("{n} minutes", n=round(seconds / 60))
    return plural("{n} second", "{n} seconds", n=round(seconds))
