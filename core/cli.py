"""`tessera`: the same verbs as the pages, for scripts. Every command prints for people, or JSON with --json."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated, Any

import typer

from core.chunking.compare import difference, sizes
from core.errors import TesseraError, UnknownChoice
from core.model import ChunkingOptions, Cut, Hit, Mode, Note, SearchResult

app = typer.Typer(
    help="Tessera: import Markdown notes, look at every cut, search by meaning and by word, measure what comes back.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)

Folder = Annotated[Path, typer.Option("--workspace", help="Where Tessera keeps its data.", envvar="TESSERA_WORKSPACE")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Base = Annotated[str | None, typer.Option("--base", help="The knowledge base, by name.")]
ModeName = Annotated[str, typer.Option("--mode", help="auto, semantic, keyword or hybrid.")]
Limit = Annotated[int, typer.Option("--limit", help="How many hits at most.")]

_NEW = ChunkingOptions()
Strategy = Annotated[str | None, typer.Option(help="auto, none, markdown, recursive or lines.")]
ChunkSize = Annotated[int | None, typer.Option(help=f"Tokens of a recursive chunk; {_NEW.chunk_size} in a new base.")]
ChunkOverlap = Annotated[
    int | None, typer.Option(help=f"Tokens that recursive neighbours share; {_NEW.chunk_overlap} in a new base.")
]
ShortNote = Annotated[
    int | None, typer.Option(help=f"A note with fewer tokens stays whole; {_NEW.short_doc_threshold} in a new base.")
]
MinHeadings = Annotated[
    int | None,
    typer.Option(
        help=f"Headings of level 2 or 3 that have a note cut by them; {_NEW.min_headings_for_md_aware} in a new base."
    ),
]
MaxChunkSize = Annotated[
    int | None, typer.Option(help=f"No chunk has more tokens; {_NEW.max_single_chunk_size} in a new base.")
]

WORKSPACE = Path("data/workspace")


@app.command("import")
def import_(
    folder: Annotated[Path, typer.Argument(help="The folder of Markdown notes.")],
    base: Base = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and change nothing.")] = False,
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Apply a plan that removes more than a third of the notes.")
    ] = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    """Bring a base up to date with a folder: added, changed, renamed and removed notes."""
    from core.workspace import Workspace

    with Workspace(workspace, readonly=dry_run and workspace.exists()) as opened:
        plan = opened.plan_folder(folder, base)
        if dry_run:
            report = plan.report().to_dict()
        else:
            report = opened.apply(plan, confirmed=allow_removals, progress=_shown).to_dict()
    _show(report, as_json, _import_lines)


@app.command()
def search(
    text: Annotated[str, typer.Argument(help="The question.")],
    base: Base = None,
    limit: Limit = 10,
    mode: ModeName = "auto",
    expand: Annotated[int, typer.Option("--expand", help="Neighbour chunks shown on each side, 0 to 3.")] = 0,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only notes with this tag; repeatable.")] = None,
    path: Annotated[str, typer.Option("--path", help="Only notes below this path, or matching this pattern.")] = "",
    after: Annotated[str, typer.Option("--after", help="Only notes updated on or after this date.")] = "",
    before: Annotated[str, typer.Option("--before", help="Only notes updated before this date.")] = "",
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    """Find the passages that answer a question, by meaning and by word."""
    from core.workspace import Workspace, filters_of

    chosen = filters_of(bases=[base] if base else [], tags=tag or [], path=path, after=after, before=before)
    with Workspace(workspace, readonly=True) as opened:
        result = opened.search(text, filters=chosen, mode=_mode(mode), limit=limit, expansion_size=expand)
    _show(_result(result), as_json, _search_lines)


@app.command()
def chunks(
    file: Annotated[Path, typer.Argument(help="A note file.")],
    strategy: Strategy = None,
    chunk_size: ChunkSize = None,
    chunk_overlap: ChunkOverlap = None,
    short_doc_threshold: ShortNote = None,
    min_headings_for_md_aware: MinHeadings = None,
    max_single_chunk_size: MaxChunkSize = None,
    embedder: Annotated[str, typer.Option(help="Whose tokens are counted.")] = "bundled",
    compare: Annotated[str, typer.Option(help="Another strategy to show beside the first.")] = "",
    form: Annotated[str, typer.Option("--format", help="text, or html: a page with the chunks in colour.")] = "text",
    as_json: Json = False,
    workspace: Folder = WORKSPACE,
) -> None:
    """Show how a file would be cut, and why; nothing is stored."""
    from core.bands import page
    from core.workspace import preview

    options = replace(_NEW, **_chosen(locals()))
    note, cut = preview(file, options, embedder)
    cuts = [cut]
    if compare:
        cuts.append(preview(file, replace(options, strategy=compare), embedder)[1])
    if form not in ("text", "html"):
        raise UnknownChoice("format", form, ("text", "html"))
    if form == "html":
        _print(page(note, cuts))
        return
    shown = _cut(note, cut)
    if compare:
        shown["compare"] = _cut(note, cuts[1]) | {"cuts": asdict(difference(cut.chunks, cuts[1].chunks))}
    _show(shown, as_json, _chunk_lines)


@app.command()
def rechunk(
    base: Annotated[str, typer.Option("--base", help="The knowledge base.")],
    strategy: Strategy = None,
    chunk_size: ChunkSize = None,
    chunk_overlap: ChunkOverlap = None,
    short_doc_threshold: ShortNote = None,
    min_headings_for_md_aware: MinHeadings = None,
    max_single_chunk_size: MaxChunkSize = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    """Cut the notes of a base anew, by the parameters given from now on; what a person edited stays."""
    from core.workspace import Workspace

    chosen = _chosen(locals())
    with Workspace(workspace) as opened:
        options = replace(opened.base(base).chunking, **chosen) if chosen else None
        report = opened.rechunk(base, options=options, progress=_shown).to_dict()
    _show(report, as_json, _rechunk_lines)


@app.command()
def evaluate(
    questions: Annotated[Path, typer.Argument(help="Questions with their right passages, JSON lines.")],
    base: Annotated[str, typer.Option("--base", help="The knowledge base to ask.")],
    mode: ModeName = "auto",
    limit: Limit = 10,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    """Ask a base every question of a file and measure whether the right passages come back."""
    from core.evaluation.questions import load
    from core.workspace import Workspace

    with Workspace(workspace, readonly=True) as opened:
        evaluation = opened.evaluate(load(questions), base, mode=_mode(mode), limit=limit, name=str(questions))
    _show(evaluation.to_dict(), as_json, _evaluation_lines)


@app.command()
def status(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    """Show what the workspace holds."""
    from core.workspace import Workspace

    with Workspace(workspace, readonly=True) as opened:
        state = opened.status()
    _show(
        {
            "workspace": str(state.folder),
            "bytes": state.bytes_on_disk,
            "bases": [
                {
                    "name": base.base.name,
                    "notes": base.notes,
                    "chunks": base.chunks,
                    "windows": base.windows,
                    "pending": base.pending,
                    "embedder": base.base.embedder,
                    "folders": [{"path": path, "synced_at": at.isoformat()} for path, at in base.folders],
                }
                for base in state.bases
            ],
        },
        as_json,
        _status_lines,
    )


@app.command()
def rebuild(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    """Build the vector index anew from the database; needs no model."""
    from core.workspace import Workspace

    with Workspace(workspace) as opened:
        windows = opened.rebuild()
    _show({"windows": windows}, as_json, lambda shown: [f"The vector index holds {shown['windows']:,} windows."])


@app.command()
def version(as_json: Json = False, workspace: Folder = WORKSPACE) -> None:
    """Show the version."""
    _show({"version": installed_version("tessera-notes")}, as_json, lambda shown: [f"tessera {shown['version']}"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `tessera`: exit 1 with one line on stderr for what a person can mend, 2 for wrong usage."""
    try:
        app(arguments)
    except TesseraError as error:
        sys.stderr.write(f"tessera: {' '.join(str(error).split())}\n")
        sys.exit(1)


def _chosen(given: dict[str, Any]) -> dict[str, Any]:
    """Return the chunking parameters among the arguments of a command that were given."""
    return {field.name: given[field.name] for field in fields(ChunkingOptions) if given[field.name] is not None}


def _mode(name: str) -> Mode:
    return name  # type: ignore[return-value]  # the retriever lists the choices


def _show(shown: dict[str, Any], as_json: bool, lines: Callable[[dict[str, Any]], list[str]]) -> None:
    _print(json.dumps(shown, ensure_ascii=False) if as_json else "\n".join(lines(shown)))


def _print(text: str) -> None:
    # Notes may hold what a terminal's encoding can't say.
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    print(text)


def _shown(done: float, total: float, what: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{done:.0f}/{total:.0f} {what}"[:100])
        if done >= total:
            sys.stderr.write("\r\x1b[K")


def _result(result: SearchResult) -> dict[str, Any]:
    return {
        "query": result.query,
        "mode": result.mode,
        "took_ms": round(result.took_ms, 3),
        "notices": list(result.notices),
        "hits": [_hit(hit) for hit in result.hits],
    }


def _hit(hit: Hit) -> dict[str, Any]:
    chunk, note, passage = hit.chunk, hit.note, hit.passage
    in_file = note.path is not None
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
        "scores": {stage: hit.scores[stage].score if stage in hit.scores else None for stage in _STAGES},
        "ranks": {stage: hit.scores[stage].rank if stage in hit.scores else None for stage in _STAGES},
        "chunk_start": chunk.start,
        "chunk_end": chunk.end,
        "edited": chunk.edited,
    }


_STAGES = ("vector", "keyword", "fused")


def _cut(note: Note, cut: Cut) -> dict[str, Any]:
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


def _import_lines(report: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{report[name]} {name}" for name in ("added", "changed", "renamed", "removed", "unchanged"))
    lines = [f"{counts}, {len(report['failed'])} failed"]
    lines += [f"  failed: {failed['path']}: {failed['error']}" for failed in report["failed"]]
    if report["edits_flagged"] or report["edits_kept"]:
        lines.append(
            f"edits that lost their place: {report['edits_flagged']}; of removed notes, kept: {report['edits_kept']}"
        )
    return [*lines, _cost_line(report)]


def _rechunk_lines(report: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{report[name]} {name}" for name in ("notes", "unchanged"))
    lines = [f"{counts}, {len(report['failed'])} failed"]
    lines += [f"  failed: {failed['path']}: {failed['error']}" for failed in report["failed"]]
    if report["flagged"]:
        lines.append(f"edits that lost their place: {report['flagged']}")
    return [*lines, _cost_line(report)]


def _cost_line(report: dict[str, Any]) -> str:
    return f"{report['chunks']} chunks, {report['embedded_windows']} windows embedded in {report['seconds']} s"


def _search_lines(result: dict[str, Any]) -> list[str]:
    lines = [f"{len(result['hits'])} hits, {result['mode']}, {result['took_ms']:.0f} ms"]
    for hit in result["hits"]:
        where = " > ".join([hit["title"], *hit["section"]])
        scores = ", ".join(f"{stage} {score:.3f}" for stage, score in hit["scores"].items() if score is not None)
        lines += ["", f"{hit['rank']}. {where}", f"   {hit['base']}: {hit['path']} ({scores})"]
        lines += [f"   {line}" for line in hit["text"].splitlines()]
    return lines


def _chunk_lines(cut: dict[str, Any]) -> list[str]:
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


def _evaluation_lines(evaluation: dict[str, Any]) -> list[str]:
    return [f"{evaluation['questions']} questions"] + [
        f"  {name:<16}{value:.3f}" for name, value in evaluation["metrics"].items()
    ]


def _status_lines(status: dict[str, Any]) -> list[str]:
    lines = [f"{status['workspace']}: {status['bytes'] / 1e6:.1f} MB"]
    for base in status["bases"]:
        lines.append(f"  {base['name']}: {base['notes']} notes, {base['chunks']} chunks ({base['embedder']})")
        lines += [f"    {folder['path']}, last sync {folder['synced_at']}" for folder in base["folders"]]
    return lines


if __name__ == "__main__":
    main()
