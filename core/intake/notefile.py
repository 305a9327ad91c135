"""A file <-> a note: encoding, front matter, title, tags, links.

Every offset of a note counts characters of the decoded text, byte order mark removed and line ends
kept, so nothing here may change its length.
"""

import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from urllib.parse import unquote

from core.intake.encoding import damage, decode
from core.markdown import frontmatter, outline, parser
from core.markdown.inline import hide, prose
from core.markdown.links import Link, definitions, extract
from core.markdown.outline import Outline
from core.markdown.parser import Parsed
from core.markdown.tags import in_text, key
from core.messages import Message
from core.model import NOTE_SUFFIXES, SKIPPED_FOLDERS, NoteStatus

MAX_TITLE = 200

_EMPTY = Outline((), ())


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What a file says of itself: `text[body_start:] == body`.

    `links` are the notes it points to: wikilink targets as they are written, Markdown links as
    paths from the top of the folder; attachments and web addresses are left out. `extra` holds the
    front matter that no field takes, JSON-able; `aliases` is among it, as a list. The `outline` is
    what chunking cuts the body by, so that a body is parsed once.
    """

    text: str
    encoding: str
    title: str
    body: str
    body_start: int = 0
    outline: Outline = field(default=_EMPTY, repr=False)
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None
    category: str = ""
    type: str = ""
    project: str = ""
    scope: str = ""
    priority: int = 0
    status: NoteStatus = "active"
    source_url: str = ""
    extra: dict[str, object] = field(default_factory=dict)
    warnings: tuple[Message, ...] = ()


def read(data: bytes, path: str) -> ParsedFile:
    """Parse the bytes of the file at `path`, which is relative to its folder.

    Raises SourceError for what is not text, is empty, is over MAX_BYTES or too large to parse. Front
    matter that can't be read costs its values and leaves a warning; the note is read all the same.
    """
    text, encoding = decode(data, path)
    warnings = damage(text)
    yaml_start, yaml_end, body_start = frontmatter.span(text)
    front = frontmatter.parse(text[yaml_start:yaml_end]) if body_start else frontmatter.FrontMatter()
    body = text[body_start:]
    parsed = parser.parse(body, path)
    outlined = outline.of(parsed)
    inline_tags, links = _inline(parsed)
    folder = posixpath.dirname(path)
    return ParsedFile(
        text=text,
        encoding=encoding,
        title=_short(front.title) or _first_title(outlined) or PurePosixPath(path).stem,
        body=body,
        body_start=body_start,
        outline=outlined,
        tags=_distinct([*front.tags, *inline_tags], key),
        links=_distinct(filter(None, (_target(link, folder) for link in links)), str),
        created_at=front.created_at,
        updated_at=front.updated_at,
        category=front.text.get("category", ""),
        type=front.text.get("type", ""),
        project=front.text.get("project", ""),
        scope=front.text.get("scope", ""),
        priority=front.priority,
        status=front.status,
        source_url=front.text.get("source_url", ""),
        extra=front.extra,
        warnings=(*warnings, *front.warnings),
    )


_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|pdf|mp[34]|m4a|wav|ogg|webm|mov|zip|canvas|base|html?|css|js|py|ipynb"
    r"|docx?|xlsx?|pptx?|csv|json|ya?ml)$",
    re.IGNORECASE,
)


def is_skipped(name: str) -> bool:
    """Return whether a file or folder of this name is left out, with all that is in it."""
    return name.startswith(".") or name in SKIPPED_FOLDERS


def is_note(path: str) -> bool:
    """Return whether the file at a path is read as a note, by its name and those of its folders."""
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


def _short(title: str) -> str:
    title = " ".join(title.split())
    return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1].rstrip() + "…"


def _first_title(outlined: Outline) -> str:
    """Return the first title of level 1 that begins a section and says something."""
    titles = (heading.title for heading in outlined.headings if heading.level == 1 and not heading.nested)
    return next((title for title in map(_short, titles) if title), "")


def _target(link: Link, folder: str) -> str:
    """What a link points to, empty unless it may be a note."""
    if link.wiki:
        target = re.split(r"[#|^]", link.target, maxsplit=1)[0].rstrip("\\").strip()
        return "" if _ATTACHMENT.search(target) else target
    target = unquote(re.split(r"[#?]", link.target, maxsplit=1)[0])
    if not target or "\0" in target or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", target):
        return ""
    target = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
    outside = posixpath.normpath(target).startswith("..")
    named_so = target.lower().endswith(NOTE_SUFFIXES) or not posixpath.splitext(target)[1]
    return posixpath.normpath(target) if named_so and not outside and not target.endswith("/") else ""


def _distinct(values: Iterable[str], shared: Callable[[str], str]) -> tuple[str, ...]:
    """Return the first of the values that share something."""
    seen: dict[str, str] = {}
    for value in values:
        seen.setdefault(shared(value), value)
    return tuple(seen.values())
