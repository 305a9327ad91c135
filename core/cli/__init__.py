"""`tessera`: the same verbs as the pages, for scripts. Every command prints for people, or JSON with --json."""

import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated, Any

import typer

from core.chunking.compare import difference
from core.cli import models
from core.cli.evaluating import evaluate
from core.cli.options import (
    QUESTION,
    WORKSPACE,
    After,
    Base,
    Before,
    Budget,
    ChunkOverlap,
    ChunkSize,
    Expand,
    Filter,
    Folder,
    Json,
    LevelName,
    Limit,
    MaxChunkSize,
    MinHeadings,
    ModeName,
    NotePath,
    Rerank,
    ShortNote,
    Strategy,
    Tag,
)
from core.cli.shown import (
    STOPPED,
    chunk_lines,
    context_lines,
    context_told,
    cut_told,
    import_lines,
    progress,
    rechunk_lines,
    result_told,
    search_lines,
    show,
    status_lines,
    stop,
    why_not_lines,
    why_not_told,
    write,
)
from core.errors import TesseraError, UnknownChoice
from core.model import ChunkingOptions

app = typer.Typer(
    help="Tessera: import Markdown notes, look at every cut, search by meaning and by word, measure what comes back.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
app.add_typer(models.app, name="models")


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
            report = opened.apply(plan, confirmed=allow_removals, progress=progress).to_dict()
    show(report, as_json, import_lines)


@app.command()
def search(
    text: Annotated[str, typer.Argument(help=QUESTION)],
    base: Base = None,
    limit: Limit = None,
    mode: ModeName = "auto",
    level: LevelName = "auto",
    expand: Expand = 0,
    tag: Tag = None,
    path: NotePath = "",
    after: After = "",
    before: Before = "",
    filters: Filter = None,
    rerank: Rerank = None,
    fusion: Annotated[str | None, typer.Option(help="How both rankings become one: weighted or reciprocal.")] = None,
    phrase: Annotated[str | None, typer.Option(help="What a quoted phrase does: require or boost.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show matched words, and the candidates that lost and where.")
    ] = False,
    why_not: Annotated[
        str, typer.Option("--why-not", help="A note's id or path: say why it isn't among the hits.")
    ] = "",
    as_context: Annotated[
        bool, typer.Option("--context", help="Print the passages as one block for a prompt instead.")
    ] = False,
    budget: Budget = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    """Find the passages that answer a question, by meaning and by word."""
    from core.workspace import SearchOptions, Workspace, filters_of

    options: SearchOptions = {
        "filters": filters_of(
            bases=[base] if base else [], tags=tag or [], path=path, after=after, before=before, terms=filters or []
        ),
        "mode": mode,  # type: ignore[typeddict-item]  # the retriever lists the choices
        "level": level,  # type: ignore[typeddict-item]
        "limit": limit,
        "expansion_size": expand,
        "reranker": rerank,
        "fusion": fusion,  # type: ignore[typeddict-item]
        "phrase": phrase,  # type: ignore[typeddict-item]
        "explain": explain,
    }
    with Workspace(workspace, readonly=True) as opened:
        if why_not:
            told = opened.why_not(text, opened.named_note(why_not).id, **options)
            show(why_not_told(told), as_json, why_not_lines)
        elif as_context:
            show(context_told(opened.context(text, budget=budget, **options)), as_json, context_lines)
        else:
            show(result_told(opened.search(text, **options)), as_json, search_lines)


@app.command()
def context(
    text: Annotated[str, typer.Argument(help=QUESTION)],
    base: Base = None,
    limit: Limit = None,
    level: LevelName = "auto",
    expand: Expand = 1,
    filters: Filter = None,
    rerank: Rerank = None,
    budget: Budget = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    """Print the passages that answer a question as one block for a prompt, with numbered citations."""
    from core.workspace import Workspace, filters_of

    with Workspace(workspace, readonly=True) as opened:
        built = opened.context(
            text,
            budget=budget,
            filters=filters_of(bases=[base] if base else [], terms=filters or []),
            limit=limit,
            level=level,  # type: ignore[arg-type]  # the retriever lists the choices
            expansion_size=expand,
            reranker=rerank,
        )
    show(context_told(built), as_json, context_lines)


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

    options = replace(ChunkingOptions(), **_chosen(locals()))
    if form not in ("text", "html"):
        raise UnknownChoice("format", form, ("text", "html"))
    note, cut = preview(file, options, embedder)
    cuts = [cut]
    if compare:
        cuts.append(preview(file, replace(options, strategy=compare), embedder)[1])
    if form == "html":
        write(page(note, cuts))
        return
    shown = cut_told(note, cut)
    if compare:
        shown["compare"] = cut_told(note, cuts[1]) | {"cuts": asdict(difference(cut.chunks, cuts[1].chunks))}
    show(shown, as_json, chunk_lines)


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
        report = opened.rechunk(base, options=options, progress=progress).to_dict()
    show(report, as_json, rechunk_lines)


app.command()(evaluate)


@app.command()
def status(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    """Show what the workspace holds."""
    from core.workspace import Workspace

    with Workspace(workspace, readonly=True) as opened:
        state = opened.status()
    show(
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
        status_lines,
    )


@app.command()
def rebuild(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    """Build the vector index anew from the database; needs no model."""
    from core.workspace import Workspace

    with Workspace(workspace) as opened:
        windows = opened.rebuild()
    show({"windows": windows}, as_json, lambda shown: [f"The vector index holds {shown['windows']:,} windows."])


@app.command()
def version(as_json: Json = False, workspace: Folder = WORKSPACE) -> None:
    """Show the version."""
    show({"version": installed_version("tessera-notes")}, as_json, lambda shown: [f"tessera {shown['version']}"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `tessera`: exit 1 with one line on stderr for what a person can mend, 2 for wrong usage."""
    STOPPED.clear()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, stop)
    try:
        app(arguments)
    except TesseraError as error:
        sys.stderr.write(f"tessera: {' '.join(str(error).split())}\n")
        sys.exit(1)


def _chosen(given: dict[str, Any]) -> dict[str, Any]:
    """Return the chunking parameters among the arguments of a command that were given."""
    return {field.name: given[field.name] for field in fields(ChunkingOptions) if given[field.name] is not None}
