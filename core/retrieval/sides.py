"""The things that a question names side by side, and what it says of all of them.

'For small files, zip or tar?' names zip and tar and says 'for small files' of both. The connective that parts
the sides is looked for outside of words that only contain it (和平, 参与), and the part of the question that holds
it is the sides; what stands before a colon or behind one is said of them all. Chinese has no spaces, so
that a side's end is told by the words that go on about it (各有, 怎么, 的, 在 ...); a word that stands in
the first side too is part of the name.

Patterns are written in simplified Chinese and read a text with its traditional characters simplified, each in its
place; what they find is then taken from the text itself.
"""

import re
from dataclasses import dataclass

from core.text import CJK, simplified

FIRST_NAME, LAST_NAME = 0xE000, 0xE0FF
"""Private characters that stand for phrases, so that no word in a phrase joins or ends anything."""

CONNECTIVES = {
    "and": re.compile(r"(?<=\s)(?:and|&)\s|以及|[和与跟、]", re.IGNORECASE),
    "or": re.compile(r"(?<=\s)or\s|还是|或者?|、", re.IGNORECASE),
    # Not the 'VS' of VS Code, which stands before its other word.
    "vs": re.compile(r"(?<![!-~])(?:vs\.?|versus)(?![!-~]|\s+code\b)", re.IGNORECASE),
}
"""What may stand between two sides: which of them a question uses depends on its form."""

CHINESE = re.compile(f"[{CJK}]")

_INSIDE = re.compile("[饱总温缓共柔中]和|和[平谐声解弦面]|[参给]与|与[否会]|跟[踪随进]")
"""Words in which these characters join nothing."""

_BREAK = re.compile(r"[:：;；?？。!！]+|\s[-–—]+\s|——")
_COMMA = re.compile(r"[,，]")
_SPACE = re.compile(r"\s+")
_ITEM = r"[^\s,，]+(?: [^\s,，]+){0,3}"
_ENUMERATION = re.compile(rf"((?:{_ITEM}, ?)+{_ITEM}),?(?: (?:and|or) |\s*[和与]\s*)(.+)", re.IGNORECASE)
"""'A, B and C', each but the last at most four words."""

_TAIL = re.compile(
    r"之间|两者|到底|各(?=有|自|$)|分别|有(?:什么|啥|何|哪|没有)|(?<![存现])在|哪|谁更|怎[么样]|如何|什么|是否|更|的"
    r"|适合|合适|划算|便宜|(?<!过)去"
    r"|\s(?:when|while|if|for|in|on|with|at|during|under|after|before|as|about|from|because|where|which|that|without)\b",
    re.IGNORECASE,
)
"""What goes on about the last side, behind its name."""

TOPICS = (
    re.compile(
        r"((?:when|where|what|which|should|is|are|do|does|can|would|how|for)\b.*\b(?:use|choose|pick|prefer|buy|get|take)"
        r"|(?:pros and cons|(?:dis)?advantages|benefits|drawbacks|performance) of)\s+(?=\S)",
        re.IGNORECASE,
    ),
    # Elsewhere 里 and 中 are parts of words.
    re.compile(r"在?(.+?(?:里面|[里中](?=[\sA-Za-z的])))的?\s*(?=.)"),
    re.compile(r"(.+)的\s*(?=.)"),
)
"""What stands before the first side's name."""

_ARTICLE = re.compile(r"(?:both|either|the|an?)\s+", re.IGNORECASE)
_NO_SIDE = re.compile(
    r"[^\w\ue000-\ue0ff]*_*|(?:.*\s)?(?:my|the|a|an|of|in|on|for|with|is|are|not|i|I|you|it|this|that|one)"
    r"|(?:two|both|all|several|multiple|different|these|those)\b.*|(?:.*\s)?(?i:what|which|who|why|how)\b.*"
    r"|[我你他她它这那]\S?|.*(?:为何|怎么|什么|谁|哪).*"
)
"""What is no name of a thing: a function word where the name should end, a plain 'these', or a question of its own."""

_EACH = re.compile(
    r"之间|两者|到底|各自?的?|分别|哪[个种款家](?:更|比较)?|谁更|^[是有]什么$|^在?哪[里儿]?$|^[的更]"
    r"|\b(?:each|both|which(?: one)?(?: is)?)\b",
    re.IGNORECASE,
)
"""What speaks of the sides together, and says nothing of a single one."""

_MOST_JOINTS = 8
"""Connectives that are tried, from the first: more stand in no comparison."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The things that are named, at least two or the subject of a list, and what is said of each."""

    things: tuple[str, ...]
    shared: str = ""


def split(text: str, by: str, *, topic: str = "", rest: str = "") -> Sides | None:
    """Return the sides that a connective of the kind `by` parts, None where the text names no two things.

    `topic` and `rest` are what the question says of them before and behind.
    """
    before, body, after = _around(_BREAK.split(text), by)
    listed = _ENUMERATION.fullmatch(body) if by != "vs" else None
    if listed:
        items = [*_COMMA.split(listed[1]), listed[2]]
    else:
        earlier, body, later = _around(_COMMA.split(body), by)
        before, after = [*before, *earlier], [*later, *after]
        items = _parted(body, by)
    if by == "or":
        items = [item.strip().removesuffix("好") or item for item in items]
    return of(items, [topic, *before], [*after, rest])


def of(items: list[str], before: list[str], after: list[str]) -> Sides | None:
    """Return the sides among `items`, the first without its topic and the last without what follows its name."""
    *others, last = [item.strip() for item in items]
    if not last or not others or not all(others):
        return None
    first, topic = _start(others[0], last)
    last, tail = _end(last, first)
    things = list(dict.fromkeys(_named(thing) for thing in (first, *others[1:], last)))
    if len(things) < 2 or any(_NO_SIDE.fullmatch(simplified(thing)) for thing in things):
        return None
    return Sides(tuple(things), _said_of_each(*before, topic, tail, *after))


def cut(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """Return the pieces of a text between the spans."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


def _said_of_each(*parts: str) -> str:
    """What is said of all sides as it can be said of one."""
    stripped = (part.strip(" ,，:：;；?？。!！.") for part in parts)
    alone = ("".join(cut(part, [each.span() for each in _EACH.finditer(simplified(part))])) for part in stripped)
    return " ".join(" ".join(alone).split()).strip(" ,，的")


def _around(segments: list[str], by: str) -> tuple[list[str], str, list[str]]:
    """What stands before, in and behind the first segment that holds a connective, nothing where none does."""
    for number, segment in enumerate(segments):
        if _joints(segment, by):
            return segments[:number], segment, segments[number + 1 :]
    return [], "", []


def _joints(text: str, by: str) -> list[tuple[int, int]]:
    """Where connectives stand, with something on both sides of each."""
    masked = _INSIDE.sub(lambda word: "\0" * len(word.group()), simplified(text))
    found = [joint.span() for joint in CONNECTIVES[by].finditer(masked)]
    return [(start, end) for start, end in found if text[:start].strip() and text[end:].strip()]


def _parted(text: str, by: str) -> list[str]:
    """The text in pieces: at every 'vs' and 、, else at the one connective that leaves the sides most alike."""
    joints = _joints(text, by)
    listed = [joint for joint in joints if text[slice(*joint)] == "、"]
    if listed:
        later = [joint for joint in joints if joint > listed[-1]]
        return cut(text, [*listed, *later[:1]])
    if by == "vs" or not joints:
        return cut(text, joints)
    best = min(joints[:_MOST_JOINTS], key=lambda joint: _unlike(text[: joint[0]], text[joint[1] :]))
    return cut(text, [best])


def _unlike(left: str, right: str) -> int:
    """How far two sides differ in length: a Chinese character counts one, another word two."""
    return abs(_weight(left) - _weight(_end(right.strip(), left.strip())[0]))


def _weight(text: str) -> int:
    return len(CHINESE.findall(text)) + 2 * len(CHINESE.sub(" ", text).split())


def _start(side: str, last: str) -> tuple[str, str]:
    """The first side's name, and the topic that stands before it."""
    plain = simplified(side)
    for pattern in TOPICS:
        topic = pattern.match(plain)
        if topic and not ("的" in topic[0] and "的" in last):
            return side[topic.end() :], side[slice(*topic.span(1))]
    for space in _spaces(side, last):
        if _alike(side[space.end()], last[0]):
            return side[space.end() :], side[: space.start()]
    return side, ""


def _end(side: str, other: str) -> tuple[str, str]:
    """The last side's name, and what is said behind it."""
    plain = simplified(other)
    tails = (tail for tail in _TAIL.finditer(simplified(side)) if tail.start() and tail[0].strip() not in plain)
    spaces = (space for space in _spaces(side, other) if _alike(side[space.start() - 1], other[-1]))
    end = min((found.start() for found in (*tails, *spaces)), default=len(side))
    return side[:end].strip(), side[end:].strip()


def _spaces(side: str, other: str) -> list[re.Match[str]]:
    """Spaces beside Chinese in a side, where the other side has none: the things of 'Redis 集群 和 哨兵' are short."""
    found, others = (
        [space for space in _SPACE.finditer(text) if CHINESE.search(text[space.start() - 1] + text[space.end()])]
        for text in (side, other)
    )
    return [] if others else found


def _alike(one: str, other: str) -> bool:
    """Whether two characters are of one script: 'Redis 集群 和 哨兵' has a topic, 'CAP 定理和 Raft' has none."""
    return bool(CHINESE.match(one)) == bool(CHINESE.match(other))


def _named(side: str) -> str:
    """A side without its article and its marks."""
    side = side.strip(" ,，.。:：")
    article = _ARTICLE.match(side)
    return side[article.end() :] if article else side
