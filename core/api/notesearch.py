"""Searches by the paths of an older design: by meaning alone, or taken apart."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from core.api.answers import answer
from core.api.shared import Body, Opened, Text, documented
from core.json_forms import search as forms
from core.model import DEFAULTS, EXPANSION_SIZES, PARTS, SearchResult
from core.operations.search_examples import RESULT
from core.workspace import Workspace

router = APIRouter(prefix="/notes/search", tags=["older programs"])

_QUESTION = {"query": "What comes first?", "top_k": 5, "expand_context": True, "filters": {"base": "work"}}
_FOUND = RESULT | {"sub_queries": [], "rounds": 1}
_WIDENING = next(name for name, part in PARTS.items() if part.lengthens)
"""The setting that adds neighbours to hits."""
OneOrMore = Text | list[Text]


class NoteFilters(Body):
    """What the notes must have: one of several words of a field, every one of `tags`."""

    base: OneOrMore | None = None
    tags: OneOrMore | None = None
    any_tags: OneOrMore | None = None
    type: OneOrMore | None = None
    category: OneOrMore | None = None
    project: OneOrMore | None = None
    scope: OneOrMore | None = None
    status: OneOrMore | None = None
    min_priority: Annotated[int, Field(ge=-999_999, le=999_999)] | None = None
    path: Text | None = None
    after: Text | None = None
    before: Text | None = None

    def options(self, workspace: Workspace) -> dict[str, Any]:
        """Return the filters as options of a search; raises QueryError for a date."""
        given = self.given()
        typed = {name: given.pop(name) for name in ("path", "after", "before") if name in given}
        named = {{"base": "bases", "tags": "all_tags"}.get(name, name): value for name, value in given.items()}
        return {"filters": workspace.searching.filters(**typed), **named}


class Search(Body):
    """A question; with `expand_context`, hits have `context_size` chunks more on each side."""

    query: Text
    top_k: Annotated[int, Field(ge=1, le=100)] = 10
    rerank: bool | None = None
    expand_context: bool = False
    context_size: Annotated[int, Field(ge=EXPANSION_SIZES[0], le=EXPANSION_SIZES[-1])] = 1
    filters: NoteFilters = NoteFilters()


@router.post("/semantic", **documented(_FOUND, takes=_QUESTION))
def semantic(workspace: Opened, search: Search) -> Response:
    """Return the passages that are nearest to a question in meaning."""
    return _answer(_searched(workspace, search, mode="semantic", level="simple"))


@router.post("/complex", **documented(_FOUND, takes=_QUESTION))
def complex_(workspace: Opened, search: Search) -> Response:
    """Return the passages that answer a question at the level it needs: a broad one is taken apart and followed up."""
    return _answer(_searched(workspace, search, level="auto"))


def _searched(workspace: Workspace, search: Search, **chosen: Any) -> SearchResult:
    options = {**search.filters.options(workspace), **chosen}
    if search.rerank is not None:
        options["reranker"] = _reranker(workspace) if search.rerank else "none"
    options[_WIDENING] = search.context_size if search.expand_context else 0
    return workspace.search(search.query, limit=search.top_k, **options)


def _reranker(workspace: Workspace) -> str:
    """Return the reranker of the settings; the usual one where they switch it off."""
    chosen = workspace.bases.search_settings().reranker
    return DEFAULTS.reranker if chosen == "none" else chosen


def _answer(result: SearchResult) -> Response:
    return answer(forms.RESULT(result) | {"rounds": max((one.round for one in result.asked), default=1)})
