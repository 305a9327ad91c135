"""A tokenizer whose answers can be counted on the page, and notes that are only a body."""

import re

import numpy as np

from core.chunking import Chunker
from core.chunking.reading import read
from core.model import Chunk, Note, Spans

_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]{{1,16}}|[^\w\s]|_")


def words(text: str) -> Spans:
    """A token is a word of up to 16 letters, an ideograph or a punctuation mark."""
    return np.array([match.span() for match in _TOKEN.finditer(text)], dtype=np.int32).reshape(-1, 2)


def note(body: str, name: str = "n") -> Note:
    return Note(id=name, base_id="b", title="A note", body=body, content_hash="")


def chunks_of(chunker: Chunker, body: str, name: str = "n") -> list[Chunk]:
    return chunker.cut(read(note(body, name), words))
