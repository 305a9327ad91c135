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

PATH = "/remote"
"""Path for calls; an operation's name is appended. A GET request lets the app prove that it has this workspace open."""
MOST_BYTES = 1 << 26
"""Maximum size of an operation's arguments in bytes. The largest argument is a note's text."""


def line(kind: str, value: object) -> bytes:
    """Return a value as a line of the given kind: `step`, `answer` or `error`."""
    return json.dumps({kind: value}, ensure_ascii=False, default=to_json).encode("utf-8", "surrogatepass") + b"\n"


def read(line: bytes) -> tuple[str, Any]:
    """Return a line's kind and value, with messages still as JSON data.

    Raises ValueError or AttributeError if the line is invalid.
    """
    ((kind, value),) = json.loads(line).items()
    return kind, value


def failure(error: TesseraError) -> Values:
    """Return the value of a line that reports an error."""
    return {"kind": type(error).__name__, "message": error.message}


def error_of(value: Any) -> TesseraError:
    """Return the error reported by a line, or a TesseraError if its class isn't in `core.base.errors`.

    Raises ValueError, LookupError, TypeError or AttributeError if the line is invalid.
    """
    return errors.unpickled(getattr(errors, value["kind"], TesseraError), {"message": from_json(value["message"])})
