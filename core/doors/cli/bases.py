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


def set_(workspace: Path, *, yes: Yes = False, **given: Any) -> BaseDetails:
    base = given["base"]
    changes = {name: given.pop(name, None) for name in ("embedder", "chunking")}
    with opened(workspace) as run:
        cost: ChangeCosts = run(operations.cost, base=base, **changes) if any(changes.values()) else ChangeCosts()
        if all(costs.agreed(question, yes) for question in costs.questions(cost)):
            run(operations.change, **given)
            if cost.chunking:
                run(operations.rechunk, base=base, **changes["chunking"])
            if cost.embedder:
                costs.switch_to(run, workspace, base, changes["embedder"])
        details: BaseDetails = run(operations.show, base=base)
        return details


def delete(workspace: Path, *, yes: Yes = False, **given: Any) -> BaseDeletion:
    with opened(workspace) as run:
        base: BaseDetails = run(operations.show, **given)
        question = plural(
            "The base '{base}' goes to the trash with {n} note; `tessera restore` brings it back. Files on disk stay.",
            "The base '{base}' goes to the trash with {n} notes; `tessera restore` brings it back. Files on disk stay.",
            n=base.notes,
            base=base.name,
        )
        if not costs.agreed(question, yes):
            return BaseDeletion(base.name, base.notes, deleted=False)
        deletion: BaseDeletion = run(operations.delete, **given)
        return deletion


def import_(workspace: Path, **given: Any) -> SyncReport:
    report: SyncReport
    if page := _ADDRESS.match(str(given["folder"])):
        address = f"{page[1]}://{page[2]}"
        with opened(workspace, writes=True) as run:
            report = run(imports.fetch, address=address, base=given["base"])
            return report
    reads = given["dry_run"] and workspace.exists()
    with opened(workspace, writes=not reads) as run:
        made = run(imports.makes, folder=given["folder"], base=given["base"]).makes
        if made and given["folder"].exists():
            sys.stderr.write(f"{format_new_base(made)}\n")
        with stoppable(imports.import_, workspace, given):
            report = run(imports.import_, **given)
        return assemble(FolderImport, report, makes=made)


def connect(workspace: Path, **given: Any) -> FolderConnection:
    with opened(workspace, writes=not given["dry_run"]) as run:
        report: FolderConnection = run(imports.connect, **given)
        if not report.differing or given["dry_run"]:
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
            report = run(imports.connect, **given | {"confirmed": True})
        return report
