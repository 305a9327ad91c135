"""Access tokens, and configuration snippets for connecting assistants and other programs to a workspace."""

import hmac
import json
import os
import re
import secrets
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from errno import EROFS
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from core.base import files
from core.base.errors import ConfigError
from core.base.frozen import TextValues, ValueMap, frozen
from core.settings.config import FILE, settings

TOKEN = "token"
RUN = "run.json"
_BYTES = 32
# The token for pages served by this process.
PAGES = secrets.token_urlsafe(_BYTES)
# A complete 32-byte token in base64. Damaged tokens are rejected.
_TOKEN = re.compile(r"[\w-]{43}", re.ASCII)
_ADDRESS = re.compile(r"https?://[\w.\[\]:-]{1,300}", re.ASCII)


def pages_need_token() -> bool:
    """Return whether the pages require a token. If the settings can't be read, they do."""
    try:
        return settings().app.token
    except ConfigError:
        return True


@frozen
class RunningProgram:
    """An app or server running on a workspace, with its address and the token that is valid while it runs."""

    address: str
    token: str

    def proof(self, challenge: str) -> str:
        """Return the response to a challenge, which proves that the program knows its token."""
        return hmac.new(self.token.encode(), challenge.encode(), "sha256").hexdigest()


class AccessTokens:
    """A workspace's tokens, each in a file readable only by its owner. With `readonly`, no tokens are created."""

    _own: RunningProgram | None = None

    def __init__(self, folder: Path, *, readonly: bool = False) -> None:
        self._token = folder / TOKEN
        self._run = folder / RUN
        self._readonly = readonly

    @property
    def token(self) -> str:
        """The user's token, created if missing. Raises OSError if the new token can't be stored."""
        return self._read_stored() or self.renew()

    def renew(self) -> str:
        """Replace the user's token and return the new one. Programs with the old token lose access.

        An unreadable token file is set aside. Raises OSError if the token can't be stored, as is always the case with
        `readonly`.
        """
        if self._readonly:
            raise OSError(EROFS, os.strerror(EROFS), str(self._token))
        self._read_stored(aside=True)
        token = secrets.token_urlsafe(_BYTES)
        files.replace(self._token, token)
        return token

    def _read_stored(self, *, aside: bool = False) -> str | None:
        return files.load(self._token, _token, aside=aside, parse=bytes.decode)

    def open(self, address: str) -> None:
        """Publish this process's address so that commands on this machine find it. Create the user's token if missing.

        Raises OSError if the files can't be written.
        """
        if not self._read_stored():
            self.renew()
        files.load(self._run, _run, aside=True)
        self._own = RunningProgram(address, secrets.token_urlsafe(_BYTES))
        files.replace(self._run, json.dumps(asdict(self._own)))

    def close(self) -> None:
        if self._own and self.run == self._own:
            with suppress(OSError):
                self._run.unlink()
        self._own = None

    @property
    def run(self) -> RunningProgram | None:
        """The program that last published its address, or None. The program may have been killed in the meantime."""
        with suppress(OSError):
            return files.load(self._run, _run, aside=False)
        return None

    def proof(self, challenge: str) -> str:
        """Return this process's response to a challenge, or "" if its address isn't published."""
        return self._own.proof(challenge) if self._own else ""

    def admits(self, shown: str, *, programs: bool) -> bool:
        """Return whether `shown` is this process's token or, with `programs`, the user's token."""
        valid = [self._own and self._own.token, programs and self._read_stored()]
        return any(hmac.compare_digest(shown.encode(), token.encode()) for token in valid if token)


def _token(stored: str) -> str:
    """Parse a stored token. Raises ValueError if the token is incomplete."""
    if not _TOKEN.fullmatch(token := stored.strip()):
        raise ValueError("no token")
    return token


def _run(stored: TextValues) -> RunningProgram:
    """Parse a stored RunningProgram. Raises ValueError or TypeError if the data is invalid."""
    run = RunningProgram(**stored)
    if not _ADDRESS.fullmatch(run.address) or not _TOKEN.fullmatch(run.token):
        raise ValueError("no run")
    urlsplit(run.address).port  # noqa: B018 raises ValueError for an invalid port
    return run


# Transport between a program and Tessera.
#
# With `stdio`, the program starts Tessera. With `http`, it connects to the running app with the user's token.
Way = Literal["stdio", "http"]

_NAME = "tessera"


@frozen
class Snippet:
    """Configuration that connects a program to Tessera.

    `file` is the file to paste `text` into, or "" if `text` is a command for the terminal.
    """

    program: str
    way: Way
    text: str
    file: str = ""


def build_snippets(folder: Path, address: str, token: Callable[[], str]) -> list[Snippet]:
    """Return the stdio configurations. If there is a token, add the HTTP configurations for the app at `address`."""
    made = by_stdio(folder)
    with suppress(OSError):
        made += by_http(address, token())
    return made


def by_stdio(folder: Path) -> list[Snippet]:
    """Return the configurations for programs that start Tessera on the workspace in `folder`."""
    command = [*_command(), "mcp", "--workspace", str(folder.resolve()), *_settings()]
    server = {"command": command[0], "args": command[1:]}
    line = ["claude", "mcp", "add", "--scope", "user", _NAME, "--", *command]
    return [
        Snippet("Claude Desktop", "stdio", _servers(server), _claude_desktop()),
        Snippet("Claude Code", "stdio", subprocess.list2cmdline(line) if os.name == "nt" else shlex.join(line)),
        Snippet("Cursor", "stdio", _servers(server), _cursor()),
        Snippet("VS Code", "stdio", _servers({"type": "stdio", **server}, "servers"), _VS_CODE),
    ]


def by_http(address: str, token: str) -> list[Snippet]:
    """Return the configurations for connecting to the app at `address`. Claude Desktop supports stdio only."""
    url = f"{address}/mcp"
    header = f"Bearer {token}"
    server = {"url": url, "headers": {"Authorization": header}}
    line = f'claude mcp add --scope user --transport http {_NAME} {url} --header "Authorization: {header}"'
    return [
        Snippet("Claude Code", "http", line),
        Snippet("Cursor", "http", _servers(server), _cursor()),
        Snippet("VS Code", "http", _servers({"type": "http", **server}, "servers"), _VS_CODE),
    ]


_VS_CODE = ".vscode/mcp.json"


def _cursor() -> str:
    return str(Path.home() / ".cursor" / "mcp.json")


def _claude_desktop() -> str:
    folders = {
        "darwin": Path.home() / "Library" / "Application Support",
        "win32": Path(os.environ.get("APPDATA", Path.home() / "AppData" / "Roaming")),
    }
    return str(folders.get(sys.platform, Path.home() / ".config") / "Claude" / "claude_desktop_config.json")


def _command() -> list[str]:
    """Return this installation's command with its full path, because other programs don't know the user's PATH."""
    script = Path(sys.executable).with_name(f"{_NAME}.exe" if os.name == "nt" else _NAME)
    return [str(script)] if script.exists() else [sys.executable, "-m", "core.doors.cli"]


def _settings() -> list[str]:
    """Return the option for the current folder's settings file, or an empty list if there is no file.

    The option is needed because assistants start programs in arbitrary folders.
    """
    file = FILE.resolve()
    return ["--settings", str(file)] if file.is_file() else []


def _servers(server: ValueMap, key: str = "mcpServers") -> str:
    return json.dumps({key: {_NAME: server}}, indent=2, ensure_ascii=False)
