"""Checks of an operation's arguments from another process, which become values of the declared types."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from core.base.errors import ConfigError
from core.base.messages import verbatim
from core.doors.operations.declaring import Operation


def arguments(operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an operation; raises ConfigError that names the wrong one."""
    from pydantic import ValidationError

    try:
        checked = _model(operation).model_validate(values)
    except ValidationError as error:
        wrong = error.errors()[0]
        place, why = ".".join(map(str, wrong["loc"])), verbatim(wrong["msg"])
        raise ConfigError("'{name}' can't be used: {reason}.", name=place, reason=why) from error
    return {name: getattr(checked, name) for name in checked.model_fields_set}


@cache
def _model(operation: Operation) -> Any:
    from pydantic import ConfigDict, create_model

    fields: dict[str, Any] = {
        parameter.name: (parameter.type, ... if parameter.required else parameter.default)
        for parameter in operation.parameters
    }
    return create_model(operation.name, __config__=ConfigDict(extra="forbid", allow_inf_nan=False), **fields)
