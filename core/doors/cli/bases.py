"""`tessera base` and `tessera import`: commands with work of their own."""

import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from core.base.codec import assemble
from core.base.messages import plural
from core.base.terminal import _, say
from core.doors.cli import costs
from core.doors.cli.calling import opened, stoppable
from core.doors.operations import bases as operations
from core.doors.operations import imports
from core.doors.operations.text.bases import format_new_base
from core.doors.operations.views.bases import BaseDeletion, BaseDetails, ChangeCosts, FolderConnection, FolderImport
from core.model import SyncReport

app = typer.Typer(
    help=_("The knowledge bases: make, show, change, rename and delete them."),
    no_args_is_help=True,
    rich_markup_mode=None,
)

_ADDRESS = re.compile(r"(https?):/+(.+)")
"""An address of the web; a path has it with one slash instead of two."""
Yes = Annotated[bool, typer.Option("--yes", help=_("Don't ask."))]


def set_(workspace: Path, *, yes: Yes = False, **arguments: Any) -> BaseDetails:
    base = arguments["base"]
    changes = {name: arguments.pop(name, None) for name in ("embedder", "chunking")}
    with opened(workspace) as run:
        cost: ChangeCosts = run(operations.cost, base=base, **changes) if any(changes.values()) else ChangeCosts()
        if all(costs.agreed(question, yes) for question in costs.questions(cost)):
            run(operations.change, **arguments)
            if cost.chunking:
                run(operations.rechunk, base=base, **changes["chunking"])
            if cost.embedder:
                costs.switch_to(run, workspace, base, changes["embedder"])
        details: BaseDetails = run(operations.show, base=base)
        return details


def delete(workspace: Path, *, yes: Yes = False, **arguments: Any) -> BaseDeletion:
    with opened(workspace) as run:
        base: BaseDetails = run(operations.show, **arguments)
        question = plural(
            "The base '{base}' goes to the trash with {n} note; `tessera restore` brings it back. Files on disk stay.",
            "The base '{base}' goes to the trash with {n} notes; `tessera restore` brings it back. Files on disk stay.",
            n=base.notes,
            base=base.name,
        )
        if not costs.agreed(question, yes):
            return BaseDeletion(base.name, base.notes, deleted=False)
        deletion: BaseDeletion = run(operations.delete, **arguments)
        return deletion


def import_(workspace: Path, **arguments: Any) -> SyncReport:
    report: SyncReport
    if page := _ADDRESS.match(str(arguments["folder"])):
        address = f"{page[1]}://{page[2]}"
        with opened(workspace, writes=True) as run:
            report = run(imports.fetch, address=address, base=arguments["base"])
            return report
    reads = arguments["dry_run"] and workspace.exists()
    with opened(workspace, writes=not reads) as run:
        new_base = run(imports.makes, folder=arguments["folder"], base=arguments["base"]).makes
        if new_base and arguments["folder"].exists():
            sys.stderr.write(f"{format_new_base(new_base)}\n")
        with stoppable(imports.import_, workspace, arguments):
            report = run(imports.import_, **arguments)
        return assemble(FolderImport, report, makes=new_base)


def connect(workspace: Path, **arguments: Any) -> FolderConnection:
    with opened(workspace, writes=not arguments["dry_run"]) as run:
        report: FolderConnection = run(imports.connect, **arguments)
        if not report.differing or arguments["dry_run"]:
            return report
        question = plural(
            "{n} note differs from its file. It gets the file's text, and its own stays in its history: {paths}",
            "{n} notes differ from their files. They get the files' texts, and their own stay in their histories: "
            "{paths}",
            n=len(report.differing),
            paths=[*report.differing],
        )
        if report.connected:
            sys.stderr.write(f"{say(question)}\n")
        elif costs.agreed(question, yes=False):
            report = run(imports.connect, **arguments | {"confirmed": True})
        return report
