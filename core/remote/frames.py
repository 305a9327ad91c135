"""What goes between two processes of this machine: calls, nouns, messages, errors and plain values, as pickles.

A pickle is a program: it can name any code and run it. These pickles hold plain values only. A noun is its name with
its values, an error its name with its attributes, and `load` reads a pickle only after every instruction of it was
checked: none but those that `dump` writes, nothing remembered, no deeper and no longer than values are.
"""

import pathlib
import pickle
import pickletools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime, time, timedelta, timezone
from io import BytesIO
from typing import IO, Any

from core import errors, messages, model
from core.errors import TesseraError
from core.messages import Message

PATH = "/remote"
"""Where calls go: a GET proves who answers there, a POST is a call."""
MOST_BYTES = 1 << 26
"""Size of a call at most: the plan of an import has 100 bytes for a file."""
_MOST_OF_ANSWER = 1 << 28
"""Size of an answer at most, such as the cards of a large base."""
_MOST_VALUES = 5_000_000
"""Instructions of a pickle at most: each makes one value, of 100 bytes or so."""
_DEEPEST = 100
"""Values within values at most: a deep tuple would end the process that hashes it."""
_NUMBER, _LONGEST_NUMBER = re.compile(rb"[0-9]+\n"), 12


@dataclass(frozen=True, slots=True)
class Call:
    """The attribute of the workspace at the end of these names; with `made`, called with arguments."""

    names: tuple[str, ...]
    made: bool = False
    values: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)

    @property
    def is_sound(self) -> bool:
        """Whether it names attributes of the workspace, none of them private."""
        texts = isinstance(self.names, tuple) and all(isinstance(name, str) for name in self.names)
        arguments = isinstance(self.values, tuple) and isinstance(self.keywords, dict)
        return texts and arguments and not any(name.startswith("_") for name in self.names)


@dataclass(frozen=True, slots=True)
class Listener:
    """The argument of a call that stands for the caller's progress."""


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of a call."""

    done: float
    total: float
    what: str | Message


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a call: its value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """The end of a call: its error."""

    error: TesseraError


@dataclass(frozen=True, slots=True)
class Reference:
    """The value of an attribute that stays where it is: a collection or a method."""


def _classes() -> dict[str, type]:
    own = (Call, Listener, Step, Answer, Failure, Reference)
    every = (*vars(model).values(), *vars(errors).values(), *vars(messages).values(), *own)
    return {kind.__name__: kind for kind in every if isinstance(kind, type) and _is_noun(kind)}


def _is_noun(kind: type) -> bool:
    return is_dataclass(kind) or issubclass(kind, TesseraError)


NOUNS = _classes()
"""The classes of `core` whose objects go from process to process, by their names."""


def is_value(kind: type) -> bool:
    """Whether objects of a class of `core` go from process to process: nouns, messages, errors."""
    return NOUNS.get(kind.__name__) is kind


class Unreadable(pickle.UnpicklingError):
    """A frame isn't read: it is none, it holds what no frame holds, or it is too large."""


def noun(name: str, *values: Any) -> Any:
    """Return the object of a noun's values, in the order of its fields, or of an error's attributes."""
    kind = NOUNS[name]
    if issubclass(kind, TesseraError):
        return errors.unpickled(kind, *values)
    names = [one.name for one in fields(kind)]  # type: ignore[arg-type]
    return kind(**dict(zip(names, values, strict=True)))


NAMED = {
    (kind.__module__, kind.__name__): kind
    for kind in (noun, date, datetime, time, timedelta, timezone, pathlib.PosixPath, pathlib.WindowsPath)
}
"""All that a pickle may name."""
_NAMES = (
    "PROTO FRAME STOP MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT SHORT_BINUNICODE BINUNICODE"
    " SHORT_BINBYTES BINBYTES EMPTY_TUPLE TUPLE1 TUPLE2 TUPLE3 TUPLE EMPTY_LIST APPEND APPENDS EMPTY_DICT SETITEM"
    " SETITEMS STACK_GLOBAL REDUCE"
)
"""The instructions that `dump` writes. None of them remembers a value or sets an attribute."""


def _effect(instruction: pickletools.OpcodeInfo) -> tuple[int, bool, int, int]:
    """Return what an instruction does to the stack.

    It takes so many values, those above the last mark besides; fills the first so many of them; gives so many.
    """
    before, to_mark = instruction.stack_before, pickletools.markobject in instruction.stack_before
    taken = before.index(pickletools.markobject) if to_mark else len(before)
    fills = instruction.name.startswith(("APPEND", "SETITEM"))
    return taken, to_mark, int(fills), len(instruction.stack_after)


_WRITTEN = {one.name: _effect(one) for one in pickletools.opcodes if one.name in _NAMES.split()}


class _Writer(pickle.Pickler):
    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file, protocol=5)
        self.fast = True  # nothing is remembered

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, TesseraError):
            kind = next(kind for kind in type(value).__mro__ if is_value(kind))
            return noun, (kind.__name__, value.__dict__)
        if is_value(type(value)):
            return noun, (type(value).__name__, *(getattr(value, one.name) for one in fields(value)))
        return NotImplemented


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return NAMED[module, name]


def dump(value: object) -> bytes:
    file = BytesIO()
    _Writer(file).dump(value)
    return file.getvalue()


def load(data: bytes) -> Any:
    """Return the value of a pickle; raises Unreadable."""
    try:
        _check(data)
        return _Reader(BytesIO(data)).load()
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from error


def _check(data: bytes) -> None:
    """Raise Unreadable for a pickle that `dump` can't have written; `depths` are those of the values on the stack."""
    depths: list[int] = []
    marks: list[int] = []
    for number, (instruction, _, _) in enumerate(pickletools.genops(data)):
        effect = _WRITTEN.get(instruction.name)
        if effect is None or number >= _MOST_VALUES:
            raise Unreadable(f"{instruction.name} at {number}")
        taken, to_mark, fills, gives = effect
        if instruction.name == "MARK":
            marks.append(len(depths))
        first = (marks.pop() if to_mark else len(depths)) - taken
        inner = depths[first + fills :] if first >= 0 else [_DEEPEST]
        depth = max([*depths[first : first + fills], 1 + max(inner, default=-1)])
        if depth > _DEEPEST:
            raise Unreadable(f"deeper than {_DEEPEST}, or nothing to take at {number}")
        depths[first:] = [depth] * gives
    if depths:
        raise Unreadable(f"{len(depths)} values are left over")


def frame(value: object) -> bytes:
    """Return a value for a stream: the bytes of its pickle, after a line with their number."""
    data = dump(value)
    return b"%d\n" % len(data) + data


def frames(stream: IO[bytes]) -> Iterator[Any]:
    """Yield the values of a stream; raises Unreadable."""
    while line := stream.readline(_LONGEST_NUMBER):
        if not _NUMBER.fullmatch(line) or int(line) > _MOST_OF_ANSWER:
            raise Unreadable(f"{line!r} is no size of a frame")
        yield load(stream.read(int(line)))
