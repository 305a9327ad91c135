"""Many notes are embedded by a model in another process: its end gives back the gigabyte that torch takes.

It ends when it has had nothing to do for a minute, and with this one.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import NamedTuple, TypeAlias, cast

from core.base.errors import ModelError
from core.base.worker_process import ProcessEnded, WorkerProcess
from core.embedding import Embedder
from core.embedding.sentence import Encoder
from core.embedding.tokens import TokenEmbedder, signs
from core.model import Bits, Ids, Matrix

_TORCH = ("bundled", "sentence")
"""Embedders that run many texts by torch."""
FEW = 130_000
"""Bytes of texts that this process embeds: in the time that the other one takes to load torch it reads as many."""
_PROCESS = WorkerProcess("core.indexing.embedding_worker", idle=60)


NoteVectors: TypeAlias = tuple[Matrix, list[Bits] | None]
"""Vectors of notes, and the bits of their tokens where they are kept."""


class EmbeddingRequest(NamedTuple):
    """Notes to embed; `fingerprint` is that of the embedder that is meant, `centre` as in `embed_notes`.

    `folder` is the one from which its name may lead to files, None where it was deleted.
    """

    folder: Path | None
    name: str
    fingerprint: str
    texts: Sequence[str | Ids]
    centre: Matrix | None


def embed_notes(embedder: Embedder, texts: Sequence[str | Ids], centre: Matrix | None) -> NoteVectors:
    """Return the vectors of notes, and with the `centre` of their token vectors the bits of those."""
    texts = cast("Sequence[str]", texts)  # an Encoder takes ids too
    if centre is None:
        return embedder.embed(texts, role="note"), None
    vectors, rows = cast("TokenEmbedder", embedder).embed_tokens(texts, role="note")
    return vectors, [signs(row, centre) for row in rows]


def _working_folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        return None


class OtherModel(Exception):
    """In this process another model has the name: the settings of the processes differ."""


class NoteEmbedder:
    """Embeds notes as `embed_notes` does: in the other process if they are many, or it is there already.

    `size` are the bytes of these and of those that were embedded before them.
    """

    def __init__(self, name: str, embedder: Embedder, centre: Matrix | None = None, *, size: int) -> None:
        self._name, self._embedder, self._centre = name, embedder, centre
        self._elsewhere = (size > FEW or _PROCESS.is_running) and name.partition(":")[0] in _TORCH

    def start(self) -> None:
        """Let the other process load its model meanwhile, if it doesn't have it yet."""

        def load() -> None:
            with suppress(Exception):  # `embed` raises it again
                self._ask([])

        if self._elsewhere and not _PROCESS.is_running:
            Thread(target=load, name="load", daemon=True).start()

    def embed(self, texts: Sequence[str]) -> NoteVectors:
        """Return the vectors of notes, and their bits; raises ModelError also where the process ends."""
        if self._elsewhere:
            try:
                return self._ask(texts)
            except OtherModel:
                self._elsewhere = False
            except ProcessEnded as error:
                raise ModelError(
                    "The model '{name}' ended while it read notes. If memory ran out, close other programs or choose "
                    "a smaller model.",
                    name=self._name,
                ) from error
        return embed_notes(self._embedder, texts, self._centre)

    def _ask(self, texts: Sequence[str]) -> NoteVectors:
        # The ids of tokens, so that the other process needs no tokenizer.
        given = self._embedder.ids(texts, role="note") if isinstance(self._embedder, Encoder) else texts
        request = EmbeddingRequest(_working_folder(), self._name, self._embedder.fingerprint, given, self._centre)
        return cast("NoteVectors", _PROCESS.ask(request))
