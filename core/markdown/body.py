"""Reads the title, tags and links from a note's body, and rewrites the targets of links."""

import posixpath
import re
from collections.abc import Callable, Iterable
from html import unescape
from urllib.parse import unquote

from core.base.frozen import Texts, TextValues, frozen
from core.base.text import collapse_spaces, compose, link_address, shorten
from core.markdown import outline, parser
from core.markdown.inline import (
    DESTINATION,
    PLACE,
    Link,
    extract_links,
    hide,
    link_to,
    prose,
    tag_key,
    tags_in,
)
from core.markdown.outline import Outline, plain_outline
from core.model import NOTE_SUFFIXES

MAX_TITLE = 200
# The start of an address on the web or in another program.
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
# An embedded picture, file or note, in Obsidian or Markdown syntax.
_EMBED = re.compile(
    rf"!\[\[(?P<wiki>[^\[\]\n]{{1,500}})\]\]|!\[[^\[\]\n]{{0,1000}}\](?:{DESTINATION}|\[(?P<label>[^\[\]\n]{{0,1000}})\])"
)
_ATTACHMENT = re.compile(
    r"(?i)\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|avif|pdf|mp[34]|m4a|wav|ogg|webm|mov|zip|html?|css|js|py|ipynb"
    r"|docx?|xlsx?|pptx?|csv|json|ya?ml)$",
)

_SOURCE = re.compile(r"""(?i)<(?:img|audio|video|source)\s[^<>]*?\bsrc\s*=\s*(["'])([^"'<>\n]+)\1""")


@frozen
class BodyMetadata:
    """A body's title, tags, links and outline.

    The title is the first heading of level 1 outside quotes and lists, or "" if there is none.
    """

    title: str
    tags: Texts
    links: tuple[Link, ...]
    outline: Outline

    def targets(self, path: str) -> Texts:
        """Return the distinct targets of links that may lead to notes. `path` is the path of the linking note."""
        folder = posixpath.dirname(path)
        return tuple(dict.fromkeys(filter(None, (target_of(link, folder) for link in self.links))))


def look_into(body: str, path: str, *, plain: bool = False) -> BodyMetadata:
    """Read the metadata in the body of the note at `path`. Raises SourceError if the body is too large to parse.

    `plain` text has no title, tags or links.
    """
    if plain:
        return BodyMetadata("", (), (), plain_outline(body))
    parsed = parser.parse(body, path)
    outlined = outline.build_outline(parsed)
    tags = list[str]()
    links = []
    for text, is_heading in prose(parsed):
        # Skip text that contains no start of a tag, link, or file embedded with HTML.
        if not re.search(r"(?i)[#\[]|<(?:img|audio|video|source)\b", text):
            continue
        # Data URLs, as in pasted pictures, are dropped.
        inline = hide(re.sub(r"\(data:[^\x00-\x20()]*+\)", "", text))
        links += [Link(unescape(source[2])) for literal in inline.literals if (source := _SOURCE.match(literal.raw))]
        inline, more = extract_links(inline)
        links += more
        if not is_heading:  # tags in headings don't count
            tags += tags_in(inline)
    links += [
        Link(token.meta["url"])
        for token in parsed.tokens
        if token.type == "definition" and not parsed.is_footnote(token)
    ]
    titles = (short_title(heading.title) for heading in outlined.headings if heading.level == 1 and not heading.nested)
    return BodyMetadata(next(filter(None, titles), ""), distinct_tags(tags), tuple(links), outlined)


def distinct_tags(tags: Iterable[str]) -> Texts:
    """Return the tags without duplicates, ignoring case, width, and traditional versus simplified characters."""
    first: TextValues = {}
    for tag in tags:
        first.setdefault(tag_key(tag), tag)
    return tuple(first.values())


def named_in(body: str, path: str) -> Texts:
    """Return the distinct notes and files that a body links to, as written in the body. Web addresses are left out.

    Raises SourceError if the body is too large to parse.
    """
    named = (file_of(link) for link in look_into(body, path).links if not _ADDRESS.match(link.target))
    return tuple(dict.fromkeys(filter(None, named)))


def attachments_in(body: str, path: str) -> Texts:
    """Return the distinct attachments that a body links to, as written in the body.

    Raises SourceError if the body is too large to parse.
    """
    return tuple(filter(_ATTACHMENT.search, named_in(body, path)))


def pictures_in(body: str, path: str) -> dict[str, int]:
    """Return the pictures embedded in a body, each mapped to the offset after its first embed.

    Raises SourceError if the body is too large to parse.
    """
    return {
        name: place
        for name, place in shown_in(body, path).items()
        if re.search(r"(?i)\.(?:png|jpe?g|webp|gif|bmp|tiff?)$", name)
    }


def shown_in(body: str, path: str) -> dict[str, int]:
    """Return the pictures, files and notes embedded in a body, each mapped to the offset after its first embed.

    Raises SourceError if the body is too large to parse.
    """
    if "![" not in body or not (named := {*named_in(body, path)}):
        return {}
    labels = {
        label.casefold(): target
        for label, target in re.findall(r"(?m)^ {0,3}\[([^\[\]\n]{1,1000})\]: *(<[^<>\n]*>|\S+)", body)
    }
    places: dict[str, int] = {}
    for match in _EMBED.finditer(body):
        address = match["address"] or labels.get((match["label"] or "").strip().casefold(), "")
        wiki = match["wiki"]
        name = file_of(Link(wiki.partition("|")[0], wiki=True) if wiki else link_to(address))
        if name in named:
            places.setdefault(name, match.end())
    return places


def short_title(title: str) -> str:
    """Return a title as a single line of at most MAX_TITLE characters."""
    return shorten(collapse_spaces(compose(title)), MAX_TITLE)


def file_of(link: Link) -> str:
    """Return the path in a link, without the fragment, query or label after it."""
    if link.wiki:
        return re.split(r"[#|^]", link.target, maxsplit=1)[0].rstrip("\\").strip()
    return unquote(re.split(r"[#?]", link.target, maxsplit=1)[0])


def target_of(link: Link, folder: str) -> str:
    """Return the target of a link in a note in `folder`, or "" if the target can't be a note."""
    target = file_of(link)
    if link.wiki:
        return "" if _ATTACHMENT.search(target) else target
    if not target or "\0" in target or _ADDRESS.match(link.target) or _ADDRESS.match(target):
        return ""
    path = posixpath.normpath(target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target))
    may_be_note = path.lower().endswith((*NOTE_SUFFIXES, ".canvas", ".base")) or not posixpath.splitext(path)[1]
    return path if may_be_note and not path.startswith("..") and not target.endswith("/") else ""


# A function that returns a link's new target as a path, or None to keep the old target.
NewTarget = Callable[[Link], str | None]


def relink(body: str, path: str, new_target: NewTarget) -> str:
    """Return a body with new targets for some of its links. `path` is the note's new path.

    Raises SourceError if the body is too large to parse.
    """
    parsed = parser.parse(body, path)
    folder = posixpath.dirname(path)
    pieces = []
    at = 0
    for token in parsed.tokens:
        if token.type not in ("paragraph_open", "heading_open", "table_open", "definition") or not token.map:
            continue
        start, end = parsed.span(token)
        block = body[start:end]
        if start >= at and "[" in block and "\0" not in block:
            defines = token.type == "definition" and not parsed.is_footnote(token)
            pieces += [body[at:start], _relinked(block, folder, new_target, defines=defines)]
            at = end
    return "".join([*pieces, body[at:]])


def _relinked(text: str, folder: str, new_target: NewTarget, *, defines: bool) -> str:
    inline = hide(text)

    def readdress(match: re.Match[str]) -> str:
        """Rewrite an address if the link gets a new target."""
        written = match["address"]
        angled = written[:1] == "<" and written[-1:] == ">"
        link = link_to(inline.unescaped(written))
        new = new_target(link)
        if new is None:
            return match[0]
        before, place = re.match(r"(?s)([^#?]*)(.*)", link.target).groups()  # type: ignore[union-attr]
        new = f"/{new}" if before.startswith("/") else posixpath.relpath(new, folder or ".")
        if new.lower().endswith(NOTE_SUFFIXES) and not before.lower().endswith(NOTE_SUFFIXES):
            new = posixpath.splitext(new)[0]
        new = link_address(new, plain=" ()" if angled else "") + place
        start, end = (offset - match.start() for offset in match.span("address"))
        return f"{match[0][:start]}{f'<{new}>' if angled else new}{match[0][end:]}"

    def retarget(match: re.Match[str]) -> str:
        literal = inline.literals[int(match[1])]
        link = Link(literal.target or "", wiki=True)
        new = new_target(link) if literal.target else None
        mark, opened, rest = literal.raw.partition("[[")
        return literal.raw if new is None else f"{mark}{opened}{rest.replace(file_of(link), new, 1)}"

    pattern = r"(?<=\]:)\s*(?P<address><[^<>\n]*>|\S+)" if defines else rf"(?<=\]){DESTINATION}"
    return PLACE.sub(retarget, re.sub(pattern, readdress, inline.text))
