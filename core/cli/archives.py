"""`tessera export` and `tessera restore`: bases as files, and deleted bases."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from core import data
from core.cli.bases import ON
from core.cli.options import WORKSPACE, Folder, Json, workspace_at
from core.cli.output import show
from core.cli.texts import _, say
from core.messages import plural
from core.model import FOREIGN

Name = Annotated[str, typer.Option("--base", help=_("Another name for the base."))]


def export(
    base: Annotated[str, typer.Argument(help=_("The knowledge base."))],
    to: Annotated[Path, typer.Option("--to", help=_("A file, or for markdown a folder, that isn't there yet."))],
    form: Annotated[
        str,
        typer.Option(
            "--as",
            help=_(
                "markdown (a folder), json or yaml (notes and their fields), or zip (everything, with the history)."
            ),
        ),
    ] = "zip",
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    with workspace_at(workspace, readonly=True) as opened:
        place = opened.archives.export(base, to, form)
    show(
        {"base": base, "as": form, "place": str(place)},
        as_json,
        lambda values: [_("'{base}' is written to {place}.", base=values["base"], place=values["place"])],
    )


def restore(
    place: Annotated[
        Path | None, typer.Argument(help=_("What `tessera export` wrote, or a folder of Markdown notes."))
    ] = None,
    deleted: Annotated[str, typer.Option("--deleted", help=_("Bring this base back from the trash instead."))] = "",
    base: Name = "",
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    with workspace_at(workspace, readonly=not (place or deleted)) as opened:
        if not place and not deleted:
            show({"trash": [*map(data.of_trashed_base, opened.archives.trash())]}, as_json, _trash_lines)
            return
        made = opened.archives.restore(place, base) if place else opened.archives.restore_deleted(deleted, base)
        notes = opened.bases.status(made.base).notes
        asks = opened.models.asks(made.base.wish) if made.base.wish else ""
    more = {"notes": notes, "wish_asks": asks, "foreign": bool(deleted) and not made.own}
    show(data.of_restored(made) | more, as_json, _restored_lines)


def _trash_lines(values: dict[str, Any]) -> list[str]:
    return [*map(_trash_line, values["trash"])] or [_("There is no deleted base.")]


def _trash_line(one: dict[str, Any]) -> str:
    about = [f"{one['deleted_at'][:16]}  {one['base']}  ({one['key']})"]
    if one["notes"]:
        about.append(_("notes that left the trash: {titles}", titles=", ".join(one["notes"])))
    if one["expired"]:
        about.append(_("it is deleted for good after a week"))
    if one["problem"]:
        command = f"tessera base empty-trash {shlex.quote(one['key'])}"
        about.append(_("it can't be restored: {problem}", problem=say(one["problem"])))
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
    """Return what the base of an archive could do where it is from, and how a person allows it here."""
    name, powers = shlex.quote(values["base"]), values["powers"]
    printed = [
        _(
            "On in the archive, off here: {what} To allow it: {command}",
            what=ON[switch],
            command=f"tessera base set {name} {option}",
        )
        for switch, option in _ALLOWING.items()
        if switch in powers["switches"]
    ]
    printed += [
        _(
            "Its notes were files in {folder}, and live in Tessera now. To connect a folder: {command}",
            folder=folder,
            command=f"tessera base connect {name} FOLDER",
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
        printed.append(_("The archive names {model} for the second look; it is left out.", model=powers["reranker"]))
    return printed


_ALLOWING = {"write_files": "--write-files", "watch": "--watch", "trusts_programs": "--trust-programs"}
