"""A function that returns freed memory to the system."""

import ctypes
from contextlib import suppress


def give_back() -> None:
    """Return freed memory that glibc still holds to the system. After loading a model, this is about 140 MB."""
    with suppress(AttributeError, OSError, TypeError):  # the system has another C library, or none
        ctypes.CDLL(None).malloc_trim(0)
