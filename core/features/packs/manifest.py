"""Packs as folders: reading `pack.toml`, and finding packs."""

import logging
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from core.base import app_paths
from core.base.errors import PackError, SourceError, TesseraError, UnknownChoice
from core.base.messages import Message, message
from core.intake import folder
from core.model import Pack

FILE = "pack.toml"
KEYS = tuple(field.name for field in fields(Pack) if field.name != "folder")
_OPTIONAL = ("description",)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,7}", re.ASCII)
_AT = re.compile(r"\(at line (\d+)")

_LOG = logging.getLogger(__name__)
GROUP = "tessera.packs"
"""Entry point group of Python packages with a pack: `NAME = "package"`, or `"package:folder.in.it"`."""


def number(version: str) -> tuple[int, ...]:
    """Return a version for comparison: 1.10 is later than 1.9, 1.0 equals 1, and "" precedes all others."""
    parts = [int(part) for part in version.split(".")] if version else [-1]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return tuple(parts)


def read(place: Path) -> Pack:
    """Return the pack in a folder from its `pack.toml`; raises PackError with all mistakes."""
    pack, mistakes = checked(place)
    if pack is None or mistakes:
        raise PackError(str(place), mistakes)
    return pack


def checked(place: Path) -> tuple[Pack | None, list[Message]]:
    """Return the pack in a folder (None if `pack.toml` can't be parsed), and the mistakes in `pack.toml`."""
    try:
        text = folder.read(place, FILE).decode("utf-8-sig")
        values = tomllib.loads(text)
    except SourceError as error:
        return None, [error.message]
    except UnicodeDecodeError as error:
        return None, [_mistake(error.object.count(b"\n", 0, error.start) + 1, message("this isn't UTF-8."))]
    except (ValueError, RecursionError) as error:
        at = _AT.search(str(error))
        return None, [_mistake(int(at[1]) if at else 1, message("not valid TOML: {reason}", reason=str(error)))]
    mistakes = [_mistake(_line(text, key), problem) for key, problem in _problems(values)]
    pack = Pack(folder=place, **{key: str(values.get(key, "")) for key in KEYS})
    return pack, mistakes


def _problems(values: dict[str, object]) -> list[tuple[str, Message]]:
    problems: list[tuple[str, Message]] = [
        (key, message("'{key}' is unknown. Known keys: {keys}.", key=key, keys=KEYS))
        for key in values
        if key not in KEYS
    ]
    for key in KEYS:
        value = values.get(key)
        if value is None and key not in _OPTIONAL:
            problems.append(("", message("'{key}' is missing.", key=key)))
        elif value is not None and not (
            isinstance(value, str) and "\0" not in value and (value.strip() or key in _OPTIONAL)
        ):
            problems.append((key, message("'{key}' must be text in quotation marks.", key=key)))
    name, version = values.get("name"), values.get("version")
    if isinstance(name, str) and name.strip() and not _NAME.fullmatch(name):
        problems.append(("name", message("the name '{name}' can contain only letters, digits, - and _.", name=name)))
    if isinstance(version, str) and version.strip() and not _VERSION.fullmatch(version):
        text = message("the version '{version}' must be numbers separated by dots, such as 1.2.", version=version)
        problems.append(("version", text))
    return problems


def _line(text: str, key: str) -> int:
    """Return the number of the line that sets a key, 1 if no line does."""
    setting = re.compile(rf"\W*{re.escape(key)}\b")
    return next((n for n, line in enumerate(text.splitlines(), start=1) if key and setting.match(line)), 1)


def _mistake(line: int, reason: Message) -> Message:
    return message("{path}, line {line}: {reason}", path=FILE, line=line, reason=reason)


def bundled() -> Path:
    """Return the folder with the packs that come with the program."""
    return app_paths.PROGRAM / "data" / "packs"


def find_packs() -> dict[str, Pack]:
    """Return the packs from the program and from installed Python packages, by name."""
    packs: dict[str, Pack] = {}
    for place in _places():
        try:
            pack = read(place)
        except TesseraError:
            _LOG.warning("A pack can't be read", exc_info=True)
        else:
            packs.setdefault(pack.name, pack)
    return dict(sorted(packs.items()))


def place_of(name: str) -> Path:
    """Return the folder of the pack with the given name; raises UnknownChoice."""
    own = bundled() / name
    if "/" not in name and "\\" not in name and (own / FILE).is_file():
        return own
    packs = find_packs()
    if name not in packs:
        raise UnknownChoice("pack", name, packs)
    return packs[name].folder


def folder_of(source: str | Path) -> tuple[Path, str]:
    """Return the folder of a pack, and the text to store as its source: the folder if one was given, "" for a name.

    Raises UnknownChoice for an unknown name, and PackError for a folder without a pack.
    """
    place = Path(source).expanduser()
    if not isinstance(source, Path) and not (place / FILE).is_file() and len(place.parts) == 1:
        return place_of(source), ""
    if not (place / FILE).is_file():
        raise PackError(str(place), checked(place)[1])
    return place.resolve(), str(place.resolve())


def _places() -> Iterator[Path]:
    yield from sorted(file.parent for file in bundled().glob(f"*/{FILE}"))
    for entry in _entries():
        try:
            spec = find_spec(entry.module)
        except (ImportError, ValueError):
            spec = None
        for root in (spec.submodule_search_locations or ()) if spec else ():
            yield Path(root, *(entry.attr.split(".") if entry.attr else ()))


@cache
def _entries() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))
