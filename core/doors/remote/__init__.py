"""Run operations on a workspace that another process has open.

A command calls the running app over HTTP. The response has one line of JSON for each progress step, and one for the
result or the error.
"""

import json
from typing import Any

from core.base import errors
from core.base.errors import TesseraError
from core.base.frozen import Values
from core.base.messages import from_json, to_json

# Path for calls, to which an operation's name is appended.
#
# A GET request lets the app prove that it has this workspace open.
PATH = "/remote"
# Maximum size of an operation's arguments in bytes. The largest argument is a note's text.
MOST_BYTES = 1 << 26


def line(kind: str, value: object) -> bytes:
    """Return a value as a line of the given kind: `step`, `answer` or `error`."""
    return json.dumps({kind: value}, ensure_ascii=False, default=to_json).encode("utf-8", "surrogatepass") + b"\n"


def read(line: bytes) -> tuple[str, Any]:
    """Return a line's kind and value, with messages still as JSON data. Raises ValueError if the line is invalid."""
    value = json.loads(line)
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError(line[:80])
    return next(iter(value.items()))


def failure(error: TesseraError) -> Values:
    """Return the value of a line that reports an error."""
    return {"kind": type(error).__name__, "message": error.message}


def error_of(value: object) -> TesseraError:
    """Return the error reported by a line, or a TesseraError if its class is unknown.

    Raises ValueError if the line is malformed.
    """
    try:
        name = value["kind"]  # type: ignore[index]
        text = from_json(value["message"])  # type: ignore[index]
    except (TypeError, LookupError, AttributeError) as error:
        raise ValueError("no error") from error
    kind = getattr(errors, str(name), TesseraError)
    known = isinstance(kind, type) and issubclass(kind, TesseraError)
    return errors.unpickled(kind if known else TesseraError, {"message": text})
