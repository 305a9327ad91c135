"""`tessera export` and `tessera restore`: bases as files, and deleted bases."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from core.base.messages import plural
from core.base.terminal import _, say
from core.doors.cli.calling import call
from core.doors.cli.options import WORKSPACE, Folder, Json
from core.doors.cli.output import show
from core.features.archives import operations as archives
from core.model import FOREIGN, SWITCHED_ON


def restore(
    place: Annotated[
        Path | None, typer.Argument(help=_("What `tessera export` wrote, or a folder of Markdown notes."))
    ] = None,
    deleted: Annotated[str, typer.Option("--deleted", help=_("Bring this base back from the trash instead."))] = "",
    base: Annotated[str, typer.Option("--base", help=_("Another name for the base."))] = "",
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    if place:
        show(call(archives.restore, workspace, {"place": place, "base": base}), as_json, _restored_lines)
    elif deleted:
        show(call(archives.restore_deleted, workspace, {"key": deleted, "base": base}), as_json, _restored_lines)
    else:
        show(call(archives.trash, workspace, {}), as_json, _trash_lines)


def exported_lines(values: dict[str, Any]) -> list[str]:
    return [_("'{base}' is written to {place}.", base=values["base"], place=values["place"])]


def _trash_lines(values: dict[str, Any]) -> list[str]:
    return [*map(_trash_line, values["trash"])] or [_("There is no deleted base.")]


def _trash_line(item: dict[str, Any]) -> str:
    about = [f"{item['deleted_at'][:16]}  {item['base']}  ({item['key']})"]
    if item["notes"]:
        about.append(_("notes that left the trash: {titles}", titles=", ".join(item["notes"])))
    if item["expired"]:
        about.append(_("it is deleted for good after a week"))
    if item["problem"]:
        command = f"tessera base empty-trash {shlex.quote(item['key'])}"
        about.append(_("it can't be restored: {problem}", problem=say(item["problem"])))
        about.append(_("to delete it: {command}", command=command))
    return "\n    ".join(about)


def _restored_lines(values: dict[str, Any]) -> list[str]:
    text = plural(
        "The base '{base}' is there, with {n} note. Index it: {command}",
        "The base '{base}' is there, with {n} notes. Index it: {command}",
        n=values["notes"],
        base=values["base"],
        command="tessera index",
    )
    return [say(text), *([say(FOREIGN)] if values["foreign"] else []), *_powers_lines(values)]


def _powers_lines(values: dict[str, Any]) -> list[str]:
    """Return the permissions that the base of an archive had where it is from, and how the user grants them here."""
    name, powers = shlex.quote(values["base"]), values["powers"]
    printed = [
        _(
            "On in the archive, off here: {what} To allow it: {command}",
            what=SWITCHED_ON[switch],
            command=f"tessera base set --base {name} {option}",
        )
        for switch, option in _ALLOWING.items()
        if switch in powers["switches"]
    ]
    printed += [
        _(
            "Its notes were files in {folder}, and live in Tessera now. To connect a folder: {command}",
            folder=folder,
            command=f"tessera base connect FOLDER --base {name}",
        )
        for folder in powers["folders"]
    ]
    if values["wish"]:
        printed.append(
            _(
                "The archive names the model {model}; one of this machine is used instead. {asks} To use it: {command}",
                model=values["wish"],
                asks=values["wish_asks"],
                command=f"tessera models switch {name} {shlex.quote(values['wish'])}",
            )
        )
    if powers["reranker"]:
        printed.append(_("The archive names {model} for the re-check; it is left out.", model=powers["reranker"]))
    return printed


_ALLOWING = {
    "write_files": "--write-files",
    "watch": "--watch",
    "trusts_programs": "--trust-programs",
    "read_pictures": "--read-pictures",
}
