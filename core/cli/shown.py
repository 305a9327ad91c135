"""What commands print: lines for people, or JSON."""

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, NoReturn

from core.chunking.compare import sizes
from core.evaluation.advice import Advice
from core.evaluation.sidebyside import SideBySide
from core.model import Context, Cut, Hit, Note, SearchResult, WhyNot

STOPPED = threading.Event()
"""That Ctrl-C was pressed: what is loading then may swallow the exception, so the next step raises it again."""


def show(shown: dict[str, Any], as_json: bool, lines: Callable[[dict[str, Any]], list[str]]) -> None:
    write(json.dumps(shown, ensure_ascii=False) if as_json else "\n".join(lines(shown)))


def write(text: str) -> None:
    # Notes may hold what a terminal's encoding can't say.
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    print(text)


def stop(*_: object) -> NoReturn:
    """What Ctrl-C does."""
    STOPPED.set()
    raise KeyboardInterrupt


def progress(done: float, total: float, what: str) -> None:
    if STOPPED.is_set():
        raise KeyboardInterrupt
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{done:.0f}/{total:.0f} {what}"[:100])
        if done >= total:
            sys.stderr.write("\r\x1b[K")


def result_told(result: SearchResult) -> dict[str, Any]:
    understood = result.understood
    return {
        "query": result.query,
        "mode": result.mode,
        "level": result.classified.level,
        "level_reason": result.classified.reason,
        "understood": {
            "text": understood.text,
            "phrases": list(understood.phrases),
            "excluded": list(understood.excluded),
            "terms": [asdict(term) for term in understood.terms],
        },
        "took_ms": round(result.took_ms, 3),
        "notices": list(result.notices),
        "reranker": result.reranker,
        "rerank_problem": result.rerank_problem,
        "sub_queries": [
            {
                "round": one.round,
                "text": one.sub_query.text,
                "why": one.sub_query.why,
                "found": one.found,
                "new": one.new,
            }
            for one in result.asked
        ],
        "decompositions": [asdict(one) for one in result.decompositions],
        "decompose_problem": result.decompose_problem,
        "facets": [asdict(facet) for facet in result.facets],
        "hits": [_hit(hit) for hit in result.hits],
        "lost": [_hit(lost.hit) | {"lost_at": lost.stage} for lost in result.lost],
    }


def why_not_told(told: WhyNot) -> dict[str, Any]:
    return {
        "note_id": told.note.id,
        "path": told.note.path,
        "title": told.note.title,
        "stage": told.stage,
        "told": told.told,
        "chunk_index": told.chunk.index if told.chunk else None,
        "scores": {stage: asdict(said) for stage, said in told.scores.items()},
    }


def why_not_lines(told: dict[str, Any]) -> list[str]:
    lines = [f"{told['title']}: {told['told']}"]
    if told["chunk_index"] is not None:
        lines.append(f"Its best chunk is number {told['chunk_index'] + 1}:")
    for stage, said in told["scores"].items():
        rank = f", rank {said['rank']}" if said["rank"] else ""
        lines.append(f"  {stage} {said['score']:.3f}{rank}")
    return lines


def context_told(context: Context) -> dict[str, Any]:
    return {
        "text": context.text,
        "tokens": context.tokens,
        "budget": context.budget,
        "left_out": context.left_out,
        "citations": [
            {
                "number": one.number,
                "note_id": one.note.id,
                "base": one.note.base,
                "path": one.note.path,
                "title": one.note.title,
                "section": list(one.section),
                "start": one.start,
                "end": one.end,
                "file_start": one.note.body_start + one.start if one.note.path is not None else None,
                "file_end": one.note.body_start + one.end if one.note.path is not None else None,
            }
            for one in context.citations
        ],
    }


def context_lines(context: dict[str, Any]) -> list[str]:
    return [context["text"]]


def _hit(hit: Hit) -> dict[str, Any]:
    chunk, note, passage = hit.chunk, hit.note, hit.passage
    in_file = note.path is not None
    stages = dict.fromkeys(_STAGES, None) | hit.scores
    return {
        "rank": hit.rank,
        "note_id": note.id,
        "base": note.base,
        "path": note.path,
        "title": note.title,
        "section": list(chunk.section),
        "chunk_id": chunk.id,
        "chunk_index": chunk.index,
        "total_chunks": chunk.total,
        "start": passage.start,
        "end": passage.end,
        "file_start": note.body_start + passage.start if in_file else None,
        "file_end": note.body_start + passage.end if in_file else None,
        "text": passage.text,
        "score": hit.score,
        "scores": {stage: said.score if said else None for stage, said in stages.items()},
        "ranks": {stage: said.rank if said else None for stage, said in stages.items()},
        "chunk_start": chunk.start,
        "chunk_end": chunk.end,
        "edited": chunk.edited,
        "matched": list(hit.matched),
        "joined": list(hit.joined),
        "copies": [
            {"note_id": one.note.id, "path": one.note.path, "chunk_index": one.chunk.index} for one in hit.copies
        ],
        "sub_query": hit.asked,
    }


_STAGES = ("vector", "keyword", "fused", "rerank", "final")
"""Stages that a hit always has a place for, whichever it went through."""


def cut_told(note: Note, cut: Cut) -> dict[str, Any]:
    shown = "index kind start end text section_title parent_sections hierarchy_level token_count".split()
    shown += ["overlap_tokens", "has_code", "language"]
    return {
        "profile": asdict(cut.profile),
        "strategy": cut.strategy,
        "sizes": asdict(sizes(cut.chunks)),
        "reasons": list(cut.reasons),
        "warnings": list(note.warnings),
        "chunks": [
            {name: getattr(chunk, name) for name in shown}
            | {"file_start": note.body_start + chunk.start, "file_end": note.body_start + chunk.end}
            for chunk in cut.chunks
        ],
    }


def import_lines(report: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{report[name]} {name}" for name in ("added", "changed", "renamed", "removed", "unchanged"))
    lines = _counted(counts, report["failed"])
    if report["edits_flagged"] or report["edits_kept"]:
        lines.append(
            f"edits that lost their place: {report['edits_flagged']}; of removed notes, kept: {report['edits_kept']}"
        )
    return [*lines, _cost_line(report)]


def rechunk_lines(report: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{report[name]} {name}" for name in ("notes", "unchanged"))
    lines = _counted(counts, report["failed"])
    if report["flagged"]:
        lines.append(f"edits that lost their place: {report['flagged']}")
    return [*lines, _cost_line(report)]


def _counted(counts: str, failed: list[dict[str, str]]) -> list[str]:
    return [f"{counts}, {len(failed)} failed", *(f"  failed: {one['path']}: {one['error']}" for one in failed)]


def _cost_line(report: dict[str, Any]) -> str:
    return f"{report['chunks']} chunks, {report['embedded_windows']} windows embedded in {report['seconds']} s"


def search_lines(result: dict[str, Any]) -> list[str]:
    by = f", reranked by {result['reranker']}" if result["reranker"] else ""
    lines = [f"{len(result['hits'])} hits, {result['mode']}{by}, {result['level']}, {result['took_ms']:.0f} ms"]
    if result["rerank_problem"]:
        lines.append(f"Not reranked: {result['rerank_problem']}")
    if result["decompose_problem"]:
        lines.append(f"Taken apart by rules: {result['decompose_problem']}")
    lines += [
        f"round {one['round']}: {one['text']} ({one['why']}; {one['found']} found, {one['new']} new)"
        for one in result["sub_queries"]
    ]
    for hit in result["hits"]:
        lines += ["", *_hit_lines(hit), *(f"   {line}" for line in hit["text"].splitlines())]
    if result["lost"]:
        lines += ["", "Considered, and lost:"]
        for lost in result["lost"]:
            lines += [f"{line} [{lost['lost_at']}]" if number else line for number, line in enumerate(_hit_lines(lost))]
    return lines


def _hit_lines(hit: dict[str, Any]) -> list[str]:
    where = " > ".join([hit["title"], *hit["section"]])
    scores = ", ".join(f"{stage} {score:.3f}" for stage, score in hit["scores"].items() if score is not None)
    matched = f"; {', '.join(hit['matched'])}" if hit["matched"] else ""
    return [f"{hit['rank']}. {where}", f"   {hit['base']}: {hit['path']} ({scores}{matched})"]


def chunk_lines(cut: dict[str, Any]) -> list[str]:
    lines = [*cut["warnings"], *cut["reasons"], _size_line(cut)]
    if "compare" in cut:
        other = cut["compare"]
        cuts = other["cuts"]
        lines += ["", *other["reasons"], _size_line(other), ""]
        lines += [f"cuts in both: {len(cuts['both'])}"]
        lines += [f"only {shown['strategy']}: {cuts[side]}" for shown, side in ((cut, "first"), (other, "second"))]
        return lines
    for chunk in cut["chunks"]:
        where = " > ".join([*chunk["parent_sections"], chunk["section_title"]])
        about = f"{chunk['kind']}, {chunk['token_count']} tokens, {chunk['file_start']}-{chunk['file_end']}"
        lines += ["", f"[{chunk['index']}] {where} ({about})", chunk["text"]]
    return lines


def _size_line(cut: dict[str, Any]) -> str:
    sizes = cut["sizes"]
    tokens = f"{sizes['smallest']} to {sizes['largest']}, mean {sizes['mean']:.0f}, deviation {sizes['deviation']:.0f}"
    return f"{cut['strategy']}: {sizes['count']} chunks; tokens: {tokens}"


def evaluation_lines(evaluation: dict[str, Any]) -> list[str]:
    return [f"{evaluation['questions']} questions"] + [
        f"  {name:<16}{value:.3f}" for name, value in evaluation["metrics"].items()
    ]


def comparison_told(shown: SideBySide) -> dict[str, Any]:
    return {
        "metric": shown.metric,
        "runs": [
            {"pipeline": label, "metrics": {name: figures[at] for name, figures in shown.figures.items()}}
            for at, label in enumerate(shown.labels)
        ],
        "differences": [
            {name: asdict(one) | {"settled": one.settled} for name, one in comparison.items()}
            for comparison in shown.comparisons
        ],
        "settings": shown.settings,
        "notices": shown.notices,
    }


def advice_told(advised: Advice[str], names: dict[str, str]) -> dict[str, Any]:
    return asdict(advised) | {
        "best": names[advised.best],
        "ranking": [{"pipeline": names[run], "mean": mean} for run, mean in advised.ranking],
    }


def comparison_lines(evaluation: dict[str, Any]) -> list[str]:
    compared = evaluation["compared"]
    metrics = list(compared["runs"][0]["metrics"])
    lines = [f"{evaluation['questions']} questions"]
    for number, run in enumerate(compared["runs"], 1):
        lines.append(f"  {number}  {run['pipeline']}")
    lines.append(f"  {'':<16}" + "".join(f"{number:>9}" for number in range(1, len(compared["runs"]) + 1)))
    lines += [
        f"  {name:<16}" + "".join(f"{run['metrics'][name]:>9.3f}" for run in compared["runs"]) for name in metrics
    ]
    for number, difference in enumerate(compared["differences"], 2):
        lines.append(f"{number} against 1, by {compared['metric']}: {difference[compared['metric']]['told']}")
    lines += compared["notices"]
    if advised := evaluation.get("advice"):
        lines += [f"Best: {advised['best']}. {advised['told']}"]
    return lines


def status_lines(status: dict[str, Any]) -> list[str]:
    lines = [f"{status['workspace']}: {status['bytes'] / 1e6:.1f} MB"]
    for base in status["bases"]:
        lines.append(f"  {base['name']}: {base['notes']} notes, {base['chunks']} chunks ({base['embedder']})")
        lines += [f"    {folder['path']}, last sync {folder['synced_at']}" for folder in base["folders"]]
    return lines
