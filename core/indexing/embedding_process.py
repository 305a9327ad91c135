"""A worker process that embeds many notes. When it ends, it frees the gigabyte of memory used by torch.

The worker ends after being idle for a minute, or together with the main process.
"""

from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import NamedTuple, TypeAlias, cast

from core.base.errors import ModelError
from core.base.worker_process import ProcessEnded, WorkerProcess
from core.embedding import Embedder
from core.embedding.sentence import Encoder
from core.embedding.tokens import TokenEmbedder, signs
from core.model import Bits, Ids, Matrix

# Embedders that use torch for many texts.
_TORCH = ("bundled", "sentence")
# Maximum number of bytes of text to embed in this process. Loading torch in the worker would take as long.
FEW = 130_000
_PROCESS = WorkerProcess("core.indexing.embedding_worker", idle=60)


# The vectors of notes, and their token bits. The bits are None if the base doesn't keep them.
NoteVectors: TypeAlias = tuple[Matrix, list[Bits] | None]


class EmbeddingRequest(NamedTuple):
    """Notes to embed, and the fingerprint that the embedder must have. `centre` is as in `embed_notes`."""

    name: str
    fingerprint: str
    texts: Sequence[str | Ids]
    centre: Matrix | None


def embed_notes(embedder: Embedder, texts: Sequence[str | Ids], centre: Matrix | None) -> NoteVectors:
    """Return the vectors of notes. If the `centre` of token vectors is given, return their token bits too."""
    texts = cast("Sequence[str]", texts)  # an Encoder also accepts ids
    if centre is None:
        return embedder.embed(texts, role="note"), None
    vectors, rows = cast("TokenEmbedder", embedder).embed_tokens(texts, role="note")
    return vectors, [signs(row, centre) for row in rows]


class OtherModel(Exception):
    """Raised if a name refers to a different model in the worker process, because its settings differ."""


class NoteEmbedder:
    """Embeds notes like `embed_notes`. A torch model runs in the worker if that is running or there are many notes.

    `size` is the total size in bytes of the notes to embed and those already embedded.
    """

    def __init__(self, name: str, embedder: Embedder, centre: Matrix | None = None, *, size: int) -> None:
        self._name = name
        self._embedder = embedder
        self._centre = centre
        self._elsewhere = (size > FEW or _PROCESS.is_running) and name.partition(":")[0] in _TORCH

    def start(self) -> None:
        """If the worker process will be used and isn't running yet, start it and load the model in the background."""

        def load() -> None:
            with suppress(Exception):  # `embed` will raise it again
                self._ask([])

        if self._elsewhere and not _PROCESS.is_running:
            Thread(target=load, name="load", daemon=True).start()

    def embed(self, texts: Sequence[str]) -> NoteVectors:
        """Return the vectors of notes and their token bits. Raises ModelError, for example if the worker dies."""
        if self._elsewhere:
            try:
                return self._ask(texts)
            except OtherModel:
                self._elsewhere = False
            except ProcessEnded as error:
                raise ModelError(
                    (
                        "The model '{name}' stopped while reading notes. If memory ran out, close "
                        "other programs or choose a smaller model."
                    ),
                    name=self._name,
                ) from error
        return embed_notes(self._embedder, texts, self._centre)

    def _ask(self, texts: Sequence[str]) -> NoteVectors:
        # Send token ids, so that the worker process needs no tokenizer.
        given = self._embedder.ids(texts, role="note") if isinstance(self._embedder, Encoder) else texts
        return cast(
            "NoteVectors", _PROCESS.ask(EmbeddingRequest(self._name, self._embedder.fingerprint, given, self._centre))
        )
