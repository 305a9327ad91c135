"""Finds lines in notes that name one of the next days, such as `cancel by 30 November`."""

import re
from datetime import date, timedelta

from core.model import DatedLine
from core.notes.texts import as_line
from core.store import Store

# Number of days to look ahead, including today.
_DAYS = 8
_MOST_LINES = 5
_MOST_CHARACTERS = 120
_MONTHS = "January February March April May June July August September October November December".split()
_ORDINALS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
# Headings, which often name the day a diary entry was written, and tasks that are done.
_LEFT_OUT = re.compile(r"\s*(?:#|[-*+]\s\[[^ ]\])")


def find(store: Store, first: date) -> tuple[DatedLine, ...]:
    """Return lines of active notes that name `first` or one of the seven days after it, in the order of the days."""
    found: dict[tuple[str, str], DatedLine] = {}
    for day in (first + timedelta(number) for number in range(_DAYS)):
        forms = _forms(day)
        chunks = store.chunks.by_rowid(set().union(*map(store.words.find_phrase, forms))).values()
        cards = store.notes.cards_of({chunk.note_id for chunk in chunks})
        # A day without a year may belong to any year, but one with another year doesn't count.
        alternatives = "|".join(map(re.escape, forms))
        year = rf"(?!,? (?!{day.year})\d{{4}})"
        named = re.compile(rf"(?i)(?<![\da-z年./-])(?<!年 )(?:{alternatives})(?![\da-z/-]){year}")
        for chunk in chunks:
            if (note := cards.get(chunk.note_id)) and note.status == "active":
                for line in filter(named.search, chunk.text.splitlines()):
                    if not _LEFT_OUT.match(line):
                        found.setdefault((note.id, line), DatedLine(day, note, as_line(line, _MOST_CHARACTERS)))
    return tuple(found.values())[:_MOST_LINES]


def _forms(day: date) -> list[str]:
    """Return the ways in which a day may be written in English and Chinese."""
    year, month, number = day.year, day.month, day.day
    names = dict.fromkeys((_MONTHS[month - 1], _MONTHS[month - 1][:3]))
    numbers = number, f"{number}{_ORDINALS.get(number, 'th')}"
    return [
        *(f"{year}{sign}{month:{width}}{sign}{number:{width}}" for sign in "-/." for width in ("", "02")),
        *(f"{year}{gap}年{gap}{month}{gap}月{gap}{number}{gap}日" for gap in ("", " ")),
        *(f"{month}{gap}月{gap}{number}{gap}{sign}" for gap in ("", " ") for sign in "日号"),
        *(f"{written} {name}" for name in names for written in numbers),
        *(f"{name} {written}" for name in names for written in numbers),
    ]
