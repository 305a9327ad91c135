"""How each strategy cuts two vaults: sizes, where the cuts fall, speed.

python -m benchmarks.chunking VAULTS : sizes in tokens of the bundled model; speed without counting.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from core import chunking, embedding
from core.chunking.reading import read
from core.intake.notefile import read as read_file
from core.markdown.outline import Outline, walk
from core.model import NOTE_SUFFIXES, Chunk, ChunkingOptions, Note, Sizes, Spans

SOLID = {"fence", "code", "table", "html", "math"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vaults", type=Path, nargs="?", default=Path("../shared/data/vaults"))
    notes = list(loaded(parser.parse_args().vaults))
    megabytes = sum(len(note.body.encode()) for note in notes) / 1e6
    tokens = embedding.build("bundled").tokens
    print(f"{len(notes)} notes, {megabytes:.2f} MB")
    header = (
        "chunks",
        "min",
        "mean",
        "max",
        "dev",
        "over limit",
        "on blocks",
        "in blocks",
        "in rows",
        "MB/s",
        "seconds",
    )
    print(f"{'':<12}" + "".join(f"{name:>11}" for name in header))
    for strategy in chunking.CHUNKERS:
        options = ChunkingOptions(strategy=strategy)
        started = time.perf_counter()
        cuts = [chunking.cut(note, options, tokens).chunks for note in notes]
        seconds = time.perf_counter() - started
        bare = time.process_time()
        for note in notes:
            chunking.cut(note, options, every_sixth)
        speed = megabytes / (time.process_time() - bare)
        figures = Sizes.from_chunks([chunk for chunks in cuts for chunk in chunks])
        over = sum(chunk.token_count > options.max_single_chunk_size for chunks in cuts for chunk in chunks)
        places = np.sum([placed(note, chunks, options) for note, chunks in zip(notes, cuts, strict=True)], axis=0)
        edges, on_blocks, in_blocks, in_rows = (int(count) for count in places)
        row = [figures.count, figures.smallest, round(figures.mean), figures.largest, round(figures.deviation), over]
        cells = [
            *map(str, row),
            f"{on_blocks / edges:.2%}",
            str(in_blocks),
            str(in_rows),
            f"{speed:.2f}",
            f"{seconds:.1f}",
        ]
        print(f"{strategy:<12}" + "".join(f"{cell:>11}" for cell in cells))


def loaded(vaults: Path) -> list[Note]:
    files = sorted(file for file in vaults.rglob("*") if file.suffix in NOTE_SUFFIXES and file.parent != vaults)
    notes = (read_file(file.read_bytes(), file.name)[0] for file in files)
    return [replace(note, id=str(number)) for number, note in enumerate(notes)]


def every_sixth(text: str) -> Spans:
    """Stands for a tokenizer that costs nothing: a token every six characters."""
    starts = np.arange(0, len(text), 6, dtype=np.int32)
    return np.stack([starts, np.minimum(starts + 6, len(text))], axis=1)


def placed(note: Note, chunks: Sequence[Chunk], options: ChunkingOptions) -> tuple[int, int, int, int]:
    """Count edges: all, at a block's edge, inside a solid block that fits the limit, inside a line of one."""
    reading = read(note, embedding.build("bundled").tokens)
    starts, ends, solid = _edges(reading.outline)
    on_blocks = sum((chunk.start in starts) + (chunk.end in ends) for chunk in chunks)
    in_blocks = in_rows = 0
    for chunk in chunks:
        for edge in (chunk.start, chunk.end):
            for start, end in solid:
                if start < edge < end:
                    in_blocks += reading.count(start, end) <= options.max_single_chunk_size
                    line_start = edge == 0 or note.body[edge - 1] in "\r\n"
                    line_end = edge == len(note.body) or note.body[edge] in "\r\n"
                    in_rows += not (line_start or line_end or note.body[start:edge].rsplit("\n", 1)[-1].isspace())
    return 2 * len(chunks), on_blocks, in_blocks, in_rows


def _edges(outline: Outline) -> tuple[set[int], set[int], list[tuple[int, int]]]:
    blocks = list(walk(outline.blocks))
    solid = [(block.start, block.end) for block in blocks if block.kind in SOLID]
    return {block.start for block in blocks}, {block.end for block in blocks}, solid


if __name__ == "__main__":
    main()
