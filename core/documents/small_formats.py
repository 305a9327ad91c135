"""Conversion of feeds (RSS, Atom), outlines (OPML), subtitles (WebVTT, SubRip) and TextPacks to Markdown."""

import html
import io
import re
from collections.abc import Iterator
from itertools import groupby
from xml.etree.ElementTree import Element, ParseError, XMLParser, parse, tostring

from core.base.encodings.guessing import decode_part
from core.base.errors import SourceError
from core.base.text import collapse_spaces
from core.documents import Converted
from core.documents.kinds import KINDS, damaged, name_of, wrong_kind
from core.documents.office.package import Package, elements_named, local
from core.model import Omission

_DATES = ("pubDate", "published", "updated", "date")


class Feed:
    """Reads feeds and outlines without loading anything they link to."""

    kinds = "rss atom opml"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        if b"<!ENTITY" in data:
            raise SourceError("", "This file declares XML entities, which a feed doesn't need. It was not imported.")
        try:
            root = parse(io.BytesIO(data), XMLParser(encoding="utf-8")).getroot()  # text is recoded to UTF-8 first
        except ParseError as error:
            raise damaged() from error
        if local(root) == "opml":
            head = next(elements_named(root, "head"), root)
            lines = [line for element in root if local(element) == "body" for line in _outline(element)]
            return Converted("\n".join(lines) + "\n", _line(head, "title"), _line(head, "ownerName"))
        if local(root) not in ("rss", "feed", "RDF"):
            raise wrong_kind("", name_of(kind))
        from core.documents.pandoc import html_to_markdown

        channel = next((element for element in root if local(element) == "channel"), root)
        about = _line(channel, "description") or _line(channel, "subtitle")
        page = "".join(
            [f"<p>{html.escape(about)}</p>" if about else "", *map(_entry, elements_named(root, "item", "entry"))]
        )
        return Converted(html_to_markdown(page), _line(channel, "title"), _author(channel), _line(channel, *_DATES))


def _child(element: Element, *tags: str) -> Element | None:
    """Return the first child with one of the tags, or None if there is none. Earlier tags take precedence."""
    return next((child for tag in tags for child in element if local(child) == tag), None)


def _words(element: Element | None) -> str:
    return "" if element is None else collapse_spaces("".join(element.itertext()))


def _line(element: Element, *tags: str) -> str:
    return _words(_child(element, *tags))


def _author(element: Element) -> str:
    author = _child(element, "author", "creator")
    return _words(author) if author is None else _line(author, "name") or _words(author)


def _entry(entry: Element) -> str:
    """Return an entry as HTML, with the title as a link, the date, author and categories, and the text."""
    places = (
        link.get("href") or (link.text or "").strip()
        for link in entry
        if local(link) == "link" and link.get("rel", "alternate") == "alternate"
    )
    link = next((place for place in places if re.match(r"https?://", place)), "")
    named = _child(entry, "title")
    is_html = named is not None and named.get("type") == "html"
    title = html.escape(html.unescape(re.sub(r"<[^<>]*>", "", _words(named)) if is_html else _words(named)) or "…")
    categories = [element.get("term") or (element.text or "") for element in entry if local(element) == "category"]
    about = [_line(entry, *_DATES), _author(entry), *categories]
    details = html.escape(" · ".join(collapse_spaces(part) for part in about if part.strip()))
    head = f'<a href="{html.escape(link)}">{title}</a>' if link else title
    return f"<h2>{head}</h2><p>{details}</p>{_text(entry)}"


def _text(entry: Element) -> str:
    """Return an entry's text as HTML, leaving out any element whose text is repeated in another element."""
    written = {}
    for element in (
        element
        for tag in ("encoded", "content", "description", "summary")
        for element in entry
        if local(element) == tag
    ):
        text = tostring(element, "unicode", "html") if len(element) else "".join(element.itertext())
        text = html.escape(text) if element.get("type") == "text" else re.sub(r"(</?)\w+:(\w)", r"\1\2", text)
        written[collapse_spaces(re.sub(r"<[^<>]*>", " ", text)).rstrip("….[] ")] = text
    return "".join(
        f"<div>{text}</div>"
        for words, text in written.items()
        if not any(words in other for other in written if other != words)
    )


def _outline(parent: Element) -> Iterator[str]:
    """Yield an outline's items as list lines, indented up to a depth of 200."""
    waiting = [(element, 0) for element in reversed(parent)]
    while waiting:
        item, depth = waiting.pop()
        if local(item) != "outline":
            continue
        indent = "  " * min(depth, 200)
        place = item.get("htmlUrl") or item.get("url") or item.get("xmlUrl") or ""
        words = collapse_spaces(item.get("text") or item.get("title") or "") or place or "…"
        yield f"{indent}- " + (f"[{words}]({place})" if re.fullmatch(r"https?://[^\s()<>]+", place) else words)
        for line in (item.get("_note") or item.get("description") or "").splitlines():
            if line.strip():
                yield f"{indent}  {line.strip()}"
        waiting += [(element, depth + 1) for element in reversed(item)]


class Subtitles:
    """Reads subtitles. Automatic subtitles repeat each line in the next cue, so repeated lines are written once."""

    kinds = "vtt srt"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return subtitles as Markdown. Raises SourceError if there are none."""
        text = "\n".join(data.decode("utf-8", "replace").splitlines())
        lines = []
        for at, cue in re.findall(r"(?m)^[ \t]*((?:\d+:)?\d\d:\d\d)[.,]\d{1,3}[ \t]+-->.*\n((?:.++\n?)*+)", text):
            voiced = re.sub(r"<v(?:\.[^\s<>]*)?\s+([^<>]*)>", r"\1: ", cue)
            words = html.unescape(re.sub(r"<[^<>]*>|\{\\[^{}]*\}", "", voiced))
            lines += [(at, line.strip()) for line in words.split("\n") if line.strip()]
        once = (next(same) for _, same in groupby(lines, key=lambda pair: pair[1]))
        minutes = (list(minute) for _, minute in groupby(once, key=lambda pair: pair[0][:-3]))
        paragraphs = [f"**{minute[0][0]}** {' '.join(line for _, line in minute)}" for minute in minutes]
        if not paragraphs:
            raise SourceError("", "This file contains no readable text.")
        return Converted("\n\n".join(paragraphs) + "\n")


class TextPack:
    """Reads a TextPack's text, and counts its pictures and files."""

    kinds = "textpack"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        bundle = Package(data)
        texts = sorted(name for name in bundle.names if re.fullmatch(KINDS[kind].entry, name))
        if not texts:
            raise damaged()
        assets = sum("assets/" in name and not name.endswith("/") for name in bundle.names)
        return Converted(
            decode_part(bundle.read(texts[0]), "md"), left_out=(Omission("attachment", assets),) if assets else ()
        )
