"""Letters as a PDF holds them -> as usually written."""

import re
import unicodedata

_FORMS = re.compile("[\u2e80-\u2fdf\uf900-\ufaff\ufb00-\ufb06]")
_PAIRS = (
    "⺁厂⺇几⺗心⺝月⺟母⺠民⺩王⺪疋⺫目⺮竹⺼肉⺾艹⻁虎⻂衤⻄西⻅见⻆角⻇角⻈讠⻉贝⻊足⻋车⻌辶⻑長⻓长⻔门"
    "⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻟飠⻠饣⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻬齐⻮齿⻰龙⻳龟"
)
_RADICALS = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
"""Radicals of the supplement U+2E80-2EFF that NFKC leaves, and the characters that look like them."""
WIDE = re.compile("[\u2e80-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
"""Characters between which no blank stands."""


_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def is_right_to_left(text: str) -> bool:
    """Return whether a text begins with a letter that is written from right to left."""
    return text >= "\u0590" and bool(_RIGHT_TO_LEFT.match(text))


def sound(text: str) -> str:
    """Return a text with ordinary characters for CJK radicals, compatibility forms and ligatures."""
    if text.isascii():
        return text
    return _FORMS.sub(lambda match: _RADICALS.get(match[0]) or unicodedata.normalize("NFKC", match[0]), text)


COMPOUND = re.compile(r"(?<![\w-])[^\W\d_]+(?:-[^\W\d_]+)+(?!\w)")
"""Words that are written with hyphens."""
_LAST = re.compile(r"[\w-]*-$")
_FIRST = re.compile(r"[\w-]*\w")
_WORD = 60
"""Most characters of a word that are looked at."""
_FIRST_PARTS = frozenset(
    "self well ill ex half quasi cross high low long short full part all two three four five six seven eight"
    " nine ten first second third fourth one single double real open free old new good best better large small".split()
)
"""First parts of English words that are written with a hyphen more often than without."""
_ENDINGS = re.compile(r"(?:s|y|ly|ing|ed|er|ers|est|en|ness|ism|ist|ity|ish|ful|less|age|hood|ship|dom|way|ways)$")
"""What follows a divided word, rather than the first part of a compound."""


def joined(first: str, second: str, compounds: frozenset[str] = frozenset()) -> str:
    """Return two lines of a paragraph as one; a word that was divided at the end of the first is whole again.

    Words that are written with a hyphen keep it: `compounds`, and words that look like one.
    """
    if not first or not second:
        return first + second
    if first[-1] in "\u00ad\u2010":
        return first[:-1] + second
    if first[-1] == "-" and len(first) > 1 and first[-2].islower() and second[0].islower():
        return (first if _is_compound(first, second, compounds) else first[:-1]) + second
    return first + ("" if (WIDE.match(first[-1]) and WIDE.match(second[0])) or first[-1] == "-" else " ") + second


def _is_compound(first: str, second: str, compounds: frozenset[str]) -> bool:
    """Return whether a word that goes on in the next line has a hyphen where its line ends."""
    start, end = _LAST.search(first[-_WORD:]), _FIRST.match(second[:_WORD])
    if not start or not end:
        return False
    before, after = start[0][:-1].casefold(), end[0].casefold()
    if f"{before}-{after}" in compounds or "-" in before or len(before) == 1:
        return True
    return before in _FIRST_PARTS and not _ENDINGS.fullmatch(after)
