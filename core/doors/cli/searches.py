"""`tessera search` and `tessera context`: their work in addition to the operations, and their output."""

from pathlib import Path
from typing import Annotated, Any

import typer

from core.base.terminal import _
from core.doors.cli import lines
from core.doors.cli.calling import call
from core.doors.operations import search as operations
from core.model import IN_CONTEXT


def search(
    folder: Path,
    *,
    why_not: Annotated[
        str, typer.Option("--why-not", help=_("A note's id or path: say why it isn't among the hits."))
    ] = "",
    as_context: Annotated[
        bool, typer.Option("--context", help=_("Print the passages as one block for a prompt instead."))
    ] = False,
    full: Annotated[bool, typer.Option("--full", help=_("Print the whole passages."))] = False,
    **given: Any,
) -> Any:
    budget, explain = given.pop("budget"), given.pop("explain")
    if why_not:
        return call(operations.why_not, folder, {**given, "note": why_not})
    if as_context:
        return call(operations.context, folder, {**given, "budget": budget})
    return call(operations.find, folder, {**given, "explain": explain})


def context(folder: Path, **given: Any) -> Any:
    usual = {name: value for name, value in IN_CONTEXT.items() if given[name] is None}
    return call(operations.context, folder, given | usual)


def found_lines(values: dict[str, Any], *, full: bool = False, explain: bool = False) -> list[str]:
    if "hits" in values:
        return [*lines.format_result(values, full=full, explain=explain), *_picture_lines(values["pictures"])]
    return lines.format_context(values) if "citations" in values else lines.format_refusal(values)


def _picture_lines(pictures: list[dict[str, Any]]) -> list[str]:
    head = ["", _("Pictures:")] if pictures else []
    places = (
        _("{path}, picture {picture}", path=f"{picture['base']}: {picture['path']}", picture=picture["picture"])
        for picture in pictures
    )
    return [
        *head,
        *(
            f"{picture['rank']}. {picture['title']}\n   {place}"
            for picture, place in zip(pictures, places, strict=True)
        ),
    ]
