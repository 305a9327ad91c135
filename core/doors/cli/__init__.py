"""The `tessera` command line. Every command prints readable lines, or JSON with --json."""

import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated

import typer

from core.base.errors import ConfigError, TesseraError
from core.base.log import print_nothing
from core.base.terminal import _, say
from core.base.text import escape_halves, find_half_character
from core.doors.cli.commands import Root
from core.doors.cli.options import option
from core.doors.cli.terminal import STOPPED, TYPED, json_of, print_notices, stop, take, translate_typer

app = typer.Typer(
    help=_(
        "Tessera imports Markdown notes, shows every split, searches by meaning and by keyword, and measures the "
        "results."
    ),
    cls=Root,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
translate_typer()


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version as installed_version

        typer.echo(f"tessera {installed_version('tessera-notes')}")
        raise typer.Exit


@app.callback()
def every_command(
    version: Annotated[bool, option("--version", "Show the version.", callback=_version, is_eager=True)] = False,
) -> None: ...


@cache
def _build_commands() -> Callable[..., object]:
    """Build all commands, once per process. Calling `app` would make typer read their signatures again each time."""
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `tessera`. Exit with 1 after printing a TesseraError to stderr, or with 2 after incorrect usage."""
    take()
    print_nothing()
    STOPPED.clear()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, stop)
    try:
        TYPED[:] = sys.argv[1:] if arguments is None else arguments
        for argument in TYPED:
            if find_half_character(argument) is not None:
                raise ConfigError(
                    "'{argument}' contains bytes that aren't text. Type it again, or rename the file it refers to.",
                    argument=escape_halves(argument),
                )
        _build_commands()(arguments)
    except TesseraError as error:
        print_notices()
        if "--json" in (arguments or sys.argv):
            line = json_of({"error": error.message})
        else:
            line = f"tessera: {' '.join(say(error).split())}"
        sys.stderr.write(f"{line}\n")
        sys.exit(1)
    finally:
        print_notices()
