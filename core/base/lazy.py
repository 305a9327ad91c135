"""A value that an object computes at its first use."""

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

T = TypeVar("T")


class lazy(cached_property[T]):  # noqa: N801 - it is used as a decorator
    """A `functools.cached_property` without its lock, which all objects of a class share in Python 3.11.

    Two threads that take such a lock and an object's own lock in opposite orders deadlock. Here two threads may compute
    the value, and the later one is kept.
    """

    if not TYPE_CHECKING:  # the types are those of cached_property

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            values = vars(instance)
            if self.attrname not in values:
                values[self.attrname] = self.func(instance)
            return values[self.attrname]
