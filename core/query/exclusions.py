"""Exclusions in a question's own words: 除了Redis以外的缓存, caches except Redis, 不用烤箱的蛋糕."""

import re
from collections.abc import Iterable

from core.base.text import CJK, fold, simplify
from core.query import contents
from core.query.metadata import ASKS_HOW, MOST_CHARACTERS, name_pattern

_WORD = r"[^\s\\,，。；;？?！!()（）]+"
_THING = rf"(?P<thing>{_WORD}(?: (?!(?:for|in|on|with|from|when|that|which|are|is|do)\b){_WORD}){{0,4}}?)"
_NAME = r"(?P<thing>[^\s\\，,。；;？?！!（）()的]{1,30}?)"
_LEAD = "(?:请|帮我|给我|我想|我|有没有|有哪些|有什么|查找|查|找|搜索|搜|要|看|列出|所有|全部|一下|些|的)*+"
_STARTS = rf"(?:(?<![{CJK}])|(?<=[找看要的有查搜做些么]))"
_END = r"(?=\s*(?:[,，.。;；?？!！)）]|\Z|\s(?:for|in|on|with|from|when)\b))"
_NOT = (
    "不要|不用|不含|不是|不包括|不包含|不涉及|不使用|不需要|不带|不放|不加|不看|不算|排除|去掉|除掉|剔除|别要|没有|非"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # 除了Redis以外的缓存；除Redis外还有哪些缓存；除了Redis，还有什么缓存；but 删除外键
        rf"(?<![删清移去扣排解消免开])除(?:了|去|开)?\s*{_NAME}\s*(?:(?:以外|之外|外(?![键部观网包]))(?:的(?!话)|[，,])?|[，,]"
        r"|(?=还有|其他|其它|别的|都有))\s*(?:其他|其它|别的|所有|全部)*的?",
        # Redis以外的缓存；缓存（Redis除外）
        rf"[，,（(]?\s*(?<![{CJK}]){_LEAD}{_NAME}\s*(?:除外|以外|之外)(?:的|[)）]|\Z)",
        # 不用Redis的缓存；非Redis的缓存
        rf"(?P<keeps>{_STARTS}(?:不(?:[使采]?用|含有?|要|包括|包含|涉及|放|加|带|需要|依赖|基于|是)|非)\s*{_NAME}\s*的(?=\s*\w))",
        # 缓存，但不要Redis；缓存（不含Redis）
        rf"(?:[，,（(]\s*(?:但是?|可是?|而)?|但是?|可是?)\s*(?:{_NOT})(?:关于|有关)?\s*{_NAME}\s*(?:的|了)?\s*[)）]?"
        r"(?=[。！!？?\s]*\Z)",
        # Besides Redis, which caches are there
        rf"\A\s*(?:except(?: for)?|besides|apart from|aside from|other than)\s+(?:the\s+)?{_THING}\s*,\s*",
        # caches except Redis; X but not Y
        r",?\s*\b(?:except(?:ing)?(?: for)?|excluding|other than|apart from|aside from|besides|but not|not counting"
        r"|not including|leaving out|save for|(?:that (?:are|is) )?not about|that do(?:es)?(?:n['’]t| not) use)"
        rf"\s+(?:(?:the|any|about|on|using|with)\s+)?{_THING}{_END}",
        # caches that aren't Redis
        rf"\s+that (?:are|is)n['’]t\s+(?:about\s+)?{_THING}(?=\s*[?？.。]*\s*\Z)",
        # caches without Redis, but no whole sentence; non-Redis caches
        rf"\A\s*(?!(?:can|could|do|does|is|are|should|may|must)\b)(?:{_WORD} ){{1,4}}"
        r"(?P<keeps>(?:without(?: using)?|not (?:using|with))\s+(?:(?:the|any|an?)\s+)?"
        rf"(?P<thing>(?!\w+ing\b){_WORD}(?: {_WORD})?)(?=\s*[?？.。]*\s*\Z))",
        r"(?P<keeps>\b(?:non|not)-(?P<thing>(?-i:[A-Z])[\w.+#]*)(?=\s))",
    )
)
_ONES = re.compile(r"(?i)\s+(?:ones?|notes?|stuff|things?)\Z|[做写用]\Z")
_AND = re.compile(r"\s+(?:and|or|nor)\s+|[和与跟、及或,，]\s*")


def excepted(typed: str) -> tuple[int, int, tuple[str, ...], bool] | None:
    """Return the start, the end and the excluded things of an exclusion, None if the question has none.

    The last value tells whether its words also describe the subject (caches without Redis) and stay in the search.
    """
    text = simplify(typed[:MOST_CHARACTERS])
    if len(typed) > MOST_CHARACTERS or ASKS_HOW.search(text):
        return None
    for match in filter(None, (form.search(text) for form in _FORMS)):
        keeps = "keeps" in match.groupdict()
        whole, thing = (typed[slice(*match.span(group))] for group in ("keeps" if keeps else 0, "thing"))
        rest = typed.replace(whole, " ")
        if any(map(str.isalnum, rest)) and not contents.is_frame(rest):
            things = tuple(filter(None, map(str.strip, _AND.split(_ONES.sub("", thing)))))
            return match.end() - len(whole.lstrip()), match.end(), things, keeps
    return None


_NEGATED = (
    r"(?P<negated>(?:(?<![a-z])(?:without|no|not|non|except(?: for)?|excluding|minus|avoid|than|of)"
    r"(?:[\s-]+(?:the|an?|any|using))*[\s-]+"
    r"|(?:不[用含要放加带是]|不使用|不需要?|没有|没|无需?|非|免|除了?|代替|替代)\s?))?"
)
_ALONGSIDE = r"\s*(?:vs\.?(?![a-z])|versus|(?<![a-z])(?:and|or)(?![a-z])|[和与跟、/,，&+或及])\s*"


def share_about(things: Iterable[str], titles: Iterable[str], text: str) -> float:
    """Return how much a text is about the given things, from 0 to 1.

    It is 1 if a title names only these things, and 0.25 if every title that names them also names others. If no title
    does, it is the share of lines that name them, provided that it is more than half. Negated mentions don't count: a
    note on logging in without a password isn't about passwords.
    """
    thing = f"(?:{'|'.join(name_pattern(fold(thing)) for thing in things)})"

    def names(text: str) -> bool:
        return any(not match["negated"] for match in re.finditer(_NEGATED + thing, text))

    if named := [title for title in map(fold, titles) if names(title)]:
        beside = re.compile(rf"\w{_ALONGSIDE}{thing}|{thing}{_ALONGSIDE}\w")
        return 0.25 if all(map(beside.search, named)) else 1.0
    lines = [names(line) for line in fold(text).splitlines() if line.strip()]
    return sum(lines) / len(lines) if 2 * sum(lines) > len(lines) else 0.0
