"""`tessera import` and `tessera base connect`: folders whose files are the notes of a base."""

import re
import shlex
import sys
from pathlib import Path
from typing import Any

from core.base.messages import plural
from core.base.terminal import _, say
from core.doors.cli import costs, lines
from core.doors.cli.calling import opened, stoppable
from core.doors.operations import imports as operations

_ADDRESS = re.compile(r"(https?):/+(.+)")
"""An address of the web; a path has it with one slash instead of two."""


def import_(workspace: Path, **given: Any) -> Any:
    if page := _ADDRESS.match(str(given["folder"])):
        address = f"{page[1]}://{page[2]}"
        with opened(workspace, writes=True) as run:
            return run(operations.fetch, address=address, base=given["base"])
    reads = given["dry_run"] and workspace.exists()
    with opened(workspace, writes=not reads) as run:
        target = {name: given[name] for name in ("folder", "base")}
        made: dict[str, Any] = run(operations.makes, **target)
        if made["makes"] and given["folder"].exists():
            sys.stderr.write(f"{lines.format_new_base(made['makes'])}\n")
        with stoppable(operations.import_, workspace, given):
            return run(operations.import_, **given) | made


def connect(workspace: Path, **given: Any) -> Any:
    with opened(workspace, writes=not given["dry_run"]) as run:
        values: dict[str, Any] = run(operations.connect, **given)
        paths = values["differing"]
        if not paths or given["dry_run"]:
            return values
        question = plural(
            "{n} note differs from its file. It gets the file's text, and its own stays in its history: {paths}",
            "{n} notes differ from their files. They get the files' texts, and their own stay in their histories: "
            "{paths}",
            n=len(paths),
            paths=paths,
        )
        if values["connected"]:
            sys.stderr.write(f"{say(question)}\n")
        elif costs.agreed(question, yes=False):
            values = run(operations.connect, **given | {"confirmed": True})
        return values


def connected_lines(values: dict[str, Any]) -> list[str]:
    joined = plural(
        "{n} note has its file in {folder}, of the same path.",
        "{n} notes have their files in {folder}, of the same paths.",
        n=values["joined"],
        folder=values["folder"],
    )
    differing = [_("  differs from its file: {path}", path=path) for path in values["differing"]]
    if not values["connected"]:
        return [say(joined), *differing, _("Nothing was changed.")]
    command = f"tessera base set --base {shlex.quote(values['base'])} --write-files"
    read = (
        []
        if values["writes_files"]
        else [_("The files are only read. To write edits into them: {command}", command=command)]
    )
    return [say(joined), *differing, *lines.format_import(values), *read]
