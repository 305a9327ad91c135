"""Operations as commands: their arguments and options, and what they print.

typer reads from the signature of a command what it takes.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, get_origin

import typer

from core.cli.options import WORKSPACE, Folder, Json, resumable, workspace_at
from core.cli.output import Lines, plain_lines, progress, show
from core.cli.texts import say
from core.messages import message
from core.operations.declaring import PERSON, Operation, Parameter
from core.operations.parameters import plain


def bind(groups: Mapping[str, typer.Typer], lines: Mapping[str, Lines], operations: Iterable[Operation]) -> None:
    """Add the commands of operations to the groups that they name first, `""` for commands without one.

    `lines` make what a command prints for people of the answer of the operation of this name.
    """
    for one in operations:
        if one.cli and "cli" not in one.by_hand:
            *group, name = _words(one)
            groups[" ".join(group)].command(name, help=say(one.about))(_command(one, lines.get(one.name, plain_lines)))


def call(one: Operation, folder: Path, given: Mapping[str, Any]) -> Any:
    """Run an operation on the workspace in a folder, by the open app where that has it; return the answer as JSON."""
    from core.remote.client import Remote  # takes a third of a second, which --help avoids

    arguments = {name: value for name, value in given.items() if value is not None}
    stopped = resumable(folder, *_words(one), *_typed(one, arguments)) if one.job else nullcontext()
    with workspace_at(folder, readonly=not one.writes) as opened, stopped:
        if isinstance(opened, Remote):
            return opened.run(one, arguments, progress)
        return one.formed(one.run(opened, PERSON, arguments, progress))


def _words(one: Operation) -> list[str]:
    return re.sub(r" {.*", "", one.cli).split()


def _typed(one: Operation, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield arguments as a person types them."""
    places = re.findall(r"{(\w+)", one.cli)
    yield from (str(arguments[name]) for name in places if name in arguments)
    for each in one.parameters:
        if each.name in arguments and each.name not in places:
            yield from (_flag(each), str(arguments[each.name]))


def _flag(one: Parameter) -> str:
    return f"--{(one.about.flag or one.name).replace('_', '-')}"


def _command(one: Operation, lines: Lines) -> Callable[..., None]:
    def command(workspace: Folder = WORKSPACE, as_json: Json = False, **given: Any) -> None:
        show(call(one, workspace, given), as_json, lines)

    return taking(one)(command)


def taking(one: Operation) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add to a command what an operation takes, which it gets as keywords; its own parameters come last."""

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        own = [each for each in inspect.signature(function).parameters.values() if each.kind is not each.VAR_KEYWORD]
        places = re.findall(r"{(\w+)", one.cli)
        taken = {each.name: each for each in one.parameters}
        for each in own:
            taken.pop(each.name, None)
        order = [*(name for name in places if name in taken), *(name for name in taken if name not in places)]
        signature = [option(taken[name], argument=name in places) for name in order]
        signature += [_parameter(each.name, each.annotation, each.default) for each in own]

        def command(**given: Any) -> None:
            function(**given)

        command.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
        command.__name__ = function.__name__
        command.__annotations__ = {each.name: each.annotation for each in signature}
        return command

    return decorated


def option(one: Parameter, *, argument: bool = False) -> inspect.Parameter:
    """Return a parameter of an operation as one of a command, from which typer reads its option or argument."""
    kind, about, flag = plain(one.type), say(one.about.text), _flag(one)
    if get_origin(kind) is list and not argument:
        about = say(message("{about} Repeatable.", about=one.about.text))
    names = (f"{flag}/--no-{flag[2:]}",) if kind is bool and one.default is None else (flag,)
    place: Any = typer.Argument(help=about) if argument else typer.Option(*names, help=about)
    if one.required:
        return _parameter(one.name, Annotated[kind, place], inspect.Parameter.empty)
    return _parameter(one.name, Annotated[kind | None, place], one.default)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
