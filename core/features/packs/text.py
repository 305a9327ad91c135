"""Output of `tessera packs` for people."""

from core.base.messages import plural
from core.base.terminal import _, say
from core.features.packs.views import PackList, PackReports, RemovedPack
from core.model import EditedNote, PackReport


def format_packs(listed: PackList) -> list[str]:
    lines = []
    for pack in listed.packs:
        found, installed = pack.found, pack.installed
        state = _("not installed")
        if installed:
            state = _(
                "installed in version {version}, {notes} notes in '{base}'",
                version=installed.version,
                notes=installed.notes,
                base=installed.base,
            )
        head = f"{pack.name} {found.version} ({found.language})" if found else pack.name
        lines.append(f"{head}: {state}")
        if found and found.description:
            lines.append(f"  {found.description}")
    return lines or [_("There are no packs.")]


def format_report(report: PackReport) -> list[str]:
    head = _(
        "{name} {version}: {added} added, {changed} changed, {removed} removed, {unchanged} unchanged",
        name=report.name,
        version=report.version,
        added=report.added,
        changed=report.changed,
        removed=report.removed,
        unchanged=report.unchanged,
    )
    return [head, *(line for note in report.edited for line in _format_edited(note))]


def format_reports(reports: PackReports) -> list[str]:
    return [line for report in reports.packs for line in format_report(report)]


def _format_edited(note: EditedNote) -> list[str]:
    head = _("  {path} stays as you changed it. What the pack has now:", path=note.path)
    if note.offered is None:
        return [head, _("    The pack no longer has this note.")]
    return [head, *(f"    {line}" for line in note.difference())]


def format_removed(pack: RemovedPack) -> list[str]:
    lines = [_("The pack {name} is removed; its notes are in the trash.", name=pack.name)]
    if pack.stay:
        lines.append(say(plural("{n} note that you changed stays.", "{n} notes that you changed stay.", n=pack.stay)))
    return lines
