"""The queue and the connection to a server: a few requests at a time, bounded in time and size."""

import atexit
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from ipaddress import ip_address
from socket import SHUT_RDWR, socket
from ssl import SSLContext
from typing import Any

import httpx

from core.errors import ConfigError, MissingDependency
from core.messages import message
from core.settings_sections import ServerSettings

CONNECT_SECONDS = 10.0

LONGEST_PAUSE = 60.0
"""Seconds; a longer Retry-After of a server is cut to this."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a server.

    `body` is None if it is over the limit. `encoded`: it is compressed. `pause`: seconds to wait before
    the next request, as a busy server asks.
    """

    status: int
    body: bytes | None
    encoded: bool
    pause: float


class Connection:
    """A connection to a server, kept open between requests, of which it has one at a time."""

    def __init__(self, url: httpx.URL) -> None:
        # With an explicit transport httpx ignores the proxies of the environment.
        self._client = httpx.Client(
            transport=httpx.HTTPTransport(verify=_certificates()) if is_this_machine(url.host) else None,
            verify=_certificates(),
            headers={"User-Agent": "tessera", "Accept": "application/json", "Accept-Encoding": "identity"},
            follow_redirects=False,
        )
        self._socket: socket | None = None

    def close(self) -> None:
        self._client.close()

    def exchange(self, url: str, content: bytes, headers: Mapping[str, str], seconds: float, limit: int) -> Reply:
        """Post, and return the reply; raises httpx.TransportError, ReadTimeout once all of it took so many seconds."""
        late = threading.Event()

        def trace(event: str, info: Mapping[str, Any]) -> None:
            if event.endswith(("connect_tcp.complete", "start_tls.complete")):
                self._socket = info["return_value"].get_extra_info("socket")
                if late.is_set():
                    self._cut(late)

        timer = threading.Timer(seconds, self._cut, [late])
        timer.daemon = True
        timer.start()
        try:
            with self._client.stream(
                "POST",
                url,
                content=content,
                headers={"Content-Type": "application/json", **headers},
                timeout=httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
                extensions={"trace": trace},
            ) as response:
                return _read(response, limit)
        except httpx.TransportError as error:
            if late.is_set() and not isinstance(error, httpx.ConnectTimeout):
                raise httpx.ReadTimeout("the time for the whole request ran out") from error
            raise
        finally:
            timer.cancel()
            timer.join()

    def _cut(self, late: threading.Event) -> None:
        """End a request that takes too long; httpx limits the time of each step, not of the whole request.

        Shutting the socket down wakes the thread that reads from it; closing it wouldn't. The method is
        that of the plain socket, because a TLS socket's isn't safe to call from another thread.
        """
        late.set()
        if self._socket is not None:
            with suppress(OSError):
                socket.shutdown(self._socket, SHUT_RDWR)


class Line:
    """The queue of the requests to one server, first come, first served."""

    def __init__(self, url: httpx.URL) -> None:
        self._url = url
        self._idle = [Connection(url)]
        self._changed = threading.Condition()
        self._starting = threading.Lock()
        self._waiting: list[object] = []
        self._started = float("-inf")
        self._pause_ends = float("-inf")

    def send(self, url: str, content: bytes, headers: Mapping[str, str], settings: ServerSettings, limit: int) -> Reply:
        """Wait for the turn, post, and return the reply of any status; raises httpx.TransportError."""
        with self._turn(settings.requests_at_once) as connection:
            with self._starting:
                start = max(self._started + settings.queue_interval_seconds, self._pause_ends)
                time.sleep(max(0.0, start - time.monotonic()))
                self._started = time.monotonic()
            reply = connection.exchange(url, content, headers, settings.timeout_seconds, limit)
            self._pause_ends = max(self._pause_ends, time.monotonic() + reply.pause)
            return reply

    def close(self) -> None:
        for connection in self._idle:
            connection.close()

    @contextmanager
    def _turn(self, at_once: int) -> Iterator[Connection]:
        """Wait until fewer than `at_once` requests are before this one, and lend it a connection."""
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
        connection = None
        try:
            with self._changed:
                self._changed.wait_for(lambda: ticket in self._waiting[:at_once])
                connection = self._idle.pop() if self._idle else Connection(self._url)
            yield connection
        finally:
            with self._changed:
                self._waiting.remove(ticket)
                if connection:
                    self._idle.append(connection)
                self._changed.notify_all()


_lines: dict[tuple[str, str, int | None], Line] = {}
_lines_lock = threading.Lock()


def line_to(url: httpx.URL) -> Line:
    """Return the process's only line to the server at `url`; raises ConfigError for a proxy that isn't valid."""
    server = (url.scheme, url.host, url.port)
    with _lines_lock:
        if server not in _lines:
            try:
                _lines[server] = Line(url)
            except ImportError as error:
                raise MissingDependency(message("The SOCKS proxy that the environment names"), "socksio") from error
            except (ValueError, httpx.InvalidURL) as error:
                raise ConfigError(
                    "HTTP_PROXY, HTTPS_PROXY or ALL_PROXY is no address of a proxy. Correct or remove the variable."
                ) from error
        return _lines[server]


@atexit.register
def _close_all() -> None:
    for line in _lines.values():
        line.close()


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


def _read(response: httpx.Response, limit: int) -> Reply:
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


@cache
def _certificates() -> SSLContext:
    """Return the trusted certificates. Reading takes 0.1 s, hence the cache; SSL_CERT_FILE and SSL_CERT_DIR apply."""
    return httpx.create_ssl_context()


def is_this_machine(host: str) -> bool:
    """Whether a host name is that of this machine."""
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
