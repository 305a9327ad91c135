"""Answers as JSON."""

from core.base.messages import Message
from core.doors.operations.forms import Form
from core.model import Answer, AnswerThreshold, Hit, Quote, Sentence, WrittenAnswer, answer_remark, bar_line, doubt

Said = tuple[int, Quote | Sentence]
"""A part of an answer with its number: a quote, or a sentence that a language model wrote."""


def said(answer: Answer) -> list[Said]:
    return [*enumerate(answer.written, 1)] or [(quote.number, quote) for quote in answer.quotes]


def _citations(part: Said) -> list[int]:
    number, quote = part
    return [*quote.citations] if isinstance(quote, Sentence) else [number]


SENTENCE = Form(
    "AnswerSentence",
    tuple,
    number=(int, lambda part: part[0]),
    kind=(str, lambda part: getattr(part[1], "kind", "written")),
    lead=(str, lambda part: getattr(part[1], "lead", "")),
    text=(str, lambda part: part[1].text),
    marked=(str, lambda part: getattr(part[1], "marked_text", "")),
    citations=(list[int], _citations),
    explanation=(Message | None, lambda part: doubt(part[1]) if isinstance(part[1], Sentence) else None),
)
CITATION = Form(
    "AnswerCitation",
    Quote,
    "number quote=text note_id=note.id note.base note.path note.title chunk.section start end",
    page=(int | None, lambda item: item.page or None),
    line=(int | None, lambda item: item.chunk.line or None),
)
NEAREST = Form("Nearest", Hit, "rank note_id=note.id note.base note.path note.title passage.start passage.end")
BAR = Form("Bar", AnswerThreshold, "basis count share low high", explanation=(str, bar_line))
WRITING = Form(
    "AnswerWriting",
    WrittenAnswer,
    "model stopped",
    task=(str, lambda item: item.sent[0]),
    material=(str, lambda item: item.sent[1]),
)
ANSWER = Form(
    "Answer",
    Answer,
    "query answer=text refused sure likely",
    explanation=(Message | None, answer_remark),
    sentences=([SENTENCE], said),
    citations=([CITATION], "quotes"),
    nearest=([NEAREST], "nearest"),
    bar=(BAR, "bar"),
    writing=(WRITING | None, "writing"),
)
WRITTEN = Form("Written", Answer, sentences=([SENTENCE], said), citations=([CITATION], "quotes"))
"""An answer while it is written."""
