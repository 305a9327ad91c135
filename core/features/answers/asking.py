"""What counts as a question, in English or Chinese: not a word, a name or a title."""

import re
from collections.abc import Iterable

from core.base.text import CJK, fold, simplified

_MARK = re.compile(r"[?？]\s*$")
_ENGLISH = re.compile(
    r"^\W*(?:(?:so|and|but|ok|please|hi|hey)\W+)*(?:what|why|when|where|which|who|whom|whose|how|is|are|was|were|do|does|did|"
    r"can|could|should|would|will|has|have|may|must|am|if)\b|\b(?:what|why|when|where|which|who|how|vs|versus)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"什么|怎么|怎样|如何|为何|为啥|干嘛|哪|几(?![何乎])\w|多少|多[大长久高快]|谁|是否|能否|吗|呢|(.)不\1|有没有|何时|[啥咋]|"
    r"还是|区别|差别|不同|差异|对比|(?:原因|作用|意思|方法|步骤|比例|用法)\W*$"
)
_LENGTH, _WORD = 9, 3
"""Length from which on a text asks something, where a Chinese character counts 1 and a word of other scripts 3."""


def is_question(text: str, titles: Iterable[str]) -> bool:
    """Return whether a text asks something: it isn't one of some titles, and has the form of a question or is long."""
    text = text.strip()
    if fold(text) in {fold(title.strip()) for title in titles}:
        return False
    plain = simplified(text)
    words = [word for word in plain.split() if re.search(rf"(?![{CJK}])\w", word)]
    if _MARK.search(plain) or _CHINESE.search(plain) or (len(words) > 1 and _ENGLISH.search(plain)):
        return True
    return len(re.findall(f"[{CJK}]", plain)) + _WORD * len(words) >= _LENGTH
