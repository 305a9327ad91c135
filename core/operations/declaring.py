"""Declare operations: functions on a workspace that can be called through several interfaces ("doors")."""

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from core.base.call_log import log_call
from core.base.codec import decode, json_type, typed_dict
from core.base.frozen import AnyMap, AnyValues, Values, frozen
from core.base.messages import Message, as_message
from core.model import Author, Progress, no_progress

Result = TypeVar("Result", covariant=True)
Door = Literal["http", "cli", "tool"]
DOORS: tuple[Door, ...] = get_args(Door)

# Example responses for the HTTP API's schema, keyed by type name.
EXAMPLES: AnyValues = json.loads(Path(__file__).with_name("examples.json").read_text(encoding="utf-8"))

# Parameters set by the interface rather than by the caller.
_INJECTED = ("workspace", "caller", "progress")


@frozen
class Caller:
    """The caller of an operation: the user on this machine, or a program whose changes the user must accept."""

    author: Author

    @property
    def is_person(self) -> bool:
        return self.author == "person"


PERSON = Caller("person")
PROGRAM = Caller("program")


@frozen
class About:
    """A description of an operation's parameter.

    `flag`, `query` and `tool` are the parameter's names on the command line, in URLs and in tools, if they differ from
    its own name. Only the given `doors` accept the parameter. Numbers must lie between `least` and `most`. A `long`
    string may be as long as a note, and a `searched` string may contain any characters. `parts` are the fields of an
    object. Each of these fields becomes an option of the command. `find` takes a workspace and the names given by the
    caller, and returns ids. `example` is an example value for a required parameter.
    """

    text: str | Message
    flag: str = ""
    query: str = ""
    tool: str = ""
    doors: tuple[Door, ...] = DOORS
    least: int | None = None
    most: int | None = None
    long: bool = False
    searched: bool = False
    parts: tuple["Parameter", ...] = ()
    find: Callable[[Any, Any], object] | None = None
    example: Any = None


@frozen
class Parameter:
    """An operation's parameter. `default` is the value of an omitted parameter that isn't `required`."""

    name: str
    type: Any
    about: About
    required: bool = False
    default: Any = None


Parameters = tuple[Parameter, ...]


@frozen
class CommandGroup:
    """A command group. If `lists` is True and no command is given, the group runs its `list` command."""

    name: str
    about: str
    lists: bool = False


@dataclass(frozen=True, eq=False)
class Operation(Generic[Result]):
    """An operation on a workspace, called by the user or a program.

    `http` is a method and a path below /api/v1, `cli` a command with its arguments in braces, and `tool` a tool's name.
    The interface `by_hand`, if set, calls the function from hand-written code. A tool may be hand-written too. If `job`
    is set, the operation runs as a job with that name. `check` validates the arguments before the job starts. `creates`
    is the path of the resource that is created. `takes` holds example arguments, and `gives` is the example response.
    `fields` are the parameters that replace the function's `**kwargs`. `lines` formats the result for people. It is
    either a sentence with the result's fields in braces, or a function.
    """

    name: str
    about: Message
    function: Callable[..., Result]
    http: str = ""
    cli: str = ""
    tool: str = ""
    writes: bool = False
    job: str = ""
    check: Callable[..., object] | None = None
    creates: str = ""
    takes: AnyMap = field(default_factory=dict)
    gives: Any = None
    fields: Parameters = ()
    lines: Callable[..., list[str]] | str | Message | None = None
    by_hand: Door | None = None

    @cached_property
    def arguments(self) -> Values:
        """Example arguments, with a value for each required parameter, and the arguments in `takes`."""
        return without_none(
            {parameter.name: parameter.about.example for parameter in self.parameters if parameter.required}
        ) | dict(self.takes)

    @cached_property
    def response(self) -> object:
        """An example response: `gives` or, by default, the example for the return type."""
        return self.gives if self.gives is not None else example_for(self._hints["return"])

    @property
    def noun(self) -> str:
        return self.name.partition(".")[0]

    @property
    def answer(self) -> object:
        """The type of the JSON response."""
        return json_type(self._hints["return"])

    @cached_property
    def parameters(self) -> Parameters:
        """The function's parameters in order, with `**kwargs` replaced by `fields`."""
        parameters: list[Parameter] = []
        for parameter in inspect.signature(self.function).parameters.values():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                parameters += self.fields
            elif parameter.name not in _INJECTED:
                parameters.append(read_parameter(parameter.name, self._hints[parameter.name], parameter.default))
        return tuple(parameters)

    def taken(self, door: Door) -> Parameters:
        """Return the parameters accepted by a door."""
        return tuple(parameter for parameter in self.parameters if door in parameter.about.doors)

    @cached_property
    def reports(self) -> bool:
        """Whether the operation reports its progress."""
        return "progress" in inspect.signature(self.function).parameters

    @cached_property
    def _hints(self) -> Values:
        # The workspace is imported for type checkers only, because importing it takes a second.
        return get_type_hints(self.function, localns={"Workspace": object}, include_extras=True)

    def run(self, workspace: Any, caller: Caller, arguments: AnyMap, progress: Progress = no_progress) -> Result:
        """Call the function with arguments for `parameters`, and return its result. The function's errors propagate."""
        context = {"workspace": workspace, "caller": caller, "progress": progress}
        parameters = inspect.signature(self.function).parameters
        names = {*filter(None, (arguments.get("base"), *(arguments.get("bases") or ())))}
        with log_call(self.name, by=caller.author) as line:
            if names:  # other parameters may hold arbitrary text
                line["base"] = ",".join(base.name for base in workspace.bases.all() if base.name in names)
            found = {
                parameter.name: parameter.about.find(workspace, arguments[parameter.name])
                for parameter in self.parameters
                if parameter.about.find and arguments.get(parameter.name)
            }
            value = self.function(
                **{name: context[name] for name in _INJECTED if name in parameters}, **{**arguments, **found}
            )
            listed = getattr(value, fields(value)[0].name) if is_dataclass(value) else value
            if isinstance(listed, (list, tuple)):
                line["n"] = len(listed)
            return value

    def decode(self, value: object) -> Result:
        """Decode a result from its JSON value. Raises ValueError if the value doesn't fit the result's type."""
        result: Result = decode(self._hints["return"], value)
        return result


def without_none(values: AnyMap) -> AnyValues:
    """Return the values that aren't None."""
    return {name: value for name, value in values.items() if value is not None}


def operation(name: str, about: str, **declared: Any) -> Callable[[Callable[..., Result]], Operation[Result]]:
    """Return a decorator that declares a function as an operation."""
    return lambda function: Operation(name, as_message(about), function, **declared)


def read_parameter(name: str, hint: object, default: object = None) -> Parameter:
    """Return the parameter described by a type hint annotated with an `About`. Without a default, it is required."""
    if get_origin(hint) is not Annotated:
        raise TypeError(f"'{name}' has no description")
    kind, about = get_args(hint)
    if about.parts:
        # an object with the given parts, all optional
        kind = typed_dict(f"{name.title()}Settings", {part.name: part.type for part in about.parts}, total=False)
        kind.__pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}
        kind |= None
    required = default is inspect.Parameter.empty
    return Parameter(name, kind, about, required, None if required else default)


def example_for(kind: object) -> Any:
    """Return the example for a type. If a dataclass has no example, combine the examples for its fields."""
    if (name := getattr(kind, "__name__", "")) in EXAMPLES:
        return EXAMPLES[name]
    if is_dataclass(kind):
        return {name: example_for(hint) for name, hint in get_type_hints(kind).items()}
    return [example_for(get_args(kind)[0])] if get_origin(kind) in (list, tuple, Sequence) else None
