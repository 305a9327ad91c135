"""Operations on the space of the workspace on disk."""

from typing import TYPE_CHECKING

from core.base.messages import message
from core.doors.json_forms.health import COMPACTED, SPACE
from core.doors.operations.declaring import operation
from core.model import Compacted, Progress, Space

if TYPE_CHECKING:
    from core.workspace import Workspace

_TOOL = {"tool": "the disk is the person's"}


@operation(
    "space.show",
    message("Show what takes how much space: notes, search index, backups, trash, models."),
    http="GET /space",
    cli="space",
    form=SPACE,
    lacks=_TOOL,
)
def show(workspace: "Workspace") -> Space:
    return workspace.doctor.space()


@operation(
    "space.compact",
    message("Give unused space back to the disk. Notes can be read meanwhile, and saved afterwards."),
    http="POST /space/compact",
    cli="compact",
    writes=True,
    job="compact",
    form=COMPACTED,
    lacks=_TOOL,
)
def compact(workspace: "Workspace", progress: Progress) -> Compacted:
    return workspace.doctor.compact(progress)
