"""The tasks of a note: list items that begin with `[ ]` or `[x]`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.markdown.parser import Parsed
from core.markdown.titles import visible

_BOX = re.compile(r"\[(?P<mark>[ xX])\][ \t]+(?=\S)")


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done, as it is seen; `body[start:end]` is its paragraph from the `[` on."""

    text: str
    done: bool
    start: int
    end: int


def tasks(parsed: Parsed) -> Iterator[Task]:
    """Yield the tasks of a body in reading order; of a parent with tasks below it, its own paragraph."""
    previous = ""
    for token in parsed.tokens:
        if token.type == "paragraph_open" and previous == "list_item_open" and (box := _BOX.match(token.content)):
            first, end = parsed.span(token)
            yield Task(
                visible(token.content[box.end() :], parsed.references),
                box["mark"] != " ",
                parsed.body.index("[", first),
                end,
            )
        previous = token.type
