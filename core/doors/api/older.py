"""The paths of an older design: documents are uploaded, and embedded by request."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Query, UploadFile
from pydantic import Field
from starlette.responses import Response

from core.base.codec import encode
from core.base.errors import ConfigError, NoteNotFound, SourceError
from core.base.jobs import Busy
from core.base.messages import message
from core.doors.api.answers import Problem, answer
from core.doors.api.jobs import start_job
from core.doors.api.shared import Body, Opened, Text, documented, or_404
from core.doors.operations import bases as base_operations
from core.doors.operations import chunks as chunk_operations
from core.doors.operations.declaring import PROGRAM, Operation
from core.doors.operations.examples import JOB
from core.doors.operations.views.bases import BaseDetails
from core.model import (
    Chunk,
    NoteState,
    NoteSummary,
    Progress,
    Rechunked,
    SyncPlan,
    SyncReport,
)
from core.workspace import Workspace

router = APIRouter(tags=["older programs"])

_PREVIEW = 120
"""Characters of a chunk in a list."""
_PATIENCE = 60.0
"""Seconds that an upload waits for another import."""
_NEW = {"name": "work", "type": "vector", "embedding_model": "bundled"}
_BASE = _NEW | {"description": "", "docs": 1, "chunks": 2}
_BASE |= {"chunk_size": 512, "chunk_overlap": 100, "top_k": 10, "score_threshold": 0.0}
_DOC = {"doc_id": "4f1c", "name": "roadmap.md", "title": "Roadmap", "chunk_count": 2, "status": "pending"}
_UPLOAD = {"base": "work", "file": ["# Roadmap\n\nThe search comes first.\n"]}
_SPAN = {"id": "4f1c:0a9b", "start": 0, "end": 30}
_CHUNK = _SPAN | {"preview": "The search comes first.", "state": "pending"}
BaseName = Annotated[Text, Query(description="The name of a base")]


def _run(operation: Operation, workspace: Workspace, **arguments: Any) -> Any:
    return operation.run(workspace, PROGRAM, arguments)


class NewBaseBody(Body):
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
    return answer([_base(workspace, base) for base in _run(base_operations.list_, workspace).bases])


@router.post("/knowledge", **documented(_BASE, 201, takes=_NEW))
def make(workspace: Opened, new: NewBaseBody) -> Response:
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
    settings = {"limit": new.top_k, "score_threshold": new.score_threshold}
    about["search"] = {name: value for name, value in settings.items() if value is not None}
    return answer(_base(workspace, _run(base_operations.new, workspace, name=new.name, kind=new.type, **about)), 201)


def _base(workspace: Workspace, base: BaseDetails) -> dict[str, Any]:
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
    **documented(_DOC | {"docs": [_DOC], "failed": []}, 201, takes=_UPLOAD, sent="multipart/form-data"),
)
def upload(
    workspace: Opened,
    base: Annotated[Text, Form(description="The name of the base")],
    file: Annotated[list[UploadFile], File(description="Notes, documents, or zip archives of them", min_length=1)],
) -> Response:
    """Import files into a base. Their chunks are found by words at once, and by meaning when they are embedded."""
    name = or_404(lambda: workspace.bases.get(base)).name
    plan, report = _imported(
        workspace, name, [(upload_file.filename or "", upload_file.file.read()) for upload_file in file]
    )
    paths = _paths(plan)
    cards = [card for card in _cards(workspace, name) if card.source_ref == plan.source_ref and card.path in paths]
    unread = (*report.failed, *report.not_downloaded, *report.skipped)
    if not cards:
        raise SourceError(unread[0].path, unread[0].error)
    docs = [*map(_doc, cards)]
    return answer({**docs[0], "docs": docs, "failed": encode(unread)}, 201)


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


def _card(workspace: Workspace, doc_id: str, base: str | None = None) -> NoteSummary:
    """Return the card of a document, of a base if one is named; raises NoteNotFound."""
    card = workspace.notes.cards_of([doc_id]).get(doc_id)
    if card is None or base not in (None, card.base):
        raise NoteNotFound(doc_id)
    return card


def _cards(workspace: Workspace, base: str) -> list[NoteSummary]:
    return workspace.notes.all(workspace.searching.filters(bases=[base]))


def _doc(card: NoteSummary) -> dict[str, Any]:
    name = card.path or card.title
    return {"doc_id": card.id, "name": name, "title": card.title, "chunk_count": card.chunks, "status": card.state}


class Embed(Body):
    """Chunks to embed: those that are named, and all of a document."""

    doc_id: Text | None = None
    chunk_ids: list[Text] = Field([], max_length=10_000)


class Reindex(Body):
    """What is cut and embedded again: a base, or a document of it."""

    base: Text | None = None
    doc_id: Text | None = None


@router.get("/knowledge/chunks", **documented([_CHUNK]))
def chunks(workspace: Opened, base: BaseName, doc_id: Text) -> Response:
    """List the chunks of a document, with their places in its text."""
    name = or_404(lambda: workspace.bases.get(base)).name
    _card(workspace, doc_id, name)
    return answer([*map(_chunk, _run(chunk_operations.list_, workspace, note=doc_id).chunks)])


def _chunk(chunk: Chunk) -> dict[str, Any]:
    preview = chunk.text[:_PREVIEW]
    return {"id": chunk.id, "start": chunk.start, "end": chunk.end, "preview": preview, "state": chunk.state}


@router.post("/knowledge/chunk/embed", **documented({"embedded": 2, "status": "ready"}, takes={"doc_id": "4f1c"}))
def embed(workspace: Opened, chosen: Embed) -> Response:
    """Embed chunks that wait; `status` is `ready` once the documents that they are of have no other."""
    if not (chosen.doc_id or chosen.chunk_ids):
        raise ConfigError("Give a doc_id, or chunk_ids.")
    notes = [chosen.doc_id] if chosen.doc_id else []
    embedded = _run(chunk_operations.index, workspace, notes=notes, chunks=chosen.chunk_ids).chunks
    cards = workspace.notes.cards_of([*notes, *workspace.notes.ids_by_chunks(chosen.chunk_ids)])
    return answer({"embedded": embedded, "status": _state(cards.values())})


def _state(cards: Iterable[NoteSummary]) -> NoteState:
    """Return `pending` where a document has a chunk that waits."""
    return "pending" if any(card.pending for card in cards) else "ready"


@router.post("/knowledge/reindex", **documented(JOB, 202, takes={"base": "work"}))
def reindex(workspace: Opened, chosen: Reindex) -> Response:
    """Cut a base or a document again, and embed what is new and what waits, in a job."""
    if not (chosen.base or chosen.doc_id):
        raise ConfigError("Give a base, or a doc_id.")
    notes = [chosen.doc_id] if chosen.doc_id else []
    name = or_404(lambda: workspace.bases.get(str(chosen.base))).name if chosen.base else None
    base = _card(workspace, chosen.doc_id, name).base if chosen.doc_id else str(name)

    def work(progress: Progress) -> Rechunked:
        whole = None if notes else name
        return workspace.chunks.reindex(whole, notes, progress)

    return start_job(workspace, "rechunk", work, base=base)
