"""Question sets and their runs: what a setup finds of what it should."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from core import data
from core.api import examples, jobs, values
from core.api.answers import Problem, answer
from core.api.shared import Body, LongText, Opened, Search, Text, documented, or_404
from core.messages import message
from core.model import Progress, QuestionSet, SearchSettings
from core.workspace import Workspace

router = APIRouter(tags=["question sets and runs"])
OfBase = Annotated[Text, Query(description="The name of a base")]


class NewSet(Body):
    """A question set to make, or to add to; `questions` are lines of a question file (JSONL)."""

    base: Text
    name: Text
    questions: LongText = ""


class Suggestion(Body):
    """How many questions are suggested, by rules or by the language model of the settings."""

    count: Annotated[int, Field(ge=1, le=1000)] = 20
    by_model: bool = False


class NewRun(Body):
    """How the questions are asked; `compare` and `grid` are further setups, as `tessera evaluate` takes them."""

    search: Search = Search()
    compare: tuple[Text, ...] = ()
    grid: tuple[Text, ...] = ()


@router.get("/question-sets", **documented({"question_sets": [examples.QUESTION_SET]}))
def every(workspace: Opened, base: OfBase) -> Response:
    """List the question sets of a base."""
    return answer({"question_sets": [*map(values.of_set, or_404(lambda: workspace.question_sets.all(base)))]})


@router.post("/question-sets", **documented(examples.QUESTION_SET, 201, takes=examples.NEW_SET))
def add(workspace: Opened, new: NewSet) -> Response:
    """Make a question set, or add questions to it; all of them are added, or none."""
    if not new.questions:
        made = workspace.question_sets.add(new.base, new.name)
    else:
        made = workspace.question_sets.add_file(new.base, new.name, new.questions.encode(), "questions")
    return answer(values.of_set(made), 201)


@router.get("/question-sets/{question_set}", **documented(examples.QUESTION_SET | {"all": [examples.QUESTION]}))
def one(workspace: Opened, question_set: Text) -> Response:
    """Show a question set with its questions and the places of their right passages."""
    known = _known(workspace, question_set)
    return answer(values.of_set(known) | {"all": [*map(values.of_question, workspace.questions.all(known))]})


@router.delete("/question-sets/{question_set}", **documented({"id": "8c21", "deleted": True}))
def delete(workspace: Opened, question_set: Text) -> Response:
    """Delete a question set; its runs stay."""
    workspace.question_sets.delete_for_good(_known(workspace, question_set))
    return answer({"id": question_set, "deleted": True})


@router.post("/question-sets/{question_set}/suggestions", **documented(examples.JOB, 202, takes={"count": 20}))
def suggest(workspace: Opened, question_set: Text, wanted: Suggestion) -> Response:
    """Begin to look for questions that the notes answer; they wait in the set for the person to accept them."""
    known = _known(workspace, question_set)

    def work(progress: Progress) -> int:
        return len(workspace.questions.suggest(known, wanted.count, by_model=wanted.by_model, progress=progress))

    return jobs.start_job(workspace, "suggest", work)


@router.post("/question-sets/{question_set}/runs", **documented(examples.JOB, 202, takes={"search": {"limit": 5}}))
def run(workspace: Opened, question_set: Text, new: NewRun) -> Response:
    """Begin to ask the questions of a set; the runs are kept."""
    known = _known(workspace, question_set)
    base = next(base.name for base in workspace.bases.all() if base.id == known.base_id)
    pipelines = workspace.runs.variants(base, SearchSettings.of(new.search.given()), new.compare, new.grid)
    workspace.runs.to_ask(known)
    return jobs.start_job(workspace, "evaluate", lambda progress: workspace.runs.run(known, pipelines, progress))


@router.get("/runs", **documented({"runs": [examples.RUN]}))
def runs(workspace: Opened, base: OfBase) -> Response:
    """List the runs on a base, the newest first."""
    return answer({"runs": [*map(values.of_run, or_404(lambda: workspace.runs.all(base)))]})


@router.get("/runs/{run}", **documented(examples.RUN | {"per_question": [examples.QUESTION_RESULT]}))
def one_run(workspace: Opened, run: Text) -> Response:
    """Show a run with what it found for each question."""
    ((known, results),) = workspace.runs.measured([run])
    return answer(values.of_run(known) | {"per_question": [*map(data.of_question_result, results)]})


@router.delete("/runs/{run}", **documented({"id": "5d07", "deleted": True}))
def delete_run(workspace: Opened, run: Text) -> Response:
    """Delete a run."""
    workspace.runs.measured([run])
    workspace.runs.delete_for_good([run])
    return answer({"id": run, "deleted": True})


def _known(workspace: Workspace, set_id: str) -> QuestionSet:
    sets = (one for base in workspace.bases.all() for one in workspace.question_sets.all(base.name))
    known = next((one for one in sets if one.id == set_id), None)
    if known is None:
        raise Problem(HTTPStatus.NOT_FOUND, message("There is no question set '{id}'.", id=set_id))
    return known
