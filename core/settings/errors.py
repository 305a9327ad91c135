"""Errors in settings. They say where the error is, what is wrong, and which values are valid."""

import os
import re
import tomllib
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from core.base import files
from core.base.errors import ConfigError
from core.base.frozen import TextMap, ValueMap, Values
from core.base.messages import Message, message, message_table, reason_of, verbatim

# Prefix of environment variables for settings. A double underscore separates a section from its setting.
PREFIX = "TESSERA_"

_SECTION = message("it is a section, so set its parts, such as limit in [search] or TESSERA_SEARCH__LIMIT")
# Messages by pydantic error type. Their fields are filled in from pydantic's `ctx`, and `choices` from its `expected`.
_REASONS = {
    **message_table(
        {
            "greater_than_equal": "it must be at least {ge}",
            "greater_than": "it must be more than {gt}",
            "less_than_equal": "it must be at most {le}",
            "string_too_long": "it must have at most {max_length} characters",
            "path_type": "it must be a path",
            "tuple_type": "it must be a list",
            "string_too_short": "it must not be empty",
            "literal_error": "it must be one of {choices}",
            "extra_forbidden": "there is no such setting",
        }
    ),
    **dict.fromkeys(
        ("int_parsing", "int_parsing_size", "int_type", "int_from_float"), message("it must be a whole number")
    ),
    **dict.fromkeys(("float_parsing", "float_type", "finite_number"), message("it must be a number")),
    **dict.fromkeys(("bool_parsing", "bool_type"), message("it must be true or false")),
    **dict.fromkeys(("string_type", "string_unicode"), message("it must be text")),
    "model_type": _SECTION,
    "model_attributes_type": _SECTION,
    "dict_type": _SECTION,
}


def read_file(path: Path, *, needed: bool = False) -> bytes:
    """Return the contents of a settings file, or b"" if it is missing and not `needed`.

    Raises ConfigError if it can't be read.
    """
    try:
        return files.read(path)
    except (OSError, files.Unfit) as error:
        if isinstance(error, FileNotFoundError) and not needed:
            return b""
        raise ConfigError(
            "{path} can't be read: {reason}. Check the file and its permissions.",
            path=path.absolute(),
            reason=files.reason(error),
        ) from error


def parse_settings(data: bytes, path: Path) -> Values:
    """Parse a settings file. Raises ConfigError if the file isn't UTF-8 or isn't valid TOML."""
    file = str(path.absolute())
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(
            "{file}, line {line}: this isn't UTF-8. Save the file as UTF-8.",
            file=file,
            line=error.object.count(b"\n", 0, error.start) + 1,
        ) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            "{file} is not valid TOML. Correct it, then try again. Details: {reason}", file=file, reason=str(error)
        ) from error


def error_of(error: ValidationError, file: Path, keys: TextMap, given: ValueMap) -> ConfigError:
    """Return the error for the first invalid setting.

    `keys` are the environment variables for API keys, which aren't allowed in files. `given` are the settings passed as
    arguments.
    """
    first = error.errors()[0]
    where = first["loc"]
    key = ".".join(map(str, where))
    place = "Settings()" if where[:1] and where[0] in given else place_of(where, file)
    if where[-1:] == ("api_key",):
        return ConfigError(
            (
                "Keys are only read from environment variables, so that no file reveals them. Remove "
                "'{key}' from {place} and set one of {names}."
            ),
            key=key,
            place=place,
            names=list(keys.values()),
        )
    return ConfigError(
        "The setting '{key}' is not valid: {reason} (in {place}).", key=key, reason=problem_of(first), place=place
    )


def problem_of(error: ErrorDetails) -> Message:
    """Return the message for a validation error.

    The message comes from our validator, from the table of pydantic error types, or, if neither has one, from pydantic.
    """
    fields = error.get("ctx", {})
    if error["type"] == "value_error":
        return reason_of(fields["error"])
    if error["type"] == "extra_forbidden" and error["loc"][0] == "models":
        return message(
            (
                "there is no such section. The model server is set in {section}. To import such a file, give the "
                "file another name and run: {command}"
            ),
            section="[embeddings]",
            command="tessera settings import FILE",
        )
    if known := _REASONS.get(error["type"]):
        return replace(known, fields=fields | {"choices": re.findall("'([^']*)'", fields.get("expected", ""))})
    return verbatim(error["msg"])


def place_of(names: tuple[int | str, ...], file: Path) -> str:
    """Return the environment variable that sets a setting or its section, or the file if no variable does."""
    parts = [str(name).upper() for name in names]
    variables = {f"{PREFIX}{'__'.join(parts[:count])}" for count in range(1, len(parts) + 1)}
    return next((variable for variable in os.environ if variable.upper() in variables), str(file.absolute()))
