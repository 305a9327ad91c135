"""`tessera base`: commands with a confirmation, and the printed lines about bases."""

from pathlib import Path
from typing import Annotated, Any

import typer

from core.base.messages import plural
from core.base.terminal import _, say
from core.doors.cli import costs
from core.doors.cli.calling import opened
from core.doors.cli.lines import base_lines, folder_lines
from core.doors.operations import bases as operations
from core.model import (
    BASE_KINDS,
    SETTINGS,
    SWITCHED_OFF,
    SWITCHED_ON,
    ChunkingOptions,
    chunking_label,
    embedder_name,
    setting_value,
)

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
    of_kind = [name for name in SWITCHED_ON if base["kind"] != "literal" or name != "embed_at_once"]
    text += [f"  {say(SWITCHED_ON[name] if base[name] else SWITCHED_OFF[name])}" for name in of_kind]
    return text + [f"  {line}" for line in folder_lines(base)]


def list_lines(values: dict[str, Any]) -> list[str]:
    return [line for base in values["bases"] for line in base_lines(base)] or [_("There is no base yet.")]


def deleted_lines(values: dict[str, Any]) -> list[str]:
    if values["deleted"]:
        return [_("The base '{base}' is in the trash.", base=values["base"])]
    return [_("The base '{base}' stays.", base=values["base"])]
