"""Answers of tools: values for programs, texts for models, and remarks about omissions."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from core.base.errors import QueryError

MOST = 100
"""Results of one call at most."""
MOST_CHARACTERS = 50_000
"""Characters of note text in one answer at most: a model reads about 12,000 tokens of it."""

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """Answer of a tool: an object or a list. `text` is what a model reads in place of its JSON, then `remarks`."""

    value: Item | list[Item]
    text: str | None = None
    remarks: tuple[str, ...] = ()


def limit_results(
    items: Iterable[Item], most: int, characters: int = MOST_CHARACTERS, remarks: Iterable[str] = ()
) -> ToolAnswer:
    """Return at most so many results with so many characters of `content` in all, and a remark on the rest."""
    rest = iter(items)
    chosen: list[Item] = []
    notices = [*remarks]
    left = 0
    for item in islice(rest, most):
        content = str(item.get("content", ""))
        if len(content) > characters and chosen:
            left = 1
            break
        chosen.append(item | {"content": content[:characters]} if content else item)
        if len(content) > characters:
            notices.append(f"The last content is shortened: it has {len(content)} characters.")
            break
        characters -= len(content)
    if left := left + sum(1 for _ in rest):
        notices.append(f"{left} more results are left out. Ask more narrowly, or for more at a time.")
    return ToolAnswer(chosen, remarks=tuple(notices))


def as_json(value: object) -> str:
    """Return a value as a model reads it."""
    return json.dumps(value, ensure_ascii=False)


def check_limit(number: int, most: int) -> int:
    """Return the number, at most the largest possible one; raises QueryError below 1."""
    if number < 1:
        raise QueryError("The number is {n}; it must be at least 1.", n=number)
    return min(number, most)
