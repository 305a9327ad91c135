"""Parameters that several operations take, and the types of values as doors need them."""

import types
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from typing_extensions import is_typeddict

from core.json_forms.forms import typed_dict
from core.messages import message
from core.model import EXPANSION_SIZES, NOTE_FIELDS, PARTS, SearchSettings
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

_SETTINGS = {
    "mode": About(message("auto, semantic (by meaning), keyword (by words) or hybrid (both).")),
    "level": About(
        message("simple (direct), focused (filtered), exploratory (broad), or auto: by what the question asks for.")
    ),
    "limit": About(message("How many hits at most.")),
    "fusion": About(
        message(
            "How the order by meaning and the order by words become one: weighted (by score) or reciprocal (by rank)."
        )
    ),
    "phrase": About(message("What a quoted phrase does: require (it must be in the text) or boost (it raises a hit).")),
    "expansion_size": About(
        message("Neighbour chunks shown on each side, 0 to {most}.", most=EXPANSION_SIZES[-1]), flag="expand"
    ),
    "reranker": About(
        message("The model for the second look, or none; by default as the settings say."), flag="rerank"
    ),
}
"""What is said of settings of a search whose title doesn't say it all."""
_KINDS = get_type_hints(SearchSettings)
SEARCH: tuple[Parameter, ...] = tuple(
    Parameter(name, _KINDS[name], _SETTINGS.get(name) or About(part.title), required=False)
    for name, part in PARTS.items()
)
"""The settings of a search; the base, else the settings decide what isn't given."""
Search = typed_dict("Search", _KINDS, total=False)
"""The same in one value."""


def with_texts(kind: Any, text: Any) -> Any:
    """Return a type with `text` in place of every `str` in it."""
    if kind is str:
        return text
    if is_typeddict(kind):
        names = {name: with_texts(one, text) for name, one in get_type_hints(kind).items()}
        made = typed_dict(kind.__name__, names, total=kind.__total__)
        made.__pydantic_config__ = {"extra": "forbid"}
        return made
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
