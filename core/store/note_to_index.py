"""A note on its way into the store, and what is known of it on each part of that way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from core.base.frozen import frozen
from core.base.text import digest
from core.markdown.outline import Outline
from core.model import Chunk, ChunkingOptions, Edit, Note, NotePicture, Revision, Window


@frozen
class NoteToIndex:
    """A note to be indexed: as it was read or written, then cut, then with the vectors of its chunks.

    From the start it has the `mtime_ns`, `size` and `stamp` by which the next sync recognizes a changed file; the
    `outline` of its body, if a reader of it parsed it; with a `change` it becomes a new version of the note; `replaces`
    is the content hash of the stored note that a file was compared with, "" without one: that note has another one if
    it was changed since.

    Cut, it has its `chunks` and the `windows` of those that get vectors; `edits`, which replace the stored ones unless
    they are None, and how many of them lost their place (`flagged`); its `pictures`, which do the same, or before the
    cut what is known of them elsewhere; the `options` that are its own. `recut` cuts it again, from its stored state at
    that time. `vectors` are for each chunk the ids of its windows' vectors; `refusals` are by the id of a chunk those
    of its texts that the model refuses.
    """

    note: Note
    chunks: Sequence[Chunk] = ()
    vectors: Sequence[Sequence[int]] = ()
    strategy: str = ""
    cut_by: str = ""
    mtime_ns: int | None = None
    size: int | None = None
    stamp: str = ""
    edits: Sequence[Edit] | None = None
    options: ChunkingOptions | None = None
    change: Revision | None = None
    outline: Outline | None = None
    replaces: str | None = None
    windows: Sequence[Window] = ()
    flagged: int = 0
    refusals: Mapping[str, int] = field(default_factory=dict)
    pictures: Sequence[NotePicture] | None = None
    recut: "Callable[[], NoteToIndex] | None" = None

    def with_vectors(self, vectors: Mapping[bytes, int], refused: Mapping[bytes, int]) -> "NoteToIndex":
        """Return the note to store; `vectors` are the ids of vectors by the hash of their text, `refused` the ids of
        refusals.

        A chunk gets none if one of its windows has none.
        """
        of_chunk: dict[str, list[bytes]] = {chunk.id: [] for chunk in self.chunks}
        for window in self.windows:
            of_chunk[window.chunk_id].append(digest(window.text))
        known = [[vectors[key] for key in keys if key in vectors] for keys in of_chunk.values()]
        whole = [ids if len(ids) == len(keys) else [] for ids, keys in zip(known, of_chunk.values(), strict=True)]
        refusals = {name: refused[key] for name, keys in of_chunk.items() for key in keys if key in refused}
        return replace(self, vectors=whole, refusals=refusals)
