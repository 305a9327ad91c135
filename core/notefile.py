"""A file <-> a note: encoding, front matter, title, tags, links.

Every offset of a note counts characters of the decoded text, byte order mark removed and line ends
kept, so nothing here may change its length. All scans are linear in the length of the file.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from urllib.parse import unquote

from core import frontmatter
from core.encoding import damage, decode
from core.model import NoteStatus

NOTE_SUFFIXES = (".md", ".markdown", ".txt")
MAX_TITLE = 200


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What a file says of itself: `text[body_start:] == body`.

    `links` are the notes it points to: wikilink targets as they are written, Markdown links as
    paths from the top of the folder; attachments and web addresses are left out. `extra` holds the
    front matter that no field takes, JSON-able; `aliases` is among it, as a list.
    """

    text: str
    encoding: str
    title: str
    body: str
    body_start: int = 0
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
    warnings: tuple[str, ...] = ()


def read(data: bytes, path: str) -> ParsedFile:
    """Parse the bytes of the file at `path`, which is relative to its folder.

    Raises SourceError for what is not text, is empty or is over MAX_BYTES. Front matter that can't
    be read costs its values and leaves a warning; the note is read all the same.
    """
    text, encoding = decode(data, path)
    warnings = damage(text)
    yaml_start, yaml_end, body_start = frontmatter.span(text)
    front = frontmatter.parse(text[yaml_start:yaml_end]) if body_start else frontmatter.FrontMatter()
    body = text[body_start:]
    inline = _scan(body)
    folder = posixpath.dirname(path)
    return ParsedFile(
        text=text,
        encoding=encoding,
        title=_short(front.title) or _short(inline.title) or PurePosixPath(path).stem,
        body=body,
        body_start=body_start,
        tags=_distinct([*front.tags, *inline.tags], fold=True),
        links=_distinct(filter(None, (_target(kind, link, folder) for kind, link in inline.links))),
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


_MARKERS = r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++[ \t>]*+)*+"
_FENCE = re.compile(rf"({_MARKERS})(`{{3,}}+|~{{3,}}+)(.*)")
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=++|-++)[ \t]*+$")
_ITEM = re.compile(r"[ \t]*+(?:[>|]|(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$))")
_COMMENT_ENDS = {"<!--": "-->", "%%": "%%"}
# Lengths are bounded and classes shut each other out, so that no start is scanned twice over. The
# alternatives without a name are there to keep their '#' from being a tag.
_TAG_CHARACTERS = "\\w\u0300-\u036f/-"
_INLINE = re.compile(
    r"<!--.*?(?:-->|\Z)|%%.*?(?:%%|\Z)"
    r"|<[A-Za-z/][^<>]{0,2000}>"
    r"|://[^\s<>()]*"
    r"|\[\[(?P<wiki>[^\[\]\n]{1,500})\]\]"
    r"|\]\([ \t]{0,9}<(?P<angled>[^<>\n]{0,1000})>"
    r"|\]\([ \t]{0,9}(?P<link>[^\s<>()]{0,1000}(?:\([^\s<>()]{0,1000}\)[^\s<>()]{0,1000})?)"
    r"|\]:[ \t]{0,9}(?P<reference>[^\s<>]{1,1000})"
    rf"|\#(?<![^\s(\[{{（【《「『〈“‘，。、；：！？,;|>*~]\#)(?P<tag>[{_TAG_CHARACTERS}]++)",
    re.DOTALL,
)
_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|pdf|mp[34]|m4a|wav|ogg|webm|mov|zip|canvas|base|html?|css|js|py|ipynb"
    r"|docx?|xlsx?|pptx?|csv|json|ya?ml)$",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Inline:
    title: str = ""
    tags: list[str] = field(default_factory=list)
    links: dict[tuple[str, str], None] = field(default_factory=dict)


def _scan(body: str) -> _Inline:
    found = _Inline()
    for text, level in _paragraphs(body):
        if level == 1 and not found.title:
            found.title = _heading_text(text)
        if "#" not in text and "[" not in text:
            continue
        for match in _INLINE.finditer(_without_code(text)):
            kind = match.lastgroup
            if kind == "tag" and not level:
                tag = match[kind].strip("/-")
                if tag and not tag.isdigit():
                    found.tags.append(tag)
            elif kind and kind != "tag":
                found.links[kind, match[kind]] = None
    return found


def _paragraphs(body: str) -> Iterator[tuple[str, int]]:
    """Each run of prose and the level of the heading that it is, 0 for none; code blocks left out."""
    held: list[str] = []
    fence = fence_marks = closing = ""
    in_list = after_blank = False
    plain = True  # nothing in `held` keeps an underline from making it a heading
    for line in body.splitlines():
        bare = line.strip()
        if fence:
            inside = bare.lstrip("> \t")
            ended = len(inside) >= len(fence) and not inside.strip(fence[0])
            if not ended and (">" not in fence_marks or bare.startswith(">")):
                continue
            fence = ""
            if ended:
                continue
        if closing:
            if closing in line:
                closing = ""
            continue
        if not bare:
            if held:
                yield from _flush(held)
            after_blank = True
            continue
        opener = _FENCE.match(line)
        if opener and not (opener[2][0] == "`" and "`" in opener[3]):
            yield from _flush(held)
            fence_marks, fence = opener[1], opener[2]
        elif bare.startswith(("<!--", "%%")) and not held:
            mark = "<!--" if bare[0] == "<" else "%%"
            closing = "" if _COMMENT_ENDS[mark] in bare[len(mark) :] else _COMMENT_ENDS[mark]
        elif _ATX.match(line):
            yield from _flush(held)
            in_list = False
            yield bare, len(bare) - len(bare.lstrip("#"))
        elif held and plain and _UNDERLINE.match(line):
            text = "\n".join(held)
            held.clear()
            yield text, 1 if bare[0] == "=" else 2
        elif line.startswith(("    ", "\t")) and after_blank and not in_list and not held:
            continue
        else:
            is_item = _ITEM.match(line) is not None
            in_list = is_item or (in_list and line[0] in " \t")
            plain = not is_item and (plain or not held)
            held.append(line)
        after_blank = False
    yield from _flush(held)


def _flush(held: list[str]) -> Iterator[tuple[str, int]]:
    if held:
        text = "\n".join(held)
        held.clear()
        yield text, 0


def _without_code(text: str) -> str:
    """The text with each code span as a single backtick.

    A run of backticks is closed by the next run of its own length, or is literal.
    """
    runs = list(re.finditer("`+", text))
    next_of_length: dict[int, int] = {}
    closers: list[int | None] = [None] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = len(runs[index][0])
        closers[index] = next_of_length.get(length)
        next_of_length[length] = index
    pieces, start, index = [], 0, 0
    while index < len(runs):
        closer = closers[index]
        if closer is not None:
            pieces.append(text[start : runs[index].start()])
            start, index = runs[closer].end(), closer
        index += 1
    return "`".join([*pieces, text[start:]])


def _heading_text(text: str) -> str:
    """A heading without its marks: emphasis, code, links, a trailing run of '#'."""
    text = re.sub(r"(?:^|(?<=[ \t]))#+$", "", text[: 10 * MAX_TITLE].lstrip("#").strip())
    text = re.sub(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]", r"\1", text)
    text = re.sub(r"!?\[([^\[\]]*)\]\([^()]*\)", r"\1", text)
    return re.sub(r"\*+(?=\S)|(?<=\S)\*+|`+|\s?\{#[^{}]*\}$", "", text)


def _short(title: str) -> str:
    title = " ".join(title.split())
    return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1].rstrip() + "…"


def _target(kind: str, link: str, folder: str) -> str:
    """What a link points to, empty unless it may be a note."""
    if kind == "wiki":
        target = re.split(r"[#|^]", link, maxsplit=1)[0].rstrip("\\").strip()
        return "" if _ATTACHMENT.search(target) else target
    target = unquote(re.split(r"[#?]", link, maxsplit=1)[0])
    if not target or "\0" in target or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", target):
        return ""
    target = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
    outside = posixpath.normpath(target).startswith("..")
    is_note = target.lower().endswith(NOTE_SUFFIXES) or not posixpath.splitext(target)[1]
    return posixpath.normpath(target) if is_note and not outside and not target.endswith("/") else ""


def _distinct(values: Iterable[str], *, fold: bool = False) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for value in values:
        seen.setdefault(value.casefold() if fold else value, value)
    return tuple(seen.values())
