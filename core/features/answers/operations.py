"""Operations that answer."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from core.base.messages import message
from core.doors.operations.declaring import About, operation
from core.doors.operations.search import OPTIONS, Question, options
from core.features.answers import text
from core.features.answers.views import AnswerView
from core.model import Answer, Progress, no_progress

if TYPE_CHECKING:
    from core.workspace import Workspace


@operation(
    "answer.ask",
    message("Answer a question with sentences of the notes, each with its source; or say that they don't answer it."),
    http="POST /answer",
    cli="ask {query}",
    tool="knowledge_answer",
    by_hand=("tool",),
    takes={"query": "where do we begin", "bases": ["work"]},
    fields=OPTIONS,
    lines=text.format_answer,
)
def ask(
    workspace: "Workspace",
    query: Question,
    with_model: Annotated[
        bool,
        About(
            message(
                "Let the language model of the settings write the answer; what your notes don't prove of it is marked."
            )
        ),
    ] = False,
    progress: Progress = no_progress,
    **given: Any,
) -> AnswerView:
    if with_model:
        for steps, answer in enumerate(writing(workspace, query, given)):
            progress(steps, steps + 1, answer.written[-1].text if answer.written else "")
        progress(1, 1, "")
    else:
        answer = workspace.answers.ask(query, **options(workspace, given))
    workspace.uses.answered(answer)
    return AnswerView.from_answer(answer)


def writing(workspace: "Workspace", query: str, values: Mapping[str, Any], **more: Any) -> Iterator[Answer]:
    """Yield an answer as the language model writes it, until `stop` returns True; raises as `ask` does."""
    return workspace.answers.write(query, **options(workspace, values), **more)
