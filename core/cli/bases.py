"""`tessera base`: makes, shows, changes, renames and deletes bases."""

from dataclasses import fields, replace
from typing import Annotated, Any, cast

import typer

from core import data
from core.cli import costs, lines, options
from core.cli.connecting import connect
from core.cli.lines import base_lines, folder_lines
from core.cli.options import WORKSPACE, Folder, Json, workspace_at
from core.cli.output import progress, show
from core.cli.texts import _, say
from core.errors import TesseraError, Unfinished
from core.messages import message, plural
from core.model import (
    BASE_KINDS,
    OPEN,
    SETTINGS,
    BaseFields,
    BaseKind,
    ChunkingOptions,
    SearchSettings,
    chunking_label,
    embedder_name,
    setting_value,
)

app = typer.Typer(
    help=_("The knowledge bases: make, show, change, rename and delete them."),
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(help=_("The knowledge base, by name."))]
Description = Annotated[str | None, typer.Option(help=_("What the base is for, in a sentence."))]
Model = Annotated[
    str | None, typer.Option("--embedder", help=_("The model for meaning, by a name of `tessera models list`."))
]
Kind = Annotated[
    str,
    typer.Option(
        help=_("What answers: by default meaning and words; lines: the same, line by line; literal: words only.")
    ),
]
Similarity = Annotated[
    float | None, typer.Option("--min-similarity", help=_("Minimum similarity of a hit, 0 to 1; 0 leaves out none."))
]
AtOnce = Annotated[
    bool | None,
    typer.Option(
        "--index-at-once/--index-later", help=_("Index new notes at once, or only when you say so, after a look.")
    ),
]
WriteFiles = Annotated[
    bool | None,
    typer.Option(
        "--write-files/--read-files",
        help=_("Write edits of notes into their files, or only read the files, which is the default."),
    ),
]
Watch = Annotated[
    bool | None,
    typer.Option("--watch/--no-watch", help=_("Sync the folders of the base by itself while the app runs, or not.")),
]
TrustsPrograms = Annotated[
    bool | None,
    typer.Option(
        "--trust-programs/--no-trust-programs",
        help=_("Let what programs write count at once, or only after you accept it, which is the default."),
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help=_("Don't ask."))]


@app.command(help=_("Make an empty base; what you don't choose is as the settings say."))
def new(
    name: Name,
    kind: Kind = "vector",
    description: Description = None,
    embedder: Model = None,
    strategy: options.Strategy = None,
    chunk_size: options.ChunkSize = None,
    chunk_overlap: options.ChunkOverlap = None,
    short_doc_threshold: options.ShortNote = None,
    min_headings_for_md_aware: options.MinHeadings = None,
    max_single_chunk_size: options.MaxChunkSize = None,
    limit: options.Limit = None,
    score_threshold: Similarity = None,
    embed_at_once: AtOnce = None,
    write_files: WriteFiles = None,
    watch: Watch = None,
    trusts_programs: TrustsPrograms = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    chosen = locals()
    with workspace_at(workspace) as opened:
        of_kind = cast(BaseKind, kind)  # an unknown one is refused when the base is added
        chunking = replace(opened.bases.usual(of_kind).chunking, **_chunking(chosen))
        fields = _fields(chosen)
        base = opened.bases.add(name, kind=of_kind, embedder=embedder or "", chunking=chunking, **fields)
        status = opened.bases.status(base)
    show(data.of_base(status), as_json, _lines)


@app.command(
    help=_("Bring the text files below base_dir of tessera.toml into their bases now; new folders become bases.")
)
def scan(
    allow_removals: options.Removals = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    with workspace_at(workspace) as opened, options.resumable(workspace, "base", "scan"):
        scanned = opened.text_folders.scan(confirmed=allow_removals, progress=progress)
    show({"folders": [*map(data.of_scanned, scanned)]}, as_json, lines.of_scan)
    for one in scanned:
        if one.problem:
            raise Unfinished(one.problem) if one.report else TesseraError(one.problem)


@app.command("list", help=_("List the bases, each with its size."))
def list_(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    with workspace_at(workspace, readonly=True) as opened:
        bases = [data.of_base(opened.bases.status(base)) for base in opened.bases.all()]
    show({"bases": bases}, as_json, _list_lines)


@app.command("show", help=_("Show a base with its settings, folders and size."))
def show_(name: Name, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    with workspace_at(workspace, readonly=True) as opened:
        status = opened.bases.status(opened.bases.get(name))
    show(data.of_base(status), as_json, _lines)


@app.command("set", help=_("Change settings of a base; what needs indexing says its cost first, and asks."))
def set_(
    name: Name,
    description: Description = None,
    embedder: Model = None,
    strategy: options.Strategy = None,
    chunk_size: options.ChunkSize = None,
    chunk_overlap: options.ChunkOverlap = None,
    short_doc_threshold: options.ShortNote = None,
    min_headings_for_md_aware: options.MinHeadings = None,
    max_single_chunk_size: options.MaxChunkSize = None,
    limit: options.Limit = None,
    score_threshold: Similarity = None,
    embed_at_once: AtOnce = None,
    write_files: WriteFiles = None,
    watch: Watch = None,
    trusts_programs: TrustsPrograms = None,
    yes: Yes = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    chosen = locals()
    with workspace_at(workspace) as opened:
        base = opened.bases.get(name)
        chunking = replace(base.chunking, **_chunking(chosen))
        questions = []
        if chunking != base.chunking:
            questions.append(costs.of_chunking(opened.bases.chunking_cost(name, chunking, progress=progress)))
        own = base.embedder if base.has_vectors else ""
        if other := "" if embedder in (None, own) else str(embedder):
            questions.append(costs.of_switch(opened.bases.switch_cost(name, other, progress=progress)))
        if all(costs.agreed(question, yes) for question in questions):
            opened.bases.update(name, **_fields(chosen, base.search))
            if chunking != base.chunking:
                opened.chunks.rechunk(name, options=chunking, progress=progress)
            if other:
                opened.bases.begin_switch(name, other)
                costs.run_switch(opened, name, workspace)
        status = opened.bases.status(opened.bases.get(name))
    show(data.of_base(status), as_json, _lines)


@app.command(help=_("Give a base another name; its notes, question sets and runs stay."))
def rename(
    name: Name,
    new_name: Annotated[str, typer.Argument(help=_("The new name."))],
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    with workspace_at(workspace) as opened:
        status = opened.bases.status(opened.bases.rename(name, new_name))
    show(data.of_base(status), as_json, _lines)


@app.command(help=_("Delete a base with its notes into the trash; the files on disk stay."))
def delete(name: Name, yes: Yes = False, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    with workspace_at(workspace) as opened:
        notes = opened.bases.status(opened.bases.get(name)).notes
        question = plural(
            "The base '{base}' goes to the trash with {n} note; `tessera restore` brings it back. Files on disk stay.",
            "The base '{base}' goes to the trash with {n} notes; `tessera restore` brings it back. Files on disk stay.",
            n=notes,
            base=name,
        )
        deleted = costs.agreed(question, yes)
        if deleted:
            opened.bases.delete(name)
    show({"base": name, "notes": notes, "deleted": deleted}, as_json, _deleted_lines)


app.command(help=_("Connect a folder to a base: its notes become those of the files with the same paths."))(connect)


@app.command("empty-trash", help=_("Delete the bases in the trash for good, or one of them; asks first."))
def empty_trash(
    key: Annotated[str, typer.Argument(help=_("One of them, by the key that `tessera restore` lists."))] = "",
    yes: Yes = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    with workspace_at(workspace) as opened:
        count = 1 if key else len(opened.archives.trash())
        question = plural(
            "{n} deleted base goes for good, with its notes and their history. Files on disk stay.",
            "{n} deleted bases go for good, with their notes and their history. Files on disk stay.",
            n=count,
        )
        emptied = bool(count) and costs.agreed(question, yes)
        count = opened.archives.delete_for_good(key) if emptied else 0
    show({"deleted": count}, as_json, _emptied_lines)


def _chunking(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the chunking parameters that the arguments of a command set."""
    return {field.name: arguments[field.name] for field in fields(ChunkingOptions) if arguments[field.name] is not None}


def _fields(arguments: dict[str, Any], search: SearchSettings = OPEN) -> BaseFields:
    """Return the fields of a base that the arguments of a command set; `search` are the search settings it has."""
    chosen = {name: arguments[name] for name in BaseFields.__annotations__ if arguments.get(name) is not None}
    return cast(BaseFields, chosen | {"search": SearchSettings.of(arguments).over(search)})


def _lines(base: dict[str, Any]) -> list[str]:
    chunking = ChunkingOptions(**base["chunking"])
    sizes = _("{notes} notes, {chunks} chunks", **base)
    if base["pending"]:
        sizes += _(", {n} of them not indexed yet", n=base["pending"])
    text = [base["name"], *([f"  {base['description']}"] if base["description"] else []), f"  {sizes}"]
    text.append(f"  {_('Kind: {kind}', kind=BASE_KINDS[base['kind']])}")
    if base["kind"] != "literal":
        text.append(f"  {_('Model: {name}', name=embedder_name(base['embedder']))}")
    text.append(f"  {_('Splitting: {splitting}', splitting=chunking_label(chunking))}")
    text += [f"  {say(SETTINGS[name])}: {say(setting_value(name, value))}" for name, value in base["search"].items()]
    of_kind = [name for name in ON if base["kind"] != "literal" or name != "embed_at_once"]
    text += [f"  {say(ON[name] if base[name] else OFF[name])}" for name in of_kind]
    return text + [f"  {line}" for line in folder_lines(base)]


ON = {
    "embed_at_once": message("New notes are indexed at once."),
    "write_files": message("Edits of notes are written into their files."),
    "watch": message("Its folders are synced while the app runs."),
    "trusts_programs": message("What programs write counts at once."),
}
OFF = {
    "embed_at_once": message("New notes are indexed when you say so."),
    "write_files": message("Files are only read."),
    "watch": message("Its folders are synced when you say so."),
    "trusts_programs": message("What programs write waits until you accept it."),
}


def _list_lines(values: dict[str, Any]) -> list[str]:
    return [line for base in values["bases"] for line in base_lines(base)] or [_("There is no base yet.")]


def _deleted_lines(values: dict[str, Any]) -> list[str]:
    if values["deleted"]:
        return [_("The base '{base}' is in the trash.", base=values["base"])]
    return [_("The base '{base}' stays.", base=values["base"])]


def _emptied_lines(values: dict[str, Any]) -> list[str]:
    text = plural("{n} base was deleted for good.", "{n} bases were deleted for good.", n=values["deleted"])
    return [say(text)]
