"""A web page -> its main part: without menus, scripts and forms. Nothing that it links to is loaded."""

import email
import email.policy
import html
import re
from html.parser import HTMLParser

from core.documents.kinds import damaged
from core.encodings.decoding import decode_part

_LEFT_OUT = frozenset(
    "script style nav aside footer form noscript template svg iframe object button select dialog canvas".split()
)
_MAIN = ("main", "article")
_EMPTY = frozenset("area base br col embed hr img input link meta source track wbr".split())


def unwrapped(data: bytes, kind: str) -> str:
    """Return the page of a saved web archive (MHTML), or the page as it is."""
    if kind not in ("mhtml", "mht"):
        return data.decode("utf-8", "replace")
    for part in email.message_from_bytes(data, policy=email.policy.default).walk():
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            content = part.get_payload(decode=True)
            page = content if isinstance(content, bytes) else b""
            return decode_part(page, "html", part.get_content_charset() or "")
    raise damaged("")


def main_part(page: str) -> str:
    """Return a page with its head and, if there is just one, its `main` or its `article`; without menus and scripts."""
    cleaner = _Cleaner()
    cleaner.feed(page)
    cleaner.close()
    for tag in _MAIN:
        spans = cleaner.spans.get(tag, [])
        if len(spans) == 1:
            start, end = spans[0]
            return "".join(["<head>", *cleaner.head, "</head><body>", *cleaner.parts[start:end], "</body>"])
    return "".join(cleaner.parts)


class _Cleaner(HTMLParser):
    """Writes a page again without the elements that are left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.parts: list[str] = []
        self.head: list[str] = []
        self.spans: dict[str, list[tuple[int, int]]] = {}
        self._open: list[tuple[str, int]] = []
        self._skipping = 0
        self._in_head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _LEFT_OUT:
            self._skipping += 1
        self._in_head = self._in_head or tag in ("head", "title")
        if tag in _MAIN:
            self._open.append((tag, len(self.parts)))
        self._write(_start(tag, attrs))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _LEFT_OUT:
            self._write(_start(tag, attrs))
            if tag not in _EMPTY:
                self._write(f"</{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in _LEFT_OUT:
            self._skipping = max(0, self._skipping - 1)
            return
        self._write(f"</{tag}>")
        if tag == "head" or (tag == "title" and "<head>" not in self.parts):
            self._in_head = False
        if tag in _MAIN and self._open and self._open[-1][0] == tag:
            self.spans.setdefault(tag, []).append((self._open.pop()[1], len(self.parts)))

    def handle_data(self, data: str) -> None:
        self._write(data)

    def handle_entityref(self, name: str) -> None:
        self._write(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._write(f"&#{name};")

    def _write(self, text: str) -> None:
        if not self._skipping:
            self.parts.append(text)
            if self._in_head and text not in ("<head>", "</head>"):
                self.head.append(text)


def _start(tag: str, attributes: list[tuple[str, str | None]]) -> str:
    stated = "".join(
        f' {name}="{html.escape(value or "")}"' for name, value in attributes if re.match(r"[\w:-]+$", name)
    )
    return f"<{tag}{stated}>"
