"""What operations on documents return."""

from typing import Self

from core.base.codec import assemble
from core.base.frozen import frozen
from core.base.messages import Message
from core.model import (
    ConverterCard,
    Failed,
    IncompleteNote,
    ReadAs,
)


@frozen
class UnreadFile:
    """A file that wasn't read."""

    path: str
    reason: Message

    @classmethod
    def from_failure(cls, failed: Failed) -> Self:
        return cls(failed.path, failed.error)


@frozen
class ConverterDetails:
    """A converter, as `ConverterCard` explains it."""

    name: str
    version: str
    kinds: tuple[str, ...]
    installed: bool
    problem: str | Message

    @classmethod
    def from_card(cls, card: ConverterCard) -> Self:
        return assemble(cls, card, problem=card.problem or "")


@frozen
class ConverterList:
    """The converters of documents."""

    converters: tuple[ConverterDetails, ...]


@frozen
class UnreadFiles:
    """The files of a base that weren't read, and the notes that lack parts of theirs."""

    files: tuple[UnreadFile, ...]
    incomplete: tuple[IncompleteNote, ...]


@frozen
class EncodingList:
    """The encodings in which a file can be read."""

    encodings: tuple[ReadAs, ...]


@frozen
class OriginalFile:
    """The file that a note was converted from; its `path` is empty where it is in the workspace."""

    name: str
    kind: str
    path: str
