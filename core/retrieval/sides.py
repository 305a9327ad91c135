"""The things that a question names side by side, and what it says of all of them.

'For small files, zip or tar?' names zip and tar and says 'for small files' of both. The connective that parts
the sides is looked for outside of words that only contain it (和平, 参与), and the part of the question that holds
it is the sides; what stands before a colon or behind one is said of them all. Chinese has no spaces, so
that a side's end is told by the words that go on about it (各有, 怎么, 的, 在 ...); a word that stands in
the first side too is part of the name.
"""

import re
from dataclasses import dataclass

from core.retrieval.traditional import compiled
from core.text import CJK

FIRST_NAME, LAST_NAME = 0xE000, 0xE0FF
"""Private characters that stand for phrases, so that no word in a phrase joins or ends anything."""

VERSUS = rf"(?:(?<=\s)|(?<=[{CJK}])|(?<=[\ue000-\ue0ff]))(?:vs\.?|versus)(?=[\s{CJK}\ue000-\ue0ff])(?!\s+code\b)"
"""Between two things; not the 'VS' of VS Code, which stands before its other word."""

CONNECTIVES = {
    "and": compiled(r"(?:,\s*)?(?<=[\s,])(?:and|&)\s|以及|[和与跟同及、]", re.IGNORECASE),
    "or": compiled(r"(?:,\s*)?(?<=[\s,])or\s|还是|或者|或|、", re.IGNORECASE),
    "to": compiled(r"(?<=\s)(?:with|to|against|and)\s|[和与跟同及、]", re.IGNORECASE),
    "vs": re.compile(rf"{VERSUS}\.?", re.IGNORECASE),
}
"""What may stand between two sides: which of them a question uses depends on its form."""

_INSIDE = compiled(
    "[饱总求温缓共调柔亲混中平之谐附]和|和[平谐声解弦面服牛尚气睦蔼乐棋暖煦]|[参给赋授]与|与[否会其非门]|跟[踪随进帖]|[脚鞋高]跟"
    "|[共相不合协陪雷混如等]同|同[步时意样事学类一名行比城义盟伴胞态构轴族济位源桌胜]|[以涉普埃顾波企遍提]及|及[时格其早物第]|来得及|与此同时"
)
"""Words in which these characters join nothing."""

_BREAK = re.compile(r"[:：;；?？。!！]+|\s[-–—]+\s|——")
_COMMA = re.compile(r"[,，]")
_TAIL_ZH = compiled(
    r"各有|各自|各(?![种类个位国地项界省族])|分别|有(?:什么|啥|何|哪|没有)|(?<![存正现所内外实潜好])在(?![线职校籍场])"
    r"|哪[个种款家一]|谁(?=更|比|好|快)|怎么|怎样|如何|什么|是否|能否|是不是|会不会|更适合|更[好快强]|的"
)
_TAIL_EN = re.compile(
    r"\s(?:when|while|if|for|in|on|with|at|during|under|after|before|as|regarding|about|from|because|since|where|which"
    r"|that|into|across|without|using)\b",
    re.IGNORECASE,
)
_CHOICE_TAIL = compiled(
    r"(?:哪个)?(?:更|比较|最)?(?:好(?=$|用|吃|看|些|一|呢)|适合|合适|划算|合算|值得|靠谱|省钱|便宜|快(?=$))|(?<![失过回出进上下])去(?![年掉除世])"
)
_TOPIC_ZH = compiled(
    r"(?:在|对于|关于)?(.{1,40}?(?:里面|当中|之中|里(?!程|约|斯|氏)|(?<=.)中(?![文国间断心医午介级学等位值性序])|方面|领域|场景下))的?\s*(?=.)"
)
_OF_ZH = re.compile(r"(.+的)\s*(?=.)")
_TOPIC_EN = re.compile(
    r"((?:when|where|what|which|should|is|are|do|does|can|would|how|for)\b.*"
    r"\b(?:use|choose|pick|prefer|buy|get|take|learn)"
    r"|(?:pros and cons|advantages and disadvantages|advantages|disadvantages|benefits|drawbacks|strengths|weaknesses"
    r"|performance|speed|costs?|prices?|merits|use cases) of)\s+(?=\S)",
    re.IGNORECASE,
)
_CHOOSING_ZH = compiled(r"(.*?(?:选择|选用|使用|应该用|应该选|该用|要用|该选|应该|选))\s*(?=..)")
_CHOOSING_END = compiled(r"(?:应该|该|要)*(?:选择|选用|使用|用|选)$|应该$")
_ARTICLE = compiled(
    r"(?:both|either|between|the|a|an)\s+(?=\S)|到底|究竟|(?:是|该|用|选)(?=[A-Za-z])|一下", re.IGNORECASE
)
_NO_SIDE = compiled(
    r"[^\w\ue000-\ue0ff]*_*|(?:.*\s)?(?:my|the|a|an|of|in|on|for|with|is|are|not|i|I|you|it|this|that|me|them|him|her)"
    r"|(?:two|both|all|several|multiple|different|many|these|those)\b.*|(?:.*\s)?(?i:what|which|who|whom|why|how)\b.*"
    r"|[不没]\S?|[这那它他她]\S?|之间|.*(?:为何|怎么|什么|谁|哪).*"
)
"""What is no name of a thing: a function word where the name should end, a plain 'these', or a question of its own."""

_EACH = compiled(
    r"各自(?:的)?|分别|各(?=有|是)|哪[个种款家](?:更|比较)?|谁更|(?:应该|该)选|到底|究竟|^[是有]什么$|^在?哪[里儿]?$|^[的更]"
    r"|\b(?:each|both|respectively|which(?: one)?(?: is| are| should (?:i|we)(?: use)?| to (?:use|choose|pick))?)\b",
    re.IGNORECASE,
)
"""What speaks of the sides together, and says nothing of a single one."""

_LEAD_IN = re.compile(r"(?:what(?:'s| is| are)|is there|are there)?\s*(?:the|an?|any)?(?: main| key)?$", re.IGNORECASE)

_CHINESE = re.compile(f"[{CJK}]")
_SPACE_BESIDE_CHINESE = re.compile(rf"(?<=[{CJK}])\s+(?=\S)|(?<=\S)\s+(?=[{CJK}])")
_WEIGHED = re.compile(rf"[{CJK}]|(?:(?![{CJK}])\S)+")
_MOST_WORDS = 4
"""Of a thing in an enumeration: 'A, B and C'."""
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
    found = _around(_BREAK.split(text), by)
    if found is None:
        return None
    before, body, after = found
    items = _enumerated(body, by)
    if items is None:
        found = _around(_COMMA.split(body), by)
        if found is None:
            return None
        before, body, after = [*before, *found[0]], found[1], [*found[2], *after]
        items = _parted(body, by)
    if by == "or":
        items = [item.strip().removesuffix("好") or item for item in items]
    return of(items, [topic, *before], [*after, rest])


def of(items: list[str], before: list[str], after: list[str]) -> Sides | None:
    """Return the sides among `items`, the first without its topic and the last without what follows its name."""
    *others, last = [item.strip() for item in items]
    if not last or not all(others):
        return None
    first, topic = _start(others[0], last)
    last, tail = _end(last, first)
    if not topic:
        first, topic = _spaced(first, last)
    things = list(dict.fromkeys(_named(thing) for thing in (first, *others[1:], last)))
    if len(things) < 2 or any(_NO_SIDE.fullmatch(thing) for thing in things):
        return None
    return Sides(tuple(things), said_of_each(*before, topic, tail, *after))


def said_of_each(*parts: str) -> str:
    """Return what is said of all sides as it can be said of one."""
    stripped = (_LEAD_IN.sub("", part.strip(" ,，:：;；?？。!！.")) for part in parts)
    cleaned = (_EACH.sub(lambda word: " " if word.group().isascii() else "", part) for part in stripped)
    return " ".join(" ".join(cleaned).split()).strip(" ,，的")


def _around(segments: list[str], by: str) -> tuple[list[str], str, list[str]] | None:
    """What stands before, in and behind the first segment that holds a connective."""
    for number, segment in enumerate(segments):
        if _joints(segment, by):
            return segments[:number], segment, segments[number + 1 :]
    return None


def _joints(text: str, by: str) -> list[tuple[int, int]]:
    """Where connectives stand, with something on both sides of each."""
    masked = _INSIDE.sub(lambda word: "\0" * len(word.group()), text)
    found = [joint.span() for joint in CONNECTIVES[by].finditer(masked)]
    return [(start, end) for start, end in found if text[:start].strip() and text[end:].strip()]


def _enumerated(text: str, by: str) -> list[str] | None:
    """The items of 'A, B and C'; None where a comma parts something else."""
    *firsts, last = _COMMA.split(text)
    if not firsts or by == "vs":
        return None
    joints = _joints(last, by)
    lead = re.match(r"\s*(?:and|or)\s+", last, re.IGNORECASE)
    if lead:
        ends = [last[lead.end() :]]
    elif joints:
        ends = [last[: joints[0][0]], last[joints[0][1] :]]
    else:
        return None
    items = [*firsts, *ends]
    short = all(0 < len(item.split()) <= _MOST_WORDS and not _TAIL_EN.match(f" {item.strip()}") for item in items[:-1])
    enough = len(items) > 2 and not _CHINESE.search("".join(firsts))
    return items if short and enough else None


def _parted(text: str, by: str) -> list[str]:
    """The text in pieces: at every 'vs' and 、, else at the one connective that leaves the sides most alike."""
    joints = _joints(text, by)
    listed = [joint for joint in joints if text[joint[0] : joint[1]] == "、"]
    if listed:
        later = [joint for joint in joints if joint[0] > listed[-1][0]]
        return _cut(text, [*listed, *later[:1]])
    if by == "vs":
        return _cut(text, joints)
    pieces = _cut(text, joints)
    words = {piece.strip() for piece in pieces}
    if len(words) == len(pieces) > 2 and not _CHINESE.search(text) and not any(" " in word for word in words):
        return pieces
    spaced = [
        (start, end) for start, end in joints if text[start - 1 : start].isspace() and text[end : end + 1].isspace()
    ]
    best = min((spaced or joints)[:_MOST_JOINTS], key=lambda joint: _unlike(text[: joint[0]], text[joint[1] :]))
    return _cut(text, [best])


def _cut(text: str, joints: list[tuple[int, int]]) -> list[str]:
    ends = [0, *(end for _, end in joints)]
    starts = [*(start for start, _ in joints), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


def _unlike(left: str, right: str) -> int:
    """How far two sides differ in length: a Chinese character counts one, another word two."""
    return abs(_weight(left) - _weight(_end(right.strip(), left.strip())[0]))


def _weight(text: str) -> int:
    return sum(1 if _CHINESE.match(word) else 2 for word in _WEIGHED.findall(text))


def _end(side: str, other: str) -> tuple[str, str]:
    """The last side's name, and what is said behind it."""
    ends = [len(side)]
    for tails in (_TAIL_ZH, _TAIL_EN, _CHOICE_TAIL):
        ends += [tail.start() for tail in tails.finditer(side) if tail.start() and tail.group().strip() not in other][
            :1
        ]
    for space in _SPACE_BESIDE_CHINESE.finditer(side):
        if not _SPACE_BESIDE_CHINESE.search(other) and _alike(side[space.start() - 1], other[-1]):
            ends.append(space.start())
    return side[: min(ends)].strip(), side[min(ends) :].strip()


def _start(side: str, last: str) -> tuple[str, str]:
    """The first side's name, and the topic that stands before it."""
    for pattern in (_TOPIC_EN, _TOPIC_ZH, _CHOOSING_ZH, _OF_ZH):
        topic = pattern.match(side)
        if topic and not (pattern is _OF_ZH and "的" in last):
            return side[topic.end() :], _CHOOSING_END.sub("", topic[1]).removesuffix("的")
    return side, ""


def _spaced(side: str, last: str) -> tuple[str, str]:
    """The same of 'Redis 集群 和 哨兵', where nothing but a space parts them."""
    for space in _SPACE_BESIDE_CHINESE.finditer(side):
        if not _SPACE_BESIDE_CHINESE.search(last) and _alike(side[space.end()], last[0]):
            return side[space.end() :], side[: space.start()]
    return side, ""


def _alike(one: str, other: str) -> bool:
    """Whether two characters are of one script: 'Redis 集群 和 哨兵' has a topic, 'CAP 定理和 Raft' has none."""
    return bool(_CHINESE.match(one)) == bool(_CHINESE.match(other))


def _named(side: str) -> str:
    """A side without its article and its marks."""
    side = side.strip(" ,，.。:：")
    article = _ARTICLE.match(side)
    return side[article.end() :] if article else side
