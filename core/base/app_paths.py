"""Paths of the program's own files, and reading and writing of the user's files outside any workspace."""

import json
import os
from contextlib import suppress
from pathlib import Path

from platformdirs import user_config_dir, user_data_path

from core.base import files
from core.base.errors import ConfigError
from core.base.faults import DATABASE
from core.base.frozen import Values

# Environment variable that overrides the folder for the user's files.
VARIABLE = "TESSERA_CONFIG_DIR"

_AROUND = Path(__file__).parents[2]
_INSTALLED = _AROUND / "tessera_app"

# Folder with `app.py`, `pages`, `.streamlit` and `data`. In an installed program, this is `tessera_app`.
PROGRAM = _INSTALLED if _INSTALLED.is_dir() else _AROUND

# Working directory when the program is started from a shortcut.
START = Path.home() if PROGRAM == _INSTALLED else PROGRAM

_HERE = Path("data", "workspace")


def workspace() -> Path:
    """Return the default workspace folder.

    A checkout uses `data/workspace` in the current folder. An installed program does so only if an earlier version
    created a workspace there. Otherwise, it uses the user's data folder.
    """
    if PROGRAM != _INSTALLED or (_HERE / DATABASE).is_file():
        return _HERE
    return user_data_path("tessera", appauthor=False) / "workspace"


def provide_file(folder: Path, name: str, *, make: bool) -> Path:
    """Return a file in the workspace, or the bundled file of the same name if there is none.

    If `make` is True, a missing file is first copied into the workspace. Anything else at its path is set aside.
    """
    file = folder / name
    built_in = PROGRAM / "data" / name
    if make and not file.is_file():
        with suppress(OSError):  # the bundled file will do
            if file.exists() or file.is_symlink():
                files.set_aside(file)
            files.replace(file, built_in.read_text("utf-8"))
    return file if file.is_file() else built_in


def user_path(name: str) -> Path:
    chosen = os.environ.get(VARIABLE, "").strip()
    return (expand_home(chosen) if chosen else Path(user_config_dir("tessera", appauthor=False))) / name


def read(name: str) -> Values:
    """Read the JSON object in a user's file, or return {} if the file is missing.

    Raises ConfigError if the file is invalid or unreadable.
    """
    file = user_path(name)
    values = None
    with suppress(OSError, ValueError, RecursionError):
        values = files.parse_json(files.read(file)) if os.path.lexists(file) else {}
    if not isinstance(values, dict):
        raise ConfigError(
            "{file} can't be read. Correct it, or delete it and enter your model servers again.", file=file
        )
    return values


def write(name: str, values: Values) -> None:
    """Atomically write a JSON object to a user's file, readable only by its owner.

    Raises ConfigError if the file can't be written.
    """
    file = user_path(name)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.replace(file, json.dumps(values, ensure_ascii=False, indent=2))
    except OSError as error:
        raise ConfigError(
            (
                "{file} can't be written ({why}). Free some disk space, or set the environment "
                "variable {variable} to another folder."
            ),
            file=file,
            why=error.strerror or type(error).__name__,
            variable=VARIABLE,
        ) from None


def expand_home(path: Path | str) -> Path:
    """Expand `~` at the start of a path, but leave `~name` unchanged if there is no such user."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 Path.expanduser raises for an unknown user


def check_vacant(place: Path) -> Path:
    """Return an absolute path with `~` expanded, or raise ConfigError if anything already exists there."""
    place = expand_home(place).absolute()
    if os.path.lexists(place):  # Path.exists raises for a name that is too long
        raise ConfigError("{place} already exists. Choose another name or folder.", place=place)
    return place
