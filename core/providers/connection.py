"""Queued HTTP requests to a server, with limits on their number, duration and size."""

import atexit
import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from ipaddress import ip_address
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

from core.base.errors import Cancelled, ConfigError, MissingDependency
from core.base.frozen import TextMap, ValueMap, frozen
from core.base.messages import message
from core.base.text import one_line, shorten
from core.settings.sections import ServerSettings

# Maximum number of seconds to honour in a server's Retry-After header.
LONGEST_PAUSE = 30.0

# Maximum size of a streamed event in bytes. Most events hold only a few words.
MOST_LINE = 1 << 18

# Maximum number of characters to show from a server's own error message.
REASON_CHARACTERS = 200


@frozen
class Reply:
    """A server's response.

    `body` is None if it exceeds the limit. `pause` is the number of seconds to wait before the next request, as
    requested by a busy server. `parts` yields the parts of a streamed response, in which case `body` is empty.
    """

    status: int
    body: bytes | None
    pause: float
    parts: Iterator[bytes] | None = None


def retry_after(value: str) -> float:
    """Parse the seconds in a Retry-After header, up to LONGEST_PAUSE. Return 0 if the value is invalid or a date."""
    return min(LONGEST_PAUSE, float(value)) if re.fullmatch(r"\s*[0-9]{1,9}(\.[0-9]{0,9})?\s*", value) else 0.0


def read(response: httpx.Response, limit: int) -> Reply:
    """Read a response to the end. The reply's body is None if it exceeds `limit` bytes."""
    status = response.status_code
    pause = retry_after(response.headers.get("Retry-After", "")) if status == 429 or status >= 500 else 0.0
    body = bytearray()
    for part in response.iter_raw():
        body += part
        if len(body) > limit:
            return Reply(status, None, pause)
    return Reply(status, bytes(body), pause)


def lines(parts: Iterator[bytes], limit: int) -> Iterator[bytes | None]:
    """Yield a streamed reply's lines as they arrive. If the reply or a line is too long, yield None and stop."""
    rest = b""
    size = 0
    for part in parts:
        size += len(part)
        if size > limit or len(rest) > MOST_LINE:
            yield None
            return
        *lines, rest = (rest + part).split(b"\n")
        yield from lines
    yield rest


def reason(body: bytes, key: str) -> str:
    """Return a server's error message as one short line with the API key masked, or "" if there is none."""
    text = body.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = "" if text.lstrip().startswith("<") else text
    for _ in range(4):  # unwraps {"error": {"message": "..."}} and {"detail": [{"msg": "..."}]}
        if isinstance(value, dict):
            value = next((value[name] for name in ("error", "message", "detail", "msg") if value.get(name)), "")
        elif isinstance(value, list):
            value = value[0] if value else ""
    reason = value if isinstance(value, str) else ""
    return short_line(reason.replace(key, "***") if key else reason)


def short_line(text: str) -> str:
    """Shorten text to one line of at most REASON_CHARACTERS characters."""
    return shorten(one_line(text[: 10 * REASON_CHARACTERS]).rstrip("."), REASON_CHARACTERS)


def is_this_machine(host: str) -> bool:
    """Return whether a host name refers to this machine."""
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


CONNECT_SECONDS = 10.0

# Seconds between checks of whether a request was cancelled.
_LOOK = 0.1

# Number of bytes to send between checks of the deadline.
_BLOCK = 1 << 16

# A function that returns True once the request is to be cancelled.
Stop = Callable[[], bool]


def never() -> bool:
    return False


@dataclass(slots=True)
class Request:
    """A request. It is a GET if `content` is None.

    The reply may have at most `limit` bytes and take at most `seconds`. If `whole` is set, the reply is streamed. Each
    part may then take `seconds`, and all parts together `whole` seconds. A server on this machine may take `whole`
    seconds for the first part alone, because it must first load its model and then process the prompt, which is slow on
    a CPU. `connect` is the time limit for connecting. `ends` is the request's deadline in monotonic time, including
    retries. The deadline is set when the first attempt starts.
    """

    url: str
    content: bytes | None
    headers: TextMap
    limit: int
    seconds: float
    connect: float = CONNECT_SECONDS
    whole: float | None = None
    ends: float = math.inf


class ServerConnection:
    """A connection to a server. It handles one request at a time and stays open between requests."""

    _next = 0.0

    def __init__(self, url: httpx.URL) -> None:
        self._is_here = here = is_this_machine(url.host)
        verify = _certificates() if url.scheme == "https" or not here else False  # there is nothing to verify
        # With an explicit transport, httpx ignores proxies from the environment.
        self._client = httpx.Client(
            transport=httpx.HTTPTransport(verify=verify) if here else None,
            verify=verify,
            headers={"User-Agent": "tessera", "Accept": "application/json", "Accept-Encoding": "identity"},
            follow_redirects=False,
        )
        # Returns the number of seconds left until the request's next bytes must arrive.
        self._left: Callable[[], float] = float

    def close(self) -> None:
        self._client.close()

    def exchange(self, request: Request) -> Reply:
        """Send a request and return the reply. Raises the same errors as `send`."""
        with self.send(request, never) as reply:
            return reply

    @contextmanager
    def send(self, request: Request, stop: Stop) -> Iterator[Reply]:
        """Send a request and yield the reply.

        The reply has `parts` if the request's `whole` is set and the server streams its response.

        Raises httpx.TransportError, which is ReadTimeout if the server is silent for too long, the request's time is
        up, or `stop` returns True.
        """
        now = time.monotonic()
        whole = request.whole
        request.ends = min(request.ends, now + (whole or request.seconds))
        self._next = request.ends if whole and self._is_here else now + request.seconds
        self._left = lambda: 0.0 if stop() else min(self._next, request.ends) - time.monotonic()
        with self._client.stream(
            "GET" if request.content is None else "POST",
            request.url,
            content=request.content,
            headers={"Content-Type": "application/json", **request.headers},
            timeout=httpx.Timeout(None, connect=max(_LOOK, min(request.connect, request.ends - now))),
            extensions={"trace": self._trace},
        ) as response:
            is_events = response.headers.get("Content-Type", "").partition(";")[0].strip() == "text/event-stream"
            if whole and response.is_success and is_events:
                yield Reply(response.status_code, b"", 0.0, self._parts(response, request.seconds))
            else:
                yield read(response, request.limit)

    def _parts(self, response: httpx.Response, seconds: float) -> Iterator[bytes]:
        """Yield a streamed response's parts. Each part may take `seconds`."""
        self._next = time.monotonic() + seconds
        for part in response.iter_raw():
            yield part
            self._next = time.monotonic() + seconds

    def _trace(self, event: str, info: ValueMap) -> None:
        """Apply the request's deadline to a new connection.

        httpx's timeouts only limit individual reads and writes, and a server can stretch a reply over many reads.
        """
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            stream: Any = info["return_value"]
            stream.read = partial(self._read, stream.read)
            stream.write = partial(self._write, stream.write)

    def _read(self, read: Callable[[int, float], bytes], size: int, timeout: float | None = None) -> bytes:
        while (left := self._left()) > 0:
            with suppress(httpcore.ReadTimeout):
                return read(size, min(_LOOK, left))
        raise httpcore.ReadTimeout("the server was silent")

    def _write(self, write: Callable[[bytes, float], None], data: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(data), _BLOCK):
            if (left := self._left()) <= 0:
                raise httpcore.WriteTimeout("the server reads too slowly")
            write(data[start : start + _BLOCK], left)


class RequestQueue:
    """A first-in, first-out queue for requests to a server."""

    def __init__(self, url: httpx.URL) -> None:
        self._url = url
        self._idle = [ServerConnection(url)]
        self._changed = threading.Condition()
        self._starting = threading.Lock()
        self._waiting: list[object] = []
        self._started = float("-inf")
        self._pause_ends = float("-inf")

    @contextmanager
    def send(self, request: Request, settings: ServerSettings, stop: Stop) -> Iterator[Reply]:
        """Wait for the request's turn, send the request, and yield the reply, whatever its status.

        Raises httpx.TransportError and Cancelled.
        """
        with self._turn(settings, stop) as connection, connection.send(request, stop) as reply:
            self._pause_ends = max(self._pause_ends, time.monotonic() + reply.pause)
            yield reply

    def close(self) -> None:
        for connection in self._idle:
            connection.close()

    @contextmanager
    def _turn(self, settings: ServerSettings, stop: Stop) -> Iterator[ServerConnection]:
        """Yield a connection once fewer than `requests_at_once` requests are ahead and any pause is over."""
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
                sleep(max(self._started + settings.queue_interval_seconds, self._pause_ends) - time.monotonic(), stop)
                self._started = time.monotonic()
            yield connection
        finally:
            with self._changed:
                self._waiting.remove(ticket)
                if connection:
                    self._idle.append(connection)
                self._changed.notify_all()


def sleep(seconds: float, stop: Stop) -> None:
    """Sleep for `seconds`. Raises Cancelled as soon as `stop` returns True."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        time.sleep(left if stop is never else min(_LOOK, left))
        if stop():
            raise Cancelled


_queues: dict[tuple[str, str, int | None], RequestQueue] = {}
_queues_lock = threading.Lock()


def queue_to(url: httpx.URL) -> RequestQueue:
    """Return this process's queue for the server at `url`.

    Raises ConfigError if a proxy address is invalid, or MissingDependency if a SOCKS proxy needs `socksio`.
    """
    server = (url.scheme, url.host, url.port)
    with _queues_lock:
        if server not in _queues:
            try:
                _queues[server] = RequestQueue(url)
            except ImportError as error:
                raise MissingDependency(message("The SOCKS proxy set in the environment"), "socksio") from error
            except (ValueError, httpx.InvalidURL) as error:
                raise ConfigError(
                    "HTTP_PROXY, HTTPS_PROXY or ALL_PROXY isn't a valid proxy address. Correct or remove the variable."
                ) from error
        return _queues[server]


@atexit.register
def _close_all() -> None:
    for queue in _queues.values():
        queue.close()


@cache
def _certificates() -> SSLContext:
    """Load the trusted certificates, honouring SSL_CERT_FILE and SSL_CERT_DIR. This takes 0.1 s."""
    return httpx.create_ssl_context()
