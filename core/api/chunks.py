"""The chunks of notes: listed, edited, merged, split, hidden, restored, indexed."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from core import data
from core.api import examples, jobs
from core.api.answers import answer
from core.api.shared import Body, LongText, Opened, Text, documented
from core.model import Chunk, Progress
from core.operations.examples import JOB

router = APIRouter(tags=["chunks"])


class Written(Body):
    """The text of a chunk."""

    text: LongText


class Addition(Written):
    """A chunk to add behind another one, or at the note's end."""

    after: Text | None = None


class Merge(Body):
    """Neighbours to merge with; none is the next chunk."""

    others: tuple[Text, ...] = ()


class Split(Body):
    """The place of the split: before this character of the chunk's text."""

    at: Annotated[int, Field(ge=0, le=100_000_000)]


class Waiting(Body):
    """What shall be indexed: chunks, or all chunks of notes."""

    chunks: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()


@router.get("/notes/{note}/chunks", **documented({"chunks": [examples.CHUNK]}))
def of_note(workspace: Opened, note: Text) -> Response:
    """List the chunks of a note in reading order, hidden ones too."""
    workspace.notes.get(note)
    return answer({"chunks": [*map(_of_chunk, workspace.chunks.all(note))]})


@router.post("/notes/{note}/chunks", **documented({"chunks": ["4f1c:edit-9a"]}, 201, takes={"text": "In short."}))
def add(workspace: Opened, note: Text, new: Addition) -> Response:
    """Add a chunk with a text of its own to a note."""
    return _made([workspace.chunks.add(note, new.text, new.after)], 201)


@router.patch("/chunks/{chunk}", **documented({"chunks": ["4f1c:edit-9a"]}, takes={"text": "In May."}))
def edit(workspace: Opened, chunk: Text, changed: Written) -> Response:
    """Replace the text of a chunk; the edit stays when the note is split again."""
    return _made([workspace.chunks.update(chunk, changed.text)])


@router.post("/chunks/{chunk}/merge", **documented({"chunks": ["4f1c:edit-9a"]}, takes={"others": []}))
def merge(workspace: Opened, chunk: Text, merged: Merge) -> Response:
    """Merge a chunk with its neighbours."""
    return _made([workspace.chunks.merge(chunk, *merged.others)])


@router.post("/chunks/{chunk}/split", **documented({"chunks": ["4f1c:edit-9a", "4f1c:edit-9b"]}, takes={"at": 120}))
def split(workspace: Opened, chunk: Text, place: Split) -> Response:
    """Split a chunk in two."""
    return _made(workspace.chunks.split(chunk, place.at))


@router.delete("/chunks/{chunk}", **documented({"chunks": ["4f1c:edit-9a"]}))
def hide(workspace: Opened, chunk: Text) -> Response:
    """Hide a chunk from every search; it can be restored by the id in the answer."""
    return _made([workspace.chunks.delete(chunk)])


@router.post("/chunks/{chunk}/restore", **documented({"chunks": []}))
def restore(workspace: Opened, chunk: Text) -> Response:
    """Show a hidden chunk again, or take back its edit: its text is then split like the rest of the note."""
    workspace.chunks.restore(chunk)
    return _made([])


@router.post("/chunks/index", **documented(JOB, 202, takes={"notes": ["4f1c"]}))
def index(workspace: Opened, waiting: Waiting) -> Response:
    """Begin to index chunks that are found by words only."""

    def work(progress: Progress) -> int:
        return workspace.chunks.embed(note_ids=waiting.notes, chunk_ids=waiting.chunks, progress=progress)

    return jobs.start_job(workspace, "embed", work)


def _of_chunk(chunk: Chunk) -> dict[str, Any]:
    """Return a chunk with its text; `start` and `end` are its place in the note's text."""
    return data.pick(chunk, "id index total kind section start end text token_count overlap_tokens state edited")


def _made(chunks: Sequence[str], status: int = 200) -> Response:
    return answer({"chunks": [*chunks]}, status)
