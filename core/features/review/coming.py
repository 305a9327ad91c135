"""Find open tasks in notes, and sentences that name one of the coming days, such as `cancel by 30 November`."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from core.base.blobs import Span
from core.base.fences import open_fence
from core.base.text import line_starts, strip_span
from core.model import Filters, QuotedLine
from core.notes.daily import ordinal
from core.notes.texts import MOST_CHARACTERS, as_line
from core.retrieval.highlights import SENTENCE_END
from core.store import Store
from core.store.chunk_table import ChunkText

# Number of days to look ahead, including today, and of past days whose open tasks are overdue.
_DAYS = 8
_PAST = 7
_MOST_LINES = 20
# Maximum length of a paragraph or list item that is quoted as a whole, if it names only one day.
_SHORT = 120
# Minimum number of characters of a long sentence to quote after the day that it names.
_AFTER = 40
# Number of recently changed notes in which to look for open tasks, and maximum number of tasks.
_NEWEST = 10_000
_MOST_TASKS = 100
# Age at which a past day named in a task no longer counts as the task's due date.
_LONGEST_OVERDUE = timedelta(days=730)
_MONTHS = "January February March April May June July August September October November December".split()
_STEMS = [name[:3] for name in _MONTHS]
# Headings, which often name the day a diary entry was written, and tasks that are done.
_LEFT_OUT = re.compile(r"[\s>]*(?:#|(?:[-*+]|\d+[.)])\s+\[[xX-]\])")
_OPEN_TASK = re.compile(r"(?:\A|(?<=[\r\n]))[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[ \][ \t]+\S")
# A line that begins a heading, a list item, a table row or code, or is blank. Nothing goes on after some of them.
_BEGINS = re.compile(r"[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|[#|]|`{3}|~{3}|\s*\Z)")
_ENDS = re.compile(r"[ \t>]*(?:[#|]|\s*\Z)")
# Minimum length of a line that may have been broken because it was full.
_FULL = 60
# The verb "may" isn't a month.
_NAMES = "|".join(rf"{name[:3]}(?:{name[3:]}|\.)?" for name in _MONTHS).replace("May(?:|", "(?-i:M(?:ay|AY))(?:")
_DATE = re.compile(
    r"(?i)(?<![\da-z])(?:(?<![./-])(\d{4})[-/.](\d\d?)[-/.](\d\d?)(?!\d)"
    r"|(?:(\d{4}|\d\d) ?年 ?)?(\d\d?) ?月 ?(\d\d?) ?[日号]"
    rf"|(?:(\d\d?)(?:st|nd|rd|th)?\s+({_NAMES})|({_NAMES})\s+(\d\d?)(?:st|nd|rd|th)?)(?![\da-z]))"
    r"(?=(?:\.?\s{0,3}(?:,\s{0,3})?\(?(?:of )?((?:19|20)\d\d)(?!\d))?)"
)
# Number of characters before and after the beginning of a month's name, or of a year, in which a date is read.
_BEFORE = 12
_AFTERWARDS = 32

# Where a long sentence may be cut.
_PAUSE = re.compile(r"[\s，、；：]+")

# Days by month and number, for dates without a year.
Days = Mapping[tuple[int, int], date]
# A day that a text names, and the place of its date in the text.
Dated = tuple[date, int, int]


class _Quote(NamedTuple):
    """A part of a chunk to quote. `span` is its place in the chunk's text."""

    chunk: ChunkText
    span: Span
    text: str
    is_task: bool
    day: date | None = None


def find(store: Store, first: date) -> tuple[QuotedLine, ...]:
    """Return sentences of active notes that name `first` or one of the seven days after it, in the order of the days.

    Overdue tasks come first: open tasks that name one of the seven days before `first` and no later day. No sentence is
    returned twice. Of the sentences in a note that aren't tasks, only the first is returned for each day. Text files,
    such as logs, are left out.
    """
    days = {(day.month, day.day): day for day in (first + timedelta(number) for number in range(-_PAST, _DAYS))}
    rowids = store.words.any_phrase(form for day in days.values() for form in _forms(day))
    names = "|".join({_STEMS[month - 1] for month, _ in days})
    years = "|".join({str(day.year) for day in days.values()})
    near = re.compile(rf"月|(?:{years})[-/.]|{names}|{names.lower()}|{names.upper()}")
    # Sorted by note, so that a change in a note doesn't move its lines.
    chunks = sorted((chunk, dates) for chunk in _texts(store, rowids) if (dates := [*_dates(chunk.text, near, days)]))
    named = ((day, number, at, stop) for number, (_, dates) in enumerate(chunks) for day, at, stop in dates)
    found = list[_Quote]()
    seen = set[object]()
    for day, number, at, stop in sorted(named):
        if len(found) == _MOST_LINES:
            break
        if quote := _quote(*chunks[number], (day, at, stop), first):
            note_id = quote.chunk.note_id
            keys = {(note_id, quote.text), (note_id, quote.is_task and (quote.chunk.start + quote.span[0],), day)}
            if keys.isdisjoint(seen):
                found.append(quote)
                seen |= keys
    return tuple(_lines(store, found))


def open_tasks(store: Store, today: date) -> tuple[QuotedLine, ...]:
    """Return the open tasks in active notes in the order of the days that they name, so that overdue tasks come first.

    Tasks that name no day follow, those in the most recently changed notes first.
    """
    nearest = {(day.month, day.day): day for day in (today + timedelta(number) for number in range(-182, 184))}
    tasks = []
    for chunk in filter(_is_own, _texts(store, store.chunks.with_open_boxes(_NEWEST))):
        for match in _OPEN_TASK.finditer(chunk.text):
            start = match.start()
            if end := _paragraph(chunk, match.end() - 1)[1]:
                text = chunk.text[start:end]
                due = _due(text, nearest, today)
                tasks.append(_Quote(chunk, (start, end), as_line(text, MOST_CHARACTERS), True, due))
    tasks.sort(key=lambda task: task.day or date.max)
    lines = _lines(store, tasks[:_MOST_TASKS])
    return tuple({(line.note.id, line.start): line for line in lines}.values())


def _due(task: str, nearest: Days, today: date) -> date | None:
    """Return the first day from `today` on that a task names, or else the last one in the past two years, or None.

    `nearest` has the days around `today` by month and number, for dates without a year.
    """
    first = today - _LONGEST_OVERDUE
    days = [day for match in _DATE.finditer(task) if (day := _day(match, nearest)) and day >= first]
    return min((day for day in days if day >= today), default=max(days, default=None))


def _texts(store: Store, rowids: Iterable[int]) -> Iterator[ChunkText]:
    """Yield the texts of the given chunks, except those in text files and in notes that searches don't find."""
    names = tuple(base.name for base in store.bases.all() if not base.plain)
    return store.chunks.texts(rowids, Filters(names)) if names else iter(())


def _lines(store: Store, quotes: list[_Quote]) -> Iterator[QuotedLine]:
    cards = store.notes.cards_of({quote.chunk.note_id for quote in quotes})
    for chunk, span, text, is_task, day in quotes:
        start, end = (chunk.start + place if _is_own(chunk) else -1 for place in strip_span(chunk.text, *span))
        if card := cards.get(chunk.note_id):
            yield QuotedLine(card, text, chunk.number, start, end, is_task, day)


def _is_own(chunk: ChunkText) -> bool:
    """Return whether a chunk's text is part of its note's text. If the user edited the chunk, it isn't."""
    return bool(chunk.text) and not chunk.edited and chunk.start < chunk.end


def _dates(text: str, near: re.Pattern[str], days: Days) -> Iterator[Dated]:
    """Yield the days that a text names, with the places of their dates. `days` has the days by month and number.

    Dates are read only around what `near` matches, which saves most of the time. A date without a year may be in any
    year, unless another year follows.
    """
    for around in near.finditer(text):
        start = around.start()
        starts = range(max(0, start - _BEFORE), start + 1)
        matches = (_DATE.match(text, at, start + _AFTERWARDS) for at in starts)
        if match := next((match for match in matches if match and match.end() > start), None):
            day = _day(match, days)
            if day and days.get((day.month, day.day)) == day:
                yield day, *match.span()


def _day(match: re.Match[str], days: Days) -> date | None:
    """Return the day that a date in a text names, or None if there is no such day.

    If the date has no year, the day is looked up in `days` by its month and number.
    """
    name = match[8] or match[9]
    month = 1 + _STEMS.index(name[:3].title()) if name else int(match[2] or match[5])
    number = int(match[3] or match[6] or match[7] or match[10])
    year = match[1] or match[4] or match[11]
    with suppress(ValueError):
        return date(int(f"20{year}"[-4:]), month, number) if year else days.get((month, number))
    return None


def _quote(chunk: ChunkText, dates: Sequence[Dated], dated: Dated, first: date) -> _Quote | None:
    """Return the sentence around a date in a chunk, or None if it isn't to be listed on the day `first`.

    Code, headings and finished tasks aren't listed, and a past day only if an open task is overdue. A short paragraph
    is quoted as a whole if it names no other day. A sentence that is too long is cut.
    """
    day, at, stop = dated
    text = chunk.text
    begin, end = _paragraph(chunk, at)
    is_task = _is_own(chunk) and bool(_OPEN_TASK.match(text, begin))
    named = {other for other, start, _ in dates if begin <= start < end}
    if not end or (day < first and not (is_task and max(named) < first)):
        return None
    is_row = bool(_ENDS.match(text, begin, end))
    start = begin
    if len(named) > 1 or len(as_line(text[begin:end], MOST_CHARACTERS)) > _SHORT:
        ends = [] if is_row else [match.end() for match in SENTENCE_END.finditer(text, begin, end)]
        start = max([start, *(place for place in ends if place <= at)])
        end = min([end, *(place for place in ends if place >= stop)])
    shown = max(start, stop + _AFTER - MOST_CHARACTERS)
    if shown > start and (pause := _PAUSE.search(text, shown, at)):
        shown = pause.end()
    line = "…" * (shown > start) + as_line(text[shown:end], MOST_CHARACTERS)
    if is_row:
        line = " · ".join(filter(None, map(str.strip, line.split("|"))))
    return _Quote(chunk, (begin if is_task else start, end), line, is_task, day)


def _paragraph(chunk: ChunkText, at: int) -> Span:
    """Return the span of the paragraph, list item or table row around an offset in a chunk's text.

    Return (0, 0) if the offset is in a heading, in code, or in a task that is done.
    """
    text = chunk.text
    if _LEFT_OUT.match(text, text.rfind("\n", 0, at) + 1):  # saves finding the other lines
        return 0, 0
    starts = [*line_starts(text), len(text)]
    lines = [text[start:end] for start, end in pairwise(starts)]
    number = bisect_right(starts, at) - 1
    first = next((n for n in range(number, 0, -1) if not _goes_on(lines[n - 1], lines[n])), 0)
    last = next((n for n in range(number + 1, len(lines)) if not _goes_on(lines[n - 1], lines[n])), len(lines))
    if _LEFT_OUT.match(lines[first]) or open_fence(text[: starts[number + 1]], open_fence(chunk.lead)):
        return 0, 0
    return starts[first], starts[last]


def _goes_on(line: str, after: str) -> bool:
    """Return whether the sentence at the end of a line may continue on the next line."""
    if _ENDS.match(line) or _BEGINS.match(after) or line.rstrip("\r\n").endswith(("  ", "\\")):
        return False
    first, following = (text.lstrip(" \t>")[:1] for text in (line, after))
    is_full = len(line) >= _FULL and not (first.isdigit() and following.isdigit())
    return is_full or following.islower() or after[0] in " \t"


def _forms(day: date) -> list[str]:
    """Return the ways in which a day may be written in English and Chinese.

    If several ways find the same chunks, only one of them is returned. The order of the words, for example, makes no
    difference.
    """
    year, month, number = day.year, day.month, day.day
    name = _MONTHS[month - 1]
    return [
        *(f"{year}{sign}{month:{width}}{sign}{number:{width}}" for sign in "-." for width in ("", "02")),
        f"{year}年{month}月{number}日",
        *(f"{month}月{number}{sign}" for sign in "日号"),
        *(f"{written} {named}" for named in (name, f"{name[:3]}.") for written in (number, ordinal(number))),
    ]
