"""`tessera base`: commands with a confirmation, and the printed lines about bases."""

from pathlib import Path
from typing import Annotated, Any

import typer

from core.base.messages import message, plural
from core.base.terminal import _, say
from core.doors.cli import costs
from core.doors.cli.calling import opened
from core.doors.cli.lines import base_lines, folder_lines
from core.doors.operations import bases as operations
from core.features.archives import operations as archives
from core.model import BASE_KINDS, SETTINGS, ChunkingOptions, chunking_label, embedder_name, setting_value

app = typer.Typer(
    help=_("The knowledge bases: make, show, change, rename and delete them."),
    no_args_is_help=True,
    rich_markup_mode=None,
)

Yes = Annotated[bool, typer.Option("--yes", help=_("Don't ask."))]


def set_(workspace: Path, *, yes: Yes = False, **given: Any) -> Any:
    base = given["base"]
    changes = {name: given.pop(name, None) for name in ("embedder", "chunking")}
    with opened(workspace) as run:
        told = run(operations.cost, base=base, **changes) if any(changes.values()) else {}
        questions = [costs.QUESTIONS[kind](cost) for kind, cost in told.items() if cost]
        if all(costs.agreed(question, yes) for question in questions):
            run(operations.change, **given)
            if told.get("chunking"):
                run(operations.rechunk, base=base, **changes["chunking"])
            if told.get("embedder"):
                costs.switch_to(run, workspace, base, changes["embedder"])
        return run(operations.show, base=base)


def delete(workspace: Path, *, yes: Yes = False, **given: Any) -> Any:
    with opened(workspace) as run:
        base = run(operations.show, **given)
        question = plural(
            "The base '{base}' goes to the trash with {n} note; `tessera restore` brings it back. Files on disk stay.",
            "The base '{base}' goes to the trash with {n} notes; `tessera restore` brings it back. Files on disk stay.",
            n=base["notes"],
            base=base["name"],
        )
        if costs.agreed(question, yes):
            return run(operations.delete, **given)
    return {"base": base["name"], "notes": base["notes"], "deleted": False}


def empty_trash(workspace: Path, *, yes: Yes = False, **given: Any) -> Any:
    with opened(workspace) as run:
        count = 1 if given["key"] else len(run(archives.trash)["trash"])
        question = plural(
            "{n} deleted base goes for good, with its notes and their history. Files on disk stay.",
            "{n} deleted bases go for good, with their notes and their history. Files on disk stay.",
            n=count,
        )
        if count and costs.agreed(question, yes):
            return run(archives.empty_trash, **given)
    return {"deleted": 0}


def lines(base: dict[str, Any]) -> list[str]:
    chunking = ChunkingOptions(**base["chunking"])
    sizes = _("{notes} notes, {chunks} chunks", **base)
    if base["pending"]:
        sizes += _(", {n} of them not indexed yet", n=base["pending"])
    text = [base["name"], *([f"  {base['description']}"] if base["description"] else []), f"  {sizes}"]
    text.append(f"  {_('Kind: {kind}', kind=BASE_KINDS[base['kind']])}")
    if base["kind"] != "literal":
        text.append(f"  {_('Model: {name}', name=embedder_name(base['embedder']))}")
    text.append(f"  {_('Splitting: {splitting}', splitting=chunking_label(chunking))}")
    text += [f"  {say(SETTINGS[name])}: {say(setting_value(name, value))}" for name, value in base["search"].items()]
    of_kind = [name for name in ON if base["kind"] != "literal" or name != "embed_at_once"]
    text += [f"  {say(ON[name] if base[name] else OFF[name])}" for name in of_kind]
    return text + [f"  {line}" for line in folder_lines(base)]


ON = {
    "embed_at_once": message("New notes are indexed at once."),
    "write_files": message("Edits of notes are written into their files."),
    "watch": message("Its folders are updated while the app runs."),
    "trusts_programs": message("What programs write counts at once."),
    "read_pictures": message("The text in pictures is read and found."),
}
OFF = {
    "embed_at_once": message("New notes are indexed when you say so."),
    "write_files": message("Files are only read."),
    "watch": message("Its folders are updated when you say so."),
    "trusts_programs": message("What programs write waits until you accept it."),
    "read_pictures": message("The text in pictures isn't read."),
}


def list_lines(values: dict[str, Any]) -> list[str]:
    return [line for base in values["bases"] for line in base_lines(base)] or [_("There is no base yet.")]


def deleted_lines(values: dict[str, Any]) -> list[str]:
    if values["deleted"]:
        return [_("The base '{base}' is in the trash.", base=values["base"])]
    return [_("The base '{base}' stays.", base=values["base"])]


def emptied_lines(values: dict[str, Any]) -> list[str]:
    text = plural("{n} base was deleted for good.", "{n} bases were deleted for good.", n=values["deleted"])
    return [say(text)]
