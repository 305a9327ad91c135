"""The paths of an older design that search: by meaning, at the level of the question, and as a trial of a base."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

from fastapi import APIRouter
from pydantic import AliasChoices, Field, create_model
from starlette.responses import Response

from core.base.codec import assemble, encode
from core.doors.api.answers import answer
from core.doors.api.shared import AnyText, Body, Opened, Text, documented, or_404
from core.doors.operations import examples
from core.doors.operations.views.search import HitView, ResultView
from core.model import DEFAULTS, EXPANSION_SIZES, WIDENING, Chunk, SearchResult
from core.workspace import Workspace

router = APIRouter(tags=["older programs"])

_INFO = {"chunk_id": "4f1c:0a9b", "chunk_index": 0, "total_chunks": 2, "chunk_type": "markdown_section"}
_INFO |= {
    "section_title": "Roadmap",
    "parent_sections": [],
    "hierarchy_level": 1,
    "sections": ["Roadmap"],
    "token_count": 6,
    "overlap_tokens": 0,
}
_HIT = {"id": "4f1c:0a9b", "start": 0, "end": 30, "doc_id": "4f1c", "name": "roadmap.md", "score": 0.83}
_HIT |= {"content": "The search comes first.", "line": None, "page": None, "chunk_info": _INFO}
_TRIAL = {"base": "work", "question": "What comes first?"}
_QUESTION = {"query": "What comes first?", "top_k": 5, "expand_context": True, "filters": {"base": "work"}}
_HITS = [hit | {"chunk_info": _INFO} for hit in examples.ResultView["hits"]]
_FOUND = examples.ResultView | {"hits": _HITS, "sub_queries": [], "rounds": 1}


class Test(Body):
    """A question to try on a base."""

    base: Text
    question: Annotated[Text, Field(validation_alias=AliasChoices("question", "query"))]
    top_k: Annotated[int, Field(ge=1, le=100)] = 5


_WORDS = ("base", "tags", "any_tags", "type", "category", "project", "scope", "status")
_FIELDS: Any = dict.fromkeys(_WORDS, (Text | list[Text] | None, None))
_Words: Any = create_model("Words", __base__=Body, **_FIELDS)


class NoteFilters(_Words):
    """What the notes must have: one of several words of a field, every one of `tags`."""

    min_priority: Annotated[int, Field(ge=-999_999, le=999_999)] | None = None
    path: Text | None = None
    after: Text | None = None
    before: Text | None = None

    def options(self, workspace: Workspace) -> dict[str, Any]:
        """Return the filters as options of a search; raises QueryError for a date."""
        values = self.to_values()
        filters = {name: values.pop(name) for name in ("path", "after", "before") if name in values}
        named = {{"base": "bases", "tags": "all_tags"}.get(name, name): value for name, value in values.items()}
        return {"filters": workspace.searching.filters(**filters), **named}


class Search(Body):
    """A question, without one the notes that pass the filters; hits have `context_size` chunks more on each side.

    Of vector bases embedded chunks are recalled only.
    `plain`: the question is searched for as it is, and never refused. With `expand_context` false, hits stand alone.
    Without `enable_enhancement` it is searched as it is typed: not taken apart, and no word by another spelling.
    """

    query: AnyText | None = None
    top_k: Annotated[int, Field(ge=1, le=100)] = 10
    plain: bool = False
    rerank: bool | None = None
    expand_context: bool = True
    context_size: Annotated[int, Field(ge=EXPANSION_SIZES[0], le=EXPANSION_SIZES[-1])] = 1
    enable_enhancement: bool = True
    filters: NoteFilters = NoteFilters()


@router.post("/knowledge/test", **documented(_TRIAL | {"chunks": [_HIT], "choice": None}, takes=_TRIAL))
def test(workspace: Opened, trial: Test) -> Response:
    """Return the chunks that a question recalls, those that are embedded.

    A literal base has no others, and gives what a language model chose and wrote too.
    """
    name = or_404(lambda: workspace.bases.get(trial.base)).name
    result = workspace.search(trial.question, bases=name, limit=trial.top_k, indexed=True)
    workspace.uses.found(result)
    hits = [
        {"id": hit.chunk.id, "start": hit.chunk.start, "end": hit.chunk.end, "doc_id": hit.note.id}
        | {"name": hit.note.path or hit.note.title, "score": hit.score, "content": hit.chunk.text}
        | {
            "line": hit.chunk.line or None,
            "page": hit.page or None,
            "chunk_info": encode(ChunkInfo.from_chunk(hit.chunk)),
        }
        for hit in result.hits
    ]
    return answer({"base": name, "question": trial.question, "chunks": hits, "choice": encode(result.choice)})


@router.post("/notes/search/semantic", **documented(_FOUND, takes=_QUESTION))
def semantic(workspace: Opened, search: Search) -> Response:
    """Return the passages that are nearest to a question in meaning."""
    return _answer(_run_search(workspace, search, mode="semantic", level="simple"))


@router.post("/notes/search/complex", **documented(_FOUND, takes=_QUESTION))
def complex_(workspace: Opened, search: Search) -> Response:
    """Return the passages that answer a question at the level it needs: a broad one is taken apart and followed up."""
    return _answer(_run_search(workspace, search, level="auto" if search.enable_enhancement else "simple"))


def _run_search(workspace: Workspace, search: Search, **chosen: Any) -> SearchResult:
    options = {**search.filters.options(workspace), **chosen, "as_typed": not search.enable_enhancement}
    options |= {"plain": search.plain, "indexed": True}
    if search.rerank is not None:
        options["reranker"] = _reranker(workspace) if search.rerank else "none"
    options[WIDENING] = search.context_size if search.expand_context else 0
    result = workspace.search(search.query, limit=search.top_k, **options)
    workspace.uses.found(result, options["filters"])
    return result


def _reranker(workspace: Workspace) -> str:
    """Return the reranker of the settings; the default one where they switch it off."""
    chosen = workspace.bases.search_settings().reranker
    return DEFAULTS.reranker if chosen == "none" else chosen


def _answer(result: SearchResult) -> Response:
    hits = [HitWithChunk.from_hit(hit, chunk_info=ChunkInfo.from_chunk(hit.chunk)) for hit in result.hits]
    rounds = max((asked.round for asked in result.asked), default=1)
    return answer(encode(replace(ResultView.from_result(result), hits=tuple(hits))) | {"rounds": rounds})


@dataclass(frozen=True, slots=True)
class ChunkInfo:
    """How a chunk was cut: its place among those of its note, its kind, section and sizes."""

    chunk_id: str
    chunk_index: int
    total_chunks: int
    chunk_type: str
    section_title: str
    parent_sections: tuple[str, ...]
    hierarchy_level: int
    sections: tuple[str, ...]
    token_count: int
    overlap_tokens: int

    @classmethod
    def from_chunk(cls, chunk: Chunk) -> Self:
        names = {"chunk_id": chunk.id, "chunk_index": chunk.index, "total_chunks": chunk.total}
        return assemble(cls, chunk, **names, chunk_type=chunk.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class HitWithChunk(HitView):
    """A hit, and how its chunk was cut."""

    chunk_info: ChunkInfo
