"""The properties of a note: values of its front matter, or of the program that wrote it, that no field has."""

from collections.abc import Iterator, Mapping


def property_text(value: object) -> str:
    """Return a property for people: a list with commas, a checkbox as a sign."""
    if isinstance(value, bool):
        return "☑" if value else "☐"
    if isinstance(value, list | tuple):
        return ", ".join(map(property_text, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}: {property_text(part)}" for name, part in value.items())
    return "" if value is None else str(value)


def property_values(properties: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the name and each single value of all properties, as filters and the index of words have them."""
    for name, value in properties.items():
        yield from ((name, text) for text in dict.fromkeys(_texts(value)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list | tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
    elif value is not None and (text := str(value).lower() if isinstance(value, bool) else str(value).strip()):
        yield text
