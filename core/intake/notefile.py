"""A file -> a note: encoding, front matter, title, tags, links.

Every offset of a note counts characters of the decoded text, byte order mark removed and line ends
kept. Nothing here may change the length of the text.
"""

from dataclasses import replace

from core.intake.documents import DocumentText
from core.intake.encoding import damage, decode
from core.markdown import frontmatter
from core.markdown.body import Inside, distinct_tags, look_into, short_title
from core.markdown.outline import Outline
from core.model import NOTE_SUFFIXES, SKIPPED_FOLDERS, Note
from core.text import stem


def read(data: bytes, path: str, *, plain: bool = False) -> tuple[Note, Outline]:
    """Parse the bytes of the file at `path`, which is relative to its folder; return the note and its body's outline.

    The note has no id, base or hash yet. Its links are wikilink targets as they are written, and Markdown links as
    paths from the top of the folder, without attachments and web addresses. Raises SourceError for data that isn't
    text, is empty, is over MAX_BYTES or too large to parse. Lines of front matter that can't be read are named in
    `left_out` and in a warning. All of a `plain` text is body.
    """
    return of_text(decode(data, path)[0], path, plain=plain)


def of_text(text: str, path: str, *, plain: bool = False, inside: Inside | None = None) -> tuple[Note, Outline]:
    """Return what `read` returns, of the decoded text of a file; `inside` is what its body says, if it was read."""
    yaml_start, yaml_end, body_start = (0, 0, 0) if plain else frontmatter.span(text)
    front = frontmatter.parse(text[yaml_start:yaml_end]) if body_start else frontmatter.FrontMatter()
    body = text[body_start:]
    inside = inside or look_into(body, path, plain=plain)
    fields = front.fields | {
        "title": short_title(front.value("title")) or inside.title or stem(path),
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
        extra=front.extra,
        warnings=(*damage(text), *front.warnings),
        left_out=tuple(front.left_out),
        plain=plain,
        **fields,
    )
    return note, inside.outline


def of_document(read: DocumentText, path: str) -> tuple[Note, Outline]:
    """Return the note of a converted document and the outline of its body."""
    note, outlined = of_text(read.text, path)
    warnings, left_out = (*note.warnings, *read.warnings), (*note.left_out, *read.left_out)
    return replace(note, document=read.document, warnings=warnings, left_out=left_out), outlined


def is_skipped(name: str) -> bool:
    """Return whether a file or folder of this name is left out, with its content."""
    return name.startswith(".") or name in SKIPPED_FOLDERS


def is_note(path: str) -> bool:
    """Return whether the file at a path is read as a note, by its name and the names of its folders."""
    return path.lower().endswith(NOTE_SUFFIXES) and not any(map(is_skipped, path.split("/")))
