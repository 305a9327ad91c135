"""`tessera doctor`: problems of a workspace; the exit status is the worst level."""

from typing import Annotated, Any

import typer

from core.base.errors import TesseraError, WorkspaceLocked
from core.base.terminal import _, say
from core.doors.cli.calling import call
from core.doors.cli.options import WORKSPACE, Folder, Json
from core.doors.cli.output import show
from core.features.doctor import operations
from core.model import SPACE_PARTS

_STATUS = {"sound": 0, "look": 1, "broken": 2}


def doctor(
    fix: Annotated[bool, typer.Option("--fix", help=_("Mend what can be mended."))] = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    try:
        values = call(operations.fix if fix else operations.examine, workspace, {})
    except WorkspaceLocked:
        raise
    except TesseraError as error:
        from core.workspace import diagnose_error

        values = operations.examine.result(diagnose_error(workspace, error))
    show(values, as_json, _lines)
    raise typer.Exit(_STATUS[values["level"]])


def _lines(health: dict[str, Any]) -> list[str]:
    lines = [line for item in health["checks"] for line in _check_lines(item)]
    sound = sum(item["level"] == "sound" for item in health["checks"])
    last = _("{sound} of {n} checks find nothing wrong.", sound=sound, n=len(health["checks"]))
    return [*lines, last]


def format_space(space: dict[str, Any]) -> list[str]:
    lines = [
        _("{size:>10,.1f} MB  {name}", size=space[part] / 1e6, name=say(name)) for part, name in SPACE_PARTS.items()
    ]
    for base, size in space["tokens"].items():
        lines.append(_("  of it {size:,.1f} MB data for fast re-checking of '{base}'", size=size / 1e6, base=base))
    lines.append(
        _(
            "{free:,.1f} GB of {total:,.1f} GB of the disk are left.",
            free=space["free"] / 1e9,
            total=space["total"] / 1e9,
        )
    )
    if space["unused"]:
        command = "tessera compact"
        lines.append(
            _("{size:,.1f} MB are unused; to give them back: {command}", size=space["unused"] / 1e6, command=command)
        )
    return lines


def format_compacted(values: dict[str, Any]) -> list[str]:
    before, after = values["before"] / 1e6, values["after"] / 1e6
    return [_("The database had {before:,.1f} MB, and has {after:,.1f} MB.", before=before, after=after)]


def _check_lines(item: dict[str, Any]) -> list[str]:
    if item["mended"]:
        return [_("mended: {title}", title=say(item["title"]))]
    if not item["problem"]:
        return []
    head = _("BROKEN: {told}", told=say(item["problem"])) if item["level"] == "broken" else say(item["problem"])
    return [head, f"    {say(item['about'])}", "    " + _("To mend it: {cure}", cure=say(item["remedy"]))]
