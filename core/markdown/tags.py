"""Tags, by the same rules for notes, front matter and questions."""

import re
from collections.abc import Iterator

from core.base.text import compose, fold
from core.markdown.inline import Inline
from core.model import FORMULA, TAG, TAG_NAME, TAGS_FOLLOW

_WRITTEN = re.compile(rf"://[^\s<>()]*|{FORMULA}|{TAG}|\0(?P<literal>\d+)\0\#(?P<after>{TAG_NAME})")
_LIST = re.compile(r"[,，]|\s(?=#)")
_SIGNS = "#＃"


def normalize(text: str) -> str:
    """Return the stored form of a tag: composed (NFC), without the # and surrounding white space."""
    return compose(text.strip().lstrip(_SIGNS).strip())


def trim_tag(text: str) -> str:
    """Return the tag in a match of TAG_NAME, without a trailing sign that belongs to the sentence."""
    return compose(text.rstrip("/-"))


def key(text: str) -> str:
    """Return a key for a tag that is equal for spellings differing in case, width or traditional characters."""
    return fold(normalize(text))


def with_parents(tag: str) -> Iterator[str]:
    """Yield a tag and its parent tags: `a/b`, then `a`."""
    while tag:
        yield tag
        tag = tag.rpartition("/")[0].rstrip("/")


def split_list(text: str) -> Iterator[str]:
    """Yield the tags in a front matter list, separated by commas or each with its #."""
    for part in _LIST.split(text):
        if tag := normalize(part):
            yield tag


def in_text(inline: Inline) -> Iterator[str]:
    """Yield the tags in a text that has no link destinations."""
    for match in _WRITTEN.finditer(inline.text):
        literal = match["literal"]
        if match["tag"] or (literal and re.match(f"[{TAGS_FOLLOW}]", inline.literals[int(literal)].raw[-1])):
            yield trim_tag(match["tag"] or match["after"])
