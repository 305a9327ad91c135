"""A setting of the program in `tessera.toml`, with its value and the source of the value."""

from dataclasses import dataclass
from typing import Any, Literal

Source = Literal["environment", "file", "entered", "default"]
"""The source of a setting's value."""


@dataclass(frozen=True, slots=True)
class ProgramSetting:
    """The `value` and the default of a setting of `tessera.toml`, the range of a number, and the value's source.

    `place` is the file or the environment variable that sets it. `waits`: the program uses the value from its next
    start on.
    """

    key: str
    value: Any
    default: Any
    source: Source
    place: str
    least: float | None = None
    most: float | None = None
    waits: bool = False
