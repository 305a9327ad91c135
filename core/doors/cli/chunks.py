"""The command `tessera chunks`, which shows how a file is split."""

from typing import Annotated

import typer

from core.base.errors import UnknownChoice
from core.base.terminal import _
from core.doors.cli import options
from core.doors.cli.binding import taking
from core.doors.cli.options import option
from core.doors.cli.terminal import show, write
from core.operations import chunks
from core.operations.declaring import PERSON

app = typer.Typer()


@app.command("chunks", help=_("Show how a file is split and why. Nothing is stored."))
@taking(chunks.preview)
def preview(
    form: Annotated[str, option("--format", "Either text or html (a page that shows the chunks in colour).")] = "text",
    as_json: options.Json = False,
    workspace: options.Folder = options.WORKSPACE,
    **given: object,
) -> None:
    if form not in ("text", "html"):
        raise UnknownChoice("format", form, ("text", "html"))
    cut = chunks.preview.run(None, PERSON, given)
    if form == "html":
        write(chunks.page(cut))
        return
    show(cut, as_json, chunks.format_preview)
