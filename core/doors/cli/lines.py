"""Output of commands for people, from the data of their JSON output."""

import shlex
from typing import Any

from core.base.messages import plural
from core.base.terminal import _, minute, say
from core.doors.cli import documentlines
from core.model import (
    base_model,
)


def counts(report: dict[str, Any]) -> str:
    text = _(
        "{added} added, {changed} changed, {renamed} renamed, {removed} removed, {unchanged} unchanged, {n} failed",
        n=len(report["failed"]),
        **report,
    )
    lacking = documentlines.lacking(report["incomplete"])
    return _("{counts}, {n} incomplete", counts=text, n=lacking) if lacking else text


def format_import(report: dict[str, Any]) -> list[str]:
    lines = _report_lines(report, counts(report), report["edits_flagged"], report["edits_kept"], report["waiting"])
    head = [_("Read as notes of {program}.", program=report["importer"])] if report["importer"] else []
    return [
        *head,
        *lines,
        *_away_lines(report["not_downloaded"]),
        *documentlines.format_incomplete(report),
        *_skipped_lines(report["skipped"]),
        *_left_out_lines(report["left_out"]),
        *_refused_lines(report["refused"]),
    ]


def _left_out_lines(entries: list[dict[str, Any]]) -> list[str]:
    """Return a line for each reason why files and folders are left out."""
    lines = []
    for reason, paths in _by_reason(entries).items():
        shown = ", ".join(paths[:3] + ["…"] * (len(paths) > 3))
        lines.append(_("  left out ({n}): {paths}: {reason}", n=len(paths), paths=shown, reason=reason))
    return lines


def _away_lines(files: list[dict[str, Any]]) -> list[str]:
    """Return a line for each reason why files aren't there yet."""
    return [
        _("  not downloaded: {n} files, such as {path}: each {reason}", n=len(paths), path=paths[0], reason=reason)
        if len(paths) > 1
        else _("  not downloaded: {path}: {reason}", path=paths[0], reason=reason)
        for reason, paths in _by_reason(files).items()
    ]


def _by_reason(entries: list[dict[str, Any]]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for entry in entries:
        reasons.setdefault(say(entry["error"]), []).append(entry["path"])
    return reasons


def format_scan(values: dict[str, Any]) -> list[str]:
    text: list[str] = []
    for item in values["folders"]:
        text.append(f"{item['base']}: {item['folder']}")
        if item["made"]:
            text.append(f"  {_('This base was made for the folder.')}")
        if item["problem"]:
            text.append(f"  {say(item['problem'])}")
        else:
            text += [f"  {line}" for line in format_import(item)]
    return text or [_("There is no folder with texts yet.")]


def format_new_base(makes: dict[str, Any]) -> str:
    name = shlex.quote(makes["base"])
    return f"{say(makes['explanation'])} {_('With other settings: {command}', command=f'tessera base new {name} …')}"


def format_index(values: dict[str, Any]) -> list[str]:
    return [say(plural("{n} passage indexed", "{n} passages indexed", n=values["chunks"]))]


def format_rebuild(values: dict[str, Any]) -> list[str]:
    if values["index"] == "none":
        return [_("There is no search index: a search by meaning compares with every passage.")]
    return [_("The search index is rebuilt.")]


def format_refused(values: dict[str, Any]) -> list[str]:
    lines = []
    for item in values["refused"]:
        text = " ".join(item["text"].split())[:100]
        lines += [
            f"{item['base']}: {item['path'] or item['title']} ({item['chunk_id']})",
            f"  {say(item['reason'])}",
            f"  {text}",
        ]
    return lines or [_("The model refuses no passage.")]


def _skipped_lines(files: list[dict[str, Any]]) -> list[str]:
    """Return a line for each reason why files weren't read."""
    return [
        _("  not read: {n} files, such as {path}: each {reason}", n=len(paths), path=paths[0], reason=reason)
        if len(paths) > 1
        else _("  not read: {path}: {reason}", path=paths[0], reason=reason)
        for reason, paths in _by_reason(files).items()
    ]


def _refused_lines(chunks: int) -> list[str]:
    if not chunks:
        return []
    text = plural(
        "{n} passage is found by words only, for the model refuses it: tessera refused",
        "{n} passages are found by words only, for the model refuses them: tessera refused",
        n=chunks,
    )
    return [say(text)]


def _waiting_line(notes: int) -> str:
    return say(
        plural(
            "{n} note is found by words only; to index it: {command}",
            "{n} notes are found by words only; to index them: {command}",
            n=notes,
            command="tessera index",
        )
    )


def format_rechunk(report: dict[str, Any]) -> list[str]:
    text = _("{notes} split again, {unchanged} unchanged, {n} failed", n=len(report["failed"]), **report)
    return _report_lines(report, text, report["flagged"])


def _report_lines(report: dict[str, Any], head: str, flagged: int, orphaned: int = 0, waiting: int = 0) -> list[str]:
    lines = [head]
    lines += [
        _("  failed: {path}: {reason}", path=failure["path"], reason=failure["error"]) for failure in report["failed"]
    ]
    if flagged:
        lines.append(_("edits that lost their place: {n}", n=flagged))
    if orphaned:
        lines.append(_("edits of removed notes, which stay: {n}", n=orphaned))
    count, indexed, seconds = report["chunks"], report["indexed"], report["seconds"]
    if waiting or count > indexed == 0:
        stored = plural(
            "{n} passage stored in {seconds} s", "{n} passages stored in {seconds} s", n=count, seconds=seconds
        )
        return [*lines, say(stored), *([_waiting_line(waiting)] if waiting else [])]
    cost = plural(
        "{n} passage indexed in {seconds} s", "{n} passages indexed in {seconds} s", n=indexed, seconds=seconds
    )
    return [*lines, say(cost)]


def format_status(status: dict[str, Any]) -> list[str]:
    lines = [_("{folder}: {size:.1f} MB", folder=status["workspace"], size=status["bytes"] / 1e6)]
    for base in status["bases"]:
        lines += base_lines(base)
    for pack in status["packs"]:
        lines.append(
            _("  pack {name} {version}: {notes} notes, {chunks} chunks", **pack | {"version": pack["version"] or "…"})
        )
    if status["set_aside"]:
        names = ", ".join(status["set_aside"])
        lines.append(
            _("Damaged, so it was set aside and made again: {names}. Delete what you don't need.", names=names)
        )
    return lines


def base_lines(base: dict[str, Any]) -> list[str]:
    fields = {**base, "embedder": base_model(base["kind"], base["embedder"])}
    lines = [_("  {name}: {notes} notes, {chunks} chunks ({embedder})", **fields), *folder_lines(base)]
    if base["waiting"]:
        lines.append(f"    {_waiting_line(base['waiting'])}")
    return lines + [f"    {line}" for line in _refused_lines(base["refused"])]


def folder_lines(base: dict[str, Any]) -> list[str]:
    times = [(folder["path"], minute(folder["synced_at"]) + " UTC") for folder in base["folders"]]
    return [_("    {path}, last update {at}", path=path, at=at) for path, at in times]


def format_log(log: dict[str, Any]) -> list[str]:
    return log["lines"] or [_("Nothing stands in {file} yet.", file=log["log"])]
