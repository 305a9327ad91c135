"""Operations on threads, the objects they return, and their terminal output."""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

from core.base.codec import assemble
from core.base.frozen import frozen
from core.base.terminal import _, say
from core.base.text import one_line
from core.model import GONE, Cited, DiffPiece, Sentence, Thread
from core.operations.declaring import About, operation
from core.operations.printing import table
from core.operations.search import OPTIONS, Question, format_sentence, options
from core.operations.views import Deletion, WrittenNote

if TYPE_CHECKING:
    from core.workspace import Workspace


# What the operations return.


@frozen
class ThreadSummary:
    """A thread without its answers."""

    id: str
    title: str
    at: datetime
    questions: int


@frozen
class ThreadList:
    """All threads."""

    threads: tuple[ThreadSummary, ...]


@frozen
class ThreadCitation:
    """A quote with its state, and its position in the note's current text if the text still contains the quote."""

    number: int
    quote: str
    note_id: str
    version: int
    title: str
    state: Literal["same", "moved", "changed", "deleted"]
    start: int | None
    end: int | None
    pieces: tuple[DiffPiece, ...]


@frozen
class ThreadTurn:
    """A question and its answer."""

    number: int
    typed: str
    question: str
    model: str
    at: datetime
    sentences: tuple[Sentence, ...]
    citations: tuple[ThreadCitation, ...]


@frozen
class ThreadView:
    """A thread, with the current positions of its quotes."""

    id: str
    title: str
    turns: tuple[ThreadTurn, ...]


def _view(workspace: "Workspace", thread: Thread) -> ThreadView:
    return assemble(
        ThreadView,
        thread,
        turns=tuple(
            assemble(ThreadTurn, turn, citations=tuple(_cited(workspace, cited) for cited in turn.citations))
            for turn in thread.turns
        ),
    )


def _cited(workspace: "Workspace", cited: Cited) -> ThreadCitation:
    place = workspace.threads.place(cited)
    start, end = (place.start, place.end) if place.state in ("same", "moved") else (None, None)
    return assemble(ThreadCitation, place, cited, start=start, end=end)


# Output for people.


def format_thread(thread: ThreadView) -> list[str]:
    return [_("Thread {id}", id=thread.id), *(line for turn in thread.turns for line in _format_turn(turn))]


def _format_turn(turn: ThreadTurn) -> Iterator[str]:
    yield f"\n{turn.typed}"
    if turn.question != turn.typed:
        yield _("Searched for: {question}", question=turn.question)
    yield from map(format_sentence, turn.sentences)
    for cited in turn.citations:
        gone = f" ({say(GONE[cited.state])})" if cited.state in GONE else ""
        yield f"[{cited.number}] {cited.title}{gone}: {one_line(cited.quote)}"


# The operations.

ThreadId = Annotated[str, About("The id of a thread.")]
_EXAMPLE = {"thread": "7d117801a8e8"}


@operation(
    "thread.list",
    "List the threads of answers that the language model wrote, newest first.",
    http="GET /threads",
    cli="thread list",
    lines=table("id", "title", empty="There are no threads yet."),
)
def list_(workspace: "Workspace") -> ThreadList:
    return ThreadList(
        tuple(assemble(ThreadSummary, thread, questions=len(thread.turns)) for thread in workspace.threads.all())
    )


@operation(
    "thread.show",
    "Show a thread: its questions and answers, and where their quotes are in the notes now.",
    http="GET /threads/{thread}",
    cli="thread show {thread}",
    takes=_EXAMPLE,
    lines=format_thread,
)
def show(workspace: "Workspace", thread: ThreadId) -> ThreadView:
    return _view(workspace, workspace.threads.get(thread))


@operation(
    "thread.ask",
    "Let the language model answer a question from the notes, and store the answer in a thread.",
    http="POST /threads",
    cli="thread ask {query}",
    writes=True,
    takes={"query": "where do we begin"},
    fields=OPTIONS,
    lines=format_thread,
)
def ask(
    workspace: "Workspace",
    query: Question,
    thread: Annotated[str, About("The thread to continue. By default, a new thread is started.")] = "",
    **given: object,
) -> ThreadView:
    chosen = options(workspace, given)
    question = workspace.threads.complete(thread, query) if thread else query
    return _view(workspace, workspace.threads.answer(question, thread, typed=query, **chosen))


@operation(
    "thread.keep",
    "Make a note from a thread, with links to its sources. The note waits until the user accepts it.",
    http="POST /threads/{thread}/note",
    cli="thread keep {thread}",
    writes=True,
    takes=_EXAMPLE,
)
def keep(workspace: "Workspace", thread: ThreadId) -> WrittenNote:
    return WrittenNote.from_result(workspace, workspace.threads.keep(thread))


@operation(
    "thread.delete",
    "Delete a thread. A note made from it is kept.",
    http="DELETE /threads/{thread}",
    cli="thread delete {thread}",
    writes=True,
    takes=_EXAMPLE,
    gives={"id": "7d117801a8e8", "deleted": True},
)
def delete(workspace: "Workspace", thread: ThreadId) -> Deletion:
    workspace.threads.delete_for_good(thread)
    return Deletion(thread)
