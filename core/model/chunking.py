"""Table of the chunking parameters.

A new parameter needs a line in `ChunkingOptions` and its translation; strategies that use it have a parameter of the
same name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, get_args, get_type_hints

from core.base.frozen import frozen
from core.base.messages import Message, message


@frozen
class ChunkingOption:
    """A chunking parameter: title, explanation and, for a number, its range and the step of its slider.

    `label` is the text for its value `n` in the name of a setup.
    """

    title: Message
    about: Message
    label: Message | None = None
    least: int = 0
    most: int = 0
    step: int = 10

    def problem(self, name: str, value: int) -> Message | None:
        """Return the error for a number out of range, else None."""
        if self.least <= value <= self.most:
            return None
        return message(
            "“{setting}” ({name}) is {value}; it must be from {least} to {most}.",
            setting=self.title,
            name=name,
            value=value,
            least=self.least,
            most=self.most,
        )


@dataclass(frozen=True, slots=True)
class ChunkingOptions:
    """Chunking parameters of a base; sizes are in tokens of the base's embedder."""

    strategy: Annotated[
        str,
        ChunkingOption(
            message("Strategy"),
            message("auto, none (whole notes), markdown (by headings), recursive (by size) or lines (by line)."),
        ),
    ] = "auto"
    short_doc_threshold: Annotated[
        int,
        ChunkingOption(
            message("Keep notes whole up to"),
            message(
                "A shorter note stays in one piece. In tokens: 100 tokens are about 75 English words or "
                "150 Chinese characters."
            ),
            message("notes under {n} tokens kept whole"),
            300,
            700,
        ),
    ] = 500
    chunk_size: Annotated[
        int,
        ChunkingOption(
            message("Chunk size"), message("The approximate length of a chunk, in tokens."), None, 256, 1024, 16
        ),
    ] = 512
    chunk_overlap: Annotated[
        int,
        ChunkingOption(
            message("Overlap"),
            message("How much text neighbouring chunks share, in tokens."),
            message("overlap {n}"),
            50,
            200,
            5,
        ),
    ] = 100
    min_headings_for_md_aware: Annotated[
        int,
        ChunkingOption(
            message("Minimum number of headings"),
            message("A note with at least this many headings (## or ###) is split at them."),
            message("split by headings if there are {n} or more"),
            2,
            5,
            1,
        ),
    ] = 2
    max_single_chunk_size: Annotated[
        int,
        ChunkingOption(
            message("Largest chunk"), message("The maximum length of a chunk, in tokens."), None, 1000, 2000
        ),
    ] = 1500


CHUNKING: Mapping[str, ChunkingOption] = {
    name: get_args(hint)[1] for name, hint in get_type_hints(ChunkingOptions, include_extras=True).items()
}
"""Parameters by name."""

SIZES: Mapping[str, ChunkingOption] = {name: option for name, option in CHUNKING.items() if option.most}
"""Numeric parameters by name."""
