"""Search operations."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

from core.base.codec import assemble
from core.model import SearchOptions, SearchSettings
from core.operations import names
from core.operations.declaring import About, Parameter, operation
from core.operations.parameters import SEARCH, NoteName
from core.operations.views import search as views
from core.operations.views.search import CitationView, ContextView, ResultView, WhyNotView

if TYPE_CHECKING:
    from core.workspace import Workspace

Question = Annotated[
    str,
    About(
        'The question; it may contain "phrases", -words and filters such as tag:rust or after:2026-01-31.',
        searched=True,
    ),
]
Names = list[str] | None
_PLAIN = About("Search for the text as it is: quotation marks, -words and filters in it are text too.")
_NARROWING = {
    "bases": (Names, About("Only notes in this base.", flag="base")),
    "tags": (Names, About("Only notes with this tag.", flag="tag")),
    "path": (str | None, About("Only notes below this path, or matching this pattern.")),
    "after": (str | None, About("Only notes updated on or after this date.")),
    "before": (str | None, About("Only notes updated before this date.")),
    "filters": (
        Names,
        About("A filter as in the search box, such as type:guide.", flag="filter"),
    ),
    "plain": (bool, _PLAIN),
    "as_typed": (bool, About("Search for the exact words only, not for similar spellings.")),
}
OPTIONS: tuple[Parameter, ...] = (
    *(
        Parameter(name, kind, about, required=False, default=False if kind is bool else None)
        for name, (kind, about) in _NARROWING.items()
    ),
    *SEARCH,
)
"""Parameters that filter a search, and its settings."""


@operation(
    "search.find",
    "Find the passages that answer a question, by meaning and by word.",
    http="POST /search",
    cli="search {query}",
    tool="knowledge_query",
    by_hand=("tool",),
    takes={"query": "where do we begin", "bases": ["work"], "limit": 5},
    fields=OPTIONS,
    lines=views.format_found,
)
def find(
    workspace: "Workspace",
    query: Question = "",
    explain: Annotated[bool, About("Show the words that match, and what else was considered.")] = False,
    **given: object,
) -> ResultView:
    chosen = options(workspace, given | {"explain": explain})
    result = workspace.search(query, **chosen)
    workspace.uses.found(result, chosen["filters"])
    return ResultView.from_result(result)


@operation(
    "search.context",
    "Give the passages that answer a question as one block for a prompt, with numbered citations.",
    http="POST /context",
    cli="context {query}",
    tool="knowledge_context",
    by_hand=("tool",),
    takes={"query": "where do we begin", "budget": 1000},
    fields=OPTIONS,
    lines=views.format_context,
)
def context(
    workspace: "Workspace",
    query: Question = "",
    budget: Annotated[int | None, About("The maximum length of the context, in tokens.", least=1, most=100_000)] = None,
    **given: object,
) -> ContextView:
    built = workspace.context(query, budget=budget, **options(workspace, given))
    workspace.uses.cited(query, built)
    return assemble(ContextView, built, citations=tuple(map(CitationView.from_citation, built.citations)))


_OneOrSeveral = str | list[str] | None
_CALLER = Annotated[
    dict[str, Any] | None,
    About(
        "Who asks: types, tags and scopes.",
        parts=(
            Parameter("type", _OneOrSeveral, About("Only notes of this type, or of one of several types.")),
            Parameter(
                "tags",
                _OneOrSeveral,
                About("Only notes with one of these tags; the more of them, the better.", flag="tag"),
            ),
            Parameter("scope", _OneOrSeveral, About("Notes with this scope, or one of several, rank higher.")),
        ),
    ),
]


@operation(
    "search.retrieve",
    (
        "Find passages for a task: only notes with its type and tags, those with its scope and "
        "the most of its tags first. Each hit shows the parts of its score."
    ),
    http="POST /retrieve",
    cli="retrieve {query}",
    tool="knowledge_retrieve",
    by_hand=("tool",),
    takes={"query": "where do we begin", "context": {"tags": ["plan"], "scope": "work"}},
    lines=views.format_result,
)
def retrieve(
    workspace: "Workspace",
    query: Question = "",
    context: _CALLER = None,
    bases: Annotated[Names, About("Only notes in this base.", flag="base")] = None,
    limit: Annotated[int | None, About("The maximum number of hits.", least=1, most=100)] = None,
    plain: Annotated[bool, _PLAIN] = False,
) -> ResultView:
    result = workspace.retrieve(query, context, bases=bases, limit=limit, plain=plain)
    workspace.uses.found(result)
    return ResultView.from_result(result)


@operation(
    "search.why_not",
    "Explain why a note isn't among the hits of a question.",
    http="POST /why-not",
    cli="search {query} --why-not {note}",
    by_hand=("cli",),
    takes={"query": "roadmap", "note": "plans/roadmap.md"},
    fields=OPTIONS,
    lacks={"tool": "an assistant asks for more hits, or reads the note"},
)
def why_not(workspace: "Workspace", query: Question, note: NoteName, **given: object) -> WhyNotView:
    note_id = names.id_of(workspace, note)
    why_not = workspace.searching.why_not(query, note_id, **options(workspace, given))
    index = why_not.chunk.index if why_not.chunk else None
    item, why = why_not.note, why_not.message
    return assemble(WhyNotView, why_not, item, note_id=item.id, explanation=why, chunk_index=index)


def options(workspace: "Workspace", given: Mapping[str, Any]) -> SearchOptions:
    """Return search options from values of OPTIONS; raises QueryError for an invalid filter."""
    filters = workspace.searching.filters(
        bases=given.get("bases") or (),
        tags=given.get("tags") or (),
        path=given.get("path") or "",
        after=given.get("after") or "",
        before=given.get("before") or "",
        terms=given.get("filters") or (),
    )
    switches = {name: given.get(name, False) for name in ("as_typed", "explain", "plain")}
    return cast(SearchOptions, SearchSettings.from_values(given).chosen() | switches | {"filters": filters})
