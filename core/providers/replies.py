"""Replies of model servers: their size is bounded, and a busy server may request a pause."""

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from core.base.text import one_line

LONGEST_PAUSE = 60.0
"""Seconds; a longer Retry-After of a server is cut to this."""

MOST_LINE = 1 << 18
"""Bytes of an event at most, each of which holds a few words."""

REASON_CHARACTERS = 200
"""Characters of a server's own error message that are shown."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a server.

    `body` is None if it is over the limit. `encoded`: it is compressed. `pause`: seconds to wait before
    the next request, as a busy server asks. `parts` are those of an answer that comes as events; it has no body.
    """

    status: int
    body: bytes | None
    encoded: bool
    pause: float
    parts: Iterator[bytes] | None = None


def retry_after(value: str, now: datetime) -> float:
    """Return the seconds to wait by a Retry-After header, 0 to 60; 0 if it can't be parsed."""
    if re.fullmatch(r"\s*[0-9]{1,9}(\.[0-9]{0,9})?\s*", value):
        return min(LONGEST_PAUSE, float(value))
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return 0.0
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return min(LONGEST_PAUSE, max(0.0, (until - now).total_seconds()))


def read(response: httpx.Response, limit: int) -> Reply:
    """Return the reply of a response, without its body where that has more bytes than the limit."""
    status = response.status_code
    encoded = response.headers.get("Content-Encoding", "").strip().lower() not in ("", "identity")
    busy = status == 429 or status >= 500
    pause = retry_after(response.headers.get("Retry-After", ""), datetime.now(UTC)) if busy else 0.0
    body = bytearray()
    for part in response.iter_raw():
        body += part
        if len(body) > limit:
            return Reply(status, None, encoded, pause)
    return Reply(status, bytes(body), encoded, pause)


class TookTooLong(httpx.ReadTimeout):
    """An answer that came in parts took longer than all of it may."""


class Late(threading.Event):
    """Is set once a response is cut; `is_whole`: because all of it took too long."""

    is_whole = False

    def error(self) -> httpx.ReadTimeout:
        return TookTooLong("it took too long") if self.is_whole else httpx.ReadTimeout("the server was silent")


def parts(response: httpx.Response, late: Late) -> Iterator[bytes]:
    """Yield the parts of a response as they come; raises httpx.TransportError, and the error of a late one."""
    ended: httpx.TransportError | None = None
    try:
        yield from response.iter_raw()
    except httpx.TransportError as error:
        if not late.is_set():
            raise
        ended = error
    if late.is_set():  # a body without a length just ends where it is cut
        raise late.error() from ended


def lines(parts: Iterator[bytes], limit: int) -> Iterator[bytes | None]:
    """Yield the lines of an answer as they come; None, at last, where it or a line is too long."""
    rest, size = b"", 0
    for part in parts:
        size += len(part)
        if size > limit or len(rest) > MOST_LINE:
            yield None
            return
        *lines, rest = (rest + part).split(b"\n")
        yield from lines
    yield rest


def reason(body: bytes, key: str) -> str:
    """Return a server's error message as a short line, with the key masked."""
    text = body.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = "" if text.lstrip().startswith("<") else text
    for _ in range(4):  # unwraps {"error": {"message": "..."}}, {"detail": [{"msg": "..."}]}
        if isinstance(value, dict):
            value = next((value[name] for name in ("error", "message", "detail", "msg") if value.get(name)), "")
        elif isinstance(value, list):
            value = value[0] if value else ""
    reason = value if isinstance(value, str) else ""
    return shortened(reason.replace(key, "***") if key else reason)


def shortened(text: str) -> str:
    """Shorten a text to one line."""
    line = one_line(text[: 10 * REASON_CHARACTERS]).rstrip(".")
    return line if len(line) <= REASON_CHARACTERS else f"{line[:REASON_CHARACTERS]}…"
