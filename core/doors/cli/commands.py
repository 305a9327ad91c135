"""The list of commands: help reads it from the source text of their modules, a call imports the modules."""

import ast
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from core.base.frozen import frozen
from core.base.messages import Message
from core.base.terminal import _, say
from core.doors.cli import options
from core.doors.registry import MODULES


def _own(module: str) -> str:
    """Return the name of the module with hand-written commands for a module of operations; it may not exist."""
    return f"core.doors.cli.{module.split('.')[2]}"


_GROUPS = {
    "models": _("Models: list, test and download them, and change the model of a base."),
    "note": _("Notes: write them, show them, set their fields, look at their versions, delete and restore them."),
    "base": _("Knowledge bases: make, show, change, rename and delete them."),
    "thread": _("Threads of written answers: list, show, continue, keep as a note, delete them."),
    "document": _("Documents: list converters, show what wasn't read, and convert again."),
    "chunk": _("The chunks of notes: list, edit, merge, split, hide and restore them."),
    "check": _("Can your notes be found? Make questions from the notes in a base, and run them."),
    "questions": _("Question sets, by which `tessera evaluate` measures: list, make, show them."),
    "settings": _("Settings: import them from another program."),
    "runs": _("Results of question sets: list, show and delete them."),
}
"""The groups that no feature declares."""
_CORE = Path(__file__).parents[2]
_BY_HAND = {
    **{_own(module): "" for module in MODULES},
    **{f"core.doors.cli.{name}": "" for name in ("pages", "serving", "assistants", "status")},
    "core.doors.cli.models": "models",
    "core.doors.cli.notes": "note",
    "core.doors.cli.settings": "settings",
}
"""The modules with commands that aren't made from operations -> the group of these commands."""


@frozen
class _Entry:
    """A command, not made from an operation if `by_hand`, or a `group`, which with `lists` runs `list` by default."""

    module: str
    words: tuple[str, ...]
    about: str = ""
    by_hand: bool = False
    group: bool = False
    lists: bool = False


def _read_all() -> Iterator[_Entry]:
    """Yield the commands in the order in which they are listed."""
    for module in MODULES:
        yield from _read(module)
    for module, before in _BY_HAND.items():
        yield from _read(module, before)


def _read(module: str, before: str = "") -> Iterator[_Entry]:
    for function, call in _calls(module):
        given: dict[str | None, Any] = {keyword.arg: keyword.value for keyword in call.keywords}
        match ast.unparse(call.func):
            case "operation" if "cli" in given and "cli" not in ast.literal_eval(given.get("by_hand", ast.Tuple([]))):
                command = ast.literal_eval(given["cli"]).partition(" {")[0]
                yield _Entry(module, (*command.split(),), ast.literal_eval(call.args[1]))
            case "CommandGroup":
                name = ast.literal_eval(call.args[0])
                yield _Entry(module, (name,), ast.literal_eval(call.args[1]), group=True, lists="lists" in given)
            case "app.command":
                name = ast.literal_eval(call.args[0]) if call.args else function
                words, about = ((before, name), "") if before else ((name,), ast.literal_eval(given["help"].args[0]))
                yield _Entry(module, words, about, by_hand=True)


def _calls(module: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield the decorator calls of a module's functions with their names, and the calls assigned to its constants."""
    file = _CORE.joinpath(*module.split(".")[1:]).with_suffix(".py")
    for node in ast.parse(file.read_bytes()).body if file.is_file() else ():
        if isinstance(node, ast.FunctionDef):
            yield from ((node.name, call) for call in node.decorator_list if isinstance(call, ast.Call))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            yield "", node.value


class _Commands(Mapping[str, Any]):
    """The commands and groups by name, each imported at its first use; `abouts` has their help texts."""

    def __init__(self) -> None:
        self._entries = (*_read_all(),)
        self._loaded: dict[str, object] = {}
        single = [entry for entry in self._entries if len(entry.words) == 1]
        commands, groups = (
            {entry.words[0]: say(Message(entry.about)) for entry in single if entry.group is group}
            for group in (False, True)
        )
        self.abouts = commands | _GROUPS | groups

    def __getitem__(self, name: str) -> object:
        if name not in self._loaded:
            entries = [entry for entry in self._entries if entry.words[0] == name]
            group = typer.main.get_group(_load(name, self.abouts[name], entries))
            group.name = name
            alone = any(len(entry.words) == 1 and not entry.group for entry in entries)
            self._loaded[name] = group.commands[name] if alone else group
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.abouts)

    def __len__(self) -> int:
        return len(self.abouts)


def _load(name: str, about: str, entries: list[_Entry]) -> typer.Typer:
    """Return a group with the commands of entries; a command without a group is in it under its own name."""
    from core.doors.cli.binding import Command, bind
    from core.doors.cli.calling import words
    from core.operations.declaring import Operation

    group = options.group(about, lists=any(entry.lists for entry in entries))
    for module in dict.fromkeys(entry.module for entry in entries if entry.by_hand):
        group.registered_commands += import_module(module).app.registered_commands
    operations: dict[str, Operation[object]] = {}
    commands: dict[str, Command] = {}
    for module in dict.fromkeys(entry.module for entry in entries if not entry.by_hand):
        declared = vars(import_module(module)).values()
        operations |= {
            value.name: value
            for value in declared
            if isinstance(value, Operation) and value.cli and words(value)[0] == name
        }
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
        listed: dict[str, Any] = {name: TyperCommand(name, help=about) for name, about in self.commands.abouts.items()}
        TyperGroup(commands=listed).format_commands(ctx, formatter)
