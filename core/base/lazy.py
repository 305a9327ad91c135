"""A value that an object computes at its first use."""

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

T = TypeVar("T")


class lazy(cached_property[T]):  # noqa: N801 - it is used as a decorator
    """As `functools.cached_property`, without its lock: in Python 3.11 all objects of a class share that.

    A thread that holds such a lock and waits for an object's own, and one that does it the other way round, wait for
    each other for ever. Here two threads may compute the value, of which the later one stays.
    """

    if not TYPE_CHECKING:  # the types are those of cached_property

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            values = vars(instance)
            if self.attrname not in values:
                values[self.attrname] = self.func(instance)
            return values[self.attrname]
