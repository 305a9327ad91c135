"""The bytes of a document -> the text of its note, with front matter that says what the document says of itself."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

import yaml

from core.base.errors import SourceError
from core.base.messages import Message
from core.base.text import make_storable
from core.documents import Converted
from core.documents.converting import convert, converters_for, is_document
from core.documents.kinds import KINDS, MAX_BYTES, check, fingerprint, kind_of
from core.documents.process import Interrupted
from core.intake.encoding import MAX_BYTES as MAX_TEXT
from core.intake.encoding import decoded
from core.markdown.frontmatter import moment, span
from core.model import Document, Omission, TextEncoding, later

__all__ = ["MAX_BYTES", "DocumentText", "Interrupted", "is_document", "is_text", "readers", "still_chosen", "text_of"]


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document as the text of a note: front matter and body.

    `left_out` names what the text lacks; `encoding` is that of a document that is a text, None for UTF-8.
    """

    text: str
    document: Document
    warnings: tuple[Message, ...] = ()
    left_out: tuple[Omission, ...] = ()
    encoding: TextEncoding | None = None


def readers() -> str:
    """Return what tells whether other files can be read now than before."""
    return fingerprint()


def still_chosen(converter: str, path: str) -> str:
    """Return the converter chosen for a document, "" where it is removed or reads other kinds only."""
    return converter if converter in converters_for(kind_of(path)) else ""


def text_of(data: bytes, path: str, *, converter: str = "", original: str = "", encoding: str = "") -> DocumentText:
    """Convert a document; `original` is the hash under which the workspace holds it. Raises SourceError.

    `converter` and `encoding` are the user's choices.
    """
    kind = kind_of(path)
    check(data, kind, path)
    found = decoded(data, path, chosen=encoding) if is_text(kind) else None
    if found:
        data = found.text.encode()
    converted, version = convert(data, path, converter=converter)
    if kind in KINDS and KINDS[kind].called_as_file:
        converted = replace(converted, title=PurePosixPath(path).stem)
    front, body = _front(converted), make_storable(converted.text)
    if not body.strip():
        raise SourceError(path, "holds no text that could be read.")
    if len(front) + len(body) > MAX_TEXT:
        raise SourceError(path, "holds more than {n} million characters. Divide it.", n=MAX_TEXT // 2**20)
    if not front and span(body)[2]:
        front = "---\n---\n"  # a document that begins with a rule isn't front matter
    document = Document(kind, version, converted.pages, original, converter)
    return DocumentText(
        front + body, document, converted.warnings, converted.left_out, found.text_encoding if found else None
    )


def is_text(kind: str) -> bool:
    """Return whether documents of a kind are texts, which have an encoding."""
    return kind in KINDS and KINDS[kind].is_text


def _front(converted: Converted) -> str:
    """Return front matter with the title, author and dates of a document, "" where it says none."""
    now = datetime.now(UTC)
    fields = {name: getattr(converted, name) for name in ("title", "author", "created", "updated")}
    for name in ("created", "updated"):
        at = moment(fields[name])
        if at is None or at > later(now, 1):  # it may already be that day further east
            fields[name] = ""
    said = {name: " ".join(make_storable(str(value)).split()) for name, value in fields.items() if value}
    return f"---\n{yaml.safe_dump(said, allow_unicode=True, sort_keys=False, width=10_000)}---\n" if said else ""
