"""Run operations for commands, either in this process or in the app that has the workspace open."""

import re
import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from core.base.app_paths import expand_home
from core.base.errors import WorkspaceLocked
from core.base.frozen import ValueMap
from core.base.terminal import _
from core.doors.cli.terminal import NOTICES, TYPED, progress
from core.operations.declaring import PERSON, Operation, Parameter, Result
from core.operations.parameters import plain

if TYPE_CHECKING:
    from core.doors.remote.client import Remote
    from core.workspace import Workspace


class RunOperation(Protocol):
    """A function that runs an operation on an open workspace and returns the result."""

    def __call__(self, operation: Operation[Result], /, **values: object) -> Result: ...


def call(operation: Operation[Result], folder: Path, arguments: ValueMap) -> Result:
    """Run an operation on the workspace in a folder.

    If the app has the workspace open, the operation runs in the app. Return the result.
    """
    with opened(folder, writes=operation.writes) as run, stoppable(operation):
        return run(operation, **arguments)


@contextmanager
def opened(folder: Path, *, writes: bool = True, answers: bool = False) -> Iterator[RunOperation]:
    """Open the workspace in a folder, or connect to the app if the app has it open.

    Yield a function that runs operations. If `answers` is True and this process opens the workspace, other commands can
    run operations on it in the meantime.
    """
    from core.doors.cli.serving import answer_calls
    from core.workspace import Workspace  # takes a second to import, so --help avoids it

    with writing(folder) if writes else reading(folder) as workspace, ExitStack() as stack:
        if answers and isinstance(workspace, Workspace):
            with suppress(OSError):  # if no port is available, other commands are refused, as during any other command
                stack.enter_context(answer_calls(workspace, finishes=True))

        def run(operation: Operation[Result], /, **values: object) -> Result:
            arguments = {name: _absolute(value) for name, value in values.items() if value is not None}
            if isinstance(workspace, Workspace):
                return operation.run(workspace, PERSON, arguments, progress)
            return workspace.run(operation, arguments, progress)

        yield run


@contextmanager
def stoppable(operation: Operation[object]) -> Iterator[None]:
    """On Ctrl-C during a long operation, print the command that continues it, and exit with 130."""
    try:
        yield
    except KeyboardInterrupt:
        if not operation.reports:
            raise
        again = shlex.join(["tessera", *TYPED])
        sys.stderr.write(f"\n{_('Stopped. Everything done so far was kept. To continue: {command}', command=again)}\n")
        sys.exit(130)


def words(operation: Operation[object]) -> list[str]:
    return re.sub(r" {.*", "", operation.cli).split()


def places(operation: Operation[object]) -> list[str]:
    """Return the names of a command's positional arguments. The base is always an option."""
    return [name for name in re.findall(r"{(\w+)", operation.cli) if name != "base"]


def flag(parameter: Parameter) -> str:
    name = f"--{(parameter.about.flag or parameter.name).replace('_', '-')}"
    switches = plain(parameter.type) is bool and parameter.default is None and "/" not in name
    return f"{name}/--no-{name[2:]}" if switches else name


def _absolute(value: object) -> object:
    if isinstance(value, list):
        return list(map(_absolute, value))
    return expand_home(value).absolute() if isinstance(value, Path) else value  # the app runs in a different folder


def reading(folder: Path) -> "Workspace":
    """Open a workspace read-only, even while another process writes to it."""
    from core.workspace import Workspace  # takes a second to import, so --help avoids it

    workspace = Workspace(folder, readonly=True)
    NOTICES.append(lambda: workspace.unreadable)
    return workspace


def writing(folder: Path) -> "Workspace | Remote":
    """Open a workspace. If the app has it open, return a client that runs operations in the app."""
    from core.workspace import Workspace  # takes a second to import, so --help avoids it

    try:
        workspace = Workspace(folder)
    except WorkspaceLocked:
        from core.doors.remote import client

        remote = client.connect_running(folder)
        if remote is None:
            raise
        if names := client.differing(remote):
            note = _(
                (
                    "The open app runs this command with its own settings. The following settings differ from those "
                    "here: {names}."
                ),
                names=names,
            )
            sys.stderr.write(f"{note}\n")
        return remote
    NOTICES.append(lambda: workspace.unreadable)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _end)  # by default, SIGTERM ends the process before the workspace is closed
    return workspace


def _end(*_: object) -> NoReturn:
    """Handle SIGTERM by exiting with the usual status."""
    sys.exit(128 + signal.SIGTERM)
