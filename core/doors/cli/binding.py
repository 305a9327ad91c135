"""Generate commands from operations, with their arguments, options and output.

typer reads arguments and options from a command's signature.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Annotated, Any, get_origin

import typer
from typer.core import TyperArgument, TyperCommand

from core.base.errors import TesseraError, Unfinished
from core.base.frozen import frozen
from core.base.messages import as_message, message
from core.base.terminal import say
from core.doors.cli.calling import call, flag, places, words
from core.doors.cli.options import WORKSPACE, Folder, Json
from core.doors.cli.terminal import show
from core.operations.declaring import Operation, Parameter, without_none
from core.operations.parameters import plain
from core.operations.printing import details, sentence

Function = Callable[..., Any]


@frozen
class Command:
    """Changes to the command generated from an operation.

    `lines` formats the result, instead of the operation's own `lines`. If neither is set, names and values are printed.
    If `lines` is a function, it gets the options named by its parameters. `run` is called instead of the operation,
    with the workspace folder and the arguments. Its keyword-only parameters become options, or replace options with the
    same names. `also` lists further operations whose parameters the command takes.
    """

    lines: Callable[..., list[str]] | str | None = None
    run: Function | None = None
    also: tuple[Operation[object], ...] = ()


# Changes to generated commands, by operation name.
Commands = Mapping[str, Command]


def bind(groups: Mapping[str, typer.Typer], commands: Commands, operations: Iterable[Operation[object]]) -> None:
    """Add a command for each operation to its group. Commands outside any group go to the group `""`."""
    for operation in operations:
        if operation.cli and operation.by_hand != "cli":
            *group, name = words(operation)
            kind = _WithBase if "{base}" in operation.cli else TyperCommand
            groups[" ".join(group)].command(name, help=say(operation.about), cls=kind)(
                _command(operation, commands.get(operation.name, Command()))
            )


def taking(*operations: Operation[object], own: Function | None = None) -> Callable[[Function], Function]:
    """Return a decorator that adds operations' parameters to a command.

    `own`'s keyword-only parameters are added too.
    """
    first = places(operations[0])
    taken = {parameter.name: parameter for operation in operations for parameter in operation.taken("cli")}
    parts = {
        name: [part for part in parameter.about.parts if "cli" in part.about.doors] for name, parameter in taken.items()
    }
    flat = {part.name: part for name, parameter in taken.items() for part in parts[name] or [parameter]}

    def decorated(function: Function) -> Function:
        added = inspect.signature(own).parameters.values() if own else ()
        keywords = [item for item in added if item.kind is item.KEYWORD_ONLY]
        keywords += [
            item for item in inspect.signature(function).parameters.values() if item.kind is not item.VAR_KEYWORD
        ]
        last = {item.name: item.replace(kind=item.KEYWORD_ONLY) for item in keywords}
        names = [name for name in dict.fromkeys([*first, *flat]) if name not in last]
        signature = [*(_option(flat[name], argument=name in first) for name in names), *last.values()]

        def command(**arguments: object) -> None:
            for name, inner in parts.items():
                if chosen := without_none({part.name: arguments.pop(part.name) for part in inner}):
                    arguments[name] = chosen
            function(**arguments)

        command.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
        command.__name__ = function.__name__
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in signature}
        return command

    return decorated


def _command(operation: Operation[object], command: Command) -> Callable[..., None]:
    @taking(operation, *command.also, own=command.run)
    def function(workspace: Folder = WORKSPACE, as_json: Json = False, **arguments: object) -> None:
        values = command.run(workspace, **arguments) if command.run else call(operation, workspace, arguments)
        lines = command.lines or operation.lines or details
        lines = lines if callable(lines) else sentence(lines)
        options = {name: arguments[name] for name in list(inspect.signature(lines).parameters)[1:] if name in arguments}
        show(values, as_json, partial(lines, **options))
        for item in (values, *getattr(values, "folders", ())):
            if problem := getattr(item, "problem", None):
                raise Unfinished(problem) if getattr(item, "waiting", 0) else TesseraError(problem)

    return function


def _option(parameter: Parameter, *, argument: bool) -> inspect.Parameter:
    kind = plain(parameter.type)
    about = as_message(parameter.about.text)
    if get_origin(kind) is list and not argument:
        about = message("{about} Repeatable.", about=about)
    place = typer.Argument(help=say(about)) if argument else typer.Option(flag(parameter), help=say(about))
    annotation, default = (kind, inspect.Parameter.empty) if parameter.required else (kind | None, parameter.default)
    return inspect.Parameter(
        parameter.name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[annotation, place], default=default
    )


class _WithBase(TyperCommand):
    """A command with the option --base. The base may also be the first argument, as in earlier versions."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        params: list[Any] = self.params
        option = next(param for param in params if param.name == "base")
        if not all(arg.startswith("-") for arg in args) and not any(re.match("--base(=|$)", arg) for arg in args):
            first = TyperArgument(
                param_decls=["base"], type_descriptor=option.type_descriptor, required=option.required
            )
            self.params = [first, *(param for param in params if param is not option)]
        try:
            return super().parse_args(ctx, args)
        finally:
            self.params = params
