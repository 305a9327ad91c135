"""Searches: the passages that answer a question, a block for a prompt, why a note is no hit."""

from typing import Annotated, cast

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from core import data
from core.api import examples
from core.api.answers import answer
from core.api.shared import Opened, Search, Text, documented
from core.model import SearchOptions, SearchSettings
from core.workspace import Workspace

router = APIRouter(tags=["search"])


class Narrowed(Search):
    """A question in the language of the search box, what narrows it, and how it is searched."""

    query: Text
    bases: tuple[Text, ...] = ()
    tags: tuple[Text, ...] = ()
    path: Text = ""
    after: Text = ""
    before: Text = ""
    filters: tuple[Text, ...] = ()
    as_typed: bool = False

    def options(self, workspace: Workspace) -> SearchOptions:
        """Return the options of the search."""
        chosen = SearchSettings.of(self.given()).chosen() | {
            "as_typed": self.as_typed,
            "filters": workspace.searching.filters(
                bases=self.bases,
                tags=self.tags,
                path=self.path,
                after=self.after,
                before=self.before,
                terms=self.filters,
            ),
        }
        return cast(SearchOptions, chosen)


class Question(Narrowed):
    """A question whose hits are listed; with `explain` with what was considered beside them."""

    explain: bool = False


class ForPrompt(Narrowed):
    """A question whose passages become a block of at most `budget` tokens."""

    budget: Annotated[int | None, Field(ge=1, le=100_000)] = None


class AboutNote(Narrowed):
    """A question, and the id, path or title of a note that isn't among its hits."""

    note: Text


@router.post(
    "/search", **documented(examples.RESULT, takes={"query": "where do we begin", "bases": ["work"], "limit": 5})
)
def search(workspace: Opened, question: Question) -> Response:
    """Find the passages that answer a question, by meaning and by words."""
    options = question.options(workspace)
    options["explain"] = question.explain
    return answer(data.of_result(workspace.search(question.query, **options)))


@router.post("/context", **documented(examples.CONTEXT, takes={"query": "where do we begin", "budget": 1000}))
def context(workspace: Opened, question: ForPrompt) -> Response:
    """Give the passages that answer a question as one text with numbered citations, for a prompt."""
    return answer(
        data.of_context(workspace.context(question.query, budget=question.budget, **question.options(workspace)))
    )


@router.post("/why-not", **documented(examples.WHY_NOT, takes={"query": "roadmap", "note": "plans/roadmap.md"}))
def why_not(workspace: Opened, question: AboutNote) -> Response:
    """Say why a note isn't among the hits of a question."""
    note = workspace.notes.resolve(question.note)
    return answer(data.of_why_not(workspace.searching.why_not(question.query, note.id, **question.options(workspace))))
