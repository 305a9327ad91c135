"""The options that several commands take."""

from pathlib import Path
from typing import Annotated

import typer

from core.model import ChunkingOptions

Folder = Annotated[Path, typer.Option("--workspace", help="Where Tessera keeps its data.", envvar="TESSERA_WORKSPACE")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Base = Annotated[str | None, typer.Option("--base", help="The knowledge base, by name.")]
ModeName = Annotated[str, typer.Option("--mode", help="auto, semantic, keyword or hybrid.")]
Rerank = Annotated[
    str | None, typer.Option("--rerank", help="The reranker, or none; hybrid search has the settings' own by default.")
]
LevelName = Annotated[
    str, typer.Option("--level", help="simple, focused, exploratory, or auto: by what the question asks for.")
]
Limit = Annotated[int | None, typer.Option("--limit", help="How many hits at most.")]
Expand = Annotated[int, typer.Option("--expand", help="Neighbour chunks shown on each side, 0 to 3.")]
Tag = Annotated[list[str] | None, typer.Option("--tag", help="Only notes with this tag; repeatable.")]
NotePath = Annotated[str, typer.Option("--path", help="Only notes below this path, or matching this pattern.")]
After = Annotated[str, typer.Option("--after", help="Only notes updated on or after this date.")]
Before = Annotated[str, typer.Option("--before", help="Only notes updated before this date.")]
Filter = Annotated[
    list[str] | None, typer.Option("--filter", help="A filter as in the search box, such as type:guide; repeatable.")
]
Budget = Annotated[int | None, typer.Option("--budget", help="Tokens of the context at most.")]
QUESTION = 'The question; "phrases", -words and filters such as tag:rust or after:2026-01-31 may stand in it.'

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
