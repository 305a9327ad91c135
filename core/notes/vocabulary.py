"""Note types with their categories, from a file that the user edits and from the notes themselves."""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path

from core.base import files
from core.base.faults import translate_errors
from core.base.frozen import frozen
from core.base.messages import ENGLISH, Message, in_context, message, render, verbatim
from core.base.text import LINE_END, fold
from core.store import Store

FILE = "vocabulary.txt"
"""Name of the vocabulary file in a workspace."""

MOST_CHARACTERS = 100
"""Maximum number of characters of a word."""

_ABOUT = message('Types of notes: one per line, then ":" and its categories, separated by commas.')
_COLON = re.compile("[:：]")
_COMMA = re.compile("[,，、]")


@frozen
class Preset:
    """A starting set of types with their categories; `title` is the label on its button."""

    title: Message
    types: Mapping[Message, tuple[str, ...]]


EVERYDAY = "everyday"
"""Name of the preset for new workspaces."""

PRESETS: Mapping[str, Preset] = {
    EVERYDAY: Preset(
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
    "project": Preset(
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
    """The types with their categories, in file order; `problems` describes the lines that are left out."""

    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    problems: tuple[Message, ...] = ()


class Vocabulary:
    """Words that are suggested for note fields; other words are allowed too."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read: tuple[tuple[Path, int], TypeVocabulary] | None = None

    @property
    def path(self) -> Path:
        """Path of the file, which is created if it doesn't exist."""
        self.begin()
        return self._store.folder / FILE

    @property
    def presets(self) -> Mapping[str, Message]:
        """Titles of the presets by name."""
        return {name: item.title for name, item in PRESETS.items()}

    @staticmethod
    def preset(name: str, language: str = ENGLISH) -> str:
        """Return the text of a vocabulary file with a preset's types in a language."""
        types = [
            ": ".join(filter(None, [render(kind, language), ", ".join(categories)]))
            for kind, categories in PRESETS[name].types.items()
        ]
        return "\n".join([f"# {render(_ABOUT, language)}", "", *types, ""])

    def begin(self, language: str = ENGLISH) -> None:
        """Create the file with the everyday types in a language, unless it exists; anything else there is set aside."""
        file = self._store.folder / FILE
        if self._store.readonly or file.is_file():
            return
        with suppress(OSError):  # the preset serves as well
            if os.path.lexists(file):
                files.set_aside(file)
            files.replace(file, self.preset(EVERYDAY, language))

    def types(self) -> list[str]:
        """Return the types in the file, then others in use, most frequent first."""
        return _distinct([*self._words().types, *(kind for kind, _ in self._store.fields.classified())])

    def categories_of(self, kind: str) -> list[str]:
        """Return the categories of a type from the file, then from its notes; "" means all types."""
        listed = ((name, category) for name, categories in self._words().types.items() for category in categories)
        pairs = (*listed, *self._store.fields.classified())
        return _distinct(item for name, item in pairs if fold(kind) in ("", fold(name)))

    def in_use(self, field: str) -> list[str]:
        """Return the words that notes have in a field, most frequent first."""
        return _distinct(self._store.fields.words(field))

    def tags(self, base: str | None = None) -> dict[str, int]:
        """Return the number of notes for each tag."""
        return dict(self._store.remembered.get(("tags", base), lambda: self._store.notes.tags(base)))

    def categories(self, base: str | None = None) -> dict[str, int]:
        """Return the number of notes for each category."""
        return self._store.notes.categories(base)

    def problems(self) -> tuple[Message, ...]:
        """Return the problems in the file with their line numbers; the other lines are used."""
        return self._words().problems

    def text(self) -> str:
        """Return the file as text."""
        return self._bytes().decode("utf-8-sig", "replace")

    def write(self, text: str) -> None:
        """Write the file; raises WorkspaceLocked in a read-only workspace, and NotWritable."""
        self._store.database.check_writable()
        with translate_errors(self._store.folder):
            files.replace(self._store.folder / FILE, text)

    def _words(self) -> TypeVocabulary:
        path = self.path
        try:
            stamp = path, path.stat().st_mtime_ns
        except OSError:
            return parse(self.preset(EVERYDAY).encode())
        if self._read is None or self._read[0] != stamp:
            self._read = stamp, _words_in(path)
        return self._read[1]

    def _bytes(self) -> bytes:
        try:
            return files.read(self.path)
        except FileNotFoundError:
            return self.preset(EVERYDAY).encode()
        except (OSError, files.Unfit):
            return b""


def _words_in(path: Path) -> TypeVocabulary:
    try:
        return parse(files.read(path))
    except (OSError, files.Unfit) as error:
        problem = message("{path} can't be read: {reason}.", path=FILE, reason=files.reason(error))
        return TypeVocabulary(problems=(problem,))


def parse(content: bytes) -> TypeVocabulary:
    """Parse the file; an unreadable line becomes a problem with its number."""
    types: dict[str, tuple[str, dict[str, str]]] = {}
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
        kind, *rest = _COLON.split(line.decode("utf-8"), maxsplit=1)
    except UnicodeDecodeError:
        return message("this isn't UTF-8 text. Save the file as UTF-8.")
    words = [" ".join(word.split()) for word in (kind, *_COMMA.split("".join(rest)))]
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
    """Return the distinct words, each in its first spelling."""
    first: dict[str, str] = {}
    for word in words:
        if word:
            first.setdefault(fold(word), word)
    return list(first.values())
