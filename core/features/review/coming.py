"""Finds open tasks in notes, and lines that name one of the coming days, such as `cancel by 30 November`."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import islice, pairwise
from typing import NamedTuple

from core.base.fences import open_fence
from core.base.text import line_starts
from core.model import Chunk, NoteSummary, QuotedLine
from core.notes.daily import ordinal
from core.notes.texts import MOST_CHARACTERS, as_line
from core.retrieval.highlights import SENTENCE_END
from core.store import Store
from core.store.chunk_table import ChunkText

# Number of days to look ahead, including today, and of past days whose open tasks are overdue.
_DAYS = 8
_PAST = 7
_MOST_LINES = 8
# Maximum length of a paragraph or list item that is quoted as a whole, if it names only one day.
_SHORT = 120
# Minimum number of characters of a long sentence to quote after the day that it names.
_AFTER = 40
# Number of recently changed notes in which to look for open tasks, and maximum number of tasks.
_NEWEST = 10_000
_MOST_TASKS = 100
_MONTHS = "January February March April May June July August September October November December".split()
_STEMS = [name[:3] for name in _MONTHS]
# Headings, which often name the day a diary entry was written, and tasks that are done.
_LEFT_OUT = re.compile(r"[\s>]*(?:#|(?:[-*+]|\d+[.)])\s+\[[xX-]\])")
_OPEN_TASK = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[ \][ \t]+\S")


def find(store: Store, first: date) -> tuple[QuotedLine, ...]:
    """Return sentences of active notes that name `first` or one of the seven days after it, in the order of the days.

    They are preceded by open tasks that name only one of the seven days before `first`. No line is returned twice. Of
    the lines in a note that aren't tasks, only the first is returned for each day. Text files, such as logs, are left
    out.
    """
    days = {(day.month, day.day): day for day in (first + timedelta(number) for number in range(-_PAST, _DAYS))}
    rowids = store.words.any_phrase(form for day in days.values() for form in _forms(day))
    names = {_STEMS[month - 1] for month, _ in days}
    years = {rf"{day.year}[-/.]" for day in days.values()}
    near = re.compile("|".join(("月", *years, *names, *map(str.lower, names), *map(str.upper, names))))
    chunks = [(chunk, dates) for chunk in _texts(store, rowids) if (dates := [*_dates(chunk.text, near, days)])]
    named = ((dated, number) for number, (_, dates) in enumerate(chunks) for dated in dates)
    found = list[_Quote]()
    seen = set[object]()
    for dated, number in sorted(named, key=lambda item: (item[0][0], item[1], item[0][1])):
        if len(found) == _MOST_LINES:
            break
        if quote := _quote(*chunks[number], dated, first):
            note_id = quote.chunk.note_id
            keys = {(note_id, quote.text), (note_id, quote.is_task and quote.chunk.start + quote.span[0], dated[0])}
            if keys.isdisjoint(seen):
                found.append(quote)
                seen |= keys
    return _lines(store, found)


def open_tasks(store: Store) -> tuple[QuotedLine, ...]:
    """Return the open tasks in active notes, those in the most recently changed notes first."""
    tasks = (
        _Quote(chunk, (match.start(), end), as_line(chunk.text[match.start() : end], MOST_CHARACTERS), True)
        for chunk in _texts(store, store.chunks.with_open_boxes(_NEWEST))
        for match in _OPEN_TASK.finditer(chunk.text)
        if _is_own(chunk) and (end := _paragraph(chunk, match.end())[1])
    )
    return tuple({(line.note.id, line.start): line for line in _lines(store, islice(tasks, _MOST_TASKS))}.values())


def _lines(store: Store, chunks: Collection[Chunk]) -> Iterator[QuotedLine]:
    """Yield the lines of active notes' chunks, including Markdown marks, but not headings, completed tasks or code."""
    cards = store.notes.cards_of({chunk.note_id for chunk in chunks})
    files = {base.id for base in store.bases.all() if base.plain}
    for chunk in chunks:
        note = cards.get(chunk.note_id)
        if note and note.status == "active" and not note.expired and note.base_id not in files:
            yield from _lines_of(note, chunk)


def _lines_of(note: NoteSummary, chunk: Chunk) -> Iterator[QuotedLine]:
    is_own = chunk.text and not chunk.edited and chunk.start < chunk.end
    fence = chunk.fence
    for begin, end in pairwise([*line_starts(chunk.text), len(chunk.text)]):
        line = chunk.text[begin:end]
        before, fence = fence, open_fence(line, fence)
        if not (before or fence or _LEFT_OUT.match(line)):
            start = chunk.start + begin
            span = (start, start + len(line.rstrip())) if is_own else (-1, -1)
            yield QuotedLine(note, line, chunk.index, *span, bool(is_own and _OPEN_TASK.match(line)))


def _pattern(day: date) -> re.Pattern[str]:
    """Return a pattern for a day. A day without a year may be in any year, unless another year is named."""
    forms = []
    for form in _forms(day):
        before = "(?<![./-])" if form[4:5] in set("-/.") else ""
        after = "" if form[-1] in "日号" else r"(?!\d)" if before else r"(?![\da-z])"
        # The verb "may" isn't a month.
        forms.append(before + re.escape(form).replace("May", "(?-i:M(?:ay|AY))") + after)
    other = rf"(?!\.?\s*,?\s*\(?(?:of )?(?!{day.year})\d{{4}})"
    return re.compile(rf"(?i)(?<![\da-z])(?<!\d年)(?<!\d年 )(?<!\d 年)(?<!\d 年 )(?:{'|'.join(forms)}){other}")


def _forms(day: date) -> list[str]:
    """Return the ways in which a day may be written in English and Chinese."""
    year, month, number = day.year, day.month, day.day
    name = _MONTHS[month - 1]
    names = dict.fromkeys((name, name[:3], f"{name[:3]}."))
    numbers = str(number), ordinal(number)
    return [
        *(f"{year}{sign}{month:{width}}{sign}{number:{width}}" for sign in "-/." for width in ("", "02")),
        *(f"{year}{gap}年{gap}{month}{gap}月{gap}{number}{gap}日" for gap in ("", " ")),
        *(f"{month}{gap}月{gap}{number}{gap}{sign}" for gap in ("", " ") for sign in "日号"),
        *(f"{written} {name}" for name in names for written in numbers),
        *(f"{name} {written}" for name in names for written in numbers),
    ]
