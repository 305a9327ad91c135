"""Operations on question sets and evaluation runs, the objects they return, and their terminal output."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

from core.base.codec import assemble
from core.base.errors import UnknownChoice
from core.base.frozen import AnyMap, ValueMap, frozen
from core.base.messages import Messages, Text, message, plural
from core.base.terminal import _, say
from core.model import (
    FIGURES,
    Agreement,
    Comparison,
    GoldSpan,
    MetricValues,
    Pipeline,
    Progress,
    QuestionResult,
    QuestionSet,
    RunList,
    RunView,
    SearchSettings,
    SideBySide,
    figure_name,
)
from core.operations.declaring import EXAMPLES, About, operation
from core.operations.parameters import SEARCH, Base, check_base
from core.operations.printing import sentence, table
from core.operations.views import Deletion

if TYPE_CHECKING:
    from core.workspace import Workspace


@frozen
class QuestionSetList:
    """The question sets for a base."""

    question_sets: tuple[QuestionSet, ...]


@frozen
class QuestionView:
    """A question in a question set, with the passages that answer it (`gold`)."""

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


@frozen
class SuggestionCount:
    """The number of questions that were suggested and added to a question set."""

    count: int


@frozen
class CitedPassage:
    """A passage cited by an answer, with its position in the note's file."""

    path: str
    file_start: int
    file_end: int


@frozen
class FoundPassage(CitedPassage):
    """A hit's passage and score."""

    score: float


@frozen
class QuestionResultView:
    """A question's hits and answer in an evaluation run.

    `verdict` and `reason` are None unless a language model judged the answer.
    """

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
        answer = result.given
        judged = result.judged
        return assemble(
            cls,
            result,
            hits=tuple(assemble(FoundPassage, hit) for hit in result.hits),
            answer=answer and answer.text,
            cited=tuple(assemble(CitedPassage, cited) for cited in answer.cited) if answer else (),
            verdict=judged and judged.verdict,
            reason=judged and judged.reason,
            found_in_budget=result.budget_rank is not None,
        )


@frozen
class MeasuredRun(RunView):
    """An evaluation run with its result for each question."""

    per_question: tuple[QuestionResultView, ...]


@frozen
class SetupFigures:
    """The figures measured with a setup."""

    pipeline: Text  # called a setup on the screen
    metrics: MetricValues


@frozen
class ComparisonView:
    """A comparison of two setups. `differences` contains the second minus the first, by metric."""

    metric: str
    settings: dict[str, tuple[object, ...]]
    notices: Messages
    runs: tuple[SetupFigures, ...]
    differences: dict[str, Comparison]


@frozen
class EvaluationView:
    """The figures for one or two setups. `pending` is the number of passages in the base that have no vector yet."""

    scored: int
    negatives: int
    metrics: MetricValues
    questions: int
    per_question: tuple[QuestionResultView, ...]
    pending: int = 0
    compared: ComparisonView | None = None

    @classmethod
    def from_side_by_side(cls, shown: SideBySide, pending: int) -> Self:
        setups = tuple(
            SetupFigures(label, {name: figure[at] for name, figure in shown.figures.items()})
            for at, label in enumerate(shown.labels)
        )
        return cls(
            scored=shown.answerable,
            negatives=len(shown.rows) - shown.answerable,
            metrics=shown.runs[0].metrics,
            questions=len(shown.rows),
            per_question=tuple(QuestionResultView.from_result(row.results[0]) for row in shown.rows),
            pending=pending,
            compared=assemble(ComparisonView, shown, runs=setups, differences=shown.comparisons)
            if shown.comparisons
            else None,
        )


# Terminal output.


def format_whole_set(question_set: QuestionSetView) -> list[str]:
    lines = [_set_line(question_set)]
    for question in question_set.all:
        lines += ["", question.text]
        lines += [f"  {gold.path}: {' '.join(gold.quote.split())}" for gold in question.gold]
    return lines


_RUN_LINE = sentence("{set_name}: {pipeline}, {asked} of {questions} questions asked ({id})")


def format_run(run: MeasuredRun) -> list[str]:
    lines = [*_RUN_LINE(run), *_figures([run.metrics])]
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


def format_evaluation(evaluation: EvaluationView) -> list[str]:
    lines = [say(plural("{n} question", "{n} questions", n=evaluation.questions))]
    if evaluation.pending:
        lines.append(
            _("Some notes in this base are not indexed yet. The figures will change once these notes are indexed.")
        )
    compared = evaluation.compared
    if compared is None:
        return [*lines, *_figures([evaluation.metrics])]
    lines += [f"  {number}  {say(run.pipeline)}" for number, run in enumerate(compared.runs, 1)]
    return [
        *lines,
        f"{1:>9}{2:>9}",
        *_figures([run.metrics for run in compared.runs]),
        _(
            "Setup 2 compared with setup 1, measured by '{metric}': {text}",
            metric=FIGURES[compared.metric],
            text=compared.differences[compared.metric].message,
        ),
        *map(say, compared.notices),
    ]


def _figures(runs: Sequence[MetricValues]) -> list[str]:
    """Return a line for each figure with its value in each evaluation run.

    Names come last, because their width varies.
    """
    return ["".join(f"{run[name]:>9.3f}" for run in runs) + f"  {say(figure_name(name))}" for name in runs[0]]


Set = Annotated[str, About("The id of a question set.")]
RunId = Annotated[str, About("The id of a test run.")]
Setup = str | None


# question sets


@operation(
    "questions.list",
    "List the question sets of a base.",
    http="GET /question-sets",
    cli="questions list",
    lines=table("name", "questions", "id", empty="The base has no question sets."),
)
def list_(workspace: "Workspace", base: Base) -> QuestionSetList:
    return QuestionSetList(tuple(workspace.question_sets.all(base)))


@operation(
    "questions.add",
    "Create a question set, or add questions to one. Either all of the questions are added, or none.",
    http="POST /question-sets",
    cli="questions add {name}",
    writes=True,
    creates="/question-sets/{id}",
    takes=EXAMPLES["NEW_SET"],
    lines=lambda question_set: [_set_line(question_set)],
)
def add(
    workspace: "Workspace",
    base: Base,
    name: Annotated[str, About("The name of the question set.")],
    questions: Annotated[str, About("Lines of a question file (JSONL).", long=True)] = "",
    file: Annotated[
        Path | None, About("A file with questions and their correct passages (JSONL, CSV).", doors=("cli",))
    ] = None,
) -> QuestionSet:
    if not (questions or file):
        return workspace.question_sets.add(base, name)
    return workspace.question_sets.add_file(
        base,
        name,
        workspace.question_sets.content(file) if file else questions.encode(),
        str(file or "questions"),
    )


@operation(
    "questions.show",
    "Show a question set with its questions and the locations of their correct passages.",
    http="GET /question-sets/{question_set}",
    cli="questions show {question_set}",
    takes={"question_set": "8c21"},
    lines=format_whole_set,
)
def show(workspace: "Workspace", question_set: Set) -> QuestionSetView:
    known = _known(workspace, question_set)
    return assemble(
        QuestionSetView,
        known,
        all=tuple(assemble(QuestionView, question, gold=question.spans) for question in workspace.questions.all(known)),
    )


@operation(
    "questions.delete",
    "Delete a question set. Its test runs are kept.",
    http="DELETE /question-sets/{question_set}",
    cli="questions delete {question_set}",
    writes=True,
    takes={"question_set": "8c21"},
    gives={"id": "8c21", "deleted": True},
    lines="The question set was deleted. Its test runs are kept.",
)
def delete(workspace: "Workspace", question_set: Set) -> Deletion:
    workspace.question_sets.delete_for_good(_known(workspace, question_set))
    return Deletion(question_set)


def _known(workspace: "Workspace", set_id: str) -> QuestionSet:
    """Return a question set by id. Raises UnknownChoice if there is no such question set."""
    if question_set := workspace.question_sets.find(set_id):
        return question_set
    sets = [known.id for base in workspace.bases.all() for known in workspace.question_sets.all(base.name)]
    raise UnknownChoice(message("question set"), set_id, sets)


@operation(
    "questions.suggest",
    "Look for questions that the notes answer. They wait in the question set until the user accepts them.",
    http="POST /question-sets/{question_set}/suggestions",
    cli="questions suggest {question_set}",
    writes=True,
    job="suggest",
    check=lambda workspace, question_set, **_: _known(workspace, question_set),
    takes={"question_set": "8c21", "count": 20},
    lines=plural("{n} question suggested", "{n} questions suggested"),
)
def suggest(
    workspace: "Workspace",
    progress: Progress,
    question_set: Set,
    count: Annotated[int, About("The maximum number of questions.", least=1, most=1000)] = 20,
    by_model: Annotated[bool, About("Use the language model from the settings instead of rules.")] = False,
) -> SuggestionCount:
    return SuggestionCount(
        len(workspace.questions.suggest(_known(workspace, question_set), count, by_model=by_model, progress=progress))
    )


# runs

_RUNS = table("set_name", "pipeline", "asked", "questions", "id", empty="This base has no test runs yet.")


def _pipelines(
    workspace: "Workspace", question_set: str, search: ValueMap | None = None, compare: Setup = None
) -> tuple[QuestionSet, list[Pipeline]]:
    """Return a question set, and the pipelines with which to run it.

    Raises the same errors as `Runs.variants` and `Runs.to_ask`, and UnknownChoice if the question set doesn't exist.
    """
    known = _known(workspace, question_set)
    pipelines = workspace.runs.variants(
        workspace.bases.by_id(known.base_id).name, SearchSettings.from_values(search or {}), compare
    )
    workspace.runs.to_ask(known)
    return known, pipelines


@operation(
    "run.start",
    "Search with all the questions in a question set, and save the results.",
    http="POST /question-sets/{question_set}/runs",
    cli="evaluate {questions} --save",
    by_hand="cli",
    writes=True,
    job="evaluate",
    check=_pipelines,
    takes={"question_set": "8c21", "search": {"limit": 5}},
)
def start(
    workspace: "Workspace",
    progress: Progress,
    question_set: Annotated[str, About("The id of a question set.", doors=("http",))],
    search: Annotated[AnyMap | None, About("The search settings to use for each question.", parts=SEARCH)] = None,
    compare: Annotated[Setup, About("Also run this setup, such as chunk_size=256,reranker=none.")] = None,
) -> RunList:
    known, pipelines = _pipelines(workspace, question_set, search, compare)
    return RunList.from_runs(workspace.runs.run(known, pipelines, progress))


@operation(
    "run.list",
    "List the test runs on a base, newest first.",
    http="GET /runs",
    cli="runs list",
    lines=_RUNS,
)
def runs(workspace: "Workspace", base: Base) -> RunList:
    return RunList.from_runs(workspace.runs.all(base))


@operation(
    "run.show",
    "Show a test run with the results for each question.",
    http="GET /runs/{run}",
    cli="runs show {run}",
    takes={"run": "5d07"},
    lines=format_run,
)
def show_run(workspace: "Workspace", run: RunId) -> MeasuredRun:
    ((shown, results),) = workspace.runs.measured([run])
    return assemble(
        MeasuredRun,
        shown,
        pipeline=shown.pipeline.name,
        per_question=tuple(map(QuestionResultView.from_result, results)),
    )


@operation(
    "run.delete",
    "Delete a test run.",
    http="DELETE /runs/{run}",
    cli="runs delete {run}",
    writes=True,
    takes={"run": "5d07"},
    gives={"id": "5d07", "deleted": True},
    lines="The test run was deleted.",
)
def delete_run(workspace: "Workspace", run: RunId) -> Deletion:
    workspace.runs.delete_for_good([run])
    return Deletion(run)


# whether notes can be found


@operation(
    "findability.check",
    "Make a question set from the notes in a base, and run it to check whether the notes can be found.",
    http="POST /bases/{base:path}/findability",
    cli="check notes",
    writes=True,
    job="evaluate",
    check=check_base,
    lines=_RUNS,
)
def check(workspace: "Workspace", progress: Progress, base: Base) -> RunList:
    return RunList.from_runs(workspace.findability.check(base, progress))
