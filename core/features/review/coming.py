"""Finds open tasks in notes, and lines that name one of the next days, such as `cancel by 30 November`."""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice, pairwise

from core.base.text import line_starts
from core.model import Chunk, NoteSummary, QuotedLine
from core.notes.daily import ordinal
from core.notes.texts import as_line
from core.store import Store

# Number of days to look ahead, including today, and of past days whose open tasks are overdue.
_DAYS = 8
_PAST = 7
_MOST_LINES = 8
_MOST_CHARACTERS = 120
# Number of recently changed notes in which to look for open tasks, and maximum number of tasks.
_NEWEST = 2000
_MOST_TASKS = 100
_MONTHS = "January February March April May June July August September October November December".split()
# Headings, which often name the day a diary entry was written, and tasks that are done.
_LEFT_OUT = re.compile(r"[\s>]*(?:#|(?:[-*+]|\d+[.)])\s+\[[xX-]\])")
_OPEN_TASK = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[ \][ \t]+\S")
_FENCE = re.compile(r"[ \t>]*(`{3,}(?!.*`)|~{3,})(.*)")


def find(store: Store, first: date) -> tuple[QuotedLine, ...]:
    """Return lines of active notes that name `first` or one of the seven days after it, in the order of the days.

    Open tasks that name none of them but one of the seven days before come first. A line is returned once. Of a note's
    other lines than tasks, only the first is returned for a day. Text files, such as logs, are left out.
    """
    days = [first + timedelta(number) for number in (*range(_DAYS), *range(-_PAST, 0))]
    chunks = store.chunks.by_rowid(store.words.any_phrase(form for day in days for form in _forms(day))).values()
    lines = [*_lines(store, chunks)]
    found = list[QuotedLine]()
    seen = set[object]()
    for day in days:
        named = _pattern(day)
        for line in lines:
            if (line.is_task or day >= first) and (match := named.search(line.text)):
                keys = {(line.note.id, line.text), (line.note.id, line.text if line.is_task else day)}
                if keys.isdisjoint(seen):
                    start = max(0, match.end() - _MOST_CHARACTERS + 40)
                    start = (start and line.text.find(" ", start, match.start()) + 1) or start
                    text = "…" * (start > 0) + as_line(line.text[start:], _MOST_CHARACTERS)
                    found.append(replace(line, text=text, day=day))
                seen |= keys
    return tuple(sorted(found, key=lambda line: line.day or first)[:_MOST_LINES])


def open_tasks(store: Store) -> tuple[QuotedLine, ...]:
    """Return the open tasks in active notes, those in the most recently changed notes first."""
    rowids = store.chunks.with_open_boxes(_NEWEST)
    chunks = store.chunks.by_rowid(rowids)
    lines = _lines(store, [chunks[rowid] for rowid in rowids if rowid in chunks])
    tasks = {
        (line.note.id, line.start): replace(line, text=as_line(line.text, _MOST_CHARACTERS))
        for line in islice((line for line in lines if line.is_task), _MOST_TASKS)
    }
    return tuple(tasks.values())


def _lines(store: Store, chunks: Collection[Chunk]) -> Iterator[QuotedLine]:
    """Yield the lines of active notes' chunks with Markdown marks, without headings, tasks that are done, and code."""
    cards = store.notes.cards_of({chunk.note_id for chunk in chunks})
    files = {base.id for base in store.bases.all() if base.plain}
    for chunk in chunks:
        note = cards.get(chunk.note_id)
        if note and note.status == "active" and not note.expired and note.base_id not in files:
            yield from _lines_of(note, chunk)


def _lines_of(note: NoteSummary, chunk: Chunk) -> Iterator[QuotedLine]:
    is_own = chunk.text and not chunk.edited and chunk.start < chunk.end
    fence = mark[1] if (mark := _FENCE.match(chunk.lead)) else ""
    for begin, end in pairwise([*line_starts(chunk.text), len(chunk.text)]):
        line = chunk.text[begin:end]
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not mark[2].strip():
            fence = ""
        elif not (fence or _LEFT_OUT.match(line)):
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
