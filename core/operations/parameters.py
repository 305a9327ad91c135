"""Parameters that several operations take, and the types of values as doors need them."""

import types
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from core.messages import Message, message
from core.model import NOTE_FIELDS, PARTS, ChunkingOptions, SearchSettings
from core.operations.declaring import DOORS, About, Door, Parameter

NoteName = Annotated[str, About(message("A note's id, path or title."))]
NoteNames = Annotated[list[str], About(message("Notes, each by its id, path or title."))]
Expected = Annotated[int | None, About(message("Change the note only if it still has this version."), flag="version")]
Number = Annotated[int, About(message("The number of a version."), least=1, most=1_000_000_000)]
KNOWN_BASE = About(message("The knowledge base, by name."))
Base = Annotated[str, KNOWN_BASE]
SomeBase = Annotated[str | None, KNOWN_BASE]
Folder = Annotated[Path, About(message("The folder with the files of its notes."))]
Removals = Annotated[bool, About(message("Apply a plan that removes more than a third of the notes."))]
DryRun = Annotated[bool, About(message("Show the plan and change nothing."))]


def _field(name: str, kind: Any, text: Message, flag: str = "", doors: tuple[Door, ...] = DOORS) -> Parameter:
    return Parameter(name, kind | None, About(text, flag, doors=doors))


NOTE_PARAMETERS = tuple(
    _field(name, field.type, field.about, field.flag, DOORS if field.by_programs else ("cli",))
    for name, field in NOTE_FIELDS.items()
)
"""The fields of a note; what programs may not set, no door for programs takes."""

_NEW = ChunkingOptions()
_CHUNKING = {
    "strategy": message("auto, none (whole notes), markdown (by headings), recursive (by size) or lines (by line)."),
    "chunk_size": message("Chunk size in tokens; {n} in a new base.", n=_NEW.chunk_size),
    "chunk_overlap": message(
        "Overlap: tokens that neighbouring chunks share; {n} in a new base.", n=_NEW.chunk_overlap
    ),
    "short_doc_threshold": message(
        "A note with fewer tokens stays whole; {n} in a new base.", n=_NEW.short_doc_threshold
    ),
    "min_headings_for_md_aware": message(
        "A note with at least this many headings (## or ###) is split at them; {n} in a new base.",
        n=_NEW.min_headings_for_md_aware,
    ),
    "max_single_chunk_size": message("Largest chunk in tokens; {n} in a new base.", n=_NEW.max_single_chunk_size),
}
CHUNKING = tuple(_field(name, get_type_hints(ChunkingOptions)[name], text) for name, text in _CHUNKING.items())
"""How notes are split; what isn't given stays, in a new base as the settings say."""

_OPTIONS = {
    "limit": About(message("How many hits at most.")),
    "score_threshold": About(message("Minimum similarity of a hit, 0 to 1; 0 leaves out none."), "min-similarity"),
}
"""The search settings of a base that a command takes too."""
SEARCH = tuple(
    Parameter(name, kind, _OPTIONS.get(name) or About(PARTS[name].title, doors=("http",)))
    for name, kind in get_type_hints(SearchSettings).items()
)
"""How notes are searched; what isn't given is as the base, else the settings say."""


def only(parameters: tuple[Parameter, ...], *doors: Door) -> tuple[Parameter, ...]:
    """Return parameters that no other doors take."""
    return tuple(
        replace(each, about=replace(each.about, doors=tuple(door for door in doors if door in each.about.doors)))
        for each in parameters
    )


def with_types(kind: Any, types_: Mapping[Any, Any]) -> Any:
    """Return a type with other ones in place of some in it."""
    if kind in types_:
        return types_[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return reduce(or_, (with_types(one, types_) for one in inner))
    if origin in (list, dict):
        return origin[tuple(with_types(one, types_) for one in inner)]
    return kind


def plain(kind: Any) -> Any:
    """Return the type without `None`, and a text for a choice: what an option of the command line holds."""
    if get_origin(kind) in (Union, types.UnionType):
        (kind,) = (one for one in get_args(kind) if one is not type(None))
    return str if get_origin(kind) is Literal else kind
