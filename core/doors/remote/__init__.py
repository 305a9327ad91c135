"""Running operations on a workspace that another process has open.

The protocol between a command and the running app is one line of JSON per step, result or error.
"""

import json
from collections.abc import Callable
from typing import Any

from core.base import errors
from core.base.errors import TesseraError
from core.base.messages import Message, from_json, to_json

PATH = "/remote"
"""Path at which operations run by name; a GET proves the identity of the app with this workspace."""
MOST_BYTES = 1 << 26
"""Maximum size of the arguments in bytes; those with a note's text are the largest."""
_MESSAGE = "$message"
"""Name of the only field in an object that encodes a message."""


def line(kind: str, value: object) -> bytes:
    """Return a value as a line of the given kind: `step`, `answer` or `error`."""
    return json.dumps({kind: value}, ensure_ascii=False, default=_to_wire).encode("utf-8", "surrogatepass") + b"\n"


def read(line: bytes) -> tuple[str, Any]:
    """Return the kind and the value of a line; raises ValueError."""
    value = json.loads(line, object_hook=_message)
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError(line[:80])
    return next(iter(value.items()))


def failure(error: TesseraError) -> dict[str, object]:
    """Return an error as the value of a line."""
    return {"kind": type(error).__name__, "message": error.message}


def error_of(value: object) -> TesseraError:
    """Return the error of a line's value, a TesseraError for an unknown kind; raises ValueError."""
    if not isinstance(value, dict) or not isinstance(value.get("message"), Message):
        raise ValueError("no error")  # noqa: TRY004 the line is at fault
    kind: Callable[..., TesseraError] = getattr(errors, str(value.get("kind")), TesseraError)
    known = isinstance(kind, type) and issubclass(kind, TesseraError)
    return errors.unpickled(kind if known else TesseraError, {"message": value["message"]})  # type: ignore[arg-type]


def _to_wire(value: object) -> object:
    if isinstance(value, Message):
        return {_MESSAGE: to_json(value)}
    raise TypeError(f"{type(value).__name__} is no value of JSON")


def _message(value: dict[str, object]) -> object:
    try:
        return from_json(value[_MESSAGE]) if value.keys() == {_MESSAGE} else value
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError("no message") from error
