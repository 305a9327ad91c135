"""`tessera`: the verbs of the pages as commands. Every command prints lines for people, or JSON with --json."""

import signal
import sys
import threading
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from core.base.errors import ConfigError, TesseraError, UnknownChoice
from core.base.log import print_nothing
from core.base.terminal import _, say
from core.base.text import escape_halves, find_half_character
from core.doors.cli import assistants, bases, models, notes, options
from core.doors.cli.app import serve as serve_pages
from core.doors.cli.binding import bind, taking
from core.doors.cli.calling import call
from core.doors.cli.evaluate import evaluate
from core.doors.cli.output import STOPPED, json_of, print_notices, show, stop, write
from core.doors.cli.rendering import COMMANDS
from core.doors.cli.serving import serve, watch
from core.doors.cli.terminal import take, translate_typer
from core.doors.operations import chunks
from core.doors.operations.declaring import PERSON
from core.doors.operations.text.bases import format_status
from core.doors.operations.text.chunks import format_preview
from core.doors.program import operations as states
from core.doors.registry import GROUPS, OPERATIONS
from core.features import FEATURES

_LOG_LINES = 100

app = typer.Typer(
    help=_(
        "Tessera: import Markdown notes, look at every split, search by meaning and by word, measure what comes back."
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
_GROUPS = {
    "models": models.app,
    "note": notes.app,
    "base": bases.app,
    "thread": options.group(_("Threads of written answers: list, show, go on with, keep as a note, delete them.")),
    "document": options.group(_("Documents: what converts them, what isn't read, and another conversion.")),
    "chunk": options.group(_("The chunks of notes: list, edit, merge, split, hide and restore them.")),
    "check": options.group(_("Can your notes be found? Check a base, show its last check, try other settings on it.")),
    "questions": options.group(_("Question sets, by which `tessera evaluate` measures: list, make, show them.")),
    "runs": options.group(_("What question sets measured: list, show and delete it.")),
    **{group.name: options.group(say(group.about), lists=group.lists) for group in GROUPS},
}
for name, group in _GROUPS.items():
    app.add_typer(group, name=name)
_modules = [
    import_module(f"core.features.{feature}.commands")
    for feature in FEATURES
    if find_spec(f"core.features.{feature}.commands")
]
_commands = dict(COMMANDS)
for module in _modules:
    _commands |= getattr(module, "COMMANDS", {})
bind({**_GROUPS, "": app}, _commands, OPERATIONS.values())
translate_typer()


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tessera {installed_version('tessera-notes')}")
        raise typer.Exit


@app.callback()
def every_command(
    version: Annotated[
        bool, typer.Option("--version", help=_("Show the version."), callback=_version, is_eager=True)
    ] = False,
) -> None: ...


@app.command("chunks", help=say(chunks.preview.about))
@taking(chunks.preview)
def preview(
    form: Annotated[str, typer.Option("--format", help=_("text, or html: a page with the chunks in colour."))] = "text",
    as_json: options.Json = False,
    workspace: options.Folder = options.WORKSPACE,
    **given: Any,
) -> None:
    if form not in ("text", "html"):
        raise UnknownChoice("format", form, ("text", "html"))
    cut = chunks.preview.run(None, PERSON, given)
    if form == "html":
        from core.doors.operations.text.chunks import page

        write(page(cut))
        return
    show(cut, as_json, format_preview)


app.command(
    "evaluate",
    help=_("Ask a base every question of a file or a set, and measure whether the right passages come back."),
)(evaluate)

for module in _modules:
    app.registered_commands += getattr(module, "app", typer.Typer()).registered_commands
app.command("app", help=_("Start the app in the browser; only this machine reaches it."))(serve_pages)
app.command(help=_("Let other programs reach the notes over HTTP, without the pages."))(serve)
app.command(help=_("Bring watched folders up to date as their files change, until Ctrl+C; the app does it too."))(watch)


app.command("mcp", help=_("Let an assistant such as Claude use the notes; the assistant starts this command itself."))(
    assistants.mcp
)


@app.command(help=_("Show what the workspace holds."))
def status(
    log: Annotated[bool, typer.Option("--log", help=_("Show the end of the log instead, the newest last."))] = False,
    report: Annotated[
        bool,
        typer.Option("--report", help=_("Show what a bug report needs instead: no text, name or path of yours.")),
    ] = False,
    workspace: options.Folder = options.WORKSPACE,
    as_json: options.Json = False,
) -> None:
    if log:
        from core.base.log import FILE, tail

        end = {"log": str(workspace / FILE), "lines": tail(workspace, _LOG_LINES)}
        show(end, as_json, lambda log: log["lines"] or [_("Nothing stands in {file} yet.", file=log["log"])])
        return
    if report:
        from core.workspace import bug_report

        bug = bug_report(workspace)
        show(dict(bug.facts), as_json, lambda _: [str(bug)])
        return
    show(call(states.show, workspace, {}), as_json, format_status)


@app.command(help=_("Show the version."))
def version(as_json: options.Json = False, workspace: options.Folder = options.WORKSPACE) -> None:
    show({"version": installed_version("tessera-notes")}, as_json, lambda values: [f"tessera {values['version']}"])


@cache
def _build_commands() -> Any:
    """Return all commands, built once: typer would read their signatures again at each call of `app`."""
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `tessera`. Exit with 1 and one line on stderr for a TesseraError, with 2 for wrong usage."""
    take()
    print_nothing()
    STOPPED.clear()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, stop)
    try:
        _check(sys.argv[1:] if arguments is None else arguments)
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


def _check(arguments: Sequence[str]) -> None:
    for argument in arguments:
        if find_half_character(argument) is not None:
            raise ConfigError(
                "'{argument}' holds bytes that are no text. Type it again, or rename the file that it names.",
                argument=escape_halves(argument),
            )
