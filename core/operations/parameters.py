"""Parameters that several operations take, and the types of values as doors need them."""

import types
from functools import reduce
from itertools import starmap
from operator import or_
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from core.messages import message
from core.model import CHUNKING, NOTE_FIELDS, ChunkingOption, ChunkingOptions
from core.operations.declaring import About, Parameter

NoteName = Annotated[str, About(message("A note's id, path or title."))]
NoteNames = Annotated[list[str], About(message("Notes, each by its id, path or title."))]
Expected = Annotated[int | None, About(message("Change the note only if it still has this version."), flag="version")]
Base = Annotated[str, About(message("The knowledge base, by name."))]
SomeBase = Annotated[str | None, About(message("The knowledge base, by name."))]
NOTE_PARAMETERS = tuple(
    Parameter(name, field.type | None, About(field.about, field.flag), required=False)
    for name, field in NOTE_FIELDS.items()
)
"""The fields of a note; programs may not set all of them (`NoteField.by_programs`)."""


def _of_chunking(name: str, option: ChunkingOption) -> Parameter:
    usual = getattr(ChunkingOptions(), name)
    about = message("{about} {n} in a new base.", about=option.about, n=usual) if option.most else option.about
    return Parameter(name, type(usual) | None, About(about), required=False)


CHUNKING_PARAMETERS = tuple(starmap(_of_chunking, CHUNKING.items()))
"""How notes are cut; what isn't given stays."""


def with_texts(kind: Any, text: Any) -> Any:
    """Return a type with `text` in place of every `str` in it."""
    if kind is str:
        return text
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return reduce(or_, (with_texts(one, text) for one in inner))
    if origin in (list, dict):
        return origin[tuple(with_texts(one, text) for one in inner)]
    return kind


def plain(kind: Any) -> Any:
    """Return the type without `None`, and a text for a choice: what an option of the command line holds."""
    if get_origin(kind) in (Union, types.UnionType):
        (kind,) = (one for one in get_args(kind) if one is not type(None))
    return str if get_origin(kind) is Literal else kind
