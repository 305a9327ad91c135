"""Output of `tessera doctor`, `tessera space` and `tessera compact` for people."""

from core.base.terminal import _, say
from core.model import SPACE_PARTS, Checked, Compacted, Health, Space


def format_health(health: Health) -> list[str]:
    lines = [line for check in health.checks for line in _format_check(check)]
    sound = sum(check.level == "sound" for check in health.checks)
    return [*lines, _("{sound} of {n} checks find nothing wrong.", sound=sound, n=len(health.checks))]


def _format_check(check: Checked) -> list[str]:
    if check.mended:
        return [_("mended: {title}", title=say(check.title))]
    if not check.problem:
        return []
    head = _("BROKEN: {told}", told=say(check.problem)) if check.level == "broken" else say(check.problem)
    return [head, f"    {say(check.about)}", "    " + _("To mend it: {cure}", cure=say(check.remedy))]


def format_space(space: Space) -> list[str]:
    lines = [
        _("{size:>10,.1f} MB  {name}", size=getattr(space, part) / 1e6, name=say(name))
        for part, name in SPACE_PARTS.items()
    ]
    for base, size in space.tokens.items():
        lines.append(_("  of it {size:,.1f} MB data for fast re-checking of '{base}'", size=size / 1e6, base=base))
    free, total = space.free / 1e9, space.total / 1e9
    lines.append(_("{free:,.1f} GB of {total:,.1f} GB of the disk are left.", free=free, total=total))
    if space.unused:
        unused = space.unused / 1e6
        lines.append(
            _("{size:,.1f} MB are unused; to give them back: {command}", size=unused, command="tessera compact")
        )
    return lines


def format_compacted(database: Compacted) -> list[str]:
    before, after = database.before / 1e6, database.after / 1e6
    return [_("The database had {before:,.1f} MB, and has {after:,.1f} MB.", before=before, after=after)]
