"""Many notes are embedded by a model in another process: its end gives back the gigabyte that torch takes.

It ends when it has had nothing to do for a minute, and with this one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.base.errors import ModelError
from core.base.worker_process import ProcessEnded, WorkerProcess
from core.embedding import Embedder
from core.embedding.sentence import Encoder
from core.model import Ids, Matrix

_TORCH = ("bundled", "sentence")
"""Embedders that run more than `FEW` texts by torch."""
_PROCESS = WorkerProcess("core.indexing.embedding_worker", idle=60)


class EmbeddingRequest(NamedTuple):
    """Notes and the verb of the embedder that takes them; `fingerprint` is that of the one that is meant.

    `folder` is the one from which its name may lead to files, None where it was deleted.
    """

    folder: Path | None
    name: str
    fingerprint: str
    verb: str
    texts: Sequence[str | Ids]


def _working_folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        return None


class OtherModel(Exception):
    """In this process another model has the name: the settings of the processes differ."""


class NoteEmbedder:
    """Embeds notes as an embedder does, many of them in the other process."""

    def __init__(self, name: str, embedder: Embedder, *, many: bool) -> None:
        self._name, self._embedder = name, embedder
        self._elsewhere = many and name.partition(":")[0] in _TORCH

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return the vectors of notes; raises ModelError also where the process ends."""
        vectors: Matrix = self._ask("embed", texts)
        return vectors

    def embed_tokens(self, texts: Sequence[str]) -> tuple[Matrix, list[Matrix]]:
        """Return the vectors of notes and of their tokens; raises as `embed` does."""
        vectors, token_rows = self._ask("embed_tokens", texts)
        return vectors, token_rows

    def _ask(self, verb: str, texts: Sequence[str]) -> Any:
        if self._elsewhere:
            # The ids of tokens, so that the other process needs no tokenizer.
            given = self._embedder.ids(texts, role="note") if isinstance(self._embedder, Encoder) else texts
            request = EmbeddingRequest(_working_folder(), self._name, self._embedder.fingerprint, verb, given)
            try:
                return _PROCESS.ask(request)
            except OtherModel:
                self._elsewhere = False
            except ProcessEnded as error:
                raise ModelError(
                    "The model '{name}' ended while it read notes. If memory ran out, close other programs or choose "
                    "a smaller model.",
                    name=self._name,
                ) from error
        return getattr(self._embedder, verb)(texts, role="note")
