"""The packs: listed, installed, upgraded, removed."""

from fastapi import APIRouter
from starlette.responses import Response

from core import data
from core.api import examples, jobs
from core.api.answers import answer
from core.api.shared import Body, Opened, Text, gives, there
from core.model import PackReport, Progress

router = APIRouter(tags=["packs"])
_JOB = "packs"


class Source(Body):
    """A pack by its name, or the folder that holds its pack.toml."""

    source: Text


@router.get("/packs", **gives({"packs": [examples.PACK]}))
def every(workspace: Opened) -> Response:
    """List the packs there are, and which of them are installed."""
    return answer({"packs": [*map(data.of_pack, workspace.packs.list())]})


@router.post("/packs", **gives(examples.JOB, 202, takes={"source": "guide"}))
def install(workspace: Opened, pack: Source) -> Response:
    """Begin to install a pack; one that is installed is upgraded."""

    def work(progress: Progress) -> PackReport:
        return workspace.packs.install(pack.source, progress=progress)

    return jobs.begun(workspace, _JOB, work)


@router.post("/packs/{pack}/upgrade", **gives(examples.JOB, 202))
def upgrade(workspace: Opened, pack: Text) -> Response:
    """Begin to bring an installed pack to the version there is now; notes that the person changed stay."""
    there(lambda: workspace.packs.edited(pack))
    return jobs.begun(workspace, _JOB, lambda progress: workspace.packs.upgrade(pack, progress=progress))


@router.delete("/packs/{pack}", **gives({"name": "guide", "stay": 0}))
def remove(workspace: Opened, pack: Text) -> Response:
    """Put the notes of a pack into the trash, but those that the person changed; `stay` counts them."""
    return answer({"name": pack, "stay": there(lambda: workspace.packs.remove(pack))})
