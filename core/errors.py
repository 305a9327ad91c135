"""Everything raised on purpose.

TesseraError                   the message is written for the person at the screen
├─ ConfigError                 a setting is wrong; names it
│  ├─ UnknownChoice            a name not in a table; lists the choices
│  └─ MissingDependency        names the extra to install
├─ SourceError                 a file or folder can't be read or parsed; carries the path
├─ QueryError                  a question that can't be asked; says what to type instead
├─ StoreError
│  ├─ NoteNotFound
│  ├─ ChunkNotFound
│  ├─ WorkspaceLocked          another process writes here; says which
│  ├─ IndexDamaged             says how to rebuild; keyword search goes on
│  ├─ NewerSchema              the database was written by a later version
│  └─ EmbeddingMismatch        the index holds other vectors; says how to re-embed
├─ EditError                   an edit that can't be made; says what to do instead
├─ SyncRefused                 a plan that would remove too much without a second yes
├─ ModelError                  a model can't be loaded or used: which, why, what to do
├─ ProviderError               an HTTP model server failed: which, why, what to do
│  └─ ProviderUnavailable      worth trying again
├─ QuestionSetError            bad line in a question file, with its number; a set that can't be as asked
└─ Cancelled                   the person stopped a job; what was done before stays

Only surfaces catch, and only `TesseraError`; anything else is a bug and keeps its traceback.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class TesseraError(Exception):
    """Something a person can act on; the message says what and how."""


class ConfigError(TesseraError):
    """A setting or an option is out of range or not known."""


class UnknownChoice(ConfigError):
    """A name that is in no table."""

    def __init__(self, what: str, name: str, choices: Iterable[str]) -> None:
        choices = sorted(choices)
        nearest = get_close_matches(name, choices, n=1)
        hint = f" Did you mean '{nearest[0]}'?" if nearest else ""
        listed = ", ".join(choices) or "none yet"
        super().__init__(f"There is no {what} '{name}'.{hint} Choices: {listed}.")


class MissingDependency(ConfigError):
    """A choice needs a package that isn't installed."""

    def __init__(self, what: str, package: str, extra: str | None = None) -> None:
        cure = f"pip install 'tessera-notes[{extra}]'" if extra else f"pip install {package}"
        super().__init__(f"{what} needs the package '{package}'. Install it: {cure}")


class SourceError(TesseraError):
    """A file or folder that can't be read; `path` is as the person knows it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class QueryError(TesseraError):
    """A question that can't be asked; `at` is where in it the trouble stands, as half-open offsets."""

    def __init__(self, message: str, at: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.at = at


class StoreError(TesseraError):
    """The workspace can't do what was asked."""


class NoteNotFound(StoreError):
    """No note has this id."""

    def __init__(self, note_id: str) -> None:
        super().__init__(f"There is no note '{note_id}'. It may have been deleted since.")


class ChunkNotFound(StoreError):
    """No chunk has this id."""

    def __init__(self, chunk_id: str) -> None:
        super().__init__(f"There is no chunk '{chunk_id}'. Its note may have been cut anew since: look it up again.")


class WorkspaceLocked(StoreError):
    """Another process writes to this workspace."""


class IndexDamaged(StoreError):
    """The vector index can't be read; the notes and their vectors are safe."""


class NewerSchema(StoreError):
    """The workspace was written by a later version of Tessera."""


class EmbeddingMismatch(StoreError):
    """The index holds another model's vectors."""


class EditError(TesseraError):
    """An edit of a chunk that can't be made."""


class SyncRefused(TesseraError):
    """A plan that would remove a large part of a base."""


class ModelError(TesseraError):
    """A model can't be loaded or used."""


class ProviderError(TesseraError):
    """A model server refused, or answered what can't be used; `status` is that of HTTP, where there is one."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ProviderUnavailable(ProviderError):
    """A model server that doesn't answer now: out of reach, too slow, or overloaded."""


class QuestionSetError(TesseraError):
    """A question file has bad lines, or a question set can't be as asked; `line` is 0 where there is none.

    `others` are the further lines with their reasons, and `unlisted` is how many more there are.
    """

    def __init__(
        self, path: str, line: int, reason: str, others: Iterable[tuple[int, str]] = (), unlisted: int = 0
    ) -> None:
        self.path, self.line, self.reason = path, line, reason
        self.others, self.unlisted = tuple(others), unlisted
        lines = [f"{path}, line {line}: {reason}" if line else f"{path}: {reason}"]
        lines += [f"line {line}: {reason}" for line, reason in self.others]
        lines += [f"{unlisted:,} more problems were found."] if unlisted else []
        super().__init__("\n".join(lines))


class RunNotFound(StoreError):
    """No run of a question set has this id."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"There is no run '{run_id}'. It may have been deleted since, or its base was.")


class BelowTarget(TesseraError):
    """A run's figure is below what was asked for."""


class Cancelled(TesseraError):
    """The person stopped a job."""

    def __init__(self) -> None:
        super().__init__("Stopped. What was done before stays.")
