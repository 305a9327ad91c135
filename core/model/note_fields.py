"""Table of the note fields that users and programs can set, and patterns for tags in text.

A new field needs a line in `FieldValues` and in `NoteFields`, a column in the database, and a translation. A field that
is also a filter needs a line in `NoteOptions` too.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict, get_args, get_type_hints

from core.base.datetimes import lapses, later, utc_now
from core.base.frozen import Texts, ValueMap, frozen
from core.base.messages import Message, Text, as_message, message
from core.base.text import MARKS as _MARKS

NoteStatus = Literal["pending", "active", "archived"]
FieldKind = Literal["title", "tags", "word", "notes", "number", "status", "day"]
# A single word, or several words of which any may match.
OneOrMore = str | Iterable[str]

# How many days before its expiry a note is first shown as expiring and awaits a decision.
SOON = 30
_TYPES = {"tags": list[str], "notes": list[str], "number": int}


def property_text(value: object) -> str:
    """Return a property's display text, with lists joined by commas and checkboxes as symbols."""
    if isinstance(value, bool):
        return "☑" if value else "☐"
    if isinstance(value, list | tuple):
        return ", ".join(map(property_text, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}: {property_text(part)}" for name, part in value.items())
    return "" if value is None else str(value)


def property_values(properties: ValueMap) -> Iterator[tuple[str, str]]:
    """Yield (name, value) for each distinct, nonempty value of each property, for filters and the keyword index."""
    for name, value in properties.items():
        yield from ((name, text) for text in dict.fromkeys(_texts(value)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list | tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
    elif value is not None and (text := str(value).lower() if isinstance(value, bool) else str(value).strip()):
        yield text


@frozen
class NoteField:
    """A note field, with its names, its explanation, and where it can be set.

    `kind` determines how a value is checked, stored, written and shown. `title` is the field's name on the screen.
    `about` describes the field for commands, requests and tools. A field that can be used as a filter has a `noun`, its
    name in a sentence, and `typed`, its names in questions. The first name in `typed` is the filter's name. `keys` are
    the field's keys in front matter, the usual key first, and `flag` is its command-line option. `keys` and `flag`
    default to the field's name. Unless `by_programs` is True, only the user can set the field.
    """

    kind: FieldKind
    title: Message
    about: Message
    noun: Message
    typed: Texts = ()
    keys: Texts = ()
    flag: str = ""
    by_programs: bool = True

    @property
    def type(self) -> Any:
        return _TYPES.get(self.kind, str)

    @property
    def is_facet(self) -> bool:
        """Whether a search offers the field's most common values among the hits, to narrow the search."""
        return bool(self.typed) and self.kind in ("tags", "word", "number")


def _note_field(kind: FieldKind, title: str, about: Text, noun: str = "", typed: Texts = (), **more: Any) -> NoteField:
    return NoteField(kind, Message(title), as_message(about), Message(noun), typed, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValues:
    title: Annotated[str, _note_field("title", "Title", "The title.")]
    tags: Annotated[
        Texts,
        _note_field(
            "tags",
            "Tags",
            "The tags, which replace the current ones.",
            "tag",
            ("tag", "标签"),
            keys=("tags", "tag"),
            flag="tag",
        ),
    ] = ()
    type: Annotated[str, _note_field("word", "Type", "The type.", "type", ("type", "类型"))] = ""
    category: Annotated[
        str,
        _note_field("word", "Category", "The category.", "category", ("category", "分类", "类别")),
    ] = ""
    project: Annotated[
        str,
        _note_field("word", "Project", "The project.", "project", ("project", "项目")),
    ] = ""
    scope: Annotated[
        str,
        _note_field("word", "Scope", "Where the note applies.", "scope", ("scope", "范围", "作用域")),
    ] = ""
    priority: Annotated[
        int,
        _note_field(
            "number",
            "Priority",
            "The priority, a whole number.",
            "priority",
            ("priority", "优先级"),
        ),
    ] = 0
    status: Annotated[
        NoteStatus,
        _note_field(
            "status",
            "Status",
            message("One of {choices}.", choices=", ".join(get_args(NoteStatus))),
            "status",
            ("status", "状态"),
            by_programs=False,
        ),
    ] = "active"
    expires_at: Annotated[
        datetime | None,
        _note_field(
            "day",
            "Expires on",
            "The last day on which the note is valid, such as 2026-01-31. Leave it empty for no expiry date.",
            keys=("expires", "expires_at", "expiry"),
            flag="expires",
        ),
    ] = None
    supersedes: Annotated[Texts, _note_field("notes", "Replaces", "Notes that this note replaces.")] = ()
    related: Annotated[Texts, _note_field("notes", "Related to", "Notes related to this note.")] = ()
    depends_on: Annotated[Texts, _note_field("notes", "Depends on", "Notes that this note depends on.")] = ()

    @property
    def expired(self) -> bool:
        return self.expires_within(0)

    def expires_within(self, days: float) -> bool:
        """Return whether the note is active, and has expired or will expire within the given number of days."""
        end = self.expires_at
        return self.status == "active" and end is not None and lapses(end) <= later(utc_now(), days)


NOTE_FIELDS: Mapping[str, NoteField] = {
    name: get_args(hint)[1] for name, hint in get_type_hints(FieldValues, include_extras=True).items()
}


def fields_of(*kinds: FieldKind) -> Texts:
    """Return the names of the fields of the given kinds, in table order."""
    return tuple(name for name, field in NOTE_FIELDS.items() if field.kind in kinds)


# Fields shown next to hits as a note's classification.
CLASSIFYING = fields_of("word", "number", "status", "day")
# Fields that name other notes.
RELATIONS = fields_of("notes")


class NoteFields(TypedDict, total=False):
    """Keyword arguments for a note's fields. Omitted fields stay unchanged. `expires_at` may be a date string."""

    title: str
    tags: Iterable[str]
    type: str
    category: str
    project: str
    scope: str
    priority: int
    status: NoteStatus
    expires_at: datetime | str | None
    supersedes: Iterable[str]
    related: Iterable[str]
    depends_on: Iterable[str]


class NewNoteFields(NoteFields, total=False):
    """Keyword arguments for a new note, with its fields and its provenance.

    The provenance consists of the source, the location in the source, the author, and other values. For a web page, it
    includes the page's address and publication date.
    """

    source: str
    source_ref: str
    created_by: str
    source_url: str
    created: str
    metadata: ValueMap


class NoteOptions(TypedDict, total=False):
    """Keyword arguments that filter notes. None and empty values have no effect, and multiple values are alternatives.

    `any_tags` requires at least one of its tags, and `all_tags` requires all of them.
    """

    bases: OneOrMore | None
    type: OneOrMore | None
    category: OneOrMore | None
    project: OneOrMore | None
    scope: OneOrMore | None
    status: OneOrMore | None
    any_tags: OneOrMore | None
    all_tags: OneOrMore | None
    min_priority: int | None


_EMOJI = "\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_OF_TAG = rf"\w{_MARKS}/{_EMOJI}\u200d\ufe0f\u20e3\U000e0020-\U000e007f-"
# Web colours of three, six or eight hexadecimal digits. Tags such as `d20` and `b2b` don't match.
_COLOUR = (
    r"(?:(?=[a-fA-F]*\d)[\da-fA-F]{6}(?:[\da-fA-F]{2})?|(?=[cfCF]*[0369])[0369cfCF]{3}"
    rf"|(?:{'|'.join(f'(?i:{letter}{{3}}){{1,2}}' for letter in 'abcdef')}))"
)
# Pattern for the part of a tag after the #: letters, their marks, digits, emoji, `_`, `-` and `/`.
#
# The letters may be from any script. A number such as #12 isn't a tag, and neither is a colour.
TAG_NAME = rf"(?!\d++[/-]*+(?![{_OF_TAG}]))(?!{_COLOUR}(?![{_OF_TAG}]))[\w{_EMOJI}][{_OF_TAG}]*+"
TAGS_FOLLOW = r"\s(\[（【《「『〈“‘，。、；：！？,;|>*~"
# Pattern for a tag in text. `[#A]` is a priority, not a tag.
TAG = rf"(?<![^{TAGS_FOLLOW}])\#(?!(?<=\[\#)\w\])(?P<tag>{TAG_NAME})"
ATTRIBUTES = r"\{:?\s*[#.]\w[^{},\n]*\}(?=[ \t]*(?:\n|\Z))"
"""Pattern for an id and classes at the end of a line, as in MkDocs, kramdown or Pandoc. Such an `#id` isn't a tag."""
FORMULA = r"(?<!\\)(?:\$\$[^$]{1,4000}\$\$|\$(?![\s$])(?:\\.|[^$\\]){0,2000}+(?<!\s)\$(?!\d))"
"""Pattern for a formula within a line."""
