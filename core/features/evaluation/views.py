"""Objects that the operations on question sets and runs return, and their output on a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from core.base.codec import assemble
from core.base.frozen import frozen
from core.base.messages import Message, plural
from core.base.terminal import _, say
from core.model import (
    FIGURES,
    Agreement,
    Comparison,
    GoldSpan,
    Measured,
    Question,
    QuestionResult,
    QuestionSet,
    RunView,
    SideBySide,
    figure_name,
)

Label = str | Message
"""The name of a setup."""


@frozen
class QuestionSetList:
    """The question sets of a base."""

    question_sets: tuple[QuestionSet, ...]


@frozen
class QuestionView:
    """A question of a set with its right passages."""

    id: str
    text: str
    kind: str
    note: str
    suggested: bool
    any: bool
    answer: str
    gold: tuple[GoldSpan, ...]


@frozen
class QuestionSetView(QuestionSet):
    """A question set with all its questions."""

    all: tuple[QuestionView, ...] = ()

    @classmethod
    def from_set(cls, question_set: QuestionSet, questions: Iterable[Question]) -> Self:
        views = tuple(assemble(QuestionView, question, gold=question.spans) for question in questions)
        return assemble(cls, question_set, all=views)


@frozen
class SuggestionCount:
    """The number of suggested questions."""

    count: int


@frozen
class CitedPassage:
    """A passage that an answer cites, by its position in the note's file."""

    path: str
    file_start: int
    file_end: int


@frozen
class FoundPassage(CitedPassage):
    """The passage of a hit."""

    score: float


@frozen
class QuestionResultView:
    """A run's hits and answer for a question. `verdict` and `reason` come from a language model's judgement."""

    id: str
    question: str
    kind: str
    negative: bool
    took_ms: float
    found_rank: int | None
    hits: tuple[FoundPassage, ...]
    answer: str | None
    cited: tuple[CitedPassage, ...]
    verdict: Agreement | None
    reason: str | None
    found_in_budget: bool

    @classmethod
    def from_result(cls, result: QuestionResult) -> Self:
        answer, judged = result.given, result.judged
        return assemble(
            cls,
            result,
            hits=tuple(assemble(FoundPassage, hit) for hit in result.hits),
            answer=answer.text if answer else None,
            cited=tuple(assemble(CitedPassage, cited) for cited in answer.cited) if answer else (),
            verdict=judged.verdict if judged else None,
            reason=judged.reason if judged else None,
            found_in_budget=result.budget_rank is not None,
        )


@frozen
class MeasuredRun(RunView):
    """A run with the results of its questions."""

    per_question: tuple[QuestionResultView, ...]

    @classmethod
    def from_measured(cls, measured: Measured) -> Self:
        run, results = measured
        return assemble(
            cls, run, pipeline=run.pipeline.name, per_question=tuple(map(QuestionResultView.from_result, results))
        )


@frozen
class SetupFigures:
    """The figures of a setup."""

    pipeline: Label
    metrics: dict[str, float]


@frozen
class ComparisonView:
    """Two setups next to each other; `differences` compare the second with the first, by metric."""

    metric: str
    settings: dict[str, tuple[object, ...]]
    notices: tuple[Message, ...]
    runs: tuple[SetupFigures, ...]
    differences: dict[str, Comparison]

    @classmethod
    def from_side_by_side(cls, compared: SideBySide) -> Self:
        runs = tuple(
            SetupFigures(label, {name: figure[at] for name, figure in compared.figures.items()})
            for at, label in enumerate(compared.labels)
        )
        return assemble(cls, compared, runs=runs, differences=compared.comparisons)


@frozen
class EvaluationView:
    """The figures of one or two setups. `pending` is the number of the base's passages without a vector."""

    scored: int
    negatives: int
    metrics: dict[str, float]
    questions: int
    per_question: tuple[QuestionResultView, ...]
    pending: int = 0
    compared: ComparisonView | None = None

    @classmethod
    def from_side_by_side(cls, shown: SideBySide, pending: int) -> Self:
        return cls(
            scored=shown.answerable,
            negatives=len(shown.rows) - shown.answerable,
            metrics=shown.runs[0].metrics,
            questions=len(shown.rows),
            per_question=tuple(QuestionResultView.from_result(row.results[0]) for row in shown.rows),
            pending=pending,
            compared=ComparisonView.from_side_by_side(shown) if shown.comparisons else None,
        )


# Output for people.


def format_set(question_set: QuestionSet) -> list[str]:
    return [_set_line(question_set)]


def format_whole_set(question_set: QuestionSetView) -> list[str]:
    lines = [_set_line(question_set)]
    for question in question_set.all:
        lines += ["", question.text]
        lines += [f"  {gold.path}: {' '.join(gold.quote.split())}" for gold in question.gold]
    return lines


def format_run(run: MeasuredRun) -> list[str]:
    lines = [_run_line(run), *_figures([run.metrics])]
    for result in run.per_question:
        rank = _("rank {rank}", rank=result.found_rank) if result.found_rank else _("missed")
        lines.append(f"  {result.question}" if result.negative else f"  {result.question} ({rank})")
    return lines


def _set_line(question_set: QuestionSet) -> str:
    return _(
        "{name}: {questions} ({id})",
        name=question_set.name,
        questions=plural("{n} question", "{n} questions", n=question_set.questions),
        id=question_set.id,
    )


def _run_line(run: RunView) -> str:
    return _(
        "{set_name}: {pipeline}, {asked} of {questions} questions asked ({id})",
        **{name: getattr(run, name) for name in ("set_name", "pipeline", "asked", "questions", "id")},
    )


def format_evaluation(evaluation: EvaluationView) -> list[str]:
    if compared := evaluation.compared:
        lines = [_question_line(evaluation)]
        lines += [f"  {number}  {say(run.pipeline)}" for number, run in enumerate(compared.runs, 1)]
        lines.append(f"{1:>9}{2:>9}")
        lines += _figures([run.metrics for run in compared.runs])
        metric, text = FIGURES[compared.metric], compared.differences[compared.metric].message
        lines.append(_("2 compared with 1, by “{metric}”: {text}", metric=metric, text=text))
        return [*lines, *map(say, compared.notices)]
    return [_question_line(evaluation), *_figures([evaluation.metrics])]


def _question_line(evaluation: EvaluationView) -> str:
    questions = say(plural("{n} question", "{n} questions", n=evaluation.questions))
    if not evaluation.pending:
        return questions
    return questions + "\n" + _("Some notes in this base are not indexed yet: the figures will change when they are.")


def _figures(runs: Sequence[Mapping[str, float]]) -> list[str]:
    """Return a line for each figure: its value in each run, then its name, which is last because its width varies."""
    return ["".join(f"{run[name]:>9.3f}" for run in runs) + f"  {say(figure_name(name))}" for name in runs[0]]
