"""Find packs, and read `pack.toml` and the notes in a pack's folder."""

import logging
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from core.base import app_paths
from core.base.errors import PackError, SourceError, TesseraError, UnknownChoice
from core.base.faults import wrap_file_errors
from core.base.frozen import frozen
from core.base.messages import Message, message
from core.intake import folder, notefile
from core.markdown.outline import Outline
from core.model import Note, Pack

FILE = "pack.toml"
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
_TEXT = r"^[^\x00]*[^\s\x00][^\x00]*$"
_VERSION = r"^[0-9]{1,9}(?:\.[0-9]{1,9}){0,7}$"
_LOG = logging.getLogger(__name__)
# Entry point group for Python packages with a pack: `NAME = "package"`, or `"package:folder.in.it"`.
GROUP = "tessera.packs"


class _File(BaseModel):
    """The contents of `pack.toml`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(pattern=_NAME)
    version: str = Field(pattern=_VERSION)
    base: str = Field(pattern=_TEXT)
    language: str = Field(pattern=_TEXT)
    description: str = Field("", pattern=r"^[^\x00]*$")


@frozen
class PackNote:
    """A note in a pack's folder. It has no id or base, and its `content_hash` is the hash of its file."""

    note: Note
    outline: Outline


# A pack's notes, keyed by path.
PackNotes = dict[str, PackNote]


def number(version: str) -> tuple[int, ...]:
    """Return a version as a tuple for comparison: 1.10 is later than 1.9, 1.0 equals 1, and "" is the earliest."""
    parts = [int(part) for part in version.split(".")] if version else [-1]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return tuple(parts)


def read(place: Path) -> Pack:
    """Return the pack described by a folder's `pack.toml`. Raises PackError, which lists all mistakes in the file."""
    pack, mistakes = checked(place)
    if pack is None:
        raise PackError(str(place), mistakes)
    return pack


def checked(place: Path) -> tuple[Pack | None, list[Message]]:
    """Return the pack in a folder and the mistakes in its `pack.toml`. If there is a mistake, the pack is None."""
    try:
        text = folder.read(place, FILE).decode("utf-8-sig")
        return Pack(folder=place, **_File.model_validate(tomllib.loads(text)).model_dump()), []
    except ValidationError as error:
        return None, [_problem(item, text) for item in error.errors()]
    except SourceError as error:
        return None, [error.message]
    except UnicodeDecodeError:
        return None, [_mistake(FILE, message("this isn't UTF-8 text."))]
    except (ValueError, RecursionError) as error:
        return None, [_mistake(FILE, message("not valid TOML: {reason}", reason=str(error)))]


def _problem(error: ErrorDetails, text: str) -> Message:
    """Return a message that says what is wrong with a key in `pack.toml`, and on which line."""
    key = str(error["loc"][0])
    value = str(error["input"])
    reason = message("'{key}' must be text in quotation marks.", key=key)
    match error["type"], key:
        case "extra_forbidden", _:
            reason = message("'{key}' is unknown. Known keys: {keys}.", key=key, keys=tuple(_File.model_fields))
        case "missing", _:
            reason = message("'{key}' is missing.", key=key)
        case "string_pattern_mismatch", "name":
            reason = message("the name '{name}' can contain only letters, digits, - and _.", name=value)
        case "string_pattern_mismatch", "version":
            reason = message(
                "the version '{version}' must consist of numbers separated by dots, such as 1.2.", version=value
            )
    setting = re.compile(rf"\W*{re.escape(key)}\b")
    line = next((number for number, line in enumerate(text.splitlines(), 1) if setting.match(line)), 1)
    return message("{path}, line {line}: {reason}", path=FILE, line=line, reason=reason)


def read_pack(place: Path) -> tuple[Pack, PackNotes]:
    """Return the pack in a folder, and the pack's notes, keyed by path.

    Nothing outside the folder is read. Raises PackError, which lists all mistakes in `pack.toml`, unreadable files or
    front matter, and symbolic links that lead outside the folder.
    """
    pack, mistakes = checked(place)
    notes = {}
    try:
        scan = folder.scan(place, scope="notes")
    except SourceError as error:
        raise PackError(str(place), [*mistakes, error.reason]) from error
    mistakes += [_mistake(failed.path, failed.error) for failed in scan.failed]
    for path in (file.path for file in scan.files):
        try:
            with wrap_file_errors(path):
                data = folder.read(scan.folder, path)
                note, outline = notefile.read(data, path)
        except SourceError as error:
            mistakes.append(_mistake(path, error.reason))
            continue
        mistakes += [_mistake(path, warning) for warning in note.warnings]
        mistakes += [_mistake(path, omission.explanation) for omission in note.left_out]
        note = replace(
            note,
            source="pack",
            source_ref=pack.source_ref if pack else "",
            body_start=0,
            front="",
            content_hash=folder.content_hash(data),
        )
        notes[path] = PackNote(note, outline)
    if pack is None or mistakes:
        raise PackError(str(place), mistakes)
    return pack, notes


def _mistake(path: str, reason: Message) -> Message:
    return message("{path}: {reason}", path=path, reason=reason)


def bundled() -> Path:
    """Return the folder of the packs that come with Tessera."""
    return app_paths.PROGRAM / "data" / "packs"


def find_packs() -> dict[str, Pack]:
    """Return the packs that come with Tessera or with installed Python packages, keyed by name."""
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
    """Return the folder of the pack with the given name. Raises UnknownChoice if there is none."""
    own = bundled() / name
    if "/" not in name and "\\" not in name and os.path.isfile(own / FILE):  # noqa: PTH113 as in `folder_of`
        return own
    packs = find_packs()
    if name not in packs:
        raise UnknownChoice("pack", name, packs)
    return packs[name].folder


def folder_of(source: str | Path) -> tuple[Path, str]:
    """Return a pack's folder, and the string to store as the pack's source.

    The source is the folder if one was given, or "" if a name was given. Raises UnknownChoice if the name is unknown,
    and PackError if there is no pack in the folder.
    """
    place = app_paths.expand_home(source)
    if os.path.isfile(place / FILE):  # noqa: PTH113 Path.is_file raises for a path that is too long
        return place.resolve(), str(place.resolve())
    if not isinstance(source, Path) and len(place.parts) == 1:
        return place_of(source), ""
    raise PackError(str(place), checked(place)[1])


def _places() -> Iterator[Path]:
    yield from sorted(file.parent for file in bundled().glob(f"*/{FILE}"))
    for entry in entry_points(group=GROUP):
        try:
            spec = find_spec(entry.module)
        except (ImportError, ValueError):
            continue
        for root in (spec and spec.submodule_search_locations) or ():
            yield Path(root, *(entry.attr or "").split("."))
