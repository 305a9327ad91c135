"""Many notes are embedded by a model in another process: its end gives back the gigabyte that torch takes.

A request and its reply are pickles on the standard streams of that process. It ends when it has had nothing to do for a
minute, and with this one.
"""

import atexit
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from core.base.errors import ModelError
from core.embedding import Embedder
from core.embedding.sentence import Encoder
from core.model import Ids, Matrix

_TORCH = ("bundled", "sentence")
"""Embedders that run more than `FEW` texts by torch."""
_IDLE_SECONDS = 60.0


class EmbeddingRequest(NamedTuple):
    """Notes and the verb of the embedder that takes them; `fingerprint` is that of the one that is meant."""

    name: str
    fingerprint: str
    verb: str
    texts: Sequence[str | Ids]


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
            try:
                return _PROCESS.ask(EmbeddingRequest(self._name, self._embedder.fingerprint, verb, given))
            except OtherModel:
                self._elsewhere = False
        return getattr(self._embedder, verb)(texts, role="note")


class _EmbeddingProcess:
    """The process, started when it is first needed, and again after it ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._idle = threading.Timer(0, self.close)

    def ask(self, request: EmbeddingRequest) -> Any:
        """Return the reply to a request; raises the errors of the embedder, and ModelError if the process ends."""
        with self._lock:
            self._idle.cancel()
            if self._running is None:
                self._running = _started()
            running = self._running
            assert running.stdin is not None
            assert running.stdout is not None
            try:
                pickle.dump(request, running.stdin)
                running.stdin.flush()
                reply = pickle.load(running.stdout)
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                self._end()
                raise ModelError(
                    "The model '{name}' ended while it read notes. If memory ran out, close other programs or choose "
                    "a smaller model.",
                    name=request.name,
                ) from error
            except BaseException:  # this thread is stopped, and the reply would be taken for the next one
                self._end()
                raise
            self._idle = threading.Timer(_IDLE_SECONDS, self._end_idle)
            self._idle.daemon = True
            self._idle.start()
        if isinstance(reply, Exception):
            raise reply
        return reply

    def close(self) -> None:
        """End the process, also while another thread waits for its reply."""
        if (running := self._running) is not None:
            running.kill()
        with self._lock:
            self._idle.cancel()
            self._end()

    def forget(self) -> None:
        """Forget the process in a fork: it belongs to the parent."""
        self._lock = threading.Lock()
        if self._running is not None:
            self._running.returncode = 0
            self._running = None

    def _end_idle(self) -> None:
        with self._lock:
            if threading.current_thread() is self._idle:  # nobody asked since it was started
                self._end()

    def _end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            with suppress(OSError), running:
                running.kill()


def _started() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "core.indexing.embedding_worker", str(Path.cwd())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
    )


_PROCESS = _EmbeddingProcess()
atexit.register(_PROCESS.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PROCESS.forget)
