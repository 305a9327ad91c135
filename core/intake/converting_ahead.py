"""Converts an import's documents in other processes while the notes before them are being chunked and written."""

from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import NamedTuple

from core.base.errors import Cancelled
from core.base.threads import DaemonPool
from core.documents.converting import converters_for
from core.documents.kinds import kind_of
from core.intake import folder, notefile
from core.intake.folder import content_hash
from core.intake.notefile import DocumentText
from core.model import SourceFile

# Maximum total size in bytes of the documents converted ahead. A single document may exceed it.
_BYTES = 64 << 20


class ConvertedFile(NamedTuple):
    """A converted document: its file, including a hash of the contents, its original bytes, and its text."""

    file: SourceFile
    data: bytes
    read: DocumentText


def convert_ahead(
    place: Path,
    files: Sequence[SourceFile],
    choices: Mapping[str, tuple[str, str]],
    *,
    uploaded: bool,
    waits: Callable[[], object] = lambda: None,
) -> Generator[tuple[SourceFile, Callable[[], ConvertedFile] | None]]:
    """Yield each file with a function that returns the converted document, or with None if it isn't a document.

    The function raises the conversion's error if there is one. `choices` maps a document's path to the chosen converter
    and encoding. `waits` is called regularly while waiting for a document, and may raise. Closing the generator ends
    unfinished conversions.
    """
    waiting = deque(file for file in files if file.path in choices)
    converting: dict[str, tuple[int, Future[ConvertedFile]]] = {}
    ended = Event()

    def look() -> None:
        if ended.is_set():
            raise Cancelled

    def convert(file: SourceFile) -> ConvertedFile:
        look()
        data = folder.read(place, file.path)
        file = replace(file, content_hash=content_hash(data))
        converter, encoding = choices[file.path]
        return ConvertedFile(
            file,
            data,
            notefile.document_text(
                data,
                file.path,
                # The chosen converter may no longer exist.
                converter=converter if converter in converters_for(kind_of(file.path)) else "",
                original=file.content_hash if uploaded else "",
                encoding=encoding,
                look=look,
            ),
        )

    def take(future: Future[ConvertedFile]) -> ConvertedFile:
        while not wait([future], 0.2).done:
            waits()
        return future.result()

    with DaemonPool(2, "convert") as pool:
        try:
            for file in files:
                # At most four documents are being converted, or are converted but not yet taken.
                while waiting and len(converting) < 4:
                    if converting and sum(size for size, _ in converting.values()) + waiting[0].size > _BYTES:
                        break
                    following = waiting.popleft()
                    converting[following.path] = following.size, pool.submit(partial(convert, following))
                yield file, partial(take, converting.pop(file.path)[1]) if file.path in choices else None
        finally:
            ended.set()
