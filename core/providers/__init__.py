"""HTTP access to model servers, with retries, API keys, and helpful error messages."""

import json
import math
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx

from core.base.errors import Cancelled, ConfigError, ProviderError, ProviderUnavailable
from core.base.frozen import AnyValues, ValueMap
from core.base.messages import Message, message
from core.providers import connection, keys
from core.providers.connection import CONNECT_SECONDS, Reply, Request, Stop, never, queue_to, sleep
from core.providers.keys import ApiKey
from core.settings.sections import LlmSettings, ServerSettings

FIRST_WAIT = 0.5
# Shortest and longest wait before a retry, in seconds.
#
# The wait doubles each time, and is randomly shortened by up to half.
LONGEST_WAIT = 30.0

# Seconds to wait for an unreachable server before a search continues without the server.
REACH_SECONDS = 1.5


class ProviderServer:
    """The model server configured in a section of the settings. Safe to share between threads.

    Each process has one queue per server. The queue sends requests and retries in order of arrival, `requests_at_once`
    at a time, and starts them at least `queue_interval_seconds` apart.

    The key is looked up for each request (`core.providers.keys`) and never stored here. The key is sent only to
    `base_url`, and redirects aren't followed. OPENAI_API_KEY replaces a section's own variable only if `base_url` is at
    https://api.openai.com. Proxies from the environment (HTTPS_PROXY, NO_PROXY) are used, but never for this machine
    itself. Over plain HTTP, anyone on the network path can read the key and the notes.
    """

    def __init__(
        self, section: str, settings: ServerSettings, model: str = "", *, reach_seconds: float | None = None
    ) -> None:
        """Raise ConfigError if the model is missing, or if the address is missing or invalid.

        `reach_seconds` limits the total time spent trying to connect, regardless of the number of retries.
        """
        if not settings.base_url:
            raise ConfigError(
                (
                    "No model server is set up. Enter its address on the Settings page, or set "
                    "base_url in [{section}] of tessera.toml, for instance base_url = "
                    '"http://localhost:11434/v1".'
                ),
                section=section,
            )
        self.model = model.strip() or settings.model.strip()
        if not self.model:
            raise ConfigError(
                (
                    "No model is set for {url}. Enter one on the Settings page, or set model in "
                    "[{section}] of tessera.toml."
                ),
                url=settings.base_url,
                section=section,
            )
        self._section = section
        self._settings = settings
        self._fields: AnyValues = {"url": settings.base_url, "section": section}
        try:
            self._url = httpx.URL(settings.base_url)
        except httpx.InvalidURL as error:
            raise ConfigError(
                "The base_url '{url}' in [{section}] of tessera.toml isn't a valid address. Correct it.", **self._fields
            ) from error
        self._queue = queue_to(self._url)
        self._reach_seconds = reach_seconds

    def post(self, path: str, body: ValueMap, *, limit: int) -> object:
        """Send a request and return the response's JSON. The response may have at most `limit` bytes.

        Raises ProviderUnavailable if the request times out, or if the server is still unreachable, overloaded or
        failing after all retries. Raises ProviderError if the server refuses the request, or if the response is too
        long or isn't JSON.
        """

        with self._send(self._request(path, body, limit), self._settings, never) as reply:
            return self._json(reply, limit)

    def stream(self, path: str, body: ValueMap, *, limit: int, stop: Stop, settings: LlmSettings) -> Iterator[object]:
        """Send a request and yield the JSON of each response event as it arrives.

        If the server doesn't stream the response, its JSON is yielded as a whole. None is yielded when the server marks
        the end of the response. Raises the errors of `post`, and Cancelled as soon as `stop` returns True. Closing the
        iterator closes the connection, so the server stops working on the request.
        """
        request = self._request(path, body, limit)
        request.whole = settings.answer_seconds
        with self._send(request, settings, stop) as reply:
            if reply.parts is None:
                yield self._json(reply, limit)
                yield None
                return
            try:
                for line in connection.lines(reply.parts, limit):
                    if line is None:
                        raise self._too_long(limit)
                    if line.startswith(b"data:"):
                        data = line[5:].strip()
                        yield None if data == b"[DONE]" else self._value(data)
            except httpx.TransportError as error:
                if stop():
                    raise Cancelled from error
                raise self._failure(error, request) from error

    def _request(self, path: str, body: ValueMap, limit: int) -> Request:
        # "replace" turns a lone surrogate, which can't be encoded, into a question mark.
        return Request(
            f"{self._settings.base_url}/{path}",
            json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
            {},
            limit,
            self._settings.timeout_seconds,
        )

    @contextmanager
    def _send(self, request: Request, settings: ServerSettings, stop: Stop) -> Iterator[Reply]:
        """Send a request, retrying until its time is up, and yield the reply. Raises the same errors as `stream`."""
        ends = time.monotonic() + (self._reach_seconds or math.inf)
        for attempt in range(settings.retries + 1):
            key = keys.find(self._section, self._url)
            request.headers = {"Authorization": f"Bearer {key.value}"} if key.value else {}
            request.connect = max(0.1, min(CONNECT_SECONDS, ends - time.monotonic()))
            cause = None
            pause = 0.0
            with ExitStack() as stack:
                try:
                    reply = stack.enter_context(self._queue.send(request, settings, stop))
                except httpx.TransportError as error:
                    if stop():
                        raise Cancelled from error
                    problem: ProviderError = self._failure(error, request)
                    if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout):
                        raise problem from error  # a retry would take just as long
                    cause = error
                    last = min(ends, request.ends)
                else:
                    if 200 <= reply.status < 300:
                        yield reply
                        return
                    problem = self._refusal(reply, key)
                    pause = reply.pause
                    last = request.ends
                    if not isinstance(problem, ProviderUnavailable):
                        raise problem
            wait = max(pause, min(LONGEST_WAIT, FIRST_WAIT * 2**attempt) * random.uniform(0.5, 1))
            if attempt == settings.retries or time.monotonic() + wait >= last:
                break
            sleep(wait, stop)
        raise problem from cause

    def unusable(self, what: str, **fields: object) -> ProviderError:
        """Return the error for an unusable response. `what` says what the server did and starts with a verb."""
        return ProviderError(
            "The model server {url} {what}. Check its address and the model '{model}' on the Settings page or in "
            "[{section}] of tessera.toml, and the server's log.",
            what=Message(what, fields),
            model=self.model,
            **self._fields,
        )

    def _json(self, reply: Reply, limit: int) -> object:
        if reply.body is None:
            raise self._too_long(limit)
        return self._value(reply.body)

    def _value(self, data: bytes) -> object:
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self.unusable("answered with something other than JSON") from error

    def _too_long(self, limit: int) -> ProviderError:
        return self.unusable("sent an answer larger than the limit of {n} KB", n=limit >> 10)

    def _failure(self, error: httpx.TransportError, request: Request) -> ProviderUnavailable:
        if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout):
            if request.whole and time.monotonic() >= request.ends:
                return ProviderUnavailable(
                    "The model server {url} was still writing after {seconds:g} seconds. "
                    "Try again, or raise answer_seconds in [{section}] of tessera.toml.",
                    seconds=request.whole,
                    **self._fields,
                )
            return ProviderUnavailable(
                "The model server {url} took longer than {seconds:g} seconds. "
                "Try again, or raise timeout_seconds in [{section}] of tessera.toml.",
                seconds=self._settings.timeout_seconds,
                **self._fields,
            )
        reason = connection.short_line(str(error)) or type(error).__name__
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
            return ProviderUnavailable(
                "The model server {url} can't be reached ({why}). "
                "Start it, or correct its address on the Settings page.",
                why=reason,
                **self._fields,
            )
        return ProviderUnavailable(
            "The model server {url} broke off the connection ({why}). Try again, or check the server's log.",
            why=reason,
            **self._fields,
        )

    def _refusal(self, reply: Reply, key: ApiKey) -> ProviderError:
        status = reply.status
        code = str(status)
        why = connection.reason(reply.body or b"", key.value)
        because = message("(HTTP {code}): {why}", code=code, why=why) if why else message("(HTTP {code})", code=code)
        fields: AnyValues = {
            "because": because,
            "status": status,
            "code": code,
            "variable": key.variable,
            "model": self.model,
            **self._fields,
        }
        if 300 <= status < 400:
            return ProviderError(
                (
                    "The model server {url} redirects to another address (HTTP {code}), to which "
                    "Tessera doesn't send the key or the notes. Enter the final address on the "
                    "Settings page."
                ),
                **fields,
            )
        if status in (401, 403):
            keys.forget()
            if key.place == "environment":
                return ProviderError(
                    "The model server {url} refused access (HTTP {code}). "
                    "Correct the key in the environment variable {variable}.",
                    **fields,
                )
            return ProviderError(
                "The model server {url} refused access (HTTP {code}). "
                "Enter its key on the Settings page, or put it into the environment variable {variable}.",
                **fields,
            )
        if status == 404:
            return ProviderError(
                "The model server {url} has no model '{model}' or no such address {because}. Check both on the "
                "Settings page. Most addresses end in /v1.",
                **fields,
            )
        if status == 429:
            return ProviderUnavailable(
                (
                    "The model server {url} accepts no more requests right now {because}. Wait, or "
                    "raise queue_interval_seconds in [{section}] of tessera.toml."
                ),
                **fields,
            )
        if status >= 500:
            return ProviderUnavailable(
                "The model server {url} failed {because}. Try again later, or check the server's log.", **fields
            )
        return ProviderError(
            "The model server {url} rejected the request {because}. Check the settings in [{section}] of tessera.toml.",
            **fields,
        )
