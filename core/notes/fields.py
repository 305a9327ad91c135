"""Validation of note fields, and the vocabulary of types and categories, which comes from a file and from the notes."""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import get_args

from core.base import files
from core.base.errors import EditError, UnknownChoice
from core.base.faults import translate_errors
from core.base.files import set_aside
from core.base.frozen import AnyValues, Texts, TextValues, ValueMap, frozen
from core.base.messages import ENGLISH, Message, Messages, in_context, message, render, verbatim
from core.base.text import LINE_END, collapse_spaces, escape_halves, find_half_character, fold
from core.intake.encoding import MAX_BYTES
from core.markdown.body import MAX_TITLE, distinct_tags
from core.markdown.frontmatter import moment
from core.markdown.inline import normalize_tag
from core.model import NOTE_FIELDS, FieldKind, Note, NoteStatus, exact
from core.store import Store

MOST_PRIORITY = 999_999
# Number of characters to show on each side of an invalid character.
_AROUND = 100


def with_fields(note: Note, fields: ValueMap) -> Note:
    """Return a note with some fields changed. Raises EditError, and UnknownChoice for an unknown field or status."""
    return replace(note, **check_fields(fields))


def check_fields(fields: ValueMap) -> AnyValues:
    """Validate and normalize note fields. Raises EditError, and UnknownChoice for an unknown field or status."""
    for name in fields:
        if name not in NOTE_FIELDS:
            raise UnknownChoice("field", name, NOTE_FIELDS)
    return {name: _checked(NOTE_FIELDS[name].kind, name, value) for name, value in fields.items()}


def overriding(note: Note, changed: Note) -> Note:
    """Return a changed note whose file isn't written.

    For each field that differs, the file's value is stored in `overridden`.
    """
    overridden = dict(changed.overridden)
    for name in NOTE_FIELDS:
        value = getattr(changed, name)
        if value != getattr(note, name) and name not in note.overridden:
            overridden[name] = getattr(note, name)
        if name in overridden and overridden[name] == value:
            del overridden[name]
    return replace(changed, overridden=overridden)


def check_text(name: str, text: str) -> None:
    """Raise EditError if the text contains a lone surrogate or a NUL, which no file or database can hold."""
    half = find_half_character(text)
    at = text.find("\0") if half is None else half
    if at >= 0:
        around = escape_halves(text[max(0, at - _AROUND) : at + _AROUND])
        raise EditError(
            "The {name} '{value}' contains an incomplete character. Type it again.", name=name, value=around
        )


def check_body(body: str) -> None:
    """Raise EditError if no file can hold the body, or if it exceeds the size limit for imported files."""
    check_text("text", body)
    if (size := len(body.encode("utf-8"))) > MAX_BYTES:
        raise EditError(
            "The text is {size:.1f} MB; the limit for a note is {limit} MB. Split it into several notes.",
            size=size / 2**20,
            limit=MAX_BYTES // 2**20,
        )


def _text(name: str, value: object) -> str:
    text = collapse_spaces(str(value or ""))
    check_text(name, text)
    return text


def _checked(kind: FieldKind, name: str, value: object) -> object:
    """Return a field's value as it is stored. Raises the same errors as `check_fields`."""
    match kind:
        case "tags" | "notes":
            values = [value] if isinstance(value, str) else list(value or ())  # type: ignore[call-overload]
            texts = tuple(filter(None, dict.fromkeys(_text(name, item) for item in values)))
            return texts if kind == "notes" else distinct_tags(filter(None, map(normalize_tag, texts)))
        case "number":
            try:
                number = value if type(value) is int else int(str(value))
            except ValueError:
                number = MOST_PRIORITY + 1
            if abs(number) > MOST_PRIORITY:
                raise EditError(
                    "The priority '{value}' isn't a whole number from {least} to {most}.",
                    value=value if isinstance(value, int) else str(value),
                    least=-MOST_PRIORITY,
                    most=MOST_PRIORITY,
                )
            return number
        case "status":
            if value not in get_args(NoteStatus):
                raise UnknownChoice(name, str(value), get_args(NoteStatus))
            return str(value)
        case "day":
            if not value:
                return None
            if isinstance(value, datetime):
                with suppress(ValueError):
                    return exact(value)
            if (when := moment(str(value).strip())) is None:
                raise EditError("'{value}' is not a date like 2026-01-31.", value=str(value))
            return when
        case _:
            text = _text(name, value)
            if kind == "title" and len(text) > MAX_TITLE:
                raise EditError(
                    "The title has {n} characters; the limit is {most}. Shorten it.", n=len(text), most=MAX_TITLE
                )
            return text


FILE = "vocabulary.txt"

MOST_CHARACTERS = 100

_ABOUT = message('Types of notes: one per line, then ":" and its categories, separated by commas.')


# Name of the preset for new workspaces.
EVERYDAY = "everyday"

# Presets for the vocabulary file. Each has a button label, and types with their categories.
PRESETS: Mapping[str, tuple[Message, Mapping[Message, Texts]]] = {
    EVERYDAY: (
        message("Use everyday types"),
        {
            in_context("type of note", "note"): (),
            in_context("type of note", "idea"): (),
            in_context("type of note", "how-to"): (),
            in_context("type of note", "reference"): (),
            in_context("type of note", "meeting"): (),
            in_context("type of note", "log"): (),
        },
    ),
    "project": (
        message("Use the types of a software project"),
        {
            verbatim("project_config"): ("auth", "environment", "dependency"),
            verbatim("business_rule"): ("module", "domain"),
            verbatim("module_context"): (),
            verbatim("test_experience"): ("common_issue", "best_practice"),
        },
    ),
}


@frozen
class TypeVocabulary:
    """The types in the vocabulary file, each with its categories, in file order. `problems` are the lines left out."""

    types: Mapping[str, Texts] = field(default_factory=dict)
    problems: Messages = ()


@dataclass
class Vocabulary:
    """The words to suggest for note fields. The user may enter any other words too."""

    _store: Store

    @property
    def path(self) -> Path:
        """Path of the vocabulary file, which is created if it doesn't exist."""
        self.begin()
        return self._store.folder / FILE

    @property
    def presets(self) -> Mapping[str, Message]:
        return {name: title for name, (title, _) in PRESETS.items()}

    @staticmethod
    def preset(name: str, language: str = ENGLISH) -> str:
        """Return the text of a vocabulary file with a preset's types in the given language."""
        types = [
            ": ".join(filter(None, [render(kind, language), ", ".join(categories)]))
            for kind, categories in PRESETS[name][1].items()
        ]
        return "\n".join([f"# {render(_ABOUT, language)}", "", *types, ""])

    def begin(self, language: str = ENGLISH) -> None:
        """Create the file with the everyday types, unless it exists. Anything else at the file's path is set aside."""
        file = self._store.folder / FILE
        if self._store.readonly or file.is_file():
            return
        with suppress(OSError):  # the preset will do
            if os.path.lexists(file):
                set_aside(file)
            files.replace(file, self.preset(EVERYDAY, language))

    def types(self) -> list[str]:
        """Return the types in the file, followed by other types used in notes, the latter most frequent first."""
        return _distinct([*self._words().types, *(kind for kind, _ in self._store.fields.classified())])

    def categories_of(self, kind: str) -> list[str]:
        """Return a type's categories in the file, followed by those used in notes. The type "" means all types."""
        pairs = [(name, category) for name, categories in self._words().types.items() for category in categories]
        pairs += self._store.fields.classified()
        return _distinct(item for name, item in pairs if fold(kind) in ("", fold(name)))

    def in_use(self, field: str) -> list[str]:
        return _distinct(self._store.fields.words(field))

    def tags(self, base: str | None = None) -> dict[str, int]:
        return dict(self._store.remembered.get(("tags", base), lambda: self._store.notes.tags(base)))

    def categories(self, base: str | None = None) -> dict[str, int]:
        return self._store.notes.categories(base)

    def problems(self) -> Messages:
        """Return the problems in the file with their line numbers. All other lines take effect."""
        return self._words().problems

    def text(self) -> str:
        """Return the file as text, or "" if it can't be read."""
        with suppress(OSError, files.Unfit):
            return self._bytes().decode("utf-8-sig", "replace")
        return ""

    def write(self, text: str) -> None:
        """Write the file. Raises WorkspaceLocked in a read-only workspace, and NotWritable."""
        self._store.check_writable()
        with translate_errors(self._store.folder):
            files.replace(self._store.folder / FILE, text)

    def _words(self) -> TypeVocabulary:
        try:
            return parse(self._bytes())
        except (OSError, files.Unfit) as error:
            return TypeVocabulary(
                problems=(
                    message(
                        "{path} can't be read: {reason}. Check the file and its permissions.",
                        path=FILE,
                        reason=files.reason(error),
                    ),
                )
            )

    def _bytes(self) -> bytes:
        try:
            return files.read(self.path)
        except FileNotFoundError:
            return self.preset(EVERYDAY).encode()


def parse(content: bytes) -> TypeVocabulary:
    """Parse the vocabulary file. An unreadable line is reported as a problem with its line number."""
    types: dict[str, tuple[str, TextValues]] = {}
    problems = []
    for number, line in enumerate(re.split(LINE_END.encode(), content.removeprefix(b"\xef\xbb\xbf")), 1):
        if line.strip()[:1] in (b"", b"#"):
            continue
        if isinstance(read := _line(line), Message):
            problems.append(message("{file}, line {line}: {problem}", file=FILE, line=number, problem=read))
            continue
        kind, categories = read
        types.setdefault(fold(kind), (kind, {}))[1].update({fold(category): category for category in categories})
    return TypeVocabulary({kind: tuple(categories.values()) for kind, categories in types.values()}, tuple(problems))


def _line(line: bytes) -> tuple[str, list[str]] | Message:
    try:
        kind, *rest = re.split("[:：]", line.decode("utf-8"), maxsplit=1)
    except UnicodeDecodeError:
        return message("this isn't UTF-8 text. Save the file as UTF-8.")
    words = list(map(collapse_spaces, (kind, *re.split("[,，、]", "".join(rest)))))
    if not words[0]:
        return message("a type is missing before the colon.")
    for word in words:
        if len(word) > MOST_CHARACTERS:
            return message(
                "a word has more than {most} characters. Separate the words with commas.", most=MOST_CHARACTERS
            )
        if not word.isprintable():
            return message("a word contains a character that can't be shown.")
    return words[0], list(filter(None, words[1:]))


def _distinct(words: Iterable[str]) -> list[str]:
    """Return words that differ in more than case, each in the spelling in which it first occurs."""
    first: TextValues = {}
    for word in words:
        if word:
            first.setdefault(fold(word), word)
    return list(first.values())
