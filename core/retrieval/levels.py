"""The level a question is searched at.

The first rule of `rules` whose form the question has makes it exploratory: a comparison, a relation, a summary
or a list, also where it has filters, for its parts keep them. Else what narrows the search (a quoted phrase,
an excluded word, a filter) makes it focused, and every other question is simple.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.model import Classified, ExploratoryKind, Term, Understood
from core.retrieval import sides
from core.retrieval.rules import RULES
from core.text import simplified

MOST_CHARACTERS = 300
"""Of a question that the rules read; what is longer is a text that somebody pasted."""

NARROWS = "It narrows the search: {words}."
SIMPLE = "It is one question, searched as it stands."

_POLITE = re.compile(
    r"(?:(?:please|ok|so|can you|could you|help me|i(?: want| need|'d like| would like)(?: to)?|explain)\b[\s,]*"
    r"|(?:请问|请|麻烦你?|帮我|帮忙|给我|能不能|我?想知道|我想|告诉我|问一?下|说一?下|讲讲|解释一?下)[\s,，]*)+",
    re.IGNORECASE,
)
"""What only asks that it be told, and the rules don't see."""

_SHOWN = 60
"""Characters of a thing in the reason."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a rule says of a question: the `things` it names, of which a list or a summary has one."""

    kind: ExploratoryKind
    reason: str
    things: tuple[str, ...]
    shared: str
    chinese: bool


def classify(understood: Understood) -> Classified:
    """Return the level of a question and the sentence that says why."""
    found = recognise(understood.text, understood.phrases)
    if found:
        return Classified("exploratory", found.reason)
    narrowing = [_written(term) for term in understood.terms if term.kind != "words"]
    if narrowing:
        return Classified("focused", NARROWS.format(words=" ".join(narrowing)))
    return Classified("simple", SIMPLE)


def recognise(text: str, phrases: Sequence[str] = ()) -> Recognised | None:
    """Return what the first rule that fits says of a question, None where none does.

    A phrase is one name, whatever words are in it.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    question, names = _phrases_as_names(text, phrases)
    question = question.strip(" ?？.。!！,，")
    polite = _POLITE.match(simplified(question))
    question = question[polite.end() :] if polite else question
    plain = simplified(question)
    for rule in RULES:
        found = rule.form.fullmatch(plain)
        named = _named(found, question) if found else None
        if found and named:
            things = tuple(thing.translate(names) for thing in named.things)
            words = _decisive(found, question).translate(names)
            reason = rule.reason.format(things=", ".join(map(_quoted, things)), words=_quoted(words))
            chinese = bool(sides.CHINESE.search(question))
            return Recognised(rule.kind, reason, things, named.shared.translate(names), chinese)
    return None


def _phrases_as_names(text: str, phrases: Sequence[str]) -> tuple[str, dict[int, str]]:
    """The question with one private character for each phrase, and what each stands for."""
    question = " ".join(text.replace("’", "'").split())
    names: dict[int, str] = {}
    for number, phrase in enumerate(sorted(phrases, key=len, reverse=True), sides.FIRST_NAME):
        plain = " ".join(phrase.replace("’", "'").split())
        if plain and number <= sides.LAST_NAME:
            names[number] = phrase
            question = question.replace(plain, chr(number))
    return question, names


def _named(found: re.Match[str], question: str) -> sides.Sides | None:
    """What a question that has a rule's form names; of a list and a summary, the subject."""
    groups = {name: question[slice(*found.span(name))] for name in found.re.groupindex}
    topic, rest = groups.pop("topic", ""), groups.pop("rest", "")
    if "subject" in groups:
        subject = " ".join(f"{groups['subject']}{rest}".split()).strip(" ,，、的:：")
        return sides.Sides((subject,)) if subject else None
    if "a" in groups:
        return sides.of([groups["a"], groups["b"]], [topic], [rest])
    ((connective, text),) = groups.items()
    return sides.split(text, connective, topic=topic, rest=rest)


def _decisive(found: re.Match[str], question: str) -> str:
    """The words that make it a list or a summary: all but the subject."""
    spans = [found.span(name) for name in ("subject", "rest") if found.groupdict().get(name)]
    return "…".join(piece.strip() for piece in sides.cut(question, spans) if piece.strip())


def _quoted(text: str) -> str:
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[:_SHOWN]}…'"


def _written(term: Term) -> str:
    """A term as it is typed."""
    value = f'"{term.value}"' if term.kind == "phrase" or " " in term.value else term.value
    minus = "-" if term.negated or term.kind == "excluded" else ""
    name = "" if term.kind in ("phrase", "excluded") else f"{term.field or term.kind}:"
    return f"{minus}{name}{value}"
