"""What a process began and what was acknowledged to it, a line each, written before it goes on."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

ANY = "*"
"""Begun with a result that isn't known before."""
LEAST = "at least "
"""Begins the name of a figure that only grows."""

State = Mapping[str, object]


class Journal:
    """The journal of one process; a line that was written outlives a kill."""

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def begin(self, state: State) -> None:
        """Say what may be seen from now on."""
        self._write("begin", state)

    def done(self, state: State) -> None:
        """Say what must be seen from now on."""
        self._write("done", state)

    def _write(self, what: str, state: State) -> None:
        os.write(self._file, (json.dumps([what, state]) + "\n").encode())


def allowed(start: State, file: Path) -> dict[str, list[object]]:
    """Return the values that each name may have: the last that was acknowledged, and those begun after it."""
    values = {name: [value] for name, value in start.items()}
    for line in file.read_text().splitlines() if file.exists() else ():
        what, state = json.loads(line)
        for name, value in state.items():
            if what == "done":
                values[name] = [value]
            else:
                values.setdefault(name, [None]).append(value)
    return values


def faults(values: Mapping[str, list[object]], seen: State) -> list[str]:
    """Return what is seen that may not be, or isn't seen that must."""
    wrong = []
    for name in {**values, **seen}:
        may, value = values.get(name, [None]), seen.get(name)
        if name.startswith(LEAST):
            passes = (value or 0) >= min(number or 0 for number in may)  # type: ignore[operator, type-var]
        else:
            passes = value in may or ANY in may
        if not passes:
            wrong.append(f"{name} is {value}, but should be {' or '.join(map(str, may))}")
    return wrong
