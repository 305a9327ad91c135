"""The sentences of a note that hold a number, each without it: two notes with one of them may disagree."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.base.text import digest, fold
from core.retrieval.highlights import sentences

LONGEST = 300
"""Characters of a sentence at most."""
LEAST_WORDS, LEAST_CHARACTERS = 4, 10
"""Words, or characters of a language without spaces, beside the number: shorter sentences say too little."""

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_PLACED = re.compile(
    r"\d{4}[-/.年]\d{1,2}|\d{1,2}:\d{2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|月"
    r"|\b(?:chapter|figure|listing|page|section|step|table|version)\s+\d|[图表第]\s*\d",
    re.IGNORECASE,
)
"""Dates, times and numbers of places: that they differ is no contradiction."""
_PREFIX = re.compile(r"^(?:[-*+>#\s]|\d+[.)]\s)+")
_WIDE = re.compile(r"[㐀-鿿぀-ヿ가-힯]")


@dataclass(frozen=True, slots=True)
class Claims:
    """A note as it is compared with others: the hash of its text, empty for a text without words, and its sentences
    with numbers, by what they say without them: the numbers and the sentence itself.
    """

    text: bytes
    numbers: Mapping[str, tuple[str, str]]


def extract_claims(body: str) -> Claims:
    """Return the claims of a note's text; a sentence that it says twice with two numbers contradicts nothing."""
    folded = " ".join(fold(body).split())
    numbers: dict[str, tuple[str, str]] = {}
    twice: set[str] = set()
    for start, end in sentences(body):
        sentence = _PREFIX.sub("", body[start:end])
        if len(sentence) > LONGEST or not (values := _NUMBER.findall(sentence)) or _PLACED.search(sentence):
            continue
        rest = " ".join(_NUMBER.sub("#", fold(sentence)).split()).rstrip(".。!！")
        words = [word for word in rest.split() if word.strip("#")]
        if len(words) < LEAST_WORDS and len(_WIDE.findall(rest)) < LEAST_CHARACTERS:
            continue
        claim = " ".join(values), sentence
        if numbers.setdefault(rest, claim)[0] != claim[0]:
            twice.add(rest)
    return Claims(
        digest(folded) if len(folded) >= LEAST_CHARACTERS else b"",
        {rest: claim for rest, claim in numbers.items() if rest not in twice},
    )
