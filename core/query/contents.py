"""Filters on the contents of notes in a question's own words: "notes with a table", 包含代码示例的笔记."""

import re

from core.base.frozen import frozen
from core.markdown.parts import DIAGRAMS

_IN_CHINESE = {
    "code": "(?:示例|样例|例子)?代码(?:示例|样例|例子|片段|块)?",
    "diagram": DIAGRAMS,
    "image": "图片|照片|截图|插图|配图",
    "table": "表格",
    "link": "(?:超|外部?)?链接",
    "task": "待办(?:事项|任务|清单)?|任务清单|复选框",
}
_IN_ENGLISH = {
    "code": "code(?: (?:example|sample|snippet|block)s?)?",
    "diagram": "(?:(?:architecture|block|class|data ?flow|er|flow|network|sequence|state|system|uml) )?diagrams?"
    "|(?:flow ?|bar |pie |line |gantt )?charts?|mind ?maps?",
    "image": "pictures?|images?|photos?|screenshots?",
    "table": "tables?",
    "link": "links?",
    "task": "(?:open )?tasks?|task lists?|to-?dos?|check ?boxes",
}


def _things(names: dict[str, str]) -> str:
    return "|".join(f"(?P<{thing}>{pattern})" for thing, pattern in names.items())


_NOTES = "笔记|文档|文章|资料|记录|页面|段落|内容|文件"
_VERB = (
    "(?:(?P<negated>不|(?<!有)没有?|未)(?:包含|含有?|带有?|附有?|有)?"
    "|包含|含有?|(?<!热)带有?|附有|附带|画[了有]|(?<![没所拥])有)[了着]?"
)
_BEFORE_NOTES = re.compile(
    rf"{_VERB}\s?(?:{_things(_IN_CHINESE)})的\s?(?:(?:{_NOTES})|(?=[^，。；！？,.;!?]{{1,20}}(?:{_NOTES})))"
)
_AFTER_NOTES = re.compile(
    rf"(?:(?<={_NOTES})|(?<=(?:{_NOTES})[里中]))(?:里|中)?面?都?{_VERB}\s?(?:{_things(_IN_CHINESE)})[吗呢]?(?=[?？。！!\s]*\Z)"
)
_AT_THE_END = re.compile(rf"{_VERB}\s?(?P<diagram>{DIAGRAMS})的?[吗呢]?(?=[?？。！!\s]*\Z)")
_WITH = (
    r"(?P<negated>without|with no|that (?:don['’]t|do not) (?:have|contain))"
    r"|with|containing|including|(?:(?:that|which) )?(?:have|has|contains?|includes?|shows?)|showing"
)
_ENGLISH_NOTES = re.compile(
    r"(?i)(?:notes?|pages?|documents?|passages?|files?|articles?)"
    rf" (?:{_WITH}) (?:(?:a|an|any|some|the) )?(?:{_things(_IN_ENGLISH)})(?![\w-])"
    r"(?=\s*(?:\Z|[?.!,;，。？#]|(?:about|on|for|from|in|by|that|which|since|updated|created|(?(diagram)of|on))\b|\w+:))",
)
_ENGLISH_AT_THE_END = re.compile(
    rf"(?i)(?:(?P<negated>without)|with|containing|including|showing) (?:(?:a|an|any|some|the) |(?!charts?\b))"
    rf"(?P<diagram>{_IN_ENGLISH['diagram']})(?=[?.!\s]*\Z)",
)
_CHINESE, _ENGLISH = (_BEFORE_NOTES, _AFTER_NOTES, _AT_THE_END), (_ENGLISH_NOTES, _ENGLISH_AT_THE_END)
_ASKING = re.compile(r"(?i)\s*(?:how|why|when|where|who|should|can|could|do|does|is|are|what (?:is|are))\b")
_ASKING_IN_CHINESE = re.compile("怎么|怎样|如何|为什么|为何|是否|该不该")
_PICTURE = re.compile(
    r"(?i)\b(?:pictures?|images?|photo(?:graph)?s?|screenshots?|snapshots?)\b|图片|照片|相片|截图|插图|配图|图像|画面",
)
_FRAME = re.compile(
    r"(?i)(?:请|帮我|帮忙|给我|我想|我要|找到|找出|查找|搜索|搜|列出|显示|查看|看看|找|有没有|有哪些|哪些|哪几篇|哪篇|所有|全部|一下|我|的|里|中"
    rf"|{_NOTES}|[，。？！、]|[\s?.!,;]|\b(?:find|show|list|get|give|search|look|for|me|all|of|the|my|any|every|which|what"
    r"|notes?|pages?|documents?|passages?|files?|articles?|please|are|there|only)\b)++",
)
_BEGINNINGS = frozenset("不没未包含带附有画里中面都nNpPdDfFaAwWcCiIsS")
"""The first characters of all patterns, for quickly ruling out most positions."""


@frozen
class ContentTerm:
    """A filter on the contents of notes: a value of the field `has`, and the end of its words in the question."""

    value: str
    end: int
    negated: bool


def named(text: str, start: int) -> ContentTerm | None:
    """Return the content filter that a question names at `start`, which must not be inside a Latin word."""
    if text[start : start + 1] not in _BEGINNINGS:
        return None
    is_english = text[start].isascii()
    found = (pattern.match(text, start) for pattern in (_ENGLISH if is_english else _CHINESE))
    match = next(filter(None, found), None)
    if not match or (_ASKING.match(text) if is_english else _ASKING_IN_CHINESE.search(text, 0, start)):
        return None
    groups = match.groupdict()
    value = next(name for name in _IN_CHINESE if groups.get(name))
    return ContentTerm(value, match.end(), bool(groups["negated"]))


def is_frame(text: str) -> bool:
    """Return whether a text only asks for notes and has no subject: "find all notes", 找到."""
    return _FRAME.fullmatch(text) is not None


def names_picture(text: str) -> bool:
    """Return whether a question asks for a picture, such as *the photo of the whiteboard*."""
    return _PICTURE.search(text) is not None
