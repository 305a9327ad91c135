"""The command `tessera mcp`, which lets an assistant use the notes and prints the assistant's configuration."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, TextIO, cast

import typer

from core.base.errors import ConfigError
from core.base.frozen import TextMap
from core.base.terminal import _
from core.doors.cli import options
from core.doors.cli.options import option
from core.doors.cli.serving import HOST, PORT
from core.doors.cli.terminal import Stream, show
from core.settings.access import AccessTokens, build_snippets

_HOW = "tessera mcp --print-config"
_SETTINGS = "tessera.toml"


def _go_to(settings: Path | None) -> None:
    """Change to the folder of a settings file, because settings are read from the current folder."""
    if settings is None:
        return
    if settings.name != _SETTINGS or not os.path.isfile(settings):  # noqa: PTH113 as in `packs`
        raise ConfigError("{file} isn't a file named {name}.", file=settings, name=_SETTINGS)
    os.chdir(settings.parent)


app = typer.Typer()


@app.command(help=_("Let an assistant such as Claude use the notes. The assistant starts this command itself."))
def mcp(
    print_config: Annotated[
        bool, option("--print-config", "Print what to put into the assistant's configuration.")
    ] = False,
    settings: Annotated[
        Path | None,
        option(
            "--settings",
            "The tessera.toml file to use. By default, the one in this folder.",
            callback=_go_to,
            is_eager=True,
        ),
    ] = None,
    workspace: options.Folder = options.WORKSPACE,
    as_json: options.Json = False,
) -> None:
    folder = Path(os.path.realpath(workspace))
    if print_config:
        access = AccessTokens(folder)
        address = access.run.address if access.run else f"http://{HOST}:{PORT}"
        show({"snippets": list(map(asdict, build_snippets(folder, address, lambda: access.token)))}, as_json, _lines)
        return
    if sys.stdin.isatty():
        sys.stderr.write(f"{_('Assistants start this command themselves. To see how, run: {command}', command=_HOW)}\n")
    from core.doors.cli import terminal

    lines, wire = terminal.take_wire()
    own = Stream(wire, shown=str)
    from core.doors.assistants.stdio import serve  # its libraries may print while they load

    serve(folder, lines, cast(TextIO, own))
    if own.lost:
        raise own.lost


def _lines(values: Mapping[str, Sequence[TextMap]]) -> list[str]:
    heads = {
        "stdio": _("The assistant starts Tessera itself:"),
        "http": _("Or it can use the running app, if other programs are allowed in Settings:"),
    }
    lines = []
    for way, head in heads.items():
        mine = [snippet for snippet in values["snippets"] if snippet["way"] == way]
        lines += [head, ""] if mine else []
        for snippet in mine:
            place = snippet["file"] or _("in a terminal")
            lines += [
                f"{snippet['program']} · {place}",
                "",
                *[f"    {line}" for line in snippet["text"].splitlines()],
                "",
            ]
    return lines[:-1]
