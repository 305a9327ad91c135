"""The output of commands: lines for people, or JSON."""

import json
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from core.cli.texts import say
from core.messages import readable

STOPPED = threading.Event()
"""Set by Ctrl-C. A model that is loading may swallow the exception, so the next step raises it again."""
BESIDE: list[Callable[[], Iterable[object]]] = []
"""What gives sentences that stand on stderr beside the result of a command, once it has ended."""


def show(data: dict[str, Any], as_json: bool, to_lines: Callable[[dict[str, Any]], list[str]]) -> None:
    write(json.dumps(readable(data), ensure_ascii=False) if as_json else "\n".join(to_lines(data)))


def write(text: str) -> None:
    # Notes may contain characters that the terminal's encoding lacks.
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    print(text)


def tell_beside() -> None:
    """Print what a person has to know beside the result."""
    while BESIDE:
        for sentence in BESIDE.pop()():
            sys.stderr.write(f"tessera: {' '.join(say(sentence).split())}\n")


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
