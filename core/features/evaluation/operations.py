"""Operations on question sets and runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from core.base.errors import UnknownChoice
from core.base.messages import message, plural
from core.features.evaluation import views
from core.features.evaluation.views import (
    MeasuredRun,
    QuestionSetList,
    QuestionSetView,
    SuggestionCount,
)
from core.model import Pipeline, Progress, QuestionSet, RunList, SearchSettings
from core.operations.declaring import EXAMPLES, About, operation
from core.operations.parameters import SEARCH, Base, check_base
from core.operations.printing import sentence, table
from core.operations.views import Deletion

if TYPE_CHECKING:
    from core.workspace import Workspace

_PERSONS = {"tool": "what is right, and how it is searched, is the person's choice"}
Set = Annotated[str, About("The id of a question set.")]
RunId = Annotated[str, About("The id of a run.")]
Setup = str | None
T = TypeVar("T")


# question sets


@operation(
    "questions.list",
    "List the question sets of a base.",
    http="GET /question-sets",
    cli="questions list",
    lacks=_PERSONS,
    lines=table("name", "questions", "id", empty="The base has no question sets."),
)
def list_(workspace: "Workspace", base: Base) -> QuestionSetList:
    return QuestionSetList(tuple(workspace.question_sets.all(base)))


@operation(
    "questions.add",
    "Create a question set, or add questions to it; all of them are added, or none.",
    http="POST /question-sets",
    cli="questions add {name}",
    writes=True,
    creates="/question-sets/{id}",
    takes=EXAMPLES["NEW_SET"],
    lacks=_PERSONS,
    lines=views.format_set,
)
def add(
    workspace: "Workspace",
    base: Base,
    name: Annotated[str, About("The name of the set.")],
    questions: Annotated[str, About("Lines of a question file (JSONL).", long=True)] = "",
    file: Annotated[
        Path | None, About("A file of questions and their right passages (JSONL, CSV).", doors=("cli",))
    ] = None,
) -> QuestionSet:
    if not (questions or file):
        return workspace.question_sets.add(base, name)
    content = workspace.question_sets.content(file) if file else questions.encode()
    return workspace.question_sets.add_file(base, name, content, str(file or "questions"))


@operation(
    "questions.show",
    "Show a question set with its questions and the places of their right passages.",
    http="GET /question-sets/{question_set}",
    cli="questions show {question_set}",
    takes={"question_set": "8c21"},
    lacks=_PERSONS,
    lines=views.format_whole_set,
)
def show(workspace: "Workspace", question_set: Set) -> QuestionSetView:
    known = _known(workspace, question_set)
    return QuestionSetView.from_set(known, workspace.questions.all(known))


@operation(
    "questions.delete",
    "Delete a question set; its runs are kept.",
    http="DELETE /question-sets/{question_set}",
    cli="questions delete {question_set}",
    writes=True,
    takes={"question_set": "8c21"},
    gives={"id": "8c21", "deleted": True},
    lacks=_PERSONS,
    lines=sentence("The question set was deleted; its runs are kept."),
)
def delete(workspace: "Workspace", question_set: Set) -> Deletion:
    workspace.question_sets.delete_for_good(_known(workspace, question_set))
    return Deletion(question_set)


def _known(workspace: "Workspace", set_id: str) -> QuestionSet:
    """Return the question set with an id; raises UnknownChoice."""
    if question_set := workspace.question_sets.find(set_id):
        return question_set
    sets = (known.id for base in workspace.bases.all() for known in workspace.question_sets.all(base.name))
    raise UnknownChoice(message("question set"), set_id, list(sets))


@operation(
    "questions.suggest",
    "Look for questions that the notes answer; they wait in the set until the user accepts them.",
    http="POST /question-sets/{question_set}/suggestions",
    cli="questions suggest {question_set}",
    writes=True,
    job="suggest",
    check=lambda workspace, question_set, **_: _known(workspace, question_set),
    takes={"question_set": "8c21", "count": 20},
    lacks=_PERSONS,
    lines=sentence(plural("{n} question suggested", "{n} questions suggested")),
)
def suggest(
    workspace: "Workspace",
    progress: Progress,
    question_set: Set,
    count: Annotated[int, About("The maximum number.", least=1, most=1000)] = 20,
    by_model: Annotated[bool, About("Use the language model from the settings instead of rules.")] = False,
) -> SuggestionCount:
    known = _known(workspace, question_set)
    return SuggestionCount(len(workspace.questions.suggest(known, count, by_model=by_model, progress=progress)))


# runs

_RUNS = table("set_name", "pipeline", "asked", "questions", "id", empty="This base has no runs yet.")


def _pipelines(
    workspace: "Workspace", question_set: str, search: Mapping[str, object] | None = None, compare: Setup = None
) -> tuple[QuestionSet, list[Pipeline]]:
    """Return a question set and the pipelines to run it with; raises their errors."""
    known = _known(workspace, question_set)
    pipelines = workspace.runs.variants(
        workspace.bases.by_id(known.base_id).name, SearchSettings.from_values(search or {}), compare
    )
    workspace.runs.to_ask(known)
    return known, pipelines


@operation(
    "run.start",
    "Ask the questions from a set, and keep the runs.",
    http="POST /question-sets/{question_set}/runs",
    cli="evaluate {questions} --save",
    by_hand=("cli",),
    writes=True,
    job="evaluate",
    check=_pipelines,
    takes={"question_set": "8c21", "search": {"limit": 5}},
    lacks=_PERSONS,
)
def start(
    workspace: "Workspace",
    progress: Progress,
    question_set: Annotated[str, About("The id of a question set.", doors=("http",))],
    search: Annotated[Mapping[str, Any] | None, About("How the questions are asked.", parts=SEARCH)] = None,
    compare: Annotated[Setup, About("Also run this setup, such as chunk_size=256,reranker=none.")] = None,
) -> RunList:
    known, pipelines = _pipelines(workspace, question_set, search, compare)
    return RunList.from_runs(workspace.runs.run(known, pipelines, progress))


@operation(
    "run.list",
    "List the runs on a base, the newest first.",
    http="GET /runs",
    cli="runs list",
    lacks=_PERSONS,
    lines=_RUNS,
)
def runs(workspace: "Workspace", base: Base) -> RunList:
    return RunList.from_runs(workspace.runs.all(base))


@operation(
    "run.show",
    "Show a run with the results for each question.",
    http="GET /runs/{run}",
    cli="runs show {run}",
    takes={"run": "5d07"},
    lacks=_PERSONS,
    lines=views.format_run,
)
def show_run(workspace: "Workspace", run: RunId) -> MeasuredRun:
    return MeasuredRun.from_measured(workspace.runs.measured([run])[0])


@operation(
    "run.delete",
    "Delete a run.",
    http="DELETE /runs/{run}",
    cli="runs delete {run}",
    writes=True,
    takes={"run": "5d07"},
    gives={"id": "5d07", "deleted": True},
    lacks=_PERSONS,
    lines=sentence("The run was deleted."),
)
def delete_run(workspace: "Workspace", run: RunId) -> Deletion:
    workspace.runs.delete_for_good([run])
    return Deletion(run)


# whether notes can be found


@operation(
    "findability.check",
    "Check whether the notes in a base can be found: make a question set from them, and run it.",
    http="POST /bases/{base:path}/findability",
    cli="check notes",
    writes=True,
    job="evaluate",
    check=check_base,
    lacks=_PERSONS,
    lines=_RUNS,
)
def check(workspace: "Workspace", progress: Progress, base: Base) -> RunList:
    return RunList.from_runs(workspace.findability.check(base, progress))
