"""The health of a workspace: checks and their results, and its space on disk."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

from core.base.frozen import frozen
from core.base.messages import Message, message_table

HealthLevel = Literal["sound", "look", "broken"]

_SHOWN = 5
"""Most names in a sentence."""

SPACE_PARTS = message_table(
    {
        "database": "notes, their history and computed data",
        "index": "search index",
        "backups": "backups",
        "trash": "deleted bases",
        "scratch": "copies for evaluation",
        "replaced": "data replaced by backups",
        "logs": "logs",
        "models": "models",
    }
)
"""The parts of a workspace that take space, by their fields."""


@frozen
class Check:
    """A check: what it is called, what it means, and what mends it.

    `find` returns what is wrong, None where nothing is. `mend` mends it, as far as it can; None where it can't. The
    checks of a table take what they look at.
    """

    level: HealthLevel
    title: str
    about: str
    remedy: str | Message
    find: Callable[..., Message | None]
    mend: Callable[..., object] | None = None


def bind_checks(checks: Mapping[str, Check], subject: object) -> dict[str, Check]:
    """Return the checks of a table with what they look at."""
    return {
        name: replace(
            check, find=partial(check.find, subject), mend=partial(check.mend, subject) if check.mend else None
        )
        for name, check in checks.items()
    }


def count_names(names: Sequence[str | Message], singular: str, many: str) -> Message | None:
    """Return a sentence that counts names, by its fields `n` and `names`, None without a name."""
    return Message(singular, {"n": len(names), "names": [*names[:_SHOWN]]}, many) if names else None


@frozen
class Checked:
    """The result of one check: `problem` is its message, None where all is well; `remedy` is the remedy.

    `about` explains the check. The doctor can mend what is `mendable`, and has mended what is `mended`.
    """

    name: str
    level: HealthLevel
    title: Message
    about: Message
    problem: Message | None = None
    remedy: Message | None = None
    mendable: bool = False
    mended: bool = False


@frozen
class Health:
    """The results of all checks."""

    folder: Path
    checks: tuple[Checked, ...]
    SHOWN: ClassVar = ("level",)

    @property
    def level(self) -> HealthLevel:
        """The worst level of all checks."""
        levels = {check.level for check in self.checks}
        return "broken" if "broken" in levels else "look" if "look" in levels else "sound"

    @property
    def status(self) -> int:
        """The exit status of the command: 0 sound, 1 something to look at, 2 broken."""
        return {"sound": 0, "look": 1, "broken": 2}[self.level]


@frozen
class Space:
    """Bytes on disk: of the parts of a workspace in `folder`, of the `models`, and of the data for reranking by base.

    `unused` bytes of the database are given back by compacting it. `free` of `total` bytes of the disk are left;
    `nearly_full` where that is little.
    """

    folder: Path
    database: int
    index: int
    backups: int
    trash: int
    scratch: int
    replaced: int
    logs: int
    models: int
    unused: int
    tokens: Mapping[str, int]
    free: int
    total: int
    nearly_full: bool


@frozen
class Compacted:
    """Bytes of the database before and after it was compacted."""

    before: int
    after: int
