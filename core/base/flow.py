"""Conversion of hard-wrapped text to flowing text. Verses, code, tables and lists keep their lines."""

import re
from collections.abc import Set
from functools import partial
from itertools import zip_longest

from core.base.fences import open_fence
from core.base.text import UNSPACED, with_newlines

# A code block, or a paragraph or list item of several lines.
_BLOCK = re.compile(
    r"(?m)^[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*+(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}|\$\$(?=[ \t]*$))"
    r"(?s:.*?)(?:\n[ \t>]*(?P=fence)(?:(?<=\$).*|[`~]*[ \t]*$)|\Z)"
    r"|^(?! {4}|\t)(?![ \t>]*(?:$|[#|<=$]|-{3,}[ \t]*$|\[!|!!! |\?{3}))"
    r"(?P<lines>.+(?:\n(?![ \t>]*(?:$|[-*+•][ \t]|\d+[.)][ \t]|\d+、|#{1,6}[ \t]"
    r"|[|<]|`{3}|~{3}|={2,}[ \t]*$|={3}[!+]? |-{2,}[ \t]*$|\$\$|!!! |\?{3})).+)+)"
)
# A line break in a paragraph, with the hyphen and spaces before it and the quote marks after it.
_BREAK = re.compile(r"(?P<hyphen>[-‐\u00ad]?)(?P<end>(?<![ \t])[ \t]*+\n[ \t>]*)")
_LAST_LETTERS = re.compile(r"[^\W\d_]{1,40}\Z")
_FIRST_LETTERS = re.compile(r"[^\W\d_]{1,40}")
_WIDE = re.compile(rf"[{UNSPACED}\u3000-\u303f\uff00-\uffef]")
# Width below which a paragraph on a page keeps its lines, as a verse or an address would.
_NARROW = 40
# The beginning of a line such as "Phone: 123".
_LABELLED = re.compile(
    r"[ \t>]*[^\s\[:：,，.。!！?？;；][^\n:：,，.。!！?？;；]{0,30}(?:：|:(?=\s|[^\x00-\x7f]|[`*_]))"
)
# Pattern for a table row with bars at both ends.
ROW = re.compile(r"[ \t>]*+\|.*\|[ \t]*$")
# Pattern for the line of dashes below a table's header.
RULE = re.compile(r"[ \t>]*+\|?+(?:[ \t]*+:?+-++:?+[ \t]*+\|)++(?:[ \t]*+:?+-++:?+)?+[ \t]*+$")
_BAR = re.compile(r"(?<!\\)\|")
# The last letter of a name, if it is wide, and what follows the letter.
_WIDE_LAST = re.compile(rf"[{UNSPACED}][\W_]*\Z")
# The colon at the end of a column's name, which may be in markup.
_OWN_COLON = re.compile(r"[:：](?=[*_`]*\Z)")
# Placeholders in flowing text for a hidden character and for a line break that is kept.
#
# They are Unicode noncharacters, which never occur in text. Private-use characters are symbols in some fonts.
GAP = "\ufdd0"
LINE = "\ufdd1"


def flow(text: str, known: str = "", *, paged: bool = False, fence: str = "") -> str:
    """Remove the line breaks within paragraphs of Markdown, using GAP and LINE to keep the length the same.

    A word hyphenated at the end of a line is joined if the whole word occurs in the text or in `known`. In `paged`
    text, whose lines are as wide as a page, narrow paragraphs keep their lines. Lines that each begin with a label and
    a colon are kept, too. `fence` is the opening line of the fence in which the text begins.
    """
    words = {*re.findall(r"[^\W\d_]+", f"{text}\n{known}".casefold())}

    def joined(block: re.Match[str]) -> str:
        whole = block[0]
        if not block["lines"] or re.search(r"(?m)^[ \t>]*:?-+:?[ \t]*\|", whole):
            return whole
        lines = whole.split("\n")
        if all(map(_LABELLED.match, lines)) or (
            paged and all(len(line) + len(_WIDE.findall(line)) < _NARROW for line in lines)
        ):
            return re.sub(r"\n([ \t>]*)", lambda match: LINE + GAP * len(match[1]), whole)
        return _BREAK.sub(partial(_join, words), whole)

    head = f"{fence}\n" if fence else ""
    return _BLOCK.sub(joined, head + with_newlines(text))[len(head) :]


def as_copied(text: str) -> str:
    """Return flowing text without its placeholders, for the clipboard."""
    return text.replace(GAP, "").replace(LINE, "\n")


def cells(row: str) -> list[str]:
    """Return the cells of a table row, with or without bars at its ends."""
    return [cell.strip() for cell in _BAR.split(row.strip(" \t\n>").strip("|"))]


def named_cells(row: str, header: str) -> list[str]:
    """Return the nonempty cells of a table row, each preceded by the name of its column, if there is one."""
    named = zip_longest(cells(header), cells(row), fillvalue="")
    return [_as_label(name) + cell if name else cell for name, cell in named if cell]


def _as_label(name: str) -> str:
    """Return a column's name followed by a colon, which is wide if the name's last letter is.

    A colon at the end of the name is replaced.
    """
    name = _OWN_COLON.sub("", name)
    return name + ("：" if _WIDE_LAST.search(name) else ": ")


def as_row(row: str, header: str = "") -> str:
    """Return a table row as running text, with dots between its cells. Each cell is preceded by its column's name."""
    return " · ".join(named_cells(row, header))


def without_bars(text: str, fence: str = "") -> str:
    """Return the text with its table rows as running text and without the dashes below table headers.

    Code stays unchanged. `fence` is the opening line of the fence in which the text begins.
    """
    lines = []
    for line in text.splitlines():
        before, fence = fence, open_fence(line, fence)
        if before or fence or line.startswith(("    ", "\t")):
            lines.append(line)
        elif not RULE.fullmatch(line):
            lines.append(as_row(line) if ROW.fullmatch(line) else line)
    return "\n".join(lines)


def _join(words: Set[str], match: re.Match[str]) -> str:
    """Return the text that replaces a line break and any hyphen before it. A hard break stays unchanged."""
    hyphen, end = match.groups()
    text = match.string
    start = match.start()
    if end.startswith("  ") or text[start - 1 : start] == "\\":
        return match[0]
    between = GAP
    left = _LAST_LETTERS.search(text, max(0, start - 40), start) if hyphen else None
    right = _FIRST_LETTERS.match(text, match.end())
    if left and right:
        hyphen = GAP if hyphen == "\u00ad" or f"{left[0]}{right[0]}".casefold() in words else hyphen
    elif hyphen or not (_WIDE.match(text, start - 1) and _WIDE.match(text, match.end())):
        between = " "
    return f"{hyphen}{between}{GAP * (len(end) - 1)}"
