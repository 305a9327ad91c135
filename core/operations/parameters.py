"""Parameters shared by several operations, and type conversions for the interfaces."""

import types
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from itertools import starmap
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from typing_extensions import is_typeddict

from core.base.codec import typed_dict
from core.base.messages import Message, message, message_table
from core.model import CHUNKING, EXPANSION_SIZES, NOTE_FIELDS, PARTS, ChunkingOption, ChunkingOptions, SearchSettings
from core.operations import names
from core.operations.declaring import DOORS, About, Door, Parameter, Parameters

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from core.workspace import Workspace

Names = list[str] | None
NoteName = Annotated[str, About("A note's id, path, title or alias.", find=names.id_of, example="4f1c")]
# A note that may have been deleted.
AnyNote = Annotated[str, About("A note's id, path, title or alias.", find=names.any_id, example="4f1c")]
NoteNames = Annotated[
    list[str], About("Notes, each given by its id, path, title or alias.", find=names.ids, example=["4f1c"])
]
Expected = Annotated[int | None, About("Change the note only if it is still at this version.", flag="version")]
Number = Annotated[int, About("The number of a version.", least=1, most=1_000_000_000, example=1)]
Base = Annotated[str, About("The name of the knowledge base.", example="work")]
SomeBase = Annotated[str | None, About("The name of the knowledge base.")]
DryRun = Annotated[bool, About("Show what would change and change nothing.")]


# Note fields as parameters. Interfaces for programs accept only the fields that programs may set.
NOTE_PARAMETERS = tuple(
    Parameter(name, field.type | None, About(field.about, field.flag, doors=DOORS if field.by_programs else ("cli",)))
    for name, field in NOTE_FIELDS.items()
)


def only(parameter: Parameter, *doors: Door) -> Parameter:
    """Return a copy of a parameter, restricted to the given doors."""
    about = parameter.about
    return replace(parameter, about=replace(about, doors=tuple(door for door in doors if door in about.doors)))


def _chunking_parameter(name: str, option: ChunkingOption) -> Parameter:
    usual = getattr(ChunkingOptions(), name)
    about = option.about
    if option.most:
        about = message(
            "{about} From {least} to {most}; {n} in a new base.",
            about=about,
            n=usual,
            least=option.least,
            most=option.most,
        )
    return Parameter(name, type(usual) | None, About(about))


# Chunking parameters. Omitted parameters stay unchanged. In a new base, they are taken from the settings.
CHUNKING_PARAMETERS = tuple(starmap(_chunking_parameter, CHUNKING.items()))

# Descriptions for search settings whose titles aren't self-explanatory.
_SETTINGS = {
    "mode": About("How to search: auto, semantic (meaning only), keyword (keywords only) or hybrid (both)."),
    "level": About(
        "What kind of search: simple (direct), focused (filtered), exploratory (broad), or auto (depends "
        "on the question)."
    ),
    "limit": About("The maximum number of hits."),
    "fusion": About(
        "How the rankings by meaning and by keyword are combined: weighted (by score) or reciprocal (by rank)."
    ),
    "phrase": About("What a quoted phrase does: require (it must be in the text) or boost (hits with it rank higher)."),
    "score_threshold": About("Minimum similarity of a hit, from 0 to 1. At 0, every hit is kept.", "min-similarity"),
    "expansion_size": About(
        message("How many neighbouring chunks to show on each side, from 0 to {most}.", most=EXPANSION_SIZES[-1]),
        flag="expand",
    ),
    "reranker": About("The model for reranking, or none. By default, the model in the settings.", flag="rerank"),
}
# Settings for a search. Omitted settings are taken from the base, or else from the global settings.
SEARCH: Parameters = tuple(
    Parameter(name, kind, _SETTINGS.get(name) or About(PARTS[name].title))
    for name, kind in get_type_hints(SearchSettings).items()
)
# A base's search settings. The command line accepts only some of them.
BASE_SEARCH = tuple(
    parameter if parameter.name in ("limit", "score_threshold") else only(parameter, "http") for parameter in SEARCH
)


def check_base(workspace: "Workspace", base: str, **_: object) -> None:
    """Raise UnknownChoice if the base doesn't exist."""
    workspace.bases.get(base)


# Messages by pydantic error type. Other types use the messages for settings.
_PROBLEMS = message_table(
    {
        "missing": "it is missing",
        "json_invalid": "it isn't JSON",
        "extra_forbidden": "there is no such field",
        "string_pattern_mismatch": "it contains a character that isn't allowed here, or has the wrong format",
        "list_type": "it must be a list",
    }
) | dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), message("it must be an object"))


def problem_with(argument: "ErrorDetails") -> Message:
    """Return the message for an argument that doesn't fit its parameter's type."""
    from core.settings.errors import problem_of  # imports pydantic, so --help avoids it

    return _PROBLEMS.get(argument["type"]) or problem_of(argument)


def with_types(kind: Any, types_: Mapping[Any, Any]) -> object:
    """Replace types, including nested ones, according to a mapping."""
    if kind in types_:
        return types_[kind]
    if is_typeddict(kind):
        names = {name: with_types(hint, types_) for name, hint in get_type_hints(kind).items()}
        copy = typed_dict(kind.__name__, names, total=kind.__total__)
        copy.__pydantic_config__ = {"extra": "forbid"}
        return copy
    origin = get_origin(kind)
    inner = get_args(kind)
    if origin in (Union, types.UnionType):
        return reduce(or_, (with_types(item, types_) for item in inner))
    if origin in (list, dict):
        return origin[tuple(with_types(item, types_) for item in inner)]
    return kind


def plain(kind: object) -> Any:
    """Return the command-line type for a type hint.

    None is dropped, a union is replaced by its last type, and a choice (Literal) by `str`.
    """
    if get_origin(kind) in (Union, types.UnionType):
        *_, kind = (arg for arg in get_args(kind) if arg is not type(None))
    return str if get_origin(kind) is Literal else kind
