"""Replies of model servers: their size is bounded, and a busy server may request a pause."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

LONGEST_PAUSE = 60.0
"""Seconds; a longer Retry-After of a server is cut to this."""


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
