"""The list of commands, read from source code. A command's modules are imported only when the command runs."""

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from core.base.frozen import AnyMap, TextValues, Values
from core.base.messages import message_table
from core.base.terminal import say
from core.doors.cli.options import ListingGroup
from core.doors.registry import MODULES


def _own(module: str) -> str:
    """Return the name of the module with the hand-written commands for a module of operations.

    This module may not exist.
    """
    return f"core.doors.cli.{module.split('.')[2]}"


# Help texts of the groups not declared by a feature.
_GROUPS = message_table(
    {
        "models": "Models: list, test and download them, and change the model of a base.",
        "note": "Notes: write them, show them, set their fields, look at their versions, delete and restore them.",
        "base": "Knowledge bases: create, show, change, rename and delete them.",
        "thread": "Threads of written answers: list, show, continue or delete them, or keep them as notes.",
        "document": "Documents: list converters, show what wasn't read, and convert again.",
        "chunk": "The chunks of notes: list, edit, merge, split, hide and restore them.",
        "check": "Make questions from the notes in a base, and test whether they find those notes.",
        "questions": "Question sets for `tessera evaluate`: list, create, show and delete them.",
        "settings": "Settings: import them from another program.",
        "runs": "Results of test runs: list, show and delete them.",
    }
)
_CORE = Path(__file__).parents[2]
# Modules with hand-written commands -> the group of these commands.
_BY_HAND = {
    **{_own(module): "" for module in MODULES},
    **{f"core.doors.cli.{name}": "" for name in ("serving", "assistants", "status")},
    "core.doors.cli.models": "models",
    "core.doors.cli.notes": "note",
    "core.doors.cli.settings": "settings",
}


def _calls(module: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls that decorate a module's functions or are assigned to constants, with the function name or ""."""
    file = _CORE.joinpath(*module.split(".")[1:]).with_suffix(".py")
    for node in ast.parse(file.read_bytes()).body if file.is_file() else ():
        if isinstance(node, ast.FunctionDef):
            yield from ((node.name, call) for call in node.decorator_list if isinstance(call, ast.Call))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            yield "", node.value


class _Commands(AnyMap):
    """The commands and groups by name, each imported on first use.

    `abouts` contains their help texts, in display order.
    """

    def __init__(self) -> None:
        # Command or group name -> its modules. The value is True if the module's commands are hand-written.
        self._modules: dict[str, dict[str, bool]] = {}
        # Groups that run `list` if no subcommand is given.
        self._lists: set[str] = set()
        self._single: TextValues = {}
        self._loaded: Values = {}
        groups = {}
        for module, before in [*((module, "") for module in MODULES), *_BY_HAND.items()]:
            for function, call in _calls(module):
                given: dict[Any, Any] = {item.arg: getattr(item.value, "value", item.value) for item in call.keywords}
                match ast.unparse(call.func):
                    case "operation" if "cli" in given and given.get("by_hand") != "cli":
                        name, *more = given["cli"].partition(" {")[0].split()
                        about = ast.literal_eval(call.args[1])
                    case "CommandGroup":
                        name, groups[name] = map(ast.literal_eval, call.args)
                        self._lists |= {name} if "lists" in given else set()
                        continue
                    case "app.command":
                        word = ast.literal_eval(call.args[0]) if call.args else function
                        name, *more = (before, word) if before else (word,)
                        about = "" if before else ast.literal_eval(given["help"].args[0])
                    case _:
                        continue
                self._modules.setdefault(name, {})[module] = module in _BY_HAND
                if not more:
                    self._single[name] = about
        abouts = message_table(self._single) | _GROUPS | message_table(groups)
        self.abouts = {name: say(about) for name, about in abouts.items()}

    def __getitem__(self, name: str) -> object:
        if name not in self._loaded:
            group = typer.main.get_group(self._load(name))
            group.name = name
            self._loaded[name] = group.commands[name] if name in self._single else group
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.abouts)

    def __len__(self) -> int:
        return len(self.abouts)

    def _load(self, name: str) -> typer.Typer:
        """Return the group with the given name, or a group containing only the command with that name."""
        from core.doors.cli.binding import Command, bind
        from core.doors.cli.calling import words
        from core.operations.declaring import Operation

        group = typer.Typer(
            help=self.abouts[name],
            cls=ListingGroup if name in self._lists else TyperGroup,
            no_args_is_help=True,
            rich_markup_mode=None,
        )
        operations: dict[str, Operation[object]] = {}
        commands: dict[str, Command] = {}
        for module, by_hand in self._modules[name].items():
            loaded = import_module(module)
            if by_hand:
                group.registered_commands += loaded.app.registered_commands
                continue
            declared = [value for value in vars(loaded).values() if isinstance(value, Operation) and value.cli]
            operations |= {value.name: value for value in declared if words(value)[0] == name}
            if find_spec(_own(module)):
                commands |= getattr(import_module(_own(module)), "COMMANDS", {})
        bind({name: group, "": group}, commands, operations.values())
        return group


class Root(TyperGroup):
    """The group of all commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": None})
        self.commands: Any = _Commands()

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        TyperGroup(
            commands={name: TyperCommand(name, help=about) for name, about in self.commands.abouts.items()}
        ).format_commands(ctx, formatter)
