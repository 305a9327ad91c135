"""Secrets in tables: rows of a name and its value, and columns whose head is a name."""

import re
from collections.abc import Iterator, Sequence

from core.features.learning.masks.names import HINTS, OTHER_NAMES, Grade, grade
from core.features.learning.masks.spans import Hints, SecretSpan
from core.features.learning.masks.values import is_secret

_SEPARATORS = (re.compile(r"(?<!\\)[|│┃]"), re.compile(r"\t"), re.compile(r"[ \t]{2,}"), re.compile(r"[,;]"))
"""What parts the cells of a row, the surest first; only the first three make rows of a name and its value."""
_HEAD = re.compile(rf"[ \t]*(?:{OTHER_NAMES})[ \t]*|[\w .-]{{1,40}}", re.IGNORECASE)
_RULE = re.compile(r"[\s|:+=│┃┼├┤─-]+")
_TITLES = frozenset(
    "role value user name email type description required default notes note status value values created"
    " host port id key date"
    " string int integer str bool boolean text varchar prod production dev staging test active yes no"
    " owner used rotated where"
    " purpose example meaning comment action result scope environment".split()
)
_OTHER = re.compile(OTHER_NAMES, re.IGNORECASE)
MOST_LINE = 4_000
"""Characters of a line that may be a row; a longer one is looked at as part of its event."""

_HINTS = Hints([HINTS])

Cells = Sequence[tuple[int, int]]


def tables(text: str) -> Iterator[SecretSpan]:
    """Yield the values in rows and columns of secrets."""
    at = 0
    columns: list[tuple[re.Pattern[str], int, list[int]]] = []
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if len(line) <= MOST_LINE and (columns or is_named(line)):
            following = lines[number + 1] if number + 1 < len(lines) else ""
            columns = [
                column for column in columns if _RULE.fullmatch(line) or len(_cells(line, column[0])) == column[1]
            ]
            for separator, _, places in columns:
                yield from _cell_secrets(
                    line,
                    at,
                    [_cells(line, separator)[place] for place in places if not _RULE.fullmatch(line)],
                    Grade.ANY,
                )
            if not columns and is_named(line):
                for separator in _SEPARATORS:
                    cells = _cells(line, separator)
                    heads = [_head(line[start:end]) for start, end in cells]
                    if len(cells) < 2 or not any(heads):
                        continue
                    below = _RULE.fullmatch(following) and following.strip()
                    if below or (
                        all(_HEAD.fullmatch(line[start:end]) for start, end in cells)
                        and len(_cells(following, separator)) == len(cells)
                    ):
                        secret = [place for place, head in enumerate(heads) if head is Grade.ANY]
                        if secret and (below or not _is_row(line, cells, heads)):
                            columns = [(separator, len(cells), secret)]
                            break
                    if separator is not _SEPARATORS[-1]:
                        yield from _row_secrets(line, at, cells, heads)
                        break
        at += len(line) + 1


def is_named(line: str) -> bool:
    """Return whether there may be the name of a secret in a line."""
    return bool(_HINTS.places(line.lower())) or (not line.isascii() and bool(_OTHER.search(line)))


def _cells(line: str, separator: re.Pattern[str]) -> Cells:
    """Return where the cells of a line are, without blanks and marks."""
    bounds = [-1, *(match.start() for match in separator.finditer(line)), len(line)]
    ends = [0, *(match.end() for match in separator.finditer(line))]
    cells = []
    for start, end in zip(ends, bounds[1:], strict=True):
        inner = line[start:end]
        left = len(inner) - len(inner.lstrip(" \t*`\"'_"))
        cells.append((start + left, start + left + len(inner[left:].rstrip(" \t*`\"'\r"))))
    return [cell for place, cell in enumerate(cells) if cell[0] < cell[1] or 0 < place < len(cells) - 1]


def _head(cell: str) -> Grade:
    if _OTHER.search(cell) and len(cell) < 12:
        return Grade.ANY
    known = grade(cell) if 0 < len(cell) <= 60 and re.fullmatch(r"[\w.-]+(?: [\w-]+){0,2}", cell) else Grade.NONE
    return known if known is not Grade.RANDOM else Grade.NONE


def _is_row(line: str, cells: Cells, heads: Sequence[Grade]) -> bool:
    """Return whether a line is a name and its value, not the heads of columns."""
    return any(re.search(r"\d", line[start:end]) for (start, end), head in zip(cells, heads, strict=True) if not head)


def _row_secrets(line: str, at: int, cells: Cells, heads: Sequence[Grade]) -> Iterator[SecretSpan]:
    """Yield the secrets after the name in a row."""
    first = next(place for place, head in enumerate(heads) if head)
    value = cells[first + 1 :]
    single = len(value) == 1 and heads[first] is Grade.ANY
    candidates = [cell for cell in value if line[cell[0] : cell[1]].lower() not in _TITLES]
    yield from _cell_secrets(line, at, candidates, Grade.ANY if single else Grade.NO_WORD)


def _cell_secrets(line: str, at: int, cells: Cells, sure: Grade) -> Iterator[SecretSpan]:
    for start, end in cells:
        if is_secret(line[start:end], sure, quoted=True):
            yield SecretSpan(at + start, at + end, "password")
