"""Requests to a server: a queue of a few at a time, bounded in time and size, and their replies."""

import atexit
import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache, partial
from ipaddress import ip_address
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

from core.base.datetimes import utc_now
from core.base.errors import Cancelled, ConfigError, MissingDependency
from core.base.frozen import frozen
from core.base.messages import message
from core.base.text import one_line
from core.settings.sections import ServerSettings

LONGEST_PAUSE = 30.0
"""Seconds; a longer Retry-After of a server is cut to this."""

MOST_LINE = 1 << 18
"""Bytes of an event at most, each of which holds a few words."""

REASON_CHARACTERS = 200
"""Characters of a server's own error message that are shown."""


@frozen
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
    """Return the seconds to wait by a Retry-After header, 0 to LONGEST_PAUSE; 0 if it can't be parsed."""
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
    pause = retry_after(response.headers.get("Retry-After", ""), utc_now()) if busy else 0.0
    body = bytearray()
    for part in response.iter_raw():
        body += part
        if len(body) > limit:
            return Reply(status, None, encoded, pause)
    return Reply(status, bytes(body), encoded, pause)


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
    return shorten(reason.replace(key, "***") if key else reason)


def shorten(text: str) -> str:
    """Shorten a text to one line."""
    line = one_line(text[: 10 * REASON_CHARACTERS]).rstrip(".")
    return line if len(line) <= REASON_CHARACTERS else f"{line[:REASON_CHARACTERS]}…"


def is_this_machine(host: str) -> bool:
    """Whether a host name is that of this machine."""
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


CONNECT_SECONDS = 10.0

_LOOK = 0.1
"""Seconds between two looks whether a request is to stop."""

_BLOCK = 1 << 16
"""Bytes that are sent between two looks at the deadline."""

Stop = Callable[[], bool]
"""Whether a request is to stop."""


def never() -> bool:
    return False


@dataclass(slots=True)
class Request:
    """A request, a GET without `content`; its answer has at most `limit` bytes and takes at most `seconds`.

    With `whole` the answer comes in parts: `seconds` is the longest wait for a part, `whole` for all of them. The first
    part of a server on this machine may take as long: it loads its model and reads minutes of text on a plain
    processor. `connect` are the seconds to connect in. `ends` is the monotonic time at which the request ends, repeats
    included; it is set once its first attempt starts.
    """

    url: str
    content: bytes | None
    headers: Mapping[str, str]
    limit: int
    seconds: float
    connect: float = CONNECT_SECONDS
    whole: float | None = None
    ends: float = math.inf


class ServerConnection:
    """A connection to a server, kept open between requests, of which it has one at a time."""

    def __init__(self, url: httpx.URL) -> None:
        self._is_here = here = is_this_machine(url.host)
        verify = _certificates() if url.scheme == "https" or not here else False  # there is nothing to verify
        # With an explicit transport httpx ignores the proxies of the environment.
        self._client = httpx.Client(
            transport=httpx.HTTPTransport(verify=verify) if here else None,
            verify=verify,
            headers={"User-Agent": "tessera", "Accept": "application/json", "Accept-Encoding": "identity"},
            follow_redirects=False,
        )
        self._deadline = _Deadline(0.0, 0.0, math.inf, never)

    def close(self) -> None:
        self._client.close()

    def exchange(self, request: Request) -> Reply:
        """Send a request, and return the reply; raises as `lend` does."""
        with self.lend(request, never) as reply:
            return reply

    @contextmanager
    def lend(self, request: Request, stop: Stop) -> Iterator[Reply]:
        """Send a request, and lend the reply; with its parts where it may come in parts and comes as events.

        Raises httpx.TransportError: ReadTimeout after a silence, once the time of the request is over, and where `stop`
        said so.
        """
        now, whole = time.monotonic(), request.whole
        request.ends = min(request.ends, now + (whole or request.seconds))
        first = request.ends if whole and self._is_here else now + request.seconds
        deadline = self._deadline = _Deadline(request.seconds, first, request.ends, stop)
        with self._client.stream(
            "GET" if request.content is None else "POST",
            request.url,
            content=request.content,
            headers={"Content-Type": "application/json", **request.headers},
            timeout=httpx.Timeout(None, connect=max(_LOOK, min(request.connect, request.ends - now))),
            extensions={"trace": self._trace},
        ) as response:
            deadline.has_headers = True
            is_events = response.headers.get("Content-Type", "").partition(";")[0].strip() == "text/event-stream"
            if whole and response.is_success and is_events:
                yield Reply(response.status_code, b"", False, 0.0, response.iter_raw())
            else:
                yield read(response, request.limit)

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Give a new connection the deadlines of its requests; httpx limits each step, which a server can repeat."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            stream = info["return_value"]
            stream.read = partial(self._read, stream.read)
            stream.write = partial(self._write, stream.write)

    def _read(self, read: Callable[[int, float], bytes], size: int, timeout: float | None = None) -> bytes:
        while (left := self._deadline.left()) > 0:
            with suppress(httpcore.ReadTimeout):
                data = read(size, min(_LOOK, left))
                self._deadline.extend()
                return data
        raise httpcore.ReadTimeout("the server was silent")

    def _write(self, write: Callable[[bytes, float], None], data: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(data), _BLOCK):
            if (left := self._deadline.left()) <= 0:
                raise httpcore.WriteTimeout("the server reads too slowly")
            write(data[start : start + _BLOCK], left)


@dataclass(slots=True)
class _Deadline:
    """The monotonic times until which the next bytes of a request have to come, and all of them."""

    seconds: float
    next: float
    ends: float
    stop: Stop
    has_headers: bool = False
    has_begun: bool = False

    def left(self) -> float:
        """Return the seconds that are left for the next bytes; 0 once `stop` says so."""
        return 0.0 if self.stop() else min(self.next, self.ends) - time.monotonic()

    def extend(self) -> None:
        """Wait anew for the next bytes; a head may come in many pieces, but not in longer than one wait."""
        if self.has_headers or not self.has_begun:
            self.has_begun, self.next = True, time.monotonic() + self.seconds


class RequestQueue:
    """The queue of the requests to one server, first come, first served."""

    def __init__(self, url: httpx.URL) -> None:
        self._url = url
        self._idle = [ServerConnection(url)]
        self._changed = threading.Condition()
        self._starting = threading.Lock()
        self._waiting: list[object] = []
        self._started = float("-inf")
        self._pause_ends = float("-inf")

    @contextmanager
    def lend(self, request: Request, settings: ServerSettings, stop: Stop) -> Iterator[Reply]:
        """Wait for the turn, send, and lend the reply of any status; raises httpx.TransportError and Cancelled."""
        with self._turn(settings, stop) as connection, connection.lend(request, stop) as reply:
            self._pause_ends = max(self._pause_ends, time.monotonic() + reply.pause)
            yield reply

    def close(self) -> None:
        for connection in self._idle:
            connection.close()

    @contextmanager
    def _turn(self, settings: ServerSettings, stop: Stop) -> Iterator[ServerConnection]:
        """Wait until fewer requests than the server takes at once are before this one, and lend it a connection."""
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
        connection = None
        try:
            with self._changed:
                while not self._changed.wait_for(lambda: ticket in self._waiting[: settings.requests_at_once], _LOOK):
                    if stop():
                        raise Cancelled
                connection = self._idle.pop() if self._idle else ServerConnection(self._url)
            with self._starting:
                start = max(self._started + settings.queue_interval_seconds, self._pause_ends)
                sleep(start - time.monotonic(), stop)
                self._started = time.monotonic()
            yield connection
        finally:
            with self._changed:
                self._waiting.remove(ticket)
                if connection:
                    self._idle.append(connection)
                self._changed.notify_all()


def sleep(seconds: float, stop: Stop) -> None:
    """Wait so many seconds; raises Cancelled as soon as `stop` says so."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        time.sleep(left if stop is never else min(_LOOK, left))
        if stop():
            raise Cancelled


_queues: dict[tuple[str, str, int | None], RequestQueue] = {}
_queues_lock = threading.Lock()


def queue_to(url: httpx.URL) -> RequestQueue:
    """Return the process's only queue to the server at `url`; raises ConfigError for a proxy that isn't valid."""
    server = (url.scheme, url.host, url.port)
    with _queues_lock:
        if server not in _queues:
            try:
                _queues[server] = RequestQueue(url)
            except ImportError as error:
                raise MissingDependency(message("The SOCKS proxy that the environment names"), "socksio") from error
            except (ValueError, httpx.InvalidURL) as error:
                raise ConfigError(
                    "HTTP_PROXY, HTTPS_PROXY or ALL_PROXY is no address of a proxy. Correct or remove the variable."
                ) from error
        return _queues[server]


@atexit.register
def _close_all() -> None:
    for queue in _queues.values():
        queue.close()


@cache
def _certificates() -> SSLContext:
    """Return the trusted certificates. Reading takes 0.1 s, hence the cache; SSL_CERT_FILE and SSL_CERT_DIR apply."""
    return httpx.create_ssl_context()
