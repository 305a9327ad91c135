"""Parses a file into a note (encoding, front matter, title, tags and links), and converts documents.

Offsets in a note count characters of the decoded text, without the byte order mark and with unchanged line ends.
Nothing here may change the length of the text.
"""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from core.base.errors import SourceError
from core.base.frozen import Values, attributes, frozen
from core.base.messages import Message, plural
from core.base.text import collapse_spaces, make_storable, stem
from core.documents.converting import convert
from core.documents.kinds import KINDS, check, kind_of
from core.documents.process import Look
from core.intake.encoding import MAX_BYTES as MAX_TEXT
from core.intake.encoding import decode_file, unreadable
from core.markdown import frontmatter
from core.markdown.body import BodyMetadata, distinct_tags, look_into, short_title
from core.markdown.frontmatter import FrontMatter, FrontSpan, moment, span
from core.markdown.outline import Outline
from core.model import GUESSED, NOTE_SUFFIXES, SKIPPED_FOLDERS, Document, Note, Omission, TextEncoding, later, summed

_DRAWING = ".excalidraw"


@frozen
class DocumentText:
    """The text of a note converted from a document: front matter and a body.

    `left_out` lists what is missing from the text. `encoding` is the encoding of a text document, or None for UTF-8.
    """

    text: str
    document: Document
    warnings: tuple[Message, ...] = ()
    left_out: tuple[Omission, ...] = ()
    encoding: TextEncoding | None = None


class ParsedNote(NamedTuple):
    """A note without an id, base or hash, and the outline of its body."""

    note: Note
    outline: Outline


def read(
    data: bytes, path: str, *, plain: bool = False, document: Document | None = None, encoding: str = ""
) -> ParsedNote:
    """Parse the bytes of the file at `path`, relative to its folder. Return the note and the outline of its body.

    The note has no id, base or hash yet. Its links are wikilink targets as written, and Markdown links as paths from
    the top of the folder, without attachments and web addresses. Unreadable lines of front matter are listed in
    `left_out` and in a warning. `plain` text has no front matter. A `document` is converted as recorded in its note.
    `encoding` is the encoding chosen by the user. Raises SourceError if the data isn't text, is empty, or is too large.
    """
    if document:
        return document_note(
            document_text(data, path, converter=document.chosen, original=document.original, encoding=encoding), path
        )
    found = decode_file(data, path, chosen=encoding)
    return parse_note(found.text, path, plain=plain, encoding=found.text_encoding)


def parse_note(
    text: str,
    path: str,
    *,
    plain: bool = False,
    inside: BodyMetadata | None = None,
    encoding: TextEncoding | None = None,
) -> ParsedNote:
    """Parse a file's decoded text as `read` does. `inside` is the body's metadata, or None to parse the body here."""
    front_span = FrontSpan() if plain else frontmatter.span(text)
    front = frontmatter.parse(text[front_span.start : front_span.end]) if front_span.body else FrontMatter()
    body = text[front_span.body :]
    inside = inside or look_into(body, path, plain=plain)
    name = stem(path)
    whole = collapse_spaces(front.value("title"))
    blobs = len(inside.outline.blobs)
    is_drawing = name.lower().endswith(_DRAWING) or "excalidraw-plugin" in front.extra
    drawing = re.sub(rf"(?i){re.escape(_DRAWING)}$", "", name) if is_drawing else ""
    not_searched = plural(
        "{n} part, such as a pasted picture, a key or compressed data, isn't text. It is shown, but not searched.",
        "{n} parts, such as pasted pictures, keys or compressed data, aren't text. They are shown, but not searched.",
        n=blobs,
    )
    unsure = [Omission(GUESSED, place=encoding.name)] if encoding and encoding.known == "unsure" else []
    title = short_title(whole)
    # The text file in a TextBundle is named after the bundle.
    fields = front.fields | {
        "title": title or drawing or inside.title or stem(re.sub(r"(?i)\.textbundle/text\.[^/]+$", ".md", path)),
        "tags": distinct_tags([*front.value("tags"), *inside.tags]),
    }
    note = Note(
        id="",
        base_id="",
        body=body,
        content_hash="",
        path=path,
        body_start=front_span.body,
        front=text[: front_span.body],
        links=inside.targets(path),
        extra=front.extra | ({} if title == whole else {"title": whole}),  # keeps the full title if it was shortened
        warnings=(*front.warnings, *([not_searched] if blobs else ())),
        left_out=(*unreadable(text), *front.left_out, *unsure),
        plain=plain,
        encoding=encoding,
        **fields,
    )
    return ParsedNote(note, inside.outline)


def document_note(read: DocumentText, path: str) -> ParsedNote:
    """Return the note for a converted document and the outline of its body."""
    note, outlined = parse_note(read.text, path, encoding=read.encoding)
    return ParsedNote(
        replace(
            note,
            document=read.document,
            warnings=(*note.warnings, *read.warnings),
            left_out=summed((*note.left_out, *read.left_out)),
        ),
        outlined,
    )


def is_skipped(name: str) -> bool:
    """Return whether a file with the given name, or a folder with all its contents, is left out."""
    return name.startswith(".") or name in SKIPPED_FOLDERS


def is_note(path: str) -> bool:
    """Return whether the file at a path is read as a note. Only the path is considered."""
    return path.lower().endswith(NOTE_SUFFIXES) and not any(map(is_skipped, path.split("/")))


def document_text(
    data: bytes,
    path: str,
    *,
    converter: str = "",
    original: str = "",
    encoding: str = "",
    look: Look = lambda: None,
) -> DocumentText:
    """Convert a document. `original` is the hash of its copy in the workspace. Raises SourceError.

    `converter` and `encoding` are chosen by the user. `look` is called regularly during the conversion, and may raise.
    """
    kind = kind_of(path)
    check(data, kind, path)
    found = decode_file(data, path, chosen=encoding) if is_text(kind) else None
    if found:
        data = found.text.encode()
    converted, version = convert(data, path, converter=converter, look=look)
    if kind in KINDS and KINDS[kind].named_after_file:
        converted = replace(converted, title=PurePosixPath(path).stem)
    body = make_storable(converted.text)
    values = attributes(converted, ("title", "author", "created", "updated", "source_url"))
    for name in ("created", "updated"):
        at = moment(values[name])
        if at is None or at > later(datetime.now(UTC), 1):  # it may already be tomorrow farther east
            values[name] = ""
    fields: Values = {name: collapse_spaces(make_storable(str(value))) for name, value in values.items() if value}
    if tags := [collapse_spaces(tag) for tag in re.split("[,;，；、]", make_storable(converted.tags)) if tag.strip()]:
        fields["tags"] = tags[:50]
    front = frontmatter.dump(fields)
    if not body.strip():
        raise SourceError(path, "This file contains no readable text.")
    if len(front) + len(body) > MAX_TEXT:
        raise SourceError(path, "This file contains more than {n} million characters. Split it.", n=MAX_TEXT // 2**20)
    if not front and span(body)[2] and kind != "textpack":
        front = "---\n---\n"  # otherwise a rule at the start would open front matter
    return DocumentText(
        front + body,
        Document(kind, version, converted.pages, original, converter),
        converted.warnings,
        converted.left_out,
        found.text_encoding if found else None,
    )


def is_text(kind: str) -> bool:
    """Return whether documents of the given kind are text files, which have an encoding."""
    return kind in KINDS and KINDS[kind].is_text
