"""The work of `tessera search` and `tessera context` in addition to their operations."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from core.doors.cli.binding import Command
from core.doors.cli.calling import call
from core.doors.cli.options import option
from core.model import IN_CONTEXT
from core.operations import search as operations
from core.operations.views.search import ContextView, SearchOutput


def search(
    folder: Path,
    *,
    why_not: Annotated[str, option("--why-not", "A note's id or path: say why it isn't among the hits.")] = "",
    as_context: Annotated[bool, option("--context", "Print the passages as one block for a prompt instead.")] = False,
    full: Annotated[bool, option("--full", "Print the whole passages.")] = False,
    **given: Any,
) -> SearchOutput:
    budget, explain = given.pop("budget"), given.pop("explain")
    operation, own = operations.find, {"explain": explain}
    if why_not:
        operation, own = operations.why_not, {"note": why_not}
    elif as_context:
        operation, own = operations.context, {"budget": budget}
    found: SearchOutput = call(operation, folder, given | own)
    return found


def context(folder: Path, **given: Any) -> ContextView:
    usual = {name: value for name, value in IN_CONTEXT.items() if given[name] is None}
    found: ContextView = call(operations.context, folder, given | usual)
    return found


COMMANDS: Mapping[str, Command] = {
    "search.find": Command(run=search, also=(operations.context,)),
    "search.context": Command(run=context),
}
