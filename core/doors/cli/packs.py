"""`tessera packs`: lists, installs, upgrades and removes packs of notes."""

from difflib import unified_diff
from pathlib import Path
from typing import Annotated, Any

import typer

from core.base.messages import plural
from core.base.terminal import _, say
from core.doors.cli.calling import call
from core.doors.cli.options import WORKSPACE, Folder, Json
from core.doors.cli.output import show
from core.features.packs import operations
from core.features.packs.forms import CARDS
from core.model import PackCard

app = typer.Typer(
    help=_("Packs: sets of notes with a version, which come with Tessera, with a Python package, or in a folder."),
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list", help=say(operations.list_.about))
def list_(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.features.packs.sources import found

    if (workspace / "notes.db").is_file():
        values = call(operations.list_, workspace, {})
    else:
        values = CARDS([PackCard(pack, None) for pack in found().values()])
    show(values, as_json, _list_lines)


@app.command(help=say(operations.install.about))
def install(
    source: Annotated[str, typer.Argument(help=_("A name that `tessera packs list` shows, or a folder."))],
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    place = Path(source).expanduser()
    if len(place.parts) > 1 or (place / "pack.toml").is_file():
        source = str(place.absolute())  # the open app works in another folder
    show(call(operations.install, workspace, {"source": source}), as_json, _report_lines)


@app.command(help=say(operations.upgrade.about))
def upgrade(
    name: Annotated[str | None, typer.Argument(help=_("One pack; by default every one."))] = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    every = call(operations.list_, workspace, {})["packs"]
    names = [name] if name else [pack["name"] for pack in every if pack["installed"]]
    reports = [call(operations.upgrade, workspace, {"pack": item}) for item in names]
    show(
        {"packs": reports}, as_json, lambda values: [line for value in values["packs"] for line in _report_lines(value)]
    )


def _list_lines(values: dict[str, Any]) -> list[str]:
    lines = []
    for pack in values["packs"]:
        found, installed = pack["found"], pack["installed"]
        state = _("not installed")
        if installed:
            state = _("installed in version {version}, {notes} notes in '{base}'", **installed)
        head = f"{pack['name']} {found['version']} ({found['language']})" if found else pack["name"]
        lines.append(f"{head}: {state}")
        if found and found["description"]:
            lines.append(f"  {found['description']}")
    return lines or [_("There are no packs.")]


def _report_lines(report: dict[str, Any]) -> list[str]:
    lines = [
        _(
            "{name} {version}: {added} added, {changed} changed, {removed} removed, {unchanged} unchanged",
            **report,
        )
    ]
    for note in report["edited"]:
        lines.append(_("  {path} stays as you changed it. What the pack has now:", path=note["path"]))
        if note["offered"] is None:
            lines.append(_("    The pack no longer has this note."))
            continue
        own, offered = note["own"].splitlines(), note["offered"].splitlines()
        lines += [f"    {line}" for line in unified_diff(own, offered, n=1, lineterm="")][2:]
    return lines


def removed_lines(values: dict[str, Any]) -> list[str]:
    lines = [_("The pack {name} is removed; its notes are in the trash.", name=values["name"])]
    if values["stay"]:
        stay = plural("{n} note that you changed stays.", "{n} notes that you changed stay.", n=values["stay"])
        lines.append(say(stay))
    return lines
