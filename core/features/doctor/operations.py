"""Operations on the health of a workspace and on the space that it takes."""

from typing import TYPE_CHECKING

from core.base.messages import message
from core.doors.operations.declaring import operation
from core.features.doctor.forms import COMPACTED, HEALTH, SPACE
from core.model import Compacted, Health, Progress, Space

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


_DISK = {"tool": "the disk is the person's"}


@operation(
    "space.show",
    message("Show what takes how much space: notes, search index, backups, trash, models."),
    http="GET /space",
    cli="space",
    form=SPACE,
    lacks=_DISK,
)
def show_space(workspace: "Workspace") -> Space:
    return workspace.doctor.space()


@operation(
    "space.compact",
    message("Give unused space back to the disk. Notes can be read meanwhile, and saved afterwards."),
    http="POST /space/compact",
    cli="compact",
    writes=True,
    job="compact",
    form=COMPACTED,
    lacks=_DISK,
)
def compact_space(workspace: "Workspace", progress: Progress) -> Compacted:
    return workspace.doctor.compact(progress)
