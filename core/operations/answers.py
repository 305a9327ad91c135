"""Operations that answer."""

from typing import TYPE_CHECKING, Any

from core.json_forms import answers as forms
from core.messages import message
from core.model import Answer
from core.operations.declaring import operation
from core.operations.examples import ANSWER
from core.operations.search import OPTIONS, Question, options

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
    gives=ANSWER,
    fields=OPTIONS,
    form=forms.ANSWER,
)
def ask(workspace: "Workspace", query: Question, **given: Any) -> Answer:
    return workspace.answers.ask(query, **options(workspace, given))
