"""Limits on questions and filters. They apply to the search box, commands, the API, assistants and question sets."""

from collections.abc import Collection

from core.base.errors import QueryError
from core.base.text import find_half_character
from core.model import Filters

QUESTION = 10_000
# Maximum number of characters in literal text, such as a phrase, part of a line, or a filter's value.
PART = 1_000
# Maximum number of filters in a question, and of its phrases and excluded words taken together.
#
# This limit and VALUES keep queries within SQLite's limits.
FILTERS = 100
VALUES = 400


def check_question(text: str) -> None:
    if len(text) > QUESTION:
        raise QueryError(
            "The question has {n} characters; the limit is {most}. Shorten it.", n=len(text), most=QUESTION
        )


def check_part(text: str) -> None:
    """Raise QueryError if text to be matched literally is too long or can't be stored in a database."""
    if len(text) > PART:
        raise QueryError(
            "The text '{start}…' has {n} characters; the limit for an exact search is {most}. Shorten it.",
            start=text[:20],
            n=len(text),
            most=PART,
        )
    if find_half_character(text) is not None or "\0" in text:
        raise QueryError(
            "The search text or a filter contains an incomplete character. Delete the character, or type it again."
        )


def check_terms(terms: Collection[str]) -> None:
    if len(terms) > FILTERS:
        raise QueryError("There are {n} filters; the limit is {most}. Delete some.", n=len(terms), most=FILTERS)
    for term in terms:
        check_part(term)


def check_filters(filters: Filters) -> None:
    """Raise QueryError if there are too many filters or values, or if a value is too long."""
    several = [condition.values for condition in filters.conditions]
    if len(several) > FILTERS:
        raise QueryError("There are {n} filters; the limit is {most}. Delete some.", n=len(several), most=FILTERS)
    for values in several:
        if len(values) > VALUES:
            raise QueryError("A filter has {n} values; the limit is {most}. Delete some.", n=len(values), most=VALUES)
        for value in values:
            check_part(value)
