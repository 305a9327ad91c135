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
