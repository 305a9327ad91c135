"""The errors Tessera raises on purpose.

TesseraError                   the message is written for the user
├─ ConfigError                 a setting is invalid; names the setting
│  ├─ UnknownChoice            a name isn't in a table; lists the choices
│  └─ MissingDependency        a package isn't installed; names the extra to install
├─ SourceError                 a file or folder can't be read or parsed; carries the path
├─ QueryError                  a question has invalid syntax; says what to type instead
├─ StoreError
│  ├─ NoteNotFound
│  ├─ VersionNotFound
│  ├─ Conflict                 a note has changed since it was read; holds the stored note
│  ├─ ChunkNotFound
│  ├─ RunNotFound, JobNotFound
│  ├─ WorkspaceLocked          another process has the workspace open for writing; names the process
│  ├─ DiskFull                 no space is left; nothing was lost
│  ├─ NotWritable              the disk or folder is read-only; reading still works
│  ├─ NotesDamaged             the database can't be read; names the newest backup
│  ├─ IndexDamaged             the index can't be read; says how to rebuild it; keyword search still works
│  ├─ IndexAway                the index server can't be reached; writes are sent later
│  ├─ NewerSchema              the database was written by a later version
│  └─ EmbeddingMismatch        the index holds another model's vectors; says how to re-embed
├─ EditError                   an edit to a chunk or note is invalid; says what to do instead
├─ SyncRefused                 a plan would remove too much without confirmation
├─ Unfinished                  only keyword search finds the imported notes so far; says why
├─ ModelError                  a model can't be loaded or used; says which, why, and what to do
├─ ProviderError               an HTTP model server failed; says which, why, and what to do
│  └─ ProviderUnavailable      the server can't answer at the moment; another try may succeed
├─ RowError                    a row of a question file or an exported base is invalid
├─ QuestionSetError            a question file has invalid lines, listed by number; or a question set is invalid
├─ PackError                   a pack can't be installed; lists all its mistakes with line numbers
├─ ArchiveError                an exported base is invalid; lists the invalid lines; nothing is imported
├─ BelowTarget                 a metric of a test run is below the target
└─ Cancelled                   the user stopped a job; its results so far are kept

The command line, the app and the APIs show these errors to the user. Any other exception is a bug and keeps its
traceback.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from core.base.frozen import Values
from core.base.messages import Message, Text, as_message, lines, message, plural


class TesseraError(Exception):
    """An error that the user can act on. The message says how. Keyword arguments become the message's fields."""

    def __init__(self, text: Text, /, **fields: object) -> None:
        self.message = as_message(text, **fields)
        super().__init__(self.message)

    def __str__(self) -> str:
        return str(self.message)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the attributes, because the constructor arguments aren't stored."""
        return unpickled, (type(self), self.__dict__)


def unpickled(kind: type[TesseraError], attributes: Values) -> TesseraError:
    error = kind.__new__(kind, attributes["message"])
    error.__dict__.update(attributes)
    return error


class ConfigError(TesseraError):
    """A setting or an option is out of range or unknown."""


class UnknownChoice(ConfigError):
    """A name isn't one of the possible choices. `what` is the noun for such a choice."""

    def __init__(self, what: Text, name: str, choices: Iterable[str]) -> None:
        choices = sorted(choices)
        fields = {"what": as_message(what), "name": name, "choices": choices or message("none yet")}
        text = message("There is no {what} '{name}'. Choices: {choices}.", **fields)
        if nearest := get_close_matches(name, choices, n=1):
            fields["nearest"] = nearest[0]
            text = message("There is no {what} '{name}'. Did you mean '{nearest}'? Choices: {choices}.", **fields)
        super().__init__(text)


class MissingDependency(ConfigError):
    """A chosen option, described by `what`, needs a package that isn't installed.

    `extra` is the extra of Tessera that contains the package, or None.
    """

    def __init__(self, what: Text, package: str, extra: str | None = None) -> None:
        super().__init__(
            message(
                "{what} needs the package '{package}'. To install it, run: {command}",
                what=what,
                package=package,
                command=f"pip install 'tessera-notes[{extra}]'" if extra else f"pip install {package}",
            )
        )


class SourceError(TesseraError):
    """A file or folder can't be read. `path` is the path as the user knows it."""

    def __init__(self, path: str, reason: Text, /, **fields: object) -> None:
        self.path = path
        self.reason = as_message(reason, **fields)
        super().__init__(message("{path}: {reason}", path=path, reason=self.reason))


class QueryError(TesseraError):
    """A question has invalid syntax. `at` is the span of the error in the question, as half-open offsets."""

    def __init__(self, text: Text, /, at: tuple[int, int] | None = None, **fields: object) -> None:
        super().__init__(text, **fields)
        self.at = at


class StoreError(TesseraError):
    """An operation on the workspace failed."""


class NoteNotFound(StoreError):
    def __init__(self, note_id: str) -> None:
        super().__init__(message("There is no note '{note}'. It may have been deleted.", note=note_id))


class VersionNotFound(StoreError):
    def __init__(self, note_id: str, number: int) -> None:
        super().__init__(
            message(
                "The note '{note}' has no version {number}. Old versions are deleted over time.",
                note=note_id,
                number=number,
            )
        )


class Conflict(StoreError):
    """A note has changed since it was read.

    `stored` is the current note or, if its file was changed, the note as read from the file. `version` is the version
    that the caller expected.
    """

    def __init__(self, text: Text, /, stored: Any, version: int, **fields: object) -> None:
        super().__init__(text, **fields)
        self.stored = stored
        self.version = version


class ChunkNotFound(StoreError):
    def __init__(self, chunk_id: str) -> None:
        super().__init__(
            message(
                (
                    "There is no chunk '{chunk}'. Its note may have been split again in the "
                    "meantime. Look up the chunk again."
                ),
                chunk=chunk_id,
            )
        )


class JobNotFound(StoreError):
    """No job has the given id."""


class WorkspaceLocked(StoreError):
    """Another process has this workspace open for writing."""


class DiskFull(StoreError):
    """The workspace's disk or the user's quota is full. Everything already stored is safe."""


class NotWritable(StoreError):
    """The workspace is read-only."""


class NotesDamaged(StoreError):
    """The database can't be read, or contains a value that Tessera didn't write."""


class IndexDamaged(StoreError):
    """The vector index can't be read. The notes and their vectors are safe."""


class IndexAway(StoreError):
    """The vector index server can't be reached or refuses requests. The notes and their vectors are safe."""


class NewerSchema(StoreError):
    """The workspace was written by a later version of Tessera."""


class EmbeddingMismatch(StoreError):
    """The index contains vectors from another model."""


class EditError(TesseraError):
    """An edit to a chunk or note is invalid."""


class SyncRefused(TesseraError):
    """A sync was refused because it would remove a large part of a base."""


class Unfinished(TesseraError):
    """Only keyword search finds the imported notes, because the embedder failed. `reason` says why."""

    def __init__(self, reason: Message) -> None:
        super().__init__(
            message(
                (
                    "The notes are saved, but can be found only by keyword because the model failed. {reason} To "
                    "continue, run: {command}"
                ),
                reason=reason,
                command="tessera index",
            )
        )


class ModelError(TesseraError):
    """A model can't be loaded or used."""


class ProviderError(TesseraError):
    """A model server refused a request or gave an unusable answer. `status` is the HTTP status code, if any."""

    def __init__(self, text: Text, /, status: int | None = None, **fields: object) -> None:
        super().__init__(text, **fields)
        self.status = status


class ProviderUnavailable(ProviderError):
    """A model server can't answer at the moment because it is unreachable, too slow or overloaded."""


class QuestionSetError(TesseraError):
    """A question file has invalid lines, or a question set is invalid.

    `line` is the number of the first invalid line, or 0 if the error isn't about a line. `others` are further invalid
    lines with their reasons, and `unlisted` is the number of problems beyond those.
    """

    def __init__(
        self,
        path: str,
        line: int,
        reason: Text,
        /,
        others: Iterable[tuple[int, Message]] = (),
        unlisted: int = 0,
        **fields: object,
    ) -> None:
        self.line = line
        why = as_message(reason, **fields)
        rows = [
            message("{path}, line {line}: {reason}", path=path, line=line, reason=why)
            if line
            else message("{path}: {reason}", path=path, reason=why)
        ]
        rows += [message("line {line}: {reason}", line=line, reason=other) for line, other in others]
        if unlisted:
            rows.append(plural("{n} more problem was found.", "{n} more problems were found.", n=unlisted))
        super().__init__(lines(*rows))


class RowError(TesseraError):
    """A row of a question file or an exported base is invalid. It causes a QuestionSetError or an ArchiveError."""


class ArchiveError(TesseraError):
    """An exported base is invalid. `mistakes` are pairs of a location and a reason."""

    def __init__(self, path: str, mistakes: Iterable[tuple[Text, Message]]) -> None:
        self.path = path
        self.mistakes = tuple(mistakes)
        rows = [message("{place}: {reason}", place=place, reason=reason) for place, reason in self.mistakes[:20]]
        if more := len(self.mistakes) - len(rows):
            rows.append(plural("{n} more problem was found.", "{n} more problems were found.", n=more))
        super().__init__(
            lines(
                message("Nothing was done, because {path} contains mistakes. Correct them, then try again.", path=path),
                *rows,
            )
        )


class PackError(TesseraError):
    """A pack can't be installed. `mistakes` lists all mistakes in it, each with its file and line."""

    def __init__(self, folder: str, mistakes: Iterable[Message]) -> None:
        super().__init__(
            lines(message("The pack in {folder} can't be installed, so nothing was changed.", folder=folder), *mistakes)
        )


class RunNotFound(StoreError):
    def __init__(self, run_id: str) -> None:
        super().__init__(
            message("There is no test run '{run}'. The test run or its base may have been deleted.", run=run_id)
        )


class BelowTarget(TesseraError):
    """A metric of a test run is below the target."""


class Cancelled(TesseraError):
    def __init__(self) -> None:
        super().__init__(message("Stopped. Everything done so far was kept."))
