"""A file -> a note: encoding, front matter, title, tags, links.

Every offset of a note counts characters of the decoded text, byte order mark removed and line ends
kept. Nothing here may change the length of the text.
"""

import re
from dataclasses import replace

from core.base.messages import Message, plural
from core.base.text import stem
from core.intake.documents import DocumentText
from core.intake.encoding import decoded, doubtful, unreadable
from core.markdown import frontmatter
from core.markdown.body import BodyMetadata, distinct_tags, look_into, short_title
from core.markdown.outline import Outline
from core.model import NOTE_SUFFIXES, SKIPPED_FOLDERS, Note, TextEncoding, summed

_DRAWING = ".excalidraw"


def read(data: bytes, path: str, *, plain: bool = False) -> tuple[Note, Outline]:
    """Parse the bytes of the file at `path`, which is relative to its folder; return the note and its body's outline.

    The note has no id, base or hash yet. Its links are wikilink targets as they are written, and Markdown links as
    paths from the top of the folder, without attachments and web addresses. Raises SourceError for data that isn't
    text, is empty, is over MAX_BYTES or too large to parse. Lines of front matter that can't be read are named in
    `left_out` and in a warning. All of a `plain` text is body.
    """
    found = decoded(data, path)
    return parse_note(found.text, path, plain=plain, encoding=found.text_encoding)


def parse_note(
    text: str,
    path: str,
    *,
    plain: bool = False,
    inside: BodyMetadata | None = None,
    encoding: TextEncoding | None = None,
) -> tuple[Note, Outline]:
    """Return what `read` returns, of the decoded text of a file; `inside` is what its body says, if it was read."""
    yaml_start, yaml_end, body_start = (0, 0, 0) if plain else frontmatter.span(text)
    front = frontmatter.parse(text[yaml_start:yaml_end]) if body_start else frontmatter.FrontMatter()
    body = text[body_start:]
    inside = inside or look_into(body, path, plain=plain)
    fields = front.fields | {
        "title": short_title(front.value("title")) or _drawing(path, front) or inside.title or stem(path),
        "tags": distinct_tags([*front.value("tags"), *inside.tags]),
    }
    note = Note(
        id="",
        base_id="",
        body=body,
        content_hash="",
        path=path,
        body_start=body_start,
        front=text[:body_start],
        links=inside.targets(path),
        extra=front.extra | _long_title(front.value("title")),
        warnings=(*front.warnings, *_not_searched(len(inside.outline.blobs))),
        left_out=(*unreadable(text), *front.left_out, *doubtful(encoding)),
        plain=plain,
        encoding=encoding,
        **fields,
    )
    return note, inside.outline


def _long_title(title: str) -> dict[str, object]:
    """Return a title that is shortened as a property, so that none of its words is lost."""
    whole = " ".join(title.split())
    return {} if short_title(title) == whole else {"title": whole}


def _drawing(path: str, front: frontmatter.FrontMatter) -> str:
    """Return the name of a drawing of Excalidraw in a note, recognized by the program's headings, "" for others."""
    name = stem(path)
    is_drawing = name.lower().endswith(_DRAWING) or "excalidraw-plugin" in front.extra
    return re.sub(rf"(?i){re.escape(_DRAWING)}$", "", name) if is_drawing else ""


def _not_searched(count: int) -> tuple[Message, ...]:
    """Return how many parts of a text are no language, if any are."""
    told = plural(
        "{n} part is no text, such as a pasted picture, a key or compressed data. It is shown, but not searched.",
        "{n} parts are no text, such as pasted pictures, keys or compressed data. They are shown, but not searched.",
        n=count,
    )
    return (told,) if count else ()


def document_note(read: DocumentText, path: str) -> tuple[Note, Outline]:
    """Return the note of a converted document and the outline of its body."""
    note, outlined = parse_note(read.text, path, encoding=read.encoding)
    warnings, left_out = (*note.warnings, *read.warnings), summed((*note.left_out, *read.left_out))
    return replace(note, document=read.document, warnings=warnings, left_out=left_out), outlined


def is_skipped(name: str) -> bool:
    """Return whether a file or folder of this name is left out, with its content."""
    return name.startswith(".") or name in SKIPPED_FOLDERS


def is_note(path: str) -> bool:
    """Return whether the file at a path is read as a note, by its name and the names of its folders."""
    return path.lower().endswith(NOTE_SUFFIXES) and not any(map(is_skipped, path.split("/")))
