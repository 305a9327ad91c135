"""The commands `tessera status` and `tessera version`."""

from importlib.metadata import version as installed_version
from typing import Annotated

import typer

from core.base.terminal import _
from core.doors.cli import options
from core.doors.cli.calling import call
from core.doors.cli.options import option
from core.doors.cli.terminal import show
from core.operations import program
from core.operations.program import format_status

app = typer.Typer()


@app.command(help=_("Show what is in the workspace."))
def status(
    log: Annotated[bool, option("--log", "Show the end of the log instead, newest entries last.")] = False,
    report: Annotated[
        bool,
        option(
            "--report",
            ("Show the information for a bug report instead, without any of your text, names or paths."),
        ),
    ] = False,
    workspace: options.Folder = options.WORKSPACE,
    as_json: options.Json = False,
) -> None:
    if log:
        from core.base.log import FILE, tail

        show(
            {"log": str(workspace / FILE), "lines": tail(workspace, 100)},
            as_json,
            lambda log: log["lines"] or [_("{file} is empty.", file=log["log"])],
        )
        return
    if report:
        from core.workspace import bug_report

        bug = bug_report(workspace)
        show(dict(bug.facts), as_json, lambda _: [str(bug)])
        return
    show(call(program.show, workspace, {}), as_json, format_status)


@app.command(help=_("Show the version."))
def version(as_json: options.Json = False, workspace: options.Folder = options.WORKSPACE) -> None:
    show({"version": installed_version("tessera-notes")}, as_json, lambda values: [f"tessera {values['version']}"])
