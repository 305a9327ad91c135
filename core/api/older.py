"""The paths of two older designs: documents are uploaded, embedded by request and tested; notes are searched."""

from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Query, UploadFile
from pydantic import AliasChoices, Field, create_model
from starlette.responses import Response

from core import model
from core.api.answers import Problem, answer
from core.api.jobs import start_job
from core.api.shared import Body, Opened, Text, documented, or_404
from core.errors import ConfigError, NoteNotFound, SourceError
from core.jobs import Busy
from core.json_forms.forms import plain
from core.json_forms.search import RESULT
from core.messages import message
from core.model import DEFAULTS, EXPANSION_SIZES, NoteCard, Progress, Rechunked, SearchResult, SyncPlan, SyncReport
from core.operations import bases as base_operations
from core.operations import chunks as chunk_operations
from core.operations import examples
from core.operations.declaring import PROGRAM, Operation
from core.operations.examples import JOB
from core.workspace import Workspace

router = APIRouter(tags=["older programs"])

_PREVIEW = 120
"""Characters of a chunk in a list."""
_PATIENCE = 60.0
"""Seconds that an upload waits for another import."""
_WIDENING = next(name for name, part in model.PARTS.items() if part.lengthens)
"""The setting that adds neighbours to hits."""
_NEW = {"name": "work", "type": "vector", "embedding_model": "bundled"}
_BASE = _NEW | {"description": "", "docs": 1, "chunks": 2}
_DOC = {"doc_id": "4f1c", "name": "roadmap.md", "title": "Roadmap", "chunk_count": 2, "status": "pending"}
_UPLOAD = {"base": "work", "file": ["# Roadmap\n\nThe search comes first.\n"]}
_SPAN = {"id": "4f1c:0a9b", "start": 0, "end": 30}
_CHUNK = _SPAN | {"preview": "The search comes first.", "state": "pending"}
_HIT = _SPAN | {"doc_id": "4f1c", "name": "roadmap.md", "score": 0.83, "content": "The search comes first."}
_TRIAL = {"base": "work", "question": "What comes first?"}
_QUESTION = {"query": "What comes first?", "top_k": 5, "expand_context": True, "filters": {"base": "work"}}
_FOUND = examples.RESULT | {"sub_queries": [], "rounds": 1}
BaseName = Annotated[Text, Query(description="The name of a base")]


def _run(one: Operation, workspace: Workspace, **arguments: Any) -> Any:
    return one.formed(one.run(workspace, PROGRAM, arguments))


class NewBase(Body):
    """A base to make: `vector` with its model, or `literal`, by words; what is left out is as the settings say."""

    name: Text
    type: Literal["literal", "vector"] = "literal"
    embedding_model: Text = ""
    description: Text = ""
    chunk_size: int | None = None
    chunk_overlap: int | None = None
    top_k: Annotated[int, Field(ge=1, le=100)] | None = None
    score_threshold: Annotated[float, Field(ge=0, le=1)] | None = None


@router.get("/knowledge", **documented([_BASE]))
def bases(workspace: Opened) -> Response:
    """List the bases."""
    return answer([*map(_base, _run(base_operations.list_, workspace)["bases"])])


@router.post("/knowledge", **documented(_BASE, 201, takes=_NEW))
def make(workspace: Opened, new: NewBase) -> Response:
    """Make an empty base. Documents that are uploaded to it wait until their chunks are embedded by request."""
    model = new.embedding_model if new.type == "vector" else ""
    if new.type == "vector" and not model:
        raise ConfigError(
            "A base of the type '{type}' needs {field}, such as {name}.",
            type=new.type,
            field="embedding_model",
            name="bundled",
        )
    about = {"description": new.description, "embedder": model, "embed_at_once": False}
    about["chunking"] = {"chunk_size": new.chunk_size, "chunk_overlap": new.chunk_overlap}
    given = {"limit": new.top_k, "score_threshold": new.score_threshold}
    about["search"] = {name: value for name, value in given.items() if value is not None}
    return answer(_base(_run(base_operations.new, workspace, name=new.name, kind=new.type, **about)), 201)


def _base(base: dict[str, Any]) -> dict[str, Any]:
    model = "" if base["kind"] == "literal" else base["embedder"]
    same = {name: base[name] for name in ("name", "description", "chunks")}
    return same | {"type": base["kind"], "embedding_model": model, "docs": base["notes"]}


@router.post(
    "/knowledge/upload",
    **documented(_DOC | {"docs": [_DOC], "failed": []}, 201, takes=_UPLOAD, sent="multipart/form-data"),
)
def upload(
    workspace: Opened,
    base: Annotated[Text, Form(description="The name of the base")],
    file: Annotated[list[UploadFile], File(description="Notes, documents, or zip archives of them", min_length=1)],
) -> Response:
    """Import files into a base. Their chunks are found by words at once, and by meaning when they are embedded."""
    name = or_404(lambda: workspace.bases.get(base)).name
    plan, report = _imported(workspace, name, [(one.filename or "", one.file.read()) for one in file])
    paths = _paths(plan)
    cards = [card for card in _cards(workspace, name) if card.source_ref == plan.source_ref and card.path in paths]
    if not cards:
        raise SourceError(report.failed[0].path, report.failed[0].error)
    docs = [*map(_doc, cards)]
    return answer({**docs[0], "docs": docs, "failed": plain((*report.failed, *report.skipped))}, 201)


@router.get("/knowledge/docs", **documented([_DOC]))
def docs(workspace: Opened, base: BaseName) -> Response:
    """List the documents of a base."""
    name = or_404(lambda: workspace.bases.get(base)).name
    return answer([*map(_doc, _cards(workspace, name))])


def _imported(workspace: Workspace, base: str, files: list[tuple[str, bytes]]) -> tuple[SyncPlan, SyncReport]:
    """Import files as the job `import`, once another one has ended; return the plan and the report."""

    def work(progress: Progress) -> tuple[SyncPlan, SyncReport]:
        plan = workspace.notes.plan_upload(files, base)
        if plan.failed and not _paths(plan):
            workspace.notes.discard(plan)
            raise SourceError(plan.failed[0].path, plan.failed[0].error)
        return plan, workspace.notes.apply(plan, embed=False, progress=progress)

    try:
        return workspace.jobs.result("import", work, patience=_PATIENCE, base=base)
    except Busy as error:
        text = message("Another import is under way. Send this again when it has ended.")
        raise Problem(HTTPStatus.CONFLICT, text) from error


def _paths(plan: SyncPlan) -> set[str]:
    """Return the paths of the files in a plan."""
    paths = {match.file.path for match in (*plan.changed, *plan.renamed, *plan.touched)}
    return paths | {file.path for file in plan.added} | {note.path for note in plan.unchanged}


def _card(workspace: Workspace, doc_id: str) -> NoteCard:
    cards = workspace.notes.cards_of([doc_id])
    if doc_id not in cards:
        raise NoteNotFound(doc_id)
    return cards[doc_id]


def _cards(workspace: Workspace, base: str) -> list[NoteCard]:
    return workspace.notes.all(workspace.searching.filters(bases=[base]))


def _doc(card: NoteCard) -> dict[str, Any]:
    name = card.path or card.title
    return {"doc_id": card.id, "name": name, "title": card.title, "chunk_count": card.chunks, "status": card.state}


class Embed(Body):
    """Chunks to embed: those that are named, and all of a document."""

    doc_id: Text | None = None
    chunk_ids: list[Text] = Field([], max_length=10_000)


class Reindex(Body):
    """What is cut and embedded again: a base, or a document."""

    base: Text | None = None
    doc_id: Text | None = None


@router.get("/knowledge/chunks", **documented([_CHUNK]))
def chunks(workspace: Opened, base: BaseName, doc_id: Text) -> Response:
    """List the chunks of a document, with their places in its text."""
    name = or_404(lambda: workspace.bases.get(base)).name
    if _card(workspace, doc_id).base != name:
        raise NoteNotFound(doc_id)
    return answer([*map(_chunk, _run(chunk_operations.list_, workspace, note=doc_id)["chunks"])])


def _chunk(chunk: dict[str, Any]) -> dict[str, Any]:
    place = {name: chunk[name] for name in ("id", "start", "end")}
    return place | {"preview": chunk["text"][:_PREVIEW], "state": chunk["state"]}


@router.post("/knowledge/chunk/embed", **documented({"embedded": 2, "status": "ready"}, takes={"doc_id": "4f1c"}))
def embed(workspace: Opened, chosen: Embed) -> Response:
    """Embed chunks that wait."""
    if not (chosen.doc_id or chosen.chunk_ids):
        raise ConfigError("Give a doc_id, or chunk_ids.")
    notes = [chosen.doc_id] if chosen.doc_id else []
    embedded = _run(chunk_operations.index, workspace, notes=notes, chunks=chosen.chunk_ids)["chunks"]
    return answer({"embedded": embedded, "status": "ready"})


@router.post("/knowledge/reindex", **documented(JOB, 202, takes={"base": "work"}))
def reindex(workspace: Opened, chosen: Reindex) -> Response:
    """Cut a base or a document again, and embed what is new and what waits, in a job."""
    if bool(chosen.base) == bool(chosen.doc_id):
        raise ConfigError("Give a base, or a doc_id.")
    notes = [chosen.doc_id] if chosen.doc_id else []
    base = _card(workspace, chosen.doc_id).base if chosen.doc_id else str(chosen.base)
    name = None if notes else or_404(lambda: workspace.bases.get(base)).name

    def work(progress: Progress) -> Rechunked:
        done = workspace.chunks.rechunk(name, note_ids=notes, progress=progress)
        workspace.chunks.embed(name, note_ids=notes, progress=progress)
        return done

    return start_job(workspace, "rechunk", work, base=base)


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


@router.post("/knowledge/test", **documented(_TRIAL | {"chunks": [_HIT], "choice": None}, takes=_TRIAL))
def test(workspace: Opened, trial: Test) -> Response:
    """Return the chunks that a question recalls; of a literal base also what a language model chose and wrote."""
    name = or_404(lambda: workspace.bases.get(trial.base)).name
    result = workspace.search(trial.question, bases=name, limit=trial.top_k)
    hits = [
        {"id": hit.chunk.id, "start": hit.chunk.start, "end": hit.chunk.end, "doc_id": hit.note.id}
        | {"name": hit.note.path or hit.note.title, "score": hit.score, "content": hit.chunk.text}
        | {"line": hit.chunk.line or None, "page": hit.page or None}
        for hit in result.hits
    ]
    choice = RESULT(result)["choice"]
    return answer({"base": name, "question": trial.question, "chunks": hits, "choice": choice})


@router.post("/notes/search/semantic", **documented(_FOUND, takes=_QUESTION))
def semantic(workspace: Opened, search: Search) -> Response:
    """Return the passages that are nearest to a question in meaning."""
    return _answer(_searched(workspace, search, mode="semantic", level="simple"))


@router.post("/notes/search/complex", **documented(_FOUND, takes=_QUESTION))
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
    return answer(RESULT(result) | {"rounds": max((one.round for one in result.asked), default=1)})
