"""Lines between a command and the open app at random: arguments of operations, steps, answers and errors, mutated."""

import json
from random import Random
from typing import Any

from core.base.errors import Conflict, SourceError
from core.base.messages import Message, plural
from core.doors import remote as wire
from core.doors.registry import OPERATIONS

_STRANGE: tuple[Any, ...] = (
    *(None, True, -1, 0, 10**400, 1e308, float("nan"), "", "\0", "\ud800", "題" * 300, [], {}, [[]], {"": {}}),
    *({"$message": 5}, {"$message": {"text": "{a.b}", "fields": {}}}, {"$message": {}}, {"kind": "SystemExit"}),
)
_SPLICES = (b"[" * 3000, b'{"a":' * 3000, b'"', b"\\ud800", b"\xff", b"\n", b"}", b"1e999", b"NaN", b"\0")
_LINES = (
    wire.line("step", [1.0, 2.0, plural("{n} note", "{n} notes", n=2)]),
    wire.line("answer", {"notes": [{"id": "n", "tags": ["a"], "explanation": Message("Title 题", {})}]}),
    wire.line("error", wire.failure(SourceError("a.md", plural("{n} note", "{n} notes", n=2)))),
    wire.line("error", wire.failure(Conflict("Changed.", None, 3))),
)


def call(chance: Random) -> tuple[str, bytes]:
    """Return an operation and the JSON of its arguments, as in its example or with strange values, mutated at times."""
    one = chance.choice([*OPERATIONS.values()])
    given = {name: value if chance.random() < 0.6 else chance.choice(_STRANGE) for name, value in one.takes.items()}
    for each in one.parameters:
        if chance.random() < 0.2:
            given[each.name] = chance.choice(_STRANGE)
    return one.name, mutated(json.dumps(given).encode(), chance)


def line(chance: Random) -> bytes:
    """Return a line of the app's answer, mutated at times."""
    return mutated(chance.choice(_LINES), chance)


def mutated(data: bytes, chance: Random) -> bytes:
    made = bytearray(data)
    for _ in range(chance.choice((0, 0, 1, 2, 5))):
        at = chance.randrange(len(made) + 1)
        match chance.randrange(3):
            case 0:
                made[at:at] = chance.choice(_SPLICES)
            case 1:
                made[at : at + 1] = bytes([chance.randrange(256)])
            case 2:
                del made[at : at + chance.randrange(20)]
    return bytes(made)
