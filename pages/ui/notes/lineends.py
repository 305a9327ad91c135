"""The ends of lines of a text that was edited where only one kind of them is known."""

import re
from collections import Counter
from difflib import SequenceMatcher

_END = re.compile(r"\r\n?|\n")


def with_ends(text: str, before: str) -> str:
    """Return an edited text, which has the ends `\\n`, with those of the text before; a new line gets the commonest."""
    if "\r" not in before:
        return text
    ends = _END.findall(before)
    commonest = Counter(ends).most_common(1)[0][0]
    old, new = _END.split(before), text.split("\n")
    of_line = [commonest] * len(new)
    for start, at, size in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for number in range(size):
            if start + number < len(ends):
                of_line[at + number] = ends[start + number]
    return "".join(line + end for line, end in zip(new[:-1], of_line[:-1], strict=True)) + new[-1]
