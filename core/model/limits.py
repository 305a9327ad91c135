"""The limits of questions and filters, for the search box, commands, the API, assistants and question sets."""

from collections.abc import Collection

from core.base.errors import QueryError
from core.base.text import find_half_character
from core.model import Filters

QUESTION = 10_000
"""Characters of a question at most, its filters included."""
PART = 1_000
"""Characters at most of a text that is searched literally: a phrase, a part of a line, a value of a filter."""
FILTERS = 100
"""Filters of a question at most, and phrases; with VALUES they are within the limits of SQLite."""
VALUES = 400
"""Values of a filter at most, any of which matches."""


def check_question(text: str) -> None:
    """Raise QueryError for a question that is too long."""
    if len(text) > QUESTION:
        raise QueryError(
            "The question has {n} characters; at most {most} can be searched for.", n=len(text), most=QUESTION
        )


def check_part(text: str) -> None:
    """Raise QueryError for a text that is too long to be searched literally, or that no database can hold."""
    if len(text) > PART:
        raise QueryError(
            "The text '{start}…' has {n} characters; at most {most} can be searched for exactly.",
            start=text[:20],
            n=len(text),
            most=PART,
        )
    if find_half_character(text) is not None or "\0" in text:
        raise QueryError("A filter contains half of a character. Delete it, or type it again.")


def check_terms(terms: Collection[str]) -> None:
    """Raise QueryError for terms of filters that are too many, or too long."""
    if len(terms) > FILTERS:
        raise QueryError("There are {n} filters; at most {most} can narrow a search.", n=len(terms), most=FILTERS)
    for term in terms:
        check_part(term)


def check_filters(filters: Filters) -> None:
    """Raise QueryError for filters that are too many, or too long."""
    several = [condition.values for condition in filters.conditions]
    if len(several) > FILTERS:
        raise QueryError("There are {n} filters; at most {most} can narrow a search.", n=len(several), most=FILTERS)
    for values in several:
        if len(values) > VALUES:
            raise QueryError("A filter has {n} values; at most {most} can narrow a search.", n=len(values), most=VALUES)
        for value in values:
            check_part(value)
