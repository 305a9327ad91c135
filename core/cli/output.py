"""The output of commands: lines for people, or JSON."""

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from core.cli.texts import say
from core.messages import readable

Lines = Callable[[Any], list[str]]
"""What makes the lines that are printed of the values of an answer."""
STOPPED = threading.Event()
"""Set by Ctrl-C. A model that is loading may swallow the exception, so the next step raises it again."""


def show(data: Any, as_json: bool, to_lines: Lines) -> None:
    write(json.dumps(readable(data), ensure_ascii=False) if as_json else "\n".join(to_lines(data)))


def write(text: str) -> None:
    # Notes may contain characters that the terminal's encoding lacks.
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    print(text)


def stop(*_: object) -> NoReturn:
    """Handle Ctrl-C."""
    STOPPED.set()
    raise KeyboardInterrupt


def progress(done: float, total: float, what: object) -> None:
    if STOPPED.is_set():
        raise KeyboardInterrupt
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{done / max(1, total):4.0%} {say(what)}"[:100])
        if done >= total:
            sys.stderr.write("\r\x1b[K")


def plain_lines(values: Mapping[str, Any]) -> list[str]:
    """Return the names and values of an answer, a line for each."""
    return [*_lines(values, "")]


def _lines(values: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield f"{indent}{name}:"
            yield from _lines(value, f"{indent}  ")
        elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
            yield f"{indent}{name}:"
            for item in value:
                yield f"{indent}  - {', '.join(f'{key}: {say(part)}' for key, part in item.items())}"
        else:
            yield f"{indent}{name}: {', '.join(map(say, value)) if isinstance(value, list) else say(value)}"
