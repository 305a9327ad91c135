"""What a process began and what was acknowledged to it, a line each, written before it goes on."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

ANY = "*"
"""Begun with a result that isn't known before."""
LEAST = "at least "
"""Begins the name of a figure that only grows."""

State = Mapping[str, object]
Values = dict[str, tuple[object, ...]]


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


class Follower:
    """Reads a journal as it grows, and knows which values each name may have.

    Those are the last one that was acknowledged, and those begun after it.
    """

    def __init__(self, file: Path, start: State = MappingProxyType({})) -> None:
        self._file = file
        self._read = 0
        self._values: Values = {name: (value,) for name, value in start.items()}

    def now(self) -> Values:
        """Return what may be seen by who looks now."""
        self._lines()
        return dict(self._values)

    def since(self, before: Values) -> Values:
        """Return what may have been seen by who began to look at `before` and has ended."""
        seen = dict(before)
        for state in self._lines():
            for name, value in state.items():
                seen[name] = (*seen.get(name, (None,)), value)
        return seen

    def _lines(self) -> list[State]:
        if not self._file.exists():
            return []
        with self._file.open("rb") as journal:
            journal.seek(self._read)
            whole = journal.read().rpartition(b"\n")[0]
        states = []
        for what, state in map(json.loads, whole.splitlines()):
            states.append(state)
            for name, value in state.items():
                known = self._values.get(name, (None,))
                self._values[name] = (value,) if what == "done" else (*known, value)
        self._read += len(whole) + bool(whole)
        return states


def faults(values: Values, seen: State) -> list[str]:
    """Return what is seen that may not be, or isn't seen that must."""
    wrong = []
    for name in {**values, **seen}:
        may, value = values.get(name, (None,)), seen.get(name)
        if name.startswith(LEAST):
            passes = (value or 0) >= min(number or 0 for number in may)  # type: ignore[operator, type-var]
        else:
            passes = value in may or ANY in may
        if not passes:
            wrong.append(f"{name} is {value}, but should be {' or '.join(map(str, may))}")
    return wrong
