"""Sources of packs: those of the program, of installed Python packages, of a folder."""

import logging
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from core.base import places
from core.base.errors import PackError, TesseraError, UnknownChoice
from core.features.packs import manifest
from core.model import Pack

_LOG = logging.getLogger(__name__)
GROUP = "tessera.packs"
"""Entry points of packages with a pack: `NAME = "package"`, or `"package:folder.in.it"`."""


def bundled() -> Path:
    """Return the folder of the packs that come with the program."""
    return places.PROGRAM / "data" / "packs"


def find_packs() -> dict[str, Pack]:
    """Return the packs that have a name: those of the program, and those of installed packages."""
    packs: dict[str, Pack] = {}
    for place in _places():
        try:
            pack = manifest.read(place)
        except TesseraError:
            _LOG.warning("A pack can't be read", exc_info=True)
        else:
            packs.setdefault(pack.name, pack)
    return dict(sorted(packs.items()))


def place_of(name: str) -> Path:
    """Return the folder of a pack that has a name; raises UnknownChoice."""
    own = bundled() / name
    if "/" not in name and "\\" not in name and (own / manifest.FILE).is_file():
        return own
    packs = find_packs()
    if name not in packs:
        raise UnknownChoice("pack", name, packs)
    return packs[name].folder


def folder_of(source: str | Path) -> tuple[Path, str]:
    """Return the folder of a pack given by a name or a folder, and that folder as a text if it was given.

    Raises UnknownChoice for a name that there isn't, PackError for a folder without a pack.
    """
    place = Path(source).expanduser()
    if not isinstance(source, Path) and not (place / manifest.FILE).is_file() and len(place.parts) == 1:
        return place_of(source), ""
    if not (place / manifest.FILE).is_file():
        raise PackError(str(place), manifest.checked(place)[1])
    return place.resolve(), str(place.resolve())


def _places() -> Iterator[Path]:
    own = bundled()
    yield from sorted(file.parent for file in own.glob(f"*/{manifest.FILE}"))
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
