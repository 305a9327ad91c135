"""The output of commands: lines for people, or JSON."""

import json
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from core.cli.texts import say
from core.messages import Message, to_json

STOPPED = threading.Event()
"""Set by Ctrl-C. A model that is loading may swallow the exception, so the next step raises it again."""

_MAIN = ("error", "problem", "reason", "told", "why")
"""Fields whose message is in the field `message`. The message of any other field is in `NAME_message`."""


def show(data: dict[str, Any], as_json: bool, to_lines: Callable[[dict[str, Any]], list[str]]) -> None:
    write(json.dumps(plain(data), ensure_ascii=False) if as_json else "\n".join(to_lines(data)))


def write(text: str) -> None:
    # Notes may contain characters that the terminal's encoding lacks.
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    print(text)


def plain(value: object) -> Any:
    """Return a value for JSON: a message becomes its English text, with its id and fields in a second field."""
    if isinstance(value, Mapping):
        data: dict[str, Any] = {}
        for name, item in value.items():
            data[name] = plain(item)
            if isinstance(item, Message):
                data["message" if name in _MAIN else f"{name}_message"] = to_json(item)
            elif isinstance(item, (list, tuple)) and (messages := [part for part in item if isinstance(part, Message)]):
                data[f"{name}_messages"] = [*map(to_json, messages)]
        return data
    if isinstance(value, (list, tuple)):
        return [*map(plain, value)]
    return str(value) if isinstance(value, Message) else value


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
