"""Decomposition of a question into sub-queries, by rules or by a language model."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.base.frozen import frozen
from core.base.messages import Message, message
from core.base.text import one_line, simplify
from core.model import NOT_NARROWING, Classified, Decomposition, ExploratoryKind, Level, SubQuery, Term, Understood
from core.query import compared_things
from core.query.rules import RULES

if TYPE_CHECKING:
    from core.providers.chat import Chat

# The level a question is searched at.

SIMPLE = message("It is one question, searched as it is.")

_POLITE = re.compile(
    r"(?i)(?:(?:please|ok|so|can you|could you|help me|i(?: want| need|'d like| would like)(?: to)?|explain)\b[\s,]*"
    r"|(?:请问|请|麻烦你?|帮我|帮忙|给我|能不能|我?想知道|我想|告诉我|问一?下|说一?下|讲讲|解释一?下)[\s,，]*)+",
)
"""Polite openings, which are removed before the rules apply."""

_SHOWN = 60
"""Maximum length of a thing in the reason."""


@frozen
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
    narrowing = [_restore_phrases(term) for term in understood.terms if term.kind not in NOT_NARROWING]
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
    polite = _POLITE.match(simplify(question))
    question = question[polite.end() :] if polite else question
    plain = simplify(question)
    for rule in RULES:
        match = rule.form.fullmatch(plain)
        named = _named_things(match, question) if match else None
        if match and named:
            things = tuple(thing.translate(names) for thing in named.things)
            words = _decisive_words(match, question).translate(names)
            reason = replace(rule.reason, fields={"things": [*map(_quote, things)], "words": _quote(words)})
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


def _named_things(match: re.Match[str], question: str) -> compared_things.ComparedThings | None:
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


def _decisive_words(match: re.Match[str], question: str) -> str:
    """Return the words that make it a list or a summary: all except the subject."""
    spans = [match.span(name) for name in ("subject", "rest") if match.groupdict().get(name)]
    return "…".join(piece.strip() for piece in compared_things.cut(question, spans) if piece.strip())


def _quote(text: str) -> Message:
    return message("'{text}'", text=text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _restore_phrases(term: Term) -> str:
    """Return a term as typed."""
    value = f'"{term.value}"' if term.kind == "phrase" or " " in term.value else term.value
    minus = "-" if term.negated or term.kind == "excluded" else ""
    name = "" if term.kind in ("phrase", "excluded") else f"{term.field or term.kind}:"
    return f"{minus}{name}{value}"


SIDE, SUBJECT, BOTH, PART = message("one side"), message("the subject"), message("both sides"), message("a part")
"""Kinds of sub-queries: one compared or related thing, the subject, all things, a part named by a language model."""
WHOLE = message("the whole question")
"""The reason of the sub-query that is no part."""

ASPECTS = {
    "list": ((message("kinds"), "种类"), (message("examples"), "例子")),
    "summary": (
        (message("definition"), "是什么"),
        (message("how to"), "怎么做"),
        (message("examples"), "例子"),
        (message("problems"), "问题"),
    ),
}
"""Aspects that are added to the subject of a list or a summary: the English words and the Chinese words."""

TASK = """You take a question to someone's notes apart into smaller questions that are searched one by one.
You are given JSON: "question", and "most", the largest number of smaller questions.
Each smaller question stands by itself, names the thing it is about in the question's own words and language, and \
asks for one thing. Add nothing that isn't asked.
Reply with one JSON list of strings only, such as ["backups of the database", "backups of the photos"]."""

MOST_CHARACTERS = 300
"""Maximum length of a sub-query from a language model."""


@frozen
class ClassifiedQuestion:
    """The level of a question, and the parts of an exploratory one."""

    level: Classified
    parts: Decomposition | None = None


def classify_question(understood: Understood, level: Level) -> ClassifiedQuestion:
    """Return the level of a question, the rules' for `auto`, and the parts of an exploratory one by the rules."""
    match = recognise(understood.text, understood.quoted) if level in ("auto", "exploratory") else None
    result = Classified(level, message("You chose this kind of search."))
    if level == "auto":
        result = classify(understood, match)
    if result.level != "exploratory" or not understood.text.strip():
        return ClassifiedQuestion(result)
    whole = Decomposition("summary", (SubQuery(understood.text, WHOLE),))
    return ClassifiedQuestion(result, decompose(match) if match else whole)


def decompose(match: Recognised, *, limit: int = 6) -> Decomposition:
    """Decompose an exploratory question into at most `limit` parts.

    A comparison gives each side with the shared text. A relation also gives both sides together. A list or
    a summary gives the subject, alone and with each aspect. A phrase is never split.
    """
    return Decomposition(match.kind, _drop_repeats(_parts(match), limit))


def decompose_by_model(text: str, kind: ExploratoryKind, chat: "Chat", *, limit: int = 6) -> Decomposition:
    """Decompose a question of a kind with a language model.

    Raises ProviderError for a failure, and for an answer that is not a list of questions.
    """
    answer = _strings(chat.ask(TASK, {"question": text, "most": limit}))
    whole = " ".join(text.split()).casefold()
    parts = _drop_repeats((SubQuery(part, PART) for part in answer if part.casefold() != whole), limit)
    if not parts:
        raise chat.server.unusable("didn't give a list of smaller questions")
    return Decomposition(kind, parts, by=chat.server.model)


def _parts(match: Recognised) -> Iterable[SubQuery]:
    if match.kind in ("list", "summary"):
        (subject,) = match.things
        yield SubQuery(subject, SUBJECT)
        for aspect, in_chinese in ASPECTS[match.kind]:
            text = f"{subject} {in_chinese if match.chinese else aspect}"
            yield SubQuery(text, message("aspect: {aspect}", aspect=aspect))
        return
    for thing in match.things:
        yield SubQuery(f"{thing} {match.shared}".strip(), SIDE)
    if match.kind == "relation":
        yield SubQuery(" ".join((*match.things, match.shared)).strip(), BOTH)


def _drop_repeats(parts: Iterable[SubQuery], limit: int) -> tuple[SubQuery, ...]:
    first: dict[str, SubQuery] = {}
    for part in parts:
        first.setdefault(part.text.casefold(), part)
    return tuple(first.values())[:limit]


def _strings(answer: str) -> list[str]:
    """Return the last JSON list of strings in an answer, else an empty list."""
    from core.providers.chat import values  # takes a fifth of a second, which other searches avoid

    for strings in values(answer, r"\["):
        if strings and all(isinstance(part, str) and len(part) <= MOST_CHARACTERS for part in strings):
            return [line for line in map(one_line, strings) if any(map(str.isalnum, line))]
    return []
