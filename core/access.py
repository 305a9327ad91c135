"""Who comes in: programs with the person's token, commands of this machine with that of a run, and browsers.

Where the pages need a token it is PAGES, which is another one in each process.
"""

import hmac
import json
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from core import files
from core.config import settings
from core.errors import ConfigError

TOKEN = "token"
RUN = "run.json"
_BYTES = 32
PAGES = secrets.token_urlsafe(_BYTES)
"""The token of the pages of this process."""


def pages_need_token() -> bool:
    """Return whether the pages need their token; they do while the settings can't be read."""
    try:
        return settings().app.token
    except ConfigError:
        return True


@dataclass(frozen=True, slots=True)
class Run:
    """An app or a server at work on a workspace: its address, and the token of its run."""

    address: str
    token: str

    def proof(self, challenge: str) -> str:
        """Return the answer to a challenge that only this process and the readers of its file can give."""
        return hmac.new(self.token.encode(), challenge.encode(), "sha256").hexdigest()


class Access:
    """The tokens of a workspace, each in a file that only its owner can read."""

    def __init__(self, folder: Path) -> None:
        self._token, self._run = folder / TOKEN, folder / RUN
        self._own: Run | None = None

    @property
    def token(self) -> str:
        """The person's token, made when it is first read; raises OSError where it can't be stored."""
        with suppress(FileNotFoundError):
            if token := self._token.read_text(encoding="ascii").strip():
                return token
        return self.renew()

    def renew(self) -> str:
        """Store and return another token; programs that show the old one are refused from now on."""
        token = secrets.token_urlsafe(_BYTES)
        files.replace(self._token, token)
        return token

    def open(self, address: str) -> None:
        """Store the address of this process for commands on this machine, and make the person's token if there is none.

        Raises OSError.
        """
        if not self._token.exists():
            self.renew()
        self._own = Run(address, secrets.token_urlsafe(_BYTES))
        files.replace(self._run, json.dumps(asdict(self._own)))

    def close(self) -> None:
        """Forget the address of this process."""
        if self._own is not None and self.run == self._own:
            with suppress(OSError):
                self._run.unlink()
        self._own = None

    @property
    def run(self) -> Run | None:
        """The process that said last where it listens; it may have been killed since."""
        try:
            return Run(**json.loads(self._run.read_text(encoding="ascii")))
        except (OSError, ValueError, TypeError):
            return None

    def proof(self, challenge: str) -> str:
        """Return this process's answer to a challenge; empty where it doesn't say where it listens."""
        return self._own.proof(challenge) if self._own else ""

    def admits(self, shown: str, *, programs: bool) -> bool:
        """Whether a token lets in: that of this run, or with `programs` the person's."""
        return any(hmac.compare_digest(shown.encode(), token.encode()) for token in self._valid(programs))

    def _valid(self, programs: bool) -> Iterator[str]:
        if self._own is not None:
            yield self._own.token
        if programs:
            yield self.token
