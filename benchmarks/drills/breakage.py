"""What is done to a file of a workspace; each takes the file, chance, and the same file of another workspace."""

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

ZEROS = 100_000
HUGE = 256 << 20


def _deleted(file: Path, _: random.Random, __: Path) -> None:
    shutil.rmtree(file) if file.is_dir() else file.unlink()


def _empty(file: Path, _: random.Random, __: Path) -> None:
    if file.is_dir():
        shutil.rmtree(file)
        file.mkdir()
    else:
        os.truncate(file, 0)


def _cut(file: Path, _: random.Random, __: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _random(file: Path, chance: random.Random, _: Path) -> None:
    _write(file, 0, chance.randbytes(file.stat().st_size))


def _zeroed(file: Path, _: random.Random, __: Path) -> None:
    size = file.stat().st_size
    count = min(ZEROS, size // 3)
    _write(file, (size - count) // 2, bytes(count))


def _folder(file: Path, chance: random.Random, other: Path) -> None:
    was_folder = file.is_dir()
    _deleted(file, chance, other)
    file.write_text("a file") if was_folder else file.mkdir()


def _broken_link(file: Path, chance: random.Random, other: Path) -> None:
    _deleted(file, chance, other)
    file.symlink_to(file.parent / "nowhere" / "at all")


def _link(file: Path, _: random.Random, __: Path) -> None:
    file.symlink_to(file.rename(file.with_name(f"moved {file.name}")))


def _loop(file: Path, chance: random.Random, other: Path) -> None:
    _deleted(file, chance, other)
    file.symlink_to(file)


def _pipe(file: Path, chance: random.Random, other: Path) -> None:
    _deleted(file, chance, other)
    os.mkfifo(file)


def _nested(file: Path, _: random.Random, __: Path) -> None:
    file.write_bytes(b"[" * 100_000)


def _other_types(file: Path, _: random.Random, __: Path) -> None:
    """Give each value of JSON another type; of other files, half a character."""
    try:
        values = json.loads(file.read_bytes())
    except ValueError:
        values = {"": "\ud800"}
    file.write_text(json.dumps({name: [{"x": value}, None, 1e999] for name, value in values.items()}))


def _huge(file: Path, _: random.Random, __: Path) -> None:
    os.truncate(file, HUGE)


def _readonly(file: Path, _: random.Random, __: Path) -> None:
    file.chmod(0o555 if file.is_dir() else 0o444)


def _another(file: Path, _: random.Random, other: Path) -> None:
    if file.name == "notes.db":
        with sqlite3.connect(file) as database:
            database.execute("PRAGMA user_version = 99")
        database.close()
    elif other.is_dir():
        shutil.rmtree(file)
        shutil.copytree(other, file)
    else:
        _write(file, 0, other.read_bytes())
        os.truncate(file, other.stat().st_size)


def _write(file: Path, at: int, data: bytes) -> None:
    with file.open("r+b") as stream:
        stream.seek(at)
        stream.write(data)


BREAKAGES: dict[str, Callable[[Path, random.Random, Path], None]] = {
    "deleted": _deleted,
    "empty": _empty,
    "cut": _cut,
    "random": _random,
    "zeroed": _zeroed,
    "a folder": _folder,
    "a broken link": _broken_link,
    "a link": _link,
    "a loop": _loop,
    "a pipe": _pipe,
    "nested": _nested,
    "other types": _other_types,
    "huge": _huge,
    "read-only": _readonly,
    "another's": _another,
}
"""By name; `a folder` makes a file of a folder, `another's` of the database is a later version's."""

_OF_FILES = ("cut", "random", "zeroed", "nested", "other types", "huge")
OF_FOLDERS = tuple(name for name in BREAKAGES if name not in _OF_FILES)
