"""Blocks that a document gets where pandoc doesn't read them: a marker replaces them while it reads."""

import re
import secrets
from dataclasses import dataclass, field

from core.documents.office.blocks import Blocks
from core.model import Omission

MARKER = re.compile(r"tessera[0-9a-f]{24}")


@dataclass(slots=True)
class Insertions:
    """The blocks of markers, which no document can guess, and what was left out on the way."""

    by_marker: dict[str, Blocks] = field(default_factory=dict)
    left_out: list[Omission] = field(default_factory=list)

    def marker(self, made: Blocks) -> str:
        """Return a word that replaces blocks as a whole paragraph."""
        marker = f"tessera{secrets.token_hex(12)}"
        self.by_marker[marker] = made
        return marker

    def omit(self, kind: str, place: str = "", count: int = 1) -> None:
        """Name something that isn't in the text."""
        self.left_out.append(Omission(kind, count, place))
