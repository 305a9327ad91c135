"""Output of `tessera ask` for people."""

from core.base.terminal import _, say
from core.base.text import one_line
from core.doors.operations.views.search import NoteReference
from core.features.answers.views import AnswerView
from core.model import NOT_IN_NOTES


def format_answer(answer: AnswerView) -> list[str]:
    """Return the sentences of an answer with their numbers, then their sources; of a refused one the nearest."""
    doubtful = [item for item in answer.sentences if item.explanation]
    unproven = [f"  {item.text} ({say(NOT_IN_NOTES)}: {say(item.explanation)})" for item in doubtful]
    head = [say(answer.explanation)] if answer.explanation else []
    if answer.refused:
        nearest = list(dict.fromkeys(f"  {_place(hit)}" for hit in answer.nearest))
        shown = [say(answer.bar.explanation), _("The nearest passages:"), *nearest] if nearest else []
        return [*head, *unproven, *shown]
    head += [] if answer.sure or answer.writing else [_("Perhaps:")]
    cited = (f"[{item.number}] {_place(item)}: {one_line(item.quote)}" for item in answer.citations)
    plain = (f"[{item.number}] {_place(item)}" for item in answer.citations)
    return [*head, answer.answer, *unproven, "", *(cited if answer.writing else plain)]


def _place(item: NoteReference) -> str:
    """Return the place of a passage: its note's title, its file and the base."""
    return f"{item.title} ({' / '.join(filter(None, [item.base, item.path]))})"
