"""`tessera base connect`: gives a base a folder whose files its notes are from then on."""

from pathlib import Path
from typing import Annotated, Any

import typer

from core import data
from core.cli import costs, lines, options
from core.cli.output import progress, show
from core.cli.texts import _, say
from core.errors import Unfinished
from core.messages import Message, plural
from core.model import SyncPlan


def connect(
    name: Annotated[str, typer.Argument(help=_("The knowledge base, by name."))],
    folder: Annotated[Path, typer.Argument(help=_("The folder with the files of its notes."))],
    dry_run: Annotated[bool, typer.Option("--dry-run", help=_("Show the plan and change nothing."))] = False,
    yes: Annotated[bool, typer.Option("--yes", help=_("Don't ask where notes differ from their files."))] = False,
    allow_removals: options.Removals = False,
    workspace: options.Folder = options.WORKSPACE,
    as_json: options.Json = False,
) -> None:
    with options.workspace_at(workspace, readonly=dry_run) as opened:
        plan = opened.notes.plan_connection(folder, name)
        agreed = dry_run or not plan.differing or costs.agreed(_question(plan), yes)
        applied = agreed and not dry_run
        confirmed = allow_removals or not plan.removes_many
        report = opened.notes.apply(plan, confirmed=confirmed, progress=progress) if applied else plan.report()
    values = {
        "base": plan.base,
        "folder": plan.source_ref,
        "connected": applied,
        "joined": len(plan.joined),
        "differing": [match.file.path for match in plan.differing],
    }
    show(values | data.of_report(report), as_json, _lines)
    if report.problem:
        raise Unfinished(report.problem)


def _question(plan: SyncPlan) -> Message:
    paths = [match.file.path for match in plan.differing]
    return plural(
        "{n} note differs from its file. It gets the file's text, and its own stays in its history: {paths}",
        "{n} notes differ from their files. They get the files' texts, and their own stay in their histories: {paths}",
        n=len(paths),
        paths=paths,
    )


def _lines(values: dict[str, Any]) -> list[str]:
    joined = plural(
        "{n} note has its file in {folder}, of the same path.",
        "{n} notes have their files in {folder}, of the same paths.",
        n=values["joined"],
        folder=values["folder"],
    )
    differing = [_("  differs from its file: {path}", path=path) for path in values["differing"]]
    if not values["connected"]:
        return [say(joined), *differing, _("Nothing was changed.")]
    read = _("The files are only read. To write edits into them: {command}", command="tessera base set --write-files")
    return [say(joined), *differing, *lines.of_import(values), read]
