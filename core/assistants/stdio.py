"""The tools over standard input and output, for an assistant that starts Tessera itself."""

import logging
import sys
from pathlib import Path

from core.assistants import server
from core.assistants.tools import Tools
from core.errors import WorkspaceLocked
from core.workspace import Workspace


def serve(folder: Path) -> None:
    """Serve the workspace until the input ends. Beside an open app it reads directly.

    Nothing but the protocol reaches standard output: what a library prints, native code too, goes to standard error.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    with _opened(folder) as workspace:
        workspace.models.start_warming()
        tools = Tools(workspace)
        server.make(lambda: tools).run("stdio")


def _opened(folder: Path) -> Workspace:
    try:
        return Workspace(folder)
    except WorkspaceLocked:
        return Workspace(folder, readonly=True)
