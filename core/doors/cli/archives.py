"""The command `tessera restore`, and the question that is asked before the trash for deleted bases is emptied."""

from pathlib import Path
from typing import Annotated

import typer

from core.base.messages import plural
from core.base.terminal import _
from core.doors.cli.bases import Yes, agreed
from core.doors.cli.binding import Command, Commands
from core.doors.cli.calling import call, opened
from core.doors.cli.options import WORKSPACE, Folder, Json, argument, option
from core.doors.cli.terminal import show
from core.features.archives import operations
from core.features.archives.operations import EmptiedTrash

app = typer.Typer()


@app.command(help=_("Create a base from an export, or restore a deleted base. Without an argument, list the trash."))
def restore(
    place: Annotated[
        Path | None, argument("An export made with `tessera export`, or a folder of Markdown notes.")
    ] = None,
    deleted: Annotated[str, option("--deleted", "Restore this base from the trash instead.")] = "",
    base: Annotated[str, option("--base", "A different name for the base.")] = "",
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    if place:
        restored = call(operations.restore, workspace, {"place": place, "base": base})
    elif deleted:
        restored = call(operations.restore_deleted, workspace, {"key": deleted, "base": base})
    else:
        show(call(operations.trash, workspace, {}), as_json, operations.format_trash)
        return
    show(restored, as_json, operations.format_restored)


def _empty_trash(workspace: Path, key: str, *, yes: Yes = False) -> EmptiedTrash:
    with opened(workspace) as run:
        count = 1 if key else len(run(operations.trash).trash)
        question = plural(
            "{n} base in the trash will be deleted for good, along with its notes and history. Files on disk are kept.",
            (
                "{n} bases in the trash will be deleted for good, along with their notes and history. "
                "Files on disk are kept."
            ),
            n=count,
        )
        if count and agreed(question, yes):
            return run(operations.empty_trash, key=key)
    return EmptiedTrash(0)


COMMANDS: Commands = {"base.empty_trash": Command(run=_empty_trash)}
