"""What is typed as a question, in English or Chinese, not as a word or a title."""

import re
from collections.abc import Iterable

from core.text import CJK, fold, simplified

_MARK = re.compile(r"[?？]\s*$")
_ENGLISH = re.compile(
    r"^\W*(?:(?:so|and|but|ok|please|hi|hey)\W+)*(?:what|why|when|where|which|who|whom|whose|how|is|are|was|were|do|does|did|"
    r"can|could|should|would|will|has|have|may|must|am|if)\b|\b(?:what|why|when|where|which|who|how)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"什么|怎么|怎样|如何|为何|为啥|干嘛|哪|几[个种次天点年]|多少|多[大长久高快]|谁|是否|能否|吗|呢|(.)不\1|有没有|何时|啥"
)
_WORDS, _CHARACTERS = 6, 14
"""Words of English, and characters of Chinese, from which on what is typed is no title but asks something."""


def is_question(text: str, titles: Iterable[str]) -> bool:
    """Return whether a text asks something: it isn't one of some titles, and has the form of a question or is long."""
    text = text.strip()
    if fold(text) in {fold(title.strip()) for title in titles}:
        return False
    plain = simplified(text)
    characters = len(re.findall(f"[{CJK}]", plain))
    words = len(re.findall(rf"(?:(?![{CJK}])\w)+", plain))
    asks = _MARK.search(plain) or _CHINESE.search(plain) or (words > 1 and _ENGLISH.search(plain))
    return bool(asks) or words >= _WORDS or characters >= _CHARACTERS
