"""The command `tessera doctor`, which finds problems in a workspace. The exit status is the worst level found."""

from typing import Annotated

import typer

from core.base.errors import TesseraError, WorkspaceLocked
from core.base.terminal import _
from core.doors.cli.calling import call
from core.doors.cli.options import WORKSPACE, Folder, Json, option
from core.doors.cli.terminal import show
from core.features.doctor import operations

app = typer.Typer()


@app.command(
    help=_(
        "Check everything, and report what is wrong and how to repair it. The exit status is 0 (nothing wrong), 1 "
        "(something needs attention) or 2 (something is broken)."
    )
)
def doctor(
    fix: Annotated[bool, option("--fix", "Repair what can be repaired.")] = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    try:
        health = call(operations.fix if fix else operations.examine, workspace, {})
    except WorkspaceLocked:
        raise
    except TesseraError as error:
        from core.workspace import diagnose_error

        health = diagnose_error(workspace, error)
    show(health, as_json, operations.format_health)
    raise typer.Exit(health.status)
