"""Find the items a question compares ("sides"), and the text that applies to all of them.

In 'For small files, zip or tar?', zip and tar are compared, and 'for small files' applies to both sides. A connective
inside a word (和平, 参与) doesn't count. The sides are in the segment with the connective. Text separated from it by a
colon applies to all sides. Chinese has no spaces, so words such as 各有, 怎么, 的 and 在 mark the end of a side. If the
first side contains such a word too, the word is treated as part of the name instead.

Patterns are written in simplified Chinese and matched against simplified text. Results are slices of the original text.
"""

import re
from collections.abc import Sequence

from core.base.blobs import Span
from core.base.frozen import Pair, Texts, frozen
from core.base.text import CHINESE, simplify

Segments = list[str]

FIRST_NAME = 0xE000
# Range of private-use characters that replace phrases, so that no word in a phrase counts as a connective.
LAST_NAME = 0xE0FF

# Connectives between two sides, keyed by kind. Each decomposition rule names the kind that it looks for.
CONNECTIVES = {
    "and": re.compile(r"(?i)(?<=\s)(?:and|&)\s|以及|[和与跟、]"),
    "or": re.compile(r"(?i)(?<=\s)or\s|还是|或者?|、"),
    # But not the 'VS' in 'VS Code'.
    "vs": re.compile(r"(?i)(?<![!-~])(?:vs\.?|versus)(?![!-~]|\s+code\b)"),
}

# Words that contain a connective's character but aren't connectives.
_INSIDE = re.compile("[饱总温缓共柔中]和|和[平谐声解弦面]|[参给]与|与[否会]|跟[踪随进]")

_COMMA = re.compile(r"[,，]")
_ITEM = r"[^\s,，]+(?: [^\s,，]+){0,3}"
# 'A, B and C', where every item but the last has at most four words.
_ENUMERATION = re.compile(rf"(?i)((?:{_ITEM}, ?)+{_ITEM}),?(?: (?:and|or) |\s*[和与]\s*)(.+)")

# Words that end the last side's name.
_TAIL = re.compile(
    r"(?i)之间|两者|到底|各(?=有|自|$)|分别|有(?:什么|啥|何|哪|没有)|(?<![存现])在|哪|谁更|怎[么样]|如何|什么|是否|更|的"
    r"|适合|合适|划算|便宜|(?<!过)去"
    r"|\s(?:when|while|if|for|in|on|with|at|during|under|after|before|as|about|from|because|where|which|that|without)\b",
)

# Topics that may precede the first side's name.
TOPICS = (
    re.compile(
        r"(?i)((?:when|where|what|which|should|is|are|do|does|can|would|how|for)\b.*\b(?:use|choose|pick|prefer|buy|get|take)"
        r"|(?:pros and cons|(?:dis)?advantages|benefits|drawbacks|performance) of)\s+(?=\S)",
    ),
    # Elsewhere, 里 and 中 are parts of words.
    re.compile(r"在?(.+?(?:里面|[里中](?=[\sA-Za-z的])))的?\s*(?=.)"),
    re.compile(r"(.+)的\s*(?=.)"),
)

# Text that can't be a name: it ends in a function word, starts with a word like 'these', or is itself a question.
_NO_SIDE = re.compile(
    r"[^\w\ue000-\ue0ff]*_*|(?:.*\s)?(?:my|the|a|an|of|in|on|for|with|is|are|not|i|I|you|it|this|that|one)"
    r"|(?:two|both|all|several|multiple|different|these|those)\b.*|(?:.*\s)?(?i:what|which|who|why|how)\b.*"
    r"|[我你他她它这那]\S?|.*(?:为何|怎么|什么|谁|哪).*"
)

# Words that refer to all sides together. They are removed from the text that applies to each side.
_EACH = re.compile(
    r"(?i)之间|两者|到底|各自?的?|分别|哪[个种款家](?:更|比较|最)?(?:好$)?|谁更(?:好$)?|^[是有]什么$|^在?哪[里儿]?$|^[的更]"
    r"|\b(?:(?:what(?:'s| is| are) )?(?:the )?(?:main )?differences?|how (?:do|are) (?:they|these) differ(?:ent)?"
    r"|what (?:happens|is) (?:with )?each(?: one)?|each|both|which(?: one)?(?: is)?(?: (?:better|best)$)?)\b",
)

# Maximum number of connectives to try, starting from the first.
_MOST_JOINTS = 8


@frozen
class ComparedThings:
    """The items that a question compares, and the text that applies to each of them.

    There are at least two items, except for a list or a summary, whose only item is the subject.
    """

    things: Texts
    shared: str = ""


def split(text: str, by: str, *, topic: str = "", rest: str = "") -> ComparedThings | None:
    """Split text into sides at a connective of the kind `by`, or return None if there are fewer than two sides.

    `topic` and `rest` are the parts of the question before and after the text.
    """
    before, body, after = _around(re.split(r"[:：;；?？。!！]+|\s[-–—]+\s|——", text), by)
    listed = _ENUMERATION.fullmatch(body) if by != "vs" else None
    if listed:
        items = [*_COMMA.split(listed[1]), listed[2]]
    else:
        earlier, body, later = _around(_COMMA.split(body), by)
        before = [*before, *earlier]
        after = [*later, *after]
        items = _split_at_closest(body, by)
    if by == "or":
        items = [item.strip().removesuffix("好") or item for item in items]
    return split_sides(items, [topic, *before], [*after, rest])


def split_sides(items: Segments, before: Segments, after: Segments) -> ComparedThings | None:
    """Return `items` as sides, or None if they don't name at least two.

    The topic is removed from the first side, and the tail from the last side.
    """
    *others, last = [item.strip() for item in items]
    if not last or not others or not all(others):
        return None
    first, topic = _start(others[0], last)
    last, tail = _end(last, first)
    names = (thing.strip(" ,，.。:：") for thing in (first, *others[1:], last))
    things = list(dict.fromkeys(re.sub(r"(?i)\A(?:both|either|the|an?)\s+", "", name) for name in names))
    if len(things) < 2 or any(_NO_SIDE.fullmatch(simplify(thing)) for thing in things):
        return None
    parts = (part.strip(" ,，:：;；?？。!！.") for part in (*before, topic, tail, *after))
    # The text that applies to each side separately.
    shared = ("".join(cut(part, [match.span() for match in _EACH.finditer(simplify(part))])) for part in parts)
    return ComparedThings(tuple(things), " ".join(" ".join(shared).split()).strip(" ,，的"))


def cut(text: str, spans: Sequence[Span]) -> Segments:
    """Return the text before, between and after the given spans."""
    ends = [0, *(end for _, end in spans)]
    return [text[end:start] for end, start in zip(ends, [*(start for start, _ in spans), len(text)], strict=True)]


def _around(segments: Segments, by: str) -> tuple[Segments, str, Segments]:
    """Return the segments before the first segment with a connective, that segment, and the segments after it.

    If no segment contains a connective, all three values are empty.
    """
    for number, segment in enumerate(segments):
        if _joints(segment, by):
            return segments[:number], segment, segments[number + 1 :]
    return [], "", []


def _joints(text: str, by: str) -> list[Span]:
    """Return the spans of connectives that have text on both sides."""
    masked = _INSIDE.sub(lambda word: "\0" * len(word.group()), simplify(text))
    spans = [joint.span() for joint in CONNECTIVES[by].finditer(masked)]
    return [(start, end) for start, end in spans if text[:start].strip() and text[end:].strip()]


def _split_at_closest(text: str, by: str) -> Segments:
    """Split text at every 'vs' or 、. Without these, split it at the connective whose sides are closest in length."""
    joints = _joints(text, by)
    listed = [joint for joint in joints if text[slice(*joint)] == "、"]
    if listed:
        return cut(text, [*listed, *[joint for joint in joints if joint > listed[-1]][:1]])
    if by == "vs" or not joints:
        return cut(text, joints)

    def unlike(joint: Span) -> int:
        """Return how much the lengths of the two sides differ. A Chinese character counts as 1, any other word as 2."""
        left = text[: joint[0]]
        sides = left, _end(text[joint[1] :].strip(), left.strip())[0]
        first, second = (len(CHINESE.findall(side)) + 2 * len(CHINESE.sub(" ", side).split()) for side in sides)
        return abs(first - second)

    return cut(text, [min(joints[:_MOST_JOINTS], key=unlike)])


def _start(side: str, last: str) -> Pair:
    """Return the first side's name, and the topic before that name."""
    plain = simplify(side)
    for pattern in TOPICS:
        topic = pattern.match(plain)
        if topic and not ("的" in topic[0] and "的" in last):
            return side[topic.end() :], side[slice(*topic.span(1))]
    for space in _spaces(side, last):
        if _share_script(side[space.end()], last[0]):
            return side[space.end() :], side[: space.start()]
    return side, ""


def _end(side: str, other: str) -> Pair:
    """Return the last side's name, and the text after that name."""
    plain = simplify(other)
    tails = (tail for tail in _TAIL.finditer(simplify(side)) if tail.start() and tail[0].strip() not in plain)
    spaces = (space for space in _spaces(side, other) if _share_script(side[space.start() - 1], other[-1]))
    end = min((match.start() for match in (*tails, *spaces)), default=len(side))
    return side[:end].strip(), side[end:].strip()


def _spaces(side: str, other: str) -> list[re.Match[str]]:
    """Return the spaces next to Chinese characters in a side.

    Return an empty list if the other side has such spaces too (Redis 集群 和 哨兵).
    """
    own, others = (
        [space for space in re.finditer(r"\s+", text) if CHINESE.search(text[space.start() - 1] + text[space.end()])]
        for text in (side, other)
    )
    return [] if others else own


def _share_script(first: str, second: str) -> bool:
    """Return whether both characters are Chinese, or neither is. For example, 'CAP 定理和 Raft' has no topic."""
    return bool(CHINESE.match(first)) == bool(CHINESE.match(second))
