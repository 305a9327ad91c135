"""The standard output of a process that speaks a protocol on it."""

import os
import sys
from typing import TextIO


def take_stdout() -> TextIO:
    """Return standard output for the protocol alone; all other output, of native code too, goes to stderr.

    Call it before imports, because a library may print while it loads.
    """
    sys.stdout.flush()
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return wire
