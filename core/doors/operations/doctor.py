"""Operations of the doctor: problems of the workspace, and their repair."""

from typing import TYPE_CHECKING

from core.base.messages import message
from core.doors.json_forms.health import HEALTH
from core.doors.operations.declaring import operation
from core.model import Health, Progress

if TYPE_CHECKING:
    from core.workspace import Workspace

_TOOL = {"tool": "it names folders of the machine"}


@operation(
    "doctor.examine",
    message(
        "Check everything: notes, search index, files, models, disk, backups. Says what is wrong and what mends it."
    ),
    http="GET /doctor",
    cli="doctor",
    by_hand=("cli",),
    form=HEALTH,
    lacks=_TOOL,
)
def examine(workspace: "Workspace", progress: Progress) -> Health:
    return workspace.doctor.examine(progress=progress)


@operation(
    "doctor.fix",
    message("Check everything, and mend what can be mended."),
    http="POST /doctor/fix",
    cli="doctor --fix",
    by_hand=("cli",),
    writes=True,
    job="doctor",
    form=HEALTH,
    lacks=_TOOL,
)
def fix(workspace: "Workspace", progress: Progress) -> Health:
    return workspace.doctor.examine(fix=True, progress=progress)
