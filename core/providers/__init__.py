"""Model servers over HTTP: retries, keys from the environment, and errors that say what to do."""

import json
import os
import random
import re
import time
from collections.abc import Mapping
from typing import Any

import httpx

from core.config import KEYS, ServerSettings
from core.errors import ConfigError, ProviderError, ProviderUnavailable
from core.providers.line import Reply, line_to

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds before the first retry, doubled for each further one up to the longest; chance takes up to half off."""

SAID = 200
"""Characters that are passed on of what a server says of its refusal."""


class Server:
    """The model server that a section of the settings names; safe to share between threads.

    Requests to one server go one at a time through one queue of this process, in order of arrival,
    their starts `queue_interval_seconds` apart, retries among them.

    The key is read from the environment when it is sent and kept nowhere. It goes to the `base_url` it is
    set for and no further: redirects aren't followed. OPENAI_API_KEY stands in for a section's own key
    only where `base_url` is at https://api.openai.com. Proxies of the environment (HTTPS_PROXY, NO_PROXY)
    are used, but never for this machine itself. Over plain http everybody on the way can read key and notes.
    """

    def __init__(self, section: str, settings: ServerSettings, model: str = "") -> None:
        """Raise ConfigError where no server or no model is named, or none that can be."""
        if not settings.base_url:
            raise ConfigError(
                f"No model server is named. Set base_url in [{section}] of tessera.toml, "
                'for instance base_url = "http://localhost:11434/v1".'
            )
        self.model = model.strip() or settings.model.strip()
        if not self.model:
            raise ConfigError(f"No model is named for {settings.base_url}. Set model in [{section}] of tessera.toml.")
        self._section = section
        self._settings = settings
        self._name = f"The model server {settings.base_url}"
        self._where = f"in [{section}] of tessera.toml"
        try:
            self._url = httpx.URL(settings.base_url)
        except httpx.InvalidURL as error:
            raise ConfigError(f"The base_url '{settings.base_url}' {self._where} is no address.") from error
        self._line = line_to(self._url)

    def post(self, path: str, body: Mapping[str, Any], *, limit: int) -> Any:
        """Return the JSON of the server's answer, of at most `limit` bytes.

        Raises ProviderUnavailable for a server that is out of reach, overloaded or failing after all
        retries, or too slow at once; ProviderError for a refusal and for what is no JSON.
        """
        # Half a surrogate pair can't be sent; a question mark stands for it.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        url = f"{self._settings.base_url}/{path}"
        for attempt in range(self._settings.retries + 1):
            variable, key = self._key()
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            cause: Exception | None = None
            try:
                reply = self._line.send(url, content, headers, self._settings, limit)
            except (httpx.ReadTimeout, httpx.WriteTimeout) as error:
                raise self._too_slow() from error  # what was too much once is so again
            except httpx.TransportError as error:
                problem: ProviderError = self._out_of_reach(error)
                cause = error
            else:
                if 200 <= reply.status < 300:
                    return self._json(reply, limit)
                problem = self._refusal(reply, variable, key)
                if not isinstance(problem, ProviderUnavailable):
                    raise problem
            if attempt < self._settings.retries:
                time.sleep(min(LONGEST_WAIT, FIRST_WAIT * 2**attempt) * random.uniform(0.5, 1))
        raise problem from cause

    def unusable(self, what: str) -> ProviderError:
        """Return the error for an answer that came but can't be used; `what` begins with a verb."""
        return ProviderError(
            f"{self._name} {what}. Check base_url and model ('{self.model}') {self._where}, and the server's log."
        )

    def _key(self) -> tuple[str, str]:
        """The environment variable that holds the key to this server, and the key, empty where there is none."""
        variable = KEYS[self._section]
        own = os.environ.get(variable, "").strip()
        if not own and (self._url.scheme, self._url.host, self._url.port) == ("https", "api.openai.com", None):
            variable = "OPENAI_API_KEY"
        key = os.environ.get(variable, "").strip()
        if not re.fullmatch("[!-~]*", key):
            raise ConfigError(f"The key in {variable} holds a space or a character that no key has. Copy it again.")
        return variable, key

    def _json(self, reply: Reply, limit: int) -> Any:
        if reply.body is None:
            raise self.unusable(f"sent more than the {limit >> 10} KB that its answer can have")
        if reply.encoded:
            raise self.unusable("sent a compressed answer, which wasn't asked for")
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError) as error:
            raise self.unusable("answered something else than JSON") from error

    def _too_slow(self) -> ProviderUnavailable:
        return ProviderUnavailable(
            f"{self._name} took longer than {self._settings.timeout_seconds:g} seconds. "
            f"Try again, or raise timeout_seconds {self._where}."
        )

    def _out_of_reach(self, error: httpx.TransportError) -> ProviderUnavailable:
        reason = _line(str(error)) or type(error).__name__
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
            return ProviderUnavailable(
                f"{self._name} can't be reached ({reason}). Start it, or correct base_url {self._where}."
            )
        return ProviderUnavailable(
            f"{self._name} broke off the connection ({reason}). Try again, or look into the server's log."
        )

    def _refusal(self, reply: Reply, variable: str, key: str) -> ProviderError:
        status = reply.status
        said = _said(reply.body or b"", key)
        because = f"(HTTP {status}): {said}" if said else f"(HTTP {status})"
        if 300 <= status < 400:
            return ProviderError(
                f"{self._name} sends on to another address (HTTP {status}), where Tessera doesn't follow with key "
                f"and notes. Set base_url {self._where} to the final address.",
                status,
            )
        if status in (401, 403):
            cure = f"Correct the key in the environment variable {variable}"
            if not key:
                cure = f"Put its key into the environment variable {variable}"
            return ProviderError(f"{self._name} refused access (HTTP {status}). {cure}.", status)
        if status == 404:
            return ProviderError(
                f"{self._name} has no model '{self.model}' or no such address {because}. "
                f"Check model and base_url {self._where}; most addresses end in /v1.",
                status,
            )
        if status == 429:
            return ProviderUnavailable(
                f"{self._name} takes no more requests now {because}. Wait, or raise queue_interval_seconds "
                f"{self._where}.",
                status,
            )
        if status >= 500:
            return ProviderUnavailable(
                f"{self._name} failed {because}. Try again later, or look into the server's log.", status
            )
        return ProviderError(f"{self._name} refused the request {because}. Check the settings {self._where}.", status)


def _said(body: bytes, key: str) -> str:
    """What a server says of its refusal, as a short line, without the key wherever it repeats it."""
    text = body.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = "" if text.lstrip().startswith("<") else text
    for _ in range(4):  # {"error": {"message": "..."}}, {"detail": [{"msg": "..."}]} and the like
        if isinstance(value, dict):
            value = next((value[name] for name in ("error", "message", "detail", "msg") if value.get(name)), "")
        elif isinstance(value, list):
            value = value[0] if value else ""
    said = value if isinstance(value, str) else ""
    return _line(said.replace(key, "***") if key else said)


def _line(text: str) -> str:
    """One short line without control characters: it is shown in a terminal too."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text[: 10 * SAID])
    line = " ".join(plain.split()).rstrip(".")
    return line if len(line) <= SAID else f"{line[:SAID]}…"
