"""Output of the commands on threads for people."""

from collections.abc import Iterator

from core.base.terminal import _, say
from core.base.text import one_line
from core.features.threads.views import ThreadList, ThreadTurn, ThreadView
from core.model import GONE, NOT_IN_NOTES


def format_threads(listed: ThreadList) -> list[str]:
    return [f"{thread.id}  {thread.title}" for thread in listed.threads] or [_("There are no threads yet.")]


def format_thread(thread: ThreadView) -> list[str]:
    return [_("Thread {id}", id=thread.id), *(line for turn in thread.turns for line in _format_turn(turn))]


def _format_turn(turn: ThreadTurn) -> Iterator[str]:
    yield f"\n{turn.typed}"
    if turn.question != turn.typed:
        yield _("Searched as: {question}", question=turn.question)
    for sentence in turn.sentences:
        marks = "".join(f"[{number}]" for number in sentence.citations)
        unproven = f"  {sentence.text} ({say(NOT_IN_NOTES)}: {say(sentence.explanation)})"
        yield f"{sentence.text} {marks}" if marks else unproven
    for cited in turn.citations:
        gone = f" ({say(GONE[cited.state])})" if cited.state in GONE else ""
        yield f"[{cited.number}] {cited.title}{gone}: {one_line(cited.quote)}"
