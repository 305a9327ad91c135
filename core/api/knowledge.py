"""The bases by the paths of an older design: documents are uploaded, embedded when that is requested, and tested."""

from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Query, UploadFile
from pydantic import AliasChoices, Field
from starlette.responses import Response

from core.api.answers import Problem, answer
from core.api.jobs import start_job
from core.api.shared import Body, Opened, Text, documented, or_404
from core.errors import ConfigError, NoteNotFound, SourceError
from core.jobs import Busy
from core.json_forms.forms import plain
from core.json_forms.search import RESULT
from core.messages import message
from core.model import Chunk, Hit, KnowledgeBase, NoteCard, Progress, Rechunked, SyncPlan, SyncReport
from core.operations.examples import JOB
from core.workspace import Workspace

router = APIRouter(prefix="/knowledge", tags=["older programs"])

_PREVIEW = 120
"""Characters of a chunk in a list."""
_PATIENCE = 60.0
"""Seconds that an upload waits for another import."""
_STATES = {"pending": "pending", "embedded": "ready", "deleted": "deleted"}
_NEW = {"name": "work", "type": "vector", "embedding_model": "bundled"}
_BASE = _NEW | {"description": "", "docs": 1, "chunks": 2}
_DOC = {"doc_id": "4f1c", "name": "roadmap.md", "title": "Roadmap", "chunk_count": 2, "status": "pending"}
_UPLOAD = {"base": "work", "file": ["# Roadmap\n\nThe search comes first.\n"]}
_SPAN = {"id": "4f1c:0a9b", "start": 0, "end": 30}
_CHUNK = _SPAN | {"preview": "The search comes first.", "state": "pending"}
_HIT = _SPAN | {"doc_id": "4f1c", "name": "roadmap.md", "score": 0.83, "content": "The search comes first."}
_QUESTION = {"base": "work", "question": "What comes first?"}
BaseName = Annotated[Text, Query(description="The name of a base")]


class NewBase(Body):
    """A base to make: `vector` with its model, or `literal`, which is searched by words."""

    name: Text
    type: Literal["literal", "vector"] = "literal"
    embedding_model: Text = ""
    description: Text = ""


class Embed(Body):
    """Chunks to embed: those that are named, and all of a document."""

    doc_id: Text | None = None
    chunk_ids: list[Text] = Field([], max_length=10_000)


class Reindex(Body):
    """What is cut and embedded again: a base, or a document."""

    base: Text | None = None
    doc_id: Text | None = None


class Test(Body):
    """A question to try on a base."""

    base: Text
    question: Annotated[Text, Field(validation_alias=AliasChoices("question", "query"))]
    top_k: Annotated[int, Field(ge=1, le=100)] = 5


# bases


@router.get("", **documented([_BASE]))
def bases(workspace: Opened) -> Response:
    """List the bases."""
    return answer([_base(workspace, base) for base in workspace.bases.all()])


@router.post("", **documented(_BASE, 201, takes=_NEW))
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
    base = workspace.bases.add(
        new.name, kind=new.type, embedder=model, description=new.description, embed_at_once=False
    )
    return answer(_base(workspace, base), 201)


# documents


@router.post(
    "/upload", **documented(_DOC | {"docs": [_DOC], "failed": []}, 201, takes=_UPLOAD, sent="multipart/form-data")
)
def upload(
    workspace: Opened,
    base: Annotated[Text, Form(description="The name of the base")],
    file: Annotated[list[UploadFile], File(description="Notes, or zip archives of notes", min_length=1)],
) -> Response:
    """Import files into a base. Their chunks are found by words at once, and by meaning when they are embedded."""
    name = or_404(lambda: workspace.bases.get(base)).name
    files = [(one.filename or "", one.file.read()) for one in file]
    plan, report = _imported(workspace, name, files)
    paths = _paths(plan)
    docs = [_doc(card) for card in _cards(workspace, name) if card.source_ref == plan.source_ref and card.path in paths]
    if not docs:
        raise SourceError(report.failed[0].path, report.failed[0].error)
    return answer({**docs[0], "docs": docs, "failed": plain(report.failed)}, 201)


@router.get("/docs", **documented([_DOC]))
def docs(workspace: Opened, base: BaseName) -> Response:
    """List the documents of a base."""
    name = or_404(lambda: workspace.bases.get(base)).name
    return answer([*map(_doc, _cards(workspace, name))])


# chunks


@router.get("/chunks", **documented([_CHUNK]))
def chunks(workspace: Opened, base: BaseName, doc_id: Text) -> Response:
    """List the chunks of a document, with their places in its text."""
    name = or_404(lambda: workspace.bases.get(base)).name
    if _card(workspace, doc_id).base != name:
        raise NoteNotFound(doc_id)
    return answer([*map(_chunk, workspace.chunks.all(doc_id))])


@router.post("/chunk/embed", **documented({"embedded": 2, "status": "ready"}, takes={"doc_id": "4f1c"}))
def embed(workspace: Opened, chosen: Embed) -> Response:
    """Embed chunks that wait."""
    if not (chosen.doc_id or chosen.chunk_ids):
        raise ConfigError("Give a doc_id, or chunk_ids.")
    notes = [chosen.doc_id] if chosen.doc_id else []
    return answer({"embedded": workspace.chunks.embed(note_ids=notes, chunk_ids=chosen.chunk_ids), "status": "ready"})


@router.post("/reindex", **documented(JOB, 202, takes={"base": "work"}))
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


@router.post("/test", **documented(_QUESTION | {"chunks": [_HIT], "choice": None}, takes=_QUESTION))
def test(workspace: Opened, trial: Test) -> Response:
    """Return the chunks that a question recalls; of a literal base also what a language model chose and wrote."""
    name = or_404(lambda: workspace.bases.get(trial.base)).name
    result = workspace.search(trial.question, bases=name, limit=trial.top_k)
    choice = RESULT(result)["choice"]
    return answer({"base": name, "question": trial.question, "chunks": [*map(_hit, result.hits)], "choice": choice})


# shared


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


def _base(workspace: Workspace, base: KnowledgeBase) -> dict[str, Any]:
    status = workspace.bases.status(base)
    return {
        "name": base.name,
        "type": base.kind,
        "embedding_model": "" if base.kind == "literal" else base.embedder,
        "description": base.description,
        "docs": status.notes,
        "chunks": status.chunks,
    }


def _doc(card: NoteCard) -> dict[str, Any]:
    return {
        "doc_id": card.id,
        "name": card.path or card.title,
        "title": card.title,
        "chunk_count": card.chunks,
        "status": card.state,
    }


def _place(chunk: Chunk) -> dict[str, Any]:
    return {"id": chunk.id, "start": chunk.start, "end": chunk.end}


def _chunk(chunk: Chunk) -> dict[str, Any]:
    state = _STATES[chunk.state]
    return _place(chunk) | {"preview": chunk.text[:_PREVIEW], "state": state}


def _hit(hit: Hit) -> dict[str, Any]:
    place = _place(hit.chunk)
    name = hit.note.path or hit.note.title
    return place | {"doc_id": hit.note.id, "name": name, "score": hit.score, "content": hit.chunk.text}
