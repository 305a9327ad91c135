"""Patterns of tags in texts, for notes, questions and pages."""

from core.base.text import MARKS as _MARKS

_EMOJI = "\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_OF_TAG = rf"\w{_MARKS}/{_EMOJI}\u200d\ufe0f\u20e3\U000e0020-\U000e007f-"
_COLOUR = (
    r"(?:(?=[a-fA-F]*\d)[\da-fA-F]{6}(?:[\da-fA-F]{2})?|(?=[cfCF]*[0369])[0369cfCF]{3}"
    rf"|(?:{'|'.join(f'(?i:{letter}{{3}}){{1,2}}' for letter in 'abcdef')}))"
)
"""Web colours: six or eight hexadecimal digits, or three; tags such as `d20` and `b2b` don't match."""
TAG_NAME = rf"(?!\d++[/-]*+(?![{_OF_TAG}]))(?!{_COLOUR}(?![{_OF_TAG}]))[\w{_EMOJI}][{_OF_TAG}]*+"
"""A tag after its #: letters of any script with their marks, digits, emoji, `_`, `-` and `/`.

It isn't digits alone, because #12 is a number, and it isn't a colour.
"""
TAGS_FOLLOW = r"\s(\[{（【《「『〈“‘，。、；：！？,;|>*~"
"""Characters that may precede a tag, in addition to the start of a text."""
TAG = rf"(?<![^{TAGS_FOLLOW}])\#(?!(?<=\[\#)\w\])(?P<tag>{TAG_NAME})"
"""A tag in a text; `[#A]` isn't a tag, but a priority."""
FORMULA = r"(?<!\\)(?:\$\$[^$]{1,4000}\$\$|\$(?![\s$])(?:\\.|[^$\\]){0,2000}+(?<!\s)\$(?!\d))"
"""A formula within a line."""
"""Suffixes of note files, in any case."""
