"""The output of commands: lines for people, or JSON."""

import json
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, NoReturn

from core.cli.texts import _, say
from core.messages import Message, from_json, lines, message, plural, to_json
from core.model import (
    LEVELS,
    MODES,
    NOTICES,
    Advice,
    Context,
    Cut,
    Hit,
    Note,
    NoteCard,
    SearchResult,
    SideBySide,
    Sizes,
    WhyNot,
)

STOPPED = threading.Event()
"""Set by Ctrl-C. A model that is loading may swallow the exception, so the next step raises it again."""

_MAIN = ("error", "problem", "reason", "told", "why")
"""Fields whose message is in the field `message`. The message of any other field is in `NAME_message`."""

_STAGES = ("vector", "keyword", "fused", "rerank", "final")
"""Stages that the JSON of every hit names; null where the hit skipped one."""

_SCORES = {
    "vector": message("meaning"),
    "keyword": message("words"),
    "fused": message("combined"),
    "boosted": message("boosted"),
    "rerank": message("second look"),
    "final": message("final"),
}
_LOST = {
    "threshold": message("below the minimum similarity"),
    "duplicate": message("the same as a hit"),
    "fusion": message("behind others once meaning and words count together"),
    "reranking": message("behind others after the second look"),
    "limit": message("behind the hits that are shown"),
}
_KINDS = {
    "full_document": message("whole note"),
    "markdown_section": message("section"),
    "recursive_character": message("piece"),
    "line": message("line"),
}


def show(data: dict[str, Any], as_json: bool, to_lines: Callable[[dict[str, Any]], list[str]]) -> None:
    write(json.dumps(plain(data), ensure_ascii=False) if as_json else "\n".join(to_lines(data)))


def write(text: str) -> None:
    # Notes may contain characters that the terminal's encoding lacks.
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    print(text)


def plain(value: object) -> Any:
    """Return a value for JSON: a message becomes its English text, with its id and fields in a second field."""
    if isinstance(value, Mapping):
        data: dict[str, Any] = {}
        for name, item in value.items():
            data[name] = plain(item)
            if isinstance(item, Message):
                data["message" if name in _MAIN else f"{name}_message"] = to_json(item)
            elif isinstance(item, (list, tuple)) and (messages := [part for part in item if isinstance(part, Message)]):
                data[f"{name}_messages"] = [*map(to_json, messages)]
        return data
    if isinstance(value, (list, tuple)):
        return [*map(plain, value)]
    return str(value) if isinstance(value, Message) else value


def stop(*_: object) -> NoReturn:
    """Handle Ctrl-C."""
    STOPPED.set()
    raise KeyboardInterrupt


def progress(done: float, total: float, what: object) -> None:
    if STOPPED.is_set():
        raise KeyboardInterrupt
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{done:.0f}/{total:.0f} {say(what)}"[:100])
        if done >= total:
            sys.stderr.write("\r\x1b[K")


def result_json(result: SearchResult) -> dict[str, Any]:
    understood = result.understood
    return {
        "query": result.query,
        "mode": result.mode,
        "level": result.classified.level,
        "level_reason": result.classified.reason,
        "understood": {
            **_pick(understood, "text phrases excluded"),
            "terms": [*map(_of, understood.terms)],
        },
        "took_ms": round(result.took_ms, 3),
        "notices": result.notices,
        "reranker": result.reranker,
        "rerank_problem": result.rerank_problem or "",
        "sub_queries": [
            {"round": asked.round, **_of(asked.sub_query), "found": asked.found, "new": asked.new}
            for asked in result.asked
        ],
        "decompositions": [
            _of(decomposition) | {"sub_queries": [*map(_of, decomposition.sub_queries)]}
            for decomposition in result.decompositions
        ],
        "decompose_problem": result.decompose_problem or "",
        "facets": [*map(_of, result.facets)],
        "hits": [*map(_hit, result.hits)],
        "lost": [_hit(lost.hit) | {"lost_at": lost.stage} for lost in result.lost],
    }


def why_not_json(answer: WhyNot) -> dict[str, Any]:
    return {
        "note_id": answer.note.id,
        **_pick(answer.note, "path title"),
        "stage": answer.stage,
        "told": answer.message,
        "chunk_index": answer.chunk.index if answer.chunk else None,
        "scores": {stage: _of(score) for stage, score in answer.scores.items()},
    }


def why_not_lines(answer: dict[str, Any]) -> list[str]:
    lines = [_("{name}: {text}", name=answer["title"], text=answer["told"])]
    if answer["chunk_index"] is not None:
        lines.append(_("Its best chunk is number {n}:", n=answer["chunk_index"] + 1))
    for stage, score in answer["scores"].items():
        name = _SCORES.get(stage, stage)
        if score["rank"]:
            lines.append(_("  {name} {score:.3f}, rank {rank}", name=name, score=score["score"], rank=score["rank"]))
        else:
            lines.append(f"  {say(name)} {score['score']:.3f}")
    return lines


def context_json(context: Context) -> dict[str, Any]:
    return {
        **_pick(context, "text tokens budget left_out"),
        "citations": [
            {
                "number": citation.number,
                "note_id": citation.note.id,
                **_pick(citation.note, "base path title"),
                "section": citation.section,
                **_place(citation.note, citation.start, citation.end),
            }
            for citation in context.citations
        ],
    }


def _of(noun: Any) -> dict[str, Any]:
    """Return the fields of a dataclass; its `message` is called `told`, as in earlier versions."""
    return {"told" if field.name == "message" else field.name: getattr(noun, field.name) for field in fields(noun)}


def _pick(noun: object, names: str) -> dict[str, Any]:
    return {name: getattr(noun, name) for name in names.split()}


def _place(note: NoteCard, start: int, end: int) -> dict[str, int | None]:
    """Return a span of a note's body, and the same span of its file."""
    offset = note.body_start if note.path is not None else None
    file = {"file_start": None, "file_end": None} if offset is None else _shifted(offset, start, end)
    return {"start": start, "end": end, **file}


def _hit(hit: Hit) -> dict[str, Any]:
    chunk, note, passage = hit.chunk, hit.note, hit.passage
    stages = dict.fromkeys(_STAGES, None) | hit.scores
    return {
        "rank": hit.rank,
        "note_id": note.id,
        **_pick(note, "base path title"),
        "section": chunk.section,
        "chunk_id": chunk.id,
        "chunk_index": chunk.index,
        "total_chunks": chunk.total,
        **_place(note, passage.start, passage.end),
        "text": passage.text,
        "score": hit.score,
        "scores": {stage: score.score if score else None for stage, score in stages.items()},
        "ranks": {stage: score.rank if score else None for stage, score in stages.items()},
        "chunk_start": chunk.start,
        "chunk_end": chunk.end,
        "edited": chunk.edited,
        **_pick(hit, "matched joined"),
        "copies": [
            {"note_id": copy.note.id, "path": copy.note.path, "chunk_index": copy.chunk.index} for copy in hit.copies
        ],
        "sub_query": hit.asked,
    }


def cut_json(note: Note, cut: Cut) -> dict[str, Any]:
    names = "index kind start end text section_title parent_sections hierarchy_level token_count overlap_tokens"
    return {
        "profile": _of(cut.profile),
        "strategy": cut.strategy,
        "sizes": _of(Sizes.of(cut.chunks)),
        "reasons": cut.reasons,
        "warnings": note.warnings,
        "chunks": [
            _pick(chunk, f"{names} has_code language") | _shifted(note.body_start, chunk.start, chunk.end)
            for chunk in cut.chunks
        ],
    }


def _shifted(offset: int, start: int, end: int) -> dict[str, int | None]:
    return {"file_start": offset + start, "file_end": offset + end}


def import_lines(report: dict[str, Any]) -> list[str]:
    counts = {name: report[name] for name in ("added", "changed", "renamed", "removed", "unchanged")}
    text = _(
        "{added} added, {changed} changed, {renamed} renamed, {removed} removed, {unchanged} unchanged, {n} failed",
        n=len(report["failed"]),
        **counts,
    )
    return _report_lines(report, text, report["edits_flagged"], report["edits_kept"])


def rechunk_lines(report: dict[str, Any]) -> list[str]:
    text = _(
        "{notes} split anew, {unchanged} unchanged, {n} failed",
        notes=report["notes"],
        unchanged=report["unchanged"],
        n=len(report["failed"]),
    )
    return _report_lines(report, text, report["flagged"])


def _report_lines(report: dict[str, Any], head: str, flagged: int, orphaned: int = 0) -> list[str]:
    lines = [head]
    lines += [
        _("  failed: {path}: {reason}", path=failure["path"], reason=from_json(failure["message"]))
        for failure in report["failed"]
    ]
    if flagged:
        lines.append(_("edits that lost their place: {n}", n=flagged))
    if orphaned:
        lines.append(_("edits of removed notes, which stay: {n}", n=orphaned))
    count, seconds = report["chunks"], report["seconds"]
    cost = plural("{n} chunk indexed in {seconds} s", "{n} chunks indexed in {seconds} s", n=count, seconds=seconds)
    return [*lines, say(cost)]


def search_lines(result: dict[str, Any]) -> list[str]:
    head: list[object] = [
        plural("{n} hit", "{n} hits", n=len(result["hits"])),
        MODES[result["mode"]],
        LEVELS[result["level"]],
        *([message("second look: {name}", name=result["reranker"])] if result["reranker"] else []),
        message("{ms:.0f} ms", ms=result["took_ms"]),
    ]
    printed = [say(lines(*head, separator=" · ")), *(say(NOTICES[notice]) for notice in result["notices"])]
    if result["rerank_problem"]:
        printed.append(_("No second look: {reason}", reason=result["rerank_problem"]))
    if result["decompose_problem"]:
        printed.append(_("Taken apart by rules: {reason}", reason=result["decompose_problem"]))
    printed += [
        _("round {round}: {text} ({why}; {found} found, {new} new)", **sub_query) for sub_query in result["sub_queries"]
    ]
    for hit in result["hits"]:
        printed += ["", *_hit_lines(hit), *(f"   {line}" for line in hit["text"].splitlines())]
    if result["lost"]:
        printed += ["", _("Also considered:")]
        for lost in result["lost"]:
            first, second = _hit_lines(lost)
            printed += [first, f"{second} [{say(_LOST.get(lost['lost_at'], lost['lost_at']))}]"]
    return printed


def _hit_lines(hit: dict[str, Any]) -> list[str]:
    where = " > ".join([hit["title"], *hit["section"]])
    scores = ", ".join(
        f"{say(_SCORES.get(stage, stage))} {score:.3f}" for stage, score in hit["scores"].items() if score is not None
    )
    matched = f"; {', '.join(hit['matched'])}" if hit["matched"] else ""
    return [f"{hit['rank']}. {where}", f"   {hit['base']}: {hit['path']} ({scores}{matched})"]


def chunk_lines(cut: dict[str, Any]) -> list[str]:
    lines = [*map(say, cut["warnings"]), *map(say, cut["reasons"]), say(size_message(cut["strategy"], cut["sizes"]))]
    if "compare" in cut:
        other = cut["compare"]
        cuts = other["cuts"]
        lines += ["", *map(say, other["reasons"]), say(size_message(other["strategy"], other["sizes"])), ""]
        lines.append(_("same splits: {n}", n=len(cuts["both"])))
        return lines + [
            _("splits of {strategy} only: {places}", strategy=shown["strategy"], places=[*map(str, cuts[side])] or "–")
            for shown, side in ((cut, "first"), (other, "second"))
        ]
    for chunk in cut["chunks"]:
        where = " > ".join([*chunk["parent_sections"], chunk["section_title"]])
        about = _(
            "{kind}, {n} tokens, {start}-{end}",
            kind=_KINDS[chunk["kind"]],
            n=chunk["token_count"],
            start=str(chunk["file_start"]),
            end=str(chunk["file_end"]),
        )
        lines += ["", f"[{chunk['index']}] {where} ({about})", chunk["text"]]
    return lines


def size_message(strategy: str, sizes: Mapping[str, Any]) -> Message:
    return message(
        "{strategy}: {n} chunks of {smallest} to {largest} tokens, {mean:.0f} on average",
        strategy=strategy,
        n=sizes["count"],
        smallest=sizes["smallest"],
        largest=sizes["largest"],
        mean=sizes["mean"],
    )


def evaluation_lines(evaluation: dict[str, Any]) -> list[str]:
    return [_question_line(evaluation)] + [f"  {name:<16}{value:.3f}" for name, value in evaluation["metrics"].items()]


def _question_line(evaluation: dict[str, Any]) -> str:
    return say(plural("{n} question", "{n} questions", n=evaluation["questions"]))


def comparison_json(shown: SideBySide) -> dict[str, Any]:
    return {
        **_pick(shown, "metric settings notices"),
        "runs": [
            {"pipeline": label, "metrics": {name: figures[at] for name, figures in shown.figures.items()}}
            for at, label in enumerate(shown.labels)
        ],
        "differences": [
            {name: _of(comparison) | {"settled": comparison.settled} for name, comparison in by_metric.items()}
            for by_metric in shown.comparisons
        ],
    }


def advice_json(advice: Advice, names: Mapping[str, str | Message]) -> dict[str, Any]:
    return _of(advice) | {
        "best": names[advice.best],
        "comparison": _of(advice.comparison),
        "ranking": [{"pipeline": names[run], "mean": mean} for run, mean in advice.ranking],
        "refused": advice.refused or "",
    }


def comparison_lines(evaluation: dict[str, Any]) -> list[str]:
    compared = evaluation["compared"]
    lines = [_question_line(evaluation)]
    for number, run in enumerate(compared["runs"], 1):
        lines.append(f"  {number}  {say(run['pipeline'])}")
    lines.append(" " * 18 + "".join(f"{number:>9}" for number in range(1, len(compared["runs"]) + 1)))
    lines += [
        f"  {name:<16}" + "".join(f"{run['metrics'][name]:>9.3f}" for run in compared["runs"])
        for name in compared["runs"][0]["metrics"]
    ]
    metric = compared["metric"]
    for number, difference in enumerate(compared["differences"], 2):
        lines.append(
            _("{number} against 1, by {metric}: {text}", number=number, metric=metric, text=difference[metric]["told"])
        )
    lines += map(say, compared["notices"])
    if advice := evaluation.get("advice"):
        lines.append(_("Best: {name}. {text}", name=advice["best"], text=advice["told"]))
    return lines


def status_lines(status: dict[str, Any]) -> list[str]:
    lines = [_("{folder}: {size:.1f} MB", folder=status["workspace"], size=status["bytes"] / 1e6)]
    for base in status["bases"]:
        counts = {name: base[name] for name in ("name", "notes", "chunks", "embedder")}
        lines.append(_("  {name}: {notes} notes, {chunks} chunks ({embedder})", **counts))
        lines += [
            _("    {path}, last sync {at}", path=folder["path"], at=folder["synced_at"]) for folder in base["folders"]
        ]
    return lines
