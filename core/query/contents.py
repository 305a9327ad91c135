"""What a question says that notes hold: "notes with a table", 包含代码示例的笔记."""

import re
from dataclasses import dataclass

_CHINESE = {
    "code": "(?:示例|样例|例子)?代码(?:示例|样例|例子|片段|块)?",
    "diagram": "(?:架构|流程|时序|示意|结构|关系)图|图表|图示",
    "image": "图片|照片|截图|插图|配图",
    "table": "表格",
    "link": "(?:超|外部?)?链接",
    "task": "待办(?:事项|任务|清单)?|任务清单|复选框",
}
_ENGLISH = {
    "code": "code(?: (?:example|sample|snippet|block)s?)?",
    "diagram": "(?:(?:architecture|sequence|flow|class) )?diagrams?|flow ?charts?",
    "image": "pictures?|images?|photos?|screenshots?",
    "table": "tables?",
    "link": "links?",
    "task": "(?:open )?tasks?|task lists?|to-?dos?|check ?boxes",
}


def _things(names: dict[str, str]) -> str:
    return "|".join(f"(?P<{thing}>{pattern})" for thing, pattern in names.items())


_NOTES = "笔记|文档|文章|资料|记录|页面|段落|内容|文件"
_VERB = "(?:(?P<negated>不|(?<!有)没有?|未)(?:包含|含有?|带有?|附有?|有)?|包含|含有?|带有?|附有|附带|(?<!没)有)[了着]?"
_BEFORE_NOTES = re.compile(
    rf"{_VERB}\s?(?:{_things(_CHINESE)})的\s?(?:(?:{_NOTES})|(?=[^，。；！？,.;!?]{{1,20}}(?:{_NOTES})))"
)
_AFTER_NOTES = re.compile(
    rf"(?:(?<={_NOTES})|(?<=(?:{_NOTES})[里中]))(?:里|中)?面?都?{_VERB}\s?(?:{_things(_CHINESE)})[吗呢]?(?=[?？。！!\s]*\Z)"
)
_WITH = (
    r"(?P<negated>without|with no|that (?:don['’]t|do not) (?:have|contain))"
    r"|with|containing|including|(?:(?:that|which) )?(?:have|has|contains?|includes?)"
)
_ENGLISH_NOTES = re.compile(
    rf"(?:notes?|pages?|documents?|passages?|files?|articles?) (?:{_WITH}) (?:(?:a|an|any|some|the) )?"
    rf"(?:{_things(_ENGLISH)})(?![\w-])(?=\s*(?:\Z|[?.!,;，。？#]|(?:about|on|for|from|in|by|that|which|since|updated|created)\b|\w+:))",
    re.IGNORECASE,
)
_ASKING = re.compile(r"\s*(?:how|why|when|where|who|should|can|could|do|does|is|are|what (?:is|are))\b", re.IGNORECASE)
_ASKING_IN_CHINESE = re.compile("怎么|怎样|如何|为什么|为何|是否|该不该")
_PICTURE = re.compile(
    r"\b(?:pictures?|images?|photo(?:graph)?s?|screenshots?|snapshots?)\b|图片|照片|相片|截图|插图|配图|图像|画面",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"(?:请|帮我|帮忙|给我|我想|我要|找到|找出|查找|搜索|搜|列出|显示|查看|看看|找|有没有|有哪些|哪些|哪几篇|哪篇|所有|全部|一下|我|的|里|中"
    rf"|{_NOTES}|[，。？！、]|[\s?.!,;]|\b(?:find|show|list|get|give|search|look|for|me|all|of|the|my|any|every|which|what"
    r"|notes?|pages?|documents?|passages?|files?|articles?|please|are|there|only)\b)++",
    re.IGNORECASE,
)
_BEGINNINGS = frozenset("不没未包含带附有里中面都nNpPdDfFaA")
"""First characters of what is recognised, which rule out most positions quickly."""


@dataclass(frozen=True, slots=True)
class ContentTerm:
    """What notes hold, or don't hold where `negated`, as a value of the field `has`; `end` is after its words."""

    value: str
    end: int
    negated: bool


def named(text: str, start: int) -> ContentTerm | None:
    """Return what a question says at `start` that notes hold; `start` must not be inside a Latin word."""
    if text[start : start + 1] not in _BEGINNINGS:
        return None
    if text[start].isascii():
        match = None if _ASKING.match(text) else _ENGLISH_NOTES.match(text, start)
    else:
        match = _BEFORE_NOTES.match(text, start) or _AFTER_NOTES.match(text, start)
        match = None if match and _ASKING_IN_CHINESE.search(text, 0, start) else match
    if not match:
        return None
    value = next(name for name in _CHINESE if match[name])
    return ContentTerm(value, match.end(), bool(match["negated"]))


def is_frame(text: str) -> bool:
    """Return whether a text only asks for notes, whatever they are about: "find all notes", 找到."""
    return _FRAME.fullmatch(text) is not None


def names_picture(text: str) -> bool:
    """Return whether a question says that it asks for a picture: the photo of the whiteboard."""
    return _PICTURE.search(text) is not None
