"""The text that was read of a note's pictures, as chunks of the note: pure functions of the note and what is known."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.base.errors import SourceError
from core.chunking import build, describe
from core.chunking.describe import SectionFields
from core.chunking.reading import Tokens, read
from core.chunking.slices import Slice
from core.markdown.body import pictures_in
from core.markdown.outline import Outline
from core.model import Chunk, ChunkingOptions, Note, NotePicture


def list_pictures(note: Note, before: Sequence[NotePicture]) -> tuple[NotePicture, ...]:
    """Return the pictures that the text of a note shows, with what is known of those that it showed before."""
    known = {picture.target: picture for picture in before}
    try:
        places = {} if note.plain else pictures_in(note.body, str(note.path))
    except SourceError:
        places = {}
    return tuple(replace(known.get(target, NotePicture(target)), start=start) for target, start in places.items())


def merge_picture_chunks(
    note: Note,
    chunks: Sequence[Chunk],
    pictures: Sequence[NotePicture],
    options: ChunkingOptions,
    tokens: Tokens,
    outline: Outline | None = None,
) -> tuple[list[Chunk], tuple[NotePicture, ...]]:
    """Return the chunks of a note with each picture's chunks after the chunk that shows it, and the pictures.

    Of a file shown twice the first place counts. Pictures in hidden passages don't count.
    """
    first = {picture.hash: picture for picture in sorted(pictures, key=lambda picture: -picture.start) if picture.text}
    shown = [picture for picture in first.values() if not _is_hidden(picture, chunks)]
    picture_chunks = (
        sorted(_chunks(note, shown, options, tokens, outline), key=lambda chunk: chunk.start) if shown else []
    )
    ordered: list[Chunk] = []
    for chunk in chunks:
        while picture_chunks and picture_chunks[0].start <= chunk.start:
            ordered.append(picture_chunks.pop(0))
        ordered.append(chunk)
    ordered += picture_chunks
    if shown:
        ordered = [replace(chunk, index=index, total=len(ordered)) for index, chunk in enumerate(ordered)]
    return ordered, tuple(replace(picture, placed=picture.is_known) for picture in pictures)


def _is_hidden(picture: NotePicture, chunks: Sequence[Chunk]) -> bool:
    around = [chunk.state == "deleted" for chunk in chunks if chunk.start < picture.start <= chunk.end]
    return bool(around) and all(around)


def _chunks(
    note: Note, pictures: Sequence[NotePicture], options: ChunkingOptions, tokens: Tokens, outline: Outline | None
) -> Iterator[Chunk]:
    """Yield the chunks of pictures: their text is cut by its length, their section is that of their place."""
    cutter = build(replace(options, strategy="recursive"))
    places = sorted({picture.start for picture in pictures})
    slices = [Slice(place, place, place) for place in places]
    sections = describe.chunks(read(note, tokens, outline), slices, "recursive_character")
    at = dict(zip(places, sections, strict=True))
    for picture in pictures:
        section = at[picture.start]
        text = replace(note, body=str(picture.text).strip(), plain=False)
        for number, chunk in enumerate(cutter.cut(read(text, tokens))):
            yield replace(
                chunk,
                id=describe.chunk_id(note.id, f"{picture.hash}\0{number}", 0),
                start=picture.start,
                end=picture.start,
                **{name: getattr(section, name) for name in SectionFields._fields},
                lead="",
                picture=picture.place,
            )
