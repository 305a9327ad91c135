"""Command output: lines for people, or JSON."""

import json
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from core.base.codec import encode
from core.base.jobs import Pace
from core.base.messages import Message, readable
from core.base.terminal import say
from core.base.text import one_line
from core.doors.cli.terminal import in_json, redraw

Lines = Callable[[Any], list[str]]
"""Function that formats the values of a result as lines."""
STOPPED = threading.Event()
"""Set by Ctrl-C. A model that is loading may swallow the exception, so the next step raises it again."""
PACE = Pace()
NOTICES: list[Callable[[], Iterable[object]]] = []
"""Functions that return the remarks to print on stderr at the end of a command."""


_NAMES = frozenset("base copy file folder missing_attachments name note path paths source_ref title to".split())
"""Keys of values that are file, note or base names."""
_LINE_END = str.maketrans({"\n": "\u240a", "\r": "\u240d"})


def show(data: object, as_json: bool, to_lines: Lines) -> None:
    write(json_of(encode(data)) if as_json else "\n".join(to_lines(_with_names_on_a_line(data))))


def _with_names_on_a_line(data: object, *, is_name: bool = False) -> object:
    """Return values with visible marks for line ends in names, because file names may contain line ends."""
    if isinstance(data, Mapping):
        return {key: _with_names_on_a_line(value, is_name=key in _NAMES) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return type(data)(_with_names_on_a_line(item, is_name=is_name) for item in data)
    if is_dataclass(data) and not isinstance(data, (type, Message)):
        values = {field.name: getattr(data, field.name) for field in fields(data) if field.init}
        return replace(
            data, **{name: _with_names_on_a_line(value, is_name=name in _NAMES) for name, value in values.items()}
        )
    if is_name and isinstance(data, (str, Path)):
        return type(data)(str(data).translate(_LINE_END))
    return data


def json_of(data: object) -> str:
    return in_json(json.dumps(readable(data), ensure_ascii=False))


def write(text: str) -> None:
    print(text, flush=True)


def print_notices() -> None:
    """Print the remarks on a result to stderr."""
    while NOTICES:
        for sentence in NOTICES.pop()():
            sys.stderr.write(f"tessera: {' '.join(say(sentence).split())}\n")


def stop(*_: object) -> NoReturn:
    """Handle Ctrl-C."""
    STOPPED.set()
    raise KeyboardInterrupt


def progress(done: float, total: float, what: object) -> None:
    from core.model import left_line  # takes a tenth of a second, which --help avoids

    if STOPPED.is_set():
        raise KeyboardInterrupt
    left = PACE.left(done, total)
    ends = f" · {say(left_line(left))}" if left is not None else ""
    line = f"{done / max(1, total):4.0%} {one_line(say(what))}"[: 97 - len(ends)]
    redraw("" if done >= total else line + ends)
