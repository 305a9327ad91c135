"""Operations on a workspace's health and disk space, and their terminal output."""

from typing import TYPE_CHECKING

from core.base.terminal import _, say
from core.model import SPACE_PARTS, Compacted, Health, Progress, Space
from core.operations.declaring import operation

if TYPE_CHECKING:
    from core.workspace import Workspace


# Terminal output.


def format_health(health: Health) -> list[str]:
    lines = []
    for check in health.checks:
        if check.mended:
            lines.append(_("repaired: {title}", title=say(check.title)))
        elif problem := say(check.problem or ""):
            lines += [
                _("BROKEN: {problem}", problem=problem) if check.level == "broken" else problem,
                f"    {say(check.about)}",
                f"    {_('To repair it: {remedy}', remedy=say(check.remedy))}",
            ]
    return [
        *lines,
        _(
            "{sound} of {n} checks found nothing wrong.",
            sound=sum(check.level == "sound" for check in health.checks),
            n=len(health.checks),
        ),
    ]


def format_space(space: Space) -> list[str]:
    lines = [
        _("{size:>10,.1f} MB  {name}", size=getattr(space, part) / 1e6, name=say(name))
        for part, name in SPACE_PARTS.items()
    ]
    for base, size in space.tokens.items():
        lines.append(_("  including {size:,.1f} MB of data for fast reranking of '{base}'", size=size / 1e6, base=base))
    lines.append(
        _("{free:,.1f} GB of {total:,.1f} GB on the disk are free.", free=space.free / 1e9, total=space.total / 1e9)
    )
    if space.unused:
        lines.append(
            _(
                "{size:,.1f} MB are unused. To free this space, run: {command}",
                size=space.unused / 1e6,
                command="tessera compact",
            )
        )
    return lines


def format_compacted(database: Compacted) -> list[str]:
    return [
        _(
            "The database took up {before:,.1f} MB and now takes up {after:,.1f} MB.",
            before=database.before / 1e6,
            after=database.after / 1e6,
        )
    ]


# The operations.


@operation(
    "doctor.examine",
    "Check everything: notes, search index, files, models, disk, backups. Reports what is wrong and how to repair it.",
    http="GET /doctor",
    cli="doctor",
    by_hand="cli",
    lines=format_health,
)
def examine(workspace: "Workspace", progress: Progress) -> Health:
    return workspace.doctor.examine(progress=progress)


@operation(
    "doctor.fix",
    "Check everything, and repair what can be repaired.",
    http="POST /doctor/fix",
    cli="doctor --fix",
    by_hand="cli",
    writes=True,
    job="doctor",
    lines=format_health,
)
def fix(workspace: "Workspace", progress: Progress) -> Health:
    return workspace.doctor.examine(fix=True, progress=progress)


@operation(
    "space.show",
    "Show what takes up space: notes, search index, backups, trash, models.",
    http="GET /space",
    cli="space",
    lines=format_space,
)
def show_space(workspace: "Workspace") -> Space:
    return workspace.doctor.space()


@operation(
    "space.compact",
    "Free unused disk space. Meanwhile, notes can be read but not saved.",
    http="POST /space/compact",
    cli="compact",
    writes=True,
    job="compact",
    lines=format_compacted,
)
def compact_space(workspace: "Workspace", progress: Progress) -> Compacted:
    return workspace.doctor.compact(progress)
