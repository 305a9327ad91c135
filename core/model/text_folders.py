"""Nouns: folders of text files."""

from dataclasses import dataclass

from core.messages import Message
from core.model.notes import SyncReport


@dataclass(frozen=True, slots=True)
class ScannedFolder:
    """A folder of text files that was brought into its base, which may be `made` for it, or the `problem` with it."""

    base: str
    folder: str
    made: bool
    report: SyncReport | None = None
    problem: Message | None = None
