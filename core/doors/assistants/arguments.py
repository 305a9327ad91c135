"""Schemas of tools as every client takes them, and arguments as assistants write them.

Clients of Gemini and Cursor refuse schemas with references, unions, formats or open objects.
"""

import json
from collections.abc import Mapping
from typing import Any

_KEPT = ("type", "description", "enum", "default", "minimum", "maximum", "required")

Schema = dict[str, Any]


def flat(schema: Mapping[str, Any]) -> Schema:
    """Return a JSON schema without references and unions: a value that may be null is one that may be left out."""
    return _flat(schema, schema.get("$defs", {}))


def _flat(schema: Mapping[str, Any], named: Mapping[str, Any]) -> Schema:
    inner = [item for item in schema.get("anyOf", ()) if item.get("type") != "null"]
    if len(inner) > 1:
        raise TypeError(f"A tool takes values of one type each, not of {inner}")
    if "$ref" in schema or inner:
        reference = schema.get("$ref")
        of_type = named[reference.rpartition("/")[2]] if reference else inner[0]
        return _flat({**of_type, **{name: value for name, value in schema.items() if name in _KEPT}}, named)
    made: Schema = {name: schema[name] for name in _KEPT if schema.get(name) is not None}
    if "items" in schema:
        made["items"] = _flat(schema["items"], named)
    if "properties" in schema:
        made["properties"] = {name: _flat(item, named) for name, item in schema["properties"].items()}
    return made


def read(schema: Schema, value: Any) -> Any:
    """Return a value as its schema has it, where it says so much.

    Null is as if left out, one value is a list of one, a list or an object may be written as text, and a number is a
    text as well. What else is wrong stays as it is.
    """
    kind = schema.get("type")
    if kind in ("array", "object") and isinstance(value, str):
        value = _written(value, list if kind == "array" else dict)
    if kind == "object" and isinstance(value, Mapping):
        known = schema.get("properties", {})
        return {name: read(known.get(name, {}), item) for name, item in value.items() if item is not None or not known}
    if kind == "array":
        return [read(schema["items"], item) for item in (value if isinstance(value, list) else [value])]
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _written(text: str, kind: type) -> Any:
    """Return what a text in JSON says, the text itself where that is of another kind."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, kind) else text
