"""The result of an operation is the same after its way over the wire, as a command gets it from the open app."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from core.base.codec import encode
from core.base.messages import Message, plural
from core.doors import remote as wire
from core.doors.registry import OPERATIONS

RETURNED = {
    name: get_type_hints(operation.function, localns={"Workspace": object})["return"]
    for name, operation in OPERATIONS.items()
}
VALUES: Mapping[Any, Any] = {
    str: "a\nb",
    int: 3,
    float: 0.5,
    bool: True,
    type(None): None,
    Any: {"count": 3},
    object: ["plan"],
    Message: plural("{n} note", "{n} notes", n=2),
    Path: Path("/home/ada"),
    datetime: datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
}


def sample(kind: Any) -> Any:
    """Return a value of a type, of a choice the last one that is something."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return inner[0]
    if origin in (Union, UnionType):
        return sample([choice for choice in inner if choice is not type(None)][-1])
    if origin in (list, tuple):
        return origin([sample(inner[0])])
    if origin in (dict, Mapping):
        return {"a": sample(inner[1])}
    if is_dataclass(kind) and kind is not Message:
        hints = get_type_hints(kind)
        return kind(**{field.name: sample(hints[field.name]) for field in fields(kind) if field.init})  # type: ignore[operator]
    return VALUES[kind]


def test_each_operation_returns_a_dataclass() -> None:
    assert [name for name, kind in RETURNED.items() if not is_dataclass(kind)] == []


@pytest.mark.parametrize("name", RETURNED)
def test_a_result_is_the_same_after_the_wire(name: str) -> None:
    operation, result = OPERATIONS[name], sample(RETURNED[name])
    kind, value = wire.read(wire.line("answer", encode(result)))
    assert (kind, operation.decode(value)) == ("answer", result)
