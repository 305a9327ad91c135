"""Numbers as lists show them: letters, Roman and Chinese numerals."""

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MOST_ROMAN = 4_000
_DIGITS, _UNITS = "〇一二三四五六七八九", "千百十"
_MOST_CHINESE = 10_000
_CIRCLED = 20
_MOST_LETTERS = 26 * 20
_CHINESE = (
    "chineseCounting", "chineseCountingThousand", "japaneseCounting", "ideographDigital", "taiwaneseCountingThousand",
    "taiwaneseCounting", "chineseLegalSimplified", "japaneseDigitalTenThousand", "一, 二, 三, ...",
)  # fmt: skip


def numeral(number: int, written: str) -> str:
    """Return a number in a format of Word (ECMA-376, 17.18.59) or of OpenDocument (`a`, `I`)."""
    if written in ("lowerLetter", "a") and 0 < number <= _MOST_LETTERS:
        return chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)
    if written in ("upperLetter", "A"):
        return numeral(number, "a").upper()
    if written in ("lowerRoman", "i") and 0 < number < _MOST_ROMAN:
        return _roman(number)
    if written in ("upperRoman", "I"):
        return numeral(number, "i").upper()
    if written in _CHINESE and 0 < number < _MOST_CHINESE:
        return _chinese(number)
    if written.startswith(("decimalEnclosedCircle", "①")) and 0 < number <= _CIRCLED:
        return chr(0x2460 + number - 1)
    if written == "decimalZero":
        return f"{number:02d}"
    return "" if written == "none" else str(number)


def _roman(number: int) -> str:
    made = ""
    for worth, letters in _ROMAN:
        count, number = divmod(number, worth)
        made += letters * count
    return made


def _chinese(number: int) -> str:
    digits = f"{number:04d}"
    made, gap = "", False
    for digit, unit in zip(digits, (*_UNITS, ""), strict=True):
        if digit == "0":
            gap = bool(made)
            continue
        made += ("零" if gap else "") + _DIGITS[int(digit)] + unit
        gap = False
    return made.removeprefix("一") if made.startswith("一十") else made
