"""Logging of one line for each write, search or API call."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from logging import getLogger
from typing import Protocol

from core.base.frozen import Values

_LOG = getLogger(__name__)
_work: ContextVar[Values | None] = ContextVar("work", default=None)


class _LoggedBase(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def embedder(self) -> str: ...
    @property
    def has_vectors(self) -> bool: ...


@contextmanager
def log_call(what: str, **fields: object) -> Iterator[Values]:
    """Log a line when an operation ends, with its name, fields, duration, and the type of the error, if any.

    The caller adds fields to the yielded dictionary, such as counts and the names of bases and models, but never the
    text of a note or question. Nested operations on the same thread aren't logged separately. Their fields are added to
    the outer line. If the outer line has an empty `work` field, their name is stored there.
    """
    if (outer := _work.get()) is not None:
        outer.update(fields | ({"work": what} if outer.get("work") == "" else {}))
        yield outer
        return
    began = time.perf_counter()
    token = _work.set(fields)
    try:
        yield fields
    except BaseException as error:
        fields["error"] = type(error).__name__
        raise
    finally:
        _work.reset(token)
        values = " ".join(f"{name}={value}" for name, value in fields.items() if value not in (None, "", []))
        _LOG.info("%s: %s ms=%.0f", what, values, (time.perf_counter() - began) * 1000)


@contextmanager
def skip_log() -> Iterator[None]:
    """Suppress the logging of nested operations, such as the many searches in an evaluation."""
    token = _work.set({})
    try:
        yield
    finally:
        _work.reset(token)


def log_bases(bases: Iterable[_LoggedBase]) -> None:
    """Add the names of bases and their models to this thread's current log line."""
    line = _work.get()
    named = list(bases)
    if line is not None and named:
        line["base"] = ",".join(base.name for base in named)
        line["model"] = ",".join(sorted({base.embedder for base in named if base.has_vectors}))
