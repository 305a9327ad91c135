"""Decomposition of a question into sub-queries, by rules or by a language model."""

from collections.abc import Iterable

from core.base.messages import message
from core.base.text import one_line
from core.model import Classified, Decomposition, ExploratoryKind, Level, SubQuery, Understood
from core.providers.chat import Chat, values
from core.query.levels import Recognised, classify, recognise

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


def classified(understood: Understood, level: Level) -> tuple[Classified, Decomposition | None]:
    """Return the level of a question, the rules' for `auto`, and the parts of an exploratory one by the rules."""
    match = recognise(understood.text, understood.quoted) if level in ("auto", "exploratory") else None
    result = Classified(level, message("You chose this kind of search."))
    if level == "auto":
        result = classify(understood, match)
    if result.level != "exploratory" or not understood.text.strip():
        return result, None
    return result, decompose(match) if match else Decomposition("summary", (SubQuery(understood.text, WHOLE),))


def decompose(match: Recognised, *, limit: int = 6) -> Decomposition:
    """Decompose an exploratory question into at most `limit` parts.

    A comparison gives each side with the shared text. A relation also gives both sides together. A list or
    a summary gives the subject, alone and with each aspect. A phrase is never split.
    """
    return Decomposition(match.kind, _distinct(_parts(match), limit))


def decompose_by_model(text: str, kind: ExploratoryKind, chat: Chat, *, limit: int = 6) -> Decomposition:
    """Decompose a question of a kind with a language model.

    Raises ProviderError for a failure, and for an answer that is not a list of questions.
    """
    answer = _strings(chat.ask(TASK, {"question": text, "most": limit}))
    whole = " ".join(text.split()).casefold()
    parts = _distinct((SubQuery(part, PART) for part in answer if part.casefold() != whole), limit)
    if not parts:
        raise chat.server.unusable(message("didn't give a list of smaller questions"))
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


def _distinct(parts: Iterable[SubQuery], limit: int) -> tuple[SubQuery, ...]:
    first: dict[str, SubQuery] = {}
    for part in parts:
        first.setdefault(part.text.casefold(), part)
    return tuple(first.values())[:limit]


def _strings(answer: str) -> list[str]:
    """Return the last JSON list of strings in an answer, else an empty list."""
    for strings in values(answer, "["):
        if strings and all(isinstance(part, str) and len(part) <= MOST_CHARACTERS for part in strings):
            return [line for line in map(one_line, strings) if any(map(str.isalnum, line))]
    return []
