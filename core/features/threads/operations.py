"""Operations on threads, the questions that a language model answered one after the other."""

from typing import TYPE_CHECKING, Annotated, Any

from core.base.messages import message
from core.doors.operations.declaring import About, operation
from core.doors.operations.search import OPTIONS, Question, options
from core.doors.operations.views import Deletion
from core.doors.operations.views.notes import WrittenNote
from core.features.threads import text
from core.features.threads.views import ThreadList, ThreadSummary, ThreadView
from core.model import SearchOptions

if TYPE_CHECKING:
    from core.workspace import Workspace

_LACKS = {"tool": "an assistant has its own thread with the person"}
ThreadId = Annotated[str, About(message("A thread, by its id."))]
_EXAMPLE = {"thread": "7d117801a8e8"}


@operation(
    "thread.list",
    message("List the threads of answers that the language model wrote, the last one first."),
    http="GET /threads",
    cli="thread list",
    lacks=_LACKS,
    lines=text.format_threads,
)
def list_(workspace: "Workspace") -> ThreadList:
    return ThreadList(tuple(map(ThreadSummary.from_thread, workspace.threads.all())))


@operation(
    "thread.show",
    message("Show a thread: its questions and answers, and where their quotes stand in the notes as they are now."),
    http="GET /threads/{thread}",
    cli="thread show {thread}",
    takes=_EXAMPLE,
    lacks=_LACKS,
    lines=text.format_thread,
)
def show(workspace: "Workspace", thread: ThreadId) -> ThreadView:
    return ThreadView.from_thread(workspace.threads.get(thread), workspace.threads.place)


@operation(
    "thread.ask",
    message("Let the language model answer a question from the notes, and store the answer in a thread."),
    http="POST /threads",
    cli="thread ask {query}",
    writes=True,
    takes={"query": "where do we begin"},
    fields=OPTIONS,
    lacks=_LACKS,
    lines=text.format_thread,
)
def ask(
    workspace: "Workspace",
    query: Question,
    thread: Annotated[str, About(message("The thread to go on with; by default a new one."))] = "",
    **given: Any,
) -> ThreadView:
    chosen: SearchOptions = options(workspace, given)
    question = workspace.threads.complete(thread, query) if thread else query
    result = workspace.threads.answer(question, thread, typed=query, **chosen)
    return ThreadView.from_thread(result, workspace.threads.place)


@operation(
    "thread.keep",
    message("Make a note of a thread, with links to its sources; it waits until the person accepts it."),
    http="POST /threads/{thread}/note",
    cli="thread keep {thread}",
    writes=True,
    takes=_EXAMPLE,
    lacks=_LACKS,
)
def keep(workspace: "Workspace", thread: ThreadId) -> WrittenNote:
    return WrittenNote.from_result(workspace, workspace.threads.keep(thread))


@operation(
    "thread.delete",
    message("Delete a thread. A note that was made of it stays."),
    http="DELETE /threads/{thread}",
    cli="thread delete {thread}",
    writes=True,
    takes=_EXAMPLE,
    gives={"id": "7d117801a8e8", "deleted": True},
    lacks=_LACKS,
)
def delete(workspace: "Workspace", thread: ThreadId) -> Deletion:
    workspace.threads.delete_for_good(thread)
    return Deletion(thread)
