"""Output of commands for people, from the data of their JSON output."""

import re
import shlex
from typing import Any

from core.base.messages import lines, message, plural
from core.base.terminal import _, minute, say
from core.base.text import CJK, STOP_WORDS, fold
from core.doors.cli import documentlines
from core.model import (
    LEVELS,
    LOST,
    MODES,
    NOTE_FIELDS,
    NOTICES,
    STAGES,
    base_model,
    classification,
)

# The few lines of a hit in a terminal.

_WORD = re.compile(rf"(?=([{CJK}]{{2}}))|((?:(?![{CJK}])\w)+)")
SNIPPET = 6
"""Most lines of a passage that a hit prints."""


def snippet_lines(hit: dict[str, Any], question: str) -> list[str]:
    """Return up to SNIPPET lines of a hit side by side, those with the most words of a question.

    Blank lines are left out, and so is a heading that is in the line above.
    """
    heading = re.compile(rf"#+\s+{re.escape(hit['section'][-1])}\s*" if hit["section"] else "(?!)")
    every = [line for line in hit["text"].splitlines() if line.strip()]
    every = [line for line in every if not heading.fullmatch(line)] or every
    wanted = {pair or word for pair, word in _WORD.findall(fold(question))} - STOP_WORDS
    held = [{word for word in wanted if word in fold(line)} for line in every]
    starts = range(max(1, len(every) - SNIPPET + 1))
    start = max(starts, key=lambda at: len(set().union(*held[at : at + SNIPPET])))
    before, after = ["…"] * (start > 0), ["…"] * (start + SNIPPET < len(every))
    within = every[start : start + SNIPPET]
    return [*before, *within[len(before) : len(within) - len(after)], *after]


def format_refusal(answer: dict[str, Any]) -> list[str]:
    lines = [_("{name}: {text}", name=answer["title"], text=answer["explanation"])]
    if answer["chunk_index"] is not None:
        lines.append(_("Its best passage is number {n}:", n=answer["chunk_index"] + 1))
    for stage, score in answer["scores"].items():
        name = STAGES.get(stage, stage)
        if score["rank"]:
            lines.append(_("  {name} {score:.3f}, rank {rank}", name=name, **score))
        else:
            lines.append(f"  {say(name)} {score['score']:.3f}")
    return lines


def format_context(context: dict[str, Any]) -> list[str]:
    return [*([] if context["confident"] else [_("Nothing close. The nearest:"), ""]), context["text"]]


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


def format_result(result: dict[str, Any], *, full: bool = False, explain: bool = False) -> list[str]:
    """Return the lines of the hits: whole passages with `full`, scores and matching words with `explain`."""
    head: list[object] = [
        plural("{n} hit", "{n} hits", n=len(result["hits"])),
        MODES[result["mode"]],
        LEVELS[result["level"]],
        *([message("re-check: {name}", name=result["reranker"])] if result["reranker"] else []),
        message("{ms:.0f} ms", ms=result["took_ms"]),
    ]
    printed = [say(lines(*head, separator=" · ")), *(say(NOTICES[notice]) for notice in result["notices"])]
    printed += [
        _(
            "No note holds '{word}': '{nearest}' was looked for too. For '{word}' only: --as-typed",
            word=word,
            nearest=near,
        )
        for word, near in result["spelled"].items()
    ]
    if result["rerank_problem"]:
        printed.append(_("No re-check: {reason}", reason=result["rerank_problem"]))
    if result["decompose_problem"]:
        printed.append(_("The question was broken down by rules instead: {reason}", reason=result["decompose_problem"]))
    printed += [
        _("round {round}: {text} ({why}; {found} found, {new} new)", **sub_query) for sub_query in result["sub_queries"]
    ]
    if result["choice"]:
        printed += [say(result["choice"]["explanation"]), *result["choice"]["answer"].splitlines()]
    if result["hits"] and not result["confident"]:
        printed.append(_("Nothing close. The nearest:"))
    for hit in result["hits"]:
        text = hit["text"].splitlines() if full else snippet_lines(hit, result["understood"]["text"])
        printed += ["", *_hit_lines(hit, explain=explain), *_about(hit), *(f"   {line}" for line in text)]
    if result["lost"]:
        printed += ["", _("Also considered:")]
        for lost in result["lost"]:
            first, second = _hit_lines(lost, explain=explain)
            printed += [first, f"{second} [{say(LOST[lost['lost_at']])}]"]
    return printed


def _about(hit: dict[str, Any]) -> list[str]:
    """Return the classification of a hit's note, and remarks on its reliability."""
    fields = [
        message("{field}: {value}", field=NOTE_FIELDS[name].title, value=value)
        for name, value in classification(hit).items()
    ]
    said = [f"   {say(lines(*fields, separator=' · '))}"] if fields else []
    return said + [f"   ! {say(remark)}" for remark in hit["remarks"]]


def _hit_lines(hit: dict[str, Any], *, explain: bool) -> list[str]:
    section = hit["section"]
    where = " > ".join([hit["title"], *section[section[:1] == [hit["title"]] :]])
    place = f"{hit['path']}:{hit['line']}" if hit["line"] else hit["path"]
    scores = ", ".join(
        f"{say(STAGES.get(stage, stage))} {score:.3f}" for stage, score in hit["scores"].items() if score is not None
    )
    matched = f"; {', '.join(hit['matched'])}" if hit["matched"] else ""
    place = _("{path}, picture {picture}", path=place, picture=hit["picture"]) if hit["picture"] else place
    return [f"{hit['rank']}. {where}", f"   {hit['base']}: {place}" + (f" ({scores}{matched})" if explain else "")]


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
