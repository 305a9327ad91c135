"""Threads as JSON."""

from core.base.messages import Message
from core.doors.operations.forms import Form
from core.model import Cited, CitedPlace, DiffPiece, Sentence, Thread, Turn, doubt

LISTED = Form("ThreadCard", Thread, "id title at", questions=(int, lambda thread: len(thread.turns)))
THREADS = Form("Threads", list, threads=([LISTED], list))
SENTENCE = Form("ThreadSentence", Sentence, "text citations", explanation=(Message | None, doubt))
_FOUND = ("same", "moved")
PLACED = Form(
    "ThreadCitation",
    tuple,
    number=(int, lambda pair: pair[0].number),
    quote=(str, lambda pair: pair[0].quote),
    note_id=(str, lambda pair: pair[0].note_id),
    version=(int, lambda pair: pair[0].version),
    title=(str, lambda pair: pair[1].title),
    state=(str, lambda pair: pair[1].state),
    start=(int | None, lambda pair: pair[1].start if pair[1].state in _FOUND else None),
    end=(int | None, lambda pair: pair[1].end if pair[1].state in _FOUND else None),
    pieces=([Form("ThreadPiece", DiffPiece, "kind text")], lambda pair: pair[1].pieces),
)
Placed = tuple[Turn, list[tuple[Cited, CitedPlace]]]
TURN = Form(
    "ThreadTurn",
    tuple,
    number=(int, lambda placed: placed[0].number),
    typed=(str, lambda placed: placed[0].typed),
    question=(str, lambda placed: placed[0].question),
    model=(str, lambda placed: placed[0].model),
    at=(str, lambda placed: placed[0].at.isoformat()),
    sentences=([SENTENCE], lambda placed: placed[0].sentences),
    citations=([PLACED], lambda placed: placed[1]),
)
THREAD = Form(
    "Thread",
    tuple,
    id=(str, lambda pair: pair[0].id),
    title=(str, lambda pair: pair[0].title),
    turns=([TURN], lambda pair: pair[1]),
)
