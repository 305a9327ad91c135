"""Results of the doctor's checks of a workspace, and its space on disk."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.base.messages import Message

HealthLevel = Literal["sound", "look", "broken"]


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Health:
    """The results of all checks."""

    folder: Path
    checks: tuple[Checked, ...]

    @property
    def level(self) -> HealthLevel:
        """The worst level of all checks."""
        levels = {check.level for check in self.checks}
        return "broken" if "broken" in levels else "look" if "look" in levels else "sound"

    @property
    def status(self) -> int:
        """The exit status of the command: 0 sound, 1 something to look at, 2 broken."""
        return {"sound": 0, "look": 1, "broken": 2}[self.level]
