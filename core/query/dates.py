"""Parse dates and time spans typed by the user into local days.

Weeks begin on Monday. "A month ago" is the same day of the previous month, or the last day if that month
is shorter. In running text, a time counts only at its `Place`:

- A counted span (`last 30 days`, `past two weeks`, `since 2026-01-31`, `最近一个月`, `近三天`, `过去半年`)
  counts anywhere.
- A named week or month, or `last year` (`last week`, `past month`, `this week`, `上周`, `本月`) counts at the
  beginning or the end of the question, and anywhere before 的 or 's.
- Any other named day or year (`today`, `this year`, `昨天`, `去年`) counts only at the beginning and before 的 or 's.
"""

import calendar
import re
import unicodedata
from contextlib import suppress
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

from core.base.errors import QueryError
from core.base.frozen import frozen
from core.base.messages import message

# The position in a question at which a named time counts as a filter.
Place = Literal["anywhere", "edges", "beginning"]

YEARS = range(1900, 3000)

# Maps range signs as users may type them to the signs that the parser reads.
SIGNS = str.maketrans({"≥": ">=", "≤": "<=", "⩾": ">=", "⩽": "<=", "…": "..", "−": "-", "～": "..", "~": ".."})


@frozen
class DateRange:
    """The days from `first` up to but not including `end`. If `end` is None, the range has no end."""

    first: date
    end: date | None = None


@frozen
class Spoken:
    """A time named in running text, such as "last week". `end` is the offset where its mention ends.

    `owning` is True if 的 or 's follows. If `since` is True, the time extends from the start of its value until now.
    """

    value: str
    end: int
    place: Place
    owning: bool
    since: bool


def read(value: str, today: date) -> DateRange:
    """Return the days covered by a date, a name such as `last week`, or an age such as `7d`, which lasts until now.

    Raises QueryError if the value isn't a date, the day doesn't exist or the year is out of range.
    """
    typed = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    if match := _DATE.fullmatch(typed):
        parts = [int(part) for part in match.groups() if part and part.isdecimal()]
        year, month, day = (*parts, 0, 0)[:3]
        if year not in YEARS:
            raise _out_of_range(value)
        try:
            first = date(year, month if len(parts) > 1 else 1, day if len(parts) > 2 else 1)
        except ValueError as error:
            raise QueryError(
                "'{date}' doesn't exist in the calendar. Check the month and the day.", date=value
            ) from error
        return DateRange(first, first + timedelta(days=1) if day else _months(first, 1 if month else 12))
    if typed in _NAMES:
        return _named(today)[_NAMES[typed]]
    if match := _AGE.fullmatch(typed):
        return _since(value, match["count"], match["unit"], today)
    raise QueryError("'{date}' isn't a date. Write it like {examples}.", date=value, examples=EXAMPLES)


def between(value: str, today: date) -> tuple[date | None, date | None]:
    """Return the first day of a date or range such as `2026-01..2026-03` or `<7d`, and the day after its last day.

    An open start or end is None. Raises the same errors as `read`, and QueryError if a range ends before it begins.
    """
    typed = unicodedata.normalize("NFKC", value.translate(SIGNS)).casefold().strip().rstrip(",:;!?")
    typed = typed if typed.endswith("..") else typed.removesuffix(".")
    first, dots, last = typed.partition("..")
    if dots and (first or last):
        begins = read(first, today).first if first else None
        ends = _day_after(last, today) if last else None
        if begins and ends and begins >= ends:
            raise QueryError("'{date}' ends before it begins. Write the earlier day first.", date=value)
        return begins, ends
    sign = typed[: len(typed) - len(typed.lstrip("<>="))]
    if sign not in (">=", ">", "<=", "<"):
        span = read(typed, today)
        return span.first, span.end
    day = typed[len(sign) :]
    edge = read(day, today).first if sign in (">=", "<") else _day_after(day, today)
    return (edge, None) if ">" in sign else (None, edge)


def _day_after(value: str, today: date) -> date:
    """Return the day after a date's last day. An age such as `7d` means the day that long ago.

    A name with an open end is taken to end today.
    """
    span = read(value, today)
    return span.end or (span.first if _AGE.fullmatch(value) else today) + timedelta(days=1)


def spoken(text: str, start: int) -> Spoken | None:
    """Return the time that a question names at `start`, or None. `start` must not be inside a word in Latin script."""
    if text[start : start + 1] not in _BEGINNINGS:
        return None
    for pattern in _SPOKEN:
        if match := pattern.match(text, start):
            value = match["value"]
            name = " ".join(value.casefold().split())
            place: Place = "anywhere" if name not in _NAMES else "beginning" if name in _WEAK else "edges"
            return Spoken(value, match.end(), place, bool(match["owning"]), bool(match["since"]))
    return None


def _since(value: str, count: str, unit: str, today: date) -> DateRange:
    """Return the days from the given number of units ago until now. 半 means half a month (15 days) or half a year."""
    kind = _UNITS[unit.removeprefix("个")]
    first = None
    with suppress(OverflowError, ValueError):
        if count == "半":
            first = _months(today, -6) if kind == "y" else today - timedelta(days=15)
        elif kind in "dw":
            first = today - timedelta(days=_number(count) * (7 if kind == "w" else 1))
        else:
            first = _months(today, -_number(count) * (12 if kind == "y" else 1))
    if first is None or first.year not in YEARS:
        raise _out_of_range(value)
    return DateRange(first)


@lru_cache(maxsize=4)
def _named(today: date) -> dict[str, DateRange]:
    monday = today - timedelta(days=today.weekday())
    first = today.replace(day=1)
    new_year = date(today.year, 1, 1)
    return {
        "today": DateRange(today),
        "yesterday": DateRange(today - timedelta(days=1), today),
        "the day before": DateRange(today - timedelta(days=2), today - timedelta(days=1)),
        "this week": DateRange(monday),
        "last week": DateRange(monday - timedelta(days=7), monday),
        "past week": DateRange(today - timedelta(days=7)),
        "this month": DateRange(first),
        "last month": DateRange(_months(first, -1), first),
        "past month": DateRange(_months(today, -1)),
        "this year": DateRange(new_year),
        "last year": DateRange(_months(new_year, -12), new_year),
        "past year": DateRange(_months(today, -12)),
    }


def _months(day: date, count: int) -> date:
    """Return the same day `count` months later, or that month's last day if it is shorter.

    Raises ValueError if the result is beyond the calendar.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    last = calendar.monthrange(year, month + 1)[1] if 1 <= year <= 9999 else 1
    return date(year, month + 1, min(day.day, last))


def _number(typed: str) -> int:
    if typed.isdecimal():
        return int(typed)
    if typed in _ENGLISH:
        return _ENGLISH.index(typed) + 1
    number = digit = 0
    for character in typed.replace("两", "二"):
        if character in "十百":
            number = number + (digit or 1) * (10 if character == "十" else 100)
            digit = 0
        else:
            digit = "零一二三四五六七八九".index(character)
    return number + digit


def _out_of_range(value: str) -> QueryError:
    return QueryError(
        "'{date}' is out of range. Use a date from {first} to {last}.",
        date=value,
        first=str(YEARS[0]),
        last=str(YEARS[-1]),
    )


EXAMPLES = message('2026-01-31, 2026-01, 2026, 7d, 2w, 3m, 1y, today or "last week"')

_NAMES = {
    name: meaning
    for meaning, names in {
        "today": "today|今天|今日",
        "yesterday": "yesterday|昨天|昨日",
        "the day before": "前天|前日",
        "this week": "this week|本周|这周|本星期|这星期|这个星期|这礼拜|这个礼拜",
        "last week": "last week|上周|上星期|上个星期|上礼拜|上个礼拜",
        "past week": "past week",
        "this month": "this month|本月|这个月",
        "last month": "last month|上个月|上月",
        "past month": "past month",
        "this year": "this year|今年",
        "last year": "last year|去年",
        "past year": "past year",
    }.items()
    for name in names.split("|")
}
_WEAK = frozenset("today|yesterday|this year|今天|今日|昨天|昨日|前天|前日|今年|去年".split("|"))

_UNITS = {
    name: names[0]
    for names in ("d day days 天 日", "w week weeks 周 星期 礼拜", "m month months 月", "y year years 年")
    for name in names.split()
}
_ENGLISH = "one two three four five six seven eight nine ten eleven twelve".split()
_DIGIT = "[一二两三四五六七八九]"
_CHINESE = rf"{_DIGIT}百(?:{_DIGIT}十{_DIGIT}?|零{_DIGIT})?|{_DIGIT}?十{_DIGIT}?|{_DIGIT}|半(?=个?月|年)"
_FIGURES = r"(?![0０])\d{1,5}"

_DATE = re.compile(
    r"(\d{4})(?:([-/])(\d{1,2})(?:\2(\d{1,2}))?)?|(\d{4})(\d\d)(\d\d)|(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})[日号])?)?"
)
_AGE = re.compile(
    rf"(?:(?:last|past) |(?:最近|近|过去)[的这]? ?)?(?P<count>{_FIGURES}|{'|'.join(_ENGLISH)}|{_CHINESE})"
    r" ?(?P<unit>days?|weeks?|months?|years?|[dwmy]|个?(?:星期|礼拜)|周|个?月|天|日|年)(?: ago|以?前)?"
)

# Possessive quantifiers (++) prevent quadratic running time on a question that consists only of spaces.
_LEAD = r"(?:(?P<since>since\s++)|(?:in|from|over|during|within|for)\s++)?(?:the\s++)?"
_END = r"(?![a-z0-9_-])"
# 内, 里 and 中 start too many words (such as 内存) to be matched before any other character. 的士 and 的确 are words.
_OWNING = r"(?:(?:以内|之内|期间|以来|[内里中])(?=的|\W|\Z))?(?P<owning>\s*+的(?![士确])|['’]s\b)?"
_ENGLISH_COUNTED = (
    rf"{_LEAD}(?P<value>(?:last|past)\s++(?:{_FIGURES}|{'|'.join(_ENGLISH)})\s++(?:day|week|month|year)s?){_END}"
)
_SINCE = r"(?P<since>since\s++)(?P<value>\d{4}([-/])\d{1,2}(?:\3\d{1,2})?|\d{4}年\d{1,2}月(?:\d{1,2}[日号])?)(?![\w/-])"
# The lookarounds keep these words whole:
# 附近三天, 一年级, 两周期, 晚上周, 日本月, 上周五, 上个月底.
_CHINESE_COUNTED = (
    r"(?:(?<![存现正所])在)?(?P<value>(?:最近|(?<![附将接临靠邻逼亲贴相最])近|(?<![穿走回不度错])过去)[的这]?\s*+"
    rf"(?:{_FIGURES}|{_CHINESE})\s*+"
    r"(?:个?(?:星期|礼拜)|周(?![末年岁]|期(?!间))|个?月(?![份半])|天|日|年(?![级度半])))(?P<since>)"
)
_ENGLISH_NAMED = (
    r"(?<!\band\s)(?<!\bor\s)(?<!\bof\s)(?<!\bfirst\s)(?<!\bnext\s)(?<!\bsecond\s)"
    rf"{_LEAD}(?P<value>(?:last|past|this)\s++(?:week|month|year)|today|yesterday){_END}(?!\s++of\b)"
)
_CHINESE_NAMED = (
    r"(?:(?<![存现正所])在)?(?P<value>"
    r"(?:(?=上)(?<![早晚马网以身边线楼海天地加往历])|(?=本)(?<![基日版样文课书根资成剧脚])|(?![上本]))"
    rf"(?:{'|'.join(sorted((name for name in _NAMES if not name.isascii()), key=len, reverse=True))})"
    r"(?:(?<=[周期拜])(?!一(?![直共些起])|[二三四五六日末期岁]|天(?!气))|(?<=月)(?![底初末中份饼亮球])|(?<=[天日年]))"
    r")(?P<since>)"
)
_SPOKEN = [
    re.compile(f"(?i){pattern}{_OWNING}")
    for pattern in (_ENGLISH_COUNTED, _SINCE, _CHINESE_COUNTED, _ENGLISH_NAMED, _CHINESE_NAMED)
]
# All characters with which a named time may start. They rule out most positions quickly.
_BEGINNINGS = frozenset("iIfFoOdDwWsStTlLpPyY在最近过上本这今昨前去")
