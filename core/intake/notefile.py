"""A file <-> a note: encoding, front matter, title, tags, links.

Every offset of a note counts characters of the decoded text, byte order mark removed and line ends
kept. Nothing here may change the length of the text.
"""

import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from urllib.parse import unquote

from core.intake.documents import DocumentText
from core.intake.encoding import damage, decode
from core.markdown import frontmatter, outline, parser
from core.markdown.inline import hide, prose
from core.markdown.links import Link, definitions, extract
from core.markdown.outline import Outline
from core.markdown.parser import Parsed
from core.markdown.tags import in_text, key
from core.model import NOTE_SUFFIXES, SKIPPED_FOLDERS, Note

MAX_TITLE = 200


def read(data: bytes, path: str, *, plain: bool = False) -> tuple[Note, Outline]:
    """Parse the bytes of the file at `path`, which is relative to its folder; return the note and its body's outline.

    The note has no id, base or hash yet. Its links are wikilink targets as they are written, and Markdown links as
    paths from the top of the folder, without attachments and web addresses. Raises SourceError for data that isn't
    text, is empty, is over MAX_BYTES or too large to parse. Unreadable front matter is ignored, with a warning. All of
    a `plain` text is body.
    """
    return of_text(decode(data, path)[0], path, plain=plain)


def of_text(text: str, path: str, *, plain: bool = False, inside: "Inside | None" = None) -> tuple[Note, Outline]:
    """Return what `read` returns, of the decoded text of a file; `inside` is what its body says, if it was read."""
    yaml_start, yaml_end, body_start = (0, 0, 0) if plain else frontmatter.span(text)
    front = frontmatter.parse(text[yaml_start:yaml_end]) if body_start else frontmatter.FrontMatter()
    body = text[body_start:]
    inside = inside or look_into(body, path, plain=plain)
    fields = front.fields | {
        "title": short_title(front.value("title")) or inside.title or PurePosixPath(path).stem,
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
        plain=plain,
        **fields,
    )
    return note, inside.outline


def of_document(read: DocumentText, path: str) -> tuple[Note, Outline]:
    """Return the note of a converted document and the outline of its body."""
    note, outlined = of_text(read.text, path)
    return replace(note, document=read.document, warnings=(*note.warnings, *read.warnings)), outlined


@dataclass(frozen=True, slots=True)
class Inside:
    """What a body says of its note: its first title, or "", its tags and its links."""

    title: str
    tags: tuple[str, ...]
    links: tuple[Link, ...]
    outline: Outline

    def targets(self, path: str) -> tuple[str, ...]:
        """Return the targets of the links in the note at a path, each once."""
        folder = posixpath.dirname(path)
        return _distinct(filter(None, (_target(link, folder) for link in self.links)), str)


def look_into(body: str, path: str, *, plain: bool = False) -> Inside:
    """Read a body; raises SourceError, with the `path` of its note, for one that is too large to parse.

    A `plain` text has no title, tags and links.
    """
    if plain:
        return Inside("", (), (), outline.NONE)
    parsed = parser.parse(body, path)
    outlined = outline.of(parsed)
    tags, links = _inline(parsed)
    return Inside(_first_title(outlined), distinct_tags(tags), tuple(links), outlined)


def distinct_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags without those that differ from an earlier one by case only."""
    return _distinct(tags, key)


_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
"""How the address of a page of the web, or of another program, begins."""
_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|pdf|mp[34]|m4a|wav|ogg|webm|mov|zip|html?|css|js|py|ipynb"
    r"|docx?|xlsx?|pptx?|csv|json|ya?ml)$",
    re.IGNORECASE,
)


def attachments_in(body: str, path: str) -> tuple[str, ...]:
    """Return the files beside a note that its body names, as they are written, each once; raises SourceError."""
    named = (_file(link) for link in look_into(body, path).links if not _ADDRESS.match(link.target))
    return _distinct(filter(_ATTACHMENT.search, named), str)


def is_skipped(name: str) -> bool:
    """Return whether a file or folder of this name is left out, with its content."""
    return name.startswith(".") or name in SKIPPED_FOLDERS


def is_note(path: str) -> bool:
    """Return whether the file at a path is read as a note, by its name and the names of its folders."""
    return path.lower().endswith(NOTE_SUFFIXES) and not any(map(is_skipped, path.split("/")))


def _inline(parsed: Parsed) -> tuple[list[str], list[Link]]:
    """Return the tags and links of a body; a heading has links, but no tags."""
    tags: list[str] = []
    links: list[Link] = []
    for text, is_heading in prose(parsed):
        if "#" not in text and "[" not in text:
            continue
        inline = hide(text)
        if "[" in text:
            inline, more = extract(inline)
            links += more
        if "#" in inline.text and not is_heading:
            tags += in_text(inline)
    return tags, [*links, *definitions(parsed)]


def short_title(title: str) -> str:
    """Return a title on one line, of at most MAX_TITLE characters."""
    title = " ".join(title.split())
    return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1].rstrip() + "…"


def _first_title(outlined: Outline) -> str:
    """Return the first title of level 1 that begins a section and isn't blank."""
    titles = (heading.title for heading in outlined.headings if heading.level == 1 and not heading.nested)
    return next((title for title in map(short_title, titles) if title), "")


def _file(link: Link) -> str:
    """Return the path of a link, without its place in the file."""
    if link.wiki:
        return re.split(r"[#|^]", link.target, maxsplit=1)[0].rstrip("\\").strip()
    return unquote(re.split(r"[#?]", link.target, maxsplit=1)[0])


def _target(link: Link, folder: str) -> str:
    """Return the target of a link, empty if it can't be a note."""
    if link.wiki:
        target = _file(link)
        return "" if _ATTACHMENT.search(target) else target
    target = _file(link)
    if not target or "\0" in target or _ADDRESS.match(target):
        return ""
    target = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
    outside = posixpath.normpath(target).startswith("..")
    may_be_note = target.lower().endswith((*NOTE_SUFFIXES, ".canvas", ".base")) or not posixpath.splitext(target)[1]
    return posixpath.normpath(target) if may_be_note and not outside and not target.endswith("/") else ""


def _distinct(values: Iterable[str], key: Callable[[str], str]) -> tuple[str, ...]:
    """Return the values without those whose key occurred before."""
    seen: dict[str, str] = {}
    for value in values:
        seen.setdefault(key(value), value)
    return tuple(seen.values())
