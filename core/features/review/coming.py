"""Finds lines in notes that name one of the next days, such as `cancel by 30 November`."""

import re
from datetime import date, timedelta

from core.model import DatedLine
from core.notes.daily import ordinal
from core.notes.texts import as_line
from core.store import Store

# Number of days to look ahead, including today.
_DAYS = 8
_MOST_LINES = 5
_MOST_CHARACTERS = 120
_MONTHS = "January February March April May June July August September October November December".split()
# Headings, which often name the day a diary entry was written, and tasks that are done.
_LEFT_OUT = re.compile(r"[\s>]*(?:#|(?:[-*+]|\d+[.)])\s+\[[xX-]\])")


def find(store: Store, first: date) -> tuple[DatedLine, ...]:
    """Return lines of active notes that name `first` or one of the seven days after it, in the order of the days.

    Only the first such line of a note is returned for a day. Text files, such as logs, are left out.
    """
    days = [first + timedelta(number) for number in range(_DAYS)]
    chunks = store.chunks.by_rowid(store.words.any_phrase(form for day in days for form in _forms(day))).values()
    cards = store.notes.cards_of({chunk.note_id for chunk in chunks})
    files = {base.id for base in store.bases.all() if base.plain}
    found: dict[tuple[date, str], DatedLine] = {}
    for day in days:
        named = _pattern(day)
        for chunk in chunks:
            note = cards.get(chunk.note_id)
            if (
                note is None
                or note.status != "active"
                or note.expired
                or note.base_id in files
                or (day, note.id) in found
            ):
                continue
            for line in chunk.text.splitlines():
                if (match := named.search(line)) and not _LEFT_OUT.match(line):
                    start = max(0, match.end() - _MOST_CHARACTERS + 40)
                    start = (start and line.find(" ", start, match.start()) + 1) or start
                    text = "…" * (start > 0) + as_line(line[start:], _MOST_CHARACTERS)
                    found[day, note.id] = DatedLine(day, note, text)
                    break
    return tuple(found.values())[:_MOST_LINES]


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
