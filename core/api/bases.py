"""The chunks of bases and notes: indexed where they are found by words only."""

from fastapi import APIRouter
from starlette.responses import Response

from core.api import jobs
from core.api.examples import JOB
from core.api.shared import Body, Opened, Text, documented, or_404
from core.model import Progress

router = APIRouter(tags=["bases"])


class Waiting(Body):
    """What shall be indexed: chunks, or all chunks of notes."""

    chunks: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()


@router.post("/bases/{base:path}/index", **documented(JOB, 202))
def index(workspace: Opened, base: Text) -> Response:
    """Begin to index the chunks of a base that are found by words only."""
    or_404(lambda: workspace.bases.get(base))
    return jobs.start_job(workspace, "embed", lambda progress: workspace.chunks.embed(base, progress=progress))


@router.post("/chunks/index", **documented(JOB, 202, takes={"notes": ["4f1c"]}))
def index_chunks(workspace: Opened, waiting: Waiting) -> Response:
    """Begin to index chunks that are found by words only."""

    def work(progress: Progress) -> int:
        return workspace.chunks.embed(note_ids=waiting.notes, chunk_ids=waiting.chunks, progress=progress)

    return jobs.start_job(workspace, "embed", work)
