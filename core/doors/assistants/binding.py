"""Operations as tools of an assistant."""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from core.base.messages import readable
from core.doors.assistants.answers import Answer
from core.doors.operations import declaring
from core.doors.operations.declaring import PROGRAM, Operation
from core.doors.remote.client import Remote
from core.workspace import Workspace

_FIELDS = "fields"
"""The object of what an operation takes as keywords."""


class Fields(BaseModel):
    """Fields of a note; those left out stay as they are."""

    model_config = ConfigDict(extra="forbid")


def tool(one: Operation) -> Callable[..., Answer]:
    """Return the tool of an operation; the server reads its name, its docstring and its signature."""
    names = {each.about.tool or each.name: each.name for each in one.taken("tool")}

    def call(workspace: Workspace | Remote, **given: Any) -> Answer:
        fields = given.pop(_FIELDS, None)
        arguments = {names[name]: value for name, value in given.items()}
        arguments |= fields.model_dump(exclude_none=True) if fields else {}
        if isinstance(workspace, Remote):
            return Answer(readable(workspace.run(one, arguments, caller=PROGRAM)))
        return Answer(readable(one.formed(one.run(workspace, PROGRAM, arguments))))

    taken = [Parameter("workspace", Parameter.POSITIONAL_OR_KEYWORD, annotation=Workspace)]
    taken += [_parameter(each) for each in one.taken("tool") if each not in one.fields]
    if one.fields:
        inner: dict[str, Any] = {
            each.name: (_annotated(each), None) for each in one.taken("tool") if each in one.fields
        }
        model = create_model(Fields.__name__, __base__=Fields, __doc__=Fields.__doc__, **inner)
        taken.append(Parameter(_FIELDS, Parameter.KEYWORD_ONLY, annotation=model | None, default=None))
    call.__name__, call.__doc__ = one.tool, str(one.about)
    call.__signature__ = Signature(taken)  # type: ignore[attr-defined]
    return call


def _parameter(one: declaring.Parameter) -> Parameter:
    default = Parameter.empty if one.required else one.default
    return Parameter(one.about.tool or one.name, Parameter.KEYWORD_ONLY, annotation=_annotated(one), default=default)


def _annotated(one: declaring.Parameter) -> Any:
    return Annotated[one.type, Field(description=str(one.about.text), ge=one.about.least, le=one.about.most)]
