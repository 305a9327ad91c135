"""Operations as commands: their arguments and options, and what they print."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_origin

import typer
from typer.core import TyperArgument, TyperCommand

from core.cli.options import WORKSPACE, Folder, Json
from core.cli.output import Lines, plain_lines, show
from core.cli.running import call, flags, places, words
from core.cli.texts import say
from core.errors import TesseraError, Unfinished
from core.messages import message
from core.operations.declaring import Operation, Parameter
from core.operations.parameters import plain


@dataclass(frozen=True, slots=True)
class Command:
    """How a command differs from its operation alone.

    `lines` make what it prints for people. `run` does its work with the folder of the workspace and the arguments; what
    it takes as keywords are options besides, or in place of those of the same names. `also` are operations whose
    parameters it takes too.
    """

    lines: Lines = plain_lines
    run: Callable[..., Any] | None = None
    also: tuple[Operation, ...] = ()


def bind(groups: Mapping[str, typer.Typer], commands: Mapping[str, Command], operations: Iterable[Operation]) -> None:
    """Add the commands of operations to the groups that they name first, `""` for commands without one."""
    for one in operations:
        if one.cli and "cli" not in one.by_hand:
            *group, name = words(one)
            kind = _WithBase if "{base}" in one.cli else TyperCommand
            function = _command(one, commands.get(one.name, Command()))
            groups[" ".join(group)].command(name, help=say(one.about), cls=kind)(function)


def _command(one: Operation, command: Command) -> Callable[..., None]:
    """Return the function of a command; typer reads from its signature what it takes."""
    in_place, taken = places(one), [each for every in (one, *command.also) for each in every.taken("cli")]
    objects = {each.name: [part for part in each.about.parts if "cli" in part.about.doors] for each in taken}
    flat = [part for each in taken for part in objects[each.name] or [each]]
    signature = {each.name: _option(each, argument=each.name in in_place) for each in flat}
    signature = {name: signature[name] for name in (*in_place, *(name for name in signature if name not in in_place))}
    if command.run:
        own = inspect.signature(command.run).parameters.values()
        signature |= {each.name: each for each in own if each.kind is inspect.Parameter.KEYWORD_ONLY}
    signature["workspace"] = _parameter("workspace", Folder, WORKSPACE)
    signature["as_json"] = _parameter("as_json", Json, False)

    def function(workspace: Path, as_json: bool, **given: Any) -> None:
        for name, parts in objects.items():
            values = {part.name: given.pop(part.name) for part in parts}
            if chosen := {part: value for part, value in values.items() if value is not None}:
                given[name] = chosen
        values = command.run(workspace, **given) if command.run else call(one, workspace, given)
        show(values, as_json, command.lines)
        for each in (values, *values.get("folders", ())):
            if problem := each.get("problem"):
                raise Unfinished(problem) if each["waiting"] else TesseraError(problem)

    return _signed(function, signature)


def taking(*parameters: Parameter) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command that is written by hand options besides its own; it gets them as keywords."""

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(function).parameters
        options = {each.name: _option(each, argument=False) for each in parameters}
        signature = options | {name: each for name, each in own.items() if each.kind is not each.VAR_KEYWORD}
        return _signed(
            lambda **given: function(**given),
            {name: _parameter(name, each.annotation, each.default) for name, each in signature.items()},
        )

    return decorated


def _signed(function: Callable[..., None], signature: Mapping[str, inspect.Parameter]) -> Callable[..., None]:
    """Return a function with another signature, which typer reads."""
    function.__signature__ = inspect.Signature([*signature.values()])  # type: ignore[attr-defined]
    function.__annotations__ = {name: each.annotation for name, each in signature.items()}
    return function


def _option(one: Parameter, *, argument: bool) -> inspect.Parameter:
    kind, about = plain(one.type), say(one.about.text)
    if get_origin(kind) is list and not argument:
        about = say(message("{about} Repeatable.", about=one.about.text))
    place: Any = typer.Argument(help=about) if argument else typer.Option(*flags(one), help=about)
    if one.required:
        return _parameter(one.name, Annotated[kind, place], inspect.Parameter.empty)
    return _parameter(one.name, Annotated[kind | None, place], one.default)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


class _WithBase(TyperCommand):
    """A command with the option --base; as in earlier versions, its first argument may be the base instead."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        params: list[Any] = self.params
        option = next(one for one in params if one.name == "base")
        if not all(arg.startswith("-") for arg in args) and not any(re.match("--base(=|$)", arg) for arg in args):
            first = TyperArgument(
                param_decls=["base"], type_descriptor=option.type_descriptor, required=option.required
            )
            self.params = [first, *(one for one in params if one is not option)]
        try:
            return super().parse_args(ctx, args)
        finally:
            self.params = params
