"""Answers as JSON."""

from core.json_forms.forms import Form
from core.messages import Message
from core.model import REFUSED, Answer, Bar, Hit, Quote, bar_line

SENTENCE = Form("AnswerSentence", Quote, "number kind lead text")
CITATION = Form(
    "AnswerCitation",
    Quote,
    "number quote=text note_id=note.id note.base note.path note.title chunk.section start end",
    page=(int | None, lambda one: one.chunk.page or None),
    line=(int | None, lambda one: one.chunk.line or None),
)
NEAREST = Form("Nearest", Hit, "rank note_id=note.id note.base note.path note.title passage.start passage.end")
BAR = Form("Bar", Bar, "basis count share low high", told=(str, bar_line))
ANSWER = Form(
    "Answer",
    Answer,
    "query answer=text refused sure",
    told=(Message | None, lambda answer: REFUSED if answer.refused else None),
    sentences=([SENTENCE], "quotes"),
    citations=([CITATION], "quotes"),
    nearest=([NEAREST], "nearest"),
    bar=(BAR, "bar"),
)
