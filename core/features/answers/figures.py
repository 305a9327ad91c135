"""Figures of a sentence: its numbers with their units, its dates, and its names, in English and Chinese.

What a sentence says and its passages don't is found by comparing figures. They are read alike on both sides, so a
reading that is too narrow refuses a sentence and never lets one pass.
"""

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from core.base.text import CJK, STOP_WORDS, fold, simplify

Date = tuple[int | None, int | None, int | None]
"""Year, month and day; None for what isn't said."""
Amount = tuple[str, str]
"""A number and its unit, empty without one."""

_UNITS: dict[str, str] = {
    "s": "s sec secs second seconds 秒 秒钟",
    "ms": "ms msec millisecond milliseconds 毫秒",
    "µs": "µs μs us microsecond microseconds 微秒",
    "ns": "ns nanosecond nanoseconds 纳秒",
    "min": "min mins minute minutes 分钟",
    "h": "h hr hrs hour hours 小时",
    "d": "d day days 天 日",
    "week": "week weeks 周 星期",
    "month": "month months 个月 月",
    "year": "year years 年",
    "bit": "bit bits 位 比特",
    "B": "byte bytes 字节",
    "KB": "kb kib kilobyte kilobytes",
    "MB": "mb mib megabyte megabytes",
    "GB": "gb gib gigabyte gigabytes",
    "TB": "tb tib terabyte terabytes",
    "%": "% percent 百分点",
    "px": "px pixel pixels 像素",
    "mm": "mm millimetre millimetres millimeter millimeters 毫米",
    "cm": "cm centimetre centimetres centimeter centimeters 厘米",
    "m": "m metre metres meter meters 米",
    "km": "km kilometre kilometres kilometer kilometers 公里 千米",
    "mg": "mg 毫克",
    "g": "g gram grams 克",
    "kg": "kg kilo kilos kilogram kilograms 公斤 千克",
    "t": "tonne tonnes ton tons 吨",
    "l": "l litre litres liter liters 升",
    "°": "°c °f ° degree degrees 度",
    "hz": "hz",
    "khz": "khz",
    "mhz": "mhz",
    "ghz": "ghz",
    "v": "v volt volts 伏",
    "w": "w watt watts 瓦",
    "kw": "kw kilowatt kilowatts 千瓦",
    "$": "$ dollar dollars usd 美元",
    "€": "€ euro euros eur 欧元",
    "£": "£ pound pounds gbp 英镑",
    "¥": "¥ yuan rmb cny 元",
    "token": "token tokens 词元",
    "line": "line lines 行",
    "page": "page pages 页",
    "character": "character characters 字 字符",
    "time": "time times 次 倍",
}
_UNIT = {name: unit for unit, names in _UNITS.items() for name in names.split()}
_BEFORE = "$€£¥"
_LATIN_UNITS = "|".join(sorted(map(re.escape, (item for item in _UNIT if item.isascii())), key=len, reverse=True))
_CHINESE_UNITS = "|".join(sorted((item for item in _UNIT if not item.isascii()), key=len, reverse=True))
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "千": 1000, "万": 10**4, "亿": 10**8}
_WORDS = (
    {"zero": 0}
    | {
        word: number
        for number, word in enumerate(
            "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
            "eighteen nineteen twenty".split(),
            2,
        )
    }
    | {word: 10 * number for number, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), 3)}
)
_SPELLED = "|".join(_WORDS)
_DIGITS = {character: number for number, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_COUNTED = "".join({*_DIGITS, *_POWERS})
_PLAIN = frozenset("一 十 百 千 万 亿 零 万一 千万 一一".split())
"""Numerals that are mostly words of another meaning."""
_NUMBER = re.compile(
    rf"(?P<sign>(?<![\w.)\]%])[-−])?(?P<before>[{_BEFORE}]\s?)?"
    rf"(?:(?<![A-Za-z_\d.])(?P<figures>\d+(?:[.,:]\d+)*|\.\d+)(?:st|nd|rd|th)?(?![A-Za-z_]*\d)"
    rf"|\b(?P<word>{_SPELLED})\b|(?P<chinese>(?<![{_COUNTED}])[{_COUNTED}]+))"
    rf"(?:[ -]?(?P<scale>hundred|thousand|million|billion|[千万亿])(?![a-z]))?"
    rf"(?P<unit>[ -]?(?:(?:{_LATIN_UNITS})(?![a-z\d])|{_CHINESE_UNITS}))?",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s?(?:-|–|—|~|to|and|or|到|至|和|或)\s?", re.IGNORECASE)
_PERCENT = re.compile(rf"百分之(\d+(?:\.\d+)?|[{_COUNTED}]+)")
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]}|t)?\\.?" if len(name) > 3 else name for name in _MONTHS)
_DATES = re.compile(
    r"(?P<y1>(?<!\d)[12]\d{3})[-/.](?P<m1>\d{1,2})(?:[-/.](?P<d1>\d{1,2}))?(?![\d.])"
    r"|(?:(?P<y2>\d{4})\s?年\s?)?(?P<m2>\d{1,2})\s?月(?:\s?(?P<d2>\d{1,2})\s?[日号])?"
    rf"|\b(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<m3>{_MONTH})(?!\w)(?:,?\s(?P<y3>[12]\d{{3}})\b)?"
    rf"|\b(?P<m4>{_MONTH})\s(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s(?P<y4>[12]\d{{3}})\b)?"
    rf"|\b(?P<m5>{_MONTH})\s(?P<y5>[12]\d{{3}})\b",
    re.IGNORECASE,
)
_LATIN = re.compile(rf"(?:(?![{CJK}])\w)+(?:[.'’+#&/-]+(?:(?![{CJK}])\w)+)*(?:\+\+|#)?")
_OPENS = frozenset('.!?:;。！？：；"“「(（')
"""What is before the first word of a sentence."""
_LONGEST = 1000
"""Most Chinese numerals in a row that are a number; Python reads no more than 4,300 figures."""
_DOTS = str.maketrans("İı", "Ii")
"""Letters that a search without case takes for an `i`, and that have another small form."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The amounts, the dates, and the names of a text."""

    amounts: frozenset[Amount]
    dates: frozenset[Date]
    names: tuple[str, ...]


def find_missing(
    sentence: str, passages: Iterable[str], places: Iterable[str], known: Container[str] = ()
) -> tuple[str, ...]:
    """Return the amounts, dates and names of a sentence, as it writes them, that are in none of its passages.

    Names may be in their titles (`places`) too. A first word of a sentence, which English writes large, is a name
    where it is `known`, as the other passages have it `large` within a sentence.
    """
    plain, texts = _normal(sentence), [_normal(text) for text in passages]
    dates = [date for text in texts for date, _ in _dates(text)]
    amounts = {amount for text in texts for amount, _ in _amounts(text)}
    lost = [typed for date, typed in _dates(plain) if not any(_agree(date, other) for other in dates)]
    rest = _DATES.sub(lambda match: " " * len(match.group()), plain)
    lost += [typed for amount, typed in _amounts(rest) if amount not in amounts]
    source_words = {word for text in (*texts, *map(_normal, places)) for word in _words(text)}
    names = (name for name in _names(rest, known) if not _contains_name(name, source_words))
    return tuple(dict.fromkeys([*lost, *names]))


def _normal(text: str) -> str:
    return simplify(unicodedata.normalize("NFKC", text).translate(_DOTS))


# numbers


def _amounts(text: str) -> Iterator[tuple[Amount, str]]:
    """Yield the numbers with their units, each also as it is typed; the first of a range has the unit of the last."""
    for match in _PERCENT.finditer(text):
        yield (_decimal(match[1]), "%"), match.group()
    matches = list(_NUMBER.finditer(_PERCENT.sub(lambda match: " " * len(match.group()), text)))
    for number, match in enumerate(matches):
        value = _value(match)
        if value is None:
            continue
        unit, then = _unit(match), matches[number + 1] if number + 1 < len(matches) else None
        if not unit and then and _RANGE.fullmatch(text, match.end(), then.start()):
            unit = _unit(then)
        yield (value, unit), match.group().strip()


def _value(match: re.Match[str]) -> str | None:
    """Return a number in its common form, None for what only looks like one: 一 in 一样."""
    sign = "-" if match["sign"] else ""
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 1
    if match["word"]:
        return f"{_WORDS[match['word'].lower()] * scale}"
    if match["chinese"]:
        counted = _chinese(match["chinese"])
        plain = match["chinese"] in _PLAIN
        return None if counted is None or (plain and not match["unit"]) else f"{sign}{counted * scale}"
    figures = match["figures"]
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", figures):
        figures = figures.replace(",", "")
    if scale > 1 and re.fullmatch(r"\d+(?:\.\d+)?", figures):
        return f"{sign}{_decimal(str(Decimal(figures) * scale))}"
    return f"{sign}{_decimal(figures)}"


def _decimal(figures: str) -> str:
    """Return a plain number without zeros before or after it; a version or a time stays as it is."""
    if counted := _chinese(figures):
        return str(counted)
    if not re.fullmatch(r"\d+(?:\.\d+)?", figures):
        return figures
    whole, point, rest = figures.partition(".")
    rest = rest.rstrip("0") if point else ""
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")


def _chinese(text: str) -> int | None:
    """Return the number of Chinese numerals, None where they make none."""
    if not text or len(text) > _LONGEST or not set(text) <= set(_COUNTED):
        return None
    if set(text) <= set(_DIGITS):
        return int("".join(str(_DIGITS[item]) for item in text))
    total = section = digit = 0
    for item in text:
        if item in _DIGITS:
            digit = _DIGITS[item]
        elif (power := _POWERS[item]) < 10**4:
            section += (digit or 1) * power
            digit = 0
        else:
            total += (section + digit or 1) * power
            section = digit = 0
    return total + section + digit


def _unit(match: re.Match[str]) -> str:
    if match["unit"]:
        return _UNIT[match["unit"].strip(" -").lower()]
    return _UNIT[match["before"].strip()] if match["before"] else ""


# dates


def _dates(text: str) -> Iterator[tuple[Date, str]]:
    for match in _DATES.finditer(text):
        parts = {name[0]: value for name, value in match.groupdict().items() if value}
        month = parts["m"]
        number = int(month) if month.isdecimal() else [name[:3] for name in _MONTHS].index(month[:3].lower()) + 1
        date = (int(parts["y"]) if "y" in parts else None, number, int(parts["d"]) if "d" in parts else None)
        if 1 <= number <= 12 and (date[2] is None or 1 <= date[2] <= 31):
            yield date, match.group()


def _agree(date: Date, other: Date) -> bool:
    """Whether another date says all that one says."""
    return all(item is None or item == two for item, two in zip(date, other, strict=True))


# names


def _names(text: str, known: Container[str]) -> Iterator[str]:
    """Yield the words that are names: written large within a sentence, or with figures or marks inside.

    Among Chinese every Latin word is one.
    """
    chinese = bool(re.search(f"[{CJK}]", text))
    for match in _LATIN.finditer(text):
        word = match.group().strip("_'’")
        if len(word) < 2 or word.replace(",", "").isdecimal() or _NUMBER.fullmatch(word):
            continue
        if fold(word) in STOP_WORDS or re.fullmatch(r"\w(?:\.\w)+", word):
            continue
        inner = any(letter.isupper() or letter.isdecimal() or letter in "_/+#." for letter in word[1:])
        first = word[0].isupper() and _starts(text, match.start())
        begins = first and not (fold(word) in known or _followed_by_name(text, match.end()))
        if chinese or inner or (word[0].isupper() and not begins):
            yield word


def _followed_by_name(text: str, end: int) -> bool:
    """Whether the next word is written large too, as in a name of two words."""
    then = _LATIN.match(text, end + 1) if text[end : end + 1] == " " else None
    return bool(then and then.group()[0].isupper() and len(then.group()) > 1)


def _starts(text: str, at: int) -> bool:
    """Whether a sentence starts at a place."""
    end = at
    while end and text[end - 1].isspace():
        end -= 1
    return not end or text[end - 1] in _OPENS or "\n" in text[end:at]


def large(text: str) -> frozenset[str]:
    """Return the words that are written large within a sentence, folded."""
    text = _normal(text)
    words = (match for match in _LATIN.finditer(text) if match.group()[0].isupper())
    return frozenset(fold(match.group()) for match in words if not _starts(text, match.start()))


def _words(text: str) -> set[str]:
    """Return the words of a text and what is between their marks, folded."""
    words = {fold(match.group()).strip("_") for match in _LATIN.finditer(text)}
    return words | {part.strip("_") for word in words for part in re.split(r"[^\w]+", word)}


def _contains_name(name: str, held: set[str]) -> bool:
    """Whether a name is in some words, as it is or with an ending of English."""
    folded = fold(name)
    forms = {folded, folded.removesuffix("'s"), folded.removesuffix("’s"), folded.removesuffix("s"), f"{folded}s"}
    return bool(forms & held) or all(part in held for part in re.split(r"[^\w]+", folded) if part)


def numbers(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the numbers of a text in their common form, each with its place."""
    return ((value, *match.span()) for match in _NUMBER.finditer(text) if (value := _value(match)) is not None)
