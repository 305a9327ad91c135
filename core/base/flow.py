"""Text that lines of a limited width broke, as it flows; what has lines of its own keeps them."""

import re
from collections.abc import Set
from functools import partial

from core.base.text import UNSPACED, with_newlines

_BLOCK = re.compile(
    r"(?m)^[ \t>]*(?P<fence>`{3,}|~{3,}|\$\$(?=[ \t]*$))(?s:.*?)(?:\n[ \t>]*(?P=fence).*|\Z)"
    r"|^(?! {4}|\t)(?![ \t>]*(?:$|[#|<=$]|-{3,}[ \t]*$|\[!))"
    r"(?P<lines>.+(?:\n(?![ \t>]*(?:$|[-*+•][ \t]|\d+[.)][ \t]|\d+、|#{1,6}[ \t]"
    r"|[|<]|`{3}|~{3}|={2,}[ \t]*$|-{2,}[ \t]*$|\$\$)).+)+)"
)
"""A block of code, or the lines of a paragraph or an item, of which there are several."""
_BREAK = re.compile(
    r"(?P<line>.*?(?P<left>[^\W\d_]{0,40}))(?P<hyphen>[-‐\u00ad]?)(?P<end>[ \t]*\n[ \t>]*)"
    r"(?=(?P<next>(?P<right>[^\W\d_]{0,40}).?))"
)
_WIDE = re.compile(rf"[{UNSPACED}\u3000-\u303f\uff00-\uffef]")
_NARROW = 40
"""Width of a paragraph of a page below which its lines are its own, as those of a verse or an address."""
GAP, LINE = "\ufdd0", "\ufdd1"
"""What stands in a flowing text for a character that isn't shown, and for the end of a line that stays.

Two of Unicode's noncharacters, which no text has: those of private use are the symbols of some fonts.
"""


def flow(text: str, known: str = "", *, paged: bool = False) -> str:
    """Return a Markdown text of the same length without the line ends in its paragraphs, with GAP and LINE.

    A word that a hyphen divides is joined where it occurs in the text or in what else is `known`. Of a `paged` text,
    whose lines are as wide as a page, narrow paragraphs keep theirs.
    """
    words = {*re.findall(r"[^\W\d_]+", f"{text}\n{known}".casefold())}

    def joined(block: re.Match[str]) -> str:
        whole = block[0]
        if not block["lines"] or re.search(r"(?m)^[ \t>]*:?-+:?[ \t]*\|", whole):
            return whole
        if paged and all(len(line) + len(_WIDE.findall(line)) < _NARROW for line in whole.split("\n")):
            return whole.replace("\n", LINE)
        return _BREAK.sub(partial(_join, words), whole)

    return _BLOCK.sub(joined, with_newlines(text))


def as_copied(text: str) -> str:
    """Return a flowing text as it is copied."""
    return text.replace(GAP, "").replace(LINE, "\n")


def _join(words: Set[str], match: re.Match[str]) -> str:
    """Return a line with what is between it and the next one."""
    line, left, hyphen, end, after, right = match.groups()
    if end.startswith("  ") or line.endswith("\\"):
        return match[0]
    between = GAP
    if hyphen and left and right:
        hyphen = GAP if hyphen == "\u00ad" or f"{left}{right}".casefold() in words else hyphen
    elif not (_WIDE.search(f"{line}{hyphen}"[-1:]) and _WIDE.match(after)):
        between = " "
    return f"{line}{hyphen}{between}{GAP * (len(end) - 1)}"
