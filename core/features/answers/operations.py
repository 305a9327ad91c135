"""The operation that answers questions, the objects it returns, and its terminal output."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Self

from core.base.codec import assemble
from core.base.flow import without_bars
from core.base.frozen import AnyMap, Texts, frozen
from core.base.messages import Message, lines
from core.base.terminal import _, say
from core.base.text import one_line
from core.model import (
    ANSWERED,
    Answer,
    Answered,
    Hit,
    Mark,
    Notice,
    Progress,
    Quote,
    QuoteKind,
    Sentence,
    expired_notes,
    limits_of,
    no_progress,
)
from core.operations.declaring import About, operation
from core.operations.search import OPTIONS, NoteReference, Question, format_sentence, options
from core.providers.connection import Stop, never

if TYPE_CHECKING:
    from core.workspace import Workspace


# Objects returned by the operation.


@frozen
class AnswerSentence:
    """A part of an answer: a quote, or a sentence written by a language model (`kind` is `written`).

    `mark` says how well the notes support the sentence. `definitions` are the definitions of the footnotes and
    reference links in a quote, taken from elsewhere in its note.
    """

    number: int
    kind: str
    lead: str
    text: str
    marked: str
    citations: tuple[int, ...]
    mark: Mark
    explanation: Message | None
    definitions: Texts = ()

    @classmethod
    def from_quote(cls, quote: Quote) -> Self:
        return assemble(
            cls,
            quote,
            marked=quote.marked_text,
            citations=(quote.number,),
            mark="word_for_word",
            explanation=None,
        )

    @classmethod
    def from_sentence(cls, number: int, sentence: Sentence) -> Self:
        return cls(number, "written", "", sentence.text, "", sentence.citations, sentence.mark, sentence.explanation)


@frozen
class AnswerCitation(NoteReference):
    """A numbered quote, what it is part of, and its position in the note's body."""

    number: int
    quote: str
    kind: QuoteKind
    section: Texts
    start: int
    end: int
    page: int | None
    line: int | None

    @classmethod
    def from_quote(cls, quote: Quote) -> Self:
        return assemble(
            cls,
            quote,
            quote.note,
            quote.chunk,
            note_id=quote.note.id,
            quote=quote.text,
            page=quote.page or None,
            line=quote.chunk.line or None,
        )


@frozen
class NearestHit(NoteReference):
    """A search hit for a question, and the position of its passage in the note."""

    rank: int
    start: int
    end: int

    @classmethod
    def from_hit(cls, hit: Hit) -> Self:
        return assemble(cls, hit, hit.passage, hit.note, note_id=hit.note.id)


@frozen
class AnswerWriting:
    """The language model that wrote an answer, and the task and material sent to the model."""

    model: str
    stopped: bool
    task: str
    material: str


@frozen
class AnswerView:
    """An answer's sentences, if any, with their sources, and the passages nearest to the question.

    `answered` says whether the notes answer the question. `chance` is the probability, from 0 to 1, that the first
    quote is right.
    """

    query: str
    answer: str
    answered: Answered
    chance: float
    explanation: Message | None
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[AnswerCitation, ...]
    nearest: tuple[NearestHit, ...]
    writing: AnswerWriting | None
    notices: tuple[Notice, ...]

    @property
    def remarks(self) -> list[Message]:
        """Messages to show before the sentences."""
        return [*limits_of(self.notices), *filter(None, [self.explanation])]

    @classmethod
    def from_answer(cls, answer: Answer) -> Self:
        written = tuple(AnswerSentence.from_sentence(*numbered) for numbered in enumerate(answer.written, 1))
        writing = answer.writing
        expired = answer.result.expired if answer.answered == "no" else 0
        said = list(filter(None, [answer.explanation, expired_notes(expired) if expired else None]))
        return assemble(
            cls,
            answer,
            answer=answer.text,
            explanation=lines(*said, separator=" ") if len(said) > 1 else next(iter(said), None),
            sentences=written or tuple(map(AnswerSentence.from_quote, answer.quotes)),
            citations=tuple(map(AnswerCitation.from_quote, answer.quotes)),
            nearest=tuple(map(NearestHit.from_hit, answer.nearest)),
            writing=AnswerWriting(writing.model, writing.stopped, *writing.sent) if writing else None,
            notices=answer.result.notices,
        )


@frozen
class WrittenSentence(AnswerSentence):
    """The latest sentence of an answer that is still being written, with its sources."""

    sources: tuple[AnswerCitation, ...] = ()

    @classmethod
    def from_answer(cls, answer: Answer) -> Self:
        sentence = cls.from_sentence(len(answer.written), answer.written[-1])
        sources = (quote for quote in answer.quotes if quote.number in sentence.citations)
        return replace(sentence, sources=tuple(map(AnswerCitation.from_quote, sources)))


# Terminal output.


def format_answer(answer: AnswerView) -> list[str]:
    """Return an answer as lines with its sentences and sources, or with the nearest passages if it has no sources."""
    head = list(map(say, answer.remarks))
    written = [format_sentence(item) for item in answer.sentences if item.kind == "written"]
    if not answer.citations:
        nearest = list(dict.fromkeys(f"  {_place(hit)}" for hit in answer.nearest))
        return [*head, *written, *([_("The closest passages:"), *nearest] if nearest else [])]
    if not written:
        head.append(say(ANSWERED[answer.answered]))
    sources = []
    for item in answer.citations:
        quote = item.quote if item.kind == "code" else without_bars(item.quote)
        sources.append(f"[{item.number}] {_place(item)}{f': {one_line(quote)}' if answer.writing else ''}")
    return [*head, *(written or [answer.answer]), "", *sources]


def _place(item: NoteReference) -> str:
    """Return the title of a passage's note, followed by the note's base and path in parentheses."""
    return f"{item.title} ({' / '.join(filter(None, [item.base, item.path]))})"


# The operation.


@operation(
    "answer.ask",
    "Answer a question with sentences from the notes, each with its source, or say that the notes don't answer it.",
    http="POST /answer",
    cli="ask {query}",
    tool="knowledge_answer",
    takes={"query": "where do we begin", "bases": ["work"]},
    fields=OPTIONS,
    lines=format_answer,
)
def ask(
    workspace: "Workspace",
    query: Question,
    with_model: Annotated[
        bool,
        About(
            "Let the language model from the settings write the answer. Each sentence is marked with how well the "
            "notes support it."
        ),
    ] = False,
    progress: Progress = no_progress,
    **given: object,
) -> AnswerView:
    if with_model:
        for steps, answer in enumerate(writing(workspace, query, given)):
            progress(steps, steps + 1, answer.written[-1].text if answer.written else "")
        progress(1, 1, "")
    else:
        answer = workspace.answers.ask(query, **options(workspace, given))
    workspace.uses.answered(answer)
    return AnswerView.from_answer(answer)


def writing(workspace: "Workspace", query: str, values: AnyMap, stop: Stop = never) -> Iterator[Answer]:
    """Yield the answer so far while a language model writes it, until `stop` returns True.

    Raises the same errors as `ask`.
    """
    return workspace.answers.write(query, stop=stop, **options(workspace, values))
