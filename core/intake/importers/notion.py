"""Notion exports in Markdown or HTML. Ids are removed from names, links are updated, and databases become tables."""

import csv
import io
import posixpath
import re
from collections.abc import Collection, Iterable
from itertools import dropwhile
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

from core.base.errors import SourceError
from core.base.frozen import TextValues
from core.base.text import collapse_spaces
from core.intake.importers import (
    EXPORT,
    Fields,
    FolderImporter,
    Imported,
    ImportedNotes,
    Taken,
    add_front_matter,
    file_name,
    files,
    markup,
    read_text,
    tags_of,
    unique,
)
from core.markdown.frontmatter import moment
from core.markdown.writing import table
from core.model import Failed, day_of

_ID = re.compile(r" ?\b([0-9a-f]{32})(?=(?:_all)?(?:\.\w{1,8})?$)")
_MONTHS = {name: n for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_MOST_ROWS = 5_000
_SUFFIXES = (".md", ".csv", ".html")
_TIMES = {"created": "created", "created time": "created", "updated": "updated", "last edited time": "updated"}


class Notion(FolderImporter):
    """Reads an export. Its notes get new names without Notion's ids."""

    name = "Notion"

    @property
    def knows(self) -> bool:
        """Whether the names of at least half of the pages and tables contain a Notion id."""
        names = [path for path in files(self._folder) if path.lower().endswith(_SUFFIXES)]
        return 0 < len(names) <= 2 * sum(bool(_ID.search(PurePosixPath(path).name)) for path in names)

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        there = [path for path in files(self._folder) if path.lower().endswith(_SUFFIXES) and path != "index.html"]
        whole = {path for path in there if path.endswith("_all.csv")}
        found = [path for path in there if path.replace(".csv", "_all.csv") not in whole]
        tables = {_stem(path): path for path in found if path.lower().endswith(".csv")}
        found = [path for path in found if path.lower().endswith(".csv") or _stem(path) not in tables]
        taken: Taken = {}
        places = {}
        for path in found:
            parts = [
                file_name(_without_id(part)) for part in dropwhile(EXPORT.fullmatch, PurePosixPath(path).parts[:-1])
            ]
            name = _without_id(PurePosixPath(path).name.removesuffix("_all.csv"))
            name = name if path.endswith("_all.csv") else PurePosixPath(name).stem
            places[path] = unique("/".join([*parts, f"{file_name(name)}.md"]), taken)
        databases = {places[path].removesuffix(".md") for path in tables.values()}
        pages = {place.casefold() for place in places.values()}
        places |= {path: places[tables[_stem(path)]] for path in there if _stem(path) in tables}
        ids = {match[1]: places[path] for path in found if (match := _ID.search(PurePosixPath(path).name))}
        for path in found:
            try:
                text = read_text(self._folder, path)
                place = places[path]
                fields = Fields()
                suffix = PurePosixPath(path).suffix.lower()
                if suffix == ".csv":
                    yield Imported(place, _table(text, place, pages))
                    continue
                if suffix == ".html":
                    text, properties = markup.page(text)
                    fields = _fields(properties)
                    text = f"{text}\n"
                elif posixpath.dirname(place) in databases:
                    fields, text = _row(text)
                yield Imported(place, _page(fields, text, path, places, ids))
            except SourceError as error:
                yield Failed(path, error.reason)


def _stem(path: str) -> str:
    """Return the path of a page or table without its suffix. All files for the same database have the same stem."""
    return path[: path.rindex(".")].removesuffix("_all")


def _without_id(name: str) -> str:
    return _ID.sub("", name).strip() or name


def _page(fields: Fields, body: str, path: str, places: TextValues, ids: TextValues) -> str:
    """Return a page with updated links and with its properties as front matter."""
    here = posixpath.dirname(places[path])

    def link(match: re.Match[str]) -> str:
        address = match[1]
        if site := re.match(r"https://(?:www\.)?notion\.(?:so|site)/(?:[^\s()#?]*[-/])?([0-9a-f]{32})", address):
            place = ids.get(site[1])
        else:
            place = places.get(
                posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(address.partition("#")[0])))
            )
        return f"]({quote(posixpath.relpath(place, here or '.'))})" if place else match[0]

    return add_front_matter(fields, re.sub(r"\]\(((?:[^()\s]|\([^()\s]*\))+)\)", link, body))


def _row(text: str) -> tuple[Fields, str]:
    """Return the properties below a page's title, and the text without those properties."""
    head, _, rest = text.partition("\n\n")
    lines, _, body = rest.partition("\n\n")
    rows = [re.fullmatch(r"([^\s:#>|*`\[-][^:\n]{0,60}): ?(.*)", line) for line in lines.rstrip("\n").split("\n")]
    if not head.startswith("# ") or not all(rows):
        return {}, text
    return _fields((row[1].strip(), row[2].strip()) for row in rows if row), f"{head}\n\n{body}"


def _fields(properties: Iterable[tuple[str, str]]) -> Fields:
    fields: Fields = {}
    for name, value in ((name, re.sub(r"!?\[([^\[\]]*)\]\([^()]*\)", r"\1", value)) for name, value in properties):
        if name.casefold() in ("tags", "tag"):
            fields["tags"] = tags_of(value.split(","))
            continue
        at = None
        if name.casefold() in _TIMES:
            day = value.removeprefix("@")
            if (worded := re.match(r"([A-Z][a-z]{2,8}) (\d{1,2}), (\d{4})", day)) and (
                month := _MONTHS.get(worded[1][:3].lower())
            ):
                day = f"{worded[3]}-{month:02}-{int(worded[2]):02}"
            at = moment(day)
        if at:
            fields[_TIMES[name.casefold()]] = day_of(at)
        else:
            fields[name] = {"Yes": True, "No": False, "[x]": True, "[ ]": False}.get(value, value)
    return fields


def _table(text: str, place: str, pages: set[str]) -> str:
    """Return a database as a table in which row names link to the rows' pages."""
    title = PurePosixPath(place).stem
    try:
        rows = [row for row in csv.reader(io.StringIO(text), strict=False) if any(row)]
    except csv.Error as error:
        raise SourceError(
            place, "A cell in this table is too long to be read. Shorten it in Notion, then export it again."
        ) from error
    if not rows:
        return f"# {title}\n"
    width = len(rows[0])
    written = rows[:1]
    for row in rows[1 : _MOST_ROWS + 1]:
        cells = [*row[:width], *[""] * (width - len(row))]
        page = f"{place.removesuffix('.md')}/{file_name(cells[0])}.md"
        if page.casefold() in pages:
            cells[0] = f"[{cells[0]}]({quote(f'{title}/{file_name(cells[0])}.md')})"
        written.append(cells)
    more = f"\n\n… {len(rows) - 1 - _MOST_ROWS}" if len(rows) - 1 > _MOST_ROWS else ""
    text = table([[collapse_spaces(cell) for cell in row] for row in written])
    return f"# {title}\n\n{text}{more}\n"
