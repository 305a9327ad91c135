"""Operations as tools of an assistant."""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated, Any

from pydantic import Field

from core.assistants.answers import Answer
from core.messages import readable
from core.operations.declaring import PROGRAM, Operation
from core.workspace import Workspace


def tool(one: Operation) -> Callable[..., Answer]:
    """Return the tool of an operation; the server reads its name, its docstring and its signature."""

    def call(workspace: Workspace, **given: Any) -> Answer:
        return Answer(readable(one.formed(one.run(workspace, PROGRAM, given))))

    taken = [Parameter("workspace", Parameter.POSITIONAL_OR_KEYWORD, annotation=Workspace)]
    for each in one.parameters:
        annotation: Any = Annotated[each.type, Field(description=str(each.about.text))]
        default = Parameter.empty if each.required else each.default
        taken.append(Parameter(each.name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default))
    call.__name__, call.__doc__ = one.tool, str(one.about)
    call.__signature__ = Signature(taken)  # type: ignore[attr-defined]
    return call
