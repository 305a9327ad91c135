"""Running operations on a workspace that another process has open.

The protocol between a command and the running app is one line of JSON per step, result or error.
"""

import json
from collections.abc import Callable
from typing import Any

from core.base import errors
from core.base.errors import TesseraError
from core.base.messages import from_json, to_json

PATH = "/remote"
"""Path at which operations run by name; a GET proves the identity of the app with this workspace."""
MOST_BYTES = 1 << 26
"""Maximum size of the arguments in bytes; those with a note's text are the largest."""


def line(kind: str, value: object) -> bytes:
    """Return a value as a line of the given kind: `step`, `answer` or `error`."""
    return json.dumps({kind: value}, ensure_ascii=False, default=to_json).encode("utf-8", "surrogatepass") + b"\n"


def read(line: bytes) -> tuple[str, Any]:
    """Return the kind and the value of a line, whose messages are JSON data; raises ValueError."""
    value = json.loads(line)
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError(line[:80])
    return next(iter(value.items()))


def failure(error: TesseraError) -> dict[str, object]:
    """Return an error as the value of a line."""
    return {"kind": type(error).__name__, "message": error.message}


def error_of(value: object) -> TesseraError:
    """Return the error of a line's value, a TesseraError for an unknown kind; raises ValueError."""
    try:
        name, text = value["kind"], from_json(value["message"])  # type: ignore[index]
    except (TypeError, LookupError, AttributeError) as error:
        raise ValueError("no error") from error
    kind: Callable[..., TesseraError] = getattr(errors, str(name), TesseraError)
    known = isinstance(kind, type) and issubclass(kind, TesseraError)
    return errors.unpickled(kind if known else TesseraError, {"message": text})  # type: ignore[arg-type]
