"""What goes between two processes: every noun does, and a pickle that says more is refused before it is read."""

import pickle
import resource
import struct
from dataclasses import is_dataclass
from datetime import UTC, date, datetime, time, timedelta
from importlib import import_module
from io import BytesIO
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

from core import model
from core.errors import Conflict, ProviderError, SourceError, StoreError, TesseraError, UnknownChoice
from core.messages import message, plural
from core.model import Note
from core.remote import frames
from core.remote.frames import Call, Failure, Listener, Step, Unreadable

NOTE = Note(
    "n",
    "b",
    "body",
    "hash",
    title="Title",
    tags=("a",),
    extra={"deep": [{"x": (1, None)}]},
    expires_at=datetime.now(UTC),
)
VALUES = [
    NOTE,
    Call(("notes", "add"), True, ("base", Listener()), {"body": "\ud800 text", "path": Path("/a/b")}),
    Step(1, 2.5, plural("{n} note", "{n} notes", n=10**300)),
    [True, False, None, -1, 2**40, float("inf"), b"x" * 70_000, "文" * 70_000, {"k": date.min, 2: time.max}],
    [*range(5000), *map(str, range(5000))],
    (timedelta(days=-1), (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], {}, [1], {"a": 1}),
]


@pytest.mark.parametrize("value", VALUES)
def test_values_come_as_they_went(value: Any) -> None:
    assert [*frames.frames(BytesIO(frames.frame(value) * 2))] == [value, value]


def test_errors_come_with_their_attributes() -> None:
    class Further(SourceError):
        """An error that isn't sent: it comes as the one above it."""

    for error in (
        UnknownChoice("tool", "a", ["b"]),
        ProviderError("No.", status=500),
        Conflict("Changed.", NOTE, 3),
        Further("a.md", message("{n} times", n=2)),
    ):
        sent = frames.load(frames.dump(Failure(error))).error
        assert type(sent) is (SourceError if isinstance(error, Further) else type(error))
        assert (str(sent), sent.__dict__) == (str(error), error.__dict__)


def test_every_noun_goes() -> None:
    nouns = [
        kind
        for module in iter_modules(model.__path__)
        for kind in vars(import_module(f"core.model.{module.name}")).values()
        if isinstance(kind, type) and is_dataclass(kind)
    ]
    assert len(nouns) > 90
    assert all(map(frames.is_value, nouns))


def text(value: str) -> bytes:
    return b"\x8c" + bytes([len(value)]) + value.encode()


def named(module: str, name: str) -> bytes:
    """The instructions that name a class."""
    return text(module) + text(name) + b"\x93"


def called(module: str, name: str, *values: bytes) -> bytes:
    """The instructions that name a class and call it."""
    return named(module, name) + b"(" + b"".join(values) + b"tR"


NOUN = ("core.remote.frames", "noun")
HOSTILE = {
    "a dotted name": called("pathlib", "io.FileIO", text("crash"), text("w")),
    "a dotted name of the noun": named(*NOUN[:1], "noun.__globals__"),
    "a function of a module": called("pathlib", "os.mkdir", text("crash")),
    "another class of a module": called("pathlib", "Path", text("crash")),
    "a class of the program that is no noun": named("core.workspace", "Workspace"),
    "a class of the program by itself": named("core.model.notes", "Note"),
    "a module that runs": named("core.cli.__main__", "main"),
    "a name that is no text": b"NN\x93",
    "a call of a text": text("a") + b")R",
    "attributes of a class": named("core.errors", "StoreError") + b"N}" + text("title") + text("evil") + b"s\x86b",
    "attributes of a function": named("core.errors", "unpickled") + b"}" + text("evil") + text("a") + b"sb",
    "a place far out": b"Nr\xff\xff\xff\x7f",
    "a place": b"Nq\x00",
    "a place of a number": b"Np2147483647\n",
    "a value at a place": b"\x8c\x01a\x94h\x00\x86",
    "laughs": b"]\x94" + b"h\x00h\x00\x86\x94" * 60,
    "a long text": b"\x8d" + struct.pack("<Q", 2**60),
    "long bytes": b"\x8e" + struct.pack("<Q", 2**60),
    "a long array": b"\x96" + struct.pack("<Q", 2**60),
    "a text longer than the rest": b"X\xff\xff\xff\x7fa",
    "a long number": b"\x8b\xff\xff\xff\x7f1",
    "a long frame": b"\x95" + struct.pack("<Q", 2**60) + b"N",
    "another call": named(*NOUN) + b")\x81",
    "another call with keywords": named(*NOUN) + b")}\x92",
    "a class by its line": b"cpathlib\nPosixPath\n)R",
    "an object by its line": b"(ipathlib\nPosixPath\n",
    "an object": b"(" + named(*NOUN) + b"o",
    "an extension": b"\x82\x01",
    "a reference": b"Pcrash\n",
    "an unknown noun": called(*NOUN, text("Popen"), text("a")),
    "a noun that is none": called(*NOUN, b"]"),
    "a noun without values": called(*NOUN, text("Note")),
    "an error without a message": called(*NOUN, text("StoreError"), b"}"),
    "a path of another system": called("pathlib", "WindowsPath", text("a")),
    "a date of no calendar": called("datetime", "datetime", b"K\x00", b"K\x00"),
    "a deep key": b"})" + b"\x85" * 200_000 + b"Ns",
    "a deep list": b"]" * 200_000 + b"a" * 199_999,
    "nothing": b"",
    "nothing to take": b"R",
    "nothing to fill": b"(e",
    "no mark": b"t",
    "no end": b"N" * 10,
    "another instruction": b"\xff",
}


@pytest.mark.parametrize("program", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_pickle_that_says_more_than_a_value_is_refused(
    program: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before, peak = dict(vars(StoreError)), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for end in (b".", b""):
        with pytest.raises(Unreadable):
            frames.load(b"\x80\x05" + program + end)
    assert [*tmp_path.iterdir()] == []
    assert dict(vars(StoreError)) == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 100 * 2**10


def test_what_other_picklers_write_is_refused() -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(Unreadable):
            frames.load(pickle.dumps([NOTE, NOTE], protocol=protocol))


def test_long_programs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "_MOST_VALUES", 1000)
    assert len(frames.load(frames.dump([*range(900)]))) == 900
    with pytest.raises(Unreadable):
        frames.load(frames.dump([*range(1000)]))


@pytest.mark.parametrize("head", [b"-1\n", b"1e3\n", b"9999999999\n", b" 4\n", b"4", b"4" * 100, b"\xd9\xa4\n", b"\n"])
def test_a_frame_has_a_size(head: bytes) -> None:
    with pytest.raises(Unreadable):
        next(frames.frames(BytesIO(head + b"\x80\x05N.")))


def test_errors_of_the_program_are_its_own() -> None:
    assert all(issubclass(kind, TesseraError) or is_dataclass(kind) for kind in frames.NOUNS.values())
