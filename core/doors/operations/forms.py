"""Forms: the fields of a noun in JSON, from which its values and their type are made."""

from collections.abc import Callable
from copy import copy
from dataclasses import fields
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, get_type_hints

from core.base.codec import encode, json_type, typed_dict
from core.base.messages import Message

_PLAIN = frozenset((str, int, float, bool, type(None), Message))
"""Types of values that stay as they are."""


class Form:
    """A noun as an object of JSON.

    `names` are attributes, separated by spaces: `rank`, or `note.path`, which is called `path`, or `note_id=note.id`. A
    field of `more` is its type with its attribute or with a function of the noun; `FORM`, `FORM | None` and `[FORM]`
    are types too.
    """

    optional = False

    def __init__(self, name: str, noun: type, names: str = "", /, **more: tuple[Any, str | Callable[[Any], Any]]):
        self.name, self._noun = name, noun
        pairs = (entry.rpartition("=") for entry in names.split())
        chosen = {name or path.rpartition(".")[2]: path for name, _, path in pairs}
        self._paths = chosen
        self.parts = {name: kind for name, (kind, _) in more.items()}
        getters = {name: attrgetter(get) if isinstance(get, str) else get for name, (_, get) in more.items()}
        self._getters = {name: attrgetter(path) for name, path in chosen.items()} | getters

    def __call__(self, noun: Any) -> dict[str, Any]:
        values = {name: get(noun) for name, get in self._getters.items()}
        return {
            name: value if type(value) in _PLAIN else _filled(self.parts.get(name), value)
            for name, value in values.items()
        }

    def __or__(self, _: None) -> "Form":
        form = copy(self)
        form.optional = True
        return form

    @cached_property
    def type(self) -> Any:
        """The type of the values, a typed dictionary."""
        return typed_dict(self.name, {name: self._type(name) for name in self._getters})

    def _type(self, name: str) -> Any:
        return _type_of(self.parts[name] if name in self.parts else _hint(self._noun, self._paths[name]))

    def through(self, inner: Callable[[Any], Any]) -> dict[str, tuple[Any, Any]]:
        """Return these fields for a form of another noun, from which `inner` takes this form's noun."""
        return {name: (partial(self._type, name), _after(inner, get)) for name, get in self._getters.items()}


def all_names(noun: Any) -> str:
    """Return the names of all fields of a noun."""
    return " ".join(field.name for field in fields(noun))


def _filled(kind: Any, value: Any) -> Any:
    if isinstance(kind, Form):
        return kind(value)
    return [*map(kind[0], value)] if isinstance(kind, list) else encode(value)


def _after(first: Callable[[Any], Any], then: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda noun: then(first(noun))


def _hint(noun: type, path: str) -> Any:
    """Return the type of the value at a path of attributes."""
    for name in path.split("."):
        attribute = getattr(noun, name, None)
        noun = (
            get_type_hints(attribute.fget)["return"] if isinstance(attribute, property) else get_type_hints(noun)[name]
        )
    return noun


def _type_of(kind: Any) -> Any:
    if isinstance(kind, Form):
        return kind.type | None if kind.optional else kind.type
    if isinstance(kind, partial):
        return kind()
    return list[kind[0].type] if isinstance(kind, list) else json_type(kind)  # type: ignore[misc]
