"""Formatting of workbook values as Excel shows them (ECMA-376, 18.8.30 and 18.8.31)."""

import math
import re
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from locale import windows_locale
from operator import eq, ge, gt, le, lt, ne

from babel import Locale, UnknownLocaleError
from babel.dates import format_datetime

_BUILT_IN = """\
1 0
2 0.00
3 #,##0
4 #,##0.00
5 $#,##0_);($#,##0)
6 $#,##0_);($#,##0)
7 $#,##0.00_);($#,##0.00)
8 $#,##0.00_);($#,##0.00)
9 0%
10 0.00%
11 0.00E+00
12 # ?/?
13 # ??/??
14 yyyy-mm-dd
15 d-mmm-yy
16 d-mmm
17 mmm-yy
18 h:mm AM/PM
19 h:mm:ss AM/PM
20 h:mm
21 h:mm:ss
22 yyyy-mm-dd h:mm
37 #,##0_);(#,##0)
38 #,##0_);(#,##0)
39 #,##0.00_);(#,##0.00)
40 #,##0.00_);(#,##0.00)
41 _(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)
42 _($* #,##0_);_($* (#,##0);_($* "-"_);_(@_)
43 _(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)
44 _($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)
45 mm:ss
46 [h]:mm:ss
47 mm:ss.0
48 ##0.0E+0
49 @"""
# Formats that workbooks refer to only by number. Dates in the user's system format become ISO 8601.
BUILT_IN = {
    **{int(number): code for number, _, code in (line.partition(" ") for line in _BUILT_IN.splitlines())},
    **dict.fromkeys((27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys((32, 33, 34, 35, 55, 56), "h:mm:ss"),
}
# The tokens in a format code. Literal text is quoted, follows a backslash, or is a currency or any other character.
_SIGN = re.compile(
    r"""(?isx) (?P<kept>General | [0-9#?.,%/;@] | E[+-](?=[0#?]) | \[(?:[<>]=?|<>|=)-?\d+(?:\.\d+)?\] |
    \[?([ymdhs])\2*\]? | a{3,4}) | (?P<noon>AM/PM | A/P | 上午/下午) | (?P<width>[_*].) | "([^"]*)"? | \\(.) |
    \[\$([^]-]*)[^]]*\] | \[[^]]*()\] | (.)"""
)
# A placeholder for literal text. Its character code gives the text's index.
_TEXT = re.compile("[\ue000-\ue0ff]")
_DATE = re.compile(r"'[^']*'|([ymdhsnap])\1*|(?<=[s\]'])\.0+")
_ELAPSED = re.compile(r"\[([hmns])\1*\]")
_UNITS = {"h": 3600, "m": 60, "n": 60, "s": 1}
# Excel's date and time fields mapped to Unicode's (UTS 35), where they differ. n is minutes, and p is AM or PM.
_FIELDS = {
    "y": "yy", "m": "M", "mm": "MM", "mmm": "LLL", "mmmm": "MMMM", "mmmmm": "MMMMM", "ddd": "EEE", "dddd": "EEEE",
    "aaa": "EEEEE", "aaaa": "EEEE", "n": "m", "nn": "mm", "p": "a", ".0": ".S", ".00": ".SS", ".000": ".SSS",
}  # fmt: skip
_CONDITION = re.compile(r"\[([<>=]+)([-\d.]+)\]")
# The default conditions of a format's sections, by the number of sections.
_USUAL = {1: [""], 2: ["[>=0]", ""], 3: ["[>0]", "[<0]", ""]}
_COMPARE = {"<": lt, "<=": le, "=": eq, ">=": ge, ">": gt, "<>": ne}
_PLACE = re.compile("[0#?]")
_FIRST_DAY = datetime(1899, 12, 31)  # noqa: DTZ001 a workbook has no time zone
_SECONDS = 86_400
_EXACT = Context(prec=1_000)


@lru_cache(4_096)
def show(stored: str, code: str, *, since_1904: bool = False) -> str:
    """Format a stored number as a cell would show it, or in the general format if its own format shows nothing.

    Text that isn't a finite number is returned unchanged.
    """
    try:
        number = float(f"{float(stored):.15g}")  # as many digits as Excel has
    except ValueError:
        return stored
    if not math.isfinite(number):
        return stored
    sections, texts = _parse(code)
    section, sign = _section(number, sections[:3])
    exact = Decimal(repr(abs(number)))
    if "general" in section or "@" in section:
        shown = sign + re.sub("general|@", _general(abs(number)), section)
    elif not _DATE.search(section):
        shown = sign + _number(section, exact)
    else:
        # The last day that Excel shows is 31 December 9999.
        shown = _moment(section, exact, since_1904, _locale(code)) if 0 <= number < 2_958_466 else ""
    shown = _TEXT.sub(lambda text: texts[ord(text[0]) - 0xE000], shown)
    return shown if shown.strip() or number == 0 else _general(number)


def show_text(text: str, code: str) -> str:
    """Format text as a cell would show it."""
    sections, texts = _parse(code)
    parts = _TEXT.sub(lambda place: texts[ord(place[0]) - 0xE000], sections[-1]).split("@")
    return text.join(parts) if len(parts) > 1 and len(sections) < 5 else text


@lru_cache
def _parse(code: str) -> tuple[list[str], list[str]]:
    """Return a format's sections with placeholders for literal text, and the literal strings."""
    texts = []

    def simplified(match: re.Match[str]) -> str:
        if match["kept"]:
            return match["kept"].lower()
        if match["noon"]:
            return "p"
        texts.append(" " if match["width"] else match[match.lastindex or 0])
        return chr(0xDFFF + len(texts))

    # Excel allows at most 255 characters in a format.
    return _SIGN.sub(simplified, code if len(code) <= 255 else "General").split(";"), texts


def _section(number: float, sections: list[str]) -> tuple[str, str]:
    """Return the section of a format that applies to a number, and the sign to put before the result."""
    if len(sections) > 1 and "@" in sections[-1]:
        sections = sections[:-1]
    for at, (section, usual) in enumerate(zip(sections, _USUAL[len(sections)], strict=True)):
        condition = _CONDITION.search(section + usual)
        if not condition or _COMPARE[condition[1]](number, float(condition[2])):
            is_for_negative = at == 1 or (condition and condition[0].startswith(("[<0", "[<=0", "[<-")))
            return _CONDITION.sub("", section), "-" if number < 0 and not is_for_negative else ""
    return "general", ""


def _general(number: float) -> str:
    """Format a number in the general format, which shows integers in full and other numbers with up to 10 digits."""
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else f"{number:.10G}"


def _number(section: str, exact: Decimal) -> str:
    """Format a nonnegative number according to a section's digit placeholders."""
    if fraction := re.search(r"([0#?]+)/([0#?]+|\d+)", section):
        return _fraction(section[: fraction.start()], fraction, exact) + section[fraction.end() :]
    exact = exact.scaleb(2 * section.count("%"), _EXACT)
    if exponent := re.search(r"e([+-])([0#?]+)", section):
        return _scientific(section[: exponent.start()], exponent, exact) + section[exponent.end() :]
    if not _PLACE.search(section):
        return section
    whole, point, decimals = section.partition(".")
    last = max(map(whole.rfind, "0#?"))
    exact = exact.scaleb(-3 * (whole[last + 1 :] + decimals).count(","), _EXACT)
    grouping = "," if "," in whole[: last + 1] else ""
    digits, _, rest = f"{_rounded(exact, decimals):{grouping}f}".partition(".")
    return _whole(whole.replace(",", ""), digits) + point + _decimals(decimals.replace(",", ""), rest)


def _rounded(exact: Decimal, decimals: str) -> Decimal:
    return exact.quantize(Decimal(1).scaleb(-len(_PLACE.findall(decimals))), ROUND_HALF_UP, _EXACT)


def _whole(section: str, digits: str) -> str:
    """Fill the integer placeholders from the right. The first placeholder takes all remaining digits."""
    places = "".join(_PLACE.findall(section))
    units = re.findall(r"\d,?", digits.lstrip("0").zfill(len(places.lstrip("#?"))))
    units = [*[""] * (len(places) - len(units)), *units]
    left = len(units) - len(places) + 1
    filled = iter(["".join(units[:left]), *units[left:]])
    return _PLACE.sub(lambda _: next(filled), section) if places else section + digits


def _decimals(section: str, digits: str) -> str:
    """Fill the placeholders after the decimal point. Trailing zeros appear only where the section has zeros."""
    needed = len("".join(_PLACE.findall(section)).rstrip("#?"))
    filled = iter(digits.rstrip("0").ljust(needed, "0"))
    return _PLACE.sub(lambda _: next(filled, ""), section)


def _scientific(mantissa: str, exponent: re.Match[str], exact: Decimal) -> str:
    """Format a number in scientific notation. The exponent is a multiple of the number of integer placeholders."""
    whole, _, decimals = mantissa.partition(".")
    step = max(1, len(_PLACE.findall(whole)))
    power = exact.adjusted() // step * step if exact else 0
    if _rounded(exact.scaleb(-power, _EXACT), decimals) >= 10**step:
        power += step
    sign = "-" if power < 0 else exponent[1].strip("-")
    return f"{_number(mantissa, exact.scaleb(-power, _EXACT))}E{sign}{_whole(exponent[2], str(abs(power)))}"


def _fraction(before: str, fraction: re.Match[str], exact: Decimal) -> str:
    """Format a number as a fraction, with the format's denominator or with as many digits as the format allows."""
    whole, rest = divmod(Fraction(exact), 1) if _PLACE.search(before) else (0, Fraction(exact))
    if fraction[2].strip("0#?"):
        below = int(fraction[2])
        above = round(rest * below)
    else:
        above, below = rest.limit_denominator(10 ** len(fraction[2]) - 1).as_integer_ratio()
    if not _PLACE.search(before) or 0 < above < below:
        return f"{_number(before, Decimal(whole))}{above}/{below}"
    return _number(before, Decimal(whole + above // below)) if whole or above else "0"


def _moment(section: str, number: Decimal, since_1904: bool, locale: Locale) -> str:
    """Format a date, time or duration according to a section, or return "" if the number is out of range."""
    pattern, decimals = _pattern(section)
    seconds = round(number * _SECONDS, decimals)
    # A workbook may count days from 1904 rather than 1900.
    day = int(seconds // _SECONDS) + 1_462 * since_1904
    if not day and {*"yd"} & {*section}:  # a time in a date format
        pattern = "HH:mm"
    with suppress(ValueError, OverflowError):  # an oversized field, or the year 10000
        # Excel counts 29 February 1900 as day 60, even though it never existed.
        at = _FIRST_DAY + timedelta(day - (day >= 60), float(seconds % _SECONDS))
        return _ELAPSED.sub(
            lambda found: f"{int(seconds // _UNITS[found[1]]):0{len(found[0]) - 2}}",
            format_datetime(at, pattern, locale=locale),
        )
    return ""


@lru_cache
def _pattern(section: str) -> tuple[str, int]:
    """Return a section as a Unicode date pattern with durations quoted, and the number of decimals in its seconds."""
    section = re.sub(
        r"(h[^ymdhs]*)(mm?)(?!m)|(?<!m)(mm?)(?=[^ymdhs]*s)",
        lambda found: (found[1] or "") + "n" * len(found[2] or found[3]),
        section,
    )
    decimals = max((len(found[0]) - 1 for found in _DATE.finditer(section) if found[0][0] == "."), default=0)
    fields = _FIELDS if "p" in section else _FIELDS | {"h": "H", "hh": "HH"}
    section = _ELAPSED.sub(r"'\g<0>'", section)
    return _DATE.sub(lambda found: fields.get(found[0], found[0]), section), min(decimals, 3)


@lru_cache
def _locale(code: str) -> Locale:
    """Return the locale for the Windows language id in a format. If there is none, guess Chinese or English."""
    language = re.search(r"\[\$[^]-]*-(\w+)", code)
    with suppress(ValueError, KeyError, UnknownLocaleError):
        return Locale.parse(windows_locale[int(language[1], 16) & 0xFFFF] if language else "")
    # These AM/PM markers and short weekdays occur only in Chinese formats.
    return Locale.parse("zh" if re.search("上午|aaa", code) else "en")
