"""Frames between two processes at random: what they hold, mutated, and other pickles spliced into it."""

import pickle
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from core.errors import Conflict, SourceError
from core.messages import plural
from core.model import Note, SearchSettings, SourceFile
from core.remote import frames

CRASH = "fuzz-crash"
"""The file in the working folder that hostile pickles would make."""


class _Crash:
    """What makes a file when its pickle is read."""

    def __init__(self, made_by: Any, *values: object) -> None:
        self._made_by, self._values = made_by, values

    def __reduce__(self) -> tuple[Any, ...]:
        return self._made_by, self._values


_NOTE = Note(
    "n",
    "b",
    "body\n" * 20,
    "hash",
    title="Title 题",
    tags=("a", "b"),
    extra={"x": [1, None]},
    updated_at=datetime.now(UTC),
)
_VALUES: tuple[Any, ...] = (
    frames.Call(("notes", "add"), True, ("base", frames.Listener(), Path("/a/b")), {"body": "text", "tags": ["a"]}),
    frames.Answer([_NOTE, SearchSettings(), timedelta(seconds=1.5), b"\0" * 300, {"a": {"b": (1, 2.5, True)}}]),
    frames.Failure(Conflict("Changed.", _NOTE, 3)),
    frames.Failure(SourceError("a.md", plural("{n} note", "{n} notes", n=2))),
    frames.Step(1, 2, "what"),
    tuple(SourceFile(f"{number}.md", number, number) for number in range(50)),
)
_OPEN = b"\x8c\x07pathlib\x8c\x09io.FileIO\x93(\x8c\x0afuzz-crash\x8c\x01wtR"
_BEGUN = 2
"""Where the first instruction stands."""
_SPLICES = (
    *(bytes([instruction]) for instruction in range(256)),
    *(_OPEN, b"\x8c\x07pathlib\x8c\x02os\x93", b"\x8c\x02os\x8c\x06system\x93", b"cos\nsystem\n", b"(ios\nsystem\n"),
    *(b"r\xff\xff\xff\x7f", b"p2147483647\n", b"\x94", b"h\x00", b"j\xff\xff\xff\x7f", b"g1\n", b"2", b"0", b"1"),
    *(
        b"\x8d" + b"\xff" * 8,
        b"\x8e" + b"\xff" * 7 + b"\0",
        b"\x95" + b"\xff" * 8,
        b"X\xff\xff\xff\x7f",
        b"B\0\0\0\x7f",
    ),
    *(b"\x8b\xff\xff\xff\x7f", b"\x8a\xff", b"}b", b"N}b", b")\x81", b")}\x92", b"\x82\x01", b"Pa\n", b"Q", b"\x97"),
    *(b"\x85" * 300, b"]" * 300, b"(" * 300, b"t" * 10, b"}" * 300, b"\x8f" * 300),
    b"\x8c\x12core.remote.frames\x8c\x04noun\x93",
    b"\x8c\x0bcore.errors\x8c\tunpickled\x93",
    b"\x8c\x11core.cli.__main__\x8c\x04main\x93",
)


def frame(chance: Random) -> bytes:
    """Return the pickle of what a frame holds, as it is written or by another pickler, sometimes mutated."""
    value = chance.choice(_VALUES)
    if chance.random() < 0.2:
        value = [
            value,
            _Crash(*chance.choice(((Path.touch, Path(CRASH)), (open, CRASH, "w"), (exec, f"open('{CRASH}', 'w')")))),
        ]
        return pickle.dumps(value, protocol=chance.randrange(6))
    data = bytearray(frames.dump(value) if chance.random() < 0.9 else pickle.dumps(value, protocol=chance.randrange(6)))
    for _ in range(chance.choice((0, 1, 1, 2, 5, 20))):
        at = chance.choice((_BEGUN, chance.randrange(len(data) + 1)))
        match chance.randrange(5):
            case 0:
                data[at:at] = chance.choice(_SPLICES)
            case 1:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 2:
                del data[at : at + chance.randrange(20)]
            case 3:
                end = min(len(data), at + chance.randrange(40))
                data[at:at] = data[at:end] * chance.choice((1, 2, 100))
            case 4:
                data[at : at + 8] = chance.choice(_SPLICES) + b"."
    return bytes(data)
