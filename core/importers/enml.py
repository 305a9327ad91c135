"""The text of a note of Evernote (ENML, a kind of HTML) -> Markdown."""

import re
from collections.abc import Callable, Mapping
from html.parser import HTMLParser

from core.errors import SourceError

_DEEPEST = 400
_MOST_CELLS = 100_000
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BREAKING = frozenset(
    ("div", "p", "en-note", "blockquote", "section", "article", "table", "ul", "ol", "pre", *_HEADINGS)
)
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "s": "~~", "strike": "~~", "del": "~~", "code": "`"}
_EMPTY = frozenset(("br", "hr", "img", "en-todo", "en-media", "col", "input", "meta", "link"))
_SILENT = frozenset(("script", "style", "head", "title"))


def markdown(content: str, files: Mapping[str, str]) -> str:
    """Return the text of a note; `files` are the names of its resources by their fingerprints. Raises SourceError."""
    if "<!ENTITY" in content:
        raise SourceError("", "declares entities, which a note of Evernote doesn't need: refused.")
    writer = _Writer(files)
    writer.feed(content)
    writer.close()
    return re.sub(r"\n{3,}", "\n\n", writer.text()).strip()


class _Writer(HTMLParser):
    """Writes Markdown as it reads; runs of white space are one blank, but in code."""

    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__(convert_charrefs=True)
        self._files = files
        self._out: list[str] = []
        self._open: list[str] = []
        self._lists: list[int] = []
        self._links: list[str] = []
        self._rows: list[list[str]] | None = None
        self._saved: list[str] = []
        self._silent = self._cells = 0
        self._starts: Mapping[str, Callable[[dict[str, str]], None]] = {
            "br": lambda _: self._write(" " if self._rows is not None else "\n"),
            "hr": lambda _: self._block("---"),
            "li": self._item,
            "a": lambda about: self._link(about.get("href", "")),
            "en-todo": lambda about: self._write("[x] " if about.get("checked") == "true" else "[ ] "),
            "en-media": self._media,
            "en-crypt": lambda _: self._write("[…]"),
            "img": lambda about: self._write(about.get("alt", "")),
            "table": lambda _: self._table(),
            "tr": lambda _: self._rows.append([]) if self._rows is not None else None,
            "pre": lambda _: self._block("```\n"),
        }

    def text(self) -> str:
        """Return what was written."""
        self._end_table()
        return "".join(self._out)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _EMPTY:
            if len(self._open) >= _DEEPEST:
                raise SourceError("", "is nested more deeply than any note.")
            self._open.append(tag)
        self._silent += tag in _SILENT or tag == "en-crypt"
        if tag in ("ul", "ol"):
            self._lists.append(1 if tag == "ol" else 0)
        if tag in ("td", "th"):
            self._cell()
        elif tag in _BREAKING and self._rows is None and not self._in("li"):
            self._block(_HEADINGS.get(tag, ""))
        if start := self._starts.get(tag):
            start({name: value or "" for name, value in attrs})
        elif tag in _MARKS and not self._in("pre"):
            self._write(_MARKS[tag])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self._open:
            return
        while self._open:
            closed = self._open.pop()
            self._closed(closed)
            if closed == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        self._write(data if self._in("pre") else re.sub(r"[ \t\r\n]+", " ", data))

    def _closed(self, tag: str) -> None:
        self._silent -= tag in _SILENT or tag == "en-crypt"
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self._write("" if self._lists else "\n\n")
        elif tag == "a" and self._links:
            address = self._links.pop()
            self._write(f"]({address})" if address else "")
        elif tag == "pre":
            self._write("\n```\n\n")
        elif tag in _MARKS and not self._in("pre"):
            self._write(_MARKS[tag])
        elif tag == "table" and "table" not in self._open:
            self._end_table()
        elif tag in _BREAKING and self._rows is None and not self._in("li"):
            self._write("\n" if tag in ("div", "en-note") else "\n\n")

    def _in(self, tag: str) -> bool:
        return tag in self._open

    def _write(self, text: str) -> None:
        if self._rows is None:
            last = self._out[-1][-1] if self._out else "\n"
            if text and not (text == " " and last in "\n "):
                self._out.append(text)
        elif self._rows and self._rows[-1]:
            self._rows[-1][-1] += text.replace("\n", " ")

    def _block(self, text: str) -> None:
        """Begin a line, and a paragraph for what isn't a mere line of a note."""
        if self._rows is not None:
            return
        written = self._out[-1] if self._out else "\n"
        if written and not written.endswith("\n"):
            self._out.append("\n")
        if text:
            self._out.append("\n" + text)

    def _item(self, _: dict[str, str]) -> None:
        number = self._lists[-1] if self._lists else 0
        if number:
            self._lists[-1] += 1
        self._block("")
        self._write("  " * (len(self._lists) - 1) + (f"{number}. " if number else "- "))

    def _link(self, address: str) -> None:
        sound = re.match(r"(?i)(?:https?|mailto|evernote):[^\s<>()]*$", address)
        self._links.append(address if sound else "")
        self._write("[" if sound else "")

    def _media(self, about: dict[str, str]) -> None:
        if name := self._files.get(about.get("hash", "")):
            self._write(f"![[{name}]]" if about.get("type", "").startswith("image/") else f"[[{name}]]")

    def _table(self) -> None:
        if self._rows is None:
            self._rows = []

    def _cell(self) -> None:
        self._cells += 1
        if self._cells > _MOST_CELLS:
            raise SourceError("", "holds a table of more than {n} cells.", n=_MOST_CELLS)
        if self._rows:
            self._rows[-1].append("")

    def _end_table(self) -> None:
        rows, self._rows = [row for row in self._rows or [] if row], None
        if not rows:
            return
        width = max(map(len, rows))
        lines = [
            "| " + " | ".join([*(cell.strip().replace("|", "\\|") for cell in row), *[""] * (width - len(row))]) + " |"
            for row in rows
        ]
        lines.insert(1, "|" + " --- |" * width)
        self._block("\n".join(lines) + "\n\n")
