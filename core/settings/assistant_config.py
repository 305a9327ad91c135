"""Configurations that connect assistants and other programs with a workspace."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

from core.base.frozen import frozen

Way = Literal["stdio", "http"]
"""Transport: with `stdio` the program starts Tessera; with `http` it connects to the open app with the user's token."""

SETTINGS = "tessera.toml"
"""Name of the settings file, which is read from a program's current folder."""

_NAME = "tessera"


@frozen
class Snippet:
    """Configuration for a program; `file` is the file for it, empty for a command in a terminal."""

    program: str
    way: Way
    text: str
    file: str = ""


def build_snippets(folder: Path, address: str, token: Callable[[], str]) -> list[Snippet]:
    """Return the stdio configurations, and the HTTP ones for the app at `address` if there is a token."""
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
    """Return the configurations for connecting to the app at `address`; Claude Desktop supports stdio only."""
    url, header = f"{address}/mcp", f"Bearer {token}"
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
    """Return the full command of this installation, because other programs don't know the user's PATH."""
    script = Path(sys.executable).with_name(f"{_NAME}.exe" if os.name == "nt" else _NAME)
    return [str(script)] if script.exists() else [sys.executable, "-m", "core.doors.cli"]


def _settings() -> list[str]:
    """Return the option for the settings file in this folder, because assistants start programs in any folder."""
    file = Path(SETTINGS).resolve()
    return ["--settings", str(file)] if file.is_file() else []


def _servers(server: Mapping[str, object], key: str = "mcpServers") -> str:
    return json.dumps({key: {_NAME: server}}, indent=2, ensure_ascii=False)
