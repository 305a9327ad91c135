"""A note's file in the program that the system opens such files with."""

import os
import subprocess
import sys
from pathlib import Path

from core.errors import SourceError
from core.model import NOTE_SUFFIXES


def open_file(path: Path) -> None:
    """Open a note's file; raises SourceError where it isn't there or the system has no program for it."""
    if not (path.is_file() and path.name.lower().endswith(NOTE_SUFFIXES)):
        raise SourceError(str(path), "this file isn't there any more.")
    try:
        if sys.platform == "win32":
            os.startfile(path)
        else:
            program = "open" if sys.platform == "darwin" else "xdg-open"
            silent = subprocess.DEVNULL
            subprocess.Popen([program, str(path)], stdin=silent, stdout=silent, stderr=silent, start_new_session=True)
    except OSError as error:
        raise SourceError(str(path), "the system has no program that opens it.") from error
