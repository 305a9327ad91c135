"""Extraction of the main part of a web page, without menus, scripts or controls. Linked files are never loaded."""

import email
import email.policy
import html
import re
from collections import Counter
from contextlib import suppress
from datetime import datetime
from html.parser import HTMLParser

from core.base.blobs import Span
from core.base.encodings.guessing import decode_part
from core.base.frozen import TextValues
from core.base.text import collapse_spaces
from core.documents.kinds import damaged

# Elements whose contents aren't part of the page's text.
_SILENT = frozenset("script style noscript template svg iframe object canvas button select dialog".split())


# CSS classes of menus in the main part of a MediaWiki page.
_CLASSES = frozenset(
    "noprint mw-portlet mw-editsection mw-jump-link vector-menu vector-dropdown interlanguage-link".split()
)
_MAIN = ("main", "article")
# Maximum nesting depth to write. Only the text of deeper elements is kept, because each level slows pandoc down.
_DEEPEST = 100
# Elements that often have no end tag. They don't count towards the depth.
_CLOSED_BY_OTHERS = frozenset("li p td th tr dd dt option optgroup thead tbody tfoot colgroup".split())
# Common names in page metadata, mapped to note fields.
_ABOUT = dict.fromkeys(
    ("article:published_time", "datePublished", "dcterms.created", "DC.date.issued", "date"), "created"
) | dict.fromkeys(("canonical", "og:url"), "source_url")
_EMPTY = frozenset("area base br col embed hr img input link meta source track wbr".split())


def unwrap_archive(data: bytes, kind: str) -> str:
    """Return the page in a web archive (MHTML), or the page itself if it isn't in an archive.

    Raises SourceError if the archive contains no page.
    """
    if kind not in ("mhtml", "mht"):
        return data.decode("utf-8", "replace")
    for part in email.message_from_bytes(data, policy=email.policy.default).walk():
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            content = part.get_payload(decode=True)
            return decode_part(content if isinstance(content, bytes) else b"", "html", part.get_content_charset() or "")
    raise damaged()


def main_part(page: str) -> tuple[str, int, TextValues]:
    """Return the main part of a page, the number of parts left out, and metadata (`created`, `source_url`, `tags`).

    The main part is the page's head and its only `main` or `article` element. If there is no such element, or if it is
    much shorter than the text around it, the main part is the whole page. Menus and scripts are always left out. Parts
    that contain no text aren't counted.
    """
    page, about = _read_keep(page)
    cleaner = _Cleaner(page)
    cleaner.about |= about
    for tag in _MAIN:
        spans = cleaner.spans.get(tag, [])
        if len(spans) == 1:
            start, end = spans[0]
            around = [_words(part, cleaner.head) for part in (cleaner.parts[:start], cleaner.parts[end:])]
            # A main part that is much shorter than the text around it is probably filled in by a script.
            if 0.1 * sum(map(len, around)) > len(_words(cleaner.parts[start:end], [])):
                continue
            text = "".join(["<head>", *cleaner.head, "</head><body>", *cleaner.parts[start:end], "</body>"])
            return text, cleaner.left_out + sum(map(bool, around)), cleaner.about
    return "".join(cleaner.parts), cleaner.left_out, cleaner.about


def clean_page(page: str) -> str:
    """Return a page without scripts, controls and menus. Unlike in `main_part`, everything else is kept."""
    return "".join(_Cleaner(page, whole=True).parts)


def _words(parts: list[str], head: list[str]) -> str:
    """Return the text of page parts, or "" if it only repeats the head."""
    text, title = ("".join(item for item in item if not item.startswith("<")).split() for item in (parts, head))
    return "" if text == title else "".join(text)


_KEEP_LABEL = re.compile(r'<span class="label-name">([^<>]*)</span>')


def _read_keep(page: str) -> tuple[str, TextValues]:
    """Return a Google Keep note as a page with checkboxes, and its labels and date. Return other pages unchanged."""
    if not re.search(r'<body>\s*<div class="note\b', page):
        return page, {}
    about = {"tags": ",".join(map(html.unescape, _KEEP_LABEL.findall(page)))}
    if heading := re.search(
        r'<div class="heading">(?:<div class="meta-icons">(?:[^<>]|<span\b[^<>]*></span>)*</div>)?([^<>]*)</div>', page
    ):
        words = collapse_spaces(html.unescape(heading[1]))
        for form in ("%b %d, %Y, %I:%M:%S %p", "%b %d, %Y, %H:%M:%S", "%d %b %Y, %H:%M:%S"):
            with suppress(ValueError):
                about["created"] = datetime.strptime(words, form).isoformat()  # noqa: DTZ007 the export names no zone
        if "created" in about:
            page = page.replace(heading[0], "", 1)
    page = re.sub(
        r'<span class="bullet">\s*(&#974[45];|[☐☑])\s*</span>\s*',
        lambda box: "☐ " if box[1] in ("&#9744;", "☐") else "☒ ",
        _KEEP_LABEL.sub("", page),
    )
    return re.sub(r'<div class="title">([^<>]*)</div>', r"<h1>\1</h1>", page), about


class _Cleaner(HTMLParser):
    """Rewrites a page without menus, scripts and controls. `left_out` counts those that contained text.

    Unclosed tags and comments become text, because searching for each end would be slow.
    """

    def __init__(self, page: str, *, whole: bool = False) -> None:
        super().__init__(convert_charrefs=False)
        self._whole = whole
        self.parts = list[str]()
        self.head = list[str]()
        self.spans: dict[str, list[Span]] = {}
        self.left_out = 0
        self.about: TextValues = {}
        # Open elements, with the number of parts before each.
        self._open = list[tuple[str, int]]()
        self._count = Counter[str]()
        self._depth = 0
        # Nesting depth of the element that is being left out, or 0 if there is none.
        self._skipped = 0
        self._says = False
        # Number of parts before the last list that was opened.
        self._list = 0
        if saved := re.match(
            r"[\s\S]*?<!--\s*(?:saved from url=\(\d+\)|Page saved with SingleFile\s+url:\s*)(https?://[^\s<>]+)",
            page[:2000],
        ):
            self.about["source_url"] = saved[1]
        for start, end in (("<!--", "-->"), ("<", ">")):
            closed, mark, rest = page.rpartition(end)
            page = closed + mark + rest.replace(start, "&lt;" + start[1:])
        self.feed(page)
        self.close()
        while last := next((tag for tag, _ in reversed(self._open) if tag not in _CLOSED_BY_OTHERS), ""):
            self.handle_endtag(last)  # each unclosed list would double pandoc's time

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {name: value or "" for name, value in attrs}
        if tag not in _EMPTY:
            self._open.append((tag, len(self.parts)))
            self._count[tag] += 1
            self._depth += tag not in _CLOSED_BY_OTHERS
            if not self._skipped and (
                tag in _SILENT
                or tag == "nav"
                # In the main part, an `aside` or `footer` is the author's text.
                or (tag in ("aside", "footer") and not (self._whole or any(self._count[main] for main in _MAIN)))
                or about.get("role") in ("navigation", "menu", "menubar", "toolbar", "search")
                or not _CLASSES.isdisjoint(about.get("class", "").split())
            ):
                self._skipped = len(self._open)
                self._says = False
        if tag in ("ul", "ol"):
            self._list = len(self.parts)
        if tag == "img" and not about.get("src"):
            attrs = [*attrs, ("src", about.get("data-src") or "-")]
        for name in ("property", "name", "itemprop", "rel"):
            field = _ABOUT.get(about.get(name, ""), "")
            text = about.get("content") or about.get("href") or about.get("datetime", "")
            if field == "created" or (field and re.match("https?://", text)):
                self.about.setdefault(field, text)
        stated = "".join(
            f' {name}="{html.escape(value or "")}"' for name, value in attrs if re.match(r"[\w:-]+$", name)
        )
        is_box = tag == "input" and about.get("type", "").lower() == "checkbox"
        if not is_box:
            self._write(f"<{tag}{stated}>" if self._depth <= _DEEPEST else " ")
        # Outside these elements, checkboxes only open menus.
        if (is_box or about.get("role") == "checkbox") and any(
            self._count[item] for item in ("li", "p", "td", "label", "dd")
        ):
            self._write("☒ " if "checked" in about or about.get("aria-checked") == "true" else "☐ ")

    def handle_endtag(self, tag: str) -> None:
        if not self._count[tag]:
            return
        while self._open:
            closed, start = self._open.pop()
            if closed == tag or closed not in _CLOSED_BY_OTHERS:  # pandoc closes any others itself
                self._write(f"</{closed}>" if self._depth <= _DEEPEST else " ")
            self._count[closed] -= 1
            self._depth -= closed not in _CLOSED_BY_OTHERS
            if closed in _MAIN and not self._skipped:
                self.spans.setdefault(closed, []).append((start, len(self.parts)))
            elif closed in ("ul", "ol"):
                self._drop_languages(start)
            if len(self._open) < self._skipped:
                self._skipped = 0
                self.left_out += self._says and closed not in _SILENT
            if closed == tag:
                return

    def handle_data(self, data: str) -> None:
        self._says = self._says or not data.isspace()
        self._write(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")

    def _drop_languages(self, start: int) -> None:
        """Leave out a list that links to the page in other languages, if it contains no nested lists."""
        if self._skipped or start != self._list:
            return
        text = "".join(self.parts[start:])
        items = text.count("<li")
        links = re.findall(r"<a [^>]*\bhreflang=[^>]*>[^<]*(?:<(?!/?[al][\s>i])[^>]*>[^<]*)*</a>", text)
        if items >= 10 and len(links) >= items:  # a shorter list may be the author's
            self.left_out += 1
            del self.parts[start:]

    def _write(self, text: str) -> None:
        if not self._skipped:
            self.parts.append(text)
            if (self._count["head"] or self._count["title"]) and text not in ("<head>", "</head>"):
                self.head.append(text)
