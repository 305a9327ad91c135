"""Operations as tools of an assistant."""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from core.base.messages import readable
from core.doors.assistants.answers import ToolAnswer
from core.doors.operations import declaring
from core.doors.operations.declaring import PROGRAM, Operation
from core.doors.remote.client import Remote
from core.workspace import Workspace

_FIELDS = "fields"
"""The object of what an operation takes as keywords."""


class Fields(BaseModel):
    """Fields of a note; those left out stay as they are."""

    model_config = ConfigDict(extra="forbid")


def tool(operation: Operation) -> Callable[..., ToolAnswer]:
    """Return the tool of an operation; the server reads its name, its docstring and its signature."""
    names = {parameter.about.tool or parameter.name: parameter.name for parameter in operation.taken("tool")}

    def call(workspace: Workspace | Remote, **given: Any) -> ToolAnswer:
        fields = given.pop(_FIELDS, None)
        arguments = {names[name]: value for name, value in given.items()}
        arguments |= fields.model_dump(exclude_none=True) if fields else {}
        if isinstance(workspace, Remote):
            return ToolAnswer(readable(workspace.run(operation, arguments, caller=PROGRAM)))
        return ToolAnswer(readable(operation.formed(operation.run(workspace, PROGRAM, arguments))))

    taken = [Parameter("workspace", Parameter.POSITIONAL_OR_KEYWORD, annotation=Workspace)]
    taken += [_parameter(parameter) for parameter in operation.taken("tool") if parameter not in operation.fields]
    if operation.fields:
        inner: dict[str, Any] = {
            parameter.name: (_annotated(parameter), None)
            for parameter in operation.taken("tool")
            if parameter in operation.fields
        }
        model = create_model(Fields.__name__, __base__=Fields, __doc__=Fields.__doc__, **inner)
        taken.append(Parameter(_FIELDS, Parameter.KEYWORD_ONLY, annotation=model | None, default=None))
    call.__name__, call.__doc__ = operation.tool, str(operation.about)
    call.__signature__ = Signature(taken)  # type: ignore[attr-defined]
    return call


def _parameter(parameter: declaring.Parameter) -> Parameter:
    default = Parameter.empty if parameter.required else parameter.default
    return Parameter(
        parameter.about.tool or parameter.name,
        Parameter.KEYWORD_ONLY,
        annotation=_annotated(parameter),
        default=default,
    )


def _annotated(parameter: declaring.Parameter) -> Any:
    return Annotated[
        parameter.type, Field(description=str(parameter.about.text), ge=parameter.about.least, le=parameter.about.most)
    ]
