"""The parts of `tessera search` and `tessera context` that aren't generated from operations."""

from pathlib import Path
from typing import Annotated

from core.doors.cli.binding import Command, Commands
from core.doors.cli.calling import call
from core.doors.cli.options import option
from core.model import IN_CONTEXT
from core.operations import search as operations
from core.operations.declaring import without_none
from core.operations.search import ContextView, SearchOutput


def search(
    folder: Path,
    *,
    why_not: Annotated[
        str, option("--why-not", "Explain why the note with this id or path isn't among the hits.")
    ] = "",
    as_context: Annotated[
        bool, option("--context", "Print the passages as a single text for a prompt instead.")
    ] = False,
    full: Annotated[bool, option("--full", "Print the passages in full.")] = False,
    **given: object,
) -> SearchOutput:
    budget = given.pop("budget")
    explain = given.pop("explain")
    if why_not:
        return call(operations.why_not, folder, given | {"note": why_not})
    if as_context:
        return call(operations.context, folder, given | {"budget": budget})
    return call(operations.find, folder, given | {"explain": explain})


def context(folder: Path, **given: object) -> ContextView:
    return call(operations.context, folder, {**IN_CONTEXT, **without_none(given)})


COMMANDS: Commands = {
    "search.find": Command(run=search, also=(operations.context,)),
    "search.context": Command(run=context),
}
