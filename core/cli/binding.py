"""Operations as commands: their arguments and options, and what they print."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_origin

import typer
from typer.core import TyperArgument, TyperCommand

from core.cli.options import WORKSPACE, Folder, Json, resumable, workspace_at
from core.cli.output import Lines, plain_lines, progress, show
from core.cli.texts import say
from core.errors import TesseraError, Unfinished
from core.messages import message
from core.operations.declaring import PERSON, Operation, Parameter
from core.operations.parameters import plain

Values = dict[str, Any]
Run = Callable[..., Any]
"""Runs an operation with arguments on an open workspace, and returns its answer as JSON."""


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
            *group, name = _words(one)
            kind = _WithBase if "{base}" in one.cli else TyperCommand
            function = _command(one, commands.get(one.name, Command()))
            groups[" ".join(group)].command(name, help=say(one.about), cls=kind)(function)


def call(one: Operation, folder: Path, given: Mapping[str, Any]) -> Any:
    """Run an operation on the workspace in a folder, by the open app where that has it; return the answer as JSON."""
    with opened(folder, writes=one.writes) as run, stoppable(one, folder, given):
        return run(one, **given)


def stoppable(one: Operation, folder: Path, given: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Say on Ctrl-C how the command of an operation goes on, where it is long work."""
    return resumable(folder, *_words(one), *_typed(one, given)) if one.reports else nullcontext()


@contextmanager
def opened(folder: Path, *, writes: bool = True) -> Iterator[Run]:
    """Open the workspace in a folder, or the app that has it, and yield what runs operations there."""
    from core.remote.client import Remote  # takes a third of a second, which --help avoids

    with workspace_at(folder, readonly=not writes) as workspace:

        def run(one: Operation, /, **given: Any) -> Any:
            arguments = {name: _absolute(value) for name, value in given.items() if value is not None}
            if isinstance(workspace, Remote):
                return workspace.run(one, arguments, progress)
            return one.formed(one.run(workspace, PERSON, arguments, progress))

        yield run


def _absolute(value: Any) -> Any:
    return value.expanduser().absolute() if isinstance(value, Path) else value  # the open app is in another folder


def _words(one: Operation) -> list[str]:
    return re.sub(r" {.*", "", one.cli).split()


def _typed(one: Operation, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield arguments as a person types them."""
    places = _places(one)
    yield from (str(arguments[name]) for name in places if arguments.get(name) is not None)
    for each in one.taken("cli"):
        value = arguments.get(each.name, each.default)
        if each.name not in places and value != each.default:
            flag = _flags(each)[0].partition("/")[0]
            yield from ([flag] if value is True else [flag, str(value)])


def _places(one: Operation) -> list[str]:
    """Return the names of what stands in a command without an option; a base never does."""
    return [name for name in re.findall(r"{(\w+)", one.cli) if name != "base"]


def _flags(one: Parameter) -> tuple[str, ...]:
    flag = f"--{(one.about.flag or one.name).replace('_', '-')}"
    switches = plain(one.type) is bool and one.default is None and "/" not in flag
    return (f"{flag}/--no-{flag[2:]}" if switches else flag,)


def _command(one: Operation, command: Command) -> Callable[..., None]:
    """Return the function of a command; typer reads from its signature what it takes."""
    places, taken = _places(one), [each for every in (one, *command.also) for each in every.taken("cli")]
    objects = {each.name: [part for part in each.about.parts if "cli" in part.about.doors] for each in taken}
    flat = [part for each in taken for part in objects[each.name] or [each]]
    signature = {each.name: _option(each, argument=each.name in places) for each in flat}
    signature = {name: signature[name] for name in (*places, *(name for name in signature if name not in places))}
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

    function.__signature__ = inspect.Signature([*signature.values()])  # type: ignore[attr-defined]
    function.__annotations__ = {name: each.annotation for name, each in signature.items()}
    return function


def _option(one: Parameter, *, argument: bool) -> inspect.Parameter:
    kind, about = plain(one.type), say(one.about.text)
    if get_origin(kind) is list and not argument:
        about = say(message("{about} Repeatable.", about=one.about.text))
    place: Any = typer.Argument(help=about) if argument else typer.Option(*_flags(one), help=about)
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
