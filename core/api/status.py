"""The state of the workspace."""

from fastapi import APIRouter
from starlette.responses import Response

from core import data
from core.api import examples, jobs
from core.api.answers import answer
from core.api.shared import Opened, documented
from core.model import Progress

router = APIRouter(tags=["status"])


@router.get("/status", **documented(examples.STATUS))
def status(workspace: Opened) -> Response:
    """Show what the workspace holds, and what is wrong with its search index."""
    state = workspace.status()
    return answer(data.of_status(state) | {"readonly": state.readonly, "index_problem": state.index_problem})


@router.post("/status/rebuild", **documented(examples.JOB, 202))
def rebuild(workspace: Opened) -> Response:
    """Begin to build the search index again from the stored data; no note is changed."""

    def work(progress: Progress) -> int:
        windows = workspace.rebuild(progress)
        workspace.start_indexing()
        return windows

    return jobs.start_job(workspace, "rebuild", work)
