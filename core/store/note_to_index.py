"""A note that is about to be stored: read, cut into chunks, and embedded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from core.base.frozen import frozen
from core.base.text import digest
from core.markdown.outline import Outline
from core.model import Chunk, ChunkingOptions, Edit, Note, NotePicture, Revision, Window


@frozen
class NoteToIndex:
    """A note to be indexed, which is read, then cut into chunks, and then gets the vectors of its chunks.

    Set when it is read: `mtime_ns`, `size` and `stamp`, by which the next sync recognizes a changed file; the `outline`
    of its body, if the reader parsed it; the `change` that makes it a new version; `replaces`, the content hash of the
    stored note that the file was compared with ("" if there was none), by which a later change of that note is
    recognized.

    Set when it is cut: its `chunks`, the `windows` of chunks that get vectors, its `edits`, the number of edits that
    lost their place (`flagged`), and the `options` set for it. `edits` and `pictures` replace the stored ones unless
    they are None; before the cut, `pictures` are those known from elsewhere. `recut` cuts the note again from its
    stored state.

    Set at the end: `vectors`, the ids of each chunk's window vectors, and `refusals`, the ids of refusals by the id of
    a chunk with a text that the model refuses.
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
        """Return the note with vectors; the arguments map text hashes to ids, of vectors and of refusals.

        A chunk gets no vectors unless there is one for each of its windows.
        """
        of_chunk: dict[str, list[bytes]] = {chunk.id: [] for chunk in self.chunks}
        for window in self.windows:
            of_chunk[window.chunk_id].append(digest(window.text))
        whole = [[vectors[key] for key in keys if vectors.keys() >= {*keys}] for keys in of_chunk.values()]
        refusals = {name: refused[key] for name, keys in of_chunk.items() for key in keys if key in refused}
        return replace(self, vectors=whole, refusals=refusals)
