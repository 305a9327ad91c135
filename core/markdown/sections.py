"""The sections of a note, and the sentences of its prose."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.base.blobs import Span
from core.base.errors import SourceError
from core.base.text import is_chinese
from core.markdown import outline
from core.markdown.outline import Block
from core.model import Note

_WIDEST = 5_000
"""Longest paragraph in characters that counts as prose."""

_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=[\"”’)*_]*(?:\s+[A-Z_*`“\"(\[]|\s*$))|$)")
_CHINESE_SENTENCE = re.compile(r"[^\s。！？][^。！？]*(?:[。！？][”）)]?|$)")
_ENDED = re.compile(r"[.!?。！？][”）)]?$")
_WHITE = re.compile(r"\s")
_MARKUP = re.compile(r"\s*(?::\w+:`|!\[|\{\{|<|\$\$|\[\^|%%|\|)")
"""Start of a paragraph that isn't prose."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the prose and lists directly under it; the note's title serves before the first heading."""

    heading: str
    blocks: tuple[Block, ...]


def sections_of(note: Note) -> list[Section]:
    try:
        parsed = outline.parse(note.body, note.path or note.title)
    except SourceError:
        return []  # too large to parse
    titles = {heading.start: heading.title for heading in parsed.headings if not heading.nested}
    sections: list[Section] = []
    heading = note.title
    blocks: list[Block] = []
    for block in parsed.blocks:
        if block.start in titles:
            sections.append(Section(heading, tuple(blocks)))
            heading, blocks = titles[block.start], []
        elif not _MARKUP.match(note.body, block.start):
            blocks.append(block)
    return [*sections, Section(heading, tuple(blocks))]


def sentences_of(body: str, block: Block) -> Iterator[Span]:
    """Yield the spans of a paragraph's sentences."""
    if block.end - block.start > _WIDEST:
        return
    text = _WHITE.sub(" ", body[block.start : block.end])
    for sentence in (_CHINESE_SENTENCE if is_chinese(text) else _SENTENCE).finditer(text):
        if _ENDED.search(sentence[0]):
            yield block.start + sentence.start(), block.start + sentence.end()
