"""Grouping of the letters on a page into words, text runs and lines, and joining of lines into paragraphs."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from statistics import median

_PAIRS = (
    "⺁厂⺇几⺗心⺝月⺟母⺠民⺩王⺪疋⺫目⺮竹⺼肉⺾艹⻁虎⻂衤⻄西⻅见⻆角⻇角⻈讠⻉贝⻊足⻋车⻌辶⻑長⻓长⻔门"
    "⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻟飠⻠饣⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻬齐⻮齿⻰龙⻳龟"
)
# CJK radicals (U+2E80-2EFF) that NFKC leaves unchanged, mapped to characters that look the same.
_RADICALS = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
# Characters written without spaces between them.
WIDE = re.compile("[\u2e80-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


def is_right_to_left(text: str) -> bool:
    """Return whether the first letter of `text` belongs to a right-to-left script."""
    return text >= "\u0590" and bool(re.match("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]", text))


def clean_text(text: str) -> str:
    """Return `text` with CJK radicals, compatibility forms and ligatures replaced by plain characters."""
    if text.isascii():
        return text
    return re.sub(
        "[\u2e80-\u2fdf\uf900-\ufaff\ufb00-\ufb06]",
        lambda match: _RADICALS.get(match[0]) or unicodedata.normalize("NFKC", match[0]),
        text,
    )


def normalize_title(text: str) -> str:
    """Return `text` in lower case and without spaces, for comparing titles."""
    return "".join(text.split()).casefold()


# Pattern for a hyphenated word.
COMPOUND = re.compile(r"(?<![\w-])[^\W\d_]+(?:-[^\W\d_]+)+(?!\w)")
# Maximum number of characters of a word to examine.
_LONGEST_WORD = 60
# First parts of English compounds that are usually hyphenated.
_FIRST_PARTS = frozenset(
    "self well ill ex half quasi cross high low long short full part all two three four five six seven eight"
    " nine ten first second third fourth one single double real open free old new good best better large small".split()
)


def join_texts(first: str, second: str, compounds: frozenset[str] = frozenset()) -> str:
    """Join two lines of a paragraph, rejoining a word divided between them.

    The word's hyphen is kept if the word is in `compounds` or looks like a compound.
    """
    if not first or not second:
        return first + second
    last = first[-1]
    if last in "\u00ad\u2010":
        return first[:-1] + second
    if last == "-" and len(first) > 1 and first[-2].islower() and second[0].islower():
        return (first if _is_compound(first, second, compounds) else first[:-1]) + second
    return first + ("" if (WIDE.match(last) and WIDE.match(second[0])) or last == "-" else " ") + second


def _is_compound(first: str, second: str, compounds: frozenset[str]) -> bool:
    """Return whether the hyphen at the end of a line belongs to the word."""
    start = re.search(r"[\w-]*-$", first[-_LONGEST_WORD:])
    end = re.match(r"[\w-]*\w", second[:_LONGEST_WORD])
    if not start or not end:
        return False
    before = start[0][:-1].casefold()
    after = end[0].casefold()
    if f"{before}-{after}" in compounds or "-" in before or len(before) == 1:
        return True
    # These endings occur in divided words, but not as second parts of compounds.
    return before in _FIRST_PARTS and not re.fullmatch(
        r"(?:s|y|ly|ing|ed|er|ers|est|en|ness|ism|ist|ity|ish|ful|less|age|hood|ship|dom|way|ways)$", after
    )


@dataclass(slots=True)
class PlacedText:
    """Text on a page, in points. `y` is the distance of the baseline from the top, and `size` is the font size."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool = False
    fixed: bool = False


@dataclass(slots=True)
class Letter(PlacedText):
    """A character. `at` is its index in pdfium's text. A space added by pdfium has no width."""

    at: int = -1


def gap(last: Letter, letter: Letter) -> float:
    """Return the distance to the previous letter, which is on the right in Arabic or Hebrew."""
    if letter.x0 < last.x0 and (is_right_to_left(letter.text) or is_right_to_left(last.text)):
        return last.x0 - letter.x1
    return letter.x0 - last.x1


# Splitting a run of letters into words. pdfium's spaces count unless the letters' positions prove otherwise.

# Maximum gap between touching letters, as a share of the letter size. If pdfium adds a space there, it is dropped.
_TOUCHING = 0.05


def words(letters: Sequence[Letter]) -> str:
    """Return the text of letters on one baseline, from left to right, with spaces between words."""
    parts = []
    last = None
    has_space = False
    added = -1
    for letter in letters:
        text = letter.text
        if text == " " or text.isspace():
            has_space = has_space or letter.x1 > letter.x0
            added = letter.at
            continue
        if last:
            apart = gap(last, letter)
            if has_space or (apart > _TOUCHING * letter.size and _is_blank(last, letter, apart, added)):
                parts.append(" ")
        parts.append(text)
        last = letter
        has_space = False
        added = -1
    line = "".join(parts)
    # Two one-letter words in a row are a sign of a letterspaced word.
    return (
        _close_gaps([letter for letter in letters if not letter.text.isspace()], parts)
        if re.search(r"(?<!\S)[^\W\d_] [^\W\d_](?!\S)", line)
        else line
    )


def _is_blank(last: Letter, letter: Letter, apart: float, added: int) -> bool:
    """Return whether a gap between letters is a space. `added` is the index of a space added by pdfium, or -1."""
    share = apart / max(letter.size, last.size)
    if WIDE.match(letter.text) and WIDE.match(last.text):
        return share > 0.5
    if added >= 0 and added == letter.at - 1:
        return share > _TOUCHING
    # If pdfium reports no space between consecutive letters, only a wide gap is a space.
    return share > (0.6 if letter.at == last.at + 1 else 0.22)


def _close_gaps(letters: Sequence[Letter], parts: Sequence[str]) -> str:
    """Return the text of letters and spaces, with letterspaced words (I N V O I C E) closed up.

    Letters in alphabetical order are left apart because they form a list.
    """
    blanks = [last == " " for last, part in pairwise(["", *parts]) if part != " "]
    first = 0
    for at in range(1, len(letters) + 1):
        if at < len(letters):
            last, letter = letters[at - 1 : at + 1]
            both = last.text + letter.text
            # The letters of a letterspaced word don't touch.
            if both.isalpha() and not WIDE.search(both) and letter.x0 - last.x1 >= 0.08 * letter.size:
                continue
        start = first + (first > 0 and not blanks[first] and letters[first - 1].text.isalpha())  # the end of a word
        end = at - (at < len(letters) and not blanks[at] and letters[at].text.isalpha())  # the start of a word
        text = [letter.text.casefold() for letter in letters[start:end]]
        if len(text) >= 4 and 2 * sum(blanks[start + 1 : end]) >= len(text) - 1 and text != sorted(set(text)):
            blanks[start + 1 : end] = _between(letters[start:end])
        first = at
    return "".join(" " * blank + letter.text for blank, letter in zip(blanks, letters, strict=True))


def _between(letters: Sequence[Letter]) -> list[bool]:
    """Return, for each pair of adjacent letters in letterspaced text, whether a new word begins between them."""
    regular = min(
        [second.x0 - first.x1 for first, second in pairwise(letters)],
        [second.x0 - first.x0 for first, second in pairwise(letters)],
        key=_spread,
    )
    return [item > 1.5 * median(regular) for item in regular]


def _spread(values: Sequence[float]) -> float:
    usual = median(values)
    return median(abs(value - usual) for value in values) / usual


# A gap wider than this multiple of the letter size separates runs. Gaps between columns are wider than that.
_APART = 1.2


@dataclass(slots=True)
class GlyphRun(PlacedText):
    """Letters on one baseline without wide gaps between them."""

    page: int = 0

    @property
    def top(self) -> float:
        return self.y - self.size

    @property
    def bottom(self) -> float:
        return self.y

    @property
    def texts(self) -> tuple[str]:
        return (self.text,)


@dataclass(slots=True)
class _Group:
    """Adjacent letters. `y` and `size` are those of the largest letter."""

    letters: list[Letter]
    y: float
    size: float
    x0: float = 0.0
    x1: float = 0.0


def runs_of(letters: Sequence[Letter], page: int) -> list[GlyphRun]:
    """Group letters that are consecutive in the file, then join groups on the same baseline into text runs."""
    groups = list[_Group]()
    for letter in letters:
        if groups and _continues((group := groups[-1]).letters[-1], letter):
            group.letters.append(letter)
            if letter.size > group.size:
                group.y = letter.y
                group.size = letter.size
        elif not letter.text.isspace():
            groups.append(_Group([letter], letter.y, letter.size))
    for group in groups:
        while group.letters[-1].text.isspace():
            group.letters.pop()
        group.x0 = min(letter.x0 for letter in group.letters)
        group.x1 = max(letter.x1 for letter in group.letters)
    groups.sort(key=lambda group: (round(group.y), group.x0))
    runs = []
    for group in _merge_groups(groups):
        letters = group.letters
        sizes = Counter(letter.size for letter in letters)
        size = round(max(sizes, key=sizes.__getitem__) * 4) / 4
        bold = sum(letter.bold for letter in letters) > 0.6 * len(letters)
        fixed = sum(letter.fixed for letter in letters) > 0.8 * len(letters)
        runs.append(GlyphRun(words(letters), group.x0, group.x1, group.y, size, bold, fixed, page))
    return runs


def _continues(last: Letter, letter: Letter) -> bool:
    """Return whether one letter directly follows another on its baseline or, if smaller, slightly above or below it."""
    size = last.size if last.size > letter.size else letter.size
    if not -0.6 * size < letter.x0 - last.x1 < _APART * size and not -0.6 * size < gap(last, letter) < _APART * size:
        return False
    if letter.y == last.y:
        return True
    return abs(letter.y - last.y) <= (0.15 if abs(letter.size - last.size) < 0.1 * size else 0.5) * size


def _merge_groups(groups: Sequence[_Group]) -> list[_Group]:
    """Join groups on the same baseline that are separate in the file, such as individually placed words."""
    merged = list[_Group]()
    for group in groups:
        # Look for a left neighbour among the previous 40 groups.
        for other in reversed(merged[-40:]):
            size = max(group.size, other.size)
            if group.y - other.y > size:
                continue
            close = abs(group.y - other.y) <= (0.15 if abs(group.size - other.size) < 0.1 * size else 0.45) * size
            if close and -0.6 * size < group.x0 - other.x1 < _APART * size:
                is_mirrored = is_right_to_left(other.letters[0].text) and is_right_to_left(group.letters[0].text)
                other.letters = group.letters + other.letters if is_mirrored else other.letters + group.letters
                other.x1 = max(other.x1, group.x1)
                if group.size > other.size:
                    other.y = group.y
                    other.size = group.size
                break
        else:
            merged.append(group)
    return merged


def lines_of(runs: Iterable[GlyphRun]) -> list[GlyphRun]:
    """Return a column's lines from top to bottom, joining text runs on the same baseline from left to right."""
    lines = list[GlyphRun]()
    for run in sorted(runs, key=attrgetter("y", "x0")):
        last = lines[-1] if lines else None
        if last and abs(run.y - last.y) <= 0.35 * max(run.size, last.size) and run.page == last.page:
            left, right = (last, run) if last.x0 <= run.x0 else (run, last)
            size = left.size if len(left.text) >= len(right.text) else right.size
            is_mirrored = is_right_to_left(left.text) and is_right_to_left(right.text)
            text = " ".join([right.text, left.text] if is_mirrored else [left.text, right.text]).strip()
            lines[-1] = GlyphRun(
                text,
                left.x0,
                max(left.x1, right.x1),
                last.y,
                size,
                left.bold and right.bold,
                left.fixed and right.fixed,
                last.page,
            )
        else:
            lines.append(run)
    return lines


_ENDS = tuple(".!?。！？:：;；")


def is_prose(lines: Sequence[GlyphRun]) -> bool:
    """Return whether lines are running text in a column that is as wide as the lines."""
    return go_on(list(pairwise(lines)), width_of(lines))


def width_of(lines: Sequence[GlyphRun]) -> float:
    return max((line.x1 for line in lines), default=0.0) - min((line.x0 for line in lines), default=0.0)


def go_on(pairs: Sequence[tuple[GlyphRun, GlyphRun]], width: float) -> bool:
    """Return whether enough pairs of lines read as running text in a column of this width."""
    return bool(pairs) and sum(_goes_on(first, second, width) for first, second in pairs) >= 0.4 * len(pairs)


def _goes_on(first: GlyphRun, second: GlyphRun, width: float) -> bool:
    """Return whether a line of running text continues on the next line."""
    text = first.text
    if second.y - first.y > 1.8 * max(first.size, second.size) or text.endswith(_ENDS):
        return False
    filled = (first.x1 - first.x0) / max(width, 1.0)
    if text.endswith("-") or re.match(r"[^\W\dA-Z_]", second.text):  # a divided word or sentence
        return filled >= 0.5 and (len(text.split()) > 1 or bool(WIDE.search(text)) or "-" in text)
    # Otherwise, the line must be full, and must contain at least five words or ten wide characters.
    return filled >= 0.9 and (text.count(" ") >= 4 or len(WIDE.findall(text)) >= 10)
