"""Operations as commands: their arguments and options, and what they print."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from core.cli.options import WORKSPACE, Folder, Json, workspace_at
from core.cli.output import progress, show
from core.cli.rendering import LINES, plain_lines
from core.cli.texts import say
from core.operations.declaring import PERSON, Operation, Parameter
from core.operations.parameters import plain
from core.remote.client import Remote


def bind(groups: Mapping[str, typer.Typer], operations: Iterable[Operation]) -> None:
    """Add the commands of operations to the groups that they name first, `""` for commands without one."""
    for one in operations:
        if one.cli:
            *group, name = re.sub(r" [{\[].*", "", one.cli).split()
            groups[" ".join(group)].command(name, help=say(one.about))(_command(one))


def _command(one: Operation) -> Callable[..., None]:
    """Return the function of a command; typer reads from its signature what it takes."""
    places = re.findall(r"[{\[](\w+)", one.cli)
    taken = {each.name: each for each in one.parameters}
    order = [*places, *(name for name in taken if name not in places)]
    signature = [_option(taken[name], argument=name in places) for name in order]
    signature.append(_parameter("workspace", Folder, WORKSPACE))
    signature.append(_parameter("as_json", Json, False))

    def command(workspace: Path, as_json: bool, **given: Any) -> None:
        arguments = {name: value for name, value in given.items() if value is not None}
        with workspace_at(workspace, readonly=not one.writes) as opened:
            if isinstance(opened, Remote):
                values = opened.run(one, arguments, progress)
            else:
                values = one.run(opened, PERSON, arguments, progress)
        show(values, as_json, LINES.get(one.name, plain_lines))

    command.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in signature}
    return command


def _option(one: Parameter, *, argument: bool) -> inspect.Parameter:
    kind, about = plain(one.type), say(one.about.text)
    if argument:
        return _parameter(
            one.name, Annotated[kind if one.required else kind | None, typer.Argument(help=about)], _default(one)
        )
    flag = (one.about.flag or one.name).replace("_", "-")
    names = (f"--{flag}/--no-{flag}",) if kind is bool and one.default is None else (f"--{flag}",)
    return _parameter(
        one.name, Annotated[kind if one.required else kind | None, typer.Option(*names, help=about)], _default(one)
    )


def _default(one: Parameter) -> Any:
    return inspect.Parameter.empty if one.required else one.default


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
