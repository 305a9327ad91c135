"""Returning freed memory to the system."""

import ctypes
from contextlib import suppress


def give_back() -> None:
    """Return glibc's freed memory to the system, about 140 MB after a model's weights are loaded."""
    with suppress(AttributeError, OSError, TypeError):  # another C library, or a system without one
        ctypes.CDLL(None).malloc_trim(0)
