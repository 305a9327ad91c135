"""A note that is read, chunked and embedded before it is stored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from core.base.frozen import frozen
from core.base.text import digest
from core.markdown.outline import Outline
from core.model import Chunk, ChunkingOptions, Edit, Note, NotePicture, Revision, Window


@frozen
class NoteToIndex:
    """A note to be indexed. It is first read, then chunked, and finally its chunks get vectors.

    Reading sets `mtime_ns`, `size` and `stamp`, which the next sync uses to detect a changed file. `outline` is the
    outline of the body, if the reader parsed it. `change` is the change that creates a new version. `replaces` is the
    content hash of the stored note with which the file was compared, or "" if there was none. If the stored note's hash
    is different later, the note has been changed in the meantime. None skips this check.

    Chunking sets the `chunks`, the `windows` of chunks that get vectors, the note's `edits`, the number of edits whose
    position was lost (`flagged`), and the note's own `options`. `edits` and `pictures` replace the stored ones unless
    they are None. Before chunking, `pictures` are those already known. `recut` re-chunks the note from its stored
    state.

    Finally, `vectors` are set to the ids of each chunk's window vectors. `refusals` maps each chunk with text that the
    model refuses to the id of the refusal.
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
        """Return the note with its chunks' vectors and refusals. The arguments map windows' text hashes to ids.

        A chunk gets vectors only if every one of its windows has a vector.
        """
        of_chunk: dict[str, list[bytes]] = {chunk.id: [] for chunk in self.chunks}
        for window in self.windows:
            of_chunk[window.chunk_id].append(digest(window.text))
        whole = [[vectors[key] for key in keys if vectors.keys() >= {*keys}] for keys in of_chunk.values()]
        refusals = {name: refused[key] for name, keys in of_chunk.items() for key in keys if key in refused}
        return replace(self, vectors=whole, refusals=refusals)
