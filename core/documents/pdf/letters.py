"""Letters as a PDF holds them -> as people write them."""

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


def sound(text: str) -> str:
    """Return a text with ordinary characters for CJK radicals, compatibility forms and ligatures."""
    if text.isascii():
        return text
    return _FORMS.sub(lambda match: _RADICALS.get(match[0]) or unicodedata.normalize("NFKC", match[0]), text)


def joined(first: str, second: str) -> str:
    """Return two lines of a paragraph as one; a word that was divided at the end of the first is whole again."""
    if not first or not second:
        return first + second
    if first[-1] in "\u00ad\u2010":
        return first[:-1] + second
    if first[-1] == "-" and len(first) > 1 and first[-2].islower() and second[0].islower():
        return first[:-1] + second
    return first + ("" if (WIDE.match(first[-1]) and WIDE.match(second[0])) or first[-1] == "-" else " ") + second
