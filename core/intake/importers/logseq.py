"""Importing Logseq graphs, with outlines, page and block properties, block references, and journals."""

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import date
from functools import cached_property
from pathlib import PurePosixPath
from urllib.parse import unquote

from core.base.errors import SourceError
from core.base.frozen import TextValues
from core.base.text import collapse_spaces, shorten
from core.intake.importers import Fields, FolderImporter, Imported, ImportedNotes, add_front_matter, files, read_text
from core.model import Failed

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_PROPERTY = re.compile(r"([\w\u0080-\uffff?./-]{1,80})::(?:[ \t]+(.*))?$")
_BLOCK = re.compile(r"([\t ]*)-(?:[ \t]+(.*)|$)")
_ID = re.compile(rf"[\t ]*(?:-[ \t]+)?id::[ \t]*({_UUID})[ \t]*$")
_TASK = re.compile(r"(TODO|DOING|NOW|LATER|WAITING|WAIT|IN-PROGRESS|DONE|CANCELED|CANCELLED)[ \t]+")
_REFERENCE = re.compile(
    rf"\[(?P<label>[^\[\]\n]{{0,300}})\]\(\(\((?P<labelled>{_UUID})\)\)\)"
    rf"|\{{\{{embed[ \t]+(?:\(\((?P<block>{_UUID})\)\)|\[\[(?P<page>[^\[\]\n]{{1,300}})\]\])[ \t]*\}}\}}"
    rf"|\(\((?P<plain>{_UUID})\)\)"
    r"|\#\[\[(?P<tag>[^\[\]\n]{1,300})\]\]"
)
# Properties that only Logseq itself uses.
_OWN = {"id", "collapsed", "created-at", "updated-at", "heading", "icon", "filters", "background-color"}
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


class Logseq(FolderImporter):
    """Reads a graph's pages and journals. Each file remains a note."""

    name = "Logseq"
    keeps_files = True

    @property
    def knows(self) -> bool:
        """Whether the folder, or its only subfolder, is a graph."""
        inner = [path for path in self._folder.glob("*/") if not path.name.startswith(".")][:2]
        tops = [self._folder, *(inner if len(inner) == 1 else [])]
        return any((top / "logseq/config.edn").is_file() for top in tops)

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield pages as Markdown, with properties as front matter and block references as links."""
        for path in paths or [path for path in files(self._folder) if path.endswith(".md")]:
            try:
                yield Imported(path, self._page(path, read_text(self._folder, path)))
            except SourceError as error:
                yield Failed(path, error.reason)

    def _page(self, path: str, text: str) -> str:
        lines = text.split("\n")
        properties, first = _properties(lines)
        fields: Fields = {"title": unquote(PurePosixPath(path).stem.replace("___", "/"))}
        if journal := re.search(r"(?i)(?:^|/)journals/(\d{4})[_-](\d{2})[_-](\d{2})\.md$", path):
            with suppress(ValueError):
                at = date(*map(int, journal.groups()))
                ending = "th" if 10 < at.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(at.day % 10, "th")
                # Links refer to the page by its date in Logseq's default format.
                fields |= {
                    "title": at.isoformat(),
                    "created": at.isoformat(),
                    "aliases": [f"{_MONTHS[at.month - 1]} {at.day}{ending}, {at.year}"],
                }
        for name, value in properties.items():
            fields |= _field(name, value)
        return add_front_matter(fields, "\n".join(self._lines(lines[first:])).strip("\n") + "\n")

    def _lines(self, lines: list[str]) -> Iterator[str]:
        """Yield the lines of blocks, moving a block's id to the end of the block's first line, as Obsidian expects."""
        fence = ""
        log = False
        written = []
        block = -1
        for line in lines:
            inside = line.lstrip("\t ")
            indent = line.removesuffix(inside).replace("\t", "  ")
            line = indent + inside
            begun = inside.removeprefix("- ").lstrip()
            if begun.startswith(("```", "~~~")):
                fence = "" if fence and begun.startswith(fence) else fence or begun[:3]
                written.append(line)
                block = len(written) - 1 if inside.startswith("- ") else block
                continue
            if fence:
                written.append(line)
                continue
            if inside in (":LOGBOOK:", ":END:"):
                log = inside == ":LOGBOOK:"
            if log or inside == ":END:":
                continue
            if is_block := _BLOCK.match(line):
                inside = is_block[2] or ""
            if named := _PROPERTY.match(inside):
                if named[1].lower() == "id" and block >= 0 and not is_block:
                    written[block] += f" ^{(named[2] or '').strip()}"
                if named[1].lower() in _OWN:
                    continue
                inside = f"{named[1]}: {named[2] or ''}".rstrip()
            if is_block:
                block = len(written)
                inside = _REFERENCE.sub(self._resolve_references, _task(inside))
                written.append(f"{is_block[1]}- {inside}".rstrip())
            else:
                written.append(indent + _REFERENCE.sub(self._resolve_references, inside))
        yield from written

    def _resolve_references(self, match: re.Match[str]) -> str:
        if match["tag"]:
            return f"[[{match['tag']}]]"
        if match["page"]:
            return f"![[{match['page']}]]"
        block = match["labelled"] or match["block"] or match["plain"]
        if block not in self._blocks:
            return match[0]
        page, text = self._blocks[block]
        if match["block"]:
            return f"![[{page}#^{block}]]"
        label = match["label"] or text
        return f"[[{page}#^{block}|{label}]]" if label else f"[[{page}#^{block}]]"

    @cached_property
    def _blocks(self) -> dict[str, tuple[str, str]]:
        """The page and first line of each block in the graph that has an id, keyed by id."""
        blocks = {}
        for path in files(self._folder):
            if not path.endswith(".md") or "logseq/bak/" in path:
                continue
            try:
                text = read_text(self._folder, path)
            except SourceError:
                continue
            last = ""
            for line in text.split("\n") if "id::" in text else ():
                if found := _ID.match(line):
                    # The block's first line, as link text.
                    label = collapse_spaces(re.sub(r"[\[\]|()`]", "", _TASK.sub("", last, count=1)))
                    blocks[found[1]] = path.removesuffix(".md"), shorten(label, 80)
                elif block := _BLOCK.match(line):
                    last = block[2] or ""
        return blocks


def _properties(lines: list[str]) -> tuple[TextValues, int]:
    """Return the properties in a page's first block, and the index of the first line below them."""
    values: TextValues = {}
    for number, line in enumerate(lines):
        if not (match := _PROPERTY.match(line.removeprefix("- ") if number == 0 else line.strip())):
            return values, number
        values[match[1].lower()] = (match[2] or "").strip()
    return values, len(lines)


def _field(name: str, value: str) -> Fields:
    """Return a page property as a front matter field."""
    if name in ("tags", "alias", "aliases"):
        parts = (re.sub(r"^#?\[\[|\]\]$|^#", "", part.strip()).strip() for part in re.split(r"[,，]", value))
        listed = list(filter(None, parts))
        return {"tags": [part.replace(" ", "-") for part in listed]} if name == "tags" else {"aliases": listed}
    if name in _OWN:
        return {}
    if value.lower() in ("true", "false"):
        return {name: value.lower() == "true"}
    if re.fullmatch(r"-?\d{1,15}", value):
        return {name: int(value)}
    return {name: value}


def _task(text: str) -> str:
    """Return a block's text with a checkbox in place of its task marker."""
    match = _TASK.match(text)
    return f"[{'x' if match[1] in ('DONE', 'CANCELED', 'CANCELLED') else ' '}] {text[match.end() :]}" if match else text
