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
from core.retrieval.rules import RULES, Rule
from core.retrieval.traditional import compiled
from core.text import CJK

MOST_CHARACTERS = 300
"""Of a question that the rules read; what is longer is a text that somebody pasted."""

NARROWS = "It narrows the search: {words}."
SIMPLE = "It is one question, searched as it stands."

_POLITE = compiled(
    r"(?:(?:please|kindly|hey|ok|so|and|well|can you|could you|would you|help me(?: to)?"
    r"|i(?: want| need|'d like| would like) (?:you )?to|i want|i need|i wonder"
    r"|explain(?: to me)?|describe|remind me(?: of)?)\b[\s,]*(?!$)"
    r"|(?:请问|请|麻烦你?|帮我|帮忙|给我|能不能|可不可以|我?想知道|我想|告诉我|问一下|想问一?下?|说说|说一?下|讲讲|解释一?下"
    r"|(?:怎么|如何)理解|搞清楚)[\s,，]*)+",
    re.IGNORECASE,
)
"""What only asks that it be told, and the rules don't see."""

_NO_SUBJECT = compiled(
    r"^(?:give|show|tell|find|get) me |^(?:my |the )?notes (?:on|about) |^(?:what|which) "
    r"|\b(?:have|did|do|should) (?:i|we)\b ?"
    r"| ?\b(?:are|exist)(?: there)?(?: available)?$"
    r"|^(?:一下|把|将|有?关于|里面?|所有(?!权|者)|全部|一切|找出|找到|查找)+ ?"
    r"|(?:相关|有关)?的(?:所有|全部|一切)的?(?:内容|资料|信息|笔记|知识)?$|(?:相关|有关)的(?:内容|资料|信息|笔记|知识)$",
    re.IGNORECASE,
)
"""What surrounds the subject of a list or a summary."""

_CHINESE = re.compile(f"[{CJK}]")
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
    polite = _POLITE.match(question)
    question = question[polite.end() :] if polite else question
    for rule in RULES:
        found = rule.pattern.fullmatch(question)
        named = _named(rule, found) if found else None
        if found and named:
            things = tuple(thing.translate(names) for thing in named.things)
            words = found.groupdict().get("words", "").strip()
            reason = rule.reason.format(things=", ".join(map(_quoted, things)), words=_quoted(words))
            chinese = bool(_CHINESE.search(question))
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


def _named(rule: Rule, found: re.Match[str]) -> sides.Sides | None:
    """What a question that has the rule's form names; of a list and a summary, the subject."""
    groups = {name: text or "" for name, text in found.groupdict().items()}
    topic, rest = groups.get("topic", ""), groups.get("rest", "")
    if "sides" in groups:
        return sides.split(groups["sides"], rule.by, topic=topic, rest=rest)
    if "a" in groups:
        return sides.of([groups["a"], groups["b"]], [topic], [rest])
    start, end = found.span("words")
    between = " " if groups["words"].isascii() else ""
    left = f"{found.string[:start]}{between}{found.string[end:]}"
    subject = _NO_SUBJECT.sub("", " ".join(left.split())).strip(" ,，、的:：")
    return sides.Sides((subject,)) if subject else None


def _quoted(text: str) -> str:
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[:_SHOWN]}…'"


def _written(term: Term) -> str:
    """A term as it is typed."""
    value = f'"{term.value}"' if term.kind == "phrase" or " " in term.value else term.value
    minus = "-" if term.negated or term.kind == "excluded" else ""
    name = "" if term.kind in ("phrase", "excluded") else f"{term.field or term.kind}:"
    return f"{minus}{name}{value}"
