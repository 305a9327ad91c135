"""Converts Evernote notes (ENML, a kind of HTML) and HTML pages from Notion and Joplin to Markdown."""

import re
from html.parser import HTMLParser

from core.base.errors import SourceError
from core.base.frozen import TextMap
from core.markdown.writing import table

_MOST_CELLS = 100_000
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BREAKING = {*"div p en-note blockquote section article table ul ol pre figure".split(), *_HEADINGS}
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "s": "~~", "strike": "~~", "del": "~~", "code": "`"}
_MARKS["annotation"] = "$"  # a formula's TeX source
_EMPTY = frozenset("br hr img en-todo en-media col input meta link".split())
_SILENT = {"script", "style", "head", "title", "en-crypt", "svg", "mrow"}
_SILENT_CLASSES = {"icon", "page-header-icon", "bookmark-icon", "bookmark-image", "katex-html"}
_CHECKED = "[x] "
_UNCHECKED = "[ ] "


def markdown(content: str, files: TextMap, tasks: TextMap) -> tuple[str, int, set[str]]:
    """Convert an Evernote note. Return its text, the number of encrypted passages, and the ids of the task groups.

    `files` maps the fingerprints of the note's resources to their names. `tasks` maps the ids of its task groups to
    their text. Raises SourceError.
    """
    if "<!ENTITY" in content:
        raise SourceError(
            "", "This note declares XML entities, which an Evernote note doesn't need. It was not imported."
        )
    writer = _MarkdownWriter(files, tasks)
    return writer.convert(content), writer.encrypted, writer.placed


def page(content: str) -> tuple[str, list[tuple[str, str]]]:
    """Convert an HTML page. Return its text, with unchanged links, and its Notion properties. Raises SourceError."""
    writer = _MarkdownWriter({}, {}, relative=True)
    return writer.convert(content), [(row[0].strip(), row[1].strip()) for row in writer.properties if len(row) == 2]


class _MarkdownWriter(HTMLParser):
    """Writes Markdown while parsing HTML. Outside code, runs of white space are collapsed into one space.

    With `relative`, pictures and links to files next to the page are included. The rows of Notion's properties table go
    into `properties`, not into the text.
    """

    def __init__(self, files: TextMap, tasks: TextMap, *, relative: bool = False) -> None:
        super().__init__(convert_charrefs=True)
        self.properties = list[list[str]]()
        self.encrypted = 0
        self.placed = set[str]()
        self._files = files
        self._tasks = tasks
        self._relative = relative
        self._out = list[str]()
        # Open elements: the tag, whether it is left out, and the tag to treat it as. A code block, for example, is a
        # `div`.
        self._open = list[tuple[str, bool, str]]()
        self._lists = list[int]()
        self._list_end = 0
        self._links = list[tuple[str, int]]()
        self._is_properties = False
        self._rows: list[list[str]] | None = None
        self._silent = self._cells = 0

    def convert(self, content: str) -> str:
        self.feed(content)
        self.close()
        self._end_table()
        return re.sub(r"\n{3,}", "\n\n", "".join(self._out)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {name: value or "" for name, value in attrs}
        classes = about.get("class", "").split()
        silent = tag in _SILENT or not _SILENT_CLASSES.isdisjoint(classes)
        role = "pre" if tag == "div" and re.search(r"-en-codeblock:\s*true", about.get("style", "")) else tag
        if tag == "en-crypt" and not self._silent:
            self._write(f"[… {about['hint']}]" if about.get("hint") else "[…]")
            self.encrypted += 1
        if tag not in _EMPTY:
            if len(self._open) >= 400:
                raise SourceError("", "This note is nested too deeply. Simplify it, then export it again.")
            self._open.append((tag, silent, role))
            self._silent += silent
        if silent or self._silent:
            return
        if tag in ("ul", "ol"):
            self._list(tag, about)
        if tag in ("td", "th"):
            self._cells += 1
            if self._cells > _MOST_CELLS:
                raise SourceError(
                    "",
                    "This note contains a table with more than {n} cells. Split the table, then export the note again.",
                    n=_MOST_CELLS,
                )
            if self._rows:
                self._rows[-1].append("")
        elif tag in _BREAKING and self._rows is None:
            if not self._in("li"):
                self._block(_HEADINGS.get(tag, ""))
            elif tag not in ("ul", "ol") and not re.fullmatch(r"- |\d+\. |\n", self._out[-1].lstrip(" ")):
                # Continue a list item whose first line is complete.
                self._out.append("\n" + "  " * len(self._lists))
        if "checkbox" in classes:
            self._write(_CHECKED if "checkbox-on" in classes else _UNCHECKED)
        elif "selected-value" in classes and self._rows and self._rows[-1] and self._rows[-1][-1].strip():
            self._write(", ")
        if tag in _MARKS and not self._in("pre"):
            self._write(_MARKS[tag])
        else:
            self._opened(role, about)

    def _opened(self, tag: str, about: TextMap) -> None:
        in_text = self._rows is None
        match tag:
            case "br":
                self._write("\n" if in_text else " ")
            case "hr":
                self._block("---")
            case "pre":
                self._block("```\n")
            case "li":
                number = self._lists[-1] if self._lists else 0
                if number:
                    self._lists[-1] += 1
                self._block("")
                self._write("  " * (len(self._lists) - 1) + (f"{number}. " if number else "- "))
            case "a":
                address = self._address(about.get("href", ""))
                self._write("[" if address else "")
                self._links.append((address, len(self._out)))
            case "en-todo":  # a list item at the start of a line
                begins = in_text and (not self._out or self._out[-1].endswith("\n"))
                self._write(("- " if begins else "") + (_CHECKED if about.get("checked") == "true" else _UNCHECKED))
            case "div":  # may mark the position of a task group
                group = re.match(r"(?s)(?=.*--en-task-group:\s*true).*--en-id:\s*([\w-]+)", about.get("style", ""))
                if in_text and group and group[1] in self._tasks and group[1] not in self.placed:
                    self._write(self._tasks[group[1]] + "\n")
                    self.placed.add(group[1])
            case "en-media":
                if name := self._files.get(about.get("hash", "")):
                    self._write(f"![[{name}]]" if about.get("type", "").startswith("image/") else f"[[{name}]]")
            case "img":
                words = re.sub(r"[\[\]\s]+", " ", about.get("alt", "")).strip()
                address = self._address(about.get("src", "")) if self._relative else ""
                self._write(f"![{words}]({address})" if address else words)
            case "table":
                if in_text:
                    self._rows = []
                    self._is_properties = "properties" in about.get("class", "").split()
            case "tr":
                if self._rows is not None:
                    self._rows.append([])

    def handle_endtag(self, tag: str) -> None:
        if not any(tag == name for name, _, _ in self._open):
            return
        while self._open:
            closed, silent, role = self._open.pop()
            if not self._silent:
                self._closed(role)
            self._silent -= silent
            if closed == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        self._write(data.replace("\xa0", " ") if self._in("pre") else re.sub(r"[ \t\r\n]+", " ", data))

    def _closed(self, tag: str) -> None:
        match tag:
            case "ul" | "ol" if self._lists:
                self._lists.pop()
                self._write("" if self._lists else "\n\n")
                self._list_end = len(self._out)
            case "a" if self._links:
                address, start = self._links.pop()
                if address and self._rows is None and "".join(self._out[start:]).endswith(f"]({address})"):
                    self._out[start - 1] = ""  # drop the link from a picture that links to itself
                elif address:
                    self._write(f"]({address})")
            case "pre":
                self._write(("" if "".join(self._out[-1:]).endswith("\n") else "\n") + "```\n\n")
            case "table" if not self._in("table"):
                self._end_table()
            case _ if tag in _MARKS and not self._in("pre"):
                self._write(_MARKS[tag])
            case _ if (tag == "summary" or tag in _BREAKING) and self._rows is None and not self._in("li"):
                self._write("\n" if tag in ("div", "en-note") else "\n\n")

    def _in(self, tag: str) -> bool:
        return any(tag == role for _, _, role in self._open)

    def _write(self, text: str) -> None:
        if self._rows is None:
            last = self._out[-1][-1] if self._out else "\n"
            if text and not (text == " " and last in "\n "):
                self._out.append(text)
        elif self._rows and self._rows[-1]:
            self._rows[-1][-1] += text.replace("\n", " ")

    def _block(self, text: str) -> None:
        """Start a new line or, if there is text, a new paragraph."""
        if self._rows is not None:
            return
        written = self._out[-1] if self._out else "\n"
        if written and not written.endswith("\n"):
            self._out.append("\n")
        if text:
            self._out.append("\n" + text)

    def _list(self, tag: str, about: TextMap) -> None:
        """Start a list, or continue one that has just ended."""
        if not self._lists and self._list_end and not "".join(self._out[self._list_end :]).strip("\n"):
            self._out[self._list_end - 1 :] = ["\n"]
        first = about.get("start", "")
        self._lists.append(0 if tag == "ul" else int(first) if re.fullmatch("[0-9]{1,6}", first) else 1)

    def _address(self, address: str) -> str:
        """Return an address escaped for Markdown, or "" if a note shouldn't link to that address."""
        if self._relative:
            address = address.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
        is_sound = re.match(r"(?i)(?:https?|mailto|evernote):[^\s<>()]*$", address) or (
            self._relative and re.match(r"(?![A-Za-z][A-Za-z0-9+.-]*:|[/#\\])[^\s<>()]+$", address)
        )
        return address if is_sound else ""

    def _end_table(self) -> None:
        rows = [row for row in self._rows or [] if row]
        self._rows = None
        if self._is_properties:
            self.properties = rows
            rows = []
            self._is_properties = False
        if not rows:
            return
        width = max(map(len, rows))
        self._block(table([[*map(str.strip, row), *[""] * (width - len(row))] for row in rows]) + "\n\n")
