"""The commands of `tessera base` and `tessera import` that aren't generated, and confirmation of long work."""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from core.base.codec import assemble
from core.base.errors import ConfigError
from core.base.frozen import ValueMap, frozen
from core.base.messages import Message, message, plural
from core.base.terminal import _, say
from core.doors.cli.binding import Command, Commands
from core.doors.cli.calling import RunOperation, opened, stoppable
from core.doors.cli.options import WORKSPACE, option
from core.model import ChangeCost, SyncReport
from core.operations import bases as operations
from core.operations.views import (
    BaseDeletion,
    BaseDetails,
    ChangeCosts,
    FolderConnection,
    FolderImport,
)

# A web address. Conversion to a path has removed one of its two slashes.
_ADDRESS = r"(https?):/+(.+)"
Yes = Annotated[bool, option("--yes", "Don't ask for confirmation.")]


def agreed(question: Message, yes: bool) -> bool:
    """Print a question, and return whether the user agrees. Raises ConfigError if there is no terminal to ask on."""
    sys.stderr.write(f"{say(question)}\n")
    if yes:
        return True
    if not sys.stdin.isatty():
        raise ConfigError(
            "There is no terminal to ask for your confirmation, so nothing was done. To go ahead without asking, "
            "add --yes."
        )
    return typer.confirm(_("Continue?"), err=True)


def _switch_message(cost: ChangeCost) -> Message:
    return message(
        (
            "{n} of {every} pieces of text will be indexed with '{embedder}', which takes about {time}. Until then, "
            "the base keeps using its old model."
        ),
        n=cost.to_embed,
        every=cost.windows,
        embedder=cost.embedder,
        time=_duration(cost.seconds),
    )


def questions(costs: ChangeCosts) -> Iterator[Message]:
    """Yield a message about each change's cost. The user is asked to confirm each change."""
    if cost := costs.chunking:
        yield plural(
            (
                "{n} note will be split again. It has {every} pieces of text, and indexing {new} of them takes about "
                "{time}."
            ),
            (
                "{n} notes will be split again. They have {every} pieces of text, and indexing {new} of them takes "
                "about {time}."
            ),
            n=cost.notes,
            every=cost.windows,
            new=cost.to_embed,
            time=_duration(cost.seconds),
        )
    if costs.embedder:
        yield _switch_message(costs.embedder)


@frozen
class SwitchedBase:
    """The outcome of switching a base's model, and the cost.

    `switched` is False if the user declined or abandoned the switch.
    """

    base: str
    embedder: str
    switched: bool
    windows: int | None = None
    to_embed: int | None = None
    estimated_minutes: float | None = None


def switch(
    workspace: Path,
    base: str,
    embedder: str | None,
    *,
    yes: Yes = False,
    abandon: Annotated[
        bool, option("--abandon", "Cancel an unfinished model switch and keep the base as it is.")
    ] = False,
) -> SwitchedBase:
    with opened(workspace) as run:
        if abandon:
            return SwitchedBase(base, run(operations.abandon_switch, base=base).embedder, switched=False)
        cost = run(operations.cost, base=base, embedder=embedder).embedder if embedder else None
        agrees = cost is None or agreed(_switch_message(cost), yes)
        details = switch_to(run, workspace, base, embedder) if agrees else run(operations.show, base=base)
    result = SwitchedBase(base, details.embedder, switched=agrees)
    if cost is None:
        return result
    return replace(result, windows=cost.windows, to_embed=cost.to_embed, estimated_minutes=round(cost.seconds / 60, 2))


def switch_to(run: RunOperation, workspace: Path, base: str, embedder: str | None) -> BaseDetails:
    """Switch a base to another model, or continue an unfinished switch.

    On Ctrl-C, print how to continue, and exit with 130.
    """
    try:
        return run(operations.switch, base=base, embedder=embedder)
    except KeyboardInterrupt:
        place = ["--workspace", str(workspace)] if workspace != WORKSPACE else []
        again = shlex.join(["tessera", "models", "switch", base, *place])
        stopped = _("Stopped. What is already indexed is kept, and the base keeps using its old model.")
        go_on = _("To continue: {command}", command=again)
        stay = _("To keep the old model instead: {command}", command=f"{again} --abandon")
        sys.stderr.write(f"\n{stopped}\n{go_on}\n{stay}\n")
        sys.exit(130)


def _duration(seconds: float) -> Message:
    if seconds >= 90:
        return message("{n} minutes", n=round(seconds / 60))
    return plural("{n} second", "{n} seconds", n=round(seconds))


def set_(
    workspace: Path,
    base: str,
    embedder: str | None = None,
    chunking: ValueMap | None = None,
    *,
    yes: Yes = False,
    **fields: object,
) -> BaseDetails:
    with opened(workspace) as run:
        changes = {"embedder": embedder, "chunking": chunking}
        cost = run(operations.cost, base=base, **changes) if embedder or chunking else ChangeCosts()
        if all(agreed(question, yes) for question in questions(cost)):
            run(operations.change, base=base, **fields)
            if chunking and cost.chunking:
                run(operations.rechunk, base=base, **chunking)
            if cost.embedder:
                switch_to(run, workspace, base, embedder)
        return run(operations.show, base=base)


def delete(workspace: Path, *, yes: Yes = False, **given: object) -> BaseDeletion:
    with opened(workspace) as run:
        base = run(operations.show, **given)
        question = plural(
            (
                "The base '{base}' will go to the trash with {n} note. You can restore it with `tessera restore`. "
                "Files on disk are kept."
            ),
            (
                "The base '{base}' will go to the trash with {n} notes. You can restore it with `tessera restore`. "
                "Files on disk are kept."
            ),
            n=base.notes,
            base=base.name,
        )
        if not agreed(question, yes):
            return BaseDeletion(base.name, base.notes, deleted=False)
        return run(operations.delete, **given)


def import_(workspace: Path, folder: Path, base: str | None, dry_run: bool, **more: object) -> SyncReport:
    if page := re.match(_ADDRESS, str(folder)):
        with opened(workspace) as run:
            return run(operations.fetch, address=f"{page[1]}://{page[2]}", base=base)
    arguments = {"folder": folder, "base": base, "dry_run": dry_run, **more}
    with opened(workspace, writes=not (dry_run and workspace.exists()), answers=not dry_run) as run:
        new = run(operations.makes, folder=folder, base=base).makes
        if new and os.path.exists(folder):  # noqa: PTH110 Path.exists raises for a path that is too long
            other = _("To use other settings: {command}", command=f"tessera base new {shlex.quote(new.base)} …")
            sys.stderr.write(f"{say(new.explanation)} {other}\n")
        with stoppable(operations.import_):
            report = run(operations.import_, **arguments)
        return assemble(FolderImport, report, makes=new)


def connect(workspace: Path, **given: object) -> FolderConnection:
    with opened(workspace, writes=not given["dry_run"]) as run:
        report = run(operations.connect, **given)
        if not report.differing or given["dry_run"]:
            return report
        question = plural(
            (
                "{n} note differs from its file: {paths}. Its text will be replaced with the file's text, and kept in "
                "the history."
            ),
            (
                "{n} notes differ from their files: {paths}. Their text will be replaced with the files' text, and "
                "kept in the history."
            ),
            n=len(report.differing),
            paths=report.differing,
        )
        if agreed(question, yes=report.connected) and not report.connected:
            report = run(operations.connect, **given | {"confirmed": True})
        return report


COMMANDS: Commands = {
    "base.change": Command(run=set_, also=(operations.cost,)),
    "base.delete": Command(run=delete),
    "base.import": Command(run=import_),
    "base.connect": Command(run=connect),
    "base.switch": Command("The base '{base}' uses the model '{embedder}'.", switch),
}
