"""The level a question is searched at.

A question that matches one of `rules` is exploratory: a comparison, a relation, a summary or a list. Filters
don't change that, because its parts keep them. Any other question with a quoted phrase, an excluded word or
a filter is focused; the rest are simple.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.base.messages import Message, message
from core.base.text import simplified
from core.model import Classified, ExploratoryKind, Term, Understood
from core.query import compared_things
from core.query.rules import RULES

MOST_CHARACTERS = 300
"""Maximum length of a question that the rules read; a longer one is a pasted text."""

SIMPLE = message("It is one question, searched as it stands.")

_POLITE = re.compile(
    r"(?:(?:please|ok|so|can you|could you|help me|i(?: want| need|'d like| would like)(?: to)?|explain)\b[\s,]*"
    r"|(?:请问|请|麻烦你?|帮我|帮忙|给我|能不能|我?想知道|我想|告诉我|问一?下|说一?下|讲讲|解释一?下)[\s,，]*)+",
    re.IGNORECASE,
)
"""Polite openings, which are removed before the rules apply."""

_SHOWN = 60
"""Maximum length of a thing in the reason."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """Match of a rule: the `things` that the question names. A list or a summary has one."""

    kind: ExploratoryKind
    reason: Message
    things: tuple[str, ...]
    shared: str
    chinese: bool


def classify(understood: Understood, match: Recognised | None) -> Classified:
    """Return the level of a question with its reason; `match` is that of the rules."""
    if match:
        return Classified("exploratory", match.reason)
    narrowing = [_written(term) for term in understood.terms if term.kind not in ("words", "emphasis")]
    if narrowing:
        return Classified("focused", message("It narrows the search: {words}.", words=" ".join(narrowing)))
    return Classified("simple", SIMPLE)


def recognise(text: str, phrases: Sequence[str] = ()) -> Recognised | None:
    """Return the match of the first rule that fits a question, None where none fits.

    A phrase counts as one name, whatever words it has.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    question, names = _phrases_as_names(text, phrases)
    question = question.strip(" ?？.。!！,，")
    polite = _POLITE.match(simplified(question))
    question = question[polite.end() :] if polite else question
    plain = simplified(question)
    for rule in RULES:
        match = rule.form.fullmatch(plain)
        named = _named(match, question) if match else None
        if match and named:
            things = tuple(thing.translate(names) for thing in named.things)
            words = _decisive(match, question).translate(names)
            reason = replace(rule.reason, fields={"things": [*map(_quoted, things)], "words": _quoted(words)})
            chinese = bool(compared_things.CHINESE.search(question))
            return Recognised(rule.kind, reason, things, named.shared.translate(names), chinese)
    return None


def _phrases_as_names(text: str, phrases: Sequence[str]) -> tuple[str, dict[int, str]]:
    """Return the question with a private character for each phrase, and the phrase of each character."""
    question = " ".join(text.replace("’", "'").split())
    names: dict[int, str] = {}
    for number, phrase in enumerate(sorted(phrases, key=len, reverse=True), compared_things.FIRST_NAME):
        plain = " ".join(phrase.replace("’", "'").split())
        if plain and number <= compared_things.LAST_NAME:
            names[number] = phrase
            question = question.replace(plain, chr(number))
    return question, names


def _named(match: re.Match[str], question: str) -> compared_things.ComparedThings | None:
    """Return the sides that a matched question names, or the subject of a list or summary."""
    groups = {name: question[slice(*match.span(name))] for name in match.re.groupindex}
    topic, rest = groups.pop("topic", ""), groups.pop("rest", "")
    if "subject" in groups:
        subject = " ".join(f"{groups['subject']}{rest}".split()).strip(" ,，、的:：")
        return compared_things.ComparedThings((subject,)) if subject else None
    if "a" in groups:
        return compared_things.split_sides([groups["a"], groups["b"]], [topic], [rest])
    ((connective, text),) = groups.items()
    return compared_things.split(text, connective, topic=topic, rest=rest)


def _decisive(match: re.Match[str], question: str) -> str:
    """Return the words that make it a list or a summary: all except the subject."""
    spans = [match.span(name) for name in ("subject", "rest") if match.groupdict().get(name)]
    return "…".join(piece.strip() for piece in compared_things.cut(question, spans) if piece.strip())


def _quoted(text: str) -> Message:
    return message("'{text}'", text=text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _written(term: Term) -> str:
    """Return a term as typed."""
    value = f'"{term.value}"' if term.kind == "phrase" or " " in term.value else term.value
    minus = "-" if term.negated or term.kind == "excluded" else ""
    name = "" if term.kind in ("phrase", "excluded") else f"{term.field or term.kind}:"
    return f"{minus}{name}{value}"
