"""Routes of an older API, through which programs upload documents, embed them on request, and search them."""

from http import HTTPStatus
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, File, Form, Query, UploadFile
from pydantic import AliasChoices, Field, create_model
from starlette.responses import Response

from core.base.codec import encode
from core.base.errors import ConfigError, NoteNotFound, SourceError
from core.base.frozen import AnyValues, Values, attributes
from core.base.jobs import Busy
from core.base.messages import message
from core.doors.api.binding import AnyText, Body, Opened, Text, documented, or_404, start_job
from core.doors.api.responses import Problem, answer
from core.model import (
    CHUNKING,
    DEFAULTS,
    EXPANSION_SIZES,
    WIDENING,
    Chunk,
    NoteState,
    NoteSummary,
    Progress,
    Rechunked,
    SearchResult,
    SyncPlan,
    SyncReport,
)
from core.operations import bases as base_operations
from core.operations import chunks as chunk_operations
from core.operations.declaring import EXAMPLES, PROGRAM, example_for, without_none
from core.operations.program import JobView
from core.operations.search import ResultView
from core.operations.views import BaseDetails
from core.workspace import Workspace

router = APIRouter(tags=["older programs"])

# Maximum number of a chunk's characters to show in a list.
_PREVIEW = 120
# Seconds to wait for another import before an upload is rejected.
_PATIENCE = 60.0
_EXAMPLES = EXAMPLES["OLDER"]
BaseName = Annotated[Text, Query(description="The name of a base")]
TopK = Annotated[int, Field(ge=1, le=100)]

_FIELDS: Any = dict.fromkeys(
    "base tags any_tags type category project scope status".split(), (Text | list[Text] | None, None)
)
_Words: Any = create_model("Words", __base__=Body, **_FIELDS)


_SIZE = CHUNKING["chunk_size"]
_OVERLAP = CHUNKING["chunk_overlap"]
# Average number of characters per token in English.
_CHARACTERS = 4


class NewBaseBody(Body):
    """A new base. Its kind is `vector` (with a model) or `literal` (searched by words only).

    Omitted values come from the settings.
    """

    name: Text
    type: Literal["literal", "vector"] = "literal"
    embedding_model: Text = ""
    description: Text = ""
    chunk_size: int | None = None
    chunk_overlap: int | None = None
    top_k: TopK | None = None
    score_threshold: Annotated[float, Field(ge=0, le=1)] | None = None


@router.get("/knowledge", **documented([_EXAMPLES["base"]]))
def bases(workspace: Opened) -> Response:
    """List the bases."""
    return answer([_base(workspace, base) for base in base_operations.list_.run(workspace, PROGRAM, {}).bases])


@router.post("/knowledge", **documented(_EXAMPLES["base"], 201, takes=_EXAMPLES["new"]))
def make(workspace: Opened, new: NewBaseBody) -> Response:
    """Create an empty base. Chunks of uploaded documents are embedded only on request."""
    model = new.embedding_model if new.type == "vector" else ""
    if new.type == "vector" and not model:
        raise ConfigError(
            "A base of this type needs {field}, such as {name}.",
            field="embedding_model",
            name="bundled",
        )
    size = new.chunk_size
    overlap = new.chunk_overlap
    if size and size > _SIZE.most:  # in characters
        size //= _CHARACTERS
        overlap = overlap and max(_OVERLAP.least, overlap // _CHARACTERS)
    about = {
        "name": new.name,
        "kind": new.type,
        "description": new.description,
        "embedder": model,
        "embed_at_once": False,
        "chunking": {"chunk_size": size, "chunk_overlap": overlap},
        "search": without_none({"limit": new.top_k, "score_threshold": new.score_threshold}),
    }
    return answer(_base(workspace, base_operations.new.run(workspace, PROGRAM, about)), 201)


def _base_name(workspace: Workspace, base: str) -> str:
    """Return the name of an existing base. Raises Problem with status 404 if the base doesn't exist."""
    return or_404(lambda: workspace.bases.get(base)).name


def _base(workspace: Workspace, base: BaseDetails) -> Values:
    own = workspace.bases.get(base.name)
    search = workspace.bases.search_settings(own)
    return {
        "name": base.name,
        "description": base.description,
        "chunks": base.chunks,
        "type": base.kind,
        "embedding_model": base.embedder if own.has_vectors else "",
        "docs": base.notes,
        "chunk_size": base.chunking.chunk_size,
        "chunk_overlap": base.chunking.chunk_overlap,
        "top_k": search.limit,
        "score_threshold": search.score_threshold,
    }


@router.post(
    "/knowledge/upload",
    **documented(_EXAMPLES["uploaded"], 201, takes=_EXAMPLES["upload"], sent="multipart/form-data"),
)
def upload(
    workspace: Opened,
    base: Annotated[Text, Form(description="The name of the base")],
    file: Annotated[list[UploadFile], File(description="Notes, documents, or zip archives of them", min_length=1)],
) -> Response:
    """Import files into a base. Their chunks can be found by words at once, and by meaning once they are embedded."""
    name = _base_name(workspace, base)
    files = [(upload_file.filename or "", upload_file.file.read()) for upload_file in file]

    def work(progress: Progress) -> tuple[SyncPlan, SyncReport]:
        plan = workspace.imports.plan_upload(files, name)
        if plan.failed and not _paths(plan):
            workspace.imports.discard(plan)
            raise SourceError(plan.failed[0].path, plan.failed[0].error)
        return plan, workspace.imports.apply(plan, embed=False, progress=progress)

    try:
        plan, report = workspace.jobs.result("import", work, patience=_PATIENCE, base=name)
    except Busy as error:
        raise Problem(
            HTTPStatus.CONFLICT,
            message("Another import is running. Send this request again when that import has finished."),
        ) from error
    paths = _paths(plan)
    cards = [card for card in _cards(workspace, name) if card.source_ref == plan.source_ref and card.path in paths]
    unread = (*report.failed, *report.not_downloaded, *report.skipped)
    if not cards:
        raise SourceError(unread[0].path, unread[0].error)
    docs = list(map(_doc, cards))
    return answer({**docs[0], "docs": docs, "failed": encode(unread)}, 201)


@router.get("/knowledge/docs", **documented([_EXAMPLES["doc"]]))
def docs(workspace: Opened, base: BaseName) -> Response:
    """List the documents of a base."""
    return answer(list(map(_doc, _cards(workspace, _base_name(workspace, base)))))


def _paths(plan: SyncPlan) -> set[str]:
    """Return the paths of the files in a plan."""
    paths = {match.file.path for match in (*plan.changed, *plan.renamed, *plan.touched)}
    return paths | {file.path for file in plan.added} | {note.path for note in plan.unchanged}


def _card(workspace: Workspace, doc_id: str, base: str | None = None) -> NoteSummary:
    """Return a document's summary. Raises NoteNotFound if the document doesn't exist or isn't in `base`."""
    card = workspace.notes.cards_of([doc_id]).get(doc_id)
    if card is None or base not in (None, card.base):
        raise NoteNotFound(doc_id)
    return card


def _cards(workspace: Workspace, base: str) -> list[NoteSummary]:
    return workspace.notes.all(workspace.searching.filters(bases=[base]))


def _doc(card: NoteSummary) -> Values:
    return {
        "doc_id": card.id,
        "name": card.path or card.title,
        "title": card.title,
        "chunk_count": card.chunks,
        "status": card.state,
    }


class Embed(Body):
    """The chunks to embed: the given chunks, and all chunks of a document."""

    doc_id: Text | None = None
    chunk_ids: list[Text] = Field([], max_length=10_000)


class Reindex(Body):
    """A base, or one of its documents, that is to be split and embedded again."""

    base: Text | None = None
    doc_id: Text | None = None


@router.get("/knowledge/chunks", **documented([_EXAMPLES["chunk"]]))
def chunks(workspace: Opened, base: BaseName, doc_id: Text) -> Response:
    """List the chunks of a document, with their positions in the document's text."""
    _card(workspace, doc_id, _base_name(workspace, base))
    return answer(
        [
            attributes(chunk, ("id", "start", "end", "state")) | {"preview": chunk.text[:_PREVIEW]}
            for chunk in chunk_operations.list_.run(workspace, PROGRAM, {"note": doc_id}).chunks
        ]
    )


@router.post("/knowledge/chunk/embed", **documented({"embedded": 2, "status": "ready"}, takes={"doc_id": "4f1c"}))
def embed(workspace: Opened, chosen: Embed) -> Response:
    """Embed chunks. Their documents' `status` is `ready` once all chunks are embedded.

    A document without chunks is `empty`.
    """
    if not (chosen.doc_id or chosen.chunk_ids):
        raise ConfigError("Specify a doc_id or chunk_ids.")
    notes = [chosen.doc_id] if chosen.doc_id else []
    embedded = chunk_operations.index.run(workspace, PROGRAM, {"notes": notes, "chunks": chosen.chunk_ids}).chunks
    states = {
        card.state for card in workspace.notes.cards_of([*notes, *workspace.chunks.notes_of(chosen.chunk_ids)]).values()
    }
    return answer(
        {"embedded": embedded, "status": next((state for state in get_args(NoteState) if state in states), "ready")}
    )


@router.post("/knowledge/reindex", **documented(example_for(JobView), 202, takes={"base": "work"}))
def reindex(workspace: Opened, chosen: Reindex) -> Response:
    """Split a base or a document again, and embed new and pending chunks, as a job."""
    if not (chosen.base or chosen.doc_id):
        raise ConfigError("Specify a base or a doc_id.")
    notes = [chosen.doc_id] if chosen.doc_id else []
    name = _base_name(workspace, str(chosen.base)) if chosen.base else None
    base = _card(workspace, chosen.doc_id, name).base if chosen.doc_id else str(name)

    def work(progress: Progress) -> Rechunked:
        return workspace.chunks.reindex(None if notes else name, notes, progress)

    return start_job(workspace, "rechunk", work, base=base)


class Test(Body):
    """A question to try on a base."""

    base: Text
    question: Annotated[Text, Field(validation_alias=AliasChoices("question", "query"))]
    top_k: TopK = 5


class NoteFilters(_Words):
    """Conditions on notes. A note needs one of the given values for each field, and all of the `tags`."""

    min_priority: Annotated[int, Field(ge=-999_999, le=999_999)] | None = None
    path: Text | None = None
    after: Text | None = None
    before: Text | None = None

    def options(self, workspace: Workspace) -> AnyValues:
        """Return the filters as search options. Raises QueryError if a date is invalid."""
        filters = workspace.searching.filters(path=self.path or "", after=self.after or "", before=self.before or "")
        renamed = {"base": "bases", "tags": "all_tags"}
        return {"filters": filters} | {
            renamed.get(name, name): value
            for name, value in self.to_values().items()
            if name not in ("path", "after", "before")
        }


class Search(Body):
    """A question. Without a question, the notes that match the filters are found.

    Hits include `context_size` chunks on each side, unless `expand_context` is false. In vector bases, only embedded
    chunks are found. A `plain` question is searched for without query syntax, and is never rejected. Without
    `enable_enhancement`, the question isn't broken down, and no other spellings are tried.
    """

    query: AnyText | None = None
    top_k: TopK = 10
    plain: bool = False
    rerank: bool | None = None
    expand_context: bool = True
    context_size: Annotated[int, Field(ge=EXPANSION_SIZES[0], le=EXPANSION_SIZES[-1])] = 1
    enable_enhancement: bool = True
    filters: NoteFilters = NoteFilters()


@router.post("/knowledge/test", **documented(_EXAMPLES["tried"], takes=_EXAMPLES["trial"]))
def test(workspace: Opened, trial: Test) -> Response:
    """Return the embedded chunks that a question finds.

    For a literal base, return all chunks that it finds, and what a language model chose and wrote.
    """
    name = _base_name(workspace, trial.base)
    result = workspace.search(trial.question, bases=name, limit=trial.top_k, indexed=True)
    workspace.uses.found(result)
    hits = [
        attributes(hit.chunk, ("id", "start", "end", "language"))
        | {
            "doc_id": hit.note.id,
            "name": hit.note.path or hit.note.title,
            "score": hit.score,
            "content": hit.chunk.text,
            "line": hit.chunk.line or None,
            "page": hit.page or None,
            "source_url": hit.note.source_url,
            "chunk_info": _chunk_info(hit.chunk),
        }
        for hit in result.hits
    ]
    return answer({"base": name, "question": trial.question, "chunks": hits, "choice": encode(result.choice)})


@router.post("/notes/search/semantic", **documented(_EXAMPLES["found"], takes=_EXAMPLES["question"]))
def semantic(workspace: Opened, search: Search) -> Response:
    """Return the passages that are closest to a question in meaning."""
    return _answer(_run_search(workspace, search, mode="semantic", level="simple"))


@router.post("/notes/search/complex", **documented(_EXAMPLES["found"], takes=_EXAMPLES["question"]))
def complex_(workspace: Opened, search: Search) -> Response:
    """Return the passages that answer a question. A broad question is broken down and followed up."""
    return _answer(_run_search(workspace, search, level="auto" if search.enable_enhancement else "simple"))


def _run_search(workspace: Workspace, search: Search, **chosen: object) -> SearchResult:
    options = {
        **search.filters.options(workspace),
        **chosen,
        "as_typed": not search.enable_enhancement,
        "plain": search.plain,
        "indexed": True,
        WIDENING: search.context_size if search.expand_context else 0,
    }
    if search.rerank is not None:
        chosen_reranker = workspace.bases.search_settings().reranker
        usual = DEFAULTS.reranker if chosen_reranker == "none" else chosen_reranker
        options["reranker"] = usual if search.rerank else "none"
    result = workspace.search(search.query, limit=search.top_k, **options)
    workspace.uses.found(result, options["filters"])
    return result


def _answer(result: SearchResult) -> Response:
    found = encode(ResultView.from_result(result))
    found["hits"] = [
        view | {"chunk_info": _chunk_info(hit.chunk)} for view, hit in zip(found["hits"], result.hits, strict=True)
    ]
    return answer(found | {"rounds": max((asked.round for asked in result.asked), default=1)})


def _chunk_info(chunk: Chunk) -> Values:
    """Return a chunk's position in the note, its kind, its section and its sizes."""
    place = {"chunk_id": chunk.id, "chunk_index": chunk.index, "total_chunks": chunk.total, "chunk_type": chunk.kind}
    names = ("section_title", "parent_sections", "hierarchy_level", "sections", "token_count", "overlap_tokens")
    return place | attributes(chunk, names)
