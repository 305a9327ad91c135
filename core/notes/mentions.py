"""The sentence of a note in which it links to another one."""

import re
from collections.abc import Callable
from urllib.parse import unquote

MOST = 240
"""Characters of a sentence."""
_LINK = re.compile(r"\[\[([^\[\]|\n#^]{1,500}+)[^\[\]\n]{0,500}+\]\]|\]\(<?+([^()<>\s#]{1,500}+)[^()\n]{0,300}+\)")
_END = re.compile(r"[.!?…](?=\s)|[。！？]|\n")
_WORDS = re.compile(r"!?\[\[(?:[^\[\]|\n]{0,500}\|)?([^\[\]|\n]{0,500})\]\]|!?\[([^\[\]\n]{0,500})\]\([^()\n]{0,500}\)")
_SIGNS = re.compile(r"^(?:[-*+>#]+\s|\d{1,9}[.)]\s|\[.\]\s|\s)+|\*\*|__|==|`")


def sentence(body: str, is_wanted: Callable[[str], bool]) -> str:
    """Return the sentence around the first link whose target is wanted, as plain text; "" without one."""
    for link in _LINK.finditer(body):
        if is_wanted((link[1] or unquote(link[2])).removesuffix("\\").strip()):
            return _plain(_around(body, link.start(), link.end()))
    return ""


def _around(body: str, start: int, end: int) -> str:
    first = max(0, start - MOST)
    before = [stop.end() for stop in _END.finditer(body, first, start)]
    after = _END.search(body, end, end + MOST)
    return body[before[-1] if before else first : after.end() if after else end + MOST]


def _plain(text: str) -> str:
    shown = _WORDS.sub(lambda link: link[1] or link[2] or "", text.strip())
    shown = " ".join(_SIGNS.sub("", shown).split())
    return shown if len(shown) <= MOST else f"{shown[: MOST - 1]}…"
